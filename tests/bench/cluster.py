"""What searching on many machines costs on one machine, with a nats-server on loopback.

    cluster.py BUILD port         messages of 200 bytes to an echo in another process
    cluster.py BUILD coordinator  leaves posted at a desk, for workers in another process that answer at once; then
                                  without NATS, with the workers in the same process
    cluster.py BUILD crowd        single queries to a server that has 2,000 workers and 5,000 tasks a second
    cluster.py BUILD remote       jobs by two local threads, by one worker of two threads, and by two workers of one

    [--seconds S] [--rounds N] [--quick] [--unix] [--only TEXT] [--json FILE] [--rows FILE]

Processor time is in microseconds a message, task or request. The engine's client is what sending and waiting in the
port cost, without what the port tells its owner, and all other threads but the one that posts.
The ways of a job take turns. With --rows each run of `remote` is a line of FILE, and what FILE has of the same program
is not run again: a measurement that was stopped goes on from there. With --unix the workers of `remote` use a Unix
socket, and no NATS.
"""

import argparse
import hashlib
import json
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from nats import Nats  # noqa: E402
from pyproofd import Server, build_dir, program  # noqa: E402

UTTT = "O;....@....;X.OO...../X..X.O.O./..X...O.O/.X.OXO.../O...X..../.XX....O./......X.O/.O.X.X.../.O.....XX"
JOBS = [  # game, position, claim: 10 to 30 s on two threads
    ("connect4:8x5", "", "value"),
    ("uttt", UTTT, "second-wins"),
    ("breakthrough:6x5", "", "value"),
    ("breakthrough:4x6", "", "value"),
    ("antichess", "rnbqkbnr/ppppp1pp/8/5p2/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins"),
    ("antichess", "rnbqkbnr/pppp1ppp/8/4p3/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins"),
]
QUICK = [  # 1 to 6 s
    ("connect4:8x4", "", "value"),
    ("hex:6", "b2", "first-wins"),
    ("hex:6", "b1", "value"),
    ("breakthrough:5x5", "", "value"),
    ("antichess", "rnbqkb1r/pppppppp/5n2/8/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins"),
    ("atari-go:5x5", "", "value"),
]
CROWD = {"workers": 2000, "beats": 2000, "tasks": 5000, "queries": 1000}
CROWD_P99_US = 1000


def bench(*args):
    command = [program("tests/bench"), "cluster"] + [str(a) for a in args]
    return json.loads(subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout)


