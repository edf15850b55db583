"""Moves and drawings on the command line: --moves in every command that takes a position, --notation, --svg."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, program  # noqa: E402

PGN = '[Event "x"]\n\n1. e4 e5 {a comment} 2. Nf3 (2. f4 exf4) 2... Nc6 3. Bb5 a6 4. O-O *\n'


def run(*words):
    """Exit code, stdout and stderr of proofctl."""
    done = subprocess.run(
        [program("proofctl"), *words], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL
    )
    return done.returncode, done.stdout, done.stderr


def told(test, *words):
    code, out, err = run(*words)
    test.assertEqual((code, err), (0, ""), words)
    return out


class Moves(unittest.TestCase):
    def test_positions(self):
        cases = [
            ("mnk:3,3,3", "b2 a1", "3/1x1/o2"),
            ("connect4:7x6", "4453", "7/7/7/7/3o3/2oxx2"),
            ("hex:5", "c3b3", "c3 b3"),
            ("hex:5", "(;FF[4]SZ[5];B[c3];W[bb])", "c3 b2"),
            ("chess-mate", PGN, "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - first=w"),
        ]
        for game, moves, position in cases:
            with self.subTest(moves):
                shown = json.loads(told(self, "position", game, "--moves", moves, "--json"))
                self.assertEqual(shown["position"], position)
        for words in (["\ufeffb2", "--moves", "\ufeffa1 c3"], ["", "--moves=\ufeffb2 a1 c3"]):
            shown = json.loads(told(self, "position", "mnk:3,3,3", *words, "--json"))
            self.assertEqual(shown["position"], "2x/1x1/o2")
        shown = json.loads(told(self, "position", "mnk:3,3,3", "b2", "--moves=a1 c3", "--json"))
        self.assertEqual(shown["position"], "2x/1x1/o2")

    def test_an_illegal_move_is_named(self):
        code, out, err = run("position", "mnk:3,3,3", "--moves", "b2 a1 b2")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("--moves: move 3: 'b2': the square is taken", err)
        code, out, err = run("position", "mnk:3,3,3", "--moves", "b9", "--json")
        self.assertEqual(json.loads(err)["error"]["data"], {"slug": "bad-move", "field": "moves"})

    def test_what_is_not_a_record_of_the_game_is_refused(self):
        for game, moves, says in (
            ("hex:5", "(B[c3];W[b2])", "line 1, column 2: in SGF, a ( is followed by the ; of a node"),
            ("hex:5", ";B[c3]", "line 1, column 1: a record of SGF begins with (;"),
            ("hex:5", "(c3 b2)", "line 1, column 2"),
            ("hex:5", "(;b[c3];w[b2])", "line 1, column 3: a property of SGF has a name of capital letters"),
            ("hex:5", '["c3","b2"]', "line 1, column 1: '[' begins no move"),
            ("connect4:7x6", "[4,4]", "line 1, column 1: '[' begins no move"),
            ("connect4:7x6", "(44)", "line 1, column 1: '(' begins no move"),
            ("connect4:7x6", "{4 4}", "line 1, column 1: '{' begins no move"),
            ("chess-mate", "(1. e4 e5)", "line 1, column 1: a variation"),
            ("chess-mate", "1. e4 {e5 2. Nf3", "line 1, column 7: the comment that begins here is not closed"),
        ):
            with self.subTest(moves):
                code, out, err = run("position", game, "--moves", moves)
                self.assertEqual((code, out), (2, ""))
                self.assertIn("--moves: " + says, err)
        code, out, err = run("solve", "connect4:4x4", "--moves", "[1,1,1]", "--claim", "first-wins")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("'[' begins no move", err)

    def test_a_game_of_a_file_is_chosen(self):
        games = "\ufeff" + PGN + '\n[Event "y"]\n\n1. d4 d5 *\n'
        with tempfile.TemporaryDirectory(prefix="proofctl-test-") as place:
            path = os.path.join(place, "games.pgn")
            with open(path, "w", encoding="utf-8") as file:
                file.write(games)
            code, _, err = run("position", "chess-mate", "--moves", "@" + path)
            self.assertEqual(code, 2)
            self.assertIn("the text has 2 games; choose one of them by game_number, 1 to 2", err)
            words = ("position", "chess-mate", "--moves", "@" + path, "--game-number", "2", "--json")
            board = "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq -"
            self.assertEqual(json.loads(told(self, *words))["position"], board)
            shown = subprocess.run(
                [program("proofctl"), "position", "chess-mate", "--moves=@-", "--game-number=2", "--json"],
                capture_output=True, text=True, timeout=TIMEOUT, input=games, encoding="utf-8"
            )
            self.assertEqual(json.loads(shown.stdout)["position"], board)
            code, _, err = run("position", "chess-mate", "--moves", "@" + path, "--game-number", "3")
            self.assertEqual(code, 2)
            self.assertIn("game 3 does not exist: the text has 2", err)
            for text, says in (("1. e4 \0e5", "a zero byte"), ("x" * (1 << 20), "longer than a request may be")):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                code, _, err = run("position", "chess-mate", "--moves", "@" + path)
                self.assertIn(says, err)
            long = "1. e4 {%s} e5 *\n" % (300 * ("a comment of some length, " * 30 + "\n"))
            with open(path, "w", encoding="utf-8") as file:
                file.write(long)
            shown = json.loads(told(self, "position", "chess-mate", "--moves", "@" + path, "--json"))
            self.assertEqual(shown["position"], "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -")
            code, _, err = run("position", "chess-mate", "--moves", "@" + os.path.join(place, "none"))
            self.assertNotEqual(code, 0)
            self.assertIn("cannot read", err)

    def test_every_command(self):
        with tempfile.TemporaryDirectory(prefix="proofctl-test-") as place:
            data, cert = os.path.join(place, "data"), os.path.join(place, "cert")
            out = told(self, "solve", "mnk:3,3,3", "--moves", "b2 a1 a2", "--json", "--data", data, "--detail", "full")
            self.assertEqual(json.loads(out)["position"], "3/xx1/o2")
            out = told(self, "query", "mnk:3,3,3", "--moves=b2 a1 a2", "--json", "--data", data)
            fact = json.loads(out)
            self.assertEqual((fact["text"], fact["move"]), ("draw", "c2"))
            self.assertNotIn("moves", fact)
            out = told(self, "query", "mnk:3,3,3", "b2 a1", "--moves", "--moves=a2", "--json", "--data", data)
            self.assertEqual(len(json.loads(out)["moves"]), 6)
            line = json.loads(told(self, "line", "mnk:3,3,3", "--moves", "b2 a1 a2", "--json", "--data", data))
            self.assertEqual((line["position"], line["line"][0]), ("3/xx1/o2", "c2"))
            told(self, "export", "mnk:3,3,3", cert, "--moves", "b2 a1 a2", "--data", data)
            self.assertEqual(subprocess.run([program("proofcheck"), cert], stdout=subprocess.DEVNULL).returncode, 0)
            self.assertIn(" 30 ", told(self, "perft", "mnk:3,3,3", "2", "--moves", "b2 a1 a2"))
            code, _, err = run("query", "mnk:3,3,3", "b2", "a1", "--moves=c3", "--data", data)
            self.assertEqual(code, 2)
            self.assertIn("needs a single position", err)

    def test_lines_as_files(self):
        """What `line` writes for other programs leads, read back, to where the line leads."""
        problem = "7k/8/5K2/8/8/8/8/R7 w - -"
        with tempfile.TemporaryDirectory(prefix="proofctl-test-") as place:
            data = ["--data", os.path.join(place, "data")]
            for game, start, form, holds in (
                ("hex:3", [], "sgf", "(;FF[4]CA[UTF-8]AP[proofd]GM[11]SZ[3]GN[hex:3]C[hex:3: first wins]"),
                ("mnk:4,3,3", [], "sgf", "(;FF[4]CA[UTF-8]AP[proofd]GM[4]SZ[4:3]GN[mnk:4,3,3]"),
                ("chess-mate", ["--position", problem], "pgn", '[Result "1-0"]\n[SetUp "1"]\n[FEN "%s 0 1"]' % problem),
            ):
                told(self, "solve", game, *start, "--json", *data)
                line = json.loads(told(self, "line", game, *start, "--json", *data))["line"]
                record = told(self, "line", game, *start, "--" + form, "--variations", "9", *data)
                self.assertIn(holds, record)
                shown = [told(self, "position", game, *place, "--moves", moves, "--json", *data)
                         for place, moves in ((start[1:], " ".join(line)), ([], record))]
                self.assertEqual(json.loads(shown[0])["key"], json.loads(shown[1])["key"])
            plain = json.loads(told(self, "line", "hex:3", "--variations", "9", "--json", *data))
            self.assertEqual(plain["record"].count("("), 9)
            self.assertIn("b2 b1 ", plain["record"])
            for words, exit_code, word in (
                (["--pgn"], 1, "record"),
                (["--pgn", "--sgf"], 2, "--pgn"),
                (["--sgf", "--json"], 2, "--sgf"),
                (["--variations", "3"], 2, "--variations"),
            ):
                code, out, err = run("line", "hex:3", *words, *data)
                self.assertEqual((code, out), (exit_code, ""), words)
                self.assertIn(word, err)

    def test_drawings(self):
        with tempfile.TemporaryDirectory(prefix="proofctl-test-") as place:
            file, data = os.path.join(place, "board.svg"), os.path.join(place, "data")
            for game in ["mnk:3,3,3", "hex:5", "connect4:7x6", "uttt", "loa:8", "antichess", "chess-mate"]:
                self.assertIn("to move", told(self, "position", game, "--svg", file))
                root = xml.parse(file).getroot()
                self.assertTrue(root.tag.endswith("svg"))
                self.assertEqual(told(self, "position", game, "--svg", "-"), open(file, encoding="utf-8").read())
            told(self, "solve", "mnk:3,3,3", "--data", data, "--json")
            told(self, "line", "mnk:3,3,3", "--data", data, "--svg", file)
            boards = list(xml.parse(file).getroot().iter("{http://www.w3.org/2000/svg}svg"))
            self.assertEqual(len(boards), 1 + 10)
            self.assertEqual(run("position", "hex:5", "--svg", "-", "--json")[0], 2)
            self.assertEqual(run("position", "hex:5", "--svg", os.path.join(place, "no", "such"))[0], 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
