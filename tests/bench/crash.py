"""The crash run: a job is killed with SIGKILL at random moments, and must end with the right answer as if nothing had
been.

Used twice: `./dev crash` runs it long, tests/server/test_crash.py short. After each kill the directory is checked by
`proofctl check`; after each start the same job must go on by itself, with nothing of the last start lost. At the end
the value must be the right one, and the time that the search took in all is compared with a run that was not killed.
Three times are compared: what the job counts itself (`seconds`; what was lost with a kill is not in it); the wall clock
from ready to kill, or to the answer, where everything counts, and whatever else the machine does as well; and the
processor time of the server processes, start and end included, which does not depend on other programs much. The limit
is for the last one.

    crash.py BUILD [--game NAME] [--value TEXT] [--kills N] [--checkpoint SECONDS] [--seed N] [--threads N] [--limit
    RATIO]
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import Server, build_has, program  # noqa: E402


def pick_seed(usual=None):
    """TEST_SEED, or the given seed, or a fresh one; printed, so that a failure can be run again."""
    seed = int(os.environ.get("TEST_SEED")
               or (usual if usual is not None else random.SystemRandom().randrange(1 << 32)))
    print("seed %d (TEST_SEED=%d brings it back)" % (seed, seed), flush=True)
    return seed


def build_is_slow():
    """True for builds with a sanitizer, or without optimization."""
    return build_has("fsanitize") or build_has("CMAKE_BUILD_TYPE:STRING=Debug")


def nodes_of(job):
    return job["nodes"]["level1"] + job["nodes"]["level2"]


def check(directory):
    """proofctl check: its figures; fails unless the directory is clean."""
    done = subprocess.run([program("proofctl"), "check", directory, "--json", "--threads", str(os.cpu_count())],
                          capture_output=True,
                          text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError("proofctl check: exit code %d\n%s%s" % (done.returncode, done.stdout, done.stderr))
    return json.loads(done.stdout)


def processor_s(pid):
    """Processor time that a process has used, all its threads, in seconds."""
    with open("/proc/%d/stat" % pid) as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def kept(directory, job_id):
    """The job as the directory has it, with no server running."""
    done = subprocess.run([program("proofctl"), "show", str(job_id), "--data", directory, "--json"],
                          capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError("proofctl show: exit code %d\n%s" % (done.returncode, done.stderr))
    return json.loads(done.stdout)


class Crash:
    def __init__(self, game, value, kills, seed, checkpoint, say=print, threads=1):
        self.game, self.value, self.kills = game, value, kills
        self.random = random.Random(seed)
        self.options = ["--threads", str(threads), "--checkpoint", str(checkpoint), "--log", "warn"]
        self.say = say

    def solved(self, job):
        """Fails unless the job has ended with the right answer."""
        assert job["state"] == "solved", job
        assert job["result"]["value"]["text"] == self.value, job["result"]

    def unkilled(self):
        """Runs the job without disturbance."""
        with Server(*self.options) as server:
            begin = time.monotonic()
            job = server.wait_job(server.rpc("job.submit", game=self.game)["job"])
            wall = time.monotonic() - begin
            used = processor_s(server.pid)
            self.solved(job)
            server.terminate()
            found = check(server.data)
        self.say("unkilled: %.1f s, %.1f s by the clock, %d nodes, %d facts" %
                 (job["seconds"], wall, nodes_of(job), found["facts"]))
        return job, wall, used

    def killed(self, wall):
        """Runs it again with kills at random moments of the time that it takes; returns the job, wall clock and
        processor time while it ran."""
        moments = sorted(self.random.uniform(0, 0.9 * wall) for _ in range(self.kills))
        waits = [b - a for a, b in zip([0] + moments, moments)]
        total, used, before = 0.0, 0.0, 0
        self.say("%5s %9s %12s %9s %9s %8s  %s" %
                 ("kill", "after s", "nodes kept", "restarts", "facts", "leaves", "check"))
        with Server(*self.options) as server:
            begin = time.monotonic()
            job_id = server.rpc("job.submit", game=self.game)["job"]
            for number, wait in enumerate(waits, 1):
                try:
                    server.process.wait(max(0, wait - (time.monotonic() - begin)))
                    raise AssertionError("the server ended by itself\n" + server.log())
                except subprocess.TimeoutExpired:
                    pass
                used += processor_s(server.pid)
                server.kill()
                total += time.monotonic() - begin
                found = check(server.data)
                disk = nodes_of(kept(server.data, job_id))
                assert disk >= before, "%d nodes were on disk, and now %d" % (before, disk)
                before = disk
                server.start()
                begin = time.monotonic()
                job = server.rpc("job.get", job=job_id)
                if job["crashes"] >= 3:
                    # three short lives in a row look like a job that ends the server; soon that is on disk
                    job = server.wait_job(job_id, ("failed",))
                    assert "three times in a row" in job["reason"], job
                    server.rpc("job.resume", job=job_id)
                    job = server.rpc("job.get", job=job_id)
                assert job["state"] in ("queued", "running", "solved"), job
                assert nodes_of(job) >= disk, "%d nodes are on disk, and the server knows of %d" % (disk, nodes_of(job))
                self.say("%5d %9.3f %12d %9d %9d %8d  clean" %
                         (number, wait, disk, job["restarts"], found["facts"], found["leaves"]))
            job = server.wait_job(job_id)
            total += time.monotonic() - begin
            used += processor_s(server.pid)
            self.solved(job)
            jobs = server.rpc("job.list")["jobs"]
            assert [j["job"] for j in jobs] == [job_id], jobs
            server.terminate()
            check(server.data)
        return job, total, used


def main():
    parser = argparse.ArgumentParser(prog="./dev crash",
                                     description="Kills a job many times and compares it with one that was left alone.")
    parser.add_argument("build", help="build directory (./dev gives it)")
    parser.add_argument("--game", default="connect4:7x5")
    parser.add_argument("--value", default="draw", help="the right answer, as proofctl says it")
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--checkpoint", type=float, default=0.5, help="seconds between checkpoints")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--threads", type=int, default=1,
                        help="that search the job together; with more than one a run is not repeatable")
    parser.add_argument("--limit", type=float, default=1.15, help="the job may take so much more search time")
    options = parser.parse_args()
    run = Crash(options.game, options.value, options.kills, pick_seed(options.seed), options.checkpoint,
                lambda text: print(text, flush=True), options.threads)
    alone, alone_wall, alone_used = run.unkilled()
    job, wall, used = run.killed(alone_wall)
    print("\n%-34s %10s %10s %7s" % ("%s, %d kills" % (options.game, options.kills), "unkilled", "killed", "ratio"))
    rows = [("search time the job counts, s", alone["seconds"], job["seconds"]),
            ("wall clock while it ran, s", alone_wall, wall),
            ("processor time of the server, s", alone_used, used),
            ("nodes that the job counts", nodes_of(alone), nodes_of(job))]
    for name, a, b in rows:
        print("%-34s %10.4g %10.4g %7.3f" % (name, a, b, b / a))
    if used / alone_used > options.limit:
        sys.exit("more than %.2f times the search time" % options.limit)


if __name__ == "__main__":
    main()
