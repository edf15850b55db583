"""proofcheck --show, --stats and --unpack: what people see of a certificate, large and compressed ones as well."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from certificates import certificate, run, with_cards  # noqa: E402
from effort import EFFORT  # noqa: E402
from pyproofd import build_dir, build_has, data_dir, program  # noqa: E402


class Show(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.dir.cleanup)
        cls.mnk = certificate(cls.path("mnk"), "mnk:3,3,3", "", "value")
        cls.leaves = certificate(cls.path("leaves"), "connect4:4x4", "1213", "value", "5")

    @classmethod
    def path(cls, name):
        return os.path.join(cls.dir.name, name)

    def show(self, *words):
        done = run("--show", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def test_the_root(self):
        shown = self.show(self.mnk)
        for words in ("mnk:3,3,3, rules 1", "value is solved, at least 0, at most 0: draw", "to move     First",
                      "   3 . . .\n   2 . . .\n   1 . . .\n     a b c\n", "at least 0", "at most 0"):
            self.assertIn(words, shown)
        self.assertEqual(len(re.findall(r"^[* ] [abc][123] ", shown, re.M)), 9)
        self.assertRegex(shown, r"(?m)^\* ")

    def test_moves_and_positions(self):
        shown = self.show(self.mnk, "--moves", "b2, a1")
        self.assertIn("2 . x .\n   1 o . .\n", shown)
        reply = json.loads(self.show(self.mnk, "--json", "--moves", "b2 #0"))
        self.assertEqual((reply["position"], reply["over"], reply["to_move"]), ("3/1x1/o2", False, "first"))
        same = json.loads(self.show(self.mnk, "3/1x1/o2", "--json"))
        self.assertEqual(reply["moves"], same["moves"])
        over = json.loads(self.show(self.mnk, "a1 b1 a2 b2", "--json", "--moves", "a3"))
        self.assertEqual((over["over"], over["value"], over["moves"]), (True, 1, []))

    def test_what_is_said_of_a_move_is_what_is_said_of_its_position(self):
        """A walk down the moves that the proof names."""
        moves, seen = [], 0
        while True:
            reply = json.loads(self.show(self.mnk, "--json", "--moves", " ".join(moves)))
            if reply["over"] or not reply["reasons"]:
                break
            seen += 1
            named = [move for move in reply["moves"] if move["chosen"]] or reply["moves"]
            below = json.loads(self.show(self.mnk, "--json", "--moves", " ".join(moves + [named[0]["move"]])))
            self.assertEqual((below["key"], below["over"]), (named[0]["key"], named[0]["over"]))
            self.assertEqual(below.get("reasons"), named[0].get("reasons"))
            moves.append(named[0]["move"])
        self.assertGreater(seen, 3)

    def test_every_game_has_its_picture(self):
        pictures = (("connect4:4x4", "1213", "1 x o o ."), ("hex:2", "", "1 . ."), ("nim:1,2,3", "", "a * 1"),
                    ("othello:4", "", "2 . O X ."), ("dots:2x1", "", "+  +  +"), ("domineering:3x3", "", "1 . . ."),
                    ("breakthrough:3x4", "", "1 P P P"), ("loa:4", "", "1 . b b ."), ("nogo:3x2", "", "1 . . ."))
        for game, position, words in pictures:
            with self.subTest(game):
                name = certificate(self.path("game"), game, position, "first>=1")
                self.assertIn(words, self.show(name))

    def test_a_graph(self):
        name = certificate(self.path("graph"), "andor:cycle", "", "first-draws", "0", data_dir("andor", "cycle.json"))
        self.assertIn("andor:cycle", self.show(name))
        reply = json.loads(self.show(name, "--json"))
        self.assertGreater(len(reply["moves"]), 0)

    def test_what_is_wrong(self):
        cases = (((self.mnk, "--moves", "b2 b2"), 1, "move 2, 'b2', is not legal in 3/1x1/3"),
                 ((self.mnk, "--moves", "b2 #99"), 1, "'#99', is not legal"),
                 ((self.mnk, "z9"), 1, "no such move"), ((self.path("none"),), 2, "No such file"),
                 ((self.mnk, "a1 b1 a2 b2 a3", "--moves", "c3"), 1, "the game is over"))
        for words, code, text in cases:
            done = run("--show", *words)
            self.assertEqual((done.returncode, done.stdout), (code, ""), words)
            self.assertIn(text, done.stderr)
        for words in (("--moves", "b2", self.mnk), ("--show", "--stats", self.mnk), ("--text", self.mnk, "x"),
                      ("--unpack", self.mnk), ("--text", "--json", self.mnk), ("--show", self.mnk, "a", "b")):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertTrue(done.stderr.startswith("proofcheck: "), done.stderr)

    def test_damage_is_named_and_not_shown_as_nothing(self):
        with open(self.mnk, "rb") as file:
            whole = file.read()
        head = whole.index(b"\n\n") + 2
        refused = 0
        for at in range(head, len(whole), 97):
            with open(self.path("damaged"), "wb") as file:
                file.write(whole[:at] + b"\xff" + whole[at + 1 :])
            done = run("--show", self.path("damaged"))
            self.assertIn(done.returncode, (0, 1))
            refused += done.returncode
        self.assertGreater(refused, 0)

    def test_figures(self):
        done = run("--stats", "--json", "--threads", "2", self.leaves)
        figures = json.loads(done.stdout)
        verdict = json.loads(run("--json", self.leaves).stdout)
        for member in ("positions", "reasons", "leaves", "blocks", "format"):
            self.assertEqual(figures[member], verdict[member])
        self.assertEqual(figures["by_move"] + figures["by_all"] + figures["leaves"], figures["reasons"])
        self.assertEqual(sum(figures["ranks"]) + figures["unranked"], figures["reasons"])
        self.assertEqual(sum(figures["efforts"]), figures["leaves"])
        self.assertEqual(figures["bytes"], os.path.getsize(self.leaves))
        self.assertGreater(figures["effort"], 0)
        self.assertIsInstance(figures["check_s"], float)  # which may round to 0 here
        self.assertGreaterEqual(figures["check_s"], 0)
        text = run("--stats", self.leaves).stdout
        for words in ("reasons by rank", "leaves by effort", "smallest block", "a check takes about"):
            self.assertIn(words, text)


class Cards(unittest.TestCase):
    """Certificates of format 4."""

    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.dir.cleanup)
        cls.mnk = with_cards(os.path.join(cls.dir.name, "mnk"), "mnk:3,3,3", "", "value")
        cls.connect4 = with_cards(os.path.join(cls.dir.name, "connect4"), "connect4:4x4", "1213", "value")

    def test_weights_are_drawn(self):
        """A strategy has no groups, but a weight for each square, which stands in its place."""
        file = data_dir("golden", "connect4-5x4.proof4")
        shown = run("--show", file).stdout
        self.assertIn("by theorem T100", shown)
        card = json.loads(run("--show", file, "--json").stdout)["reasons"][0]
        self.assertEqual((card["theorem"], card["policy"], len(card["weights"])), (100, 1, 20))
        self.assertNotIn("groups", card)
        signed = [byte - 256 * (byte > 127) for byte in bytes.fromhex(card["witness"])[1:]]
        self.assertEqual(card["weights"], signed)
        drawn = shown[shown.index("policy 1 and the weights") :].split("\n")[1:5]
        self.assertEqual([[int(word) for word in line.split()[1:]] for line in reversed(drawn)],
                         [signed[row : row + 5] for row in range(0, 20, 5)])
        figures = json.loads(run("--stats", "--json", file).stdout)
        self.assertEqual(figures["theorems"], [{"theorem": 100, "cards": 1}])

    def test_a_witness_is_drawn(self):
        shown = run("--show", self.mnk, "--moves", "b2")
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        for words in ("at least 0, within 8 plies: by theorem T5\n", "T5 of solver/games/THEOREMS.md: First answers",
                      "witness     4 groups of squares in 3/1x1/3\n"):
            self.assertIn(words, shown.stdout)
        board = re.search(r"3/1x1/3\n   3 (\w) (\w) (\w)\n   2 (\w) x (\w)\n   1 (\w) (\w) (\w)\n", shown.stdout)
        self.assertEqual(sorted(board.groups()), list("11223344"))
        told = json.loads(run("--show", self.mnk, "--moves", "b2", "--json").stdout)
        card = [reason for reason in told["reasons"] if "theorem" in reason][0]
        self.assertEqual((card["theorem"], card["lo"], card["rank"]), (5, 0, 8))
        self.assertEqual(sorted(square for group in card["groups"] for square in group), [0, 1, 2, 3, 5, 6, 7, 8])
        self.assertEqual(len(card["witness"]), 2 * 4 * 5)

    def test_every_card_is_drawn(self):
        """Each record with a card, and that wins at once are told where no record is."""
        drawn = wins = 0
        for name in (self.mnk, self.connect4):
            text = run("--text", name).stdout
            for line in text.split("\n"):
                if not re.search(r",c[125]:", line):
                    continue
                shown = run("--show", name, "--", line.split(" : ")[1])
                self.assertEqual((shown.returncode, shown.stderr), (0, ""))
                self.assertRegex(shown.stdout, r"(?m)^theorem     T[125] of solver/games/THEOREMS.md: (First|Second) ")
                drawn += 1
                wins += shown.stdout.count("the player to move wins at once")
        self.assertGreater(drawn, 15)
        self.assertGreater(wins, 0)

    def test_figures(self):
        figures = json.loads(run("--stats", "--json", self.connect4).stdout)
        verdict = json.loads(run("--json", self.connect4).stdout)
        self.assertEqual((verdict["verdict"], verdict["format"]), ("verified", 4))
        self.assertEqual(figures["cards"], verdict["cards"])
        self.assertEqual(sum(row["cards"] for row in figures["theorems"]), figures["cards"])
        self.assertEqual({row["theorem"] for row in figures["theorems"]}, {1, 2})
        self.assertEqual(figures["by_move"] + figures["by_all"] + figures["leaves"] + figures["cards"],
                         figures["reasons"])
        self.assertGreater(figures["witness_bytes"], 2 * figures["cards"])
        self.assertRegex(run("--stats", self.connect4).stdout, r"by theorem T1 +\d+ ")
        self.assertRegex(run(self.connect4).stdout, r"0 to be searched, \d+ by a theorem\n")


class Large(unittest.TestCase):
    """A certificate of nim from its theory, with a million positions unless TEST_EFFORT says less."""

    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.dir.cleanup)
        cls.most = 57 if EFFORT >= 100 else 25
        cls.plain = os.path.join(cls.dir.name, "plain")
        text = cls.plain + ".text"
        maker = [sys.executable, os.path.join(HERE, "certificates.py"), build_dir(), text, "4", str(cls.most)]
        cls.positions = int(subprocess.run(maker, capture_output=True, check=True).stdout)
        done = run("--from-text", "--no-digest", text, cls.plain)
        if done.returncode:
            raise AssertionError(done.stderr)
        os.unlink(text)

    @staticmethod
    def measure(*words):
        """Seconds of processor time, the most memory in use in KiB, and the output."""
        done = subprocess.run([os.path.join(build_dir(), "tests", "test_proofcheck"), "measure",
                               program("proofcheck"), *words], capture_output=True, text=True, check=True)
        output, figures = done.stdout[:-1].rsplit("\n", 1)
        memory, seconds = figures.split()
        return float(seconds), int(memory), output

    def test_one_position_of_a_large_file(self):
        self.assertGreater(self.positions, 10000)
        _, least, _ = self.measure("--show", certificate(self.plain + ".small", "nim:1,2", "", "value"))
        top = "%d,%d,%d,%d x" % (1, 2, self.most - 1, self.most)
        seconds, memory, output = self.measure("--show", self.plain, top)
        print("%d positions, %d bytes: one shown in %.3f s of processor time, with %d KiB more than of a file of 10" %
              (self.positions, os.path.getsize(self.plain), seconds, memory - least))
        self.assertRegex(output, r"(?m)^\* ")
        self.assertEqual(len(re.findall(r"(?m)^[* ] [a-d]\d+ ", output)), 2 + 1 + 2 * self.most - 1)
        if not build_has("-fsanitize"):
            self.assertLess(memory - least, 4000)
        self.assertLess(seconds, 5)

    def test_a_check_of_a_large_file_takes_its_time(self):
        self.assertGreater(json.loads(run("--stats", "--json", "--threads", "1", self.plain).stdout)["check_s"], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
