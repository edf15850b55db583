"""The port over NATS against a real nats-server: messages, losses of the connection, who may what, TLS."""

import os
import queue
import signal
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from certs import Certificates  # noqa: E402
from nats import PROGRAM, TIMEOUT, Nats, free_port  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
MODULE = os.path.join(BUILD, "libproofd-nats.so")
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "server", "cluster", "examples")
DRIVER = os.path.join(BUILD, "tests", "nats_talk")
SUPPRESSIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nats_talk.supp")


class Talk:
    """A port in a process of its own (nats_talk.c)."""

    def __init__(self, url, worker, **files):
        words = [DRIVER, url, str(worker)] + ["%s=%s" % pair for pair in files.items()]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=dict(os.environ, PROOFD_MODULE_DIR=BUILD,
                                                       TSAN_OPTIONS="halt_on_error=1 suppressions=" + SUPPRESSIONS))
        self.lines, self.all, self.unread = queue.Queue(), [], []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def next(self):
        line = self.lines.get(timeout=TIMEOUT)
        if line is None:
            raise AssertionError("nats_talk has ended: " + self.process.stderr.read())
        self.all.append(line)
        return line

    def until(self, *begins):
        """The next line that begins with one of these words, without it; others wait for their turn."""
        while True:
            for i, line in enumerate(self.unread):
                word, _, rest = line.partition(" ")
                if word in begins:
                    del self.unread[i]
                    return rest if len(begins) == 1 else line
            self.unread.append(self.next())

    def tell(self, *words):
        self.process.stdin.write(" ".join(str(w) for w in words) + "\n")
        self.process.stdin.flush()

    def send(self, to, text):
        """True when it was sent."""
        self.tell("send", to, text)
        return self.until("sent", "unsent").startswith("sent")

    def close(self):
        """Its exit code; a sanitizer's report is a failure."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        code = self.process.wait(TIMEOUT)
        self.reader.join(TIMEOUT)
        self.process.stdout.close()
        error = self.process.stderr.read()
        self.process.stderr.close()
        if error:
            raise AssertionError(error)
        return code

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.process.kill()
        elif not self.process.stderr.closed:
            self.close()


def refusal(url, **files):
    """What a port says that does not even begin."""
    with Talk(url, 0, **files) as talk:
        said = talk.until("refused")
        code = talk.close()
    assert code == 1, code
    return said


@unittest.skipUnless(os.path.exists(MODULE), "this build has no libproofd-nats.so (libnats-dev)")
@unittest.skipUnless(PROGRAM, "nats-server is not installed")
class Messages(unittest.TestCase):
    def test_both_directions(self):
        with Nats() as nats, Talk(nats.url(), 0) as us, Talk(nats.url(), 7) as a, Talk(nats.url(), 2**63) as b:
            for talk in us, a, b:
                self.assertEqual(talk.until("connected"), "connected to nats://127.0.0.1:%d" % nats.port)
            self.assertTrue(us.send(7, "to seven"))
            self.assertEqual(a.until("got"), "to seven")
            self.assertTrue(us.send("all", "to all"))
            self.assertEqual([a.until("got"), b.until("got")], ["to all", "to all"])
            for talk, text in ((a, "from a"), (b, "from b")):
                self.assertTrue(talk.send("c", text))
                self.assertEqual(us.until("got"), text)
            self.assertTrue(us.send(9, "to no one"))
            us.tell("blob", 7, 1 << 18)
            self.assertEqual(a.until("got"), "262144 bytes")
            us.tell("blob", 7, 1 << 21)
            self.assertRegex(us.until("unsent"), "^limit .*2097152 bytes")
            self.assertTrue(us.send(7, "still there"))
            self.assertEqual(a.until("got"), "still there")
            self.assertFalse([line for line in b.all if "seven" in line])

    def test_order_and_echo_of_many(self):
        with Nats() as nats, Talk(nats.url(), 0) as us, Talk(nats.url(), 7) as worker:
            us.until("connected")
            worker.until("connected")
            worker.tell("echo", "c")
            worker.until("echo")
            for i in range(200):
                us.tell("send", 7, "number %d" % i)
            self.assertEqual([us.until("got") for _ in range(200)], ["number %d" % i for i in range(200)])

    def test_prefixes_do_not_hear_each_other(self):
        with Nats() as nats, Talk(nats.url(prefix="one.a"), 0) as us, Talk(nats.url(prefix="one.a"), 7) as near, \
                Talk(nats.url(), 7) as far:
            self.assertEqual(us.until("where"), "nats://127.0.0.1:%d/one.a" % nats.port)
            for talk in us, near, far:
                talk.until("connected")
            far.send("c", "lost")
            near.send("c", "heard")
            self.assertEqual(us.until("got"), "heard")
            us.send("all", "hello")
            self.assertEqual(near.until("got"), "hello")
            self.assertNotIn("got hello", far.all)

    def test_killed_and_started_again(self):
        with Nats() as nats, Talk(nats.url(), 0) as us, Talk(nats.url(), 7) as worker:
            for round_ in range(2):
                us.until("connected")
                worker.until("connected")
                self.assertTrue(us.send(7, "round %d" % round_))
                self.assertEqual(worker.until("got"), "round %d" % round_)
                nats.kill()
                self.assertRegex(us.until("disconnected"), "connection to nats://.* is lost")
                worker.until("disconnected")
                begin = time.monotonic()
                self.assertFalse(us.send(7, "into the void"))
                self.assertLess(time.monotonic() - begin, 5)
                nats.start()
            us.until("connected")
            worker.until("connected")
            self.assertTrue(us.send(7, "the end"))
            self.assertEqual(worker.until("got"), "the end")  # and nothing of what was said into the void

    def test_a_server_that_stands_still_is_given_up(self):
        with Nats() as nats, Talk(nats.url(), 0) as us:
            us.until("connected")
            nats.process.send_signal(signal.SIGSTOP)
            try:
                begin = time.monotonic()
                self.assertRegex(us.until("disconnected"), "is lost: it does not answer")
                self.assertLess(time.monotonic() - begin, 30)  # 6 s at most, on a machine with nothing else to do
                self.assertFalse(us.send(7, "x"))
            finally:
                nats.process.send_signal(signal.SIGCONT)
            us.until("connected")

    def test_closed_while_the_server_stands_still(self):
        with Nats() as nats, Talk(nats.url(), 0) as us:
            us.until("connected")
            nats.process.send_signal(signal.SIGSTOP)
            try:
                time.sleep(2.2)  # a ping is on its way
                begin = time.monotonic()
                us.tell("close")
                us.until("closed")
                self.assertLess(time.monotonic() - begin, 3)
            finally:
                nats.process.send_signal(signal.SIGCONT)

    def test_a_wait_ends_when_it_is_to(self):
        with Nats() as nats, Talk(nats.url(), 0) as us, Talk(nats.url(), 7) as worker:
            us.until("connected")
            worker.until("connected")
            us.tell("nap")
            woken, rested, later = map(float, us.until("nap").split())
            self.assertLess(woken, 20)
            self.assertGreaterEqual(rested, 0.05)
            self.assertLess(rested, 20)
            self.assertLess(later, 20)
            self.assertTrue(us.send(7, "by another thread than the one that waits"))
            self.assertEqual(worker.until("got"), "by another thread than the one that waits")

    def test_opened_before_the_server_is_there(self):
        port = free_port()
        with Talk("nats://127.0.0.1:%d" % port, 0) as us:
            self.assertEqual(us.until("disconnected"), "no NATS server answers at nats://127.0.0.1:%d" % port)
            self.assertFalse(us.send(7, "x"))
        with Nats() as nats, Talk("nats://127.0.0.1:%d,%s/abc" % (port, nats.url()), 0) as us:  # a list
            self.assertIn(",", us.until("connected"))

    def test_closed_at_once(self):
        with Nats() as nats:
            for _ in range(5):
                with Talk(nats.url(), 3) as talk:
                    talk.tell("close")
                    talk.until("closed")

    def test_urls_that_are_wrong(self):
        secret = "s3cret"
        for url, why in {
            "http://h": "nats:// or tls://", "nats://": "no host", "nats://h:0": "65535", "nats://h:70000": "65535",
            "nats://h:x": "not a number", "nats://h/a b": "prefix", "nats://h/a..b": "prefix", "nats://h/a.>": "prefix",
            "nats://h/%s" % ("x" * 65): "prefix", "nats://u:%s%%zz@h" % secret: "hexadecimal",
            "nats://:%s@h" % secret: "without a user", "nats://u:%s@h,nats://v:%s@h" % (secret, secret): "another user",
            "nats://u:@h,nats://u:%s@h" % secret: "another user", "nats://u:%s@h,nats://u:@h" % secret: "another user",
            "nats://h/a,nats://i/b": "another prefix", "nats://h,": "nats:// or tls://",
            ",".join(["nats://h"] * 9): "one too many", "nats://%s" % ("h" * 254): "too long",
            "nats://h$": "character", "nats://[]": "no host", "nats://[::1": "character", "nats://[::1]x": "no host",
        }.items():
            said = refusal(url)
            self.assertRegex(said, why, url)
            self.assertNotIn(secret, said)


@unittest.skipUnless(os.path.exists(MODULE), "this build has no libproofd-nats.so (libnats-dev)")
@unittest.skipUnless(PROGRAM, "nats-server is not installed")
class Access(unittest.TestCase):
    PASSWORD = "pa ss:w/ord@"

    def test_password_and_token(self):
        quoted = self.PASSWORD.replace("%", "%25").replace(" ", "%20").replace(":", "%3a").replace("/", "%2F")
        quoted = quoted.replace("@", "%40")
        with Nats('authorization { user: coordinator, password: "%s" }' % self.PASSWORD) as nats:
            with Talk(nats.url("coordinator:" + quoted), 0) as us:
                self.assertEqual(us.until("connected"), "connected to nats://127.0.0.1:%d" % nats.port)
                self.assertNotIn("pa ss", "".join(us.all))
            for user in ("", "coordinator:wrong", "other:" + quoted):
                with Talk(nats.url(user), 0) as us:
                    said = us.until("disconnected")
                    self.assertRegex(said, "refuses .*user")
                    self.assertNotIn("wrong", said)
        with Nats('authorization { token: "tok" }') as nats:
            with Talk(nats.url("tok"), 0) as us:
                us.until("connected")
            with Talk(nats.url("kot"), 0) as us:
                self.assertRegex(us.until("disconnected"), "refuses the token")

    def test_a_password_that_is_right_later(self):
        """It goes on trying, however often it was refused."""
        with Nats("authorization { user: u, password: old }") as nats, Talk(nats.url("u:new"), 0) as us:
            us.until("disconnected")
            time.sleep(1)
            nats.kill()
            with open(nats.file, encoding="utf-8") as file:
                text = file.read().replace("old", "new")
            with open(nats.file, "w", encoding="utf-8") as file:
                file.write(text)
            nats.start()
            us.until("connected")

    def key(self, folder, name="seed"):
        """A seed in a file, and its public key."""
        file = os.path.join(folder, name)
        if os.path.exists(file):
            os.remove(file)
        done = subprocess.run([sys.executable, os.path.join(EXAMPLES, "make-nkey"), file], check=True,
                              capture_output=True, text=True)
        return file, done.stdout.strip()

    def test_nkeys(self):
        certificates = Certificates()
        self.addCleanup(certificates.remove)
        file, public = self.key(certificates.dir)
        with Nats("authorization { users: [ { nkey: %s } ] }" % public) as nats:
            with Talk(nats.url(), 0, creds=file) as us:
                us.until("connected")
            os.chmod(file, 0o640)
            self.assertRegex(refusal(nats.url(), creds=file), "chmod 600")
            os.chmod(file, 0o600)
            self.assertRegex(refusal(nats.url("u:p"), creds=file), "exclude each other")
            with Talk(nats.url(), 0, creds=file) as us:
                us.until("connected")
            self.key(certificates.dir)  # another one
            with Talk(nats.url(), 0, creds=file) as us:
                self.assertRegex(us.until("disconnected"), "refuses the key or credentials of this program")
            with open(file, "w", encoding="ascii") as out:
                out.write("SUAIO3FHUX5PNV2LQIIP7TZ3N4L7TX3W53MQGEIVYFIGA635OZCKEYHFL\n")  # a wrong checksum
            self.assertRegex(refusal(nats.url(), creds=file), "neither")
        self.assertRegex(refusal("nats://h", creds=file + ".not"), "cannot be read")

    def test_permissions(self):
        with Nats("""authorization { users: [
                { user: coordinator, password: c }
                { user: worker, password: w,
                  permissions: { publish: "proofd.c", subscribe: ["proofd.w.>", "proofd.all"] } } ] }""") as nats, \
                Talk(nats.url("coordinator:c"), 0) as us, Talk(nats.url("worker:w"), 7) as worker:
            us.until("connected")
            worker.until("connected")
            worker.send("c", "a result")
            self.assertEqual(us.until("got"), "a result")
            us.send("all", "a call")
            self.assertEqual(worker.until("got"), "a call")
            worker.send(7, "a task that no worker may give")
            self.assertRegex(worker.until("log"), r"does not permit .*Publish to .proofd\.w\.0+7\b")
            self.assertTrue(worker.send("c", "and goes on"))
            self.assertEqual(us.until("got"), "and goes on")
            with Talk(nats.url("worker:w"), 0) as spy:  # results are for the coordinator
                self.assertRegex(spy.until("log"), r"does not permit .*Subscription to .proofd\.c\b")

    def test_the_example_configuration(self):
        certificates = Certificates()
        self.addCleanup(certificates.remove)
        ours, ours_public = self.key(certificates.dir, "daemon.seed")
        theirs, theirs_public = self.key(certificates.dir, "worker.seed")
        with open(os.path.join(EXAMPLES, "nats-server.conf"), encoding="utf-8") as file:
            text = file.read()
        for old, new in (("/etc/nats/server.pem", certificates.cert), ("/etc/nats/server.key", certificates.key),
                         ("UAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", ours_public),
                         ("UBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB", theirs_public)):
            self.assertEqual(text.count(old), 1, old)
            text = text.replace(old, new)
        self.assertEqual(text.count('listen: "0.0.0.0:4222"\n'), 1)
        text = text.replace('listen: "0.0.0.0:4222"\n', "")
        with Nats(text.replace("%", "%%")) as nats:
            done = subprocess.run([PROGRAM, "-t", "-c", nats.file], capture_output=True, text=True, timeout=TIMEOUT)
            self.assertEqual(done.returncode, 0, done.stderr)
            files = {"ca": certificates.cert}
            with Talk(nats.url(scheme="tls"), 0, creds=ours, **files) as us, \
                    Talk(nats.url(scheme="tls"), 7, creds=theirs, **files) as worker, \
                    Talk(nats.url(scheme="tls"), 8, **files) as stranger:
                us.until("connected")
                worker.until("connected")
                for to in (7, "all"):
                    us.send(to, "to %s" % to)
                    self.assertEqual(worker.until("got"), "to %s" % to)
                worker.send("c", "from a worker")
                self.assertEqual(us.until("got"), "from a worker")
                worker.send("all", "a worker speaks for the coordinator")
                self.assertRegex(worker.until("log"), r"does not permit .*Publish to .proofd\.all\b")
                self.assertRegex(stranger.until("disconnected"), "refuses a client without")

    def test_tls(self):
        certificates = Certificates()
        self.addCleanup(certificates.remove)
        other = Certificates()
        self.addCleanup(other.remove)
        with Nats('tls { cert_file: "%s", key_file: "%s" }' % (certificates.cert, certificates.key)) as nats:
            for host in ("127.0.0.1", "localhost"):
                with Talk(nats.url(scheme="tls", host=host), 0, ca=certificates.cert) as us, \
                        Talk(nats.url(scheme="tls", host=host), 7, ca=certificates.cert) as worker:
                    us.until("connected")
                    worker.until("connected")
                    us.send(7, "hidden")
                    self.assertEqual(worker.until("got"), "hidden")
            for files in ({"ca": other.cert}, {}):
                with Talk(nats.url(scheme="tls"), 0, **files) as us:
                    self.assertRegex(us.until("disconnected"), "TLS with tls://.* fails: .*certificate")
            with Talk(nats.url(), 0) as us:  # libnats goes over to TLS or says that it is wanted
                self.assertRegex(us.until("disconnected"), "TLS")
        self.assertRegex(refusal("tls://h", cert=certificates.cert), "belong together")
        with Nats() as nats, Talk(nats.url(scheme="tls"), 0) as us:
            self.assertRegex(us.until("disconnected"), "has no TLS")
        with Nats("tls { cert_file: \"%s\", key_file: \"%s\", ca_file: \"%s\", verify: true }" %
                  (certificates.cert, certificates.key, certificates.cert)) as nats:
            own = {"ca": certificates.cert, "cert": certificates.cert, "key": certificates.key}
            with Talk(nats.url(scheme="tls"), 0, **own) as us:
                us.until("connected")
            with Talk(nats.url(scheme="tls"), 0, ca=certificates.cert) as us:
                us.until("disconnected")
            with Talk(nats.url(scheme="tls"), 0, ca=certificates.key) as us:
                self.assertRegex(us.until("disconnected"), "not a PEM file")

    def test_a_wrong_name_in_the_certificate(self):
        certificates = Certificates()
        self.addCleanup(certificates.remove)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
             "2", "-subj", "/CN=elsewhere", "-addext", "subjectAltName=DNS:elsewhere.example", "-keyout",
             certificates.key, "-out", certificates.cert], check=True, capture_output=True, stdin=subprocess.DEVNULL)
        with Nats('tls { cert_file: "%s", key_file: "%s" }' % (certificates.cert, certificates.key)) as nats:
            for host in ("127.0.0.1", "localhost"):
                with Talk(nats.url(scheme="tls", host=host), 0, ca=certificates.cert) as us:
                    self.assertRegex(us.until("disconnected"), "TLS with .* fails: ")


class Module(unittest.TestCase):
    def test_without_the_module_it_says_where_it_is_to_be_had(self):
        done = subprocess.run([DRIVER, "nats://h", "0"], capture_output=True, text=True, timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL, env=dict(os.environ, PROOFD_MODULE_DIR="/nonexistent"))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "^refused .*libproofd-nats.so, which is not in /nonexistent: .*proofd-cluster")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
