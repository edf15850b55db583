"""What others have written reaches a person's terminal and the log as text: no control character, no forged line.

A live daemon with 256 descriptors gets jobs whose keys and graphs hold every character that a terminal acts upon. All
that proofctl, proofcheck and the log then show is held against the one rule of proto/base/print.h."""

import fcntl
import json
import os
import pty
import re
import resource
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, RpcError, Server, program  # noqa: E402

DESCRIPTORS = 256
CONTROLS = [chr(c) for c in
            [*range(1, 0x20), *range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A)]]
FORGED = "99  solved   connect4:7x6  value  first wins"
# Keys have up to 128 bytes.
KEYS = ["k" + "".join(CONTROLS[i:i + 30]) for i in range(0, len(CONTROLS), 30)] + [
    "\r\n" + FORGED, "\033]0;title\007\033[2J\033[31mred", "\u202eevil", "caf\u00e9 \u5c06\u68cb \U0001f600"]
NODES = ["n\u0085\u009b31m", "m\u202e\u2066", "\u00e9t\u00e9"]
# What a terminal is told by the program itself: colours, and how a picture is drawn over.
OWN = re.compile(r"\033\[[0-9;?]*[A-Za-z]|\033[>=78]|\r")
BAD = re.compile("[%s]" % "".join(CONTROLS).replace("\n", ""))


def environment():
    return dict((k, v) for k, v in os.environ.items() if k not in ("PROOFD_SERVER", "NO_COLOR", "LC_ALL"))


def run(name, *words, code=0, text=None):
    done = subprocess.run([program(name), *words], capture_output=True, env=environment(), timeout=TIMEOUT,
                          input=text)
    if code is not None and done.returncode != code:
        raise AssertionError("%r: %d\n%s" % (words, done.returncode, done.stderr))
    return (done.stdout + done.stderr).decode("utf-8")


