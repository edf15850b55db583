"""proofctl guess, its place in solve, and query --explain."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, program  # noqa: E402


def proofctl(*words, code=0):
    done = subprocess.run([program("proofctl"), *words], capture_output=True, text=True, timeout=TIMEOUT,
                          stdin=subprocess.DEVNULL)
    if done.returncode != code:
        raise AssertionError("%s: %d\n%s" % (words, done.returncode, done.stderr))
    return done


class Guess(unittest.TestCase):
    def guess(self, *words):
        return json.loads(proofctl("guess", *words, "--json").stdout)

    def test_a_short_search_that_answers_is_the_reason(self):
        guess = self.guess("mnk:3,3,3", "--claim", "second-wins")
        self.assertEqual((guess["guess"], guess["threads"]), ("seconds", 1))
        self.assertRegex(guess["why"], r"^a search of \d+ nodes answers it$")
        self.assertLess(guess["nodes"], 10000)
        text = proofctl("guess", "mnk:3,3,3").stdout
        self.assertRegex(text, r"\A  guess     seconds\n  why       a search of \d+ nodes answers it\n\Z")

    def test_hard_openings_are_not_called_easy(self):
        # On a machine that is very slow, or busy, it cannot tell.
        for game in ("othello:8", "connect4:10x10"):
            guess = self.guess(game)
            self.assertIn(guess["guess"], ("hours", "days", "unknown"), guess)
            self.assertGreaterEqual(guess["memory"], 256 << 20)

    def test_it_says_when_it_cannot_tell(self):
        guess = self.guess("antichess")
        self.assertEqual(guess["guess"], "unknown")
        self.assertFalse({"nodes", "seconds"} & set(guess))
        self.assertRegex(proofctl("guess", "antichess").stdout, r"\A  guess     cannot tell\n  why       .*\n  try  ")

    def test_refusals_are_those_of_solve(self):
        for words, message in ((("none:3",), "GAME"), (("mnk:3,3,3", "--claim", "x"), "claim")):
            done = proofctl("guess", *words, code=2)
            self.assertIn(message.lower(), done.stderr.lower())

    def test_solve_tells_it_once_a_search_takes_long(self):
        with tempfile.TemporaryDirectory(prefix="proofctl-test-") as place:
            words = ["timeout", "-s", "INT", "20", program("proofctl"), "solve", "othello:8", "--data", place + "/d"]
            done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
            self.assertIn("\n  why       ", "\n" + done.stderr)
            self.assertIn("  guess     ", done.stderr)
            self.assertEqual(done.stdout, "")
            # A budget ends the search by itself.
            done = proofctl("solve", "othello:8", "--seconds", "4", code=3)
            self.assertNotIn("guess", done.stderr)


class Explain(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="proofctl-test-")
        self.addCleanup(place.cleanup)
        self.data = os.path.join(place.name, "data")

    def explain(self, *words):
        return proofctl("query", *words, "--data", self.data, "--explain").stdout

    def test_the_chain_ends_with_the_game_a_search_or_a_theorem(self):
        proofctl("solve", "nim:3,4", "--data", self.data, "--detail", "full")
        text = " ".join(self.explain("nim:3,4").split())
        self.assertIn("why first wins within", text)
        self.assertIn("First plays ", text)
        self.assertIn("Second can do no better, move by move: ", text)
        self.assertRegex(text, r"The game is over\.$|T\d+, [^:]+: .*\.$|proof-tree` shows the rest$")
        proofctl("solve", "connect4:4x4", "--data", self.data)
        text = " ".join(self.explain("connect4:4x4").split())
        self.assertIn("why draw within 16 plies.", text)
        self.assertRegex(text, r"found this; it was not kept, and `proofctl check` repeats it\.$|shows the rest$|\.$")

    def test_what_is_not_proved_and_what_it_does_not_take(self):
        proofctl("solve", "mnk:3,3,3", "--data", self.data)
        self.assertIn("  why       nothing is proved here yet\n", self.explain("hex:5"))
        for words in (("mnk:3,3,3", "a1", "b2"), ("mnk:3,3,3", "--json")):
            done = proofctl("query", *words, "--data", self.data, "--explain", code=2)
            self.assertIn("--explain needs a single position", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
