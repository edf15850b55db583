"""proofctl uci and proofctl htp: conversations that are replayed, and Debian's Polyglot as a UCI client.

A transcript in tests/data/engines: `$` is the command; `>` a line that is sent; `<` the next line that comes back; `~`
the same, after any other lines. * and ? stand for any text and any character. At the end the program exits with 0."""

import fnmatch
import glob
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, program  # noqa: E402

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "engines")
POLYGLOT = shutil.which("polyglot") or "/usr/games/polyglot"


def clean():
    return {k: v for k, v in os.environ.items() if k != "PROOFD_SERVER"}


class Engine:
    def __init__(self, words):
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=clean()
        )
        self.lines = queue.Queue()
        threading.Thread(target=self.pump, daemon=True).start()

    def pump(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def next(self):
        return self.lines.get(timeout=TIMEOUT)

    def end(self):
        self.process.stdin.close()
        code = self.process.wait(TIMEOUT)
        self.process.stdout.close()
        return code


def matches(line, pattern):
    return line is not None and fnmatch.fnmatchcase(line, pattern.replace("[", "[[]"))


class Transcripts(unittest.TestCase):
    def replay(self, path):
        with open(path, encoding="utf-8") as file:
            rows = [line.rstrip("\n") for line in file if line[0] in "$><~"]
        name, *words = rows[0][2:].split()
        engine = Engine([program(name), *words])
        try:
            for number, row in enumerate(rows[1:], 2):
                sign, text = row[0], row[2:]
                if sign == ">":
                    engine.send(text)
                    continue
                line = engine.next()
                while sign == "~" and line is not None and not matches(line, text):
                    line = engine.next()
                self.assertTrue(matches(line, text), "%s: `%s` came instead of `%s`" % (path, line, row))
            self.assertEqual(engine.end(), 0)
        finally:
            engine.process.kill()
            engine.process.wait()

    def test_transcripts(self):
        paths = sorted(glob.glob(os.path.join(DATA, "*.txt")))
        self.assertGreaterEqual(len(paths), 3)
        for path in paths:
            with self.subTest(os.path.basename(path)):
                self.replay(path)


class Ends(unittest.TestCase):
    """What a pipe and a wrong command line see."""

    def test_a_search_is_finished_when_the_input_ends(self):
        text = "position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1\ngo movetime 60000\n"
        done = subprocess.run([program("proofctl"), "uci"], input=text, capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.splitlines()[-1], "bestmove a1a8")

    def test_no_answer_for_a_position_that_was_cut(self):
        head, pair = "position startpos    moves", " g1f3 g8f6 f3g1 f6g8"
        cut = head + pair * 3300  # byte 65536 is the end of a move
        for line in (cut, "position fen 6k1/5ppp/8/8/8/8/8/R5K1 w - -\0 moves g1f1 g8f8"):
            text = line + "\ngo movetime 100\nisready\n"
            done = subprocess.run(
                [program("proofctl"), "uci"], input=text, capture_output=True, text=True, timeout=TIMEOUT
            )
            self.assertEqual(done.returncode, 0)
            lines = done.stdout.splitlines()
            self.assertRegex(lines[0], "^info string error: a line has at most 65536 bytes")
            self.assertRegex(lines[1], "^info string error: go: no position is set")
            self.assertEqual(lines[-2:], ["bestmove (none)", "readyok"])

    def test_giveaway_is_antichess_without_castling_rights(self):
        text = "setoption name UCI_Variant value giveaway\n%s\ngo depth 1\n"
        for position, said in (
            ("position startpos", "info string error: position: in giveaway this position has castling rights"),
            ("position fen 8/8/8/8/8/8/P7/k6R w K - 0 1", "info string error: position: in giveaway"),
            ("position fen 8/1k6/8/8/8/8/P7/8 w - - 0 1", "bestmove "),
        ):
            done = subprocess.run(
                [program("proofctl"), "uci"], input=text % position, capture_output=True, text=True, timeout=TIMEOUT
            )
            self.assertTrue(any(line.startswith(said) for line in done.stdout.splitlines()), done.stdout)

    def test_other_games_are_refused(self):
        for word, game in (("uci", "hex:4x4"), ("htp", "antichess")):
            done = subprocess.run([program("proofctl"), word, game], capture_output=True, text=True, timeout=TIMEOUT)
            self.assertEqual(done.returncode, 2)
            self.assertIn("not '%s'" % game, done.stderr)

    def test_what_is_proved_stays_in_the_directory(self):
        with tempfile.TemporaryDirectory() as base:
            data = os.path.join(base, "data")
            text = "position fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1\ngo movetime 120000\n"
            for nodes in (True, False):
                done = subprocess.run(
                    [program("proofctl"), "uci", "--data", data],
                    input=text, capture_output=True, text=True, timeout=TIMEOUT,
                )
                self.assertEqual(done.returncode, 0)
                info, move = done.stdout.splitlines()[-2:]
                self.assertEqual(move, "bestmove a1a6")
                self.assertIn("score mate 2", info)
                self.assertEqual(" nodes 0 " not in info, nodes)  # the second time it is a fact


@unittest.skipUnless(os.path.exists(POLYGLOT), "polyglot is not installed")
class Polyglot(unittest.TestCase):
    """A UCI client of others: it analyses mates, one of each side."""

    POSITIONS = [
        "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#;",
        "kbK5/pp6/1P6/8/8/8/8/R7 w - - bm Ra6;",
        "r5k1/8/8/8/8/8/5PPP/6K1 b - - bm Ra1#;",
        "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - bm Qh6+;",
    ]

    def test_it_analyses(self):
        with tempfile.TemporaryDirectory() as base:
            with open(os.path.join(base, "polyglot.ini"), "w", encoding="ascii") as file:
                file.write("[PolyGlot]\nEngineCommand = %s uci\n[Engine]\nHash = 16\n" % program("proofctl"))
            with open(os.path.join(base, "mates.epd"), "w", encoding="ascii") as file:
                file.write("\n".join(self.POSITIONS) + "\n")
            done = subprocess.run(
                [POLYGLOT, "epd-test", "-epd", "mates.epd", "-max-time", "30", "-min-depth", "1"],
                cwd=base, capture_output=True, text=True, timeout=TIMEOUT, env=clean(),
            )
            self.assertIn("score=4/4", done.stdout, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
