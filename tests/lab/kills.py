"""Kills under load: a server that is killed again and again while clients hand in jobs, change them, ask and watch.

What it acknowledged is remembered, and compared with what it says after each start: a job that was acknowledged is
there as it was submitted; solved, cancelled and paused jobs stay so, with the same value; a fact that was told once is
told again, no weaker; every value agrees with an oracle (tests/lab/small_oracle.py, published boards). Requests that
were under way may have been carried out or not.

    kills.py BUILD [--kills N] [--per-directory N] [--threads N] [--seed N] [--tmp DIR] [--share]
"""

import argparse
import collections
import json
import os
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import small_oracle as oracle  # noqa: E402

READY_S = 300    # a start that takes longer has failed
CRASHES_FAILED = 3  # as in server/jobs/model/crashes.h
GRAPHS = 30
FACTS_KEPT = 600  # answers that are asked again after a start, of each directory
LIST_PAGE = 500

# What First gets from the initial position, as far as it is known here; None: too large to be solved meanwhile.
BOARDS = {"mnk:3,3,3": 0, "mnk:4,3,3": 1, "connect4:4x4": 0, "connect4:5x4": 0, "connect4:4x5": 0, "hex:3": 1,
          "hex:4": 1,
          "connect4:6x4": -1, "connect4:6x5": None, "connect4:7x6": None, "loa:5": None, "antichess": None}

# Parameters of a job that are not given.
USUAL = {"position": "", "key": None, "claim": "value", "algorithm": "pds-pn", "detail": "frontier"}


class Finding(Exception):
    pass


class Wire:
    """One connection that is written and read without waiting."""

    def __init__(self, address):
        self.socket = socket.create_connection(address)
        self.socket.setblocking(False)
        self.buffer = bytearray()
        self.asked = {}   # id: (method, params, what was known)
        self.closed = False

    def send(self, number, method, params, known=(None, False)):
        """`known`: what had been told of the job before; a reply may be older than what other connections have told
        meanwhile."""
        line = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"
        self.asked[number] = (method, params, known)
        try:
            self.socket.sendall(line)
        except (BlockingIOError, OSError):
            self.closed = True  # part of the line may have gone out: nothing more can follow it

    def receive(self):
        """The messages that are there."""
        try:
            while True:
                data = self.socket.recv(1 << 18)
                if not data:
                    self.closed = True
                    break
                self.buffer += data
        except BlockingIOError:
            pass
        except OSError:
            self.closed = True
        *lines, rest = self.buffer.split(b"\n")
        self.buffer = bytearray(rest)
        return [json.loads(line) for line in lines if line]


class Job:
    def __init__(self, spec, born):
        self.spec = spec       # as submitted
        self.born = born       # servers that had been killed when the one was started that it was submitted to
        self.value = None      # told once it was solved
        self.settled = None    # "solved", "cancelled": told; for good
        self.paused = False    # told, and nothing sent since that could change it
        self.sent = collections.Counter()  # requests sent and not refused, by method: they may have been carried out


