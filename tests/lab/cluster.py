"""Cluster: jobs whose leaves workers search, while workers, the daemon and the nats-server between them fail.

    cluster.py BUILD [--runs N] [--only NAME] [--doubles] [--seed N] [--share]

A nats-server, a daemon with a short checkpoint interval, two sound workers and, by scenario, one that behaves badly
(cluster_worker.c) solve jobs of different games. After each run all answers are right; jobs and facts that were
acknowledged are there; `proofctl check` finds nothing wrong; all processes have ended as they should. A table says how
much time each fault costs, against the median of runs without a fault. The directory of a finding is kept.
"""

import argparse
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
    expect(found(), "a liar was not found out by %d jobs", len(rig.jobs))


class Scenario:
    def __init__(self, does, verify=None, half=False, faults=None):
        self.does, self.verify, self.half = does, verify, half
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
    "liar-10": Scenario(banned, "10", faults=lambda rng: ["--lie", str(rng.randint(1, 3))]),
}


class Row:
    """What came of a scenario's runs."""

    def __init__(self):
        self.runs, self.right, self.lost, self.count = 0, 0, [], dict.fromkeys(COUNTED, 0)
        self.told = False  # the daemon's own figures


class Lab:
    def __init__(self, options):
        self.options, self.usual_s, self.findings, self.rows = options, 6.0, 0, {}

    def one(self, name, scenario, seed):
        """One run; returns seconds from the first submit to the last answer."""
        rng = random.Random(seed)
        rig = Rig(scenario.verify, scenario.half, self.options.doubles)
        row = self.rows.setdefault(name, Row())
        row.runs += 1
        try:
            rig.start()
            rig.keep_facts = not (scenario.lies and scenario.verify != "all")
            faults = scenario.faults(rng)
            faulty = rig.add_faulty(rng, faults) if faults else None
            if faulty and "--major" not in faults:
                rig.await_workers(3)
            run = Run(rig, rng, self.usual_s, self.options.share)
            jobs = list(SHORT_JOBS if self.options.share else JOBS)
            rng.shuffle(jobs)
            rig.submit(jobs)
            scenario.does(run)
            rig.await_jobs()
            took = time.monotonic() - run.begin
            self.add_figures(row, rig)
            said = rig.finish()
            if faulty and said and "--major" in faults:
                expect(said["tasks"] == 0, "a worker of another version got %d tasks", said["tasks"])
            if scenario.lies:
                expect(said["lies"], "the liar did not lie")
            rig.end()
            left = rig.left()
            expect(not left, "processes %s are left", left)
            row.right += 1
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

    def add_figures(self, row, rig):
        figures = rig.figures().get("cluster", {})
        for name in COUNTED:
            if name in figures:
                row.told = True
                row.count[name] += figures[name]
        if not row.told:
            row.count["banned"] += rig.logged(" is banned: ")

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
                took = self.one(name, SCENARIOS[name], options.seed + i)
                if took:
                    self.rows[name].lost.append(took - self.usual_s)
                    print("%-14s seed %d: %.2f s, lost %.2f" % (name, options.seed + i, took, took - self.usual_s),
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
            print("%-14s %5d %5d %10.2f s %10.2f s %10s %6s %8s %7s" % (
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
    parser.add_argument("--share", action="store_true", help="one run of each")
    options = parser.parse_args()
    if not cluster_rig.possible():
        print("skipped: " + cluster_rig.WITHOUT)
        return
    print("seed %d" % options.seed)
    sys.exit(Lab(options).run())


if __name__ == "__main__":
    main()
