"""proofctl play: a conversation by script, as a person has it at a terminal."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, program  # noqa: E402

SMALL = ["--memory", "4M"]


def play(*words, says=(), code=0):
    """stdout of the game in which the person says these lines."""
    done = subprocess.run(
        [program("proofctl"), "play", *words],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        input="".join(line + "\n" for line in says),
        env={k: v for k, v in os.environ.items() if k != "PROOFD_SERVER"},
    )
    if done.returncode != code:
        raise AssertionError("%s: %d\n%s%s" % (words, done.returncode, done.stdout, done.stderr))
    return done.stdout if code == 0 else done.stderr


class Play(unittest.TestCase):
    def test_a_directory_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as place:
            missing = os.path.join(place, "typo")
            self.assertIn("No such file", play("hex:3", "--data", missing, says=["quit"], code=2))
            self.assertFalse(os.path.exists(missing))

    def test_the_losing_side_loses(self):
        """First wins hex:3; Second says nothing but legal moves, whatever they are."""
        out = play("hex:3", *SMALL, "--json")
        events = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(events[0]["event"], "sides")
        self.assertIn("you are Second", events[0]["text"])
        moves = []
        for _ in range(9):
            events = [json.loads(line) for line in play("hex:3", *SMALL, "--json", says=moves).splitlines()]
            last = events[-1]
            self.assertEqual((last["event"], last["you"]), ("position", "second"))
            self.assertTrue(all(event["proved"] for event in events if event["event"] == "move"))
            if last["over"]:
                break
            moves.append(last["moves"][-1])
        self.assertTrue(last["over"])
        self.assertEqual(last["text"], "first wins")

    def test_words(self):
        out = play("hex:3", *SMALL, says=["help", "a9", "hint", "undo", "moves", "board", "", "quit", "never read"])
        self.assertIn("first wins: you are Second", out)
        self.assertRegex(out, r"I play \w+: first wins within \d+ plies")
        self.assertIn("takes your last move back", out)
        self.assertIn("a9", out)
        self.assertRegex(out, r"every move loses; \w\d takes longest: \d plies at most")
        self.assertIn("you have no move to take back", out)
        self.assertNotIn("never", out)

    def test_undo(self):
        says = ["a1", "undo", "a3", "quit"]
        out = play("hex:3", *SMALL, "--json", says=says)
        positions = [json.loads(line) for line in out.splitlines()]
        positions = [one for one in positions if one["event"] == "position"]
        yours = [one["position"] for one in positions if "a1" in one["moves"] or one is positions[-1]]
        self.assertIn("a1", positions[1]["moves"])
        self.assertEqual(yours.count(positions[1]["position"]), 2)
        # After the end of the game, too.
        out = play("mnk:3,3,3", "b2 a1 a2 c2 c3", *SMALL, says=["undo", "a3", "c1", "undo", "quit"])
        self.assertIn("you have no move", out)

    def test_a_draw_and_a_game_that_is_over(self):
        self.assertIn("draw: you are First, who is to move", play("mnk:3,3,3", *SMALL, says=["b2"]))
        self.assertIn("the game is over", play("mnk:3,3,3", "a1 b1 a2 b2 a3", *SMALL))

    def test_who_wins_is_not_known(self):
        err = play("connect4:7x6", *SMALL, "--nodes", "1000", code=3)
        self.assertIn("the winner is not known", err)
        self.assertEqual(play("hexen:3", code=2).count("\n"), 1)

    def test_it_plays_from_a_proof(self):
        with tempfile.TemporaryDirectory(prefix="proofctl-test-") as place:
            data = ["--data", os.path.join(place, "data")]
            subprocess.run(
                [program("proofctl"), "solve", "hex:3", "--detail", "full", *data, *SMALL],
                capture_output=True,
                check=True,
                timeout=TIMEOUT,
            )
            self.assertRegex(play("hex:3", *data, says=["quit"]), r"plies; in the proof")
            with Server("--threads", "0", "--log", "warn", data=data[1]) as server:
                out = play("hex:3", "--server", server.ready["listen"], says=["hint"])
                self.assertRegex(out, r"plies; in the proof")
                self.assertTrue(re.search(r"every move loses", out), out)

    def test_moves_in_the_notation_of_players(self):
        moves = "e4 e5 Bc4 Nc6 Qh5 Nf6"
        out = play("chess-mate", "--moves", moves, "--notation", "san", *SMALL, says=["undo"])
        self.assertRegex(out, r"I play Qxf7#: .* within 1 ply")
        self.assertIn("the game is over", out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
