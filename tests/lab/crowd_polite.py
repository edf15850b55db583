"""The well-behaved clients of tests/lab/crowd.py: they ask at a steady pace, and every answer is held to what the
server said when it was quiet. They are the ones whose waiting times count."""

import json
import random
import re
import time

import small_oracle as oracle
from crowd_hub import Finding, Hub, WebWire, Wire

SENTINEL = 987654321987
ID = re.compile(rb'\[?\{"jsonrpc":"2\.0","id":"?(\d+)')
DRAIN_S = 180  # how long replies may take at the end of a turn
GAME = "mnk:3,3,3"


def request(number, method, params, order=("jsonrpc", "id", "method", "params")):
    members = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return {name: members[name] for name in order}


class Question:
    """A line and its reply, with room for an id in both."""

    def __init__(self, kind, what, spaced):
        self.kind = kind
        text = json.dumps(what) if spaced else json.dumps(what, separators=(",", ":"))
        self.pieces = (text + "\n").encode().split(b"%d" % SENTINEL)
        self.reply = None

    def line(self, number):
        return (b"%d" % number).join(self.pieces)

    def learn(self, client):
        """Asks the quiet server."""
        client.send(self.line(SENTINEL))
        line = client.line()
        if b'"error"' in line:
            raise Finding("the quiet server refuses %r: %r" % (self.line(SENTINEL), line))
        self.reply = line.split(b"%d" % SENTINEL)
        if len(self.reply) != len(self.pieces):
            raise Finding("a reply has not the ids of its request: %r" % line)
        return json.loads(line)

    def expected(self, number):
        return (b"%d" % number).join(self.reply)


def positions(rng, count):
    """Positions as they are written, and what First gets."""
    return [oracle.ttt_position(rng) for _ in range(count)]


def check_facts(asked, facts):
    """What the server says of positions agrees with the oracle."""
    for (text, value), fact in zip(asked, facts):
        if not fact["lo"] <= value <= fact["hi"]:
            raise Finding("%r is worth %d, and the quiet server says %s" % (text, value, fact))


def questions(rng, client):
    """All kinds of questions, with the replies of the quiet server."""
    out = []

    def add(kind, what, asked):
        question = Question(kind, what, spaced=len(out) % 3 == 0)
        replies = question.learn(client)
        for (calls, reply) in zip(asked, replies if isinstance(replies, list) else [replies]):
            check_facts(calls, reply["result"]["facts"])
        out.append(question)

    orders = [("jsonrpc", "id", "method", "params"), ("params", "method", "id", "jsonrpc"),
              ("id", "params", "jsonrpc", "method"), ("method", "jsonrpc", "params", "id")]
    for i in range(40):
        one = positions(rng, 1)
        params = {"game": GAME, "position": one[0][0]}
        if i % 3 == 1:
            params = dict(reversed(list(params.items())))
        number = str(SENTINEL) if i % 4 == 3 else SENTINEL
        add("single", request(number, "fact.query", params, orders[i % len(orders)]), [one])
        add("single", request(number, "fact.query", {"game": GAME, "moves": one[0][0].split()}), [one])
    for i in range(10):
        one, few, many = positions(rng, 1), positions(rng, 20), positions(rng, 300)
        add("single", request(SENTINEL, "fact.query", {"game": GAME, "position": one[0][0], "moves": True}), [one])
        add("20 positions", request(SENTINEL, "fact.query", {"game": GAME, "positions": [p[0] for p in few]}), [few])
        add("300 positions", request(SENTINEL, "fact.query", {"game": GAME, "positions": [p[0] for p in many]}),
            [many])
        calls = [request(SENTINEL * 100 + n, "fact.query", {"game": GAME, "position": p[0]})
                 for n, p in enumerate(few[:10])]
        add("batch of 10", calls, [[p] for p in few[:10]])
    return out


class Times:
    """How long clients waited, by the kind of what they asked for; in seconds."""

    def __init__(self):
        self.of = {}

    def add(self, kind, seconds):
        self.of.setdefault(kind, []).append(seconds)


