"""The text form of certificates: there and back, what is wrong with a text, and minicheck.py, which knows it alone."""

import fcntl
import glob
import hashlib
import io
import os
import re
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "clients", "minicheck")]
import minicheck  # noqa: E402
from certificates import certificate, nim_text, run, with_cards  # noqa: E402
from pyproofd import data_dir  # noqa: E402


class Text(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.dir.cleanup)
        cls.mnk = certificate(cls.path("mnk"), "mnk:3,3,3", "", "value")
        cls.cards = with_cards(cls.path("cards"), "mnk:3,3,3", "", "value")

    @classmethod
    def path(cls, name):
        return os.path.join(cls.dir.name, name)

    def text_of(self, name):
        done = run("--text", name, text=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout

    def back(self, text, *words):
        """What --from-text makes of a text, and its new file."""
        with open(self.path("text"), "wb") as file:
            file.write(text)
        return run("--from-text", *words, self.path("text"), self.path("back")), self.path("back")

    def judge(self, text):
        """What the checker in Python says: 0 or 1, and why."""
        status, told = minicheck.judge(io.StringIO(text.decode("latin-1")))
        return status, told.split("\n")[0]

    def test_a_file_that_another_process_writes_is_left_alone(self):
        """Its lock is what says so: what a process that was killed has left is written over."""
        source, new = self.path("source"), self.path("locked")
        with open(source, "wb") as file:
            file.write(self.text_of(self.mnk))
        for words in ("--from-text", source), ("--pack", self.mnk), ("--unpack", self.mnk):
            with open(new + ".part", "wb") as other:
                other.write(b"of another process" * 100)
                other.flush()
                fcntl.flock(other, fcntl.LOCK_EX)
                done = run(*words, new)
                self.assertEqual(done.returncode, 2, words)
                self.assertIn("%s: another process is writing %s.part" % (new, new), done.stderr)
                self.assertEqual(os.path.getsize(other.name), 1800, words)
                self.assertFalse(os.path.exists(new), words)
            done = run(*words, new)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            self.assertEqual(run(new).returncode, 0)
            self.assertFalse(os.path.exists(other.name), words)
            os.remove(new)

    def test_there_and_back(self):
        """Every golden file, and one with leaves, with a graph and with a game that is unknown here."""
        names = sorted(glob.glob(data_dir("golden", "*.proof*"))) + [
            certificate(self.path("leaves"), "connect4:4x4", "1213", "value", "5"), self.cards,
            with_cards(self.path("connect4 cards"), "connect4:4x4", "1213", "value", "9"),
            certificate(self.path("graph"), "andor:cycle", "", "first-draws", "0", data_dir("andor", "cycle.json"))]
        with open(self.mnk, "rb") as file:
            other = file.read().replace(b"game: mnk:3,3,3", b"game: other:3,3")
        names.append(self.path("other"))
        with open(names[-1], "wb") as file:
            file.write(other)
        self.assertGreater(len(names), 6)
        for name in names:
            with self.subTest(name):
                unknown = name.endswith("other")
                done, back = self.back(self.text_of(name), *(["--no-digest"] if unknown else []))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                if name.endswith(("3", "5", "6")):  # compressed or packed, which a text does not tell
                    unpacked = self.path("unpacked " + os.path.basename(name))  # an unpacking writes over no file
                    self.assertEqual(run("--unpack", name, unpacked).returncode, 0)
                    name = unpacked
                with open(name, "rb") as one, open(back, "rb") as two:
                    drop = (lambda b: re.sub(rb"digest: \w+", b"", b)) if unknown else (lambda b: b)
                    self.assertEqual(drop(one.read()), drop(two.read()))
                self.assertFalse(os.path.exists(back + ".part"))

    def test_a_line_is_a_position(self):
        text = self.text_of(self.mnk).decode()
        head, rest = text.split("\n\n", 1)
        self.assertTrue(head.startswith("proofd certificate text 1\nproofd certificate 2\ngame: mnk:3,3,3\n"))
        lines = [line for line in rest.split("\n")[:-2] if line != "block"]
        self.assertEqual(len(lines), int(re.search(r"\npositions: (\d+)", head)[1]))
        for line in lines:
            self.assertRegex(line, r"^([0-9a-f]{2}){3}( [<>]=-?[01],r\d+(,m\d)?)+ : [xo1-3]+/[xo1-3]+/[xo1-3]+$")

    def test_faults_have_line_and_column(self):
        text = self.text_of(self.mnk)
        lines = text.split(b"\n")
        first = lines.index(b"block") + 2  # the number of the first record's line
        record = lines[first - 1]

        def changed(number, line):
            return b"\n".join(lines[: number - 1] + line + lines[number:])

        cases = [
            (b"", 1, 1, "ends"),
            (b"hello\n", 1, 1, "first line"),
            (text[:-1], len(lines) - 1, None, "ends within"),
            (text[: text.rindex(b"end")], len(lines) - 1, None, "before the line 'end'"),
            (text + b"\n", len(lines), 1, "nothing should follow"),
            (text.replace(b"rules: 1", b"rules: x"), 4, 1, "decimal"),
            (text.replace(b"certificate 2", b"certificate 3"), 2, 1, "format 2"),
            (re.sub(rb"positions: \d+", b"positions: 1", text), None, 12, "positions, but"),
            (re.sub(rb"digest: \w+", b"digest: " + b"0" * 32, text), None, 9, "--no-digest"),
            (changed(first - 1, []), first - 1, 1, "'block' is missing"),
            (changed(first, []), None, 12, "positions, but"),
            (changed(first, [b"block", record]), first, 1, "no records"),
            (changed(first, [record, record]), first + 1, 1, "not greater"),
            (changed(first, [b"0" + record]), first, None, "two digits"),
            (changed(first, [b"xyz"]), first, 1, "hexadecimal"),
            (changed(first, [record[:6] + b" >=2x"]), first, 11, "reason"),
            (changed(first, [record[:6] + b" =2"]), first, 8, ">= or <="),
            (changed(first, [record[:6] + b" >=01"]), first, 10, "bound"),
            (changed(first, [record[:6] + b" >=-0"]), first, 11, "bound"),
            (changed(first, [record[:6] + b" >=1,r0"]), first, 13, "rank"),
            (changed(first, [record[:6] + b" >=1,r1,m65535"]), first, 16, "move"),
            (changed(first, [record[:6] + b" >=1,r1,e99999999999999999999"]), first, 16, "effort"),
            (changed(first, [record[:6]]), first, 7, "blank"),
            (changed(first, [record[:6] + b" : b"]), first, 7, "reason"),
            (changed(first, [record + b"\0"]), first, 1, "zero byte"),
        ]
        for bad, line, column, words in cases:
            with self.subTest(words=words, line=line):
                done, back = self.back(bad)
                self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
                where = re.search(r", line (\d+), column (\d+): ", done.stderr)
                self.assertIn(words, done.stderr)
                if line:
                    self.assertEqual(int(where[1]), line, done.stderr)
                if column:
                    self.assertEqual(int(where[2]), column, done.stderr)
                self.assertFalse(os.path.exists(back + ".part"))

    def test_faults_of_a_card_have_line_and_column(self):
        text = self.text_of(self.cards)
        lines = text.split(b"\n")
        number = next(i for i, line in enumerate(lines) if line.startswith(b"100000 "))  # 3/1x1/3
        self.assertRegex(lines[number], rb"^100000 >=0,r8,c5:([0-9a-f]{10}){4}[ ]")

        def changed(reason):
            return b"\n".join(lines[:number] + [b"100000 " + reason] + lines[number + 1 :])

        cases = ((b">=0,r8,c0:", 16, "the theorem should be a number from 1 to 65535"),
                 (b">=0,r8,c65536:", 16, "the theorem"), (b">=0,r8,c5", 17, "a colon"), (b">=0,r8,c5,", 17, "a colon"),
                 (b">=0,r8,c5:0", 18, "two digits each"), (b">=0,r8,c5:0g", 18, "two digits each"),
                 (b">=0,r8,c5:" + b"00" * 513, 18 + 1024, "at most 512 bytes"), (b">=0,r8,c5:00x", 20, "reason"),
                 (b">=0,r8,m1,c5:", 17, "without a move"), (b">=0,r8,e1,c5:", 17, "without a move"))
        for reason, column, words in cases:
            with self.subTest(reason=reason):
                done, back = self.back(changed(reason))
                where = re.search(r", line (\d+), column (\d+): ", done.stderr)
                self.assertEqual((done.returncode, int(where[1]), int(where[2])), (1, number + 1, column), done.stderr)
                self.assertIn(words, done.stderr)
        done, back = self.back(re.sub(rb"cards: \d+", b"cards: 1", text))
        self.assertIn("cards, but", done.stderr)
        plain = re.sub(rb"cards: \d+\n", b"", text).replace(b"certificate 4", b"certificate 2")
        self.assertIn("format 4", self.back(plain)[0].stderr)
        rest = lines[number].split(b" ", 2)[2]
        done, back = self.back(changed(b">=0,r8,c5: " + rest), "--no-digest")
        self.assertEqual((done.returncode, run(back).returncode), (0, 1), done.stderr)
        self.assertIn("theorem 5 with this witness of 0 bytes", run(back).stdout)

    def test_a_changed_text_gets_its_own_digest(self):
        text = self.text_of(self.mnk).replace(b"engine: ", b"engine: edited, ")
        done, back = self.back(text)
        self.assertEqual(done.returncode, 1)
        done, back = self.back(text, "--no-digest")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(run(back).returncode, 0)

    def test_a_checker_that_knows_the_page_alone(self):
        """It verifies what is true and refuses each of many false ones, as proofcheck does."""
        for game, position, claim in (("mnk:3,3,3", "", "value"), ("mnk:3,2,2", "", "first-wins"),
                                      ("mnk:3,3,3", "a1 b1", "first>=1"), ("mnk:3,3,3", "b2 a1", "second-draws")):
            name = certificate(self.path("judge"), game, position, claim)
            self.assertEqual(self.judge(self.text_of(name)), (0, "VERIFIED"), game)
        nim_text(self.path("nim"), 3, 5)
        with open(self.path("nim"), "rb") as file:
            nim = file.read()
        done, back = self.back(nim, "--no-digest")
        self.assertEqual((done.returncode, run(back).returncode), (0, 0), done.stderr)
        refused = 0
        for text in (self.text_of(certificate(self.path("judge"), "mnk:3,3,3", "a1 b1", "first-wins")), nim):
            lines = text.split(b"\n")
            first = lines.index(b"block") + 1
            for number in range(first, len(lines) - 2, max(1, len(lines) // 20)):
                for old, new in ((b",m", b",m1"), (b",r", b",r1"), (b"=1", b"=0"), (b"=-1", b"=0"), (b",m", b",r")):
                    line = lines[number].split(b" : ")[0].replace(old, new, 1)
                    if line == b"block" or line == lines[number].split(b" : ")[0]:
                        continue
                    spoilt = b"\n".join(lines[:number] + [line] + lines[number + 1 :])
                    mine, words = self.judge(spoilt)
                    done, back = self.back(spoilt, "--no-digest")
                    theirs = run(back).returncode if done.returncode == 0 else 1
                    self.assertEqual(mine, theirs, (line, words, done.stderr))
                    refused += mine
        self.assertGreater(refused, 30)

    def test_the_sum_of_the_file(self):
        done = run(self.mnk)
        with open(self.mnk, "rb") as file:
            self.assertIn(hashlib.sha256(file.read()).hexdigest(), done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
