"""The laboratory of faults: the k-th allocation, write, sync, mmap, thread or open of the real proofd fails, once or
for a burst.

preload_fault.c makes the calls fail. For every k of each kind (every one, or all small ones and then a stride) a server
is started, on a fresh directory or on one that a killed server left, and taken through a scenario that reaches submit,
a search, checkpoints, flush and compaction, queries large and small, lines, export, a table, a backup, watch, pause,
resume, set and cancel. Then the fault is over. What is asked of each run:

  * every request gets one reply, or its connection closes (V1); nothing crashes, aborts or hangs;
  * once the fault is over, the same server takes a new job and finishes it, and stops as asked;
  * a start may fail, with a sentence and an exit code; the next one works;
  * a restart without faults opens the directory, has every job, certificate and table that was acknowledged and every
    fact that was told, a backup that was complete can be restored, and `proofctl check` is clean.

    faults.py BUILD [--kind KIND] [--k K] [--burst N|while] [--stage fresh|left] [--runs N | --every [--first K]]
              [--jobs N] [--share]
"""

import argparse
import collections
import concurrent.futures
import json
import mmap
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
GRAPHS = os.path.join(os.path.dirname(HERE), "data", "andor")
PATIENCE = 60.0   # seconds without a reply, an end or a result after which something hangs
LATE = 8.0        # seconds without the first reply of a connection after which a fault that lasts is ended
ROOM = 256 << 20  # bytes that must be free in memory for directories to be made there
FAULTY = 6.0      # the scenario goes on without faults after so long

# kind on the command line -> (kind in preload_fault.c, errno; 0: a short write)
KINDS = {"alloc": (0, 12), "write": (1, 28), "write-eio": (1, 5), "write-short": (1, 0), "sync": (2, 5),
         "mmap": (3, 12), "thread": (4, 11),
         "open": (5, 24)}
STAGES = ("fresh", "left")
BURSTS = (1, 8, "while")
WHILE = 1 << 60

FINE = ("unnoticed", "told", "closed", "late", "start refused")
FINDINGS = ("crash", "exit", "hang", "no reply", "stuck after", "start silent", "restart fails", "check fails", "lost")


class Closed(Exception):
    """The connection was closed."""


class Finding(Exception):
    """What must not be."""

    def __init__(self, outcome, text):
        super().__init__(text)
        self.outcome = outcome


class Page:
    """The control page of preload_fault.c."""

    HEAD = struct.Struct("<IIQQII")
    COUNTS = struct.Struct("<6QQ")
    SIZE = 4096

    def __init__(self, path):
        with open(path, "wb") as file:
            file.write(bytes(self.SIZE))
        with open(path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), self.SIZE)

    def arm(self, kind, first, burst, error):
        self.HEAD.pack_into(self.map, 0, 1, kind, first, burst, error, 0)

    def disarm(self):
        self.map[0:4] = bytes(4)

    def counts(self):
        return self.COUNTS.unpack_from(self.map, self.HEAD.size)

    def trace(self):
        depth = self.HEAD.unpack_from(self.map, 0)[5]
        at = self.HEAD.size + self.COUNTS.size
        base = struct.unpack_from("<Q", self.map, at)[0]
        return [address - base for address in struct.unpack_from("<%dQ" % depth, self.map, at + 8)]


