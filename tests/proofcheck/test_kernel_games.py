"""Games of proofkernel beyond those with lines: honest certificates are proved with proofcheck's claim; of edited ones
it accepts what proofcheck accepts; its rules give as many positions as proofctl's, from positions of random play."""

import json
import os
import random
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
import certificates  # noqa: E402
import checkers  # noqa: E402
import test_kernel  # noqa: E402
from effort import whole  # noqa: E402
from pyproofd import program  # noqa: E402

GRAPHS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "andor")
# Certificates that are exported: game, claim, cards.
CERTIFICATES = {
    "hex": [("hex:3", "value", "no"), ("hex:4", "value", "no"), ("hex:4", "value", "yes"),
            ("hex:5x4", "value", "yes"), ("hex:3x5", "value", "no"), ("hex:2x5", "second-wins", "yes")],
    "nim": [("nim:1", "value", "no"), ("nim:3,4,5", "value", "no"), ("nim:1,2,3,4", "value", "no"),
            ("nim:2,4,6", "value", "no")],
    "domineering": [("domineering:4x4", "value", "no"), ("domineering:4x4", "value", "yes"),
                    ("domineering:5x4", "value", "yes"), ("domineering:3x6", "value", "yes"),
                    ("domineering:6x3", "value", "no")],
    "breakthrough": [("breakthrough:3x4", "value", "no"), ("breakthrough:3x4", "value", "yes"),
                     ("breakthrough:4x4", "value", "yes"), ("breakthrough:2x6", "value", "no"),
                     ("breakthrough:2x7", "value", "yes")],
    "andor": [("andor:" + name, "value", "no") for name in (
        "chain", "cycle", "draw", "first-choice", "ghi-first", "ghi-long", "ghi-second", "ghi-serves-first",
        "ghi-two-circles", "islands", "scores", "survey-fig2", "transpositions")],
}
# Positions below which strategies are put in the place of reasons: the kernel checks each image of their records.
STRATEGIES = [("domineering:4x4", ""), ("domineering:5x3", ""), ("hex:3", ""), ("hex:4", "b2 c3 a1"),
              ("breakthrough:3x4", ""),
              ("connect4:8x8", "245767624865845157117681181453782521444231472628726565"),
              ("mnk:8,8,5,2,1", "g8 c4 b8 a7 h2 e7 h3 b2 a3 d2 a2 a8 c6 d5 h4 e4 e2 f1 g2 f2 a1 e6 d1 g7 b6 a6 b1 h8 "
               "h5 c3 e5 h6 h1 f6 d8 g5 b3 f5 b5 e3 b4 c1 g1 f4 d3 f3 d4 c8 g6 g4 g3 d6 c7 e8 c2")]
# Small proofs with strategies, some of them at images of what a move leads to.
SMALL = ["hex:4", "domineering:5x5", "breakthrough:4x4"]
# Positions are met in these.
PLAYED = ["hex:4", "hex:3x5", "hex:9", "nim:3,4,5", "nim:2,2,7,9",
          "domineering:5x4", "domineering:8x8", "domineering:1x4",
          "breakthrough:3x4", "breakthrough:5x5", "breakthrough:8x8"]


