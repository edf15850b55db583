"""Quotas: what becomes of jobs when the disk, the memory of a control group, or the memory for all jobs ends.

    quotas.py BUILD [disk] [group] [tables] [--rounds N] [--seed N] [--share]

disk    a small file system in memory that fills up, by the jobs and by a file of somebody else, with --disk-reserve and
        without: each job pauses with the reason, before the wall when there is a reserve; queries, lists, pause and
        cancel go on; a server that is killed while the disk is full starts again; when there is room all go on by
        themselves.
group   a server in a memory group, with jobs whose tables, facts and checkpoints come near its limit: the kernel never
        kills it, jobs pause with the reason and go on, also when the limit of the group is raised.
tables  --memory with eight jobs that want more together: those that do not fit wait with the reason, the sum is never
        exceeded, and all are finished.

In the end every acknowledged job and fact is there, every value is right, and `proofctl check` is clean. disk needs the
right to mount (in a mount namespace of its own), group that to make memory groups; without, that part is skipped.
"""

import argparse
import ctypes
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, RpcError, Server, build_has, program  # noqa: E402

MEGA = 1 << 20
POLL = 0.03     # seconds between two looks at a server that is at work
PATIENCE = 120  # seconds after which something that was to happen has not
CLONE_NEWNS, MS_REC, MS_PRIVATE, MS_REMOUNT, MNT_DETACH = 0x00020000, 0x4000, 1 << 18, 32, 2
OVER = ("solved", "exhausted", "cancelled", "failed")
# What First gets; None: too large to be solved here.
VALUES = {"mnk:3,3,3": 0, "mnk:4,3,3": 1, "connect4:4x4": 0, "connect4:5x4": 0, "connect4:4x5": 0, "hex:3": 1,
          "connect4:6x5": None, "connect4:7x6": None}


class Finding(Exception):
    """What must not be."""


class Skipped(Exception):
    """What this machine or user does not allow."""


def expect(so, what, *args):
    if not so:
        raise Finding(what % args)


