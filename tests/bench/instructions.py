"""Instructions a node of the inner loops, counted by callgrind: figures that do not depend on the machine's mood.

    instructions.py BUILD [--nodes N] [--games a,b] [--algorithms a,b] [--functions N] [--set NAME=VALUE]...
                    [--json FILE]

BUILD is one that valgrind can run (the preset `counted`). Each search is run twice, with N and 2 N nodes; what the
second takes more, divided by its nodes, has nothing of the start in it. The functions that take most are named with
their share.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

GAMES = "connect4:7x6,mnk:5,5,4,hex:6,uttt,loa:8,antichess,chess-mate"


def count(options, game, algorithm, nodes, scratch):
    """Instructions and nodes of one run; callgrind's file is left at scratch/out."""
    told = os.path.join(scratch, "told")
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + os.path.join(scratch, "out"),
         os.path.join(options.build, "tests", "bench"), "speed", "--rounds", "1", "--nodes", str(nodes),
         "--memory", "64",
         "--games", game,
         "--algorithms", algorithm, *(word for pair in options.set for word in ("--set", pair)), "--json", told],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode or not found:
        sys.exit(run.stderr)
    with open(told) as file:
        made = json.loads(file.readline())
    return int(found.group(1)), made["level1"] + made["level2"]


def functions(scratch, most):
    """[(share, name)] of the functions that take most, from callgrind_annotate."""
    text = subprocess.run(["callgrind_annotate", os.path.join(scratch, "out")], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True).stdout
    rows = re.findall(r"^\s*[\d,]+ \(\s*([\d.]+)%\)\s+\S*?:(\S+)", text, re.M)
    return [(float(share), name) for share, name in rows if name != "PROGRAM"][:most]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--nodes", type=int, default=1000000)
    parser.add_argument("--games", default=GAMES)
    parser.add_argument("--algorithms", default="pds-pn,pn")
    parser.add_argument("--functions", type=int, default=4)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--json")
    options = parser.parse_args()
    table = []
    print("%-14s %-8s %18s  most in" % ("game", "by", "instructions/node"))
    for game in re.findall(r"[^,]+(?:,\d+)*", options.games):
        for algorithm in options.algorithms.split(","):
            with tempfile.TemporaryDirectory() as scratch:
                less = count(options, game, algorithm, options.nodes, scratch)
                more = count(options, game, algorithm, 2 * options.nodes, scratch)
                if more[1] <= less[1]:
                    print("%-14s %-8s is answered in %d nodes" % (game, algorithm, more[1]))
                    continue
                row = {"game": game, "algorithm": algorithm, "instructions": (more[0] - less[0]) / (more[1] - less[1]),
                       "functions": functions(scratch, options.functions)}
            table.append(row)
            print("%-14s %-8s %18.0f  %s" %
                  (game, algorithm, row["instructions"], ", ".join("%s %.0f%%" % (n, s) for s, n in row["functions"])),
                  flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(table, file, indent=1)


if __name__ == "__main__":
    main()
