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
from pyproofd import build_dir, program  # noqa: E402

KERNEL = os.path.join(build_dir(), "clients", "kernel", "proofkernel")
GAMES = [("mnk:3,3,3", "value", "yes"), ("mnk:4,3,3", "value", "yes"), ("mnk:4,3,3,2,1", "value", "yes"),
         ("mnk:5,2,3,1,1,exact", "value", "yes"), ("connect4:4x4", "value", "yes"), ("mnk:4,4,4", "value", "yes"),
         ("mnk:3,3,3", "value", "no"),
         ("mnk:6,5,4", "first-wins", "yes")]


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
        at = rng.randrange(first, len(lines) - 2)
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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
