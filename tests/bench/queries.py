"""How quickly queries are answered over TCP, compared with Redis with the same contents and the same client program
(bench_queries): a data directory of a million facts (bench_fill), random positions, one connection, 50 connections, and
1,000 positions a request. Rounds alternate between the two servers; the table has the medians, and the median of the
rounds' ratios. Then the same by WebSocket and GET /query, and at last a paced client while jobs search on all threads.

    queries.py BUILD [--rounds N] [--seconds S] [--facts N] [--game NAME] [--json FILE] [--data DIR]

Processor time is the server's own, in microseconds a request. Without redis-server on the machine, proofd is measured
alone.
"""

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import Server, program  # noqa: E402

LOADS = [  # name, connections, keys a request, its share of Redis that is wanted
    ("one connection", 1, 1, 0.85),
    ("50 connections", 50, 1, 0.7),
    ("1,000 keys a request", 1, 1000, 0.5),
]
WEB_LOADS = [("one WebSocket", "ws", 1, 1), ("50 WebSockets", "ws", 50, 1), ("1,000 keys a message", "ws", 1, 1000),
             ("/query, one connection", "http", 1, 1), ("/query, 50 connections", "http", 50, 1)]
PACED_RATE = 1000
PACED_P99_US = 200


class Redis:
    """A redis-server of our own: nothing is saved, nothing is left behind."""

    def __init__(self, directory):
        with socket.socket() as probe:  # a port that is free now
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = "127.0.0.1:%d" % self.port
        self.process = subprocess.Popen(
            ["redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--appendonly", "no",
             "--dir", directory],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                if time.monotonic() > deadline:
                    self.end()
                    break
                time.sleep(0.05)
        sys.exit("redis-server does not start")

    def end(self):
        self.process.kill()
        self.process.wait()


def measure(options, kind, address, pid, connections, keys, rate=None):
    command = [program("tests/bench"), "queries", kind, address, options.game, options.positions, str(connections),
               str(keys),
               str(options.seconds), str(pid)] + ([str(rate)] if rate else [])
    out = json.loads(subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout)
    if out["bad"]:
        sys.exit("%s: %d replies without what was asked for" % (kind, out["bad"]))
    return out


def medians(rounds):
    return {key: statistics.median(r[key] for r in rounds) for key in rounds[0]}


def line(name, server, m):
    return "%-22s %-7s %10.0f %12.0f %9.1f %9.1f %9.2f" % (name, server, m["rate"], m["keys"], m["p50_us"], m["p99_us"],
                                                           m["cpu_us"])


def beside_redis(options, proofd, redis):
    table = []
    print("%-22s %-7s %10s %12s %9s %9s %9s" %
          ("load", "server", "requests/s", "positions/s", "p50 us", "p99 us", "cpu us"))
    for name, connections, keys, wanted in LOADS:
        ours, theirs = [], []
        for _ in range(options.rounds):
            ours.append(measure(options, "proofd", "%s:%d" % proofd.address, proofd.pid, connections, keys))
            if redis:
                theirs.append(measure(options, "redis", redis.address, redis.process.pid, connections, keys))
        row = {"load": name, "connections": connections, "keys": keys, "proofd": medians(ours),
               "rounds": options.rounds}
        print(line(name, "proofd", row["proofd"]))
        if redis:
            ratios = [a["rate"] / b["rate"] for a, b in zip(ours, theirs)]
            row.update(redis=medians(theirs), ratio=statistics.median(ratios), ratios=ratios, wanted=wanted)
            row["ratio_cpu"] = row["redis"]["cpu_us"] / row["proofd"]["cpu_us"]
            print(line("", "redis", row["redis"]))
            print("%-22s ratio %.2f (rounds %.2f to %.2f; wanted %.2f), by processor time %.2f"
                  % ("", row["ratio"], min(ratios), max(ratios), wanted, row["ratio_cpu"]))
        sys.stdout.flush()
        table.append(row)
    return table


def by_web(options, proofd):
    """The same over --http: `fact.query` by WebSocket, and GET /query, whose answers tell of each move."""
    table = []
    for name, kind, connections, keys in WEB_LOADS:
        m = medians([measure(options, kind, "%s:%d" % proofd.http, proofd.pid, connections, keys)
                     for _ in range(options.rounds)])
        print(line(name, kind, m), flush=True)
        table.append({"load": name, "connections": connections, "keys": keys, "proofd": m, "rounds": options.rounds})
    return table


def paced(options, proofd):
    """Before the jobs, and while they search: another game, for what the directory says of the one is not true."""
    threads = os.cpu_count()
    table = []
    for busy in (False, True):
        if busy:
            for i in range(threads):
                proofd.rpc("job.submit", game="connect4:8x7" if options.game != "connect4:8x7" else "connect4:7x6",
                           memory="64M", key="bench%d" % i, threads=1)
            while proofd.rpc("server.stats")["busy"] < threads:
                pass
        m = medians([measure(options, "proofd", "%s:%d" % proofd.address, proofd.pid, 1, 1, PACED_RATE)
                     for _ in range(options.rounds)])
        if busy and proofd.rpc("server.stats")["busy"] < threads:
            sys.exit("the jobs ended too early")
        name = "paced, %d jobs" % threads if busy else "paced, idle"
        print(line(name, "proofd", m) + ("   (p99 wanted below %d us)" % PACED_P99_US if busy else ""), flush=True)
        table.append({"load": name, "busy": busy, "proofd": m, "wanted_p99_us": PACED_P99_US})
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=2, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--facts", type=int, default=1000000)
    parser.add_argument("--game", default="connect4:7x6", help="one whose positions are written as their moves")
    parser.add_argument("--json", help="write the table into this file, too")
    parser.add_argument("--data", help="keep the filled directory here, and use it again")
    options = parser.parse_args()
    work = tempfile.mkdtemp(prefix="proofd-bench-")
    redis = None
    try:
        kept = options.data or work
        options.positions = os.path.join(kept, "positions")
        if not os.path.exists(options.positions):
            os.makedirs(kept, exist_ok=True)
            subprocess.run([program("tests/bench"), "fill", os.path.join(kept, "data"), options.game,
                            str(options.facts),
                            options.positions],
                           check=True, stdin=subprocess.DEVNULL)
        data = os.path.join(work, "copy")
        shutil.copytree(os.path.join(kept, "data"), data)
        if shutil.which("redis-server"):
            redis = Redis(work)
        with Server("--threads", str(os.cpu_count()), "--log", "warn", "--http", "127.0.0.1:0", data=data) as proofd:
            facts = proofd.rpc("server.stats")["facts"]
            print("%d facts; machine load %.1f, %.1f, %.1f on %d processors" %
                  ((facts,) + os.getloadavg() + (os.cpu_count(),)), flush=True)
            if redis:
                subprocess.run([program("tests/bench"), "queries", "copy", "%s:%d" % proofd.address, redis.address,
                                options.game, options.positions],
                               check=True, stdin=subprocess.DEVNULL)
            table = beside_redis(options, proofd, redis) + by_web(options, proofd) + paced(options, proofd)
            load = os.getloadavg()
            print("machine load at the end %.1f, %.1f, %.1f" % load)
    finally:
        if redis:
            redis.end()
        shutil.rmtree(work, ignore_errors=True)
    out = json.dumps({"facts": facts, "seconds": options.seconds, "load": load, "loads": table}, indent=1)
    if options.json:
        with open(options.json, "w") as file:
            file.write(out + "\n")
    else:
        print(out)


if __name__ == "__main__":
    main()
