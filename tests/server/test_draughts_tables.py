"""Tables of checkers: those of two and three pieces (in a whole run also of four) have the counts of another analysis
(tests/data/checkers/SOURCE.md), its endings come back with their plies, and every position of two pieces, and every one
that can come up on 4x4 from the start, has the value and plies of a plain analysis (tests/games/checkers_naive.py)."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, "support"), os.path.join(TESTS, "games")]
import checkers_naive as naive  # noqa: E402
import effort  # noqa: E402
from pyproofd import TIMEOUT, data_dir, program  # noqa: E402

PIECES = 4 if effort.whole() else 3


def rows(name):
    with open(os.path.join(data_dir(), "checkers", name), encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]


def pieces(text):
    return len(re.findall(r"\d+", text))


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="proofctl-test-")
        cls.data = os.path.join(cls.place.name, "data")
        cls.run_with("solve", "checkers:8", "--position", "B:W31:B14,20,24")
        for men in range(2, PIECES + 1):
            cls.run_with("table", "build", "checkers:8", str(men))
            cls.run_with("table", "build", "checkers:4", str(men))
        cls.run_with("table", "build", "checkers:4", "4")

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    @classmethod
    def run_with(cls, *words, text=""):
        done = subprocess.run(
            [program("proofctl"), *words, "--data", cls.data],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            input=text,
        )
        if done.returncode:
            raise AssertionError("%s: %s" % (" ".join(words), done.stderr))
        return done.stdout

    def plies(self, game, positions):
        """The plies to the end for each position, negative if Second wins; None for draws."""
        out = self.run_with("query", game, "-", "--json", text="".join(one + "\n" for one in positions))
        facts = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(len(facts), len(positions))
        for position, fact in zip(positions, facts):
            self.assertEqual(fact["lo"], fact["hi"], position)
        return [fact["lo"] * fact["rank"] if fact["lo"] else None for fact in facts]

    def compare(self, game, wanted):
        """wanted: {position: plies to the end, odd for a win of the side to move, None for a draw}."""
        positions = list(wanted)
        for position, found in zip(positions, self.plies(game, positions)):
            plies = wanted[position]
            first_wins = plies is not None and (plies % 2 == 1) == (position[0] == "B")
            self.assertEqual(found, plies if first_wins or plies is None else -plies, position)

    def test_counts_are_those_of_another_analysis(self):
        wanted = {}
        for row in rows("material.tsv"):
            men, kings, others, other_kings, *counts = map(int, row)
            sides = sorted([(men + kings, kings), (others + other_kings, other_kings)], reverse=True)
            if sides[0][0] + sides[1][0] > PIECES:
                continue
            name = "v".join("K" * k + "M" * (n - k) for n, k in sides)
            one = wanted.setdefault(name, [0, 0, 0, 0, 0])
            one[:4] = [a + b for a, b in zip(one, counts[:4])]
            one[4] = max(one[4], counts[4])
        found = {}
        listed = self.run_with("table", "list").replace(",", "")
        for name, *counts in re.findall(
            r"(\S+) of checkers:8\n +positions (\d+): (\d+) won (\d+) lost (\d+) drawn.*\n +longest +(\d+) plies",
            listed,
        ):
            found[name] = list(map(int, counts))
        self.assertEqual(found, wanted)
        self.assertIn("MMvMM" if PIECES == 4 else "MMvM", found)

    def test_endings_come_back_with_their_plies(self):
        known = [row for row in rows("endings.tsv") if pieces(row[0]) <= PIECES]
        wanted = {position: None if value == "D" else int(plies) for position, value, plies in known}
        self.assertGreater(len(wanted), 300 if PIECES == 4 else 20)
        self.compare("checkers:8", wanted)

    def test_two_pieces_are_as_a_plain_analysis_finds_them(self):
        squares = [naive.square_of(8, number) for number in range(1, 33)]
        positions = [
            ("B", {a: black, b: white})
            for a in squares
            for b in squares
            for black in "bB"
            for white in "wW"
            if a != b and naive.crowned(8, black, a[0]) == black and naive.crowned(8, white, b[0]) == white
        ]
        self.assertEqual(len(positions), 3488)
        plies, known = naive.solve(8, positions)
        self.compare("checkers:8", {text: plies.get(text) for text in known if known[text]})

    def test_the_small_board_is_as_a_plain_analysis_finds_it(self):
        plies, known = naive.solve(4, [naive.start(4)])
        self.assertEqual((len(known), plies.get(naive.write(4, naive.start(4)))), (2409, None))
        self.compare("checkers:4", {text: plies.get(text) for text in known if known[text]})

    def test_tables_verify(self):
        for men in range(2, PIECES + 1):
            self.run_with("table", "verify", "checkers:8", str(men))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
