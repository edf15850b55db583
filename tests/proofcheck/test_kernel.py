"""proofkernel, whose verdict is proved correct, beside proofcheck: honest certificates, and edited ones of which it
accepts what proofcheck accepts."""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from effort import whole  # noqa: E402
from pyproofd import build_dir, data_dir, program  # noqa: E402

KERNEL = os.path.join(build_dir(), "clients", "kernel", "proofkernel")
GAMES = [("mnk:3,3,3", "value", "yes"), ("mnk:4,3,3", "value", "yes"), ("mnk:4,3,3,2,1", "value", "yes"),
         ("mnk:4,4,4,2,1", "second-draws", "yes"),  # T11 with two first squares
         ("mnk:5,2,3,1,1,exact", "value", "yes"), ("connect4:4x4", "value", "yes"), ("mnk:4,4,4", "value", "yes"),
         ("mnk:3,3,3", "value", "no"),
         ("mnk:6,5,4", "first-wins", "yes")]
# Games with strategies, and their squares. Policies of the first four are played with words, the others by the rules.
STRATEGIES = [("connect4:5x4", 20), ("connect4:4x5", 20), ("mnk:4,4,4", 16), ("mnk:5,3,3", 15), ("mnk:4,3,3,2,1", 12),
              ("mnk:5,3,3,exact", 15)]
CLAIMS = [("first-wins", ">=1"), ("first-draws", ">=0"), ("second-draws", "<=0"), ("second-wins", "<=-1")]


