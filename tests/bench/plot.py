"""Plots of what `bench_suite --json` wrote: seconds and nodes to solve by size of the table, a line for each algorithm.

    plot.py OUT_DIRECTORY SUITE_JSON...

Each point is the geometric mean over the questions of the medians over the seeds. In seconds.svg all questions count, those without an answer
with the time they were given, so that points are lower bounds; in nodes.svg those that every row of the file answered with every seed. Drawn
by gnuplot.
"""

import collections
import json
import math
import os
import statistics
import subprocess
import sys


def read(paths):
    """{(algorithm, bits): {question: [run, ...]}}"""
    rows = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in paths:
        with open(path) as file:
            for line in file:
                run = json.loads(line)
                rows[run["algorithm"], run["table"]][run["game"], run["position"], run["claim"]].append(run)
    return rows


def points(rows, of, everything):
    """({algorithm: [(bits, mean), ...]}, how many questions count); algorithms without a table have one point, at 0 bits."""
    common = [q for q in next(iter(rows.values())) if everything or all(run["answered"] for runs in rows.values() for run in runs[q])]
    lines = collections.defaultdict(list)
    for (algorithm, bits), runs in sorted(rows.items()):
        logs = [math.log(max(statistics.median(map(of, runs[q])), 1e-6)) for q in common]
        lines[algorithm].append((bits, math.exp(statistics.mean(logs))))
    return lines, len(common)


def plot(lines, label, path):
    sizes = [bits for many in lines.values() for bits, _ in many if bits]
    script = ["set terminal svg size 640,420 font 'sans,13'", "set output '%s'" % path, "set logscale y", "set grid", "set key outside",
              "set xlabel 'table, 2^n entries'", "set ylabel '%s'" % label, "set xrange [%d:%d]" % (min(sizes) - 1, max(sizes) + 1)]
    curves, data = [], []
    for algorithm, many in lines.items():
        flat = many[0][0] == 0
        curves.append("'-' with %s title '%s'" % ("lines dashtype 2" if flat else "linespoints", algorithm))
        ends = [(min(sizes), many[0][1]), (max(sizes), many[0][1])] if flat else many
        data += ["%g %g" % point for point in ends] + ["e"]
    script.append("plot " + ", ".join(curves))
    subprocess.run(["gnuplot"], input="\n".join(script + data) + "\n", text=True, check=True)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    rows = read(sys.argv[2:])
    for name, label, everything, of in (("seconds", "processor seconds", True, lambda run: run["cpu"]),
                                        ("nodes", "nodes", False, lambda run: run["level1"] + run["level2"])):
        lines, count = points(rows, of, everything)
        if not count:
            sys.exit("no question was answered by all rows")
        plot(lines, "%s, mean of %d questions" % (label, count), os.path.join(sys.argv[1], name + ".svg"))


if __name__ == "__main__":
    main()
