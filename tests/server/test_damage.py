"""The real programs on damaged data directories: check, solve and query end by themselves, and what they answer is
right or an error."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, program  # noqa: E402

PAGE = 4096
CASES = 24
GAME = "connect4:4x4"
SOLVE = ["solve", GAME, "--claim", "first-wins", "--memory", "4M", "--threads", "1", "--json"]


def run(*words):
    done = subprocess.run(
        [program("proofctl"), *words], capture_output=True, text=True, timeout=2 * TIMEOUT, stdin=subprocess.DEVNULL
    )
    return done.returncode, done.stdout, done.stderr


def damage(directory, rng):
    """Flips bits, zeroes, swaps or cuts off pages of one of the two files."""
    path = os.path.join(directory, rng.choice(["facts.mdb", "work.mdb"]))
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        pages = len(data) // PAGE
        how = rng.randrange(4)
        for _ in range(rng.choice([1, 1, 4, 40]) if how == 0 else rng.choice([1, 3])):
            a, b = (rng.randrange(2, pages) * PAGE for _ in range(2))
            if how == 0:
                data[rng.randrange(2 * PAGE, len(data))] ^= 1 << rng.randrange(8)
            elif how == 1:
                data[a : a + PAGE] = bytes(PAGE)
            elif how == 2:
                data[a : a + PAGE], data[b : b + PAGE] = data[b : b + PAGE], data[a : a + PAGE]
            else:
                del data[max(PAGE, rng.randrange(len(data))) :]
                break
        file.seek(0)
        file.truncate()
        file.write(data)


class Damage(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.mkdtemp(prefix="proofd-damage-")
        self.addCleanup(shutil.rmtree, self.scratch)
        self.whole = os.path.join(self.scratch, "whole")
        code, out, err = run(*SOLVE, "--data", self.whole)
        self.assertIn(code, (0, 1), err)
        self.answer = json.loads(out.splitlines()[-1])["status"]
        self.assertIn(self.answer, ("proved", "disproved"), out)
        code, out, err = run("check", self.whole)
        self.assertEqual(code, 0, out + err)

    def test_programs_live_and_tell_the_truth(self):
        rng = random.Random(20)
        outcomes = {"answered": 0, "refused": 0}
        for case in range(CASES):
            directory = os.path.join(self.scratch, "case")
            shutil.copytree(self.whole, directory)
            damage(directory, rng)
            with self.subTest(case):
                code, out, err = run("check", directory)
                self.assertGreaterEqual(code, 0, "check ended by signal %d" % -code)
                code, out, err = run(*SOLVE, "--data", directory)
                self.assertGreaterEqual(code, 0, "solve ended by signal %d\n%s" % (-code, err))
                status = json.loads(out.splitlines()[-1]).get("status") if out.strip() else None
                if status in ("proved", "disproved"):
                    outcomes["answered"] += 1
                    self.assertEqual(status, self.answer, out)
                else:
                    outcomes["refused"] += 1
                    self.assertTrue(out.strip() or err.strip(), "not a word")
            shutil.rmtree(directory)
        self.assertGreater(outcomes["refused"], 0, "the damage does not reach anything")
        self.assertGreater(outcomes["answered"], 0, "everything is refused")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
