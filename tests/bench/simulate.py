"""A cluster simulated, with several jobs: speed-up by number of workers, and its geometric mean.

    simulate.py BUILD [--jobs a,b] [--seeds 1,2,3] [--cache-threads 1,16] [--json FILE] [--read FILE,...]
                      [--plot OUT_SVG] [OPTION VALUE]...

Runs `bench simulate` for each job (uttt and hex unless --jobs says otherwise), number of workers, number of threads
that share a cache (16; 1: each has its own) and seed (1), with the other options, which stand below; `simulate.py BUILD
--list` lists the jobs. A row that FILE has from an earlier run, with the same options and the same program, is not run
again: a run that was stopped goes on from there. A node takes 85 ns unless --node-ns says otherwise. The table has the
medians of the seeds. --read shows what earlier runs left in their --json files, and runs nothing. The plot is drawn by
gnuplot. Exit status 1: an answer was wrong or missing.
"""

import collections
import hashlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

GOALS = {16: 10, 64: 28, 256: 60}
KEY = ("job", "workers", "cache_threads", "seed", "options", "program")


def own_options(words):
    """Those of this script, and the others, which are the program's."""
    own = {"--jobs": "uttt,hex", "--workers": "1,4,16,64,256", "--cache-threads": "16", "--seeds": "1", "--read": "",
           "--json": "", "--plot": ""}
    others = {"--node-ns": "85"}
    words = iter(words)
    for word in words:
        value = next(words, None)
        if value is None:
            sys.exit("simulate: %s: a value is missing; --help lists the options" % word)
        (own if word in own else others)[word] = value
    return own, others


def read(path):
    """The rows of a file, by what was run; the last line may be cut off."""
    rows = {}
    with open(path) as file:
        for line in file:
            if line.endswith("\n"):
                row = json.loads(line)
                rows[tuple(row.get(name) for name in KEY)] = row
    return rows


def run(program, own, others, path):
    """Runs what the file lacks. Returns the exit status."""
    with open(program[0], "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()[:12]
    options = " ".join("%s %s" % pair for pair in sorted(others.items()))
    plan = [(job, int(workers), int(threads), int(seed), options, digest) for seed in own["--seeds"].split(",")
            for job in own["--jobs"].split(",") for workers in own["--workers"].split(",")
            for threads in own["--cache-threads"].split(",")]
    rows, bad = read(path), 0
    ones = {row["job"]: row["one_seconds"] for key, row in rows.items() if key[-2:] == (options, digest)}
    for key in plan:
        if key in rows:
            continue
        words = [*program, *(word for pair in others.items() for word in pair)]
        for name, value in zip(("--job", "--workers", "--cache-threads", "--seed"), key):
            words += [name, str(value)]
        if key[0] in ones:
            words += ["--one", str(ones[key[0]])]
        with tempfile.NamedTemporaryFile("r") as out:
            bad = max(bad, subprocess.run([*words, "--json", out.name], check=False).returncode)
            line = out.read()
        if not line:
            return bad
        row = dict(json.loads(line), options=options, program=digest)
        ones[key[0]] = row["one_seconds"]
        with open(path, "a") as file:
            file.write(json.dumps(row) + "\n")
    return bad


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def grouped(rows):
    """{threads of a cache: {workers: {job: [rows of the seeds]}}}"""
    out = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(list)))
    for row in rows:
        out[row.get("cache_threads", 1)][row["workers"]][row["job"]].append(row)
    return out


def median(rows, name):
    return statistics.median(row[name] for row in rows)


def table(rows):
    names = ("job (one thread)", "workers", "threads a cache", "speed-up", "nodes", "workers busy", "coordinator busy",
             "dropped")
    print("| %s |\n| --- |%s" % (" | ".join(names), " ---: |" * (len(names) - 1)))
    groups = grouped(rows)
    for job, scale, one in sorted({(row["job"], row.get("scale", 1), row["one_seconds"]) for row in rows}):
        for threads, by_workers in sorted(groups.items()):
            for workers, jobs in sorted(by_workers.items()):
                if job in jobs:
                    here = jobs[job]
                    print("| %s (%.0f s) | %d | %d | %.1f (%s) | %.2f times | %.0f %% | %.0f %% | %.0f %% |" % (
                        job, one * scale, workers, threads, median(here, "speedup"),
                        ", ".join("%.1f" % row["speedup"] for row in sorted(here, key=lambda row: row["seed"])),
                        median(here, "nodes"), 100 * median(here, "busy"), 100 * median(here, "coordinator"),
                        statistics.median(100 * row["dropped"] / row["tasks"] for row in here)))
    for threads, by_workers in sorted(groups.items()):
        for workers, jobs in sorted(by_workers.items()):
            means = [mean([median(here, name) for here in jobs.values()]) for name in ("speedup", "nodes")]
            print("mean of %d jobs, %d workers, %d threads a cache: %.1f times one thread, %.2f times the nodes%s" %
                  (len(jobs), workers, threads, *means, "; goal %d" % GOALS[workers] if workers in GOALS else ""))


def plot(rows, path):
    script = ["set terminal svg size 640,420 font 'sans,13'", "set output '%s'" % path, "set logscale xy 2",
              "set grid", "set key left top", "set xlabel 'workers'", "set ylabel 'times one thread'"]
    curves, data = ["x with lines dashtype 2 title 'ideal'", "'-' with points pt 7 title 'goal'"], []
    data += ["%d %g" % point for point in sorted(GOALS.items())] + ["e"]
    for threads, by_workers in sorted(grouped(rows).items()):
        for job in sorted({job for jobs in by_workers.values() for job in jobs}):
            curves.append("'-' with linespoints title '%s, %d'" % (job, threads))
            data += ["%d %g" % (workers, median(jobs[job], "speedup")) for workers, jobs in sorted(by_workers.items())
                     if job in jobs] + ["e"]
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
            open(paths[0], "a").close()
            bad = run(program, own, others, paths[0])
        rows = [row for path in paths for row in read(path).values()]
    if rows:
        table(rows)
        if own["--plot"]:
            plot(rows, own["--plot"])
    return bad


if __name__ == "__main__":
    sys.exit(main())
