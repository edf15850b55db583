"""proofctl submit of many: ranges of games, each move, lines of a file, books in PGN and SGF; proofctl campaign."""

import csv
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, program  # noqa: E402

SGF = "(;GM[11]SZ[4]C[Mine.];B[b2](;W[c2];B[a1])(;W[b3];B[c2];W[d4]))"
PGN = """[Event "First"]

1. e3 c6 (1... b6 2. Ba6) 2. Qh5 {Why not.} Qb6 *

[Event "Second"]

1. e3 b6 2. Ba6 (2. Nc3 Nf6) *
"""


class Submit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--threads", "1", "--memory", "64M")
        cls.addClassCleanup(cls.server.__exit__, None)

    def proofctl(self, *words, text="", code=0):
        done = subprocess.run([program("proofctl"), *words, "--socket", self.server.socket_path], input=text,
                              capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if not code else done.stderr

    def submit(self, *words, **more):
        return self.proofctl("submit", *words, "--memory", "4M", "--nodes", "1000", **more)

    def rows(self, tag):
        return list(csv.DictReader(self.proofctl("campaign", tag, "--csv").splitlines()))

    def labels(self, tag):
        return [row["label"] for row in self.rows(tag)][::-1]

    def test_a_range_is_a_job_for_each_game(self):
        numbers = self.submit("connect4:{4..5}x{9..10}", "mnk:3,3,3", "--tag", "sizes").split()
        self.assertEqual([row["game"] for row in self.rows("sizes")][::-1],
                         ["connect4:4x9", "connect4:4x10", "connect4:5x9", "connect4:5x10", "mnk:3,3,3"])
        self.assertEqual(self.submit("connect4:{4..5}x{9..10}", "mnk:3,3,3", "--tag", "sizes").split(), numbers)
        moves = self.submit("mnk:{3..4},3,3", "--each-move", "--tag", "moves").split()
        self.assertGreater(len(moves), 3)
        self.assertEqual(self.submit("mnk:{3..4},3,3", "--each-move", "--tag", "moves").split(), moves)

    def test_a_bad_range_submits_nothing(self):
        jobs = self.server.rpc("server.stats")["jobs"]
        for name, message in (("connect4:{5..4}x4", "smaller one first"), ("connect4:{4}x4", "write {FROM..TO}"),
                              ("connect4:{-1..4}x4", "write {FROM..TO}"), ("connect4:{4..5", "write {FROM..TO}"),
                              ("connect4:{4..99999}x4", "write {FROM..TO}"), ("nim:{1..40},{1..40}", "1000 games"),
                              ("connect4:{4..99}x4", "connect4"), ("none:{1..2}", "there is no game 'none'")):
            self.assertIn(message, self.submit(name, code=2), name)
        self.assertIn("--key", self.submit("connect4:{4..5}x4", "--key", "k", code=2))
        self.assertIn("one game", self.submit("connect4:{4..5}x4", "--file", "-", code=2))
        self.assertEqual(self.server.rpc("server.stats")["jobs"], jobs)

    def test_each_position_of_a_tree_is_a_job(self):
        with tempfile.NamedTemporaryFile("w", suffix=".sgf") as file:
            file.write(SGF)
            file.flush()
            out = self.submit("hex:4", "--file", file.name, "--tag", "sgf")
            self.assertEqual(out, "6 submitted, 6 of them new\n")
            self.assertEqual(self.submit("hex:4", "--file", file.name, "--tag", "sgf"), "6 submitted, 0 of them new\n")
        self.assertEqual(self.labels("sgf"), ["b2", "b2 c2", "b2 c2 a1", "b2 b3", "b2 b3 c2", "b2 b3 c2 d4"])
        rows = self.rows("sgf")[::-1]
        shown = self.server.rpc("position.show", game="hex:4", moves=["b2", "b3", "c2", "d4"])
        self.assertEqual(rows[5]["position"], shown["position"])

    def test_positions_of_a_book_are_submitted_once_and_to_a_depth(self):
        self.assertEqual(self.submit("antichess", "--file", "-", "--tag", "pgn", text=PGN),
                         "8 submitted, 8 of them new\n")
        self.assertEqual(len({row["position"] for row in self.rows("pgn")}), 8)
        self.submit("antichess", "--file", "-", "--tag", "short", "--depth", "2", text=PGN)
        self.assertEqual(self.labels("short"), ["e2e3", "e2e3 c7c6", "e2e3 b7b6"])
        # Mirror images and games that are over are left out.
        self.submit("mnk:3,3,3", "--file", "-", "--tag", "mirror", text="(;B[a1])(;B[c1])(;B[b2])")
        self.assertEqual(self.labels("mirror"), ["a1", "b2"])
        self.submit("mnk:3,3,3", "--file", "-", "--tag", "over", text="(;B[a1];W[a2];B[b1];W[b2];B[c1])")
        self.assertEqual(len(self.rows("over")), 4)
        self.submit("mnk:6,6,6", "--file", "-", "--tag", "long",
                    text="(;%s)" % ";".join("BW"[i % 2] + "[%s%d]" % ("abcdef"[i // 6], i % 6 + 1) for i in range(25)))
        self.assertEqual(self.labels("long")[-1], "... " + " ".join(
            "abcdef"[i // 6] + str(i % 6 + 1) for i in range(5, 25)))

    def test_a_bad_book_names_game_line_and_column(self):
        for game, text, message in (("hex:4", SGF.replace("c2];W", "z9];W"), "game 1: move 5: 'z9'"),
                                    ("hex:4", SGF[:-2], "game 1: "), ("antichess", PGN + "\n[Event \"x\"]\n\n1. e9 *\n",
                                                                      "line 11, column 4"),
                                    ("hex:4", PGN, "begins no move"), ("nothing:4", SGF, "there is no game")):
            err = self.submit(game, "--file", "-", text=text, code=2)
            self.assertIn(message, err)
        self.assertIn("--depth", self.submit("hex:4", "--depth", "2", code=2))
        self.assertIn("--depth", self.submit("hex:4", "--depth", "2", "--file", "-", text="b2\n", code=2))
        self.assertIn("--moves", self.submit("hex:4", "--moves", "b2", "--file", "-", text=SGF, code=2))

    def test_lines_are_positions_or_objects(self):
        text = '# mine\n\n1\n{"moves": "1 2", "label": "second", "priority": 3}\n'
        self.assertEqual(self.submit("connect4:4x4", "--file", "-", "--tag", "lines", text=text),
                         "2 submitted, 2 of them new\n")
        self.assertEqual(self.labels("lines"), ["1", "second"])
        for line, message in (("{", "line 2"), ('{"claim": "all"}', "line 2"), ("99", "line 2")):
            self.assertIn(message, self.submit("connect4:4x4", "--file", "-", text="1\n%s\n" % line, code=2))

    def test_labels_are_fields_of_csv(self):
        labels = ["sch\u00f6n, \u201cneu\u201d", 'a "b", c', "=HYPERLINK(1)", "\u00e9" * 64, '"']
        self.server.rpc("campaign.submit", game="mnk:3,3,3", memory=1 << 22, tags=["csv"],
                        questions=[{"label": label} for label in labels])
        self.assertEqual(self.labels("csv"), ["'" * label.startswith("=") + label for label in labels])

    def test_a_campaign_is_waited_for_and_changed(self):
        self.submit("mnk:{3..4},3,3", "--tag", "wait")
        self.assertIn("wait: ", self.proofctl("campaign", "wait", "wait"))
        self.submit("connect4:{6..7}x6", "--tag", "gone", "--priority", "-9")
        self.assertIn(" changed", self.proofctl("campaign", "gone", "cancel"))
        self.assertIn("gone", self.proofctl("campaign"))
        self.assertLessEqual({row["state"] for row in self.rows("gone")}, {"cancelled", "exhausted", "solved"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
