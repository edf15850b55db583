"""proofctl submit of many: ranges of games, each move, lines of a file, books in PGN and SGF, of Polyglot and of Edax;
proofctl campaign."""

import base64
import csv
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, program  # noqa: E402

SGF = "(;GM[11]SZ[4]C[Mine.];B[b2](;W[c2];B[a1])(;W[b3];B[c2];W[d4]))"
PGN = """[Event "First"]

1. e3 c6 (1... b6 2. Ba6) 2. Qh5 {Why not.} Qb6 *

[Event "Second"]

1. e3 b6 2. Ba6 (2. Nc3 Nf6) *
"""
# Castling on both sides, captures en passant, a promotion; and what `polyglot make-book -min-game 1` makes of it.
CHESS = """[Event "a"]
[Result "1/2-1/2"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O Nf6 5. d4 exd4 6. e5 d5 7. exd6 Bxd6 1/2-1/2

[Event "b"]
[Result "1/2-1/2"]

1. e4 d5 2. e5 f5 3. exf6 Nxf6 4. Nf3 Qd6 5. Bc4 Bd7 6. O-O Nc6 7. d3 O-O-O 1/2-1/2

[Event "c"]
[Result "1/2-1/2"]

1. a4 b5 2. axb5 a6 3. bxa6 Bb7 4. axb7 Nc6 5. bxa8=N 1/2-1/2
"""
POLYGLOT = zlib.decompress(base64.b64decode(
    "eNpjD9vpkniUfwO7CgMjAxBwuEyWyvuycwHjVAhfcsKpWEmhP99lKiB8qX3sjab/fD9zakP4Sku6o/rc/1dw6kL4GhsvCc3"
    "m11vOGAXh63568aWaSTOIJxHCNxXvcPyTIenAtxHCd7OeJiE28c8cZhkGJmQ+kwRUfmdoye8Pzq0w97gbiDzQ+n1vOUcGhO"
    "/NlGa12ecHI99mKF+4bGGR+DtZHg0I3/db08MH66fksylC+Gn663em3ta8wpsK4VecXc4n3lw7jxHqvkqv55ah3xeyckpD+"
    "DXR1vtYSsKUmS5D+E02swP+CjpO41VB5fM8hvCbfX+7TZ00uQTGb20/cLTPatttLkMIf+rxp8Jnb6tVw9w380l70FRzsYOM"
    "7BD+3Ls7myaLKe3gew3hrzw8IyNTTMMAJr+pVmg/R3PkF74sCH9P/YnJLnY97ky3IfxDLV82nbr4bQv/Wgj/0v8f2Q5P3n7"
    "nt4DwLyvUv2ETujEXpv/6tscxok8/K8D4j0ze7p7Ys1UAlh6eT/yT9vLI2Ysw835rvDRdNSGUjT8bwgcA6WqhZg=="))

START = 0x0000000810000000, 0x0000001008000000  # Black has e4 and d5


def edax(*positions, version=4, count=None):
    count = len(positions) if count is None else count
    head = b"XADEKOOB" + bytes([version, 4]) + bytes(8 + 20) + struct.pack("<I", count)
    return head + b"".join(struct.pack("<QQ4I3hBB", own, other, 0, 0, 0, 0, 2, 1, 3, len(moves), 21) + moves_of(moves)
                           for own, other, moves in positions)


