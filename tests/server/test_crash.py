"""A job whose server is killed five times at random moments resumes by itself, and its answer and every proof are right
(D2).

The short form of `./dev crash`, with a search group of two workers. The slower the build, the smaller the job."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
from crash import Crash, build_has, build_is_slow, pick_seed  # noqa: E402


class KilledJobs(unittest.TestCase):
    def test_five_kills(self):
        if build_has("fsanitize=thread"):
            game = "connect4:5x4"
        elif build_is_slow():
            game = "connect4:5x5"
        else:
            game = "connect4:6x5"
        run = Crash(game, "draw", 5, pick_seed(), 0.2, lambda text: print(text, flush=True), threads=2)
        _, wall, _ = run.unkilled()
        run.killed(wall)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
