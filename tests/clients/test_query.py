"""`proofctl query GAME -`: positions from stdin, many of them, in order, and one at a time."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, program  # noqa: E402

GAME = "connect4:4x4"


def positions():
    """5,000 of them: some known, some wrong, all lengths."""
    texts = ["", "1", "9", "12", "1212121", "x y", "444", "4444", "44444", "é"]
    return [texts[i * i % 7 + i % 4] for i in range(5000)]


def facts_of(out):
    """With --json: an object a line, and nothing else."""
    return [json.loads(line) for line in out.splitlines()]


class Query(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="proofctl-test-")
        cls.data = os.path.join(cls.place.name, "data")
        subprocess.run(
            [program("proofctl"), "solve", GAME, "--data", cls.data, "--memory", "4M"],
            capture_output=True,
            check=True,
            timeout=TIMEOUT,
        )

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def query(self, *words, text):
        done = subprocess.run(
            [program("proofctl"), "query", GAME, "-", *words],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            input=text,
        )
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def same(self, *where):
        asked = positions()
        text = "".join(one + "\n" for one in asked)
        code, out = self.query(*where, text=text)
        lines = out.splitlines()[1:]  # the head of the table
        self.assertEqual((code, len(lines)), (2, len(asked)))
        for position, line in zip(asked, lines):
            self.assertTrue(line.startswith((position or "(initial)") + " "), line)
        code, out = self.query("--json", *where, text=text)
        facts = facts_of(out)
        self.assertEqual((code, len(facts)), (2, len(asked)))
        wrong = [position for position, fact in zip(asked, facts) if "error" in fact]
        self.assertEqual(set(wrong), {"9", "x y", "é"} & set(asked))
        self.assertEqual({fact["text"] for position, fact in zip(asked, facts) if position == ""}, {"draw"})

    def test_the_answers_come_in_order(self):
        self.same("--data", self.data)
        with Server("--threads", "0", "--log", "warn", data=self.data) as server:
            self.same("--server", server.ready["listen"])

    def test_moves_come_best_first(self):
        """For the side to move, be it First or Second, in the table and in JSON: the order of fact.probe."""
        lines = ["", "1", "11", "12", "1212", "1121", "112", "11223", "112233", "1122334"]
        text = "".join(line + "\n" for line in lines)
        facts = facts_of(self.query("--moves", "--json", "--data", self.data, text=text)[1])
        table = re.findall(r"^  move (\S+)", self.query("--moves", "--data", self.data, text=text)[1], re.M)
        self.assertEqual(table, [move["move"] for fact in facts for move in fact["moves"]])
        with Server("--threads", "0", "--log", "warn", data=self.data) as server:
            asked = [{"game": GAME, "position": line} for line in lines]
            probed = server.rpc("fact.probe", positions=asked)["answers"]
        shuffled = 0
        for line, fact, answer in zip(lines, facts, probed):
            names = [move["move"] for move in fact["moves"]]
            self.assertEqual(names, [move["move"] for move in answer["moves"]], line)
            sign = 1 if answer["first_to_move"] else -1
            order = [(sign * move["lo"], sign * move["hi"]) for move in fact["moves"] if move["lo"] == move["hi"]]
            self.assertEqual(order, sorted(order, reverse=True), line)
            shuffled += names != sorted(names)
        self.assertEqual({answer["first_to_move"] for answer in probed}, {True, False, None})
        self.assertGreater(shuffled, 1)

    def test_the_theorem_of_a_single_position(self):
        def run(*words):
            return subprocess.run([program("proofctl"), *words], capture_output=True, text=True, check=True,
                                  timeout=TIMEOUT).stdout
        told = ("  theorem   T1, follow-up: second wins or draw within 10 plies\n"
                "  why       Second answers each square of a pair by the other, and any other square by the square "
                "above it: First never completes a line.\n  groups    1: 1.4 4.2\n")
        game, position = "connect4:5x4", "2215511224"
        self.assertTrue(run("query", game, position, "--data", self.data).endswith(told))
        self.assertTrue(run("position", game, position).endswith(told))
        for options, mark in (([], "."), (["--why"], "1")):
            self.assertIn("\n%s x . . .\n" % mark, run("position", game, position, *options))
        self.assertIn("<title>group 1</title>", run("position", game, position, "--why", "--svg", "-"))
        self.assertNotIn("theorem", self.query("--data", self.data, text="11\n22\n")[1])
        # A proof names it where it decides a leaf, and gives the sentence once.
        run("solve", "mnk:5,5,5", "--data", self.data, "--memory", "4M")
        proof = run("proof-tree", "mnk:5,5,5", "--data", self.data)
        self.assertRegex(proof, r"(?m)^  \S+  #\d+  draw, 24  T11\b")
        reasons = re.findall(r"(?m)^  T11 .*", proof)
        self.assertIn("Second never completes a line.", "".join(reasons))
        self.assertEqual(len(set(reasons)), len(reasons))

    def test_moves_and_long_replies(self):
        text = "\n" * 3000
        code, out = self.query("--moves", "--json", "--data", self.data, text=text)
        self.assertEqual((code, [len(fact["moves"]) for fact in facts_of(out)]), (0, [4] * 3000))

    def test_a_byte_order_mark_is_passed_over(self):
        code, out = self.query("--json", "--data", self.data, text="\ufeff1\n12\n")
        self.assertEqual((code, ["error" in fact for fact in facts_of(out)]), (0, [False, False]))

    def test_blanks_around_a_position(self):
        code, out = self.query("--json", "--data", self.data, text="  12\n\t1 \n4/4/1o2/1xx1\n   4/4/1o2/1xx1  \n")
        facts = facts_of(out)
        self.assertEqual((code, ["error" in fact for fact in facts]), (0, [False] * 4))
        self.assertEqual(facts[2], facts[3])

    def test_a_zero_byte_is_an_error(self):
        done = subprocess.run([program("proofctl"), "query", GAME, "-", "--data", self.data], input=b"1\n1\0002\n2\n",
                              capture_output=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"line 2 of stdin contains a zero byte", done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 2)  # the head, and the line before

    def test_errors_show_whole_characters(self):
        for text, shown in (("1ä", "'ä'"), ("1\u2654\u2654", "'\u2654'"), ("1\x07", "'?'")):
            _, out = self.query("--json", "--data", self.data, text=text)
            self.assertIn(shown, json.loads(out)["error"]["message"])

    def test_moves_with_a_list(self):
        """As of every other command; where a position was named, and before an option, it is a flag."""
        def ask(*words):
            done = subprocess.run([program("proofctl"), "query", GAME, *words, "--json", "--data", self.data],
                                  capture_output=True, timeout=TIMEOUT)
            return facts_of(done.stdout or done.stderr)
        played = ask("--moves", "1 2")
        self.assertEqual(played, ask("--moves=1 2"))
        self.assertNotIn("moves", played[0])
        self.assertIn("error", ask("--moves", "4/4/1o2/1xx1")[0])
        for words in (["--moves"], ["12", "--moves"], ["12", "--moves", "1"]):
            self.assertTrue(all(len(fact["moves"]) == 4 for fact in ask(*words)), words)

    def test_epd_lines(self):
        lines = '8/P6k/8/8/8/8/8/K7 w - - bm a8=Q; id "a; b";\n8/P6k/8/8/8/8/8/K7 w - - 0 1 acd 3;\n'
        with tempfile.TemporaryDirectory() as empty:
            data = os.path.join(empty, "data")
            made = [program("proofctl"), "solve", "mnk:3,3,3", "--data", data, "--json"]
            subprocess.run(made, stdout=subprocess.DEVNULL, check=True, timeout=TIMEOUT)
            done = subprocess.run(
                [program("proofctl"), "query", "chess-mate", "-", "--json", "--data", data],
                capture_output=True, text=True, timeout=TIMEOUT, input=lines,
            )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(["error" in fact for fact in facts_of(done.stdout)], [False, False])

    def test_a_line_has_one_answer(self):
        text = "1\n" + "1" * 300000 + "\n12\r\n4"
        code, out = self.query("--json", "--data", self.data, text=text)
        facts = facts_of(out)
        self.assertEqual((code, ["error" in fact for fact in facts]), (2, [False, True, False, False]))

    def test_a_writer_that_waits_gets_its_answer(self):
        with Server("--threads", "0", "--log", "warn", data=self.data) as server:
            for where in (["--data", self.data], ["--socket", server.socket_path]):
                process = subprocess.Popen(
                    [program("proofctl"), "query", GAME, "-", *where],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
                for position in ("12", "44", "1"):
                    process.stdin.write(position + "\n")
                    process.stdin.flush()
                    line = process.stdout.readline()
                    if line.startswith("position"):
                        line = process.stdout.readline()
                    self.assertTrue(line.startswith(position + " "), line)
                process.stdin.close()
                self.assertEqual(process.stdout.read(), "")
                self.assertEqual(process.wait(TIMEOUT), 0)
                process.stdout.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