def until(wanted, what):
    """Asks again and again until that is true; returns it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        got = wanted()
        if got:
            return got
        time.sleep(POLL)
    raise Finding("it took more than %d seconds: %s" % (PATIENCE, what))


# --- what the parts share


class Watched:
    """A server, and what it has acknowledged."""

    def __init__(self, *options, data=None, group=None, threads=2):
        self.jobs, self.facts = {}, {}
        self.options = ("--checkpoint", "0.2", "--nice", "0", "--monitor", "127.0.0.1:0", "--threads",
                        str(threads)) + options
        self.server = Grouped(group, *self.options, data=data)

    def submit(self, game, **more):
        params = dict({"game": game, "memory": "8M"}, **more)
        job = self.server.rpc("job.submit", **params)["job"]
        self.jobs[job] = params
        return job

    def solve(self, game):
        """A small job, solved, and the facts that are known then."""
        job = self.submit(game)
        self.judge(self.server.wait_job(job))
        return job

    def judge(self, told):
        game = told["game"]
        expect(told["state"] != "failed", "job %d failed: %s", told["job"], told["reason"])
        if told["state"] == "solved" and VALUES[game] is not None:
            value = told["value"]
            expect(value["lo"] == value["hi"] == VALUES[game], "%s is worth %d, and the server says %r", game,
                   VALUES[game], value)
            self.facts[game] = VALUES[game]

    def ask(self):
        """Queries, lists and figures are answered, and say what was said before."""
        for game, value in self.facts.items():
            fact = self.server.rpc("fact.query", game=game, positions=[""])["facts"][0]
            expect((fact["lo"], fact["hi"]) == (value, value), "the fact about %s is %r now", game, fact)
        listed = {job["job"] for job in self.server.rpc("job.list", limit=100)["jobs"]}
        expect(listed == set(self.jobs), "jobs %r are listed instead of %r", sorted(listed), sorted(self.jobs))

    def explain(self, job):
        return self.server.rpc("job.explain", job=job)

    def wait_reason(self, jobs, reasons, part=""):
        """Until each of the jobs waits for one of these reasons; their explanations."""
        def there():
            told = [self.explain(job) for job in jobs]
            return told if all(t["reason"] in reasons and part in t["text"] for t in told) else None

        def now():
            return "; ".join("%d %s: %s" % (j, t["reason"], t["text"]) for j, t in ((j, self.explain(j)) for j in jobs))
        try:
            return until(there, "jobs that wait because of " + " or ".join(reasons))
        except Finding as finding:
            raise Finding("%s; they are: %s" % (finding, now()))

    def quota(self):
        return self.server.rpc("server.stats")["quota"]

    def page(self, name):
        """Status and text of a page of the monitor."""
        try:
            with urllib.request.urlopen("http://%s/%s" % (self.server.ready["monitor"], name), timeout=TIMEOUT) as page:
                return page.status, page.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def metric(self, name):
        for line in self.page("metrics")[1].splitlines():
            if line.startswith(name + " "):
                return float(line.split()[-1])
        raise Finding("there is no metric " + name)

    def finish(self):
        """All jobs are ended, those that take too long by cancelling them; nothing is lost, and the directory is
        sound."""
        for job, params in self.jobs.items():
            if VALUES[params["game"]] is None:
                state = self.server.rpc("job.get", job=job)["state"]
                if state not in OVER:
                    self.server.rpc("job.cancel", job=job)
        for job in self.jobs:
            self.judge(self.server.wait_job(job))
        self.ask()
        expect(self.server.terminate() == 0, "the server did not end well")
        done = subprocess.run([program("proofctl"), "check", self.server.data], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        expect(done.returncode == 0, "proofctl check: %s%s", done.stdout[-2000:], done.stderr[-2000:])

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        self.server.__exit__(*reason)


class Grouped(Server):
    """A server in a memory group; None: in that of this script."""

    def __init__(self, group, *options, **more):
        self.group = group
        super().__init__(*options, **more)

    def command(self):
        command = super().command()
        if self.group:
            enter = 'echo $$ > "$0/cgroup.procs" && exec "$@"'
            command = ["sh", "-c", enter, self.group.path] + command
        return command


# --- the disk


class SmallDisk:
    """A file system in memory, in a mount namespace of this process, which ends with it."""

    def __init__(self, size):
        libc = ctypes.CDLL(None, use_errno=True)
        self.libc, self.path = libc, tempfile.mkdtemp(prefix="proofd-quotas-")
        try:
            self.call(libc.unshare(CLONE_NEWNS), "a mount namespace of its own")
            self.call(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "a mount namespace of its own")
            self.call(libc.mount(b"tmpfs", self.path.encode(), b"tmpfs", 0, b"size=%d,mode=0700" % size), "to mount")
        except Skipped:
            os.rmdir(self.path)
            raise

    @staticmethod
    def call(result, what):
        if result:
            raise Skipped("this user may not have what it takes (%s): %s" % (what, os.strerror(ctypes.get_errno())))

    def free(self):
        at = os.statvfs(self.path)
        return at.f_bavail * at.f_frsize

    def fill(self, leave=0):
        """A file of somebody else, so large that only that much is left."""
        with open(os.path.join(self.path, "foreign"), "ab", buffering=0) as file:
            try:
                while self.free() > leave:
                    file.write(bytes(min(1 << 16, max(4096, self.free() - leave))))
            except OSError:
                pass  # full

    def make_room(self):
        """The foreign file goes, and the disk becomes larger, so that the jobs do not fill it again."""
        os.unlink(os.path.join(self.path, "foreign"))
        self.call(self.libc.mount(b"none", self.path.encode(), b"tmpfs", MS_REMOUNT, b"size=1g"), "to mount again")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.libc.umount2(self.path.encode(), MNT_DETACH)
        os.rmdir(self.path)


def large(watched, draw):
    """A job that does not end by itself and fills its table, and the disk, quickly."""
    return watched.submit("connect4:7x6", memory="8M", algorithm=draw.choice(["pds", "df-pn"]), seed=draw.randrange(99))


def disk_with_reserve(disk, draw, by_jobs):
    """Jobs pause before the wall, with the reserve, and go on."""
    reserve = 20 * MEGA
    with Watched("--disk-reserve", "20M", data=os.path.join(disk.path, "data")) as watched:
        server = watched.server
        watched.solve(draw.choice(["connect4:4x4", "mnk:4,3,3"]))
        if by_jobs:
            disk.fill(leave=reserve + 6 * MEGA)
        jobs = [large(watched, draw) for _ in range(2)]
        if not by_jobs:
            for job in jobs:
                server.wait_job(job, ("running",))
            disk.fill(leave=draw.choice([0, 4 * MEGA]))
        # One that has found no room for its last checkpoint says so instead: the disk was full at once.
        reasons = ("disk-reserve",) if by_jobs else ("disk-reserve", "disk")
        watched.wait_reason(jobs, reasons, "free on the disk" if by_jobs else "")
        until(lambda: watched.quota()["lack"] == "disk", "server.stats names the disk")
        if by_jobs:
            until(lambda: watched.quota()["disk"] == 2, "server.stats counts both")
            expect(disk.free() > 0, "the jobs have left nothing of the reserve")
            expect(watched.metric("proofd_commit_failures_total") == 0, "the wall was hit in spite of the reserve")
        status, text = watched.page("readyz")
        expect(status == 503 and "--disk-reserve" in text, "/readyz says %d %s", status, text)
        watched.ask()
        if by_jobs:  # the reserve is there for this
            small = watched.submit("connect4:4x5")
            watched.wait_reason([small], ("disk-reserve",))
            server.rpc("job.pause", job=jobs[0])
            expect(watched.explain(jobs[0])["reason"] == "paused", "paused on request it is not paused so")
            server.rpc("job.resume", job=jobs[0])
        server.kill()
        server.start()
        watched.wait_reason(jobs, ("disk-reserve", "disk"))
        watched.ask()
        disk.make_room()
        for job in jobs:
            server.wait_job(job, ("running",))
        until(lambda: watched.quota()["lack"] == "none", "there is room")
        expect(watched.page("readyz")[0] == 200, "/readyz is not well with room")
        watched.finish()


def disk_without_reserve(disk, draw):
    """The wall itself."""
    with Watched(data=os.path.join(disk.path, "data")) as watched:
        server = watched.server
        watched.solve("connect4:4x4")
        disk.fill(leave=draw.choice([6, 10]) * MEGA)
        jobs = [large(watched, draw) for _ in range(2)]
        watched.wait_reason(jobs[:1], ("disk",), "cannot be written for now")
        # A checkpoint may have found room after all, that of the job's own free pages; the next one does not.
        until(lambda: watched.page("readyz")[0] == 503, "/readyz says that the disk is full")
        watched.ask()
        try:
            watched.submit("connect4:4x5")
        except RpcError as error:
            expect(error.slug == "no-space", "a submission says %s", error)
        for method in ("job.pause", "job.cancel"):
            begin = time.monotonic()
            try:
                server.rpc(method, job=jobs[1])
            except RpcError as error:
                expect(error.slug in ("no-space", "wrong-state"), "%s says %s", method, error)
            expect(time.monotonic() - begin < PATIENCE / 2, "%s waited for the disk", method)
        server.kill()
        server.start()
        watched.ask()
        disk.make_room()
        told = server.wait_job(jobs[0], ("running",))
        expect(told["state"] == "running", "job %d did not go on: %r", jobs[0], told)
        watched.submit("connect4:5x4")
        watched.finish()


def part_disk(options, draw):
    for _ in range(options.rounds):
        for run in (lambda disk: disk_with_reserve(disk, draw, True), lambda disk: disk_with_reserve(disk, draw, False),
                    lambda disk: disk_without_reserve(disk, draw)):
            with SmallDisk(96 * MEGA) as disk:
                run(disk)


# --- a memory group


class MemoryGroup:
    """A group below that of this process: what bounds this process bounds it as well."""

    def __init__(self, limit):
        self.path = None
        for root, own, name, peak in self.hierarchies():
            path = os.path.join(root + own, "proofd-lab-%d" % os.getpid())
            try:
                os.mkdir(path)
            except OSError:
                continue
            self.path, self.name, self.peak = path, name, peak
            try:
                self.set(limit)
                return
            except OSError:  # the controller is not handed down to it
                os.rmdir(path)
                self.path = None
        raise Skipped("no memory group can be made here")

    @staticmethod
    def hierarchies():
        with open("/proc/self/cgroup") as file:
            for line in file:
                _, controllers, own = line.rstrip("\n").split(":", 2)
                if "memory" in controllers.split(","):
                    yield "/sys/fs/cgroup/memory", own, "memory.limit_in_bytes", "memory.max_usage_in_bytes"
                elif not controllers:
                    yield "/sys/fs/cgroup", own, "memory.max", "memory.peak"

    def set(self, limit):
        with open(os.path.join(self.path, self.name), "w") as file:
            file.write(str(limit))

    def most(self):
        try:
            with open(os.path.join(self.path, self.peak)) as file:
                return int(file.read())
        except OSError:
            return 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:  # until the last process has left it
            try:
                os.rmdir(self.path)
                return
            except OSError:
                continue


def alive(watched):
    code = watched.server.process.poll()
    expect(code is None, "the server was ended with %r\n%s", code, watched.server.log()[-2000:])


def expect_disk_directory():
    """Files on a tmpfs are charged to the memory group of the server, which would be killed for its data."""
    file_system = subprocess.run(["stat", "-f", "-c", "%T", tempfile.gettempdir()], stdout=subprocess.PIPE, text=True)
    if file_system.stdout.strip() in ("tmpfs", "ramfs"):
        raise Skipped("%s is a tmpfs, whose files count as memory of the group; set TMPDIR to a directory on a disk"
                      % tempfile.gettempdir())


def group_round(options, draw, limit, share):
    """Jobs that together may take `share` of the limit in tables; what else they need brings it near the limit."""
    figures = {"limit": limit, "memory": share}
    with MemoryGroup(limit) as group, Watched("--memory", str(share), group=group, threads=4) as watched:
        server = watched.server
        watched.solve("connect4:4x4")
        jobs = [watched.submit("connect4:7x6", memory=share // 4, algorithm=algorithm, seed=draw.randrange(99))
                for algorithm in ("pds", "df-pn", "pds-pn", "pds")]
        usual = ("running", "memory", "thread", "written", "ready", "stopping")
        seen, end = set(), time.monotonic() + options.seconds
        most = 0
        while time.monotonic() < end:
            time.sleep(POLL)
            alive(watched)
            watched.ask()
            most = max(most, server.memory())
            for job in jobs:
                told = watched.explain(job)
                seen.add(told["reason"])
                expect(told["reason"] in usual + ("memory-short",),
                       "job %d: %s: %s", job, told["reason"], told["text"])
        figures.update(resident=most, group=group.most(), reasons=sorted(seen))
        if "memory-short" in seen:  # more is given: all go on
            group.set(4 * limit)
            until(lambda: watched.quota() == {"lack": "none", "text": None, "disk": 0, "memory": 0},
                  "with a larger limit no job is on hold")
        watched.submit("connect4:4x5")
        watched.finish()
    return figures


def part_group(options, draw):
    if build_has("fsanitize"):
        raise Skipped("sanitizers have memory of their own")
    expect_disk_directory()
    # Three quarters are what jobs get unless --memory says otherwise; the limit itself is the most that it takes.
    rounds = [(64, 48), (64, 62), (200, 150), (300, 225), (200, 195)]
    for limit, share in rounds[:2] if options.share else rounds * options.rounds:
        print("group: %s" % json.dumps(group_round(options, draw, limit * MEGA, share * MEGA)), flush=True)


# --- the tables of all jobs


def part_tables(options, draw):
    """Eight jobs of which two fit."""
    total = 64 * MEGA  # less than three of the smallest ones, so that with two threads memory ends first
    with Watched("--memory", str(total), "--slice", "0.5") as watched:
        server = watched.server
        base = server.memory()
        games = ["connect4:5x4", "connect4:4x5", "mnk:4,3,3", "hex:3"]
        jobs = []
        for i in range(8):
            memory = draw.choice([22, 24, 30]) * MEGA
            if i % 2:
                jobs.append(watched.submit(games[i // 2], memory=memory, seed=i))
            else:
                jobs.append(watched.submit("connect4:6x5", memory=memory, seed=i, algorithm="pds",
                                           budget={"nodes": 300000}))
        waited, most = set(), 0
        while True:
            time.sleep(POLL)
            # All of one moment: between two calls one job may give way to another.
            told = [job for job in server.rpc("job.list", limit=100)["jobs"] if job["job"] in jobs]
            running = sum(job["memory"] for job in told if job["state"] == "running")
            reserved = watched.explain(jobs[0])["memory"]["reserved"]
            expect(reserved <= total, "%d bytes of tables are reserved", reserved)
            expect(running <= total, "jobs with %d bytes run", running)
            most = max(most, server.memory() - base)
            if all(job["state"] in OVER for job in told):
                break
            for job in told:
                if job["state"] == "queued":
                    why = watched.explain(job["job"])
                    waited.add(why["reason"])
                    # What becomes of it by itself, too: it may have gone on since it was listed.
                    expect(why["reason"] in ("memory", "thread", "written", "ready", "running", "stopping", "solved",
                                             "budget"),
                           "job %d: %s: %s", job["job"], why["reason"], why["text"])
        for job in told:
            expect(job["state"] in ("solved", "exhausted"), "job %d is %s: %s", job["job"], job["state"], job["reason"])
        expect("memory" in waited, "no job had to wait for memory: %r", waited)
        print("tables: %s" % json.dumps({"memory": total, "resident": most, "reasons": sorted(waited)}), flush=True)
        watched.finish()


PARTS = {"disk": part_disk, "group": part_group, "tables": part_tables}


def main():
    parser = argparse.ArgumentParser(prog="./dev lab quotas", description=__doc__.splitlines()[0])
    parser.add_argument("build", help="build directory (./dev gives it)")
    parser.add_argument("parts", nargs="*", help="disk, group, tables (default: all)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=30, help="of a round in a memory group")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--share", action="store_true", help="a few seconds of it")
    options = parser.parse_args()
    if options.share:
        options.rounds, options.seconds = 1, 6
    print("seed %d" % options.seed, flush=True)
    bad = 0
    for name in options.parts or PARTS:
        begin = time.monotonic()
        try:
            PARTS[name](options, random.Random(options.seed))
            print("%s: nothing lost, %.0f s" % (name, time.monotonic() - begin), flush=True)
        except Skipped as why:
            print("%s: skipped, %s" % (name, why), flush=True)
        except Finding as finding:
            bad = 1
            print("%s: %s" % (name, finding), flush=True)
    sys.exit(bad)


if __name__ == "__main__":
    main()