class Paced:
    """Asks at a steady pace, whether or not the last answer has come."""

    def __init__(self, crowd, gap, start):
        self.crowd, self.gap = crowd, gap
        self.waiting = {}
        self.wire = crowd.connect()
        self.wire.on_lines, self.wire.on_end = self.lines, self.ended
        self.due = start
        crowd.hub.at(start, self.ask)

    def ask(self):
        crowd = self.crowd
        if crowd.draining or not self.wire.open:
            return
        now = time.monotonic()
        crowd.late.append(now - self.due)
        crowd.number += 1
        question = crowd.rng.choice(crowd.questions)
        suffix = b"00" if question.kind == "batch of 10" else b""
        self.waiting[b"%d" % crowd.number + suffix] = (question, crowd.number, now)
        self.wire.send(question.line(crowd.number))
        self.due = max(self.due + self.gap, now)
        crowd.hub.at(self.due, self.ask)

    def lines(self, lines):
        now = time.monotonic()
        for line in lines:
            match = ID.match(line)
            known = self.waiting.pop(match.group(1), None) if match else None
            if not known:
                self.crowd.find("a reply that was not asked for: %r" % line[:300])
                continue
            question, number, sent = known
            self.crowd.times.add(question.kind, now - sent)
            if line != question.expected(number):
                self.crowd.find("%r got %r instead of %r" % (question.line(number)[:300], line[:500],
                                                             question.expected(number)[:500]))

    def ended(self):
        self.crowd.find("the connection of a paced client was closed; %d replies are lost" % len(self.waiting))


class Passing:
    """Comes, asks one question, goes, and comes again."""

    def __init__(self, crowd):
        self.crowd = crowd
        self.waiting = {}
        self.wire = None
        crowd.hub.after(crowd.rng.random(), self.come)

    def come(self):
        crowd = self.crowd
        if crowd.draining:
            return
        crowd.number += 1
        question, number, begin = crowd.rng.choice(crowd.questions), crowd.number, time.monotonic()
        self.wire = crowd.connect()
        self.waiting = {number: question}

        def lines(got):
            if got != [question.expected(number)]:
                crowd.find("%r got %r" % (question.line(number)[:300], got[:1]))
            crowd.times.add("connect and ask", time.monotonic() - begin)
            self.waiting = {}
            if crowd.rng.random() < 0.5:
                self.wire.reset()
            self.wire.close()
            crowd.hub.after(crowd.rng.uniform(0.05, 0.25), self.come)

        self.wire.on_lines = lines
        self.wire.on_end = lambda: crowd.find("the connection of a passing client was closed before its answer")
        self.wire.send(question.line(number))


class Watcher:
    """Watches the jobs and reads what comes."""

    def __init__(self, crowd, jobs):
        self.crowd, self.nodes = crowd, {}
        self.waiting = {job: None for job in jobs}
        self.wire = crowd.connect()
        self.wire.on_lines = self.lines
        self.wire.on_end = lambda: crowd.find("the connection of a watcher was closed")
        for job in jobs:
            self.wire.send(json.dumps(request(job, "job.watch", {"job": job, "interval": 0.2})).encode() + b"\n")

    def lines(self, lines):
        for line in lines:
            message = json.loads(line)
            job = message.get("params") or message.get("result")
            if not job or job["state"] != "running":
                self.crowd.find("a watched job does not run: %r" % line[:300])
                continue
            if message.get("method") == "job.progress":
                self.crowd.notifications += 1
            elif self.waiting.pop(message["id"], 0) is not None:
                self.crowd.find("a reply that was not asked for: %r" % line[:300])
            nodes = job["nodes"]["level1"] + job["nodes"]["level2"]
            if nodes < self.nodes.get(job["job"], 0):
                self.crowd.find("job %d had %d nodes before it has %d" % (job["job"], self.nodes[job["job"]], nodes))
            self.nodes[job["job"]] = nodes


