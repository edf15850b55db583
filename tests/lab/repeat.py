"""Repeat: one thread and one seed give one result (P4), whatever the clock does.

    repeat.py BUILD [--repeats N] [--games G,...] [--seed N] [--nodes N] [--json FILE] [--share]

Each of eight games is searched by every algorithm with one thread, in a table so small that entries replace each other
all the time, by `compare`, by `solve`, and by `solve --data` on copies of a directory that has facts of another search;
and all of that again and again: undisturbed, with the process stopped and continued at random, at nice 19, with
checkpoints every 50 ms or none, and on a disk whose syncs take up to 50 ms. All repetitions must have the same
counts of nodes, entries and facts, the same numbers and bounds; without --data, `solve` the same as `compare`.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, program  # noqa: E402

GAMES = "connect4:5x5 mnk:4,4,4 hex:5 othello:6 uttt domineering:6x6 breakthrough:5x5 loa:5"
# Algorithms, nodes as a multiple of --nodes (barriers lie at counts of nodes of the level that is slow), and entries.
GROUPS = (("df-pn,pds", 1, 700), ("pds-pn,dfpn-pn,paper,pn2,pn", 8, 60))
COMMON = ("--threads", "1", "--memory", "4M", "--json")
DISTURBANCES = ("none", "stops", "nice", "often", "seldom", "disk", "disk and stops")
UNANSWERED = 3  # exit status when the budget ended first


def stop_and_go(process, rng, over):
    """Stops and continues the process at random, until it ends."""
    while not over.wait(rng.uniform(0.001, 0.02)):
        try:
            process.send_signal(signal.SIGSTOP)
            time.sleep(rng.uniform(0.001, 0.03))
        finally:
            process.send_signal(signal.SIGCONT)


def run(words, how, rng):
    """The lines of JSON that the command prints, run under that disturbance."""
    env = dict(os.environ)
    if "disk" in how:
        env.update(LD_PRELOAD=program("tests/preload_slow.so"), LAB_SLOW_US="50000")
    if how == "nice":
        words = ["nice", "-n", "19", *words]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    over = threading.Event()
    disturber = threading.Thread(target=stop_and_go, args=(process, rng, over))
    if "stops" in how:
        disturber.start()
    try:
        out, err = process.communicate(timeout=10 * TIMEOUT)
    finally:
        over.set()
        if "stops" in how:
            disturber.join()
        if process.returncode is None:
            process.kill()
            process.communicate()
    if process.returncode not in (0, UNANSWERED) or err.strip():
        sys.exit("repeat: %s: %d\n%s" % (" ".join(words), process.returncode, err.decode()))
    return [json.loads(line) for line in out.splitlines()]


def figures(row, *names):
    """What must be the same."""
    return {name: row[name] for name in ("nodes", "value", "facts", *names)}


class Repeat:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.rng = random.Random(options.seed)
        self.games = options.games.split()
        self.first, self.count, self.bad = {}, {}, 0
        self.seconds = 0

    def hold(self, what, how, got):
        """Holds a run against the first of its kind."""
        first = self.first.setdefault(what, got)
        self.count[what] = self.count.get(what, 0) + 1
        same = {key: got[key] for key in first if key in got} == {key: first[key] for key in got if key in first}
        if not same:
            self.bad += 1
            print("repeat: %s, disturbed by %s: %s, and at first %s" % (" ".join(what), how, got, first))

    def search_options(self, group):
        _, factor, table = group
        return [*COMMON, "--nodes", str(factor * self.options.nodes), "-O", "table=%d" % table]

    def compare(self, how):
        for group in GROUPS:
            rows = run([program("proofctl"), "compare", *self.games, "--algorithms", group[0],
                        *self.search_options(group)], how, self.rng)
            for row in rows:
                if "median" not in row:
                    self.hold((row["game"], row["algorithm"], "alone"), how, figures(row, "entries"))

    def solve(self, how):
        for group in GROUPS:
            for game in self.games:
                for algorithm in group[0].split(","):
                    (row,) = run([program("proofctl"), "solve", game, "--algorithm", algorithm,
                                  *self.search_options(group)], how, self.rng)
                    self.hold((row["game"], algorithm, "alone"), how, figures(row))

    def directory(self, game):
        """A data directory with facts of another search of the game; made once."""
        data = os.path.join(self.folder, "data " + game.replace(":", " "))
        if not os.path.isdir(data):
            run([program("proofctl"), "solve", game, "--data", data, "--algorithm", "df-pn", "--seed", "77", *COMMON,
                 "--nodes", str(self.options.nodes // 4), "-O", "table=5000"], "none", self.rng)
        return data

    def solve_with_data(self, how):
        copy = os.path.join(self.folder, "copy")
        interval = {"often": "0.05", "seldom": "1000"}.get(how, "0.2")
        for group in GROUPS:
            for game in self.games:
                for algorithm in group[0].split(","):
                    subprocess.run(["cp", "-r", "--sparse=always", self.directory(game), copy], check=True)
                    (row,) = run([program("proofctl"), "solve", game, "--algorithm", algorithm, "--data", copy,
                                  "--checkpoint", interval, *self.search_options(group)], how, self.rng)
                    shutil.rmtree(copy)
                    self.hold((row["game"], algorithm, "with --data"), how, figures(row, "pn", "dn"))

    def round(self, number):
        for part in (self.compare, self.solve, self.solve_with_data):
            how = DISTURBANCES[number % len(DISTURBANCES)] if number < len(DISTURBANCES) else \
                self.rng.choice(DISTURBANCES[1:])
            part(how)

    def report(self):
        runs = sum(self.count.values())
        print("repeat: seed %d: %d runs of %d kinds, %d differ" %
              (self.options.seed, runs, len(self.count), self.bad))
        if self.options.json:
            with open(self.options.json, "w") as file:
                json.dump([{"game": what[0], "algorithm": what[1], "how": what[2], "runs": self.count[what],
                            "figures": self.first[what]} for what in sorted(self.count)], file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--games", default=GAMES, help="with blanks between them")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32), help="of the disturbances")
    parser.add_argument("--nodes", type=int, default=100000, help="a search of one level; of two 8 times as many")
    parser.add_argument("--json")
    parser.add_argument("--share", action="store_true", help="a few seconds' worth")
    options = parser.parse_args()
    if options.share:
        options.repeats, options.nodes, options.games = 3, 70000, "connect4:5x5 loa:5"
    with tempfile.TemporaryDirectory(prefix="repeat") as folder:
        repeat = Repeat(options, folder)
        for number in range(options.repeats):
            repeat.round(number)
        repeat.report()
    return repeat.bad > 0


if __name__ == "__main__":
    sys.exit(main())
