"""What the defaults of an algorithm are worth: the suite with each option turned, one at a time.

    defaults.py BUILD_DIRECTORY [--algorithm NAME] [--suites NAME...] [--seeds N] [--seconds S] [--table BITS] [--json
    FILE] [NAME=VALUE...]

A row for each setting (a list of usual ones when none is given; several joined by + are set together): questions
answered, and the geometric means over all questions of the medians of processor seconds and nodes, where what is
missing counts with what it was given. The ratio is that of the seconds to the first row's, the defaults. Ends with 1
when any answer was wrong.
"""

import argparse
import collections
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

SETTINGS = ("cap-first=300", "cap-first=10000", "cap-last=100000", "fraction-a=100000+fraction-b=100000",
            "fraction-a=1000+fraction-b=1000",
            "patience=4", "patience=1000000000", "epsilon=0.25", "weak=yes", "mobility=no+heuristics=no", "cache=no")


def measure(options, setting):
    """The runs of all suites with a setting, by question; and whether any was wrong."""
    runs, wrong = collections.defaultdict(list), False
    for suite in options.suites:
        with tempfile.NamedTemporaryFile() as out:
            command = [os.path.join(options.build, "tests", "bench"), "suite", "--suite", suite, "--algorithms",
                       options.algorithm, "--tables",
                       str(options.table), "--seeds", str(options.seeds), "--seconds", str(options.seconds), "--json",
                       out.name]
            for one in filter(None, setting.split("+")):
                command += ["--set", one]
            wrong |= subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0
            for line in out:
                run = json.loads(line)
                runs[run["game"], run["position"]].append(run)
    return runs, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("settings", nargs="*", default=SETTINGS)
    parser.add_argument("--algorithm", default="pds-pn")
    parser.add_argument("--suites", nargs="*", default=["short", "middle"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--table", type=int, default=20)
    parser.add_argument("--json")
    options = parser.parse_intermixed_args()
    rows, bad, first = [], False, None
    print("%-40s %9s %10s %14s %6s" % ("setting", "answered", "cpu s", "nodes", "ratio"))
    for setting in ("", *options.settings):
        runs, wrong = measure(options, setting)
        mean = lambda of: math.exp(statistics.mean(math.log(max(statistics.median(map(of, many)), 1e-6))
                                                   for many in runs.values()))
        seconds, nodes = mean(lambda run: run["cpu"]), mean(lambda run: run["level1"] + run["level2"])
        answered = sum(run["answered"] for many in runs.values() for run in many)
        first = first or seconds
        bad |= wrong
        print("%-40s %4d/%4d %10.3f %14.0f %6.2f%s" %
              (setting or "defaults", answered, sum(map(len, runs.values())), seconds, nodes,
                                                       seconds / first, "  WRONG" if wrong else ""), flush=True)
        rows.append({"setting": setting, "answered": answered, "cpu": seconds, "nodes": nodes})
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file)
    return bad


sys.exit(main())
