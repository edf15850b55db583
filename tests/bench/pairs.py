"""Twelve long questions of eight games (pairs.jsonl), asked in turns: the default against the one before, two threads
against one, two builds.

    pairs.py BUILD default [--out DIR] [--seeds N] [--cpu S] [--report] [--json FILE]
    pairs.py BUILD threads [--out DIR] [--seeds N] [--seconds S] [--only NAME...] [--json FILE]
    pairs.py BUILD builds --other BUILD [as threads]

All go on where an interrupted run stopped, with the results in DIR (build/bench). `default` takes processor time from
the kernel, then four walkers and, of the games with theorems, the search without them; --report prints what is there.
`builds` compares the defaults of two builds by processor time, with the knowledge of each. `threads` measures wall
time, so nothing else may run. A run that reaches the limit counts with the limit.
Exit status 1: a wrong value, or a run without a result.
"""

import argparse
import collections
import hashlib
import json
import math
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
QUESTIONS = os.path.join(HERE, "pairs.jsonl")
MEMORY = "1G"
BEFORE = {"sibling-limit": 0, "budgets": 1}
PAIR = [{"variant": "before", "options": BEFORE}, {"variant": "default"}]
WALKERS = [{"variant": "4 walkers", "options": {"walkers": 4}}]
# The search before without the theorems of these games; Hex had its bridges before.
BARE = [{"variant": "before, knowledge=no", "options": {**BEFORE, "knowledge": False}}]
THEOREMS = ("breakthrough", "connect4", "uttt")


def questions(only):
    with open(QUESTIONS, encoding="utf-8") as file:
        asked = [json.loads(line) for line in file]
    return [one for one in asked if not only or one["name"] in only]


def family(question):
    return question["game"].split(":")[0]


def geometric(values):
    return math.exp(statistics.mean(map(math.log, values))) if values else math.nan


def tail(values):
    """The 90th percentile (nearest rank) over the median."""
    return sorted(values)[math.ceil(0.9 * len(values)) - 1] / statistics.median(values)


# --- the default and the default before ---


def run_suite(options, name, lines):
    """Runs a suite of these lines, from where it stopped; its runs so far, and whether all went well."""
    path = os.path.join(options.out, name)
    words = [os.path.join(options.build, "proofctl"), "suite", "run", path + ".jsonl", "--out", path + ".runs"]
    code = 0
    if not options.report:
        with open(path + ".jsonl", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        code = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False).returncode
    if code not in (0, 1):
        sys.exit("suite run: exit status %d" % code)
    if not os.path.exists(path + ".runs"):
        return [], True
    with open(path + ".runs", encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.endswith("}\n")][1:], code == 0


def pair_rows(asked, runs):
    """A row for each question, of the seeds that both searches have."""
    cost = collections.defaultdict(dict)
    for run in runs:
        cost[run["question"], run["variant"]][run["seed"]] = run
    for question in asked:
        before, now = cost[question["name"], "before"], cost[question["name"], "default"]
        walkers, bare = cost[question["name"], "4 walkers"], cost[question["name"], "before, knowledge=no"]
        seeds = sorted(set(before) & set(now))
        if not seeds:
            continue
        cpu = lambda of, which: [of[seed]["cpu"] for seed in which]
        made = lambda of, which: [of[seed]["positions"] for seed in which]
        missing = sum(run["status"] == "unsolved" for of in (before, now) for run in of.values())
        ratios = [a / b for a, b in zip(cpu(before, seeds), cpu(now, seeds))]
        third = sorted(set(walkers) & set(seeds))
        yield {"question": question["name"], "family": family(question), "seeds": len(seeds), "missing": missing,
               "before": statistics.median(cpu(before, seeds)), "now": statistics.median(cpu(now, seeds)),
               "ratio": geometric(ratios), "least": min(ratios), "most": max(ratios),
               "nodes": [statistics.median(made(before, seeds)), statistics.median(made(now, seeds))],
               "tail": [tail(made(before, seeds)), tail(made(now, seeds))],
               "same_seeds": geometric([a / b for a, b in zip(cpu(before, third), cpu(now, third))]),
               "walkers": geometric([a / b for a, b in zip(cpu(before, third), cpu(walkers, third))]),
               "walkers_tail": tail(made(walkers, third)) if third else math.nan,
               "bare": statistics.median(cpu(bare, sorted(bare))) if bare else None}


