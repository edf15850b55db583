"""Conformance: each client library goes through the stories of tests/clients/conformance with a real daemon, over each
transport. conformance/README.md says what a story is. A share plays each story over one transport, in turn, so that
each library meets each transport in some story, and each story is played over each of its transports by some library.

    test_conformance.py BUILD [PART...]   only what has these words in its name, such as `node restart tls`
"""

import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from certs import Certificates  # noqa: E402
from effort import EFFORT  # noqa: E402
from matching import match  # noqa: E402
from pyproofd import TIMEOUT, Server, build_dir, package, program  # noqa: E402
from relay import Relay  # noqa: E402

STORIES = sorted(glob.glob(os.path.join(HERE, "conformance", "stories", "*.json")))
DRIVER = os.path.join(HERE, "conformance", "driver")
DRIVERS = {
    "python": [sys.executable, DRIVER + ".py", package("python")],
    "asyncio": [sys.executable, DRIVER + ".py", package("python"), "--async"],
    "node": ["node", DRIVER + ".mjs", package("node")],
    "c": [os.path.join(build_dir(), "tests", "conformance_driver")],
}
SHARE = EFFORT < 100 and not sys.argv[2:]
TOKENS = "".join("%s the token of %s\n" % (role, role) for role in ("query", "submit", "admin"))
# The errors that no client provokes, whatever it sends: a library sends valid requests only (parse-error comes from a
# port with TLS), `busy` and `shutting-down` depend on the moment, and the others are misfortunes of the server or
# errors of the programs themselves.
NOT_PROVOKED = set("""invalid-request internal busy io no-space no-memory format corrupt contradiction locked
not-found shutting-down usage""".split())


def read_stories():
    """By their names."""
    stories = {}
    for path in STORIES:
        with open(path, encoding="utf-8") as file:
            stories[os.path.basename(path)[:-5]] = json.load(file)
    return stories


def share_of(stories, name):
    """The transport of each story in a share: those that have several take turns, and each driver begins elsewhere."""
    share, turn = {}, list(DRIVERS).index(name)
    for told, story in stories.items():
        share[told] = story["transports"][turn % len(story["transports"])]
        turn += len(story["transports"]) > 1
    return share


class Driver:
    """A process that carries out steps."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(self, step):
        self.process.stdin.write(json.dumps(step) + "\n")
        self.process.stdin.flush()

    def answer(self):
        hung = threading.Timer(4 * TIMEOUT, self.process.kill)
        hung.start()
        line = self.process.stdout.readline()
        hung.cancel()
        if not line:
            raise AssertionError("the driver ended with %d" % self.process.wait(TIMEOUT))
        return json.loads(line)

    def end(self):
        """Its exit code."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass  # it has ended before it read the last step
        try:
            return self.process.wait(TIMEOUT)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()


