"""Wins by threats end as certificates that proofcheck verifies: solve --algorithm lambda, export, proofcheck."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from effort import EFFORT  # noqa: E402
from pyproofd import TIMEOUT, program  # noqa: E402

FOURS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "gomoku_fours.tsv")
OTHERS = [
    ("mnk:9,9,6,2,1", "9/9/3xx4/3xo4/3xo4/2oxo4/4o4/9/9", "first-wins"),
    ("mnk:4,4,3", "", "first-wins"),
    ("mnk:9,9,5", "9/9/9/3xx4/4x4/3ooo3/9/9/9 o", "second-wins"),
    ("connect4:7x6", "44553", "first-wins"),
    ("hex:4", "", "first-wins"),
]


class Threats(unittest.TestCase):
    def run_program(self, name, *words):
        done = subprocess.run([program(name), *words], capture_output=True, text=True, timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, (name, words, done.stdout, done.stderr))
        return done.stdout

    def certify(self, game, position, claim, *words):
        """Solves by threats alone and returns the positions of the certificate that export makes with those words."""
        with tempfile.TemporaryDirectory(prefix="threats-") as where:
            data, file = os.path.join(where, "data"), os.path.join(where, "proof")
            question = [game, "--position", position, "--claim", claim, "--data", data]
            out = self.run_program("proofctl", "solve", *question, "--algorithm", "lambda")
            self.assertIn("yes: ", out)
            self.run_program("proofctl", "export", game, file, *question[1:], *words)
            out = self.run_program("proofcheck", file)
            self.assertIn("VERIFIED", out)
            return int(re.search(r"positions +([\d,]+)", out).group(1).replace(",", ""))

    def test_continuous_fours_of_gomoku(self):
        with open(FOURS, encoding="ascii") as rows:
            rows = [row.rstrip("\n").split("\t") for row in rows]
        chosen = sorted(rows, key=lambda row: -int(row[1]))[::len(rows) // max(3, 12 * EFFORT // 100)]
        for rule, fours, position in chosen:
            game = "mnk:15,15,5" + (",exact" if rule == "exact" else "")
            positions = self.certify(game, position, "first-wins", "--cards", "no")
            self.assertGreater(positions, 100 * int(fours))  # every reply to every four
            self.assertLess(self.certify(game, position, "first-wins"), positions)

    def test_other_games(self):
        for question in OTHERS:
            self.certify(*question)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