@unittest.skipUnless(os.path.exists(KERNEL), "proofkernel was not built: coq or ocaml-findlib is missing")
class Kernel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp(prefix="proofd-kernel-")
        cls.addClassCleanup(shutil.rmtree, cls.dir, True)

    def path(self, name):
        return os.path.join(self.dir, name)

    def run_one(self, *words, codes=(0,)):
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
                              env={**os.environ, "PROOFCHECK": program("proofcheck")}, check=False)
        self.assertIn(done.returncode, codes, "%s: %s%s" % (" ".join(words), done.stdout, done.stderr))
        return done

    def certificate(self, game, claim, cards):
        file, data = self.path("certificate"), self.path("data")
        shutil.rmtree(data, True)
        if os.path.exists(file):
            os.remove(file)
        self.run_one(program("proofctl"), "solve", game, "--claim", claim, "--data", data)
        self.run_one(program("proofctl"), "export", game, file, "--claim", claim, "--data", data, "--detail",
                     "full", "--cards", cards)
        return file

    def edit(self, text, rng):
        """Changes a number, drops a record, or turns a bound round."""
        lines = text.split("\n")
        first = lines.index("block") + 1
        at = rng.choice([i for i in range(first, len(lines) - 2) if lines[i] != "block"])
        what = rng.randrange(3)
        if what == 0:
            places = list(re.finditer(r"(?<=[rm=])-?\d+", lines[at].split(" : ")[0]))
            place = rng.choice(places)
            value = max(-1, int(place[0]) + rng.choice((-2, -1, 1, 2)))
            lines[at] = lines[at][: place.start()] + str(value) + lines[at][place.end() :]
        elif what == 1:
            del lines[at]
        else:
            lines[at] = lines[at].replace(">=", "<=") if ">=" in lines[at] else lines[at].replace("<=", ">=")
        return "\n".join(lines)

    def test_what_proofcheck_accepts_is_proved(self):
        rng = random.Random(5)
        for game, claim, cards in GAMES:
            file = self.certificate(game, claim, cards)
            told = self.run_one(KERNEL, file)
            self.assertIn("VERIFIED", told.stdout)
            text = self.run_one(program("proofcheck"), "--text", file).stdout
            refused = 0
            for _ in range(40 if whole() else 8):
                with open(self.path("text"), "w", encoding="ascii") as out:
                    out.write(self.edit(text, rng))
                if os.path.exists(self.path("edited")):
                    os.remove(self.path("edited"))
                made = self.run_one(program("proofcheck"), "--from-text", "--no-digest", self.path("text"),
                                    self.path("edited"), codes=(0, 1))
                if made.returncode:
                    continue  # not even the form of a certificate
                ours = self.run_one(KERNEL, self.path("text"), codes=(0, 1)).returncode
                theirs = self.run_one(program("proofcheck"), "--no-digest", self.path("edited"), codes=(0, 1))
                # The kernel lets wins at once pass without a record in every format; it never asks for more.
                with self.subTest(game=game, said=theirs.stdout):
                    self.assertLessEqual(ours, theirs.returncode)
                refused += ours
            self.assertGreater(refused, 0)

    def test_numbers_and_names_that_mean_something_else(self):
        """A negative number is a very large one to the kernel; a name says the whole game, or nothing."""
        file = self.certificate("mnk:3,3,3", "value", "no")
        text = self.run_one(program("proofcheck"), "--text", file).stdout
        draw = re.sub("claim: .*\nstatus: .*\nlo: .*\nhi: .*",
                      "claim: second-wins\nstatus: proved\nlo: -\nhi: %s", text)
        for changed, word in (
                (text, "VERIFIED"), (draw % -1, "REJECTED"), (draw % -2, "REJECTED"), (draw % -(2**62), "REJECTED"),
                (re.sub(r"(000000 .*),r\d+", r"\1,r-1", text), "REJECTED"), (text.replace("<=0", "<=-2"), "REJECTED"),
                (text.replace("mnk:3,3,3", "mnk:3,3,3, exact"), "UNKNOWN"),
                (text.replace("mnk:3,3,3", "mnk:3,three,3,3"), "UNKNOWN"),
                (text.replace("mnk:3,3,3", "mnk:3,3,3,1"), "UNKNOWN")):
            with open(self.path("text"), "w", encoding="ascii") as out:
                out.write(changed)
            told = self.run_one(KERNEL, self.path("text"), codes=(0, 1, 2)).stdout
            self.assertIn(word, told, changed[:300])

    def test_what_is_printed_means_what_was_proved(self):
        """Positions and names that would be printed as others are refused."""
        for name in ("claim-off-scale", "graph-member-twice", "graph-name", "graph-node-twice", "stones-twice"):
            told = self.run_one(KERNEL, data_dir("certificates", "refuse", name + ".text"), codes=(0, 1)).stdout
            self.assertRegex(told, "^REJECTED", name)
        with open(self.path("graph.json"), "w", encoding="ascii") as out:
            out.write('{"root": "a", "nodes": {"a": {"or": ["b c"]}, "b c": {"value": 1}}}')
        self.assertEqual(self.run_one(KERNEL, "--graph", self.path("graph.json"), codes=(2,)).stdout, "")

    def test_theorems_rest_on_the_listed_axioms(self):
        """Every theorem NAME_sound rests on axioms of clients/kernel/axioms.txt alone: integers of 63 bits."""
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "clients", "kernel")
        with open(os.path.join(source, "axioms.txt"), encoding="ascii") as file:
            listed = set(file.read().split())
        asked = []
        for name in sorted(os.listdir(source)):
            if name.endswith(".v") and name != "Extract.v":
                with open(os.path.join(source, name), encoding="utf-8") as file:
                    text = file.read()
                self.assertFalse(re.search(r"^\s*(Axiom|Parameter|Conjecture|Admitted|admit)\b", text, re.M), name)
                for theorem in re.findall(r"^Theorem (\w*_sound)\b", text, re.M):
                    asked.append("%s.%s" % (name[:-2], theorem))
        self.assertIn("Games.connect4_sound", asked)
        with open(self.path("asked.v"), "w", encoding="ascii") as out:
            out.write("From proofkernel Require %s.\n" % " ".join(sorted({a.split(".")[0] for a in asked})))
            out.writelines("Print Assumptions %s.\n" % theorem for theorem in asked)
        told = self.run_one("coqc", "-q", "-Q", os.path.dirname(KERNEL), "proofkernel", self.path("asked.v")).stdout
        used = {name.split(".")[-1] for name in re.findall(r"^(\S+)\s+:", told, re.M)}
        self.assertEqual(used - listed, set(), "axioms that clients/kernel/axioms.txt does not list")
        self.assertGreater(len(used), 5)

    def test_policies_with_words_play_by_the_rules(self):
        compare = os.path.join(os.path.dirname(KERNEL), "kernel_policy")
        told = self.run_one(compare, "400" if whole() else "40").stdout
        self.assertGreater(int(told.split()[0]), 1000)

    def strategy(self, game, place, claim, reason):
        """The text of a certificate with one record, a strategy at the root."""
        key, position = place
        name, bound = claim
        lo, hi = (bound[2:], "-") if bound[0] == ">" else ("-", bound[2:])
        head = ["proofd certificate text 1", "proofd certificate 4", "game: " + game, "rules: 1", "engine: test",
                "position: " + position, "root: " + key, "claim: " + name, "status: proved", "lo: " + lo, "hi: " + hi,
                "detail: full", "positions: 1", "reasons: 1", "leaves: 0", "cards: 1", "blocks: 1", "graph: 0",
                "digest: " + "0" * 32]
        return "\n".join([*head, "", "block", "%s %s,%s : %s" % (key, bound, reason, position), "end", ""])

    def accepts(self, text):
        """What proofkernel and proofcheck say: both accept it, or both refuse it."""
        with open(self.path("text"), "w", encoding="ascii") as out:
            out.write(text)
        if os.path.exists(self.path("edited")):
            os.remove(self.path("edited"))
        self.run_one(program("proofcheck"), "--from-text", "--no-digest", self.path("text"), self.path("edited"))
        theirs = self.run_one(program("proofcheck"), "--no-digest", self.path("edited"), codes=(0, 1))
        ours = self.run_one(KERNEL, self.path("text"), codes=(0, 1))
        self.assertEqual(ours.returncode, theirs.returncode, text + ours.stdout + theirs.stdout)
        return ours.returncode == 0

    def test_strategies_are_judged_as_proofcheck_judges_them(self):
        rng = random.Random(100)
        for game, squares in STRATEGIES:
            text = self.run_one(program("proofcheck"), "--text", self.certificate(game, "value", "no")).stdout
            lines = text[text.index("block") :].split("\n")
            places = [(line.split(" ")[0], line.split(" : ")[1].strip()) for line in lines if " : " in line]
            accepted = 0
            for turn in range(160 if whole() else 16):
                place, claim = places[0] if turn < 4 else rng.choice(places), CLAIMS[turn % 4]
                weights = [rng.choice((0, 0, 1, rng.randrange(-128, 128))) & 255 for _ in range(squares)]
                card = ",c100:01" + "".join("%02x" % w for w in weights)
                if not self.accepts(self.strategy(game, place, claim, "r1000" + card)):
                    continue
                accepted += 1
                least, most = 1, squares  # the least rank, which both must know
                while least < most:
                    rank = (least + most) // 2
                    if self.accepts(self.strategy(game, place, claim, "r%d%s" % (rank, card))):
                        most = rank
                    else:
                        least = rank + 1
                self.assertTrue(self.accepts(self.strategy(game, place, claim, "r%d%s" % (least, card))))
                for wrong in (card[:-2], card + "00", card.replace(":01", ":02", 1)):
                    self.assertFalse(self.accepts(self.strategy(game, place, claim, "r1000" + wrong)))
            self.assertGreater(accepted, 0, game)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
