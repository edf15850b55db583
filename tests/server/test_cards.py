"""Certificates with cards: bounds that a theorem of the game gives, each with its witness."""

import json
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from effort import whole  # noqa: E402
from pyproofd import TIMEOUT, RpcError, Server, program  # noqa: E402

# Game, claim, its status, and whether one from the rules alone is made as well (else it
# is too large, or takes long). Both sides
# of claims, theorems of both games, several stones a turn, lines that must be exact.
QUESTIONS = [
    ("connect4:4x4", "value", "solved", True),
    ("mnk:4,4,4", "value", "solved", True),
    ("mnk:5,5,4", "second-draws", "proved", False),
    ("mnk:4,3,3,2,1", "value", "solved", True),
    ("connect4:4x5", "first-wins", "disproved", True),
    ("connect4:5x4", "second-draws", "proved", False),
    ("mnk:5,4,4", "first-draws", "proved", False),
    ("mnk:5,5,5", "first-draws", "proved", False),
    ("mnk:6,6,6", "second-draws", "proved", False),
    ("mnk:5,4,4,1,1,exact", "value", "solved", False),
    ("connect4:5x5", "value", "solved", False),
]
QUICK = 3
UPPER, RANK, MOVE, EFFORT, CARD = 1, 2, 4, 8, 16


class Reader:
    """A certificate of format 2 or 4, read as proto/CERTIFICATE.md describes it. `cards`: of each reason with one the
    theorem, rank and witness."""

    def __init__(self, content):
        end = content.index(b"\n\n")
        lines = content[:end].decode().split("\n")
        self.names = [line.split(":")[0] for line in lines[1:]]
        self.header = dict(line.split(": ", 1) if ": " in line else (line[:-1], "") for line in lines[1:])
        self.format = int(lines[0].split()[-1])
        self.bytes, self.at = content, end + 2
        self.reasons, self.leaves, self.cards, self.keys = 0, 0, [], []
        for _ in range(int(self.header["blocks"])):
            begin = self.at
            size, count = self.number(4), self.number(2)
            key = b""
            for _ in range(count):
                key = self.record(key)
            assert self.at == begin + 4 + size
        assert self.at + 8 * int(self.header["blocks"]) == len(content)
        assert self.keys == sorted(set(self.keys))

    def number(self, size):
        self.at += size
        return int.from_bytes(self.bytes[self.at - size : self.at], "little")

    def varint(self):
        value = shift = 0
        while True:
            byte = self.number(1)
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def some(self, size):
        self.at += size
        return self.bytes[self.at - size : self.at]

    def record(self, before):
        shared = self.varint()
        key = before[:shared] + self.some(self.varint())
        self.keys.append(key)
        for _ in range(self.varint()):
            flags = self.number(1)
            assert flags < (32 if self.format == 4 else 16), flags
            self.varint()
            rank = self.varint() if flags & RANK else None
            for flag in MOVE, EFFORT:
                if flags & flag:
                    self.varint()
            self.reasons += 1
            self.leaves += flags & EFFORT > 0
            if flags & CARD:
                assert flags & ~UPPER == RANK | CARD, flags
                self.cards.append((self.varint(), rank, self.some(self.varint())))
        return key


def groups(witness):
    """The groups of a witness, as lists of squares."""
    out, at = [], 0
    while at < len(witness):
        size = witness[at]
        squares = witness[at + 1 : at + 1 + 2 * size]
        assert size and len(squares) == 2 * size
        out.append([squares[i] | squares[i + 1] << 8 for i in range(0, 2 * size, 2)])
        at += 1 + 2 * size
    return out