class Player:
    """Plays a story with a server, a driver and, over TCP, a relay between them."""

    def __init__(self, story, transport, driver, certificates):
        self.transport, self.driver, self.certificates = transport, driver, certificates
        self.names = {"$dir": certificates.dir, "$tokens": certificates.tokens, "$cert": certificates.cert}
        options = [self.names.get(word, word) for word in story["options"]]
        self.server = Server(*options, *(certificates.options() if transport == "tls" else []))
        self.starting = False
        self.relay = Relay(self.address)
        self.fifo = None  # of a driver that is on hold
        self.methods, self.slugs = set(), set()

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.relay.close()
        if self.server.process.poll() is None:
            os.kill(self.server.pid, signal.SIGCONT)
        self.server.__exit__(*failure)

    def address(self):
        """Where the server listens. When it is away, or starts, the port that it had may be another's."""
        if self.starting or self.server.process.poll() is not None:
            raise ConnectionRefusedError
        return self.server.address

    def play(self, step):
        if "server" in step:
            self.act(step)
        elif "relay" in step:
            self.relay.swallow()
        else:
            self.operate(self.known(step))

    def known(self, value):
        """A step with what its placeholders stand for."""
        if isinstance(value, dict):
            if set(value) == {"positions"} and isinstance(value["positions"], int):
                return [str(1 + i % 7) + str(1 + i // 7 % 7) + str(1 + i // 49 % 7) for i in range(value["positions"])]
            if set(value) == {"text"} and isinstance(value["text"], int):
                return "x" * value["text"]
            if set(value) == {"same", "times"}:
                return [value["same"]] * value["times"]
            return {key: one if key == "expect" else self.known(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.known(one) for one in value]
        if isinstance(value, str) and value.startswith("$dir/"):
            return self.names["$dir"] + value[4:]
        return self.names.get(value, value) if isinstance(value, str) else value

    def act(self, step):
        what, server = step["server"], self.server
        if what == "log":
            self.wait_for_log(step["text"])
        elif what == "suspend":
            os.kill(server.pid, signal.SIGSTOP)
        elif what == "go":
            os.kill(server.pid, signal.SIGCONT)
        elif what == "start":
            self.starting = True
            server.start()
            self.starting = False
        else:
            {"kill": server.kill, "terminate": server.terminate}[what]()

    def wait_for_log(self, text):
        end = time.monotonic() + TIMEOUT
        while text not in self.server.log():
            if time.monotonic() > end:
                raise AssertionError("the log never says %r" % text)
            self.server.admin("server.hello")  # a turn of its loop

    def operate(self, step):
        if self.fifo:
            with open(self.fifo, "w", encoding="utf-8"):
                pass
            os.unlink(self.fifo)
            self.fifo = None
            self.expect({"op": "hold", "expect": None}, self.driver.answer())
        if step["op"] == "open" and "address" not in step:
            step["address"] = self.server.socket_path if self.transport == "unix" else self.relay.address
            if self.transport == "tls":
                step.setdefault("tls", self.certificates.cert)
        if step["op"] == "hold":
            step["fifo"] = self.fifo = os.path.join(self.server.dir, "fifo")
            os.mkfifo(self.fifo)
            self.driver.send(step)
            return
        self.methods.add(step.get("method") if step["op"] == "call" else None)
        self.driver.send(step)
        self.expect(step, self.driver.answer())

    def expect(self, step, answer):
        error = answer.get("error")
        if error:
            self.slugs.add(error["slug"])
            if "error" not in step:
                raise AssertionError("%s: %s" % (error["slug"], error["message"]))
            fields = {"slug": step["error"], "field": step.get("field", "*"), "code": "*", "message": "*"}
            wrong = match(fields, error, self.names, "error")
            if wrong or not error["message"]:
                raise AssertionError("%s, %r" % (wrong, error))
            return
        if "error" in step:
            raise AssertionError("no error, but %.300r" % answer["result"])
        result, count = answer["result"], step.get("count") if step["op"] in ("call", "query") else None
        for name, number in (count if isinstance(count, dict) else {"": count}).items():
            if number is not None and len(result[name] if name else result) != number:
                raise AssertionError("not %d items" % number)
        wrong = match(step["expect"], result, self.names) if "expect" in step else None
        if wrong:
            raise AssertionError("%s\n%.2000s" % (wrong, json.dumps(result)))


class Conformance(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.certificates = Certificates()
        cls.certificates.tokens = os.path.join(cls.certificates.dir, "tokens")
        with open(cls.certificates.tokens, "w", encoding="utf-8") as file:
            os.chmod(file.name, 0o600)
            file.write(TOKENS)

    @classmethod
    def tearDownClass(cls):
        cls.certificates.remove()

    def stories(self, name):
        """Plays all stories; (methods called, slugs met)."""
        methods, slugs = set(), set()
        stories = read_stories()
        shares = share_of(stories, name)
        for told, story in stories.items():
            for transport in [shares[told]] if SHARE else story["transports"]:
                title = " ".join((name, told, transport))
                if not all(word in title.split() for word in sys.argv[2:]):
                    continue
                with self.subTest(title):
                    self.play(story, title, transport, DRIVERS[name], methods, slugs)
        return methods, slugs

    def play(self, story, title, transport, command, methods, slugs):
        driver = Driver(command)
        try:
            with Player(story, transport, driver, self.certificates) as player:
                for number, step in enumerate(story["steps"], 1):
                    try:
                        player.play(step)
                    except AssertionError as error:
                        raise AssertionError("%s, step %d, %s: %s" % (title, number, json.dumps(step), error)) from None
                methods |= player.methods
                slugs |= player.slugs
        finally:
            code = driver.end()
        self.assertEqual(code, 0, title)

    def conform(self, name):
        methods, slugs = self.stories(name)
        if sys.argv[2:]:
            return
        with Server("--threads", "0") as server:
            document = server.rpc("rpc.discover")
        self.assertEqual({method["name"] for method in document["methods"]} - methods, set())
        self.assertEqual(set(document["components"]["errors"]) - slugs, NOT_PROVOKED)

    def test_a_share_leaves_no_transport_out(self):
        stories = read_stories()
        shares = {name: share_of(stories, name) for name in DRIVERS}
        several = [told for told, story in stories.items() if len(story["transports"]) > 1]
        for name, share in shares.items():
            self.assertEqual({share[told] for told in several}, {"unix", "tcp", "tls"}, name)
        for told, story in stories.items():
            self.assertEqual({share[told] for share in shares.values()}, set(story["transports"]), told)

    def test_python(self):
        self.conform("python")

    def test_python_asyncio(self):
        self.conform("asyncio")

    @unittest.skipUnless(shutil.which("node"), "there is no node here (Debian: nodejs)")
    def test_node(self):
        self.conform("node")

    def test_c(self):
        self.conform("c")


if __name__ == "__main__":
    program("proofd")
    unittest.main(argv=sys.argv[:1])
