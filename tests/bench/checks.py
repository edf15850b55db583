"""Directories of losing chess and Lines of Action, searched in little memory, and checked: `proofctl check` must find
nothing wrong.

These are the games with cycles, in which a leaf has to be found again within its rank. Each directory gets questions
until its seconds of search are used up: the initial position, positions after one move, endings and positions of played
games, by several algorithms, in 8 to 64 MB, by one thread or two. Then it is checked. Every fact that a check calls
unfounded is exported and given to proofcheck, which says whether the bound is true after all (a false alarm) or could
not be proved.

    checks.py BUILD [--directories N] [--seconds S] [--parallel N] [--first N] [--keep DIRECTORY] [--json FILE]

The same number of a directory asks the same questions. Prints a line a directory and a table; ends with 1 when a check
found anything, or could not look.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
LOA_GAMES = os.path.join(HERE, "..", "data", "loa", "selfplay.tsv")
ALGORITHMS = ["pds-pn", "pds-pn", "dfpn-pn", "pds", "df-pn", "paper"]
CLAIMS = ["value", "first-wins", "second-wins", "first-draws"]
LOA_OPTIONS = ["", ",simultaneous=mover", ",nomove=loss"]
FACT = re.compile(r"problem: (?P<game>\S+): (?P<position>.+): value (?P<side>>=|<=) (?P<bound>-?\d+) within")


def squeeze(rows):
    """Rows of characters, '.' an empty square, as in FEN."""
    return "/".join(re.sub(r"\.+", lambda m: str(len(m.group())), row) for row in rows)


def antichess_opening(rng):
    """The initial position, or one after a pawn's move of one square."""
    rows = ["rnbqkbnr", "pppppppp"] + ["........"] * 4 + ["PPPPPPPP", "RNBQKBNR"]
    file = rng.randrange(-2, 8)
    if file < 0:
        return ""
    rows[5] = "." * file + "P" + "." * (7 - file)
    rows[6] = "P" * file + "." + "P" * (7 - file)
    return squeeze(rows) + " b - -"


