"""The rig of the laboratory `cluster` (cluster.py): a nats-server, a daemon, workers, and a gate between them."""

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from nats import PROGRAM, Nats  # noqa: E402
from pyproofd import Closed, RpcError, Server, program  # noqa: E402

MARK = "PROOFD_LAB_CLUSTER"  # in the environment of all processes of a run
PATIENCE = 120  # seconds after which something that was to happen has not
OVER = ("solved", "exhausted", "cancelled", "failed")

# What is asked, and what First gets: published, or found by this solver from every seed (tests/bench).
BY_SEARCH = {"options": {"knowledge": False}}  # theorems would leave the workers little to do
JOBS = (
    ({"game": "connect4:5x5", **BY_SEARCH}, 0, 0),
    ({"game": "mnk:4,4,4", **BY_SEARCH}, 0, 0),
    ({"game": "antichess", "position": "r1bqkbnr/pppppppp/n7/8/8/4P3/PPPP1PPP/RNBQKBNR w - -", "claim": "first-wins"},
     1, 1),
)
# For the share.
SHORT_JOBS = (
    ({"game": "connect4:4x6", **BY_SEARCH}, 0, 0),
    ({"game": "mnk:4,4,4", **BY_SEARCH}, 0, 0),
    ({"game": "antichess", "position": "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b - -", "claim": "second-wins"},
     -1, -1),
)
# Asked after the others until a worker that lies is banned.
MORE_JOBS = tuple(({"game": game, **BY_SEARCH}, 0, 0) for game in ("connect4:5x6", "connect4:6x5", "connect4:4x6"))
# Positions whose facts are remembered.
ASKED = {"connect4:4x6": ["", "1", "2", "22"], "connect4:5x5": ["", "1", "2", "3", "33", "32", "333", "334"],
         "mnk:4,4,4": ["", "a1", "b2", "b2 c3", "a1 b2"]}


WITHOUT = "there is no nats-server, or this build has no libproofd-nats.so (nats-server, libnats-dev)"


def possible():
    return PROGRAM is not None and os.path.exists(program("libproofd-nats.so"))


class Skipped(Exception):
    """What this server cannot do."""


class Finding(Exception):
    """What must not be."""


def expect(so, what, *args):
    if not so:
        raise Finding(what % args)


class Gate:
    """A port before that of nats-server, which can be shut: what is on its way then is held back, without a word, and
    new connections wait. So is a network that is cut in two."""

    def __init__(self, port):
        self.port = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "nats://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.passing = threading.Event()
        self.passing.set()
        self.sockets = []
        threading.Thread(target=self._accept, daemon=True).start()

    def shut(self):
        self.passing.clear()

    def open(self):
        self.passing.set()

    def hang_up(self):
        """All connections end, as they do when the way back is found to be gone."""
        for one in self.sockets:
            self._end(one)

    def close(self):
        self.open()
        self._end(self.listener)
        self.listener.close()
        self.hang_up()
        for one in self.sockets:
            one.close()

    @staticmethod
    def _end(one):
        try:
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.sockets.append(client)
            threading.Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client):
        self.passing.wait()
        try:
            server = socket.create_connection(("127.0.0.1", self.port), 10)
        except OSError:
            self._end(client)
            return
        self.sockets.append(server)
        threading.Thread(target=self._carry, args=(server, client), daemon=True).start()
        self._carry(client, server)

    def _carry(self, source, sink):
        try:
            data = source.recv(1 << 16)
            while data:
                self.passing.wait()
                sink.sendall(data)
                data = source.recv(1 << 16)
        except OSError:
            pass
        self._end(source)
        self._end(sink)


class Worker:
    """A process that searches for the daemon. `words`: the program and its options besides where it joins."""

    def __init__(self, rig, name, url, words):
        self.rig, self.name, self.words = rig, name, [program(words[0])] + words[1:] + ["--join", url]
        self.codes = []  # of those that ended
        self.start()

    def start(self):
        """Returns when it has said that it runs: before that, SIGTERM would end it at once."""
        with open(os.path.join(self.rig.dir, self.name + ".log"), "ab") as log:
            self.process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                                            env=self.rig.env)
        expect(self.process.stdout.readline(), "%s ends before it runs: %s", self.name, self.log())

    def log(self):
        with open(os.path.join(self.rig.dir, self.name + ".log"), errors="replace") as log:
            return log.read()[-1000:]

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)
        self.process.stdout.close()

    def stop(self):
        """Asks it to stop; returns its exit code and the last line that it printed."""
        self.process.send_signal(signal.SIGTERM)
        said, _ = self.process.communicate(timeout=PATIENCE)
        lines = said.decode().splitlines()
        return self.process.returncode, lines[-1] if lines else ""


class Daemon(Server):
    """Its requests are made again on a new connection when it was killed."""

    def ask(self, method, **params):
        try:
            return self.rpc(method, **params)
        except (Closed, OSError):
            self._hang_up()
            return self.rpc(method, **params)


