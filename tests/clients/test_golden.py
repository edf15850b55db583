"""Data directories and certificates that earlier versions wrote: every later version opens them, and tests/data/golden
is never written again.

format2 was made by the version before the sources were reordered in November 2026: ten jobs of eight games, most facts
in runs, those of the last job in the log, two searches that their budgets ended, with their tables.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, program  # noqa: E402

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
GOLDEN = os.path.join(DATA, "golden")
GRAPHS = ["--graphs", os.path.join(DATA, "andor")]

# What the directory answers without searching; from published tables and the retrograde oracle of the tests.
ANSWERS = {"connect4:4x4": 0, "mnk:3,3,3": 0, "mnk:4,3,3": 1, "hex:4": 1}


def run(name, *words, code=0):
    done = subprocess.run(
        [program(name), *words], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL
    )
    if done.returncode != code:
        raise AssertionError("%s: exit code %d\n%s%s" % (words, done.returncode, done.stdout, done.stderr))
    return done.stdout


class Golden(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="proofd-golden-")
        self.data = os.path.join(self.dir, "data")
        shutil.copytree(os.path.join(GOLDEN, "format2"), self.data)

    def tearDown(self):
        shutil.rmtree(self.dir)

    def test_it_checks(self):
        out = run("proofctl", "check", self.data, *GRAPHS)
        self.assertTrue(out.startswith("clean"), out)
        for count in ("1,261, with 1,296 reasons", "363 searched again", "10, with 300 solved entries"):
            self.assertIn(count, out)

    def test_it_answers_without_a_search(self):
        for game, value in ANSWERS.items():
            with self.subTest(game):
                lines = run("proofctl", "solve", game, "--data", self.data, "--json").splitlines()
                answer = json.loads(lines[-1])
                self.assertEqual((answer["value"]["lo"], answer["value"]["hi"]), (value, value))
                self.assertEqual(answer["nodes"], {"level1": 0, "level2": 0}, "it was searched again")

    def test_a_search_goes_on_with_its_table(self):
        words = ["solve", "connect4:6x4", "--data", self.data, "--memory", "4M", "--json", "--nodes"]
        before = json.loads(run("proofctl", *words, "1", code=3).splitlines()[-1])
        self.assertEqual(before["nodes"], {"level1": 1305, "level2": 198699}, "its counters were lost")
        self.assertEqual((before["pn"], before["dn"], before["facts"]), (396, 553, 205), "its table was lost")
        after = json.loads(run("proofctl", *words, "300000", code=3).splitlines()[-1])
        self.assertGreater(sum(after["nodes"].values()), 500000)
        self.assertGreater(after["facts"], 205)
        self.assertTrue(run("proofctl", "check", self.data, *GRAPHS).startswith("clean"))

    def test_certificates(self):
        """The last digit of a file's name is its certificate format."""
        names = sorted(name for name in os.listdir(GOLDEN) if ".proof" in name)
        self.assertEqual({name[-1] for name in names}, {"1", "2"})
        for name in names:
            with self.subTest(name):
                answer = json.loads(run("proofcheck", "--json", os.path.join(GOLDEN, name)))
                self.assertEqual((answer["verdict"], answer["format"]), ("verified", int(name[-1])))

    def test_a_forged_header(self):
        """Only format 2 notices a changed line that the proof does not depend on."""
        forged = os.path.join(self.dir, "forged")
        for name, code in (("cycle.proof1", 0), ("cycle.proof2", 1)):
            with self.subTest(name):
                with open(os.path.join(GOLDEN, name), "rb") as file:
                    text = file.read()
                self.assertIn(b"engine: proofd", text)
                with open(forged, "wb") as file:
                    file.write(text.replace(b"engine: proofd", b"engine: qroofd"))
                out = run("proofcheck", forged, code=code)
                self.assertIn("damaged or changed" if code else "VERIFIED", out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