def on_terminal(*words, keys=b""):
    """All that a terminal of 100 columns gets, until the program ends. Each frame is answered with the next of the
    keys, and with the last one again, which may have been taken for a part of an escape sequence."""
    primary, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 100, 0, 0))
    process = subprocess.Popen([program("proofctl"), *words], stdin=secondary, stdout=secondary, stderr=secondary,
                               env=dict(environment(), TERM="xterm", LANG="C.UTF-8"), start_new_session=True,
                               preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(secondary)
    got, frame, end = b"", b"", time.monotonic() + TIMEOUT
    while time.monotonic() < end and select.select([primary], [], [], TIMEOUT)[0]:
        try:
            more = os.read(primary, 65536)
        except OSError:
            break
        if not more:
            break
        got += more
        frame += more
        if keys and b"\033[J" in frame:  # it is whole
            os.write(primary, keys[:1])
            keys = keys[1:] or keys
            frame = b""
    os.close(primary)
    process.wait(TIMEOUT)
    return got.decode("utf-8")


class Shown(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
        cls.dir = tempfile.TemporaryDirectory(prefix="shown-")
        graph = {"root": NODES[0], "nodes": {NODES[0]: {"or": NODES[1:]}, NODES[1]: {"value": 1},
                                             NODES[2]: {"value": -1}}}
        with open(os.path.join(cls.dir.name, "odd.json"), "w", encoding="utf-8") as file:
            json.dump(graph, file)
        cls.server = Server("--graphs", cls.dir.name, "--connections", "40")
        cls.at = ["--socket", cls.server.socket_path]
        cls.jobs = [cls.server.admin("job.submit", game="mnk:3,3,3", claim="first-draws", memory="1M", key=key)["job"]
                    for key in KEYS]
        cls.graph = cls.server.admin("job.submit", game="andor:odd", memory="1M", key="\n\r" + FORGED)["job"]
        for job in [*cls.jobs, cls.graph]:
            cls.server.wait_job(job)

    @classmethod
    def tearDownClass(cls):
        cls.server.terminate()
        cls.dir.cleanup()

    def is_text(self, shown):
        self.assertIsNone(BAD.search(shown), ascii(shown))
        self.assertFalse([line for line in shown.splitlines() if line.startswith(FORGED)], ascii(shown))

    def test_commands(self):
        """Each command that tells of jobs and positions, into a file and on a terminal."""
        odd = ["andor:odd"]
        commands = [["list"], ["top"], ["stats"], ["groups"], ["proofs"], ["position", *odd],
                    ["query", *odd, "--each-move"], ["query", *odd, NODES[1]], ["line", *odd],
                    ["proof-tree", *odd], ["position", *odd, NODES[0]], ["games", *odd], ["call", "job.list"]]
        for words in commands:
            with self.subTest(words):
                self.is_text(run("proofctl", *words, *self.at, code=None))
                if words[0] != "top":
                    self.is_text(OWN.sub("", on_terminal(*words, *self.at)))
        for job, key in zip([*self.jobs, self.graph], [*KEYS, "\n\r" + FORGED]):
            for command in ("show", "explain", "tree", "history", "watch"):
                with self.subTest(command=command, key=ascii(key)):
                    shown = run("proofctl", command, str(job), *self.at, code=None)
                    self.is_text(shown)
                    self.is_text(OWN.sub("", on_terminal(command, str(job), *self.at)))
            shown = run("proofctl", "show", str(job), *self.at)
            self.assertIn("".join("\\u%04x" % ord(c) if c in CONTROLS else c for c in key),
                          re.sub(r"\n {12}", " ", shown))
        self.is_text(OWN.sub("", on_terminal("top", *self.at, keys=b"\r\033q")))

    def test_json_is_exact(self):
        for job, key in zip(self.jobs, KEYS):
            self.assertEqual(json.loads(run("proofctl", "show", "--json", str(job), *self.at))["key"], key)

    def test_errors(self):
        """Messages quote what was wrong."""
        for bad in (KEYS[0], KEYS[-2], "\n" + FORGED, "\033[2J", "\u0085"):
            for words in (["query", bad], ["query", "mnk:3,3,3", bad], ["position", "mnk:3,3,3", "--moves", bad],
                          ["submit", "mnk:3,3,3", "--claim", bad], ["show", bad], [bad], ["list", "--limit", bad],
                          ["query", "andor:odd", "x" + bad], ["solve", "mnk:3,3,3", "--algorithm", bad]):
                with self.subTest(words=ascii(words)):
                    self.is_text(run("proofctl", *words, *(self.at if words[0] != "solve" else []), code=None))
        self.is_text(run("proofcheck", "/nowhere/\n" + FORGED + "\033[2J", code=None))

    def test_certificate(self):
        file = os.path.join(self.dir.name, "odd.proof")
        self.is_text(run("proofctl", "export", "andor:odd", file, "--claim", "first-wins", *self.at))
        for words in ([], ["--stats"], ["--show"]):
            with self.subTest(words):
                self.is_text(run("proofcheck", *words, file, code=None))

    def test_log(self):
        """What a client sends is quoted in the log, in each of its forms."""
        for form in ("text", "json", "journal"):
            with self.subTest(form), Server("--log-format", form, "--log", "debug", "--connections", "40",
                                            data=False) as server:
                for text in KEYS[:-1]:
                    job = server.admin("job.submit", game="mnk:3,3,3", memory="1M", key=text, claim="first-draws")
                    server.wait_job(job["job"])
                    for call in (dict(method="x" + text), dict(method="backup.start", name=text),
                                 dict(method="server.hello", token=text)):
                        try:
                            server.admin(call.pop("method"), **call)
                        except RpcError:
                            pass
                server.terminate()
                self.is_text(server.log())

    def test_bytes_that_are_no_text(self):
        """Two keys of different bytes never become one: they are refused, with the name of the option."""
        before = len(self.server.admin("job.list")["jobs"])
        for words in ([b"submit", b"mnk:3,3,3", b"--claim", b"first-wins", b"--key", b"a\xff"],
                      [b"submit", b"mnk:3,3,3", b"--claim", b"first-wins", b"--key", b"a\xc3"],
                      [b"submit", b"mnk:3,3,3\xff"], [b"query", b"mnk:3,3,3", b"\xed\xa0\x80"],
                      [b"submit", b"mnk:3,3,3", b"--group", b"\xc0\x80"],
                      [b"position", b"mnk:3,3,3", b"--moves", b"a1 \xfe"]):
            done = subprocess.run([program("proofctl").encode(), *words, *map(os.fsencode, self.at)],
                                  capture_output=True, env=environment(), timeout=TIMEOUT)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn("text is UTF-8", done.stderr.decode())
        for raw in (b"a\xff", b"\xed\xa0\x80", b"\xc0\x80"):
            with self.server.connect(unix=True) as client:
                client.send(b'{"jsonrpc":"2.0","id":1,"method":"job.submit","params":{"game":"mnk:3,3,3","key":"' +
                            raw + b'"}}\n')
                self.assertEqual(client.message()["error"]["code"], -32700)
        self.assertEqual(len(self.server.admin("job.list")["jobs"]), before)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