class Rig:
    """One run: its processes, and what the daemon has acknowledged."""

    def __init__(self, verify, half, doubles, sharing):
        """`half`: the second worker comes through a gate. `doubles`: the sound workers are cluster_worker, too.
        `sharing`: those that count unchecked get one another's solved positions."""
        self.dir = tempfile.mkdtemp(prefix="proofd-cluster-")
        self.env = dict(os.environ, **{MARK: self.dir, "PROOFD_MODULE_DIR": os.path.dirname(program("proofd"))})
        self.nats, self.daemon, self.gate, self.workers = Nats(), None, None, []
        self.facts = {}    # (game, position): (lo, hi), as told
        self.jobs = {}     # number: (lo, hi), what First gets
        self.solved = set()  # told to be so
        self.keep_facts = True  # nothing that was told is taken back
        self.data = os.path.join(self.dir, "data")
        self.verify, self.half, self.doubles, self.sharing = verify, half, doubles, sharing

    def start(self):
        self.daemon = Daemon("--threads", "1", "--checkpoint", "0.2", "--workers", self.nats.url(), "--nice", "0",
                             *(["--verify", self.verify] if self.verify else []),
                             *(["--share", "4M"] if self.sharing else []), data=self.data, env=self.env)
        self.gate = Gate(self.nats.port) if self.half else None
        for i in range(2):
            url = self.gate.url if self.half and i else self.nats.url()
            name = "sound%d" % i
            words = ["proofd", "worker", "--threads", "1", "--nice", "0", "--memory", "64M", "--name", name]
            if self.doubles:
                words = ["tests/lab", "cluster_worker", "--number", str(i + 1)]
            self.workers.append(Worker(self, name, url, words))
        self.await_workers(2)

    def add_faulty(self, rng, faults):
        number = rng.randrange(1, 1 << 63)
        worker = Worker(self, "faulty", self.nats.url(),
                        ["tests/lab", "cluster_worker", "--number", str(number)] + faults)
        self.workers.append(worker)
        return worker

    def logged(self, text):
        return self.daemon.log().count(text)

    def until(self, so, what):
        end = time.monotonic() + PATIENCE
        while not so():
            expect(time.monotonic() < end, "%s does not happen in %d seconds", what, PATIENCE)
            for worker in self.workers:
                code = worker.process.poll()
                expect(code is None or (code == -signal.SIGKILL and worker.name == "faulty"),
                       "%s has ended with %s: %s", worker.name, code, worker.log())
            time.sleep(0.02)

    def await_workers(self, count):
        self.until(lambda: self.logged(") is there, with ") >= count, "%d workers join" % count)

    # --- jobs

    def submit(self, jobs):
        for params, lo, hi in jobs:
            self.jobs[self.daemon.ask("job.submit", **params)["job"]] = (lo, hi)

    def look(self):
        """Asks for all jobs and for some facts; what is told is held against what was told before. Returns whether
        all jobs are over."""
        over = True
        for number, (lo, hi) in self.jobs.items():
            job = self.daemon.ask("job.get", job=number)
            state = job["state"]
            expect(state in ("queued", "running", "solved") or not self.keep_facts, "job %d is %s: %s", number, state,
                   job)  # one that met what a liar gave fails, and begins again when that is taken back
            expect(not self.keep_facts or number not in self.solved or state == "solved",
                   "job %d was solved and is %s", number, state)
            over = over and state == "solved"
            if state == "solved":
                self.solved.add(number)
                value = job["result"]["value"]
                right = (value["lo"], value["hi"]) == (lo, hi)
                expect(right or not self.keep_facts, "job %d is worth %d to %d, and the server says %s", number, lo, hi,
                       value)
                over = over and right
        return over

    def look_facts(self):
        for game, positions in ASKED.items():
            facts = self.daemon.ask("fact.query", game=game, positions=positions)["facts"]
            for position, fact in zip(positions, facts):
                lo, hi = fact["lo"], fact["hi"]
                before = self.facts.get((game, position), (lo, hi))
                expect(not self.keep_facts or (lo >= before[0] and hi <= before[1]),
                       "%s %r was told to be worth %d to %d, and now %d to %d", game, position, *before, lo, hi)
                self.facts[game, position] = (lo, hi)

    def await_jobs(self):
        """Until all jobs have the right answer."""
        def so():
            self.look_facts()
            return self.look()
        self.until(so, "the right answer to all jobs")

    # --- the end

    def figures(self):
        """What the daemon has counted since its last start; {} when it does not say."""
        try:
            return self.daemon.ask("server.workers")
        except RpcError:
            return {}

    def finish(self):
        """Stops everything: exit codes, and what lies in the directory. Returns what the faulty worker said."""
        said = {}
        code = self.daemon.terminate()
        expect(code == 0, "the daemon ends with %d", code)
        for worker in self.workers:
            if worker.process.poll() is not None:
                continue
            code, line = worker.stop()
            expect(code == 0, "%s ends with %d", worker.name, code)
            if worker.name == "faulty":
                said = json.loads(line)
        check = subprocess.run([program("proofctl"), "check", self.data], stdin=subprocess.DEVNULL,
                               capture_output=True, text=True, timeout=600, env=self.env)
        expect(check.returncode == 0, "proofctl check ends with %d: %s%s", check.returncode, check.stdout, check.stderr)
        return said

    def left(self):
        """Processes of this run that are still there."""
        mark, found = ("%s=%s" % (MARK, self.dir)).encode(), []
        for name in os.listdir("/proc"):
            try:
                with open("/proc/%s/environ" % name, "rb") as file:
                    if name.isdigit() and mark in file.read().split(b"\0"):
                        found.append(int(name))
            except OSError:
                pass
        return found

    def end(self):
        """Ends what is still there, whatever happened."""
        for worker in self.workers:
            if worker.process.poll() is None:
                worker.kill()
        if self.gate:
            self.gate.close()
        if self.daemon:
            shutil.copy(self.daemon.log_path, os.path.join(self.dir, "daemon.log"))
            self.daemon.__exit__(None)
        shutil.copy(os.path.join(self.nats.dir, "log"), os.path.join(self.dir, "nats.log"))
        self.nats.close()

    def remove(self):
        shutil.rmtree(self.dir, ignore_errors=True)


def pause(seconds):
    select.select([], [], [], max(0, seconds))