@unittest.skipUnless(os.path.exists(test_kernel.KERNEL), "proofkernel was not built: coq or ocaml-findlib is missing")
class KernelGames(unittest.TestCase):
    setUpClass = classmethod(test_kernel.Kernel.setUpClass.__func__)
    path = test_kernel.Kernel.path
    certificate = test_kernel.Kernel.certificate

    def run_one(self, *words, codes=(0,)):
        if words[1] in ("solve", "export"):
            words += ("--graphs", GRAPHS)
        return test_kernel.Kernel.run_one(self, *words, codes=codes)

    def edit(self, text, rng):
        """Changes a number, a byte of a witness or of a key, drops a record, or turns a bound round."""
        lines = text.split("\n")
        first = lines.index("block") + 1
        at = rng.choice([i for i in range(first, len(lines) - 2) if lines[i] != "block"])
        what = rng.randrange(5)
        said, space, rest = lines[at].partition(" ")
        if what == 0 and len(said) >= 2 and re.fullmatch("[0-9a-f]+", said):
            i = rng.randrange(len(said))
            bit = rng.randrange(4 if i % 2 else 3)  # a name of a node stays in ASCII
            lines[at] = said[:i] + "%x" % (int(said[i], 16) ^ 1 << bit) + said[i + 1 :] + space + rest
            return "\n".join(lines)
        cards = [m for m in re.finditer(r"(?<=:)[0-9a-f]+", rest)]
        if what == 1 and cards:
            card = rng.choice(cards)
            i = card.start() + rng.randrange(len(card[0]))
            rest = rest[:i] + "%x" % (int(rest[i], 16) ^ 1 << rng.randrange(4)) + rest[i + 1 :]
            lines[at] = said + space + rest
            return "\n".join(lines)
        places = list(re.finditer(r"(?<=[rm=])-?\d+", lines[at].split(" : ")[0]))
        if what < 3 and places:
            place = rng.choice(places)
            value = max(-1, int(place[0]) + rng.choice((-2, -1, 1, 2)))
            lines[at] = lines[at][: place.start()] + str(value) + lines[at][place.end() :]
        elif what == 3:
            del lines[at]
        else:
            lines[at] = lines[at].replace(">=", "<=") if ">=" in lines[at] else lines[at].replace("<=", ">=")
        return "\n".join(lines)

    def compare(self, kind):
        rng = random.Random(7)
        cases = CERTIFICATES[kind]
        refused = accepted = generous = 0
        for game, claim, cards in cases:
            file = self.certificate(game, claim, cards)
            with self.subTest(game=game, claim=claim, cards=cards):
                told = self.run_one(test_kernel.KERNEL, file).stdout
                self.assertIn("VERIFIED", told)
                text = self.run_one(program("proofcheck"), "--text", file).stdout
                for name, word in (("lo", "least"), ("hi", "most")):
                    bound = re.search("^%s: (.*)$" % name, text, re.M)[1]
                    proved = re.search("First gets at %s (-?\\d+)" % word, told)
                    if proved:
                        self.assertEqual(bound, proved[1])
                self.assertIn("proved: %s," % game, told)
            for _ in range((320 if whole() else 24) // len(cases)):
                with open(self.path("text"), "w", encoding="utf-8") as out:
                    out.write(self.edit(text, rng))
                if os.path.exists(self.path("edited")):
                    os.remove(self.path("edited"))
                made = self.run_one(program("proofcheck"), "--from-text", "--no-digest", self.path("text"),
                                    self.path("edited"), codes=(0, 1))
                if made.returncode:
                    continue  # not even the form of a certificate
                ours = self.run_one(test_kernel.KERNEL, self.path("text"), codes=(0, 1))
                theirs = self.run_one(program("proofcheck"), "--no-digest", self.path("edited"), codes=(0, 1))
                # What the kernel accepts is a theorem; it never asks for more than proofcheck.
                with self.subTest(game=game, cards=cards, theirs=theirs.stdout, ours=ours.stdout):
                    self.assertLessEqual(ours.returncode, theirs.returncode)
                refused += ours.returncode
                accepted += theirs.returncode == 0
                generous += ours.returncode < theirs.returncode
        print("%s: %d edited certificates refused by both, %d accepted by both, %d only by the kernel"
              % (kind, refused, accepted, generous), file=sys.stderr)
        self.assertGreater(refused, 0)

    def test_hex(self):
        self.compare("hex")

    def test_nim(self):
        self.compare("nim")

    def test_domineering(self):
        self.compare("domineering")

    def test_breakthrough(self):
        self.compare("breakthrough")

    def test_graphs(self):
        self.compare("andor")

    def with_strategies(self, game, position, rng):
        """A true certificate with strategies of the fewest plies where minicheck.py finds some, and how many. Equal
        weights leave much to the order of moves, which is another one in an image."""
        file = certificates.certificate(self.path("rules"), game, position, "value")
        text = checkers.Text(self.run_one(program("proofcheck"), "--text", file).stdout)
        text.head[1] = "proofd certificate 4"
        text.head.insert([line[:8] for line in text.head].index("blocks: "), "cards: 0")
        rules, count = checkers.minigames.named(game, "1", b""), 0
        for i in text.places():
            key, *reasons = text.body[i].split(" ")
            for k, reason in enumerate(reasons):
                side, bound, rank = re.match(r"([<>])=(-?\d+),r(\d+)", reason).groups()
                for _ in range(4):
                    weights = bytes(rng.choice((0, 0, 1, 255)) for _ in range(rules.squares))
                    play = checkers.minicheck.Play(rules, side == "<", int(bound), weights)
                    try:
                        plies = play.plies(rules.position(bytes.fromhex(key)))
                    except checkers.minigames.Wrong:
                        continue
                    if plies <= int(rank):
                        reasons[k] = "%s=%s,r%d,c100:01%s" % (side, bound, plies, weights.hex())
                        count += 1
                        break
            text.body[i] = " ".join([key, *reasons])
        text.count()
        return str(text), count

    def test_strategies_hold_in_all_images(self):
        """The kernel plays a strategy in each image of its record as it is played in the record's own frame."""
        rng = random.Random(100)
        for game, position in STRATEGIES:
            for _ in range(5 if whole() else 1):
                text, count = self.with_strategies(game, position, rng)
                with open(self.path("text"), "w", encoding="ascii") as out:
                    out.write(text)
                told = self.run_one(test_kernel.KERNEL, out.name).stdout
                records, facts = map(int, re.search("VERIFIED: (\\d+) records, (\\d+) facts", told).groups())
                self.assertGreater(facts, records, game)
                self.assertGreater(count, 0, game)
                edited = self.path("edited")
                self.run_one(program("proofcheck"), "--from-text", "--no-digest", out.name, edited)
                self.run_one(program("proofcheck"), "--no-digest", edited)
                os.remove(edited)

    def test_small_proofs(self):
        for game in SMALL:
            file, small = self.certificate(game, "value", "no"), self.path("small")
            self.run_one(program("proofctl"), "compress", file, small, "--threads", "1", "--memory", "64M")
            told = self.run_one(test_kernel.KERNEL, small).stdout
            records, facts = map(int, re.search("VERIFIED: (\\d+) records, (\\d+) facts", told).groups())
            self.assertGreater(facts, records, game)
            self.assertIn(",c100:", self.run_one(program("proofcheck"), "--text", small).stdout)
            os.remove(small)

    def test_rules_are_those_of_the_solver(self):
        """Plays at random from the start, and counts what can follow each position. It fails with five instead of six
        neighbours in Hex, with dominoes that go over the right edge, and with men that take straight ahead."""
        rng = random.Random(3)
        compared = ended = 0
        for game in PLAYED:
            for _ in range(12 if whole() else 1):
                played = []
                while True:
                    shown = json.loads(self.run_one(
                        program("proofctl"), "position", game, "--moves", " ".join(played), "--json").stdout)
                    depth = 1 if len(shown.get("moves", [])) > 30 else 2
                    ours = [line.split() for line in self.run_one(
                        test_kernel.KERNEL, "--perft", game, shown["key"], str(depth)).stdout.splitlines()]
                    for d in range(1, depth + 1):
                        theirs = json.loads(self.run_one(
                            program("proofctl"), "perft", game, str(d), "--moves", " ".join(played), "--json").stdout)
                        self.assertEqual(int(ours[d][1]), theirs["positions"], (game, played, d))
                    compared += 1
                    if shown["terminal"]:
                        # it ends there for both, with the same value; the kernel counts values from 0
                        self.assertEqual(ours[0][2:], ["1", str(shown["value"] + 1)], (game, played))
                        ended += 1
                        break
                    self.assertEqual(ours[0][2], "0", (game, played))
                    played.append(rng.choice(shown["moves"]))
        self.assertGreater(ended, 5)
        self.assertGreater(compared, ended)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
