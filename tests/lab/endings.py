"""The endings of checkers of tests/data/checkers, solved without tables.

    endings.py BUILD [--nodes N] [--seconds S] [--pieces N] [--step N] [--share]

Each position is solved for its value with budgets of nodes (500,000) and time (10 s) and in 256 MB, by `proofctl solve`
without a data directory, so without tables; with tables the test server.draughts_tables compares value and plies.
Printed: how many are answered, right and wrong, by the number of pieces. An answer is wrong also if its proof takes
fewer plies than the win does; so is a bound that excludes the value. Exit status 1: something is wrong.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ENDINGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "checkers", "endings.tsv")


def rows(most, step):
    with open(ENDINGS, encoding="utf-8") as file:
        found = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return [row for row in found if len(re.findall(r"\d+", row[0])) <= most][::step]


def solve(options, position):
    """The interval of the value for First, who has the black pieces, and the plies of the proof."""
    done = subprocess.run([os.path.join(options.build, "proofctl"), "solve", "checkers:8", "--position", position,
                           "--nodes", str(options.nodes), "--seconds", str(options.seconds), "--memory", "256M",
                           "--threads", "1", "--json"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit("%s: exit status %d: %s" % (position, done.returncode, done.stderr))
    result = json.loads(done.stdout.splitlines()[-1])
    return result["value"]["lo"], result["value"]["hi"], result.get("plies")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--nodes", type=int, default=500000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--pieces", type=int, default=4)
    parser.add_argument("--step", type=int, default=1, help="every N-th position")
    parser.add_argument("--share", action="store_true")
    options = parser.parse_args()
    if options.share:
        options.nodes, options.seconds, options.step = 20000, 2, 24
    positions, counts, wrong = rows(options.pieces, options.step), collections.Counter(), 0
    with ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 2) if options.share else os.cpu_count()) as pool:
        found = pool.map(lambda one: solve(options, one[0]), positions)
        for (position, value, plies), (lo, hi, proved) in zip(positions, found):
            right = 0 if value == "D" else 1 if (value == "W") == (position[0] == "B") else -1
            pieces = len(re.findall(r"\d+", position))
            counts[pieces, "all"] += 1
            counts[pieces, "answered"] += lo == hi
            counts[pieces, "draws"] += right == 0
            counts[pieces, "draws answered"] += right == 0 and lo == hi
            if not lo <= right <= hi or (lo == hi != 0 and proved is not None and proved < int(plies)):
                wrong += 1
                print("WRONG: %s: it is %d in %s plies, and was found to be %d to %d in %s" % (
                    position, right, plies, lo, hi, proved))
    print("pieces  positions  answered  of them draws  answered")
    for pieces in sorted({pieces for pieces, _ in counts}):
        print("%6d  %9d  %8d  %13d  %8d" % (pieces, *(counts[pieces, what] for what in (
            "all", "answered", "draws", "draws answered"))))
    total = sum(counts[pieces, "answered"] for pieces in (1, 2, 3, 4))
    print("%d positions, %d answered, %d right, %d wrong" % (len(positions), total, total - wrong, wrong))
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