class Helper:
    """A bench_cluster that runs until its input ends."""

    def __init__(self, *args):
        self.process = subprocess.Popen([program("tests/bench"), "cluster"] + [str(a) for a in args],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self.process.stdout.readline() != b"ready\n":
            sys.exit("bench_cluster %s did not start" % args[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.said = self.process.stdout.read()
        self.process.wait(60)
        self.process.stdout.close()


def medians(rounds):
    return {key: statistics.median(r[key] for r in rounds) for key in rounds[0]}


def port(options):
    table = []
    print("%-28s %10s %10s %10s %10s %10s" % ("on their way", "messages/s", "cpu us", "waits", "p50 us", "p99 us"))
    with Nats() as nats, Helper("echo", nats.url()):
        for rate, out in ((1000, 1000), (0, 1), (0, 16), (0, 64)):
            m = medians([bench("port", nats.url(), options.seconds, rate, out) for _ in range(options.rounds)])
            name = "%d a second" % rate if rate else str(out)
            print("%-28s %10.0f %10.1f %10.2f %10.0f %10.0f" %
                  (name, m["rate"], m["cpu_us"], m["waits"], m["p50_us"], m["p99_us"]), flush=True)
            table.append(dict(m, out=name))
    return table


COLUMNS = ("rate", "cpu_us", "desk_us", "cluster_us", "send_us", "wait_us", "told_us", "threads_us",
           "messages_out", "messages_in", "waits", "p50_us", "p99_us")


def coordinator(options):
    table = []
    print("%-16s" % "tasks a second" + "".join("%13s" % name for name in COLUMNS))
    with Nats() as nats:
        for where in ("nats", "here"):
            for rate in (1000, 5000):
                rounds = []
                for _ in range(options.rounds):
                    if where == "here":
                        rounds.append(bench("coordinator", where, options.seconds, rate, 16))
                        continue
                    with Helper("workers", nats.url(), 16, 0, 0, 0):
                        rounds.append(bench("coordinator", nats.url(), options.seconds, rate, 16))
                m = medians(rounds)
                m["engine_us"] = m["send_us"] + m["wait_us"] - m["told_us"] + m["threads_us"]
                print("%-16s" % ("%s %d" % (where, rate)) + "".join("%13.2f" % m[name] for name in COLUMNS) +
                      ("   %.1f us of it the engine's client" % m["engine_us"] if where == "nats" else ""), flush=True)
                table.append(dict(m, where=where, wanted=rate))
    return table


# --- a server with many workers -------------------------------------------------------------------


def query(options, server, positions):
    command = [program("tests/bench"), "queries", "proofd", "%s:%d" % server.address, "mnk:4,4,3", positions, "1", "1",
               str(options.seconds), str(server.pid), str(CROWD["queries"])]
    return json.loads(subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout)


def crowd(options):
    """Queries are paced, on a connection of their own; the server's job is one whose leaves come back at once."""
    table = []
    with Nats() as nats:
        env = {"PROOFD_MODULE_DIR": build_dir()}
        with Server("--threads", "1", "--log", "warn", "--workers", nats.url(), "--verify", "none", data=False,
                    env=env) as server:
            positions = os.path.join(server.dir, "positions")
            with open(positions, "w") as file:
                file.write("a1 b2\na1 c3\n")
            server.wait_job(server.rpc("job.submit", game="mnk:4,4,3")["job"])
            for name in ("idle", "a job alone", "a crowd", "a crowd and tasks"):
                mute = CROWD["workers"] if "crowd" in name else 0
                count = 16
                helper = Helper("workers", nats.url(), count, mute, CROWD["beats"], CROWD["tasks"])
                job = None
                with helper:
                    if name in ("a job alone", "a crowd and tasks"):
                        job = server.rpc("job.submit", game="connect4:9x8", memory="256M")["job"]
                    begin = time.monotonic()
                    time.sleep(2)
                    rounds = [query(options, server, positions) for _ in range(options.rounds)]
                    if job:
                        server.rpc("job.cancel", job=job)
                    took = time.monotonic() - begin
                m = dict(medians(rounds), name=name)
                for what, count in json.loads(helper.said).items():
                    m[what] = count / took
                print("%-20s p50 %6.0f us  p99 %6.0f us  worst %6.0f us   %6.0f tasks and %6.0f hellos or heartbeats "
                      "a second" % (name, m["p50_us"], m["p99_us"], max(r["max_us"] for r in rounds), m["answered"],
                                    m["told"]), flush=True)
                table.append(m)
    print("p99 wanted below %d us" % CROWD_P99_US)
    return table


# --- jobs ------------------------------------------------------------------------------------------


def children_cpu():
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


def solve(server, job):
    game, position, claim = job
    begin = time.monotonic()
    end = server.wait_job(server.rpc("job.submit", game=game, position=position, claim=claim, memory="1G")["job"])
    if end["state"] != "solved":
        sys.exit("%s ended as %s" % (game, end["state"]))
    return {"wall": time.monotonic() - begin, "value": [end["result"]["status"], end["result"]["value"]],
            "nodes": end["nodes"]["level2"]}


def locally(job):
    with Server("--threads", "2", "--nice", "0", "--log", "warn", data=False) as server:
        return solve(server, job)


def by_workers(job, nats, workers, threads):
    env = {"PROOFD_MODULE_DIR": build_dir()}
    running, cpu = [], 0
    with Server("--threads", "0", "--nice", "0", "--log", "warn", "--workers", nats.url(), "--verify", "none",
                data=False, env=env) as server:
        try:
            for i in range(workers):
                running.append(subprocess.Popen(
                    [program("proofd"), "worker", "--join", nats.url(), "--threads", str(threads), "--nice", "0",
                     "--memory", "%dM" % (512 * threads), "--log", "warn", "--name", "bench:%d" % i],
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=dict(os.environ, **env)))
                running[-1].stdout.readline()
            time.sleep(1.5)
            found = solve(server, job)
        finally:
            before = children_cpu()
            for worker in running:
                worker.terminate()
                worker.wait(60)
                worker.stdout.close()
            cpu = children_cpu() - before
    return dict(found, workers_cpu=cpu)


WAYS = {
    "local": lambda job, nats: locally(job),
    "shared": lambda job, nats: by_workers(job, nats, 1, 2),
    "apart": lambda job, nats: by_workers(job, nats, 2, 1),
}


def rows_of(path):
    """The runs in a file, by job, round and way; the last line may be cut off."""
    rows = {}
    if path and os.path.exists(path):
        with open(path) as file:
            for line in file:
                row = json.loads(line) if line.endswith("\n") else {}
                if row.get("program") == digest():
                    rows[row["job"], row["round"], row["way"]] = row
    return rows


def digest():
    with open(program("proofd"), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:12]


def run_once(options, nats, job, key):
    cpu = children_cpu()
    row = WAYS[key[2]](job, nats)
    row.update(zip(("job", "round", "way"), key), cpu=children_cpu() - cpu, program=digest())
    if options.rows:
        with open(options.rows, "a") as file:
            file.write(json.dumps(row) + "\n")
    return row


def ratio(rows, what, one, other):
    """The geometric mean over jobs and rounds of one way by another; what: what is compared."""
    logs = [math.log(what(row) / what(rows[job, turn, other])) for (job, turn, way), row in rows.items() if way == one
            if (job, turn, other) in rows]
    return math.exp(statistics.mean(logs))


class Socket:
    """In place of Nats: an address at which the server itself listens."""

    def __enter__(self):
        self.dir = tempfile.mkdtemp(prefix="proofd-test-")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.dir)

    def url(self):
        return "unix://%s/workers" % self.dir


def remote(options):
    rows = rows_of(options.rows)
    print("%-40s %-7s %8s %10s %9s %11s" % ("job", "way", "seconds", "cpu s", "M nodes", "ns a node"), flush=True)
    with (Socket if options.unix else Nats)() as nats:
        for turn in range(options.rounds):
            for job in QUICK if options.quick else JOBS:
                name = " ".join(part[:20] for part in job)
                for way in sorted(WAYS, reverse=turn % 2) if not options.only or options.only in name else ():
                    key = (name, turn, way)
                    row = rows[key] = rows.get(key) or run_once(options, nats, job, key)
                    print("%-40s %-7s %8.1f %10.1f %9.1f %11.1f" % (
                        name, way, row["wall"], row["cpu"], row["nodes"] / 1e6,
                        1e9 * row.get("workers_cpu", row["cpu"]) / row["nodes"]), flush=True)
                    if any(other["value"] != row["value"] for k, other in rows.items() if k[0] == name):
                        sys.exit("%s: the answers differ" % name)
    for one, other in (("local", "shared"), ("local", "apart"), ("apart", "shared")):
        for what in ("wall", "cpu", "nodes"):
            mean = ratio(rows, lambda row: row[what], one, other)
            print("geometric mean of %s by %s, %s: %.2f" % (one, other, what, mean))
    print("a node in the worker, shared by apart: %.3f (wanted 1.05); local by shared, wall: wanted 0.8"
          % ratio(rows, lambda r: r["workers_cpu"] / r["nodes"], "shared", "apart"))
    return list(rows.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("what", choices=("port", "coordinator", "crowd", "remote"))
    parser.add_argument("--seconds", type=float, default=4, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="shorter jobs")
    parser.add_argument("--unix", action="store_true", help="remote: workers without NATS")
    parser.add_argument("--only", help="the jobs in whose name this occurs")
    parser.add_argument("--rows", help="remote: keeps each run here, and does not repeat it")
    parser.add_argument("--json", help="write the table into this file, too")
    options = parser.parse_args()
    os.environ["PROOFD_MODULE_DIR"] = build_dir()
    load = os.getloadavg()
    print("machine load %.1f, %.1f, %.1f on %d processors" % (load + (os.cpu_count(),)), flush=True)
    table = {"port": port, "coordinator": coordinator, "crowd": crowd, "remote": remote}[options.what](options)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"load": load, "rows": table}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