def print_default(rows):
    print("CPU seconds and million positions: medians of the seeds; ratios: before by now, geometric means of pairs\n")
    print("%-22s %5s %7s %7s %6s %13s %8s %8s %9s %8s %9s %9s" %
          ("question", "seeds", "before", "now", "ratio", "least, most", "before M", "now M", "p90/med", "walkers",
           "p90/med", "bare"))
    for row in rows:
        print("%-22s %5d %7.2f %7.2f %6.2f %6.2f %6.2f %8.1f %8.1f %4.1f %4.1f %8.2f %9.1f %9s%s" %
              (row["question"], row["seeds"], row["before"], row["now"], row["ratio"], row["least"], row["most"],
               row["nodes"][0] / 1e6, row["nodes"][1] / 1e6, *row["tail"], row["walkers"], row["walkers_tail"],
               "%.1f" % row["bare"] if row["bare"] else "",
               "  %d at the limit" % row["missing"] if row["missing"] else ""))
    games = collections.defaultdict(list)
    for row in rows:
        games[row["family"]].append(row["ratio"])
    worst = min(games, key=lambda name: geometric(games[name]))
    walked = [row for row in rows if not math.isnan(row["walkers"])]
    print("\nratio, geometric mean: %.2f (wanted: 1.4); by game %.2f" %
          (geometric([row["ratio"] for row in rows]), geometric([geometric(of) for of in games.values()])))
    print("slowest game: %s, %.2f times the time before (wanted: at most 1.1)" %
          (worst, 1 / geometric(games[worst])))
    print("90th percentile of the positions at most twice the median: %d of %d (wanted: 9 of 12); before %d" %
          (sum(row["tail"][1] <= 2 for row in rows), len(rows), sum(row["tail"][0] <= 2 for row in rows)))
    if walked:
        print("4 walkers: ratio %.2f, where the default has %.2f; at most twice the median: %d of %d" %
              (geometric([row["walkers"] for row in walked]), geometric([row["same_seeds"] for row in walked]),
               sum(row["walkers_tail"] <= 2 for row in walked), len(walked)))


def compare_defaults(options):
    asked = questions([])
    limits = {"suite": "pairs", "cpu": options.cpu, "memory": MEMORY}
    seeds = range(1, options.seeds + 1)  # a suite for each, so that what was interrupted has all questions
    parts = [("pairs-%d" % seed, seed, PAIR, asked) for seed in seeds]
    parts += [("walkers-%d" % seed, seed, WALKERS, asked) for seed in seeds]
    parts.append(("bare", 1, BARE, [one for one in asked if family(one) in THEOREMS]))
    runs, fine = [], True
    for name, seed, variants, some in parts:
        made, well = run_suite(options, name, [{**limits, "seeds": [seed]}, *variants, *some])
        runs += made
        fine &= well
    rows = list(pair_rows(asked, runs))
    print_default(rows)
    return rows, fine


# --- two sides in turns: another build and this one, or one thread and two ---


def solve_once(options, build, threads, question, seed):
    """A run of `proofctl solve`: wall seconds, and those of processor time from the kernel."""
    command = [os.path.join(build, "proofctl"), "solve", question["game"], "--json", "--memory", MEMORY,
               "--threads", str(threads), "--seed", str(seed), "--seconds", str(options.seconds)]
    for word in ("position", "claim"):
        command += ["--" + word, question[word]] if question.get(word) else []
    begin = time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as child:
        lines = child.stdout.read().splitlines()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - begin
    if child.returncode not in (0, 3):
        sys.exit("%s: exit status %d" % (" ".join(command), child.returncode))
    answer = json.loads(lines[-1])
    value, known = answer["value"], question["value"]
    if isinstance(known, bool):
        wrong = answer["status"] in ("proved", "disproved") and (answer["status"] == "proved") != known
    else:
        wrong = not value["lo"] <= known <= value["hi"]
    nodes = answer["nodes"]
    return {"question": question["name"], "seed": seed, "wall": round(wall, 3),
            "cpu": round(used.ru_utime + used.ru_stime, 3), "wrong": wrong, "solved": child.returncode == 0,
            "positions": nodes.get("positions", nodes["level1"] + nodes["level2"])}