def moves_of(moves):
    return bytes(part for move in (*moves, 65) for part in (0, move))


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
        moves = self.submit("connect4:{4..5}x9", "--each-move", "--tag", "moves").split()
        self.assertGreater(len(moves), 3)
        self.assertEqual(self.submit("connect4:{4..5}x9", "--each-move", "--tag", "moves").split(), moves)

    def test_moves_from_the_start_are_the_label(self):
        for words, label in ((("--moves", "b2 a1"), "b2 a1"), (("--moves", "c3", "--position", "3/1x1/o2"), None),
                             (("--moves", "(;GM[4]SZ[3];B[b2])"), None), ((), None)):
            job = self.server.rpc("job.get", job=int(self.submit("mnk:3,3,3", *words)))
            self.assertEqual(job.get("label"), label, words)

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

    def book(self, game, data, *words, name="book.bin", code=0):
        with tempfile.TemporaryDirectory() as place:
            with open(os.path.join(place, name), "wb") as file:
                file.write(data)
            return self.submit(game, "--file", file.name, *words, code=code)

    def test_a_polyglot_book_has_the_positions_of_its_games(self):
        self.assertEqual(self.book("chess-mate", POLYGLOT, "--tag", "bin"), "36 submitted, 36 of them new\n")
        self.submit("chess-mate", "--file", "-", "--tag", "games", text=CHESS)
        self.assertEqual({row["position"] for row in self.rows("bin")}, {row["position"] for row in self.rows("games")})
        self.assertIn("e2e4 d7d5 e4e5 f7f5 e5f6 g8f6 g1f3 d8d6 f1c4 c8d7 e1g1 b8c6 d2d3 e8c8", self.labels("bin"))
        self.book("chess-mate", POLYGLOT, "--tag", "two", "--depth", "2")
        self.assertEqual(sorted(self.labels("two")), ["a2a4", "a2a4 b7b5", "e2e4", "e2e4 d7d5", "e2e4 e7e5"])
        after = "rnbqkbnr/p1pppppp/8/1p6/P7/8/1PPPPPPP/RNBQKBNR w KQkq -"
        self.book("chess-mate", POLYGLOT, "--tag", "later", "--position", after)
        self.assertEqual(len(self.rows("later")), 7)

    def test_a_damaged_polyglot_book_is_refused_with_the_byte(self):
        entries = [POLYGLOT[i:i + 16] for i in range(0, len(POLYGLOT), 16)]
        first = next(i for i, e in enumerate(entries) if e[:8] == bytes.fromhex("463b96181691fc9c"))
        wrong = POLYGLOT[:16 * first + 8] + b"\x0e\x3c" + POLYGLOT[16 * first + 10:]
        for game, data, message in (("chess-mate", POLYGLOT[:-3], "byte %d is cut off" % (len(POLYGLOT) - 16)),
                                    ("chess-mate", b"".join(entries[::-1]), "byte 16: "),
                                    ("chess-mate", wrong, "byte %d: 'a8e8' is not a legal move" % (16 * first)),
                                    ("antichess", POLYGLOT, "has no move in the initial position"),
                                    ("chess-mate", b"", "has no move in the initial position"),
                                    ("chess-variant:crazyhouse", POLYGLOT, "position of chess-variant:crazyhouse"),
                                    ("hex:4", POLYGLOT, "none for this position of hex:4")):
            self.assertIn(message, self.book(game, data, code=2), game)

    def test_an_edax_book_has_its_positions(self):
        d3 = 0x0000001000000000, 0x0000000818080000  # after d3, White to move
        data = edax((*START, [19, 26]), (*d3, []))
        self.assertEqual(self.book("othello:8", data, "--tag", "edax", name="book.dat"), "2 submitted, 2 of them new\n")
        shown = [self.server.rpc("position.show", game="othello:8", moves=moves)["position"] for moves in ([], ["d3"])]
        self.assertEqual([row["position"] for row in self.rows("edax")][::-1], shown)
        self.assertEqual(self.labels("edax"), ["score 2, level 21, 60 empty", "score 2, level 21, 59 empty"])
        for game, book, message in (("othello:6", data, "which is for othello:8"), ("chess-mate", data, "othello:8"),
                                    ("othello:8", data[:-1], "byte 88 of the Edax book: the position is cut off"),
                                    ("othello:8", data[:90], "byte 88"), ("othello:8", data[:20], "header is cut off"),
                                    ("othello:8", edax(version=3), "byte 8 "), ("othello:8", edax(count=1), "byte 38 "),
                                    ("othello:8", edax((3, 1, [])), "byte 42 of the Edax book: two discs"),
                                    ("othello:8", edax((3, 4, [])), "byte 42 of the Edax book: ")):
            self.assertIn(message, self.book(game, book, code=2))
        many = [(START[0] | 1 << a, START[1] | 1 << b, []) for a in range(20) for b in range(40, 60)]
        cut = edax(*many, count=1 + len(many))
        self.assertIn("byte 38 ", self.book("othello:8", cut, "--tag", "cut", code=2))
        self.assertNotIn("cut", str(self.server.rpc("campaign.list")))

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
