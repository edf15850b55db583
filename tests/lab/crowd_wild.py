"""The other clients of tests/lab/crowd.py: floods, watchers that never read, half a line and silence, lines without
end, other protocols, replies that are torn off; a third of them by --http. What they do wrong must not show to the
others."""

import json
import os
import random
import sys
import time

from crowd_hub import Hub, WebWire, Wire

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "server"))
from test_hostile import bad_json, deep, illegal_position, rubbish_batch, unknown_game, wrong_envelope  # noqa: E402

BURST_S = 0.5       # between two loads of a flood
LINE_BYTES = 3 << 20
AGAIN_S = 0.5       # before a client that was disconnected comes back
LARGE = {"game": "mnk:3,3,3", "positions": ["b2", "a1", "", "b2 a1"] * 1000}
STRANGE = [b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"POST /rpc HTTP/1.1\r\nOrigin: https://example.org\r\n\r\n{}",
           b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), b"EHLO me\r\n", bytes(range(256)), b"7\n",
           b"*1\r\n$4\r\nPING\r\n", b"\xff\xfe{\x00}\x00\n"]


def call(number, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


class Wild:
    """One client that connects, does something, and comes back when it was disconnected. Of those that do not come by
    the Unix socket every third time by --http: as a WebSocket, or with bytes that are no request there, either."""

    receive_buffer = 0
    unix = False
    whole_lines = True

    def __init__(self, crowd):
        self.crowd = crowd
        self.wire = None
        crowd.hub.after(crowd.rng.random() * 0.5, self.come)

    def come(self):
        crowd = self.crowd
        crowd.count[type(self).__name__] = crowd.count.get(type(self).__name__, 0) + 1
        by_web = not self.unix and crowd.rng.random() < 1 / 3
        crowd.count["by --http"] = crowd.count.get("by --http", 0) + by_web
        self.wire = (WebWire if by_web and self.whole_lines else Wire)(
            crowd.hub, crowd.setup["socket" if self.unix else "http" if by_web else "address"], self.receive_buffer)
        self.wire.on_end = self.ended
        self.act()

    def ended(self):
        self.crowd.hub.after(AGAIN_S * (0.5 + self.crowd.rng.random()), self.come)

    def later(self, seconds, action):
        """On the connection of now only."""
        wire = self.wire
        self.crowd.hub.after(seconds, lambda: action() if wire.open and wire is self.wire else None)

    def leave(self):
        if self.crowd.rng.random() < 0.5:
            self.wire.reset()
        self.wire.close()
        self.ended()

    def act(self):
        raise NotImplementedError


class Flood(Wild):
    """Hundreds of small questions at a time."""

    def act(self):
        if not self.wire.out:
            share = self.crowd.setup["flood"] * BURST_S / self.crowd.floods
            self.wire.send(b"".join(call(i, "fact.query", game="mnk:3,3,3", position=("b2", "a1", "", "c3 b2")[i % 4])
                                    + b"\n" for i in range(max(1, int(share)))))
        self.later(BURST_S, self.act)


class DeafFlood(Flood):
    """The same, large ones as well, and the answers are never read."""

    receive_buffer = 4096

    def come(self):
        super().come()
        self.wire.stop_reading()
        for i in range(self.crowd.rng.choice([0, 8, 8, 50])):
            self.wire.send(call(i, "fact.query", **LARGE) + b"\n")
        self.later(20, self.leave)


class Errors(Wild):
    """What is no request, or one that is refused."""

    KINDS = [bad_json, deep, illegal_position, rubbish_batch, unknown_game, wrong_envelope]

    def act(self):
        rng = self.crowd.rng
        lines = [call(1, "server.hello")] + [rng.choice(self.KINDS)(rng) for _ in range(20)]
        self.wire.send(b"\n".join(lines) + b"\n")
        self.later(BURST_S, self.act)


class LongLine(Wild):
    """A line without end; then its end."""

    whole_lines = False

    def act(self):
        self.wire.send(b"{" + b"x" * (LINE_BYTES // 2))
        self.later(1, lambda: self.wire.send(b"y" * (LINE_BYTES // 2) + b"\n"))
        self.later(2, self.act)


class Stranger(Wild):
    """Another protocol."""

    whole_lines = False

    def act(self):
        self.wire.send(self.crowd.rng.choice(STRANGE))
        self.later(2, self.leave)


class Silent(Wild):
    """Connects, and no more; or half a line, then silence."""

    whole_lines = False

    def act(self):
        if self.crowd.rng.random() < 0.7:
            line = call(1, "fact.query", game="mnk:3,3,3", position="b2")
            self.wire.send(line[:self.crowd.rng.randrange(1, len(line))])


class Torn(Wild):
    """Asks for much, and goes in the middle of the reply."""

    receive_buffer = 4096

    def act(self):
        self.wire.send(call(1, "fact.query", **LARGE) + b"\n")
        self.check()

    def check(self):
        if self.wire.received:
            self.leave()
        else:
            self.later(0.05, self.check)


class DeafWatcher(Wild):
    """Watches the jobs, asks for much now and then, and never reads."""

    receive_buffer = 4096

    def act(self):
        self.wire.stop_reading()
        for job in self.crowd.setup["jobs"]:
            self.wire.send(call(job, "job.watch", job=job, interval=0.1) + b"\n")
        for i in range(self.crowd.rng.choice([0, 0, 5, 40])):
            self.wire.send(call(i, "rpc.discover") + b"\n")
        self.later(20, self.leave)


class DeafOwner(DeafWatcher):
    """The same over the Unix socket, which keeps less."""

    unix = True


# Shares of the wild clients, in percent.
SHARES = [(Flood, 12), (DeafFlood, 12), (Errors, 10), (LongLine, 8), (Stranger, 12), (Silent, 20), (Torn, 8),
          (DeafWatcher, 14), (DeafOwner, 4)]


class Crowd:
    """All of them, for one turn."""

    def __init__(self, setup, number):
        self.setup = setup
        self.hub = Hub()
        self.rng = random.Random("%d wild %d" % (setup["seed"], number))
        self.count = {}
        kinds = []
        for kind, share in SHARES:
            kinds += [kind] * max(1, round(setup["wild"] * share / 100))
        self.kinds = kinds[:max(setup["wild"], len(SHARES))]
        self.floods = sum(issubclass(kind, Flood) for kind in self.kinds)

    def run(self, seconds):
        clients = [kind(self) for kind in self.kinds]
        self.hub.run(time.monotonic() + seconds)
        for client in clients:
            if client.wire:
                client.wire.close()
        return {"count": self.count, "findings": []}


def serve(pipe, setup):
    """The process: a turn for each number of seconds that comes through the pipe."""
    number = 0
    while True:
        seconds = pipe.recv()
        if seconds is None:
            return
        number += 1
        try:
            pipe.send(Crowd(setup, number).run(seconds))
        except Exception as error:  # a fault of the laboratory's is a finding, too
            pipe.send({"count": {}, "findings": ["%s: %s" % (type(error).__name__, error)]})