def antichess_ending(rng):
    """Three to six men anywhere."""
    squares = rng.sample(range(64), rng.randrange(3, 7))
    rows = [["."] * 8 for _ in range(8)]
    for i, square in enumerate(squares):
        man = rng.choice("kqrbnp" if 8 <= square < 56 else "kqrbn")
        rows[square // 8][square % 8] = man.upper() if i % 2 else man
    return "%s %s - -" % (squeeze("".join(row) for row in rows), rng.choice("wb"))


def loa_played(rng):
    lines = [line.rstrip("\n").split("\t") for line in open(LOA_GAMES) if not line.startswith("#")]
    board, side = rng.choice(lines)[2:4]
    return squeeze(board[8 * r:8 * r + 8]
                   for r in range(7, -1, -1)).replace("x", "b").replace("o", "w") + (" b" if side == "x" else " w")


class Directory:
    def __init__(self, build, number, seconds, root):
        rng = random.Random(number)
        self.build, self.number, self.rng = build, number, rng
        self.path = os.path.join(root, "d%03d" % number)
        self.antichess = number % 5 < 3
        self.game = "antichess" if self.antichess else "loa:%d%s" % (rng.choice([5, 6, 7, 8]), rng.choice(LOA_OPTIONS))
        self.memory = rng.choice(["8M", "16M", "32M", "64M"])
        self.algorithm = rng.choice(ALGORITHMS)
        self.threads = rng.choice([1, 1, 2])
        self.seconds = seconds
        self.questions = self.searched = self.checked = 0
        self.sums, self.alarms, self.verdicts = {}, [], []

    def program(self, name, *words):
        return subprocess.run([os.path.join(self.build, name), *words], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)

    def question(self):
        """Position and claim; the first question of every other directory is the long one, from the beginning."""
        if self.antichess:
            ending = self.number % 2 and self.rng.random() < 0.7
            position = antichess_ending(self.rng) if ending else antichess_opening(self.rng)
        else:
            position = loa_played(self.rng) if self.game.startswith("loa:8") and self.questions else ""
        return position, self.rng.choice(CLAIMS)

    def search(self):
        begin = time.monotonic()
        left = self.seconds
        while left > 0.5:
            position, claim = self.question()
            done = self.program("proofctl", "solve", self.game, "--position", position, "--claim", claim, "--data",
                                self.path, "--seconds",
                                "%.1f" % left, "--memory", self.memory, "--algorithm", self.algorithm, "--threads",
                                str(self.threads),
                                "--seed", str(self.rng.randrange(1000)), "--json")
            self.questions += 1
            if done.returncode not in (0, 2, 3):  # 2: an ending that is no position
                raise RuntimeError("%s, %s: proofctl solve: exit code %d\n%s" %
                                   (self.game, position, done.returncode, done.stderr))
            left = self.seconds - (time.monotonic() - begin)
        self.searched = time.monotonic() - begin

    def check(self):
        begin = time.monotonic()
        done = self.program("proofctl", "check", self.path, "--threads", "1", "--json")
        self.checked = time.monotonic() - begin
        self.alarms = [line for line in done.stderr.splitlines() if line.startswith("problem:")]
        if done.returncode not in (0, 1) or not done.stdout:
            self.alarms.append("proofctl check: exit code %d: %s" % (done.returncode, done.stderr.strip()[-300:]))
        self.sums = json.loads(done.stdout) if done.stdout else {}

    def cross_check(self, alarm):
        """What export and proofcheck say of the fact that an alarm is about."""
        fact = FACT.match(alarm)
        if not fact:
            return "no fact"
        bound = int(fact["bound"])
        claim = "first>=%d" % (bound if fact["side"] == ">=" else bound + 1)
        file = self.path + ".cert"
        done = self.program("proofctl", "export", fact["game"], file, "--position", fact["position"], "--claim", claim,
                            "--data", self.path)
        if done.returncode:
            return "not exported: " + done.stderr.strip()
        verdict = self.program("proofcheck", "--quiet", file).stdout.split(" ")[0].strip()
        os.remove(file)
        return "a false alarm" if verdict == "VERIFIED" else "proofcheck: " + verdict

    def run(self):
        self.search()
        self.check()
        self.verdicts = [self.cross_check(alarm) for alarm in self.alarms]
        row = "%4d  %-26s %-8s %3s %4s %5d %10d %10d %9d %7.1f %7.1f %8d" % (
            self.number, self.game, self.algorithm, self.threads, self.memory, self.questions,
            self.sums.get("facts", 0),
            self.sums.get("leaves", 0), self.sums.get("entries", 0), self.searched, self.checked, len(self.alarms))
        print("\n".join([row] + ["      %s\n        -> %s" % pair for pair in zip(self.alarms, self.verdicts)]),
              flush=True)
        return self


def summary(done):
    print("\n%-10s %11s %12s %12s %10s %9s %13s" %
          ("game", "directories", "facts", "leaves", "entries", "problems", "false alarms"))
    for name, part in (("antichess", [d for d in done if d.antichess]), ("loa", [d for d in done if not d.antichess]),
                       ("all", done)):
        print("%-10s %11d %12d %12d %10d %9d %13d" % (
            name, len(part), sum(d.sums.get("facts", 0) for d in part), sum(d.sums.get("leaves", 0) for d in part),
            sum(d.sums.get("entries", 0) for d in part), sum(len(d.alarms) for d in part),
            sum(v == "a false alarm" for d in part for v in d.verdicts)))


def main():
    parser = argparse.ArgumentParser(prog="./dev checks",
                                     description="Searches and checks directories of games with cycles.")
    parser.add_argument("build", help="build directory (./dev gives it)")
    parser.add_argument("--directories", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60, help="of search in each")
    parser.add_argument("--parallel", type=int, default=2, help="directories at one time")
    parser.add_argument("--first", type=int, default=0, help="number of the first directory")
    parser.add_argument("--keep", help="where the directories go, and stay")
    parser.add_argument("--json", help="write the figures there as well")
    args = parser.parse_args()
    root = args.keep or tempfile.mkdtemp(prefix="proofd-checks-")
    os.makedirs(root, exist_ok=True)
    numbers = range(args.first, args.first + args.directories)
    print("%4s  %-26s %-8s %3s %4s %5s %10s %10s %9s %7s %7s %8s" % (
        "dir", "game", "by", "thr", "mem", "asked", "facts", "leaves", "entries", "search", "check", "problems"))

    def one(number):
        directory = Directory(os.path.abspath(args.build), number, args.seconds, root).run()
        if not args.keep:
            shutil.rmtree(directory.path, ignore_errors=True)
        return directory

    try:
        with ThreadPoolExecutor(args.parallel) as pool:
            done = list(pool.map(one, numbers))
    finally:
        if not args.keep:
            shutil.rmtree(root, ignore_errors=True)
    summary(done)
    if args.json:
        with open(args.json, "w") as out:
            json.dump([{"directory": d.number, "game": d.game, "algorithm": d.algorithm, "threads": d.threads,
                        "memory": d.memory,
                        "questions": d.questions, "sums": d.sums, "problems": d.alarms, "verdicts": d.verdicts}
                       for d in done], out, indent=1)
    sys.exit(any(d.alarms for d in done))


if __name__ == "__main__":
    main()