class Wire:
    """One connection, for one request at a time; notifications are kept."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.buffer = b""
        self.last = 0
        self.fresh = True  # nothing was answered on it yet
        self.notes = []
        try:
            self.socket.connect(path)
        except OSError as error:
            self.socket.close()
            raise Closed() from error

    def message(self):
        while b"\n" not in self.buffer:
            try:
                more = self.socket.recv(1 << 16)
            except socket.timeout:
                raise Finding("no reply", "nothing came for %d s" % self.socket.gettimeout()) from None
            except OSError:
                more = b""
            if not more:
                raise Closed()
            self.buffer += more
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def call(self, method, params):
        self.last += 1
        try:
            self.socket.sendall(json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method,
                                            "params": params}).encode() + b"\n")
        except OSError:
            raise Closed() from None
        return self.answer()

    def answer(self):
        """The reply to the last request."""
        while True:
            message = self.message()
            if "method" in message:
                self.notes.append(message)
            elif message.get("id") == self.last:
                self.fresh = False
                return message
            else:
                if "error" in message and message.get("id") is None:
                    return message  # the line could not be read: a reply without its number
                raise Finding("no reply", "request %d was answered by %s" % (self.last, json.dumps(message)[:200]))

    def close(self):
        self.socket.close()


class Run:
    """One run of the scenario with one fault."""

    def __init__(self, lab, kind, k, burst, stage):
        self.lab, self.kind, self.k, self.burst, self.stage = lab, kind, k, burst, stage
        self.dir = tempfile.mkdtemp(prefix="run-", dir=lab.base)
        self.data = os.path.join(self.dir, "data")
        self.page = Page(os.path.join(self.dir, "page"))
        self.log = os.path.join(self.dir, "log")
        self.process = self.wire = self.asked = None
        self.told = self.closed = self.late = 0
        self.jobs = {}   # number -> what was acknowledged last
        self.facts = {}  # (game, position) -> (lo, hi)
        self.proofs = set()  # names
        self.table = None  # "ordered" or "complete"
        self.saved = False  # whether the backup is complete
        self.backups = os.path.join(self.dir, "backups")
        os.mkdir(self.backups)

    # --- the server ---

    def start(self, faults):
        env = dict(os.environ, MALLOC_CHECK_="3")
        if faults:
            env.update(LD_PRELOAD=self.lab.preload, LAB_FAULT_PAGE=os.path.join(self.dir, "page"))
        self.path = os.path.join(self.dir, "socket")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [self.lab.program("proofd"), "--data", self.data, "--listen", "none", "--socket", self.path,
                 "--threads", "2", "--checkpoint",
                 "0.05", "--memory", "256M", "--graphs", GRAPHS, "--nice", "0",
                 "--backup-dir", self.backups],
                stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL, env=env, start_new_session=True)
        self.lines = b""
        return self.ready()

    def ready(self):
        """True when it serves, False when it has ended."""
        os.set_blocking(self.process.stdout.fileno(), False)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            line = self.process.stdout.read()
            if line:
                return True
            if self.process.poll() is not None:
                return False
            time.sleep(0.002)
        raise Finding("hang", "neither ready nor ended after %d s\n%s" % (PATIENCE, self.stacks()))

    def stacks(self):
        """Where each thread of the server stands: our functions, innermost first."""
        try:
            done = subprocess.run(["gdb", "-p", str(self.process.pid), "-batch", "-ex", "thread apply all bt 16"],
                                  capture_output=True, text=True,
                                  timeout=60, stdin=subprocess.DEVNULL)
        except (OSError, subprocess.TimeoutExpired):
            return "(no stacks: gdb is missing or too slow)"
        threads = collections.Counter()
        for thread in done.stdout.split("\nThread ")[1:]:
            frames = re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?(\w+) .* at (\S+):(\d+)$", thread, re.MULTILINE)
            threads[" < ".join("%s (%s:%s)" % (name, os.path.basename(file), line) for name, file, line in frames
                               if "nptl" not in file and "sysdeps" not in file)] += 1
        return "\n".join("%d thread(s) at %s" % (n, where) for where, n in threads.items())

    def tail(self):
        with open(self.log, errors="replace") as log:
            return log.read()[-600:]

    def look(self):
        """Fails when the server has ended by itself."""
        code = self.process.poll()
        if code is None:
            return
        if code < 0:
            raise Finding("crash", "ended by %s\n%s" % (signal.Signals(-code).name, self.tail()))
        raise Finding("exit", "ended with exit code %d\n%s" % (code, self.tail()))

    def end(self, number=signal.SIGTERM):
        if self.wire:
            self.wire.close()
        self.wire = None
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Finding("hang", "it does not stop\n" + self.stacks()) from None
        self.process.stdout.close()
        if code < 0 and number != signal.SIGKILL:
            raise Finding("crash", "ended by %s while stopping\n%s" % (signal.Signals(-code).name, self.tail()))
        return code

    # --- requests ---

    def ask(self, method, params):
        """A connection made while there is no memory at all waits to be accepted; it is answered once the fault is
        over."""
        if self.burst != "while" or not self.wire.fresh:
            return self.wire.call(method, params)
        self.wire.socket.settimeout(LATE)
        try:
            return self.wire.call(method, params)
        except Finding as finding:
            if finding.outcome != "no reply":
                raise
        finally:
            self.wire.socket.settimeout(PATIENCE)
        self.page.disarm()
        self.late += 1
        return self.wire.answer()

    def call(self, method, **params):
        """The result, or None: it was refused, or the connection closed."""
        self.asked = method
        try:
            if not self.wire:
                self.wire = Wire(self.path)
            reply = self.ask(method, params)
        except Closed:
            self.closed += 1
            if self.wire:
                self.wire.close()
            self.wire = None
            try:
                self.process.wait(0.05)
            except subprocess.TimeoutExpired:
                pass
            self.look()
            return None
        except Finding as finding:
            self.look()
            raise Finding(finding.outcome, "%s: %s\n%s" % (method, finding, self.stacks())) from None
        if "error" in reply:
            self.told += 1
            self.refusal = reply["error"]
            return None
        return reply["result"]

    def submit(self, **params):
        result = self.call("job.submit", memory="16M", **params)
        if result:
            self.jobs[result["job"]] = "submitted"
            return result["job"]
        return None

    def change(self, method, job, state, **params):
        if job and self.call(method, job=job, **params):
            self.jobs[job] = state

    def state_of(self, job):
        result = self.call("job.get", job=job) if job else None
        if result and result["state"] == "solved":
            self.jobs[job] = "solved %s" % json.dumps(result["result"]["value"])
        return result["state"] if result else None

    def wait_for(self, job, seconds):
        until = time.monotonic() + seconds
        while job and time.monotonic() < until:
            state = self.state_of(job)
            if state not in (None, "queued", "running"):
                return state
            time.sleep(0.01)
        return None

    def query(self, game, positions):
        result = self.call("fact.query", game=game, positions=positions, moves=len(positions) < 10)
        for position, fact in zip(positions, result["facts"] if result else ()):
            if "lo" in fact:
                self.note_fact(game, position, fact)

    def note_fact(self, game, position, fact):
        lo, hi = self.facts.get((game, position), (-1000, 1000))
        if fact["lo"] < lo or fact["hi"] > hi:
            raise Finding("lost", "%s %s: %d..%d was told, and now %d..%d" %
                          (game, position, lo, hi, fact["lo"], fact["hi"]))
        self.facts[game, position] = (fact["lo"], fact["hi"])

    # --- the scenario ---

    def scenario(self):
        """What a run asks for; each step is a call of its own, so that the time of the fault can be cut off between
        two."""
        small = ["%d" % i for i in range(1, 5)]
        large = [a + b + c for a in "1234" for b in "1234" for c in "1234"] * 4
        yield lambda: self.call("server.hello")
        yield lambda: setattr(self, "first", self.submit(game="connect4:4x4", key="first", threads=2))
        yield lambda: setattr(self, "second",
                              self.submit(game="connect4:4x5", threads=1, priority=5, options={"cap-last": 20000}))
        yield lambda: self.call("job.watch", job=self.second, interval=0.1) if self.second else None
        yield lambda: setattr(self, "third",
                              self.submit(game="connect4:6x5", key="third", priority=-5, budget={"seconds": 100}))
        yield lambda: self.wait_for(self.first, 1 if self.k else PATIENCE)  # without a fault it must be solved
        yield lambda: self.query("connect4:4x4", small)
        yield lambda: self.query("connect4:4x4", large)
        yield lambda: self.change("job.pause", self.third, "paused")
        yield lambda: self.change("job.set", self.third, "paused", priority=-6)
        yield lambda: self.call("job.list")
        yield lambda: self.call("fact.line", game="connect4:4x4")
        yield lambda: self.change("job.resume", self.third, "resumed")
        yield lambda: self.call("position.show", game="mnk:3,3,3")
        yield lambda: self.submit(game="andor:ghi-first", key="graph")
        yield lambda: self.call("job.history", job=self.second) if self.second else None
        yield lambda: self.certificate()
        yield lambda: self.build_table()
        yield lambda: self.back_up()
        yield lambda: self.wait_for(self.second, 2)
        yield lambda: self.change("job.cancel", self.third, "cancelled")
        yield lambda: self.quiet(1)
        yield lambda: setattr(self, "fourth", self.submit(game="mnk:3,3,3", claim="first-wins", detail="full"))
        yield lambda: self.wait_for(self.fourth, 1)
        yield lambda: self.query("connect4:4x5", small)
        yield lambda: self.quiet(2)
        yield lambda: self.call("job.list", state="paused")

    def quiet(self, flushes):
        """Waits until the idle server has flushed its new facts: the first time into a run, the second time that run
        and the new one become one, and blocks of the log are deleted."""
        until = time.monotonic() + (2 if self.k else PATIENCE)
        while time.monotonic() < until:
            stats = self.call("server.stats")
            if stats and stats["memtable"] == 0 and stats["runs"] > 0:
                return
            time.sleep(0.1)
        if not self.k:
            raise Finding("hang", "the idle server does not flush (%d)" % flushes)

    def certificate(self):
        """The first is removed again."""
        for claim in {"claim": "value"}, {}:
            made = self.call("proof.export", game="connect4:4x4", **claim)
            if made:
                self.call("proof.read", proof=made["proof"])
                self.proofs.add(made["proof"])
            if made and claim:
                self.proofs.discard(made["proof"])
                self.call("proof.remove", proof=made["proof"])

    def until(self, ask, over):
        """Asks until it is over, or for a moment; what was told last."""
        end = time.monotonic() + (2 if self.k else PATIENCE)
        while not over(told := ask()) and time.monotonic() < end:
            time.sleep(0.02)
        return told

    def tables(self):
        told = self.call("table.list")
        return told and {one["state"] for one in told["builds"]} | {"complete" for _ in told["tables"]}

    def build_table(self):
        if self.call("table.build", game="checkers:8", material="KvK"):
            self.table = "ordered"
        states = self.until(self.tables, lambda states: states and not states & {"queued", "running"}) or set()
        self.table = "complete" if "complete" in states else None if "failed" in states else self.table

    def back_up(self):
        if self.call("server.backup", name="one"):
            told = self.until(lambda: self.call("server.backup"), lambda told: told and told["state"] != "running")
            self.saved = bool(told) and told["state"] == "complete"

    def first_start(self):
        """Under the fault. False when the server refused to start, and said why."""
        if self.start(True):
            return True
        code = self.process.wait()
        self.process.stdout.close()
        if code < 0:
            raise Finding("crash", "ended by %s at the start\n%s" % (signal.Signals(-code).name, self.tail()))
        if code == 0 or "proofd" not in self.tail():
            raise Finding("start silent", "exit code %d, and on stderr: %r" % (code, self.tail()))
        self.page.disarm()
        self.told = self.closed = 0
        if not self.start(True):
            raise Finding("restart fails", "after a start that failed:\n" + self.tail())
        return False

    def after(self):
        """The fault is over: the server takes a job and finishes it."""
        self.page.disarm()
        until = time.monotonic() + PATIENCE
        game = "mnk:4,3,3"
        job, state = None, None
        self.refusal = None
        while time.monotonic() < until:
            job = job or self.submit(game=game, priority=100)
            state = self.wait_for(job, 1)
            if state == "solved":
                return
            if state == "paused":  # the disk failed in between; it may be resumed by hand
                self.change("job.resume", job, "resumed")
            time.sleep(0.05)
        raise Finding("stuck after", "a new job %s; last refusal %s\n%s\n%s" %
                      (state and "is " + state or "is not taken", self.refusal, self.tail(),
                                                                               self.stacks()))

    def proofctl(self, *words):
        done = subprocess.run([self.lab.program("proofctl"), *words], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=600, start_new_session=True)
        if done.returncode:
            raise Finding("check fails", "%s: exit code %d\n%s%s" %
                          (words[0], done.returncode, done.stdout[-400:], done.stderr[-400:]))

    def verify(self):
        """Without faults: everything that was acknowledged is there."""
        self.proofctl("check", self.data, "--graphs", GRAPHS, "--threads", "1")
        if self.saved:
            self.proofctl("restore", os.path.join(self.backups, "one"), os.path.join(self.dir, "restored"))
        if not self.start(False):
            raise Finding("restart fails", self.tail())
        for job, state in self.jobs.items():
            found = self.call("job.get", job=job)
            if not found:
                raise Finding("lost", "job %d was acknowledged: %s" % (job, self.refusal))
            if state.startswith("solved"):
                if found["state"] != "solved" or json.dumps(found["result"]["value"]) != state[7:]:
                    raise Finding("lost", "job %d was %s and is %s" % (job, state, found["state"]))
            elif state == "cancelled" and found["state"] not in ("cancelled", "solved"):
                raise Finding("lost", "job %d was cancelled and is %s" % (job, found["state"]))
        told = self.call("proof.list")
        kept = {one["proof"] for one in told["proofs"] if not one.get("damaged")}
        if not kept >= self.proofs:
            raise Finding("lost", "of the certificates %s there are %s" % (self.proofs, told["proofs"]))
        if self.table and not self.tables() & {"complete", "queued", "running"}:
            raise Finding("lost", "the table is not there: %s" % self.call("table.list"))
        for game in {game for game, _ in self.facts}:
            self.query(game, [position for of, position in self.facts if of == game])
        self.end()

    def run(self):
        if self.stage == "left":
            shutil.copytree(self.lab.left, self.data)
        kind, error = KINDS[self.kind]
        self.page.arm(kind, self.k, WHILE if self.burst == "while" else self.burst, error)
        self.first = self.second = self.third = self.fourth = None
        outcome = None if self.first_start() else "start refused"
        until = time.monotonic() + FAULTY
        for step in self.scenario():
            if time.monotonic() > until:
                self.page.disarm()
            step()
            self.look()
        told, closed = self.told, self.closed
        self.after()
        # A clean stop is under the fault, too, where the count goes so far.
        code = self.end()
        if code:
            raise Finding("exit", "exit code %d when it was asked to stop\n%s" % (code, self.tail()))
        self.verify()
        return outcome or ("late" if self.late else "closed" if closed else "told" if told else "unnoticed")

    def outcome(self):
        """(outcome, text); the directory is removed."""
        try:
            try:
                return self.run(), ""
            except Finding as finding:
                return finding.outcome, str(finding)
            except Closed:
                return "exit", "the connection closed\n" + self.tail()
        finally:
            if self.wire:
                self.wire.close()
            if self.process and self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            if self.process and not self.process.stdout.closed:
                self.process.stdout.close()
            self.hits, self.counts, self.places = self.page.counts()[6], self.page.counts()[:6], self.page.trace()
            shutil.rmtree(self.dir, ignore_errors=True)


class Lab:
    def __init__(self, build, jobs):
        self.build, self.jobs = os.path.abspath(build), jobs
        self.preload = os.path.join(self.build, "tests", "preload_fault.so")
        self.base = tempfile.mkdtemp(prefix="lab-faults-", dir=self.place_for_data())
        self.left = os.path.join(self.base, "left")
        self.table = collections.Counter()
        self.found = collections.OrderedDict()  # (outcome, place) -> [text, commands]
        self.symbols = {}
        self.stop = False

    @staticmethod
    def place_for_data():
        memory = "/dev/shm"
        if not os.access(memory, os.W_OK):
            return None
        at = os.statvfs(memory)
        return memory if at.f_bavail * at.f_frsize > ROOM else None

    def program(self, name):
        return os.path.join(self.build, name)

    def leave(self):
        """A directory as a killed server left it: a job that ran, one that waits, one that is solved, facts in runs and
        in the log."""
        run = Run(self, "alloc", 0, 1, "fresh")
        run.page.disarm()
        run.start(False)
        assert run.wait_for(run.submit(game="connect4:4x4", key="first"), PATIENCE) == "solved"
        time.sleep(0.3)
        run.submit(game="connect4:6x5", key="third")
        time.sleep(0.3)
        run.end(signal.SIGKILL)
        shutil.copytree(run.data, self.left)
        shutil.rmtree(run.dir)

    def dry(self, stage):
        """How many calls of each kind the scenario makes, by a run in which none fails."""
        run = Run(self, "alloc", 0, 1, stage)
        outcome, text = run.outcome()
        if outcome != "unnoticed":
            raise SystemExit("without a fault: %s: %s" % (outcome, text))
        return run.counts

    def place(self, addresses):
        """The functions of ours that the first failing call came from, innermost first."""
        wanted = [a for a in addresses if 0 < a < 1 << 28]
        new = [a for a in wanted if a not in self.symbols]
        if new:
            done = subprocess.run(["addr2line", "-f", "-s", "-e", self.program("proofd")] +
                                  ["%#x" % (a - 1) for a in new], capture_output=True,
                                  text=True, stdin=subprocess.DEVNULL)
            lines = done.stdout.splitlines()
            for i, address in enumerate(new):
                name, at = (lines[2 * i], lines[2 * i + 1]) if len(lines) > 2 * i + 1 else ("?", "?")
                self.symbols[address] = None if name == "??" else "%s (%s)" % (name, at.split(" ")[0])
        return [self.symbols[a] for a in wanted if self.symbols[a]]

    def note(self, run, outcome, text):
        self.table[run.kind, outcome if run.hits or outcome in FINDINGS else "not reached"] += 1
        if outcome not in FINDINGS:
            return
        places = self.place(run.places)
        entry = self.found.setdefault((outcome, " < ".join(places[:3])), [text, " < ".join(places), []])
        if not entry[2]:
            print("%s, first at %s; --kind %s --k %d --burst %s --stage %s" %
                  (outcome, " < ".join(places[:3]), run.kind, run.k, run.burst, run.stage),
                  flush=True)
        entry[2].append("--kind %s --k %d --burst %s --stage %s" % (run.kind, run.k, run.burst, run.stage))

    def all(self, plan):
        def one(order):
            if self.stop:
                return None
            run = Run(self, *order)
            outcome, text = run.outcome()
            return run, outcome, text
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for number, done in enumerate(pool.map(one, plan), 1):
                if done:
                    self.note(*done)
                if number % 1000 == 0:
                    print("%d of %d runs" % (number, len(plan)), flush=True)

    def report(self):
        columns = [name for name in FINE + ("not reached",) + FINDINGS if any(key[1] == name for key in self.table)]
        print("%-12s %7s" % ("kind", "runs") + "".join(" %13s" % name for name in columns))
        for kind in KINDS:
            row = [self.table[kind, name] for name in columns]
            if sum(row):
                print("%-12s %7d" % (kind, sum(row)) + "".join(" %13d" % n for n in row))
        for (outcome, _), (text, places, commands) in sorted(self.found.items()):
            print("\nfinding: %s, %d runs\n  first call that failed: %s\n  %s" %
                  (outcome, len(commands), places, text.strip().replace("\n", "\n  ")))
            for command in commands[:4]:
                print("  again: ./dev lab faults " + command)
        findings = sum(len(entry[2]) for entry in self.found.values())
        print("%d runs, %d findings" % (sum(self.table.values()), findings))
        return 1 if findings else 0


def pick(count, runs):
    """Of 1..count: the first ones, then a stride."""
    head = min(count, max(1, runs // 2))
    chosen = list(range(1, head + 1))
    rest = count - head
    if rest > 0 and runs > head:
        many = min(rest, runs - head)
        chosen += [head + 1 + i * rest // many for i in range(many)]
    return chosen


def share_of(lab):
    """The first allocations, and one run of each kind in the middle of the scenario."""
    counts = lab.dry("fresh")
    first = [("alloc", k, 1, "fresh") for k in range(1, 6)]
    return first + [(kind, counts[KINDS[kind][0]] * 2 // 3 or 1, BURSTS[i % 2], "fresh")
                    for i, kind in enumerate(KINDS)]


def chosen(count, options):
    return range(options.first, count + 1) if options.every else pick(count, options.runs)


def plan_of(lab, options):
    orders = []
    for stage in [options.stage] if options.stage else STAGES:
        counts = lab.dry(stage)
        print("%s: %s" % (stage, ", ".join("%s %d" % (kind, counts[KINDS[kind][0]]) for kind in KINDS)), flush=True)
        for kind in [options.kind] if options.kind else KINDS:
            for burst in [options.burst] if options.burst else BURSTS:
                for k in [options.k] if options.k else chosen(counts[KINDS[kind][0]], options):
                    orders.append((kind, k, burst, stage))
    return orders


def burst_of(text):
    return text if text == "while" else int(text)


def main():
    parser = argparse.ArgumentParser(prog="./dev lab faults",
                                     description="Makes the k-th call of a kind fail, and watches the server.")
    parser.add_argument("build", help="build directory (./dev gives it)")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--k", type=int, help="only this call")
    parser.add_argument("--burst", type=burst_of, help="number of calls that fail, or `while`: until the fault is over")
    parser.add_argument("--stage", choices=STAGES, help="on a fresh directory, or on one that a killed server left")
    parser.add_argument("--runs", type=int, default=60, help="for each kind, burst and stage; default 60")
    parser.add_argument("--every", action="store_true",
                        help="every call of each kind: 8,000 runs a burst and stage, half an hour with two cores; an "
                             "hour for allocations with --burst while, best with --jobs 16")
    parser.add_argument("--first", type=int, default=1, metavar="K",
                        help="with --every: from the K-th call on, where a run was stopped")
    parser.add_argument("--jobs", type=int, default=2, help="runs at one time")
    parser.add_argument("--share", action="store_true", help="a few seconds' worth")
    options = parser.parse_args()
    if options.first < 1 or (options.first > 1 and not options.every):
        parser.error("--first takes a number from 1 up, and goes with --every")
    lab = Lab(options.build, options.jobs)
    signal.signal(signal.SIGTERM, lambda *_: setattr(lab, "stop", True))  # what was begun is ended and told
    try:
        if options.share:
            lab.all(share_of(lab))
        else:
            lab.leave()
            lab.all(plan_of(lab, options))
        code = lab.report()
    finally:
        shutil.rmtree(lab.base, ignore_errors=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
