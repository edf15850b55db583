"""What one client can do to the others (V3): a paced client asks one small question a millisecond, next to clients that
ask for as much as they can.

    stalls.py BUILD [--jobs N] [ATTACK...]

For each attack: how long it took to be answered, and how long the paced client waited, from the moment at which its
question was due.
"""

import argparse
import json
import multiprocessing
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import Client, Closed, Server  # noqa: E402

GAP_S = 0.001
QUIET_S = 2.0


def call(number, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def read_lines(client, count):
    for _ in range(count):
        client.line()


def lists(address):
    with Client(address) as client:
        client.send("[" + ",".join(call(i, "job.list", limit=10000) for i in range(200)) + "]")
        read_lines(client, 1)


def nested(address):
    """Lines of nearly 1 MiB that are as deep as a document may be."""
    piece = "[" * 28 + "]" * 28
    pieces = ",".join([piece] * ((1 << 20) // 57 - 4))
    line = '{"jsonrpc":"2.0","id":1,"method":"server.hello","params":{"x":[' + pieces + "]}}"
    with Client(address) as client:
        for _ in range(100):
            client.send(line)
        read_lines(client, 100)


def best_lines(address):
    clients = [Client(address) for _ in range(16)]
    for client in clients:
        client.send("\n".join(call(i, "fact.line", game="connect4:4x4") for i in range(64)))
    for client in clients:
        read_lines(client, 64)
        client.close()


def pipelined(address):
    """Sixteen clients that have hundreds of small questions under way."""
    clients = [Client(address) for _ in range(16)]
    query = '{"jsonrpc":"2.0","id":%d,"method":"fact.query","params":{"game":"connect4:4x4","position":"%d"}}'
    load = "\n".join(query % (i, i % 4 + 1) for i in range(500))
    for _ in range(10):
        for client in clients:
            client.send(load)
        for client in clients:
            read_lines(client, 500)


def shown_moves(address):
    """Small questions with much behind them."""
    with Client(address) as client:
        client.send("[" + ",".join(call(i, "fact.query", game="hex:11", positions=[""] * 64, moves=True)
                                   for i in range(30)) + "]")
        read_lines(client, 1)


ATTACKS = [lists, nested, best_lines, pipelined, shown_moves]


def paced(client, over):
    """Waiting times in seconds until `over` says so."""
    line = '{"jsonrpc":"2.0","id":1,"method":"fact.query","params":{"game":"connect4:4x4","position":"1"}}'
    times, due = [], time.monotonic()
    while not over():
        while time.monotonic() < due:
            pass
        client.send(line)
        client.line()
        now = time.monotonic()
        times.append(now - due)
        due = max(due + GAP_S, now)
    return sorted(times)


def report(name, seconds, times):
    print("%-12s %8.2f s  paced: %6d questions, p50 %7.2f ms, p99 %8.2f ms, longest %8.2f ms"
          % (name, seconds, len(times), times[len(times) // 2] * 1e3, times[len(times) * 99 // 100] * 1e3,
             times[-1] * 1e3), flush=True)


def prepare(jobs):
    """A directory with a solved game and many queued jobs."""
    server = Server("--threads", "1", "--log", "error")
    server.wait_job(server.rpc("job.submit", game="connect4:4x4")["job"])
    server.terminate()
    server.options[1] = "0"
    server.start()
    with server.connect() as client:
        for first in range(0, jobs, 500):
            client.send("[" + ",".join(call(i, "job.submit", game="mnk:4,4,3", memory="1M")
                                       for i in range(first, min(first + 500, jobs))) + "]")
            client.line()
    return server


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("attacks", nargs="*")
    parser.add_argument("--jobs", type=int, default=10000)
    options = parser.parse_args()
    with prepare(options.jobs) as server, server.connect() as client:
        client.send('{"jsonrpc":"2.0","id":1,"method":"server.hello"}')
        client.line()
        end = time.monotonic() + QUIET_S
        report("nothing", QUIET_S, paced(client, lambda: time.monotonic() > end))
        for attack in ATTACKS:
            if options.attacks and attack.__name__ not in options.attacks:
                continue
            process = multiprocessing.Process(target=attack, args=(server.address,))
            begin = time.monotonic()
            process.start()
            try:
                times = paced(client, lambda: not process.is_alive())
            except Closed:
                sys.exit("the server closed the paced connection during " + attack.__name__)
            report(attack.__name__, time.monotonic() - begin, times)
            if process.exitcode:
                sys.exit("%s ended with %d" % (attack.__name__, process.exitcode))


if __name__ == "__main__":
    main()
