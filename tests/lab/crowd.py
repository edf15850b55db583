"""A crowd: 200 connections, a third of them by --http, at a server whose search threads are all busy. Half of them ask
at a steady pace, come and go, watch, or administrate, and every answer to them is held to what the server said when it
was quiet; the others flood it, never read, send half a line or another protocol, and tear connections.

    crowd.py BUILD [--seconds 600] [--connections 200] [--seed S] [--rate N] [--flood N] [--share]

In turns the search has the server to itself, then with the crowd, so that a noisy machine does not decide. The search's
rate is printed for a second of wall time and for a second of processor time of the search threads: the clients run on
the same processors, and what they take is no loss by the server. Exit status 1: an answer that is wrong, missing or not
asked for, a client disconnected without reason, memory, descriptors or log beyond their bounds, or a search that is
slower by more than a tenth for each second of processor time.
"""

import argparse
import multiprocessing
import os
import random
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import crowd_polite  # noqa: E402
import crowd_wild  # noqa: E402
from crowd_hub import Finding  # noqa: E402
from pyproofd import Server, build_has  # noqa: E402

MB = 1 << 20
TABLE = 64 * MB        # of each job
BUFFERS = 64 * MB      # --buffers-max
SLACK = 96 * MB        # what else may come: facts that are not flushed yet, requests in work, what malloc keeps
STALL_S = 5
LOSS = 0.9             # the least share of its rate that the search keeps
LOG_BYTES_S = 3000     # of the log, a second; the jobs of the administrators have two lines each
LOG_BYTES = 64 << 10
CROWD_S, ALONE_S = 20, 10
PATIENCE_S = 180


def say(text, *values):
    print(text % values, flush=True)


class Usage:
    """What the search and the processes have used so far."""

    def __init__(self, server, jobs, others):
        states = [server.admin("job.get", job=job) for job in jobs]
        self.wall = time.monotonic()
        for state in states:
            if state["state"] != "running":
                raise Finding("job %d is %s: %s" % (state["job"], state["state"], state["reason"]))
        self.nodes = sum(state["nodes"]["level1"] + state["nodes"]["level2"] for state in states)
        self.search = sum(state["cpu"] for state in states)
        self.server = seconds_of(server.pid)
        self.clients = sum(seconds_of(process.pid) for process in others) + time.process_time()

    def since(self, before):
        """Rates since an earlier moment: nodes a second of wall time, and of processor time of the search; shares of
        the processors that the search, the rest of the server, and the clients had."""
        wall = self.wall - before.wall
        search, server = self.search - before.search, self.server - before.server
        processors = wall * os.cpu_count()
        nodes = self.nodes - before.nodes
        return {"wall": nodes / wall, "processor": nodes / max(search, 1e-9), "search": search / processors,
                "rest": max(0.0, server - search) / processors,
                "clients": (self.clients - before.clients) / processors}


def seconds_of(pid):
    """Processor time of a process, all its threads."""
    with open("/proc/%d/stat" % pid) as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def share(part, whole):
    """NaN, which is below no bound and above none, when there is nothing to compare with."""
    return part / whole if whole else float("nan")


def descriptors(server):
    return len(os.listdir("/proc/%d/fd" % server.pid))


