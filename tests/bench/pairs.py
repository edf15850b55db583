"""Twelve long questions of eight games (pairs.jsonl), asked in turns: the default against the one before, and two
threads against one.

    pairs.py BUILD default [--out DIR] [--seeds N] [--cpu S] [--report] [--json FILE]
    pairs.py BUILD threads [--out DIR] [--seeds N] [--seconds S] [--only NAME...] [--json FILE]

Both go on where an interrupted run stopped, with the results in DIR (build/bench). `default` takes processor time from
the kernel, then four walkers and, of the games with theorems, the search without them; --report prints what is there.
`threads` measures wall time, so nothing else may run. A run that reaches the limit counts with the limit.
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


# --- two threads and one ---


def run_threads(options, question, seed, threads):
    command = [os.path.join(options.build, "proofctl"), "solve", question["game"], "--json", "--memory", MEMORY,
               "--threads", str(threads), "--seed", str(seed), "--seconds", str(options.seconds)]
    for word in ("position", "claim"):
        command += ["--" + word, question[word]] if question.get(word) else []
    begin = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
    wall = time.monotonic() - begin
    if done.returncode not in (0, 3):
        sys.exit("%s: exit status %d" % (" ".join(command), done.returncode))
    answer = json.loads(done.stdout.splitlines()[-1])
    value, known = answer["value"], question["value"]
    if isinstance(known, bool):
        wrong = answer["status"] in ("proved", "disproved") and (answer["status"] == "proved") != known
    else:
        wrong = not value["lo"] <= known <= value["hi"]
    return {"question": question["name"], "seed": seed, "threads": threads, "seconds": round(wall, 3), "wrong": wrong,
            "solved": done.returncode == 0, "positions": answer["nodes"]["positions"]}


def thread_rows(asked, runs):
    for question in asked:
        by = {n: {run["seed"]: run for run in runs if run["question"] == question["name"] and run["threads"] == n}
              for n in (1, 2)}
        seeds = sorted(set(by[1]) & set(by[2]))
        if seeds:
            one, two = (statistics.median(by[n][seed]["seconds"] for seed in seeds) for n in (1, 2))
            made = [statistics.median(by[n][seed]["positions"] for seed in seeds) for n in (1, 2)]
            yield {"question": question["name"], "seeds": len(seeds), "one": one, "two": two, "speedup": one / two,
                   "positions": made[1] / made[0],
                   "missing": sum(not by[n][seed]["solved"] for n in (1, 2) for seed in seeds)}


def print_threads(rows):
    print("wall seconds, medians of the seeds; load now: %s\n" % open("/proc/loadavg", encoding="ascii").read().strip())
    print("%-22s %5s %8s %8s %9s %10s" % ("question", "seeds", "one", "two", "speed-up", "positions"))
    for row in rows:
        print("%-22s %5d %8.2f %8.2f %9.2f %10.2f%s" %
              (row["question"], row["seeds"], row["one"], row["two"], row["speedup"], row["positions"],
               "  %d at the limit" % row["missing"] if row["missing"] else ""))
    least = min(rows, key=lambda row: row["speedup"])
    print("\nspeed-up, geometric mean: %.2f (wanted: 1.85); smallest %.2f, %s (wanted: 1.2); positions %.2f times" %
          (geometric([row["speedup"] for row in rows]), least["speedup"], least["question"],
           geometric([row["positions"] for row in rows])))


def compare_threads(options):
    with open(os.path.join(options.build, "proofctl"), "rb") as file:
        program = hashlib.sha256(file.read()).hexdigest()[:16]
    path, runs = os.path.join(options.out, "threads.runs"), []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            runs = [json.loads(line) for line in file if line.endswith("}\n")]
        runs = [run for run in runs if run["program"] == program and run["limit"] == options.seconds]
    done = {(run["question"], run["seed"], run["threads"]) for run in runs}
    asked = questions(options.only)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(run) + "\n" for run in runs)
        for seed in range(1, options.seeds + 1):
            for question in asked:
                for threads in ((1, 2) if seed % 2 else (2, 1)):
                    if (question["name"], seed, threads) in done:
                        continue
                    run = {**run_threads(options, question, seed, threads), "program": program,
                           "limit": options.seconds}
                    runs.append(run)
                    file.write(json.dumps(run) + "\n")
                    file.flush()
    rows = list(thread_rows(asked, runs))
    print_threads(rows)
    wrong = [run for run in runs if run["wrong"]]
    for run in wrong:
        print("WRONG:", run)
    return rows, not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("what", choices=("default", "threads"))
    parser.add_argument("--out", default="build/bench")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--cpu", type=float, default=60)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--json")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    rows, fine = (compare_defaults if options.what == "default" else compare_threads)(options)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return not fine


sys.exit(main())
