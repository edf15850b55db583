"""A cluster simulated, with several jobs: speed-up by number of workers, and its geometric mean.

    simulate.py BUILD [--jobs a,b] [--read FILE,...] [--json FILE] [--plot OUT_SVG] [OPTION VALUE]...

Runs `bench simulate` once for each job (uttt and hex unless --jobs says otherwise) with the other options, which stand
below; `simulate.py BUILD --list` lists the jobs. --read shows what earlier runs left in their --json files,
and runs nothing. The plot is drawn by gnuplot. Exit status 1: an answer was wrong or missing.
"""

import collections
import json
import math
import os
import subprocess
import sys
import tempfile

GOALS = {16: 10, 64: 28, 256: 60}


def own_options(words):
    """Those of this script, and the others, which are the program's."""
    own, others = {"--jobs": "uttt,hex", "--read": "", "--json": "", "--plot": ""}, []
    words = iter(words)
    for word in words:
        value = next(words, None)
        if value is None:
            sys.exit("simulate: %s: a value is missing; --help lists the options" % word)
        if word in own:
            own[word] = value
        else:
            others += [word, value]
    return own, others


def read(paths):
    """{job: {workers: row}}; a later row takes the place of an earlier one."""
    rows = collections.defaultdict(dict)
    for path in paths:
        with open(path) as file:
            for line in file:
                row = json.loads(line)
                rows[row["job"]][row["workers"]] = row
    return rows


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def common(rows):
    """The numbers of workers that every job has."""
    return sorted(set.intersection(*(set(by_workers) for by_workers in rows.values())))


def table(rows):
    print("| workers | %s | geometric mean | goal | nodes | workers busy | coordinator busy |" % " | ".join(
        "%s (one: %.1f s)" % (job, next(iter(many.values()))["one_seconds"]) for job, many in rows.items()))
    print("| %s |" % " | ".join(["---"] * (len(rows) + 6)))
    for workers in common(rows):
        here = [many[workers] for many in rows.values()]
        speeds = ["%.2f s, %.1f times" % (row["seconds"], row["speedup"]) for row in here]
        print("| %d | %s | %.1f | %s | %.1f times | %.0f %% | %.0f %% |" % (
            workers, " | ".join(speeds), mean([row["speedup"] for row in here]), GOALS.get(workers, ""),
            mean([row["nodes"] for row in here]), 100 * sum(row["busy"] for row in here) / len(here),
            100 * sum(row["coordinator"] for row in here) / len(here)))


def plot(rows, path):
    script = ["set terminal svg size 640,420 font 'sans,13'", "set output '%s'" % path, "set logscale xy 2",
              "set grid", "set key left top", "set xlabel 'workers'", "set ylabel 'times one thread'"]
    curves, data = ["x with lines dashtype 2 title 'ideal'", "'-' with points pt 7 title 'goal'"], []
    data += ["%d %g" % point for point in sorted(GOALS.items())] + ["e"]
    for job, many in rows.items():
        curves.append("'-' with linespoints title '%s'" % job)
        data += ["%d %g" % (workers, row["speedup"]) for workers, row in sorted(many.items())] + ["e"]
    script.append("plot [1:] " + ", ".join(curves))
    subprocess.run(["gnuplot"], input="\n".join(script + data) + "\n", text=True, check=True)


def main():
    build, words = sys.argv[1], sys.argv[2:]
    program = [os.path.join(build, "tests/bench"), "simulate"]
    if words[:1] == ["--help"]:
        print(__doc__, flush=True)
    if words[:1] in (["--help"], ["--list"]):
        return subprocess.run([*program, words[0]], check=False).returncode
    own, others = own_options(words)
    paths, bad = [path for path in own["--read"].split(",") if path], 0
    with tempfile.TemporaryDirectory() as scratch:
        if not paths:
            paths = [own["--json"] or os.path.join(scratch, "rows.json")]
            for job in own["--jobs"].split(","):
                run = [*program, "--job", job, *others, "--json", paths[0]]
                bad = max(bad, subprocess.run(run, check=False).returncode)
        rows = read(paths) if bad < 2 else {}
    if rows and common(rows):
        table(rows)
        if own["--plot"]:
            plot(rows, own["--plot"])
    return bad


if __name__ == "__main__":
    sys.exit(main())
