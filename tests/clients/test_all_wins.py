"""proofctl solve --all-wins: all first moves that keep the answer, by game, and those that a budget leaves open."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from test_proofctl import SMALL, run, run_json  # noqa: E402


class AllWins(unittest.TestCase):
    def test_all_first_moves_that_keep_the_answer(self):
        cases = (
            ("mnk:3,3,3", ["--moves", "a1 b1"], {"b2": 5, "a2": 5, "a3": 5}),
            ("mnk:3,3,3", ["--moves", "a1"], {"b2": 8}),  # draws
            ("mnk:3,3,3", ["--moves", "a1 b1", "--claim", "first-wins"], {"b2": 5, "a2": 5, "a3": 5}),
            ("nim:3,4", [], {"b3": 7}),
            ("nim:3,3", [], {}),
            ("hex:3", [], {"b2": 5, "c1": 9, "a2": 9, "c2": 9, "a3": 9}),
            ("antichess", ["--position", "8/8/8/4b3/8/8/8/3K4 w - -"], {"d1e1": None, "d1e2": None}),
        )
        for game, more, wins in cases:
            with self.subTest(game=game, more=more):
                answer, all_wins = run_json("solve", game, *more, "--all-wins", *SMALL)
                found = {win["move"]: win.get("plies") for win in all_wins["wins"]}
                self.assertEqual(all_wins["open"], [])
                self.assertEqual(found, wins)
                self.assertIn(answer["move"], wins or [answer["move"]])
        code, out, _ = run("solve", "nim:3,4", "--all-wins", *SMALL)
        self.assertEqual((code, out.splitlines()[-1]), (0, "  wins      b3 (7 plies)"))
        code, out, _ = run("solve", "nim:3,3", "--all-wins", *SMALL)
        self.assertEqual((code, out.splitlines()[-1]), (0, "  wins      none"))
        # a move that needs more than the budget of the first search is open
        mate = ["chess-mate", "--position", "4k3/8/4K3/8/8/8/8/7R w - -", "--nodes", "1000"]
        lines = run_json("solve", *mate, "--all-wins", *SMALL, code=3)
        self.assertTrue(len(lines) == 2 and lines[1]["open"], lines)
        self.assertEqual(lines[1]["wins"][0], {"move": "h1h8", "plies": 1})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
