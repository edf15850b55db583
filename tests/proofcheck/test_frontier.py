"""Certificates with detail `frontier`, as a user makes them: solved with little memory, exported, checked. What an
effort promises the checker's own search keeps, whatever the table of the search that found the leaf had known."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from effort import whole  # noqa: E402
from pyproofd import TIMEOUT, program  # noqa: E402

# Several moves by one side, passes, many values, cycles, knowledge; first those that were refused once.
GAMES = [
    ("dots:5x1", ""), ("dots:3x2", ""), ("hex:4", ""), ("mnk:5,4,4,2,1", "c2"), ("othello:4", ""),
    ("connect4:5x4", ""), ("domineering:5x5", ""), ("nogo:4x3", ""), ("loa:4", "1b2/2ww/4/wb2 w"),
    ("breakthrough:4x5", ""), ("atari-go:4x3", ""), ("nim:3,4,5", ""),
]


class Frontier(unittest.TestCase):
    def run_one(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, timeout=4 * TIMEOUT, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, "%s: %s%s" % (" ".join(words), done.stdout, done.stderr))
        return done.stdout

    def test_what_is_exported_is_verified(self):
        place = tempfile.mkdtemp(prefix="proofd-frontier-")
        self.addCleanup(shutil.rmtree, place, True)
        data, file = os.path.join(place, "data"), os.path.join(place, "certificate")
        for game, position in GAMES if whole() else GAMES[::4]:
            for options in [], ["--memory", "1M", "-O", "table=64", "-O", "cap-last=500"]:
                with self.subTest(game=game, options=options):
                    where = [game] + (["--position", position] if position else [])
                    self.run_one(program("proofctl"), "solve", *where, "--data", data, *options)
                    self.run_one(program("proofctl"), "export", *where, file, "--data", data, "--detail", "frontier")
                    told = json.loads(self.run_one(program("proofcheck"), "--json", file))
                    self.assertEqual(told["verdict"], "verified")
                    self.assertEqual(told["detail"], "frontier")
                shutil.rmtree(data)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