class Admin:
    """One call after the other over the Unix socket: what an administrator and his programs ask for. Now and then a job
    is submitted, cancelled and removed."""

    def __init__(self, crowd, path, jobs):
        self.crowd, self.jobs = crowd, jobs
        self.waiting = {}
        self.steps = []
        self.wire = Wire(crowd.hub, path)
        self.wire.on_lines = self.lines
        self.wire.on_end = lambda: crowd.find("the connection of an administrator was closed")
        crowd.hub.after(0.01, self.ask)

    def plan(self):
        reads = [("server.stats", {}), ("job.list", {}), ("group.list", {}), ("server.hello", {}), ("game.list", {})]
        of_jobs = ("job.get", "job.explain", "job.history", "job.tree")
        reads += [(method, {"job": job}) for method in of_jobs for job in self.jobs]
        self.crowd.rng.shuffle(reads)
        self.steps = reads
        self.steps.append(("job.submit", {"game": "connect4:7x6", "memory": "1M", "priority": -100}))

    def ask(self):
        if self.crowd.draining or not self.wire.open:
            return
        if not self.steps:
            self.plan()
        method, params = self.steps.pop(0)
        self.crowd.number += 1
        self.waiting = {self.crowd.number: (method, time.monotonic())}
        self.wire.send(json.dumps(request(self.crowd.number, method, params)).encode() + b"\n")

    def lines(self, lines):
        for line in lines:
            reply = json.loads(line)
            method, sent = self.waiting.pop(reply.get("id"), (None, 0))
            if not method or "result" not in reply:
                self.crowd.find("an administrator got %r for %s" % (line[:300], method))
                continue
            writes = method in ("job.submit", "job.cancel", "job.remove")
            self.crowd.times.add("admin, on disk" if writes else "admin", time.monotonic() - sent)
            result = reply["result"]
            if method == "job.submit":
                self.steps[:0] = [(step, {"job": result["job"]}) for step in ("job.cancel", "job.remove")]
            elif method == "job.get" and result["state"] != "running":
                self.crowd.find("job %d is %s" % (result["job"], result["state"]))
            self.crowd.hub.after(0.02, self.ask)


class Polite:
    """All of them, for one turn."""

    def __init__(self, setup, asked, number):
        self.setup, self.questions = setup, asked
        self.hub = Hub()
        self.rng = random.Random("%d polite %d" % (setup["seed"], number))
        self.number = number * 10**8
        self.times = Times()
        self.late = []
        self.findings = []
        self.notifications = 0
        self.connected = 0
        self.draining = False

    def connect(self):
        """By TCP; every third one by WebSocket."""
        self.connected += 1
        by_web = self.connected % 3 == 0
        return WebWire(self.hub, self.setup["http"]) if by_web else Wire(self.hub, self.setup["address"])

    def all_had_a_chance(self):
        """The paced have begun to ask, and the watchers were told something."""
        return (self.late or not self.setup["paced"]) and (self.notifications or not self.setup["watching"])

    def find(self, what):
        if not self.draining or "closed" not in what:
            self.findings.append(what)

    def run(self, seconds):
        setup, begin = self.setup, time.monotonic()
        gap = setup["paced"] / setup["rate"]
        clients = [Paced(self, gap, begin + 0.1 + gap * i / setup["paced"]) for i in range(setup["paced"])]
        clients += [Passing(self) for _ in range(setup["passing"])]
        clients += [Watcher(self, setup["jobs"]) for _ in range(setup["watching"])]
        clients += [Admin(self, setup["socket"], setup["jobs"]) for _ in range(setup["admins"])]
        self.hub.run(begin + seconds)
        # On a busy machine a short turn may be over before a client had its first chance.
        self.hub.run(time.monotonic() + DRAIN_S, self.all_had_a_chance)
        self.draining = True
        self.hub.run(time.monotonic() + DRAIN_S, lambda: not any(client.waiting for client in clients))
        lost = sum(len(client.waiting) for client in clients)
        if lost:
            self.findings.append("%d replies have not come within %d s" % (lost, DRAIN_S))
        for client in clients:
            if client.wire:
                client.wire.close()
        if setup["watching"] and not self.notifications:
            self.findings.append("no watcher was told anything")
        return {"times": self.times.of, "late": self.late, "findings": self.findings[:20],
                "notifications": self.notifications}


def serve(pipe, setup, asked):
    """The process: a turn for each number of seconds that comes through the pipe."""
    number = 0
    while True:
        seconds = pipe.recv()
        if seconds is None:
            return
        number += 1
        try:
            pipe.send(Polite(setup, asked, number).run(seconds))
        except Exception as error:  # a fault of the laboratory's is a finding, too
            pipe.send({"times": {}, "late": [], "findings": ["%s: %s" % (type(error).__name__, error)],
                       "notifications": 0})
