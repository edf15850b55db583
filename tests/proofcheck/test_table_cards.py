"""Cards of theorem 101: certificates that cite tables by digest, honest and forged, over endings of checkers and of
losing chess (proto/CERTIFICATE.md)."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "support"))
from pyproofd import TIMEOUT, RpcError, Server, program  # noqa: E402

MINICHECK = os.path.join(HERE, "..", "..", "clients", "minicheck", "minicheck.py")
# Game, position, class.
ENDINGS = (
    ("checkers:8", "B:W31:B14,20", "MMvM"),
    ("checkers:8", "W:WK32:BK1", "KvK"),
    ("antichess", "8/8/6b1/8/8/8/5B2/8 w - -", "BvB"),
    ("antichess", "8/8/8/3k4/8/8/8/K7 w - -", "KvK"),
    ("antichess", "8/8/8/3n4/8/8/P7/8 w - -", "PvN"),
)


class TableCards(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="proofcheck-cards-")
        cls.data = os.path.join(cls.place.name, "data")
        cls.tables = os.path.join(cls.data, "tables")
        for game in ("checkers:8", "antichess"):
            cls.proofctl("solve", game, "--nodes", "10", code=None)
        for game, _, name in ENDINGS:
            cls.proofctl("table", "build", game, name)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    @classmethod
    def proofctl(cls, *words, code=0):
        done = subprocess.run([program("proofctl"), *words, "--data", cls.data], capture_output=True, text=True,
                              timeout=TIMEOUT, stdin=subprocess.DEVNULL)
        if code is not None and done.returncode != code:
            raise AssertionError("%s: %d: %s" % (" ".join(words), done.returncode, done.stderr))
        return done.stdout

    def file(self, name):
        place = tempfile.mkdtemp(dir=self.place.name)
        return os.path.join(place, name)

    def export(self, game, position, *more):
        path = self.file("cert")
        self.proofctl("export", game, path, "--position", position, *more)
        return path

    def test_the_printed_command_checks_the_file(self):
        game, position, _ = ENDINGS[0]
        path = self.file("cert")
        out = self.proofctl("export", game, path, "--position", position, "--tables")
        command = next(line for line in out.splitlines() if "check it" in line).split()[2:]
        self.assertEqual(command, ["proofcheck", "--tables", self.tables, path])
        self.assertEqual(self.judge(command[3], *command[1:3])[0], 0)

    def judge(self, path, *options):
        """The exit status of proofcheck, and what it says."""
        done = subprocess.run([program("proofcheck"), *options, path], capture_output=True, text=True, timeout=TIMEOUT)
        return done.returncode, done.stdout + done.stderr

    def text(self, path):
        return subprocess.run([program("proofcheck"), "--text", path], check=True, capture_output=True,
                              text=True).stdout

    def of_text(self, text):
        source, path = self.file("text"), self.file("cert")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([program("proofcheck"), "--no-digest", "--from-text", source, path], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def forged(self, text, what, by):
        changed = re.sub(what, by, text)
        self.assertNotEqual(changed, text, what)
        code, said = self.judge(self.of_text(changed), "--no-digest", "--tables", self.tables)
        self.assertEqual(code, 1, said)
        self.assertIn("REJECTED", said)
        return said

    def cited(self):
        """An ending of each game, with the text of its certificate."""
        for game, position, name in ENDINGS:
            path = self.export(game, position, "--tables")
            yield game, position, name, path, self.text(path)

    def test_certificates_cite_tables_and_verify_with_them(self):
        for game, position, name, path, text in self.cited():
            self.assertRegex(text, "c101:[0-9a-f]{64}", (game, position))
            self.assertIn("\nposition: ", text)
            self.assertEqual(self.judge(path, "--tables", self.tables)[0], 0, (game, position, name))
            code, said = self.judge(path)
            self.assertEqual(code, 2, said)
            self.assertIn("tables are not checked here", said)
            plain = self.export(game, position)
            self.assertNotIn("c101", self.text(plain))
            self.assertEqual(self.judge(plain)[0], 0)
            small = self.export(game, position, "--tables", "--compress")
            self.assertEqual(self.judge(small, "--tables=" + self.tables, "--json")[0], 0)
            self.assertEqual(self.text(small), text)

    def test_other_checkers_say_that_they_check_no_tables(self):
        path, source = self.file("hex.cert"), self.file("hex.text")
        self.proofctl("solve", "hex:3", "--claim", "first-wins")
        self.proofctl("export", "hex:3", path, "--claim", "first-wins")
        text = self.text(path)
        self.assertIn(",c8:", text)
        with open(source, "w", encoding="utf-8") as file:
            file.write(re.sub(",c8:[0-9a-f]*", ",c101:" + 32 * "5a", text))
        checkers = [[sys.executable, MINICHECK]]
        if os.path.exists(program("clients/kernel/proofkernel")):
            checkers.append([program("clients/kernel/proofkernel")])
        for checker in checkers:
            done = subprocess.run([*checker, source], capture_output=True, text=True, timeout=TIMEOUT)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"UNKNOWN[^T]*tables are not checked here")

    def test_forged_cards_are_refused(self):
        for _, _, _, _, text in self.cited():
            self.assertIn("is not in the directory", self.forged(text, "c101:[0-9a-f]{64}", "c101:" + 32 * "5a"))
            self.forged(text, "c101:[0-9a-f]{64}", "c101:" + "00" * 31)
            self.forged(text, "(c101:[0-9a-f]{64})", r"\g<1>00")
            self.forged(text, "c101:", "c99:")

    def test_a_card_of_another_class_or_game_is_refused(self):
        digests = {}
        for game in ("checkers:8", "antichess"):
            for line in self.proofctl("table", "list", "--json").splitlines():
                one = json.loads(line)
                digests[one["game"], one["material"]] = one["digest"]
        for game, _, name, _, text in self.cited():
            for (other, material), digest in digests.items():
                if "c101:" + digest not in text:
                    said = self.forged(text, "c101:[0-9a-f]{64}", "c101:" + digest)
                    self.assertIn("does not hold this position" if other == game else "another game", said)

    def test_a_wrong_value_or_distance_is_refused(self):
        seen = set()
        for position, bound in self.decided():
            path = self.export("antichess", position, "--tables", "--claim", bound)
            text = self.text(path)
            rank = re.search(r",r([0-9]+),c101:", text)
            if not rank:
                continue
            if bound in seen:
                continue
            seen.add(bound)
            self.assertEqual(self.judge(path, "--tables", self.tables)[0], 0)
            said = self.forged(text, ",r%s,c101:" % rank[1], ",r%d,c101:" % (int(rank[1]) - 1))
            self.assertIn("gives the bound within %s plies" % rank[1], said)
            self.forged(text, ",r%s,c101:" % rank[1], ",c101:")
            later = self.of_text(text.replace(",r%s,c101:" % rank[1], ",r%d,c101:" % (int(rank[1]) + 5)))
            self.assertEqual(self.judge(later, "--no-digest", "--tables", self.tables)[0], 0)
            was, other = (">=1", "<=-1") if bound == "first-wins" else ("<=-1", ">=1")
            self.forged(text, was + ",r%s,c101" % rank[1], other + ",r%s,c101" % rank[1])
        self.assertEqual(seen, {"first-wins", "second-wins"})
        draw = next(text for _, _, _, _, text in self.cited() if ",r" not in text)
        self.forged(draw, "(=0),c101:", r"\1,r7,c101:")
        self.forged(draw, ">=0,c101:", ">=1,r7,c101:")

    def decided(self):
        """Endings of losing chess that somebody wins in more than one ply, with the claim."""
        for side in "wb":
            for square in range(8):
                fen = "8/8/%s/8/8/8/%s/8 %s - -" % (self.rank("b", 1), self.rank("B", square), side)
                value = json.loads(self.proofctl("query", "antichess", fen, "--json"))
                for claim, holds in (("first-wins", value.get("lo") == 1), ("second-wins", value.get("hi") == -1)):
                    if holds:
                        yield fen, claim

    @staticmethod
    def rank(man, square):
        return "%s%s%s" % (square or "", man, 7 - square or "")

    def test_missing_and_damaged_tables_are_refused(self):
        path = self.export(*ENDINGS[0][:2], "--tables")
        cited = "checkers_8.MMvM.table"
        for damage in ("missing", "cut", "changed", "below"):
            tables = self.file("tables")
            shutil.copytree(self.tables, tables)
            at = os.path.join(tables, cited)
            if damage == "missing":
                os.remove(at)
            elif damage == "below":
                os.remove(os.path.join(tables, "checkers_8.MvM.table"))
            else:
                with open(at, "r+b") as file:
                    file.seek(0, 2)
                    size = file.tell()
                    file.truncate(size - 1) if damage == "cut" else (file.seek(size // 2), file.write(b"????"))
            code, said = self.judge(path, "--tables", tables)
            self.assertEqual(code, 1, (damage, said))
            self.assertIn({"missing": "is not in the directory"}.get(damage, cited), said)

    def test_what_cannot_cite_tables_is_refused(self):
        self.proofctl("export", "antichess", self.file("cert"), "--tables", "--cards", "no", code=2)

    def test_a_server_cites_its_tables_and_verifies_with_them(self):
        game, position, name = ENDINGS[0]
        data = self.file("data")
        shutil.copytree(self.data, data)
        tables = os.path.join(data, "tables")
        at = os.path.join(tables, "checkers_8.%s.table" % name)
        with Server("--nice", "0", data=data) as server:
            made = server.rpc("proof.export", game=game, position=position, tables=True)
            self.assertEqual(server.rpc("proof.export", game=game, position=position, tables=True), made)
            plain = server.rpc("proof.export", game=game, position=position)
            self.assertNotEqual(plain["proof"], made["proof"])
            text = self.text(made["file"])
            self.assertRegex(text, "c101:[0-9a-f]{64}")
            self.assertNotIn("c101", self.text(plain["file"]))
            self.assertEqual(self.text(self.export(game, position, "--tables")), text)
            path = self.file("cert")
            subprocess.run([program("proofctl"), "export", game, path, "--position", position, "--tables", "--socket",
                            server.socket_path], check=True, timeout=TIMEOUT, capture_output=True)
            self.assertEqual(self.text(path), text)
            with self.assertRaises(RpcError) as caught:
                server.rpc("proof.export", game=game, position=position, tables=True, cards=False)
            self.assertEqual((caught.exception.slug, caught.exception.field), ("invalid-params", "tables"))

            def verdict(proof=made["proof"]):
                told = server.admin("proof.verify", proof=proof)
                return told["verdict"], told["text"]

            self.assertEqual(verdict()[0], "verified")
            self.assertEqual(verdict(plain["proof"])[0], "verified")
            with open(at, "rb") as file:
                sound = file.read()
            for damage, said in (("changed", name), ("cut", name), ("missing", "not in the directory"),
                                 ("below", name), ("none", "tables are not checked here")):
                os.rename(tables, tables + ".sound")
                if damage != "none":
                    shutil.copytree(tables + ".sound", tables)
                if damage == "changed":
                    with open(at, "wb") as file:
                        file.write(sound[:len(sound) // 2] + b"????" + sound[len(sound) // 2 + 4:])
                elif damage == "cut":
                    os.truncate(at, len(sound) - 1)
                elif damage == "missing":
                    os.remove(at)
                elif damage == "below":
                    os.remove(os.path.join(tables, "checkers_8.MvM.table"))
                word, why = verdict()
                self.assertEqual(word, "unknown" if damage == "none" else "rejected", (damage, why))
                self.assertIn(said, why, damage)
                self.assertEqual(verdict(plain["proof"])[0], "verified", damage)
                shutil.rmtree(tables, ignore_errors=True)
                os.rename(tables + ".sound", tables)
            self.assertEqual(verdict()[0], "verified")

    def test_no_directory_is_no_verdict(self):
        path = self.export(*ENDINGS[0][:2], "--tables")
        self.assertEqual(self.judge(path, "--tables", os.path.join(self.place.name, "none"))[0], 2)
        self.assertEqual(self.judge(path, "--show", "--tables", self.tables)[0], 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
