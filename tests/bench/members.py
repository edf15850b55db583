"""What each member of the family is worth: all algorithms, and the settings that are members themselves, on questions
of all games, by `proofctl suite` (clients/SUITE.md).

    members.py BUILD [--out DIR] [--each N] [--cpu S] [--memory SIZE] [--jobs N] [--plots DIR]

Asked are N questions (4) of each game and each of the degrees 1 and 2 of tests/data/suite/questions.jsonl, spread
evenly over its lines, with seed 1 and S seconds (2) of processor time. An interrupted run goes on from DIR/members.runs
(build/bench). Prints the report; --plots writes its plots: cactus and scatter. Exit status 1: a wrong value.
"""

import argparse
import collections
import json
import os
import subprocess
import sys

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data")
ALGORITHMS = ("dfpn-pn", "lambda", "df-pn", "df-pn-tca", "df-pn-snda", "df-pn-plus", "deep-df-pn", "pds", "pn-star",
              "c-star", "paper", "pn2", "pn", "deep-pn", "product", "mopn", "pss")
VARIANTS = [{"variant": "pds-pn"}, {"variant": "pds-pn, knowledge no", "options": {"knowledge": False}},
            {"variant": "pds-pn before", "options": {"sibling-limit": 0, "budgets": 1}},
            {"variant": "pds-pn, walkers 4", "options": {"walkers": 4}},
            *({"variant": name, "algorithm": name} for name in ALGORITHMS),
            {"variant": "df-pn, knowledge no", "algorithm": "df-pn", "options": {"knowledge": False}},
            {"variant": "df-pn, weak", "algorithm": "df-pn", "options": {"weak": True}},
            {"variant": "df-pn, widen 10", "algorithm": "df-pn", "options": {"widen": 10}}]


def spread(lines, count):
    """That many of the lines, evenly spread, the last included."""
    return [lines[(i + 1) * len(lines) // count - 1] for i in range(count)] if len(lines) > count else lines


def questions(each):
    groups = collections.defaultdict(list)
    with open(os.path.join(DATA, "suite", "questions.jsonl"), encoding="utf-8") as file:
        for line in map(json.loads, file):
            if line["degree"] <= 2:
                groups[line["game"].split(":")[0], line["degree"]].append(line)
    return [line for group in sorted(groups) for line in spread(groups[group], each)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--out", default="build/bench")
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--cpu", type=float, default=2)
    parser.add_argument("--memory", default="256M")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--plots")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    path = os.path.join(options.out, "members")
    settings = {"suite": "members", "seeds": [1], "cpu": options.cpu, "memory": options.memory}
    with open(path + ".jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in [settings, *VARIANTS, *questions(options.each)])
    program = os.path.join(options.build, "proofctl")
    done = subprocess.run([program, "suite", "run", path + ".jsonl", "--graphs", os.path.join(DATA, "andor"), "--out",
                           path + ".runs", "--jobs", str(options.jobs)], check=False)
    if done.returncode not in (0, 1):
        return done.returncode
    report = [program, "suite", "report", path + ".runs"]
    subprocess.run(report + (["--svg", options.plots] if options.plots else []), check=True)
    return done.returncode


sys.exit(main())
