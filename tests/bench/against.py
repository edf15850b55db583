"""Two builds in turns: what queries and jobs cost a server of this build, and one of another.

    against.py BUILD OTHER queries [--rounds N] [--seconds S] [--facts N]
    against.py BUILD OTHER persistence [--rounds N] [--nodes N] [--game GAME]

queries: both servers have the same facts, and the client program is that of BUILD; a round measures one server after
the other, and the next round begins with the other one. persistence: the same job with the store on disk and in
memory, of both builds, by the search that both have (the default before, without knowledge). Printed are medians, and
the median of the rounds' ratios, BUILD by OTHER, with its standard error; by processor time of the server too. Wall
time is worth something on an idle machine alone.
"""

import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from pyproofd import Client  # noqa: E402

LOADS = (("one connection", 1, 1), ("50 connections", 50, 1), ("1,000 positions a request", 1, 1000))
GAME = "connect4:7x6"
SAME_SEARCH = ({"knowledge": False, "sibling-limit": 0, "budgets": 1}, {"knowledge": False})


class Server:
    """A proofd of a build."""

    def __init__(self, build, words):
        self.process = subprocess.Popen(
            [os.path.join(build, "proofd"), *words, "--listen", "127.0.0.1:0"], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.address = json.loads(self.process.stdout.readline())["listen"]

    def end(self):
        """Stops it; the seconds of processor time that it took."""
        self.process.terminate()
        _, _, used = os.wait4(self.process.pid, 0)
        self.process.returncode = 0
        return used.ru_utime + used.ru_stime


def ratio_line(name, ours, theirs, unit):
    """Rates of the rounds."""
    ratios = [a / b for a, b in zip(ours, theirs)]
    error = statistics.stdev(ratios) / math.sqrt(len(ratios)) if len(ratios) > 1 else math.nan
    print("%-34s %12.4g %12.4g %8.3f (%.3f)  %s" %
          (name, statistics.median(ours), statistics.median(theirs), statistics.median(ratios), error, unit),
          flush=True)


def ask(options, server, connections, keys):
    words = [os.path.join(options.build, "tests", "bench"), "queries", "proofd", server.address, GAME,
             options.positions, str(connections), str(keys), str(options.seconds), str(server.process.pid)]
    out = json.loads(subprocess.run(words, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout)
    if out["bad"]:
        sys.exit("%d replies without what was asked for" % out["bad"])
    return out


def compare_queries(options, work):
    options.positions = os.path.join(work, "positions")
    subprocess.run([os.path.join(options.build, "tests", "bench"), "fill", os.path.join(work, "0"), GAME,
                    str(options.facts), options.positions], check=True, stdin=subprocess.DEVNULL)
    shutil.copytree(os.path.join(work, "0"), os.path.join(work, "1"))
    servers = [Server(build, ["--data", os.path.join(work, str(i)), "--threads", "1", "--log", "warn"])
               for i, build in enumerate((options.build, options.other))]
    try:
        for name, connections, keys in LOADS:
            made = [[], []]
            for turn in range(options.rounds):
                for i in ((0, 1) if turn % 2 == 0 else (1, 0)):
                    made[i].append(ask(options, servers[i], connections, keys))
            ratio_line(name, *([one["rate"] for one in of] for of in made), "requests/s")
            ratio_line("", *([1e6 / one["cpu_us"] for one in of] for of in made), "requests/s of processor time")
    finally:
        for server in servers:
            server.end()


def run_job(options, which, place, work):
    """Nodes a second, of search and of all processor time."""
    data = os.path.join(work, "data")
    server = Server((options.build, options.other)[which],
                    ["--threads", "1", *(["--data", data] if place == "disk" else ["--memory-only"])])
    host, port = server.address.rsplit(":", 1)
    with Client((host, int(port))) as client:
        job = client.rpc("job.submit", game=options.game, budget={"nodes": options.nodes},
                         options=SAME_SEARCH[which])["job"]
        client.wait_job(job)
        told = client.rpc("job.get", job=job)
    cpu = server.end()
    shutil.rmtree(data, ignore_errors=True)
    nodes = told["nodes"]["level1"] + told["nodes"]["level2"]
    return nodes / told["seconds"], nodes / cpu


def compare_persistence(options, work):
    made = {}
    for turn in range(options.rounds):
        for which in ((0, 1) if turn % 2 == 0 else (1, 0)):
            for place in (("disk", "memory") if turn // 2 % 2 == 0 else ("memory", "disk")):
                made.setdefault((place, which), []).append(run_job(options, which, place, work))
    for i, unit in enumerate(("nodes/s", "nodes/s of processor time")):
        rates = {key: [one[i] for one in of] for key, of in made.items()}
        for place in ("disk", "memory"):
            ratio_line(place, rates[place, 0], rates[place, 1], unit)
        for which, name in enumerate(("BUILD", "OTHER")):
            ratio_line("disk by memory, " + name, rates["disk", which], rates["memory", which], unit)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("other")
    parser.add_argument("what", choices=("queries", "persistence"))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=2, help="of each measurement")
    parser.add_argument("--facts", type=int, default=1000000)
    parser.add_argument("--nodes", type=int, default=100000000)
    parser.add_argument("--game", default="connect4:7x5")
    options = parser.parse_args()
    print("load %.1f\n%-34s %12s %12s %8s" % (os.getloadavg()[0], "", "BUILD", "OTHER", "ratio"))
    with tempfile.TemporaryDirectory(prefix="proofd-bench-") as work:
        (compare_queries if options.what == "queries" else compare_persistence)(options, work)


if __name__ == "__main__":
    main()
