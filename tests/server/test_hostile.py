"""V1, V2, D1 under attack: ten thousand malformed or hostile requests, and the server answers, stays small, and loses
nothing.

Bad JSON, lines of 10 MB, deep nesting, wrong types, unknown games, illegal positions, batches of rubbish, half-closed
and torn sockets, clients that never read, more clients than it takes. A real job is handed in before; after all that
and a crash it must be there and come to the right answer. The seed is printed and taken back from TEST_SEED.
"""

import json
import os
import random
import socket
import struct
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from effort import EFFORT  # noqa: E402
from pyproofd import TIMEOUT, Closed, Server  # noqa: E402

REQUESTS = max(2_500, 10_000 * EFFORT // 100)
# Bytes that the server may grow by at its worst; each of a few clients may have some 20 MB queued.
MEMORY_MAX = 320 << 20
LINE_MAX = 1 << 20


def call(method, params, request_id=1):
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}).encode()


GOOD = [
    call("game.describe", {"game": "connect4:7x6"}),
    call("position.show", {"game": "mnk:3,3,3", "position": "b2 a1"}),
    call("fact.query", {"game": "connect4:7x6", "positions": ["", "4", "44"], "moves": True}),
    call("job.list", {"state": "running", "limit": 5}),
    call("job.history", {"job": 999999}),
    call("job.submit", {"game": "no-such-game:1", "budget": {"nodes": 5}, "memory": "64K"}),
    b'[{"jsonrpc":"2.0","id":1,"method":"server.stats"},{"jsonrpc":"2.0","method":"game.list"}]',
]
SCRAPS = [
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b":",
    b",",
    b"\\",
    b"\\u0000",
    b"null",
    b"1e999",
    b"-0",
    b"9" * 40,
    b"\xff",
    b"\xc3",
    b"\0",
    b'"id":{}',
]
VALUES = [
    None,
    True,
    -1,
    0,
    1,
    1.5,
    1e300,
    2**63 - 1,
    -(2**63),
    "",
    "x",
    "\u0000",
    "\ud83d\ude00",
    "a" * 3000,
    [],
    [[]],
    {},
    {"a": 1},
]
# Each method's parameters: from the server's rpc.discover, so that no method is left out.
METHODS = {}
STOPS = ["server.shutdown"]  # what would end the test
CHANGES = ["job.pause", "job.resume", "job.cancel", "job.remove"]  # what must not reach the real job


def discover(server):
    for method in server.rpc("rpc.discover")["methods"]:
        if method["name"] not in STOPS:
            METHODS[method["name"]] = [param["name"] for param in method["params"]]


