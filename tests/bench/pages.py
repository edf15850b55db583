"""What open pages cost the search: the rate of a job alone, and while ten pages show it, in turns.

    pages.py BUILD [--pages N] [--seconds S] [--rounds N] [--threads N] [--json FILE]

A page is a WebSocket that does what clients/web does while it shows a job: the history once, a watch with a line a
second, job.explain every five seconds, and job.tree every two, which only a page with an open tree asks for that often.
Browsers would take the processors themselves, and are left out. Prints the rate of each turn, for a second of wall time
and of the server's processor time, and the median ratios.
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


class Page:
    """One page on job 1; its requests come at times of its own."""

    def __init__(self, server, part):
        self.socket = Socket(server)
        self.socket.rpc("server.hello")
        self.socket.rpc("job.history", job=1, limit=5000)
        self.socket.rpc("job.watch", job=1, interval=1)
        now = time.monotonic()
        self.explain, self.tree, self.read = now + EXPLAIN_S * part, now + TREE_S * part, 0

    def ask(self, now):
        if now >= self.explain:
            self.socket.ask("job.explain", job=1)
            self.explain += EXPLAIN_S
        if now >= self.tree:
            self.socket.ask("job.tree", job=1, depth=1, nodes_max=500)
            self.tree += TREE_S

    def take(self):
        self.socket.message()
        self.read += 1


def show(server, count, seconds):
    """That many pages for so long; the messages that they read."""
    pages = [Page(server, i / count) for i in range(count)]
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
    """Nodes of the job; the time; the server's processor time in seconds."""
    counts = server.rpc("job.get", job=1)["nodes"]
    with open("/proc/%d/stat" % server.pid) as stat:
        words = stat.read().rsplit(")", 1)[1].split()
    used = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return counts["level1"] + counts["level2"], time.monotonic(), used


def turn(server, count, seconds):
    """Nodes for a second of wall time, and of processor time."""
    nodes, wall, used = looked_at(server)
    if count:
        if not show(server, count, seconds):
            sys.exit("the pages were told nothing")
    else:
        time.sleep(seconds)
    nodes_after, wall_after, used_after = looked_at(server)
    return (nodes_after - nodes) / (wall_after - wall), (nodes_after - nodes) / (used_after - used)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--pages", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=8, help="of a turn")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json")
    options = parser.parse_args()
    build_dir()
    ratios = []
    with Server("--threads", str(options.threads), "--http", "127.0.0.1:0", "--log", "warn") as server:
        server.rpc("job.submit", game="connect4:7x6", memory="512M")
        turn(server, 0, options.seconds)  # until it has found its rate
        for number in range(options.rounds):
            rates = {}
            for count in (0, options.pages) if number % 2 else (options.pages, 0):
                rates[count] = turn(server, count, options.seconds)
            ratios.append([shown / alone for shown, alone in zip(rates[options.pages], rates[0])])
            print("alone %.0f nodes/s, with %d pages %.0f nodes/s, ratio %.3f; by processor time %.3f" %
                  (rates[0][0], options.pages, rates[options.pages][0], *ratios[-1]), flush=True)
    medians = [statistics.median(ratio[i] for ratio in ratios) for i in (0, 1)]
    print("median ratio %.3f, by processor time %.3f" % tuple(medians))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"pages": options.pages, "ratios": ratios, "median": medians[0], "by_cpu": medians[1]}, file)


if __name__ == "__main__":
    main()
