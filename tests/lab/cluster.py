"""Cluster: jobs whose leaves workers search, while workers, the daemon and the nats-server between them fail.

    cluster.py BUILD [--runs N] [--only NAME] [--doubles] [--share-positions] [--short]
               [--state FILE] [--seconds S] [--seed N] [--share]

A nats-server, a daemon with a short checkpoint interval, two sound workers and, by scenario, one that behaves badly
(cluster_worker.c) solve jobs of different games. After each run all answers are right; jobs and facts that were
acknowledged are there; `proofctl check` finds nothing wrong; all processes have ended as they should. A table says how
much time each fault costs, against the median of runs without a fault. The directory of a finding is kept.

With --share-positions the workers get one another's solved positions (`--share 4M`), and their results count unchecked
(`--verify none`) where the scenario does not verify them. With --state each run without a finding is a line of FILE,
and is not repeated.
"""

import argparse
import json
import math
import os
import random
import re
import statistics
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cluster_rig  # noqa: E402
from cluster_rig import JOBS, MORE_JOBS, SHORT_JOBS, Finding, Rig, Skipped, expect, pause  # noqa: E402

MANY_LIES = {"all": 10, "10": 60}  # a liar with so many lies is noticed, by the share of leaves that is verified
COUNTED = ("sent_again", "late", "refuted", "banned")


class Run:
    """What a scenario may do while the jobs run."""

    def __init__(self, rig, rng, usual_s, share):
        self.rig, self.rng, self.usual_s, self.share = rig, rng, usual_s, share
        self.begin = time.monotonic()

    def some_time(self):
        """Until a moment at which the jobs run, by far most probably."""
        at = self.begin + self.usual_s * self.rng.uniform(0.05, 0.6)
        while time.monotonic() < at:
            self.rig.look_facts()
            self.rig.look()
            pause(min(0.05, at - time.monotonic()))


def nothing(_):
    pass


def worker_killed(run):
    run.some_time()
    worker = run.rng.choice(run.rig.workers)
    worker.kill()
    pause(run.rng.uniform(0, 1 if run.share else 4))
    worker.start()


def engine_killed(run):
    run.some_time()
    run.rig.nats.kill()
    pause(1 if run.share else run.rng.uniform(1, 10))
    run.rig.nats.start()


def half_cut_off(run):
    run.some_time()
    gate = run.rig.gate
    gate.shut()
    pause(1 if run.share else run.rng.uniform(1, 15))
    if run.rng.random() < 0.5:
        gate.hang_up()
    gate.open()


def daemon_killed(run):
    run.some_time()
    for _ in range(1 if run.share else run.rng.randint(1, 2)):
        run.rig.daemon.kill()
        pause(run.rng.uniform(0, 0.5 if run.share else 3))
        run.rig.daemon.start()
        run.rig.look_facts()
        run.rig.look()


def told_off(run):
    """A worker of another version is on the roster, with the reason, and gets nothing to do."""
    run.rig.until(lambda: re.search(r"is refused: .*version 9\.", run.rig.daemon.log()), "the other version is refused")


def banned(run):
    """A worker that lies is found out, if need be with more jobs."""
    rig, more = run.rig, list(MORE_JOBS)
    if not rig.keep_facts and not rig.figures():
        raise Skipped("this server does not take back by itself what a liar gave")

    def found():
        return rig.logged(" is banned: ")

    while not found() and more:
        rig.until(lambda: found() or rig.look(), "the jobs are solved, or the liar found out")
        if not found():
            rig.submit([more.pop(0)])
    if not found():  # lies about leaves that nobody waited for any more, or that were not drawn, are not noticed
        lies = json.loads(rig.workers[-1].stop()[1])["lies"]
        expect(lies < MANY_LIES[rig.verify], "a liar was not found out by %d jobs and %d lies", len(rig.jobs), lies)
        raise Skipped("the liar told only %d lies" % lies)


def lie_shared(rng):
    return ["--lie-shared", str(rng.randint(1, 3))]


