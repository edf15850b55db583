"""Othello end games from OBF files, solved by discs and compared with the published scores.

Usage: ffo.py BUILD_DIRECTORY FILE ... [--seconds S] [--memory SIZE] [--threads N] [--first N] [--last N] [--option N=V]
       [--check]

A line of an OBF file is a position (64 squares, the side to move), a semicolon, and moves with the score that the side
to move gets by them, as in `... X; G8:+18; H1:+12;`. The best score is the value. The usual files are FFO 1 to 39 (and
40 to 59) of the French Othello federation, as edax has them; they are under the GPL and not part of this tree.

Each position is solved with at most --seconds of search, one after the other. A row says what came out: the value or
the interval that was found, and whether it is right, unanswered (an interval that contains the score), or wrong. With
--check each proof is exported, and the certificate checked. Ends with 1 when anything was wrong or not verified.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile


def positions(path):
    for line in open(path):
        fields = line.split(";")
        found = re.match(r"\s*([-XO.]{64})\s+([XO])\s*$", fields[0], re.IGNORECASE)
        scores = [int(score) for move, score in re.findall(r"([A-Ha-h][1-8]|--|ps|pass):([-+]?\d+)", line)]
        if found and scores:
            board, side = found.group(1).upper(), found.group(2).upper()
            yield board + " " + side, max(scores) * (1 if side == "X" else -1)


def certificate(options, data, position):
    """Exports the proof of the value and checks it; what is wrong, or None."""
    name = os.path.join(data, "ffo.cert")
    for command in (["proofctl", "export", "othello:8", name, "--position", position, "--claim", "value", "--data",
                     data], ["proofcheck", name]):
        done = subprocess.run([os.path.join(options.build, command[0])] + command[1:], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True)
        if done.returncode:
            return "%s: %s%s" % (command[0], done.stdout.strip(), done.stderr.strip())
    return None


def solve(options, position, expected):
    """One row: what was found (a text), the verdict, nodes, seconds."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [os.path.join(options.build, "proofctl"), "solve", "othello:8", "--position", position,
                   "--seconds", str(options.seconds), "--memory", options.memory, "--threads", str(options.threads),
                   "--json"]
        command += ["--data", scratch] if options.check else []
        for option in options.option:
            command += ["--option", option]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        if done.returncode not in (0, 3):
            return done.stderr.strip(), "wrong", 0, 0.0
        answer = json.loads(done.stdout.splitlines()[-1])
        low, high = answer["value"]["lo"], answer["value"]["hi"]
        verdict = "wrong" if not low <= expected <= high else "right" if low == high else "unanswered"
        found = "%+d" % low if low == high else "%+d to %+d" % (low, high)
        problem = certificate(options, scratch, position) if options.check and verdict == "right" else None
        return (problem or found, "wrong" if problem else verdict, sum(answer["nodes"].values()), answer["seconds"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--seconds", type=float, default=60, help="of search, for each position")
    parser.add_argument("--memory", default="1G")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--first", type=int, default=1, help="position to begin with, counted from 1 over all files")
    parser.add_argument("--last", type=int, default=1 << 30)
    parser.add_argument("--option", action="append", default=[], help="of the search, NAME=VALUE")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    total, nodes, seconds, number = {"right": 0, "wrong": 0, "unanswered": 0}, 0, 0.0, 0
    print("%6s %6s %6s %12s %-11s %14s %9s" % ("number", "empty", "score", "found", "", "nodes", "seconds"))
    for position, expected in (pair for path in options.files for pair in positions(path)):
        number += 1
        if not options.first <= number <= options.last:
            continue
        found, verdict, made, took = solve(options, position, expected)
        total[verdict] += 1
        nodes, seconds = nodes + made, seconds + took
        print("%6d %6d %+6d %12s %-11s %14d %9.2f" % (number, position[:64].count("-"), expected, found, verdict, made,
                                                      took), flush=True)
    print("%d right, %d wrong, %d unanswered; %d nodes, %.1f s" %
          (total["right"], total["wrong"], total["unanswered"], nodes, seconds))
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
