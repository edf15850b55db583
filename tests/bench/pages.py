"""What open pages cost the search: the rate of a job alone, and while ten pages show it, in turns.

    pages.py BUILD [--explorer] [--pages N] [--seconds S] [--rounds N] [--threads N] [--json FILE]

A page is a WebSocket that does what clients/web does while it shows a job: the history once, a watch with a line a
second, job.explain every five seconds, and job.tree every two, which only a page with an open tree asks for that often;
or, with --explorer, while it shows the position of the job in the explorer, with its numbers twice a second.
Browsers would take the processors themselves, and are left out. Prints the rate of each turn, for a second of wall
time, of the server's processor time and of that of its search threads, and the median ratios with their standard
errors.
"""

import argparse
import json
import os
import select
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import Server, build_dir  # noqa: E402
from web import Socket  # noqa: E402

EXPLAIN_S, TREE_S = 5, 2
GAME = "connect4:7x6"


class Explorer:
    """The explorer at the position of job 1, as clients/web/rpc.mjs follows it."""

    def __init__(self, server, _):
        self.socket = Socket(server)
        self.socket.rpc("server.hello")
        self.socket.rpc("position.watch", game=GAME, position="", moves=[], depth=4, interval=0.5)
        self.read = 0

    def ask(self, now):
        pass

    def take(self):
        self.socket.message()
        self.read += 1


class Page(Explorer):
    """One page on job 1; its requests come at times of its own."""

    def __init__(self, server, part):
        self.socket = Socket(server)
        self.socket.rpc("server.hello")
        self.socket.rpc("job.history", job=1, limit=5000)
        self.socket.rpc("job.watch", job=1, interval=1)
        now = time.monotonic()
        self.read = 0
        self.explain, self.tree = now + EXPLAIN_S * part, now + TREE_S * part

    def ask(self, now):
        if now >= self.explain:
            self.socket.ask("job.explain", job=1)
            self.explain += EXPLAIN_S
        if now >= self.tree:
            self.socket.ask("job.tree", job=1, depth=1, nodes_max=500)
            self.tree += TREE_S


def show(server, kind, count, seconds):
    """That many pages for so long; the messages that they read."""
    pages = [kind(server, i / count) for i in range(count)]
    end = time.monotonic() + seconds
    while (now := time.monotonic()) < end:
        for page in pages:
            page.ask(now)
        for page in pages:
            while page.socket.buffer or select.select([page.socket.socket], [], [], 0)[0]:
                page.take()
        time.sleep(0.02)
    for page in pages:
        page.socket.close()
    return sum(page.read for page in pages)


def looked_at(server):
    """Nodes of the job; the time; the processor time of the server and of its search threads in seconds."""
    job = server.rpc("job.get", job=1)
    with open("/proc/%d/stat" % server.pid) as stat:
        words = stat.read().rsplit(")", 1)[1].split()
    used = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return job["nodes"]["level1"] + job["nodes"]["level2"], time.monotonic(), used, job["cpu"]


def turn(server, kind, count, seconds):
    """Nodes per second of wall time, of the server's processor time, and of that of its search threads."""
    nodes, *before = looked_at(server)
    if count:
        if not show(server, kind, count, seconds):
            sys.exit("the pages were told nothing")
    else:
        time.sleep(seconds)
    nodes_after, *after = looked_at(server)
    return [(nodes_after - nodes) / max(late - early, 0.01) for late, early in zip(after, before)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--explorer", action="store_true", help="pages of the explorer instead of the job's")
    parser.add_argument("--pages", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=8, help="of a turn")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json")
    options = parser.parse_args()
    build_dir()
    ratios, kind = [], Explorer if options.explorer else Page
    with Server("--threads", str(options.threads), "--http", "127.0.0.1:0", "--log", "warn") as server:
        server.rpc("job.submit", game=GAME, memory="512M", options={"knowledge": False})
        turn(server, kind, 0, options.seconds)  # until it has found its rate
        for number in range(options.rounds):
            rates = {}
            for count in (0, options.pages) if number % 2 else (options.pages, 0):
                rates[count] = turn(server, kind, count, options.seconds)
            ratios.append([shown / alone for shown, alone in zip(rates[options.pages], rates[0])])
            print("alone %.0f nodes/s, with %d pages %.0f, ratio %.3f; by processor time %.3f, by the search's %.3f" %
                  (rates[0][0], options.pages, rates[options.pages][0], *ratios[-1]), flush=True)
    medians = [statistics.median(column) for column in zip(*ratios)]
    errors = [1.253 * statistics.stdev(column) / len(column) ** 0.5 for column in zip(*ratios)]
    print("median ratio %.3f (%.3f), by processor time %.3f (%.3f), by the search's %.3f (%.3f)" %
          tuple(figure for pair in zip(medians, errors) for figure in pair))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"pages": options.pages, "ratios": ratios, "median": medians[0], "by_cpu": medians[1],
                       "by_search": medians[2]}, file)


if __name__ == "__main__":
    main()