class Directory:
    """One data directory, and everything that its servers have told."""

    def __init__(self, lab, rng):
        self.lab, self.rng = lab, rng
        self.dir = tempfile.mkdtemp(prefix="proofd-kills-", dir=lab.options.tmp)
        self.data = os.path.join(self.dir, "data")
        self.jobs, self.keys, self.facts = {}, 0, collections.OrderedDict()
        self.unsure = []        # submits without a reply, each with when it was sent, as in Job.born
        self.process = None
        self.served = False     # a server was ready
        self.number = 0
        self.killed = self.born = 0  # servers, also while they started; those before the one of now
        self.graphs = {}
        os.mkdir(os.path.join(self.dir, "graphs"))
        for i in range(GRAPHS):
            graph = oracle.random_graph(rng, rng.randint(4, 40), rng.random() < 0.6)
            self.graphs["andor:g%d" % i] = (graph, oracle.graph_values(graph))
            with open(os.path.join(self.dir, "graphs", "g%d.json" % i), "w") as file:
                json.dump(graph, file)

    # --- the process

    def start(self):
        begin = time.monotonic()
        self.born = self.killed
        with open(os.path.join(self.dir, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [os.path.join(self.lab.build, "proofd"), "--listen", "127.0.0.1:0", "--data", self.data, "--graphs",
                 os.path.join(self.dir, "graphs"), "--threads", str(self.lab.options.threads), "--checkpoint", "0.1",
                 "--log", "warn"],
                stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL)
        if self.rng.random() < 0.05:  # also while it starts
            self.process.send_signal(signal.SIGSTOP)
            self.process.send_signal(signal.SIGCONT)
            select.select([self.process.stdout], [], [], self.rng.random() * 0.02)
            self.kill()
            self.lab.count["kills during a start"] += 1
            return False
        ready = select.select([self.process.stdout], [], [], READY_S)[0]
        line = self.process.stdout.readline() if ready else b""
        if not line:
            self.lab.count["failed starts"] += 1
            self.kill()
            raise Finding("a start failed:\n" + self.log())
        host, port = json.loads(line)["listen"].rsplit(":", 1)
        self.address = (host, int(port))
        self.served = True
        self.lab.starts.append(time.monotonic() - begin)
        return True

    def kill(self):
        self.killed += 1
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def log(self):
        with open(os.path.join(self.dir, "log"), errors="replace") as file:
            return file.read()[-4000:]

    def remove(self):
        shutil.rmtree(self.dir, ignore_errors=True)

    # --- requests

    def some_game(self):
        roll = self.rng.random()
        if roll < 0.5:
            return self.rng.choice(list(self.graphs)), ""
        if roll < 0.7:
            return "mnk:3,3,3", oracle.ttt_position(self.rng)[0]
        return self.rng.choice(list(BOARDS)), ""

    def some_submit(self):
        game, position = self.some_game()
        params = {"game": game, "memory": self.rng.choice(["1M", "4M", "16M"])}
        if position:
            params["position"] = position
        if game in self.graphs:
            graph = self.graphs[game][0]
            if self.rng.random() < 0.5:
                params["position"] = self.rng.choice([n for n in graph["nodes"] if n.startswith("n")])
            if self.rng.random() < 0.3:
                params["claim"] = "first>=%d" % self.rng.randint(graph["values"][0] + 1, graph["values"][1])
        if self.rng.random() < 0.3:
            self.keys += 1  # no key twice: it would name the same job
            params["key"] = "key%d" % self.keys
        if self.rng.random() < 0.2:
            params["priority"] = self.rng.randint(-3, 3)
        if self.rng.random() < 0.3:
            params["algorithm"] = self.rng.choice(["dfpn-pn", "pds", "df-pn", "pn2"])
        if self.rng.random() < 0.2:
            params["detail"] = "full"
        if BOARDS.get(game, 0) is None and self.rng.random() < 0.7:
            params["budget"] = {"nodes": self.rng.choice([10**4, 10**6])}
        return params

    def some_query(self):
        if self.rng.random() < 0.5:
            game = self.rng.choice(list(self.graphs))
            names = [n for n in self.graphs[game][0]["nodes"] if n.startswith("n")]
            return {"game": game, "positions": self.rng.sample(names, min(len(names), 5))}
        if self.rng.random() < 0.5:
            return {"game": "mnk:3,3,3", "positions": [oracle.ttt_position(self.rng)[0] for _ in range(5)]}
        return {"game": self.rng.choice([g for g in BOARDS if g.startswith("connect4")]),
                "positions": ["", "1", "2", "11", "12", "123"]}

    def some_request(self):
        roll = self.rng.random()
        open_jobs = [n for n, job in self.jobs.items() if not job.settled]
        if roll < 0.1 or not self.jobs:
            return "job.submit", self.some_submit()
        if roll < 0.65:
            return "fact.query", self.some_query()
        if roll < 0.8 and open_jobs:
            method = self.rng.choice(["job.pause", "job.resume", "job.cancel", "job.set"])
            params = {"job": self.rng.choice(open_jobs)}
            if method == "job.set":
                params["priority"] = self.rng.randint(-5, 5)
            return method, params
        number = self.rng.choice(list(self.jobs))
        if roll < 0.9:
            return "job.watch", {"job": number, "interval": 0.1}
        if roll < 0.95:
            return "job.get", {"job": number}
        return "proof.export", {"job": number}

    def send(self, wire):
        method, params = self.some_request()
        self.number += 1
        job = self.jobs.get(params.get("job"))
        if job and method in ("job.pause", "job.resume", "job.cancel"):
            job.sent[method] += 1
            job.paused = False
        if method == "fact.query":
            wire.send(self.number, method, params, self.known_facts(params))
        else:
            wire.send(self.number, method, params, (job.settled, job.paused) if job else (None, False))

    # --- what is told

    def expected(self, game, position):
        """The value of a position; None when it is unknown."""
        if game in self.graphs:
            graph, values = self.graphs[game]
            return values[position or graph["root"]]
        if game == "mnk:3,3,3" and position:
            return None  # asked with its own oracle by some_query and kept there
        return BOARDS.get(game) if not position else None

    def check_bounds(self, game, position, lo, hi):
        value = self.expected(game, position)
        if value is not None and not lo <= value <= hi:
            raise Finding("%s %r is worth %d, and the server says %d to %d" % (game, position, value, lo, hi))
        if game == "mnk:3,3,3":
            board, moves = ["."] * 9, position.split()
            for i, move in enumerate(moves):
                board["abc".index(move[0]) + 3 * "123".index(move[1])] = "xo"[i % 2]
            value = oracle.ttt_value("".join(board))
            if not lo <= value <= hi:
                raise Finding("%s %r is worth %d, and the server says %d to %d" % (game, position, value, lo, hi))

    def known_facts(self, params):
        return [self.facts.get((params["game"], position)) for position in params["positions"]]

    def told_fact(self, game, position, fact, before):
        """An answer, and what had been told before it was asked for."""
        if "error" in fact:
            raise Finding("a query about %s %r: %s" % (game, position, fact))
        lo, hi = fact["lo"], fact["hi"]
        self.check_bounds(game, position, lo, hi)
        if before and (lo < before[0] or hi > before[1]):
            self.lab.count["facts lost"] += 1
            raise Finding("%s %r was known to be %d to %d, and now it is %d to %d" % (game, position, *before, lo, hi))
        if fact["source"] == "fact":
            best = self.facts.get((game, position))
            if not best:
                self.lab.count["facts told"] += 1
            self.facts[(game, position)] = (max(lo, best[0]), min(hi, best[1])) if best else (lo, hi)
            if len(self.facts) > FACTS_KEPT:
                self.facts.popitem(last=False)

    def told_job(self, told, settled=None, paused=False):
        """A job as the server describes it; what had been told of it when that was asked for."""
        job = self.jobs.get(told["job"])
        if job is None:
            self.adopt(told)
            job = self.jobs[told["job"]]
        for name in ("game", "claim", "algorithm", "detail", "key"):
            if name in job.spec and told[name] != job.spec[name]:
                raise Finding("job %d was submitted with %s %r, and has %r" %
                              (told["job"], name, job.spec[name], told[name]))
        if told["position"] != job.spec.get("position", ""):
            raise Finding("job %d has another position: %r" % (told["job"], told))
        state = told["state"]
        if settled and state != settled:
            raise Finding("job %d was %s, and is %s" % (told["job"], settled, state))
        if state == "cancelled" and not job.settled and not job.sent["job.cancel"]:
            raise Finding("job %d is cancelled without a request" % told["job"])
        if paused and job.paused and state != "paused":
            raise Finding("job %d was paused, and is %s" % (told["job"], state))
        if state == "failed":
            # Each kill may have been a crash of it, also that of a server which had hardly started.
            if self.killed - job.born < CRASHES_FAILED or "three times in a row" not in told["reason"]:
                raise Finding("job %d failed: %s" % (told["job"], told["reason"]))
            self.lab.count["jobs failed after three lives"] += 1  # one of the requests to come resumes it
        if state in ("solved", "cancelled"):
            job.settled = state
        if state == "solved":
            value = told["value"]
            if job.value and (value["lo"], value["hi"]) != job.value:
                raise Finding("job %d had the value %r, and has %r" % (told["job"], job.value, value))
            job.value = (value["lo"], value["hi"])
            self.check_bounds(told["game"], told["position"], value["lo"], value["hi"])

    def adopt(self, told):
        """A job without an acknowledgement: one of the submits that got no reply."""
        for i, (params, born) in enumerate(self.unsure):
            if params["game"] == told["game"] and all(params.get(k, v) == told[k] for k, v in USUAL.items()):
                del self.unsure[i]
                self.jobs[told["job"]] = Job(params, born)
                self.lab.count["jobs without a reply that are there"] += 1
                return
        raise Finding("a job that was not submitted: %r" % told)

    def told(self, method, params, message, known=(None, False)):
        if "error" in message:
            slug = message["error"]["data"]["slug"]
            allowed = {"wrong-state", "busy", "no-fact", "shutting-down"}
            if slug not in allowed:
                raise Finding("%s %r: %r" % (method, params, message["error"]))
            if method in ("job.pause", "job.resume", "job.cancel"):
                self.jobs[params["job"]].sent[method] -= 1
            return
        result = message["result"]
        if method == "job.submit":
            number = result["job"]
            if number in self.jobs:
                raise Finding("job number %d was given twice" % number)
            self.jobs[number] = Job(params, self.born)
            self.lab.count["jobs acknowledged"] += 1
        elif method == "fact.query":
            for position, fact, before in zip(params["positions"], result["facts"], known):
                self.told_fact(params["game"], position, fact, before)
        elif method in ("job.pause", "job.cancel", "job.resume", "job.set"):
            job = self.jobs[result["job"]]
            self.lab.count["changes acknowledged"] += 1
            if method == "job.cancel":
                job.settled = "cancelled"
            elif method == "job.pause":
                job.paused = not job.sent["job.resume"] and not job.sent["job.cancel"]
        elif method in ("job.get", "job.watch"):
            self.told_job(result, *known)

    def take(self, wire, message):
        if "method" in message:
            self.told_job(message["params"])
            return
        method, params, known = wire.asked.pop(message["id"])
        self.told(method, params, message, known)

    # --- a life

    def ask(self, method, params):
        """A request whose reply is waited for."""
        wire = Wire(self.address)
        try:
            self.number += 1
            wire.send(self.number, method, params)
            end = time.monotonic() + READY_S
            while not wire.closed and time.monotonic() < end:
                select.select([wire.socket], [], [], 1)
                for message in wire.receive():
                    return message
        finally:
            wire.socket.close()
        raise Finding("%s got no reply\n%s" % (method, self.log()))

    def verify(self):
        """Everything that was told still holds."""
        there, before = set(), None
        while True:
            page = self.ask("job.list", {"limit": LIST_PAGE, "before": before}
                            if before else {"limit": LIST_PAGE})["result"]
            for told in page["jobs"]:
                there.add(told["job"])
                job = self.jobs.get(told["job"])
                self.told_job(told, *((job.settled, job.paused) if job else ()))
            before = page.get("next")
            if not before:
                break
        lost = set(self.jobs) - there
        if lost:
            self.lab.count["jobs lost"] += len(lost)
            raise Finding("jobs %r are gone" % sorted(lost))
        self.unsure.clear()
        games = collections.defaultdict(list)
        for game, position in self.facts:
            games[game].append(position)
        for game, positions in games.items():
            params = {"game": game, "positions": positions}
            known = self.known_facts(params)
            self.told("fact.query", params, self.ask("fact.query", params), known)
            self.lab.count["facts asked again"] += len(positions)

    def load(self, wires):
        """Work until the moment of the kill."""
        end = time.monotonic() + self.rng.random() * 0.3
        while True:
            left = end - time.monotonic()
            if left <= 0:
                return
            for wire in wires:
                if not wire.closed and len(wire.asked) < 20:
                    self.send(wire)
            ready = select.select([w.socket for w in wires if not w.closed], [], [], min(left, 0.002))[0]
            for wire in wires:
                if wire.socket in ready:
                    for message in wire.receive():
                        self.take(wire, message)

    def live(self):
        """One life of a server: start, verify, work, kill; what it had sent before it died counts."""
        if not self.start():
            return
        self.verify()
        wires = [Wire(self.address) for _ in range(3)]
        self.load(wires)
        if self.process.poll() is not None:
            raise Finding("the server ended by itself with %r\n%s" % (self.process.returncode, self.log()))
        self.kill()
        self.lab.count["kills"] += 1
        for wire in wires:
            for message in wire.receive():
                self.take(wire, message)
            for method, params, _ in wire.asked.values():
                if method == "job.submit":
                    self.unsure.append((params, self.born))
            wire.socket.close()

    def check(self):
        if not self.served and not os.path.exists(os.path.join(self.data, "work.mdb")):
            return  # no server lived until it had made it
        done = subprocess.run([os.path.join(self.lab.build, "proofctl"), "check", self.data, "--graphs",
                               os.path.join(self.dir, "graphs")],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode:
            raise Finding("proofctl check: exit code %d\n%s%s" % (done.returncode, done.stdout[-3000:], done.stderr))
        self.lab.count["checks clean"] += 1


class Lab:
    def __init__(self, options):
        self.options, self.build = options, os.path.abspath(options.build)
        self.count, self.starts = collections.Counter(), []

    def run(self):
        rng = random.Random(self.options.seed)
        for name in ("kills", "kills during a start", "failed starts", "jobs acknowledged", "jobs lost", "facts told",
                     "facts lost",
                     "facts asked again"):
            self.count[name] += 0
        while self.count["kills"] < self.options.kills:
            directory = Directory(self, random.Random(rng.randrange(1 << 60)))
            try:
                for _ in range(min(self.options.per_directory, self.options.kills - self.count["kills"])):
                    directory.live()
                directory.check()
            except Finding as finding:
                print("finding after %d kills (seed %d), the directory stays in %s:\n%s" %
                      (self.count["kills"], self.options.seed,
                                                                                         directory.dir, finding))
                return 1
            finally:
                if directory.process and directory.process.poll() is None:
                    directory.kill()
            directory.remove()
            if not self.options.share:
                print("%5d kills, %d jobs, %d facts" %
                      (self.count["kills"], self.count["jobs acknowledged"], self.count["facts told"]),
                      flush=True)
        return 0

    def table(self):
        print()
        for name, count in self.count.items():
            print("%-40s %10d" % (name, count))
        times = sorted(self.starts)
        if times:
            print("%-40s %10.3f s, 99 %% %.3f s, at most %.3f s" % ("start, median", times[len(times) // 2],
                                                                 times[int(len(times) * 0.99)], times[-1]))


def main():
    parser = argparse.ArgumentParser(prog="./dev lab kills",
                                     description="Kills a server under load and holds it to what it acknowledged.")
    parser.add_argument("build", help="build directory (./dev gives it)")
    parser.add_argument("--kills", type=int, default=2000)
    parser.add_argument("--per-directory", type=int, default=50, help="kills before a new directory is begun")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--tmp", default=None, help="where directories are made")
    parser.add_argument("--share", action="store_true", help="a few seconds of it")
    options = parser.parse_args()
    if options.share:
        options.kills, options.per_directory = 12, 12
    print("seed %d" % options.seed)
    lab = Lab(options)
    code = lab.run()
    lab.table()
    sys.exit(code)


if __name__ == "__main__":
    main()