class Cards(unittest.TestCase):
    def content(self, made):
        with open(made["file"], "rb") as file:
            return file.read()

    def verified(self, made):
        done = subprocess.run([program("proofcheck"), "--json", made["file"]], stdout=subprocess.PIPE, text=True,
                              timeout=TIMEOUT, check=False)
        told = json.loads(done.stdout)
        self.assertEqual((done.returncode, told["verdict"]), (0, "verified"), told)
        return told

    def look(self, made, game, detail):
        read = Reader(self.content(made))
        self.assertEqual(read.format, 4)
        self.assertEqual(read.names[read.names.index("leaves") + 1], "cards")
        self.assertEqual((len(read.keys), read.reasons, read.leaves, len(read.cards)),
                         tuple(made[name] for name in ("positions", "reasons", "leaves", "cards")))
        for name in "positions", "reasons", "leaves", "cards":
            self.assertEqual(int(read.header[name]), made[name])
        self.assertEqual(made["leaves"] > 0 and detail == "full", False)
        name, parameters = game.split(":")
        width, height = [int(word) for word in parameters.replace("x", ",").split(",")[:2]]
        for theorem, rank, witness in read.cards:
            self.assertIn(theorem, (1, 2) if name == "connect4" else (5, 11, 12))
            squares = [square for group in groups(witness) for square in group]
            self.assertEqual(len(squares), len(set(squares)))
            self.assertTrue(all(square < width * height for square in squares))
            self.assertTrue(len(squares) <= rank <= width * height, "more squares than are empty")

    def export(self, server, question, detail):
        game, claim, status, plain = question
        made = server.rpc("proof.export", game=game, claim=claim, detail=detail)
        self.assertEqual(made["status"], status)
        self.look(made, game, detail)
        told = self.verified(made)
        packed = server.rpc("proof.export", game=game, claim=claim, detail=detail, compress=True)
        self.assertEqual({**packed, "proof": 0, "file": 0, "bytes": 0}, {**made, "proof": 0, "file": 0, "bytes": 0})
        self.assertEqual(self.verified(packed)["cards"], told["cards"])
        self.assertTrue(self.content(packed).startswith(b"proofd certificate 5\n"))
        if not plain:
            return
        rules = server.rpc("proof.export", game=game, claim=claim, detail=detail, cards=False)
        self.assertEqual((rules["status"], rules["cards"], Reader(self.content(rules)).format), (status, 0, 2))
        self.assertGreaterEqual(rules["positions"], made["positions"])
        self.verified(rules)

    def test_what_is_exported_is_verified(self):
        for question in QUESTIONS if whole() else QUESTIONS[:QUICK]:
            with self.subTest(question), Server("--threads", "1", "--log", "warn") as server:
                job = server.rpc("job.submit", game=question[0], claim=question[1], memory="64M")["job"]
                self.assertEqual(server.wait_job(job)["state"], "solved")
                for detail in "full", "frontier":
                    self.export(server, question, detail)

    def test_it_is_found_again_and_told(self):
        with Server("--threads", "1", "--log", "warn") as server:
            for game in "mnk:4,4,4", "nogo:3x3":
                server.wait_job(server.rpc("job.submit", game=game)["job"])
            made = server.rpc("proof.export", game="mnk:4,4,4")
            self.assertGreater(made["cards"], 0)
            listed = server.rpc("proof.list")["proofs"]
            self.assertEqual([(one["proof"], one["cards"]) for one in listed], [(made["proof"], made["cards"])])
            told = server.rpc("proof.verify", proof=made["proof"])
            self.assertEqual((told["verdict"], told["format"], told["cards"]), ("verified", 4, made["cards"]))
            rules = server.rpc("proof.export", game="mnk:4,4,4", cards=False)
            self.assertNotEqual(rules["proof"], made["proof"])
            self.assertEqual(server.rpc("proof.verify", proof=rules["proof"])["format"], 2)
            self.assertEqual(server.rpc("proof.export", game="mnk:4,4,4", cards=True), made)
            self.assertEqual(server.rpc("proof.export", game="mnk:4,4,4", cards=False), rules)
            # A game without theorems has no cards, but wins at once.
            without = server.rpc("proof.export", game="nogo:3x3")
            everything = server.rpc("proof.export", game="nogo:3x3", cards=False)
            self.assertGreater(everything["positions"], without["positions"])  # wins at once are records there
            self.assertEqual(Reader(self.content(everything)).format, 2)
            self.assertEqual((Reader(self.content(without)).format, without["cards"]), (4, 0))
            with self.assertRaises(RpcError) as refused:
                server.rpc("proof.export", game="mnk:4,4,4", cards="no")
            self.assertEqual((refused.exception.slug, refused.exception.field), ("invalid-params", "cards"))

    def test_a_changed_witness_is_rejected(self):
        """The text form, with another square in a card, made a certificate again: another file of the same name."""
        with Server("--threads", "1", "--log", "warn") as server:
            server.wait_job(server.rpc("job.submit", game="mnk:4,4,4")["job"])
            made = server.rpc("proof.export", game="mnk:4,4,4")
            text = subprocess.run([program("proofcheck"), "--text", made["file"]], stdout=subprocess.PIPE,
                                  check=True).stdout
            at = re.search(rb",c\d+:0[1-9a-f]", text).end()  # the first square of the first group
            other = b"ff00"  # not on the board
            changed = os.path.join(server.dir, "changed")
            with open(changed, "wb") as file:
                file.write(text[:at] + other + text[at + 4 :])
            subprocess.run([program("proofcheck"), "--no-digest", "--from-text", changed, changed + "2"], check=True,
                           stdout=subprocess.DEVNULL)
            os.replace(changed + "2", made["file"])
            told = server.rpc("proof.verify", proof=made["proof"])
            self.assertEqual(told["verdict"], "rejected")
            self.assertRegex(told["reason"], r"theorem \d+ ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
