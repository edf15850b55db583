"""Kills of `proofctl suite run`: a suite that is killed again and again ends with the report of one that was not, and
two runs take the same nodes.

    suite.py BUILD [--questions N] [--kills N] [--jobs N] [--seed N] [--share]

The suite has N questions (100) from small boards, three variants and three seeds. It is run twice without a kill, and
once killed N times (5) at random moments; each time the end of the file may be torn as well. Compared are the report,
without processor time, and every run: answer, bounds, nodes, positions, facts. Exit status 1: findings.
"""

import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time

VARIANTS = [{"suite": "kills", "seeds": [0, 1, 2], "nodes": 5000, "memory": "8M"}, {"variant": "pds-pn"},
            {"variant": "df-pn", "algorithm": "df-pn"}, {"variant": "pn", "algorithm": "pn"}]
SAME = ("question", "variant", "seed", "status", "lo", "hi", "nodes", "positions", "facts")
WAIT_S = 3600


def questions(count):
    """The first `count` openings of small boards."""
    openings = itertools.chain(
        (("mnk:3,3,3", "", 0), ("connect4:4x4", "", 0), ("hex:3", "", 1)),
        (("hex:3", column + row, None) for column in "abc" for row in "123"),
        (("mnk:3,3,3", column + row, None) for column in "abc" for row in "123"),
        (("connect4:4x4", "".join(moves), None) for size in (1, 2, 3)
         for moves in itertools.product("1234", repeat=size)))
    for number, (game, position, value) in enumerate(itertools.islice(openings, count)):
        yield {"name": "q%03d" % number, "game": game, "position": position, "value": value, "degree": 1}


class Laboratory:
    def __init__(self, build, folder, jobs):
        self.program, self.folder, self.jobs = os.path.join(build, "proofctl"), folder, str(jobs)

    def words(self, out):
        return [self.program, "suite", "run", os.path.join(self.folder, "suite"), "--out", out, "--jobs", self.jobs,
                "--json"]

    def run(self, out):
        done = subprocess.run(self.words(out), check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=WAIT_S)
        return json.loads(done.stdout)

    def report(self, out):
        """The report, without what depends on the clock."""
        done = subprocess.run([self.program, "suite", "report", out, "--json"], check=True, capture_output=True,
                              text=True, timeout=WAIT_S)
        return [line for line in done.stdout.splitlines() if json.loads(line)["unit"] != "cpu"]

    def kill_once(self, out, pick, seconds):
        """Kills the run at a random moment within that time; returns the bytes of the file."""
        child = subprocess.Popen(self.words(out), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        time.sleep(seconds * pick.random())
        child.kill()
        child.wait()
        size = os.path.getsize(out) if os.path.exists(out) else 0
        if size and pick.random() < 0.5:
            size = max(0, size - pick.randrange(1, 60))
            os.truncate(out, size)
        return size


def runs(path):
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file][1:]
    return sorted(json.dumps([line.get(key) for key in SAME]) for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--share", action="store_true", help="ten questions")
    given = parser.parse_args()
    count = 10 if given.share else given.questions
    pick = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        lab = Laboratory(given.build, folder, given.jobs)
        with open(os.path.join(folder, "suite"), "w", encoding="utf-8") as file:
            for line in [*VARIANTS, *questions(count)]:
                file.write(json.dumps(line) + "\n")
        one, two, killed = (os.path.join(folder, name) for name in ("one", "two", "killed"))
        start = time.monotonic()
        told = lab.run(one)
        took = time.monotonic() - start
        lab.run(two)
        sizes = [lab.kill_once(killed, pick, took / given.kills) for _ in range(given.kills)]
        rest = lab.run(killed)
        print("seed %d: %d questions, %d runs, %d solved, %d wrong, %.1f s; %d kills left %s bytes, then %d runs were "
              "there" % (given.seed, count, told["runs"], told["solved"], told["wrong"], took, given.kills, sizes,
                         rest["before"]))
        findings = []
        if told["wrong"] or told["broken"] or told["done"] != count * 9:
            findings.append("a run was wrong, broken or missing: %s" % told)
        if runs(one) != runs(two):
            findings.append("two runs differ")
        if runs(one) != runs(killed):
            findings.append("the killed suite has other runs")
        if not lab.report(one) == lab.report(two) == lab.report(killed):
            findings.append("the reports differ")
    for finding in findings:
        print("FINDING:", finding)
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