def side_rows(asked, runs, measure):
    for question in asked:
        by = [{run["seed"]: run for run in runs if run["question"] == question["name"] and run["side"] == side}
              for side in (0, 1)]
        seeds = sorted(set(by[0]) & set(by[1]))
        if seeds:
            first, second = (statistics.median(of[seed][measure] for seed in seeds) for of in by)
            made = [[of[seed]["positions"] for seed in seeds] for of in by]
            yield {"question": question["name"], "family": family(question), "seeds": len(seeds), "first": first,
                   "second": second, "ratio": first / second, "tail": tail(made[1]),
                   "positions": statistics.median(made[1]) / statistics.median(made[0]),
                   "missing": sum(not of[seed]["solved"] for of in by for seed in seeds)}


def print_sides(rows, unit, heads, wanted):
    print("%s seconds, medians of the seeds; load now: %s\n" %
          (unit, open("/proc/loadavg", encoding="ascii").read().strip()))
    print("%-22s %5s %8s %8s %9s %10s %8s" % ("question", "seeds", *heads, "ratio", "positions", "p90/med"))
    for row in rows:
        print("%-22s %5d %8.2f %8.2f %9.2f %10.2f %8.1f%s" %
              (row["question"], row["seeds"], row["first"], row["second"], row["ratio"], row["positions"], row["tail"],
               "  %d at the limit" % row["missing"] if row["missing"] else ""))
    games = collections.defaultdict(list)
    for row in rows:
        games[row["family"]].append(row["ratio"])
    least = min(rows, key=lambda row: row["ratio"])
    worst = min(games, key=lambda name: geometric(games[name]))
    print("\nratio, geometric mean: %.2f (wanted: %s); by game %.2f; smallest %.2f, %s; slowest game %s, %.2f" %
          (geometric([row["ratio"] for row in rows]), wanted, geometric([geometric(of) for of in games.values()]),
           least["ratio"], least["question"], worst, geometric(games[worst])))
    print("positions %.2f times; 90th percentile at most twice the median: %d of %d" %
          (geometric([row["positions"] for row in rows]), sum(row["tail"] <= 2 for row in rows), len(rows)))


def program_digest(build):
    with open(os.path.join(build, "proofctl"), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


def compare_sides(options, name, sides):
    """Both sides, each a build and its threads, in turns; from where an interrupted run stopped."""
    marks = ["%s %s" % (program_digest(build), threads) for build, threads in sides]
    path, runs = os.path.join(options.out, name + ".runs"), []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            runs = [json.loads(line) for line in file if line.endswith("}\n")]
        runs = [run for run in runs if run["mark"] == marks[run["side"]] and run["limit"] == options.seconds]
    done = {(run["question"], run["seed"], run["side"]) for run in runs}
    asked = questions(options.only)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(run) + "\n" for run in runs)
        for seed in range(1, options.seeds + 1):
            for question in asked:
                for side in ((0, 1) if seed % 2 else (1, 0)):
                    if (question["name"], seed, side) in done:
                        continue
                    run = {**solve_once(options, *sides[side], question, seed), "side": side, "mark": marks[side],
                           "limit": options.seconds}
                    runs.append(run)
                    file.write(json.dumps(run) + "\n")
                    file.flush()
    wrong = [run for run in runs if run["wrong"]]
    for run in wrong:
        print("WRONG:", run)
    return asked, runs, not wrong


def compare_threads(options):
    asked, runs, fine = compare_sides(options, "threads", [(options.build, 1), (options.build, 2)])
    rows = list(side_rows(asked, runs, "wall"))
    print_sides(rows, "wall", ("one", "two"), "1.85, smallest 1.2")
    return rows, fine


def compare_builds(options):
    asked, runs, fine = compare_sides(options, "builds", [(options.other, 1), (options.build, 1)])
    rows = list(side_rows(asked, runs, "cpu"))
    print_sides(rows, "CPU", ("before", "now"), "1.4, no game under 0.91")
    return rows, fine


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("what", choices=("default", "threads", "builds"))
    parser.add_argument("--other", help="builds: the build to compare with")
    parser.add_argument("--out", default="build/bench")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--cpu", type=float, default=60)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--json")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    if (options.what == "builds") != (options.other is not None):
        parser.error("--other: builds compares with it, and needs it")
    compare = {"default": compare_defaults, "threads": compare_threads, "builds": compare_builds}[options.what]
    rows, fine = compare(options)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return not fine


sys.exit(main())
