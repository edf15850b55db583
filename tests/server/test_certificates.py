"""A certificate of every built-in game, from the search to proofcheck: the rows `proof` of tests/data/games."""

import glob
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import Server, data_dir, program  # noqa: E402


LARGE = 2000  # positions from which on a certificate is not made again with all of them: theorems would be played out
SHOW = "--show" in sys.argv  # game, position, claim, and the positions of both certificates


def questions():
    """As (game, position, claim), by the game's name. What is `slow` there is so for the tests' own oracle only."""
    out = {}
    for path in glob.glob(data_dir("games", "*.tsv")):
        with open(path, encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
        name = os.path.basename(path)[:-len(".tsv")]
        out[name] = [tuple(row[1:4]) for row in rows if row[0] == "proof"]
    return out


class Certificates(unittest.TestCase):
    def check(self, server, question, detail, **more):
        game, position, claim = question
        made = server.rpc("proof.export", game=game, position=position, claim=claim, detail=detail, **more)
        done = subprocess.run([program("proofcheck"), "--json", made["file"]], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, (question, detail, done.stdout))
        self.assertEqual(json.loads(done.stdout)["game"], game)
        with open(made["file"], "rb") as file:
            self.assertEqual(file.readline(), b"proofd certificate %d\n" % (4 if more.get("cards", True) else 2))
        return made["positions"]

    def test_every_game(self):
        known, smaller = questions(), {}
        with Server("--threads", "1", "--graphs", data_dir("andor"), "--log", "warn") as server:
            for name in [game["name"] for game in server.rpc("game.list")["games"]]:
                self.assertTrue(known.get(name), "tests/data/games/%s.tsv has no row `proof`" % name)
                for game, position, claim in known[name]:
                    with self.subTest(game=game, position=position, claim=claim):
                        job = server.rpc("job.submit", game=game, position=position, claim=claim, memory="16M",
                                         detail="full")["job"]
                        self.assertEqual(server.wait_job(job)["state"], "solved")
                        question = (game, position, claim)
                        self.check(server, question, "frontier")
                        fewer, all_of_them = self.check(server, question, "full"), 0
                        if fewer < LARGE:
                            all_of_them = self.check(server, question, "full", cards=False)
                            self.assertLessEqual(fewer, all_of_them)
                        smaller[name] = smaller.get(name, False) or fewer < all_of_them
                        if SHOW:
                            print(game, position, claim, all_of_them, fewer, sep="\t")
        for name in ("nim", "dots", "othello", "atari-go", "nogo", "loa", "chess-mate", "andor"):
            self.assertTrue(smaller[name], "in %s no certificate is smaller for wins at once" % name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
