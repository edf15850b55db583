"""proofctl compress: small certificates that proofcheck accepts, from proofs of the search; it resumes after it was
interrupted or killed; what it cannot do is an error with a reason."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, program  # noqa: E402

QUESTIONS = [  # game, claim, positions that the small proof has at most
    ("connect4:4x4", "second-draws", 3),
    ("connect4:5x4", "second-draws", 40),
    ("connect4:6x4", "second-wins", 200),
    ("mnk:4,4,4", "second-draws", 1),
    ("hex:3", "first-wins", 3),
    ("hex:4", "first-wins", 60),
    ("domineering:4x4", "value", 60),
    ("breakthrough:4x4", "value", 200),
]


def run(name, *words):
    return subprocess.run([program(name), *words], capture_output=True, text=True, timeout=TIMEOUT * 10,
                          stdin=subprocess.DEVNULL)


class Compress(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory(prefix="proofd-test-")
        self.addCleanup(self.dir.cleanup)

    def path(self, name):
        return os.path.join(self.dir.name, name)

    def make(self, game, claim):
        """Solves a question and exports its certificate."""
        data, big = self.path("data"), self.path("big")
        for words in (["solve", game, "--claim", claim, "--data", data],
                      ["export", game, big, "--claim", claim, "--data", data]):
            done = run("proofctl", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
        return big

    def compress(self, big, *words):
        done = run("proofctl", "compress", big, self.path("small"), "--memory", "4M", "--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_small_certificates_are_verified(self):
        for game, claim, most in QUESTIONS:
            with self.subTest(game), tempfile.TemporaryDirectory(dir=self.dir.name) as one:
                self.dir, kept = type("Directory", (), {"name": one}), self.dir
                try:
                    big = self.make(game, claim)
                    was = json.loads(run("proofcheck", "--json", big).stdout)
                    done = self.compress(big)
                    now = json.loads(run("proofcheck", "--json", self.path("small")).stdout)
                finally:
                    self.dir = kept
                self.assertEqual(now["verdict"], "verified", now)
                for member in ("game", "claim", "status", "outcome"):
                    self.assertEqual(now.get(member), was.get(member))
                self.assertLessEqual(now["positions"], most)
                self.assertEqual(now["positions"], done["positions"])
                self.assertEqual(now["cards"], done["cards"])

    def test_a_killed_compression_goes_on(self):
        big = self.make("connect4:6x4", "second-wins")
        words = [program("proofctl"), "compress", big, self.path("small"), "--positions", "60", "--threads", "2"]
        for sign in (signal.SIGINT, signal.SIGKILL, signal.SIGTERM):
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE)
            time.sleep(0.4)
            process.send_signal(sign)
            process.communicate(timeout=TIMEOUT)
            self.assertIn(process.returncode, (0, 128 + sign, -sign))
        self.compress(big, "--positions", "60")
        checked = json.loads(run("proofcheck", "--json", self.path("small")).stdout)
        self.assertEqual(checked["verdict"], "verified", checked)
        self.assertEqual(sorted(name for name in os.listdir(self.dir.name) if "state" in name), [])

    def test_a_budget_ends_first(self):
        big = self.make("connect4:6x4", "second-wins")
        done = run("proofctl", "compress", big, self.path("small"), "--positions", "20", "--seconds", "0.001")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertFalse(os.path.exists(self.path("small")))
        self.assertIn("goes on", done.stderr)

    def test_packed_is_what_proofcheck_packs(self):
        big, pair = self.make("hex:4", "first-wins"), (self.path("small"), self.path("packed"))
        self.compress(big, "--threads", "1")
        self.assertEqual(run("proofcheck", "--pack", *pair).returncode, 0)
        plain, packed = (open(path, "rb").read() for path in pair)
        done = self.compress(big, "--threads", "1", "--pack")  # replaces the file
        with open(self.path("small"), "rb") as file:
            self.assertEqual(file.read(), packed)
        self.assertEqual(done["bytes"], len(packed))
        self.assertLess(len(packed), len(plain) // 2)
        self.assertEqual(sorted(os.listdir(self.dir.name)), ["big", "data", "packed", "small"])

    def test_export_small(self):
        data = ["--data", self.path("data"), "--claim", "first-wins"]
        self.make("hex:4", "first-wins")
        for more, most in (["--small"], 2000), (["--small", "--pack"], 600), (["--zones"], 600), \
                (["--small", "--zones", "--pack"], 400):
            done = run("proofctl", "export", "hex:4", self.path("small"), "--json", *data, *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            made = json.loads(done.stdout)
            with open(self.path("small"), "rb") as file:
                whole = file.read()
            self.assertEqual((made["bytes"], made["sha256"]), (len(whole), hashlib.sha256(whole).hexdigest()))
            self.assertLess(made["bytes"], most)
            checked = json.loads(run("proofcheck", "--json", self.path("small")).stdout)
            self.assertEqual((checked["verdict"], checked["positions"]), ("verified", made["positions"]))
            self.assertEqual(sorted(os.listdir(self.dir.name)), ["big", "data", "small"])
        for words in (["-", "--small"], [self.path("x"), "--pack"], [self.path("x"), "--small", "--compress"],
                      ["-", "--zones"], [self.path("x"), "--zones", "--web", self.path("web")]):
            done = run("proofctl", "export", "hex:4", *words, *data)
            self.assertEqual(done.returncode, 2, done.stdout)

    def test_a_certificate_with_zones_is_compressed(self):
        big = self.make("hex:4", "first-wins")
        self.assertEqual(run("proofcheck", "--zones", big, self.path("zones")).returncode, 0)
        self.assertIn(",c103:", run("proofcheck", "--text", self.path("zones")).stdout)
        self.compress(self.path("zones"), "--threads", "1")
        self.assertNotIn(",c103:", run("proofcheck", "--text", self.path("small")).stdout)
        self.assertEqual(run("proofcheck", self.path("small")).returncode, 0)

    def test_what_cannot_be_compressed_is_refused(self):
        big = self.make("nim:1,2", "value")
        done = run("proofctl", "compress", big, self.path("small"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, "nim:1,2 has no strategies")
        with open(big, "w") as file:
            file.write("nothing")
        done = run("proofctl", "compress", big, self.path("small"))
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "not a certificate")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
