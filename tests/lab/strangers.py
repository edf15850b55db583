"""Strangers: clients of all kinds that show no token, together with 20 users who ask at a steady pace, at a server with
few descriptors (256) and few places.

    strangers.py BUILD [--seconds 600] [--users 20] [--rate N] [--seed S] [--share]

The strangers are silent, send half a line, flood with greetings, show wrong tokens, send half the head of an HTTP
request, open WebSockets, begin TLS and do not go on, or send noise; by lines and by HTTP, half of
the time at a server with TLS. Printed is how long answers to the users took, alone and with the strangers, and how long
it took a new user to be let in. Exit status 1: a user was disconnected, a new one was not let in, an answer was
missing, the server did not end when told to, or memory, descriptors or log went beyond their bounds.
"""

import argparse
import json
import multiprocessing
import os
import random
import socket
import ssl
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from certs import Certificates  # noqa: E402
from pyproofd import Client, Closed, RpcError, Server, build_has  # noqa: E402
from web import Socket  # noqa: E402

TOKEN = "the token of a user"
GAME = "connect4:4x4"
PACE_S = 0.1          # between two questions of a user
NEWCOMER_S = 0.5      # between two new users
CONNECTIONS = 40      # --connections
OPEN_MAX = 300        # strangers at one time; the server has room for about a third of them
DESCRIPTORS = 256
MEMORY = 200 << 20    # the job's table, buffers, and all else
LOG_BYTES = 64 << 10  # and for each minute as much again
SANITIZED = build_has("fsanitize=")  # which takes memory of its own
HELLO = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "server.hello"}).encode() + b"\n"
WRONG = HELLO.replace(b'"server.hello"', b'"server.hello", "params": {"token": "not a token of this server"}')
UPGRADE = (b"GET /rpc HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
KINDS = {"silent": b"", "half a line": b'{"jsonrpc": "2.0", "id": 1, "meth', "long line": b"{" + b"x" * 500_000,
         "flood": HELLO * 50, "wrong token": WRONG, "half a head": b"GET /query?game=mnk:3,3,3 HTTP/1.1\r\nHost: local",
         "page": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 10,
         "query": b"GET /query HTTP/1.1\r\nHost: localhost\r\n\r\n",
         "web socket": UPGRADE, "half a handshake": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
         "noise": b"\0\1\2\3"}


class Limited(Server):
    def command(self):
        return ["/bin/sh", "-c", 'ulimit -n %d && exec "$@"' % DESCRIPTORS, "sh"] + super().command()


def say(text, *values):
    print(text % values, flush=True)


# --- strangers, a process of their own ------------------------------------------------------------


def strangers(addresses, seed, rate, until, pipe):
    """They come at `rate` a second; each stays for a while, and sends what its kind sends once or again and again."""
    rng, there, count = random.Random(seed), [], dict.fromkeys(KINDS, 0)
    due = time.monotonic()
    while time.monotonic() < until:
        now = time.monotonic()
        while due <= now:
            due += 1 / rate
            if len(there) >= OPEN_MAX:
                there.pop(rng.randrange(len(there)))[0].close()
            kind = rng.choice(list(KINDS))
            sock = socket.socket()
            sock.setblocking(False)
            sock.connect_ex(rng.choice(addresses))
            there.append((sock, kind, now + rng.expovariate(0.2)))
            count[kind] += 1
        for sock, kind, _ in rng.sample(there, min(len(there), 40)):
            try:
                sock.send(KINDS[kind])
                sock.recv(1 << 16)
            except OSError:
                pass
        for entry in [entry for entry in there if entry[2] < now]:
            entry[0].close()
            there.remove(entry)
        time.sleep(0.005)
    for sock, _, _ in there:
        sock.close()
    pipe.send(count)


# --- users, another one ---------------------------------------------------------------------------


def come(target, context, web):
    client = Socket(target, context) if web else Client(target.address, context)
    client.rpc("server.hello", token=TOKEN)
    return client


class Target:
    """What Socket wants to know of a server."""

    def __init__(self, address, http):
        self.address, self.http = address, http


class Users:
    def __init__(self, target, context, count):
        self.target, self.context = target, context
        self.clients = [come(target, context, i % 2) for i in range(count)]
        self.times, self.entries, self.findings = [], [], []

    def ask(self, client, until):
        try:
            while time.monotonic() < until:
                begin = time.monotonic()
                client.rpc("fact.query", game=GAME, positions=["", "1", "12", "123"])
                self.times.append(time.monotonic() - begin)
                time.sleep(max(0, begin + PACE_S * random.uniform(0.5, 1.5) - time.monotonic()))
        except (Closed, OSError, RpcError) as error:
            self.findings.append("a user was disconnected or got no answer: %r" % error)

    def enter(self, until):
        while time.monotonic() < until:
            begin = time.monotonic()
            try:
                with come(self.target, self.context, random.random() < 0.5) as client:
                    self.entries.append(time.monotonic() - begin)
                    client.rpc("fact.query", game=GAME)
            except (Closed, OSError, RpcError) as error:
                self.findings.append("a new user was not let in: %r" % error)
            time.sleep(NEWCOMER_S)

    def run(self, seconds):
        until = time.monotonic() + seconds
        threads = [threading.Thread(target=self.ask, args=(client, until)) for client in self.clients]
        threads.append(threading.Thread(target=self.enter, args=(until,)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        report = self.times, self.entries, self.findings
        self.times, self.entries, self.findings = [], [], []
        return report


def users(address, http, certificate, count, pipe):
    context = ssl.create_default_context(cafile=certificate) if certificate else None
    crowd = Users(Target(address, http), context, count)
    while (seconds := pipe.recv()) is not None:
        pipe.send(crowd.run(seconds))


# --- the laboratory -------------------------------------------------------------------------------


class Lab:
    def __init__(self, options):
        self.options, self.findings = options, []

    def find(self, what):
        self.findings.append(what)
        if len(self.findings) <= 20:
            say("FINDING: %s", what)

    def take(self, name, pipe):
        times, entries, findings = pipe.recv()
        for finding in findings:
            self.find(finding)
        for what, values in ((name, times), (name + ", new users", entries)):
            values.sort()
            if not values:
                self.find("no answers: " + what)
                continue
            say("%-32s %8d answers, p50 %8.2f ms, p99 %8.2f ms, longest %8.2f ms", what, len(values),
                *(values[min(len(values) - 1, int(len(values) * q))] * 1e3 for q in (0.5, 0.99, 1)))

    def run(self, tls, seconds):
        options, certificates = self.options, Certificates()
        tokens = os.path.join(certificates.dir, "tokens")
        with open(os.open(tokens, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write("admin %s\n" % TOKEN)
        more = certificates.options() if tls else []
        with Limited("--threads", "1", "--token-file", tokens, "--http", "127.0.0.1:0", "--connections",
                     str(CONNECTIONS), "--buffers-max", "64M", *more) as server:
            server.admin("job.submit", game=GAME, memory="16M")
            with server.connect(unix=True) as owner:
                owner.wait_job(1)
            ours, theirs = multiprocessing.Pipe()
            asking = multiprocessing.Process(target=users, daemon=True, args=(
                server.address, server.http, certificates.cert if tls else None, options.users, theirs))
            asking.start()
            kind = "TLS" if tls else "plain"
            ours.send(min(10, seconds / 4))
            self.take(kind + ", alone", ours)
            result, end = multiprocessing.Pipe()
            coming = multiprocessing.Process(target=strangers, daemon=True, args=(
                [server.address, server.http], options.seed, options.rate, time.monotonic() + seconds, end))
            coming.start()
            ours.send(seconds)
            most = memory = 0
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                time.sleep(0.5)
                most = max(most, len(os.listdir("/proc/%d/fd" % server.pid)))
                memory = max(memory, server.memory("RssAnon"))
                server.admin("server.hello")
            self.take(kind + ", with strangers", ours)
            ours.send(None)
            count = result.recv()
            say("%d strangers came: %s", sum(count.values()), ", ".join("%s %d" % pair for pair in count.items()))
            log = os.path.getsize(server.log_path)
            say("at most %d descriptors and %d MB; %d bytes of log", most, memory >> 20, log)
            if most > DESCRIPTORS or (memory > MEMORY and not SANITIZED) or log > LOG_BYTES * (1 + seconds / 60):
                self.find("that is more than %d descriptors, %d MB or the log's bound" % (DESCRIPTORS, MEMORY >> 20))
            if server.terminate():
                self.find("the server ended badly")
            asking.join()
            coming.join()
        certificates.remove()


def main():
    parser = argparse.ArgumentParser(prog="./dev lab strangers", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="build directory (./dev gives it)")
    parser.add_argument("--seconds", type=float, default=600, help="with strangers; half of them by TLS")
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--rate", type=float, default=100, help="strangers a second")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--share", action="store_true", help="a few seconds of it")
    options = parser.parse_args()
    if options.share:
        options.seconds = 16
    say("seed %d; %d users, %.0f strangers a second; machine load %.1f", options.seed, options.users, options.rate,
        os.getloadavg()[0])
    lab = Lab(options)
    for tls in (False, True):
        lab.run(tls, options.seconds / 2)
    return 1 if lab.findings else 0


if __name__ == "__main__":
    sys.exit(main())