def mutated(rng):
    text = bytearray(rng.choice(GOOD))
    for _ in range(rng.randint(1, 5)):
        at = rng.randrange(len(text) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            text[at:at] = rng.choice(SCRAPS)
        elif kind == 1:
            del text[at : at + rng.randint(1, 8)]
        elif kind == 2:
            text[at : at + 1] = bytes([rng.randrange(256)])
        else:
            text[at : at + rng.randint(1, 8)] = rng.choice(SCRAPS)
    return bytes(text).replace(b"\n", b"?")


def bad_json(rng):
    return rng.choice(
        [
            b"{",
            b'{"jsonrpc":"2.0","id":1,"method":"game.list"',
            b'{"id":1,"id":1}',
            b"\xff\xfe{}",
            b"GET / HTTP/1.1",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
            b"nul",
            b'"' + b"\\" * rng.randint(1, 50),
            b"1" * rng.randint(20, 5000),
        ]
    )


def deep(rng):
    opener = rng.choice([b"[", b'{"a":', b'[{"b":['])
    return opener * rng.choice([33, 100, 3000, LINE_MAX // 8])


def wrong_types(rng):
    method = rng.choice(sorted(METHODS))
    # never a game that opens: nothing of this may become a job
    params = {name: rng.choice(VALUES) for name in METHODS[method] if rng.random() < 0.7}
    if method in CHANGES and params.get("job") == 1:
        params["job"] = 4000000000
    return call(method, params, rng.choice([1, "a", None]))


def wrong_envelope(rng):
    return json.dumps(
        {name: rng.choice(VALUES) for name in ("jsonrpc", "id", "method", "params") if rng.random() < 0.8}
    ).encode()


def unknown_game(rng):
    names = [
        "no-such-game",
        "connect4",
        "connect4:0x0",
        "connect4:99x99",
        "connect4:7x",
        "mnk:0,0,0",
        "mnk:3,3",
        "andor:../../etc/passwd",
        ":",
        "mnk:" + "9" * 80,
    ]
    method = rng.choice(["game.describe", "position.show", "job.submit", "fact.query", "fact.line"])
    return call(method, {"game": rng.choice(names)})


def illegal_position(rng):
    game, alphabet = rng.choice([("connect4:7x6", "0189az/x o"), ("mnk:3,3,3", "abcd0129 ,/xo"), ("andor:none", "A/B")])
    text = "".join(rng.choice(alphabet) for _ in range(rng.randint(1, 60)))
    params = (
        {"game": game, "position": "z!" + text}
        if rng.random() < 0.5
        else {"game": game, "positions": ["z!" + text] * rng.randint(1, 50)}
    )
    return (
        call("fact.query", params)
        if "positions" in params
        else call(rng.choice(["position.show", "fact.query", "job.submit"]), params)
    )


def rubbish_batch(rng):
    kind = rng.randrange(3)
    if kind == 0:
        return json.dumps([rng.choice(VALUES) for _ in range(rng.randint(1, 100))]).encode()
    if kind == 1:
        return b"[" + b",".join([b"1"] * 1001) + b"]"
    return b"[" + b",".join(unknown_game(rng) for _ in range(rng.randint(1, 30))) + b"]"


KINDS = [mutated, bad_json, deep, wrong_types, wrong_envelope, unknown_game, illegal_position, rubbish_batch]


class Hostile(unittest.TestCase):
    def setUp(self):
        self.seed = int(os.environ.get("TEST_SEED", str(time.time_ns() % 1_000_000_007)))
        print("TEST_SEED=%d" % self.seed, flush=True)
        self.rng = random.Random(self.seed)

    def alive(self, server):
        with server.connect() as client:
            self.assertEqual(client.rpc("server.hello")["server"], "proofd")

    def pour(self, server, count):
        """Requests over a few connections, pipelined; behind each load a question whose answer must come."""
        while count:
            load = [self.rng.choice(KINDS)(self.rng) for _ in range(min(count, self.rng.randint(1, 60)))]
            count -= len(load)
            with server.connect(unix=self.rng.random() < 0.3) as client:
                client.rpc("server.hello")  # who begins with anything but JSON is turned away: test_strangers.py
                client.send(b"\n".join(load) + b"\n")
                client.send(b'{"jsonrpc":"2.0","id":"the end","method":"server.hello"}\n')
                client.socket.shutdown(socket.SHUT_WR)
                replies = []
                try:
                    while True:
                        replies.append(client.message())
                except Closed:
                    pass
                self.assertIn(
                    "the end", [reply["id"] for reply in replies if isinstance(reply, dict) and "id" in reply]
                )
                for reply in replies:
                    self.check_reply(reply)

    def check_reply(self, reply):
        for one in reply if isinstance(reply, list) else [reply]:
            self.assertEqual(one["jsonrpc"], "2.0")
            if "method" in one:
                continue
            self.assertIn("id", one)
            self.assertNotEqual("result" in one, "error" in one)
            if "error" in one:
                self.assertTrue(one["error"]["message"])
                self.assertNotEqual(one["error"]["data"]["slug"], "internal", one)
                self.assertNotEqual(one["error"]["data"]["slug"], "unknown", one)

    def every_line_gets_one_reply(self, server):
        """V1, counted: of what is no notification and no mutation, each line has a reply."""
        load = [
            self.rng.choice([bad_json, deep, unknown_game, illegal_position, rubbish_batch])(self.rng)
            for _ in range(300)
        ]
        with server.connect() as client:
            client.rpc("server.hello")
            client.send(b"\n".join(load))
            client.socket.shutdown(socket.SHUT_WR)
            count = 0
            try:
                while client.line():
                    count += 1
            except Closed:
                pass
            self.assertEqual(count, len(load))

    def long_lines(self, server):
        for size in (LINE_MAX + 1, 10_000_000, 10_000_000):
            with server.connect() as client:
                client.send(b"{" + b"x" * size + b"\n")
                self.assertEqual(client.message()["error"]["data"]["slug"], "limit")
                self.assertEqual(client.rpc("server.hello")["server"], "proofd")

    def torn_sockets(self, server):
        for _ in range(200):
            client = server.connect(unix=self.rng.random() < 0.3)
            line = self.rng.choice(GOOD)
            client.send(line[: self.rng.randrange(len(line))])
            kind = self.rng.randrange(3)
            if kind == 0:
                client.socket.shutdown(socket.SHUT_WR)
                try:
                    while client.line():
                        pass
                except Closed:
                    pass
            elif kind == 1:  # closed with a reset
                client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()

    def never_reading(self, server):
        """Clients that ask for much and read nothing; they stay connected until the end of the test."""
        clients = []
        for _ in range(5):
            client = server.connect()
            client.socket.setblocking(False)
            line = call("rpc.discover", {}) + b"\n"
            try:
                for _ in range(4000):
                    client.socket.send(line)
            except (BlockingIOError, ConnectionResetError, BrokenPipeError):
                pass
            clients.append(client)
        return clients

    def too_many(self, server):
        clients = [server.connect() for _ in range(150)]
        refused = 0
        for client in clients[-30:]:
            try:
                message = client.rpc("server.hello")
                self.assertEqual(message["server"], "proofd")
            except (Closed, KeyError, BrokenPipeError, ConnectionResetError):
                refused += 1
        self.assertGreater(refused, 0)
        for client in clients:
            client.close()

    def test_ten_thousand_hostile_requests(self):
        # The address sanitizer keeps freed memory for a while; it must not count as the server's.
        options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=8"
        with Server(
            "--threads", "1", "--checkpoint", "0.5", "--connections", "100", env={"ASAN_OPTIONS": options}
        ) as server:
            job = server.rpc("job.submit", game="connect4:6x4", key="the real one", memory="32M")["job"]
            discover(server)
            self.assertGreater(len(METHODS), 20)
            before = server.memory()
            idle = self.never_reading(server)
            for _ in range(10):
                self.pour(server, REQUESTS // 10)
                self.alive(server)
            self.every_line_gets_one_reply(server)
            self.long_lines(server)
            self.torn_sockets(server)
            self.too_many(server)
            self.alive_again(server)
            for client in idle:
                client.close()
            peak = server.memory("VmHWM")
            print("memory: %d MB before, %d MB at most" % (before >> 20, peak >> 20), flush=True)
            self.assertLess(peak - before, MEMORY_MAX)
            server.kill()
            server.start()
            after = server.wait_job(job)
            self.assertEqual(after["state"], "solved")
            self.assertEqual(after["result"]["value"], {"lo": -1, "hi": -1, "text": "second wins"})
            self.assertEqual(
                server.rpc("job.submit", game="connect4:6x4", key="the real one", memory="32M")["job"], job
            )
            self.assertEqual([one["job"] for one in server.rpc("job.list")["jobs"]], [job])
            self.assertEqual(server.terminate(), 0)

    def alive_again(self, server):
        """After the crowd has gone: the server needs a moment to notice, so the question is asked until it is heard."""
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            try:
                self.alive(server)
                return
            except (Closed, KeyError, BrokenPipeError, ConnectionResetError):
                pass
        self.fail("the server does not answer after the crowd has gone")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