class Lab:
    def __init__(self, options):
        self.options = options
        self.findings = []
        self.times, self.late, self.count = {}, [], {}
        self.memory_max = 0
        self.notifications = 0
        self.alone, self.crowded = [], []

    def find(self, what):
        if len(self.findings) < 20 and what not in self.findings:
            self.findings.append(what)
            say("FINDING: %s", what)

    def prepare(self, server):
        """Known facts, the answers of the quiet server, and jobs that keep all search threads busy."""
        solved = server.rpc("job.submit", game=crowd_polite.GAME, detail="full", memory="4M")["job"]
        server.wait_job(solved)
        rng = random.Random(self.options.seed)
        with server.connect() as client:
            asked = crowd_polite.questions(rng, client)
        memory = server.memory("RssAnon")
        jobs = [server.rpc("job.submit", game=game, memory=TABLE, threads=1)["job"]
                for game in ["connect4:9x6", "connect4:8x7", "connect4:7x8", "connect4:9x7"] * 64][:self.threads]
        end = time.monotonic() + PATIENCE_S
        while server.rpc("server.stats")["busy"] < self.threads:
            if time.monotonic() > end:
                raise Finding("not all search threads are busy")
        return asked, jobs, memory

    def processes(self, server, asked, jobs):
        count = self.options.connections
        polite = max(8, count // 2)
        admins, watching, passing = 2, max(1, polite // 10), max(1, polite // 8)
        setup = {"address": server.address, "http": server.http, "socket": server.socket_path, "jobs": jobs,
                 "seed": self.options.seed, "rate": self.options.rate, "flood": self.options.flood,
                 "admins": admins, "watching": watching, "passing": passing,
                 "paced": polite - admins - watching - passing, "wild": count - polite}
        self.pipes, others = [], []
        for serve, extra in ((crowd_polite.serve, (asked,)), (crowd_wild.serve, ())):
            ours, theirs = multiprocessing.Pipe()
            process = multiprocessing.Process(target=serve, args=(theirs, setup) + extra, daemon=True)
            process.start()
            self.pipes.append(ours)
            others.append(process)
        return others

    def watch(self, server, until, pipe=None):
        """Looks at the memory once a second, until that time or until something comes through the pipe."""
        while True:
            self.memory_max = max(self.memory_max, server.memory("RssAnon"))
            left = until - time.monotonic()
            if left <= 0:
                return
            if pipe:
                if pipe.poll(min(1.0, left)):
                    return
            else:
                time.sleep(min(1.0, left))

    def turn(self, server, seconds):
        """The crowd comes, and goes."""
        for pipe in self.pipes:
            pipe.send(seconds)
        self.watch(server, time.monotonic() + seconds)
        usage = Usage(server, self.jobs, self.others)
        for pipe in self.pipes:
            self.watch(server, time.monotonic() + seconds + 3 * PATIENCE_S, pipe)
            if not pipe.poll(0):
                raise Finding("the clients do not come to an end")
            self.take(pipe.recv())
        return usage

    def take(self, report):
        for what in report["findings"]:
            self.find(what)
        for kind, times in report.get("times", {}).items():
            self.times.setdefault(kind, []).extend(times)
        for kind, count in report.get("count", {}).items():
            self.count[kind] = self.count.get(kind, 0) + count
        self.late += report.get("late", [])
        self.notifications += report.get("notifications", 0)

    def wait_gone(self, server):
        """All have gone, and the server has noticed."""
        end = time.monotonic() + PATIENCE_S
        while True:
            connections, open_now = server.admin("server.stats")["connections"], descriptors(server)
            if connections == self.connections and open_now <= self.descriptors:
                return
            if time.monotonic() > end:
                self.find("%d connections and %d descriptors are left; before the crowd there were %d and %d"
                          % (connections, open_now, self.connections, self.descriptors))
                return

    def run(self):
        options = self.options
        self.threads = os.cpu_count()
        say("seed %d; %d connections, %d search threads; machine load %.1f, %.1f, %.1f", options.seed,
            options.connections, self.threads, *os.getloadavg())
        with Server("--threads", str(self.threads), "--memory", "%d" % (2 * self.threads * TABLE), "--buffers-max",
                    str(BUFFERS), "--stall", str(STALL_S), "--connections", str(options.connections + 100),
                    "--http", "127.0.0.1:0") as server:
            asked, self.jobs, memory = self.prepare(server)
            server.admin("server.hello")
            self.others = self.processes(server, asked, self.jobs)
            self.connections, self.descriptors = server.admin("server.stats")["connections"], descriptors(server)
            turns = max(2, round(options.seconds / options.crowd_s))
            for number in range(turns):
                before = Usage(server, self.jobs, self.others)
                self.watch(server, time.monotonic() + options.alone_s)
                begin = Usage(server, self.jobs, self.others)
                self.alone.append(begin.since(before))
                self.crowded.append(self.turn(server, options.seconds / turns).since(begin))
                self.wait_gone(server)
                say("turn %d: %.0f nodes a second alone, %.0f with the crowd; for a second of processor time %.0f and "
                    "%.0f; %.0f MB", number + 1, self.alone[-1]["wall"], self.crowded[-1]["wall"],
                    self.alone[-1]["processor"], self.crowded[-1]["processor"], server.memory("RssAnon") / MB)
            for pipe in self.pipes:
                pipe.send(None)
            for process in self.others:
                process.join()
            self.judge(server, memory)

    def median(self, rows, name):
        return statistics.median(row[name] for row in rows)

    def judge(self, server, memory):
        bound = memory + self.threads * TABLE + BUFFERS + SLACK
        log = os.path.getsize(server.log_path)
        log_bound = LOG_BYTES + LOG_BYTES_S * self.options.seconds
        ended = [line for line in server.log().splitlines() if " disconnected: " in line]
        dropped = sum(int(line.rsplit("; ", 1)[1].split()[0]) for line in ended)
        if server.terminate():
            self.find("the server ended badly")
        say("\n%-20s %9s %10s %10s %10s", "what", "answers", "p50 ms", "p99 ms", "longest")
        for kind, times in sorted(self.times.items()):
            times.sort()
            say("%-20s %9d %10.2f %10.2f %10.2f", kind, len(times), times[len(times) // 2] * 1e3,
                times[len(times) * 99 // 100] * 1e3, times[-1] * 1e3)
        self.late.sort()
        if self.late:
            say("the paced clients themselves came late by %.2f ms (p50), %.2f ms (p99)",
                self.late[len(self.late) // 2] * 1e3, self.late[len(self.late) * 99 // 100] * 1e3)
        else:
            self.find("no paced client has asked for anything")
        say("%d notifications read; wild clients came: %s", self.notifications,
            ", ".join("%s %d" % pair for pair in sorted(self.count.items())))
        say("memory: %.0f MB before the jobs, %.0f MB at most, bound %.0f MB", memory / MB, self.memory_max / MB,
            bound / MB)
        say("log: %d bytes, bound %d; %d lines about %d clients that were disconnected", log, log_bound, len(ended),
            dropped)
        for rows, name in ((self.alone, "alone"), (self.crowded, "crowd")):
            say("%-6s %12.0f nodes a second, %12.0f a second of processor time; of the processors the search has "
                "%3.0f %%, the rest of the server %3.0f %%, the clients %3.0f %%", name, self.median(rows, "wall"),
                self.median(rows, "processor"),
                *(100 * self.median(rows, what) for what in ("search", "rest", "clients")))
        # In a short turn on a busy machine the search may have got nothing done, or the clients everything.
        wall = share(self.median(self.crowded, "wall"), self.median(self.alone, "wall"))
        fair = share(self.median(self.crowded, "processor"), self.median(self.alone, "processor"))
        free = 1 - self.median(self.crowded, "clients")
        say("the search keeps %.3f of its rate for a second of processor time, %.3f for one of wall time (%.3f of what "
            "the clients leave)", fair, wall, share(wall, free))
        sanitized = build_has("fsanitize")
        if self.memory_max > bound and not sanitized:
            self.find("the server has %.0f MB, and %.0f MB are the bound" % (self.memory_max / MB, bound / MB))
        if log > log_bound:
            self.find("the log has %d bytes, and %d are the bound" % (log, log_bound))
        if not fair >= LOSS and not self.options.share and not sanitized:
            self.find("the search loses %.1f %% for a second of processor time" % (100 - 100 * fair))


def main():
    parser = argparse.ArgumentParser(prog="./dev lab crowd", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="build directory (./dev gives it)")
    parser.add_argument("--seconds", type=float, default=600, help="of crowd; the turns alone come in addition")
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--rate", type=int, default=1000, help="requests a second of all paced clients together")
    parser.add_argument("--flood", type=int, default=5000, help="requests a second of all floods together")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--share", action="store_true", help="a few seconds of it; the search's rate is not judged")
    options = parser.parse_args()
    options.crowd_s, options.alone_s = CROWD_S, ALONE_S
    if options.share:
        options.seconds, options.connections, options.crowd_s, options.alone_s = 6, 60, 3, 0.5
        options.rate, options.flood = 200, 500
    lab = Lab(options)
    try:
        lab.run()
    except Finding as finding:
        lab.find(str(finding))
    return 1 if lab.findings else 0


if __name__ == "__main__":
    sys.exit(main())