class Scenario:
    def __init__(self, does, verify=None, half=False, faults=None, sharing=False):
        self.does, self.verify, self.half, self.sharing = does, verify, half, sharing
        self.faults = faults or (lambda rng: [])
        self.lies = does is banned


SCENARIOS = {
    "worker-killed": Scenario(worker_killed),
    "worker-hung": Scenario(nothing, faults=lambda rng: ["--hang", str(rng.randint(1, 40))]),
    "worker-dies": Scenario(nothing, faults=lambda rng: ["--die", str(rng.randint(1, 40))]),
    "worker-slow": Scenario(nothing, faults=lambda rng: ["--slow", "1000"]),
    "twice": Scenario(nothing, faults=lambda rng: ["--twice", "3"]),
    "reordered": Scenario(nothing, faults=lambda rng: ["--backwards"]),
    "engine-killed": Scenario(engine_killed),
    "half-cut-off": Scenario(half_cut_off, half=True),
    "daemon-killed": Scenario(daemon_killed),
    "other-version": Scenario(told_off, faults=lambda rng: ["--major", "9"]),
    "liar-all": Scenario(banned, "all", faults=lambda rng: ["--lie", str(rng.randint(1, 10))]),
    "sharer-lies-all": Scenario(nothing, "all", faults=lie_shared, sharing=True),
    "sharer-lies": Scenario(nothing, "certificates", faults=lie_shared, sharing=True),
    "liar-10": Scenario(banned, "10", faults=lambda rng: ["--lie", str(rng.randint(1, 3))]),
}


class Row:
    """What came of a scenario's runs."""

    def __init__(self):
        self.runs, self.right, self.lost, self.count = 0, 0, [], dict.fromkeys(COUNTED, 0)
        self.told = False  # the daemon's own figures

    def add(self, count):
        self.told = self.told or len(count) > 1
        for name, value in count.items():
            self.count[name] += value


def read_runs(path):
    """The runs in the file. A last line that a kill has torn is cut off, so that the next one begins on a line."""
    if not os.path.exists(path):
        return []
    with open(path, "r+b") as file:
        text = file.read()
        whole = text.rfind(b"\n") + 1
        file.truncate(whole)
    return [json.loads(line) for line in text[:whole].splitlines()]


