"""Plot of what `bench_suite --json` wrote: seconds to solve by size of the table, a line for each algorithm.

    plot.py OUT_SVG SUITE_JSON...

Each point is the geometric mean over all questions of the median processor seconds over the seeds; those without an
answer count with the time they were given, so that points are lower bounds; less than half a millisecond counts as
that. Drawn by gnuplot.
"""

import collections
import json
import math
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


def points(rows):
    """{algorithm: [(bits, mean), ...]}; algorithms without a table have one point, at 0 bits."""
    lines = collections.defaultdict(list)
    for (algorithm, bits), runs in sorted(rows.items()):
        logs = [math.log(max(statistics.median(run["cpu"] for run in many), 5e-4)) for many in runs.values()]
        lines[algorithm].append((bits, math.exp(statistics.mean(logs))))
    return lines


def plot(lines, label, path):
    sizes = [bits for many in lines.values() for bits, _ in many if bits]
    script = ["set terminal svg size 640,420 font 'sans,13'", "set output '%s'" % path, "set logscale y", "set grid",
              "set key outside",
              "set xlabel 'table, 2^n entries'", "set ylabel '%s'" % label, "set xrange [%d:%d]" %
              (min(sizes) - 1, max(sizes) + 1)]
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
    questions = len(next(iter(rows.values())))
    plot(points(rows), "processor seconds, mean of %d questions" % questions, sys.argv[1])


if __name__ == "__main__":
    main()
