"""Public: 500 visitors of a public server (proofd --public) beside a search, who come by a proxy and read pages,
pictures and answers.

    public.py BUILD [--seconds 600] [--clients 500] [--pause 2] [--limit MS] [--seed S] [--share]

Each visitor has a connection and an address of its own, and asks again after a pause. One request in twenty tries to
change something or to be another visitor. Printed are the times until answers were whole, by this program's clock, with
the load of the machine. Exit status 1: an answer was missing or wrong, something could be changed, or a time is beyond
--limit at the 99th percentile (none without it: a busy machine says little).
"""

import argparse
import heapq
import os
import random
import selectors
import socket
import sys
import time
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import Server  # noqa: E402
from web import Public  # noqa: E402

GAME = "connect4:4x4"
PLIES = 8


def say(text, *values):
    print(text % values, flush=True)


def positions(server, rng, count):
    """Random positions of GAME in its own notation."""
    found = set()
    while len(found) < count:
        position = ""
        for _ in range(rng.randrange(PLIES)):
            moves = server.rpc("position.show", game=GAME, position=position)["moves"]
            if not moves:
                break
            position += rng.choice(moves)
        found.add(position)
        count -= len(found) > 60
    return sorted(found)


class Visitor:
    def __init__(self, number, address, paths, rng):
        self.number, self.paths, self.rng = number, paths, rng
        self.socket = socket.create_connection(address)
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.host = "%s:%d" % address
        self.buffer = b""
        self.expected = ()

    def ask(self):
        """Sends a request; `expected`: the statuses that it may get."""
        path, method, self.expected = self.rng.choice(self.paths), "GET", (200,)
        forged = "6.6.6.6, " if self.rng.random() < 0.05 else ""
        if self.rng.random() < 0.05:
            path, method, self.expected = self.rng.choice((
                ("/", "DELETE", (405,)), ("/query", "PUT", (405,)), ("/metrics", "GET", (404,)),
                ("/rpc", "GET", (426,)), ("/certificate?proof=../../etc", "GET", (400,)),
                ("/position?game=nothing", "GET", (400,)), ("/position?x=1", "GET", (400,))))
        self.since = time.perf_counter()
        self.socket.send((
            "%s %s HTTP/1.1\r\nHost: %s\r\nX-Forwarded-For: %s10.%d.%d.7\r\nAuthorization: Bearer admin\r\n\r\n" %
            (method, path, self.host, forged, self.number >> 8, self.number & 255)).encode())

    def read(self):
        """The status, once the answer is whole; else None."""
        more = self.socket.recv(1 << 18)
        if not more:
            raise ConnectionError("the server closed the connection of a visitor")
        self.buffer += more
        head, found, rest = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return None
        size = int(head.lower().partition(b"content-length: ")[2].split()[0])
        if len(rest) < size:
            return None
        assert len(rest) == size
        self.buffer = b""
        return int(head.split()[1])


def visit(server, seconds, clients, pause, rng, paths):
    """Times of all answers, and the statuses."""
    selector, due, times, statuses = selectors.DefaultSelector(), [], [], Counter()
    end = time.perf_counter() + seconds
    for number in range(clients):
        visitor = Visitor(number, server.http, paths, rng)
        selector.register(visitor.socket, selectors.EVENT_READ, visitor)
        heapq.heappush(due, (time.perf_counter() + rng.random() * pause, number, visitor))
    waiting = 0
    while waiting or time.perf_counter() < end:
        now = time.perf_counter()
        if now > end + 60:
            raise AssertionError("%d answers are missing" % waiting)
        while due and due[0][0] <= now < end:
            visitor = heapq.heappop(due)[2]
            visitor.ask()
            waiting += 1
        for key, _ in selector.select(max(0, min(0.05, due[0][0] - now)) if due and now < end else 0.05):
            visitor = key.data
            status = visitor.read()
            if status is None:
                continue
            now = time.perf_counter()
            if status not in visitor.expected:
                raise AssertionError("status %d, expected %s" % (status, visitor.expected))
            times.append(now - visitor.since)
            statuses[status] += 1
            waiting -= 1
            heapq.heappush(due, (now + pause * (0.5 + rng.random()), visitor.number, visitor))
    return sorted(times), statuses


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--clients", type=int, default=500)
    parser.add_argument("--pause", type=float, default=2)
    parser.add_argument("--limit", type=float)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--share", action="store_true")
    options = parser.parse_args()
    if options.share:
        options.seconds, options.clients, options.pause = 4, 100, 1
    say("seed %d", options.seed)
    rng = random.Random(options.seed)
    with Server("--threads", "1") as main_server:
        main_server.wait_job(main_server.rpc("job.submit", game=GAME, memory="16M")["job"])
        proof = main_server.rpc("proof.export", job=1)["proof"]
        paths = ["/", "/results", "/robots.txt", "/result?proof=" + proof]
        for position in positions(main_server, rng, 60):
            paths += ["/%s?game=%s&position=%s" % (path, GAME, position)
                      for path in ("query", "query", "position", "position", "board.svg")]
        search = main_server.rpc("job.submit", game="connect4:9x8", memory="256M")["job"]
        with Public("--trusted-proxy", "127.0.0.1", "--connections", str(2 * options.clients),
                    data=main_server.data) as server:
            before = server.memory()
            times, statuses = visit(server, options.seconds, options.clients, options.pause, rng, paths)
            grown = server.growth(before)
        assert main_server.rpc("job.get", job=search)["state"] == "running"
    of = lambda share: 1000 * times[min(len(times) - 1, int(share * len(times)))]  # noqa: E731
    say("%d clients, %.0f s, %d answers (%.0f a second): %s", options.clients, options.seconds, len(times),
        len(times) / options.seconds, ", ".join("%d of status %d" % (n, s) for s, n in sorted(statuses.items())))
    say("milliseconds: median %.2f, 90 %% %.2f, 99 %% %.2f, 99.9 %% %.2f, most %.2f", of(0.5), of(0.9), of(0.99),
        of(0.999), of(1))
    say("load of the machine %s on %d processors; memory of the public server grew by %.1f MiB",
        " ".join("%.1f" % load for load in os.getloadavg()), os.cpu_count(), grown / (1 << 20))
    assert grown < 64 << 20
    if options.limit and of(0.99) > options.limit:
        sys.exit("99 %% took %.2f ms, more than %.2f" % (of(0.99), options.limit))


if __name__ == "__main__":
    main()