class Lab:
    def __init__(self, options):
        self.options, self.usual_s, self.findings, self.rows = options, 6.0, 0, {}
        self.short = options.share or options.short
        self.done = self.read_state()  # (scenario, seed): what a run of this mode took, and its figures

    def read_state(self):
        runs = read_runs(self.options.state) if self.options.state else []
        return {(run["name"], run["seed"]): run for run in runs if run["mode"] == self.mode()}

    def mode(self):
        return [self.options.sharing, self.options.doubles, self.short]

    def keep(self, name, seed, took, count):
        if self.options.state:
            with open(self.options.state, "a") as file:
                run = {"mode": self.mode(), "name": name, "seed": seed, "took": took, "count": count}
                file.write(json.dumps(run) + "\n")

    def one(self, name, scenario, seed):
        """One run; returns seconds from the first submit to the last answer."""
        row = self.rows.setdefault(name, Row())
        row.runs += 1
        if (name, seed) in self.done:
            row.right += 1
            row.add(self.done[name, seed]["count"])
            return self.done[name, seed]["took"]
        rng = random.Random(seed)
        sharing = self.options.sharing or scenario.sharing
        rig = Rig(scenario.verify or ("none" if sharing else None), scenario.half, self.options.doubles, sharing)
        try:
            rig.start()
            rig.keep_facts = not (scenario.lies and scenario.verify != "all")
            faults = scenario.faults(rng)
            faulty = rig.add_faulty(rng, faults) if faults else None
            if faulty and "--major" not in faults:
                rig.await_workers(3)
            run = Run(rig, rng, self.usual_s, self.short)
            jobs = list(SHORT_JOBS if self.short else JOBS)
            rng.shuffle(jobs)
            rig.submit(jobs)
            scenario.does(run)
            rig.await_jobs()
            took = time.monotonic() - run.begin
            count = self.figures(rig)
            said = rig.finish()
            if faulty and said and "--major" in faults:
                expect(said["tasks"] == 0, "a worker of another version got %d tasks", said["tasks"])
            if scenario.lies:
                expect(said["lies"], "the liar did not lie")
            if scenario.sharing:
                if not said["lies_shared"]:
                    raise Skipped("the others were done before the liar had something to share")
                expect(not count["banned"], "a worker is banned although nobody lied about a leaf")
            rig.end()
            left = rig.left()
            expect(not left, "processes %s are left", left)
            row.right += 1
            row.add(count)
            self.keep(name, seed, took, count)
            rig.remove()
            return took
        except Skipped as reason:
            print("%s: skipped: %s" % (name, reason), flush=True)
            row.runs -= 1
            rig.end()
            rig.remove()
            return None
        except Exception as problem:  # whatever it is: it is kept
            self.findings += 1
            rig.end()
            print("FINDING %s seed %d: %s\n  kept: %s" % (
                name, seed, problem if isinstance(problem, Finding) else traceback.format_exc(), rig.dir), flush=True)
            return None
        except BaseException:
            rig.end()
            rig.remove()
            raise

    @staticmethod
    def figures(rig):
        told = rig.figures().get("cluster", {})
        return {name: told[name] for name in COUNTED if name in told} or {"banned": rig.logged(" is banned: ")}

    def run(self):
        options, begin = self.options, time.monotonic()
        runs = 1 if options.share else options.runs
        usual = [self.one("undisturbed", Scenario(nothing), options.seed + i) for i in range(1 if options.share else 5)]
        usual = [took for took in usual if took]
        if usual:
            self.usual_s = statistics.median(usual)
        print("undisturbed: %.2f s (median of %d)" % (self.usual_s, len(usual)), flush=True)
        names = [options.only] if options.only else list(SCENARIOS)
        for i in range(runs):
            for name in names:
                if time.monotonic() - begin > options.seconds:
                    break
                took = self.one(name, SCENARIOS[name], options.seed + i)
                if took:
                    self.rows[name].lost.append(took - self.usual_s)
                    print("%-15s seed %d: %.2f s, lost %.2f" % (name, options.seed + i, took, took - self.usual_s),
                          flush=True)
        self.table()
        print("%d findings in %.0f s" % (self.findings, time.monotonic() - begin))
        return 1 if self.findings else 0

    def table(self):
        print("\n%-14s %5s %5s %12s %12s %10s %6s %8s %7s" % (
            "scenario", "runs", "right", "lost, median", "lost, most", "sent again", "late", "refuted", "banned"))
        for name, row in self.rows.items():
            lost = row.lost or [0.0]
            count = [str(row.count[c]) if row.told or c == "banned" else "-" for c in COUNTED]
            print("%-15s %5d %5d %10.2f s %10.2f s %10s %6s %8s %7s" % (
                name, row.runs, row.right, statistics.median(lost), max(lost), *count))


def main():
    parser = argparse.ArgumentParser(prog="./dev lab cluster",
                                     description="Faults of workers, daemon and nats-server while jobs run.")
    parser.add_argument("build", help="build directory (./dev gives it)")
    parser.add_argument("--runs", type=int, default=50, help="of each scenario")
    parser.add_argument("--only", choices=list(SCENARIOS), default=None)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--doubles", action="store_true",
                        help="the sound workers are not proofd worker either: whose fault is a finding?")
    parser.add_argument("--share-positions", dest="sharing", action="store_true",
                        help="the workers get one another's solved positions")
    parser.add_argument("--short", action="store_true", help="shorter jobs and pauses, as with --share")
    parser.add_argument("--state", help="keeps each right run in this file, and does not repeat it")
    parser.add_argument("--seconds", type=float, default=math.inf, help="no run begins after that time")
    parser.add_argument("--share", action="store_true", help="one run of each")
    options = parser.parse_args()
    if not cluster_rig.possible():
        print("skipped: " + cluster_rig.WITHOUT)
        return
    print("seed %d" % options.seed)
    sys.exit(Lab(options).run())


if __name__ == "__main__":
    main()
