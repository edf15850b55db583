"""An export that takes long: its progress, its end by Ctrl-C, on the server as well, and two who want the same."""

import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, RpcError, Server, program  # noqa: E402

GAME, CLAIM = "connect4:5x6", "second-draws"  # 265,000 positions by the rules alone
QUESTION = dict(game=GAME, claim=CLAIM, cards=False)
WORDS = ["--claim", CLAIM, "--cards", "no"]


class Terminal:
    """proofctl with its messages on a terminal."""

    def __init__(self, *words):
        self.primary, secondary = pty.openpty()
        env = dict(os.environ, TERM="xterm")
        env.pop("PROOFD_SERVER", None)
        self.process = subprocess.Popen([program("proofctl"), *words], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=secondary, env=env)
        os.close(secondary)
        self.text = ""

    def read(self):
        if not select.select([self.primary], [], [], TIMEOUT)[0]:
            raise AssertionError("nothing more is said after %r" % self.text)
        try:
            more = os.read(self.primary, 4096)
        except OSError:
            more = b""
        self.text += more.decode()
        return bool(more)

    def await_text(self, pattern):
        while not re.search(pattern, self.text):
            if not self.read():
                raise AssertionError("%r is not in %r" % (pattern, self.text))

    def end(self):
        while self.read():
            pass
        os.close(self.primary)
        self.process.stdout.close()
        return self.process.wait(TIMEOUT)


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--threads", "2")
        cls.server.wait_job(cls.server.rpc("job.submit", game=GAME, claim="first-wins", memory="256M")["job"])
        cls.at = ["--socket", cls.server.socket_path]
        cls.dir = tempfile.TemporaryDirectory(prefix="export-")
        cls.file = os.path.join(cls.dir.name, "proof")

    @classmethod
    def tearDownClass(cls):
        cls.server.terminate()
        cls.dir.cleanup()

    def tearDown(self):
        for proof in self.server.rpc("proof.list")["proofs"]:
            self.server.admin("proof.remove", proof=proof["proof"])

    def making(self, wanted=True):
        """Waits until a certificate is being made, with positions; or until none is."""
        while True:
            making = self.server.rpc("proof.list")["making"]
            if (making and making[0]["positions"] > 0) if wanted else not making:
                return

    def nothing_is_left(self):
        self.making(False)
        self.assertEqual(self.server.rpc("proof.list")["proofs"], [])
        kept = os.path.join(self.server.data, "proofs")
        self.assertEqual(os.listdir(kept) if os.path.exists(kept) else [], [])
        self.assertEqual(os.listdir(self.dir.name), [])

    def test_ctrl_c_ends_it_on_the_server(self):
        export = Terminal("export", GAME, self.file, *WORDS, *self.at)
        self.making()
        export.process.send_signal(signal.SIGINT)
        self.assertEqual(export.end(), 128 + signal.SIGINT, export.text)
        self.nothing_is_left()

    def test_progress(self):
        words = ["export", GAME, self.file, *WORDS]
        self.server.terminate()
        export = Terminal(*words, "--data", self.server.data)
        export.await_text(r"\d,\d{3} positions, [\d.]+ ?[kM]? a second, ")
        export.process.send_signal(signal.SIGINT)
        self.assertEqual(export.end(), 128 + signal.SIGINT, export.text)
        self.server.start()
        self.nothing_is_left()
        # Through a server: held up behind another one, so that it lasts.
        other = self.server.connect()
        first = other.ask("proof.export", **QUESTION, detail="full", compress=True)
        self.making()
        export = Terminal(*words, *self.at)
        self.assertEqual(export.end(), 0, export.text)
        self.assertEqual(other.reply(first)["status"], "proved")
        other.close()
        self.assertRegex(export.text, r"[\d,]+ positions, [\d.]+ ?[kM]? a second")
        self.assertEqual(subprocess.run([program("proofcheck"), "--quiet", self.file], check=False).returncode, 0)
        os.unlink(self.file)

    def test_two_do_not_write_one_file(self):
        def export(*source):
            words = ["proofctl", "export", GAME, self.file, "--claim", "first-wins", *source]
            return subprocess.run([program(words[0]), *words[1:]], capture_output=True, text=True, check=False)
        with open(self.file + ".part", "wb") as other:
            other.write(b"another's")
            fcntl.flock(other, fcntl.LOCK_EX)
            refused = export(*self.at)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("another process is writing " + self.file + ".part", refused.stderr)
        with open(self.file + ".part", "rb") as kept:
            self.assertEqual(kept.read(), b"another's")
        self.assertEqual(export(*self.at).returncode, 0)  # nobody holds the lock any more
        self.assertEqual(os.listdir(self.dir.name), ["proof"])
        self.assertEqual(subprocess.run([program("proofcheck"), "--quiet", self.file], check=False).returncode, 0)
        os.unlink(self.file)

    def test_another_who_waits_keeps_it_going(self):
        with self.server.connect() as one, self.server.connect() as two:
            first = one.ask("proof.export", **QUESTION)
            self.making()
            second = two.ask("proof.export", **QUESTION)
            while not self.server.rpc("proof.list")["waiting"]:
                pass
            before = self.server.rpc("proof.list")["making"]
            self.assertEqual(one.rpc("proof.cancel"), {"cancelled": 1})
            done = two.reply(second)
            self.assertEqual(done["status"], "proved")
            self.assertEqual(one.reply(first)["proof"], done["proof"], "it was made once")
            self.assertEqual(len(before), 1)

    def test_cancelled_while_it_waits(self):
        with self.server.connect() as one, self.server.connect() as two:
            first = one.ask("proof.export", **QUESTION)
            self.making()
            second = two.ask("proof.export", **QUESTION, compress=True)
            while not self.server.rpc("proof.list")["waiting"]:
                pass
            self.assertEqual(two.rpc("proof.cancel"), {"cancelled": 1})
            self.assertEqual(one.rpc("proof.cancel"), {"cancelled": 1})
            for client, call in ((one, first), (two, second)):
                with self.assertRaises(RpcError) as refused:
                    client.reply(call)
                self.assertIn(refused.exception.slug, ("shutting-down", "wrong-state"))
        self.nothing_is_left()

    def test_too_much_to_play_out_is_refused(self):
        game = "mnk:6,6,6"  # a draw by theorems, in a few nodes
        self.server.wait_job(self.server.rpc("job.submit", game=game)["job"])
        said = set()
        for detail in "full", "frontier":
            with self.server.connect() as client:
                call = client.ask("proof.export", game=game, detail=detail, cards=False)
                # The server answers meanwhile.
                self.assertTrue(self.server.rpc("fact.query", game=game))
                with self.assertRaises(RpcError) as refused:
                    client.reply(call)
            self.assertEqual((refused.exception.slug, refused.exception.field), ("limit", "position"))
            said.add(refused.exception.message)
        self.nothing_is_left()
        self.server.terminate()
        ended = subprocess.run([program("proofctl"), "export", game, self.file, "--data", self.server.data,
                                "--cards", "no"],
                               check=False, capture_output=True, text=True, timeout=TIMEOUT)
        self.server.start()
        self.nothing_is_left()
        self.assertNotEqual(ended.returncode, 0)
        # With cards it is small.
        made = self.server.rpc("proof.export", game=game)
        self.assertEqual((made["status"], made["cards"] > 0, made["positions"] < 10000), ("solved", True, True))
        for text in said | {ended.stderr}:
            self.assertRegex(text, r"an estimated (\d+ million|10\^\d+) positions; at most 50 million, .*"
                                   r"with the option knowledge=no, in another data directory")

    def test_theorems_are_played_out(self):
        game = "mnk:4,4,4"
        self.server.wait_job(self.server.rpc("job.submit", game=game)["job"])
        for detail in "full", "frontier":
            made = self.server.rpc("proof.export", game=game, detail=detail, cards=False)
            self.assertEqual((made["status"], made["leaves"] > 0), ("solved", detail == "frontier"))
            self.assertEqual(subprocess.run([program("proofcheck"), "--quiet", made["file"]],
                                            stdout=subprocess.DEVNULL, check=False).returncode, 0)

    def test_cancelled_while_it_is_played_out(self):
        game = "mnk:5,5,5"  # six million positions
        self.server.wait_job(self.server.rpc("job.submit", game=game)["job"])
        with self.server.connect() as client:
            call = client.ask("proof.export", game=game, cards=False)
            self.making()
            self.assertEqual(client.rpc("proof.cancel"), {"cancelled": 1})
            with self.assertRaises(RpcError) as refused:
                client.reply(call)
            self.assertIn(refused.exception.slug, ("shutting-down", "wrong-state"))
        self.nothing_is_left()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
