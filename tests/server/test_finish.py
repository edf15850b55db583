"""--on-finish: a program that is run when a job has ended; what it gets, and that it can do the server no harm."""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, program  # noqa: E402

# Writes what it was given into a file of its own, which appears as a whole, and then a line into a FIFO.
SCRIPT = """#!/bin/sh
out=$(dirname "$0")
{
env | grep -E '^(PROOFD_|NOTIFY|WATCHDOG)' | sort
ls /proc/self/fd | tr '\\n' ' '
echo
cat
} >"$out/tmp.$PROOFD_JOB"
mv "$out/tmp.$PROOFD_JOB" "$out/job.$PROOFD_JOB.$PROOFD_STATE"
%s
"""


class Hook:
    """A directory with such a program; `more`: what it does at its end."""

    def __init__(self, more=""):
        self.dir = tempfile.TemporaryDirectory(prefix="proofd-test-")
        self.fifo = os.path.join(self.dir.name, "fifo")
        os.mkfifo(self.fifo)
        self.path = os.path.join(self.dir.name, "hook")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(SCRIPT % more)
        os.chmod(self.path, 0o755)

    def told(self):
        return sorted(name[4:] for name in os.listdir(self.dir.name) if name.startswith("job."))

    def until(self, server, name):
        """Waits, a turn of the server's loop at a time; the lines of that run."""
        end = time.monotonic() + TIMEOUT
        path = os.path.join(self.dir.name, "job." + name)
        while not os.path.exists(path):
            server.rpc("server.hello")
            if time.monotonic() > end:
                raise AssertionError("%s is not told of; %s\n%s" % (name, self.told(), server.log()))
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()

    def until_done(self, server, count):
        """Waits until `count` programs have written a line at their end: none writes where all is being removed."""
        end = time.monotonic() + TIMEOUT
        path = os.path.join(self.dir.name, "done")
        while not os.path.exists(path) or os.path.getsize(path) < count:
            server.rpc("server.hello")
            if time.monotonic() > end:
                raise AssertionError("%d programs have not ended" % count)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """No program is left waiting for the FIFO: what has it open, or opens it, reads its end."""
        writer = os.open(self.fifo, os.O_RDWR)
        self.dir.cleanup()
        os.close(writer)


def await_log(server, part):
    end = time.monotonic() + TIMEOUT
    while part not in server.log():
        server.rpc("server.hello")
        if time.monotonic() > end:
            raise AssertionError("%r is not in the log\n%s" % (part, server.log()))


class Finish(unittest.TestCase):
    def test_it_is_told_of_each_end_once(self):
        with Hook() as hook:
            env = {"NOTIFY_SOCKET": "/no/such/socket", "WATCHDOG_USEC": "9000000", "PROOFD_VALUE": "stale"}
            with Server("--threads", "1", "--on-finish", hook.path, env=env) as server:
                job = server.rpc("job.submit", game="mnk:3,3,3", claim="first-draws", memory="1M")["job"]
                lines = hook.until(server, "%d.solved" % job)
                self.assertEqual(
                    lines[:5],
                    [
                        "PROOFD_GAME=mnk:3,3,3",
                        "PROOFD_JOB=1",
                        "PROOFD_REASON=",
                        "PROOFD_STATE=solved",
                        "PROOFD_VALUE=first wins or draw",
                    ],
                )
                self.assertEqual(lines[5].split(), ["0", "1", "2", "3"])  # the last is what ls itself opens
                told = json.loads(lines[6])
                self.assertEqual((told["job"], told["state"]), (job, "solved"))
                self.assertEqual(told["result"], server.rpc("job.get", job=job)["result"])
                self.assertEqual(len(lines), 7)
                budget = server.rpc("job.submit", game="connect4:7x6", memory="4M", budget={"nodes": 1000})["job"]
                lines = hook.until(server, "%d.exhausted" % budget)
                self.assertIn("PROOFD_REASON=the budget of nodes is used up", lines)
                # A change that is no end is not told of, and a state that stays is not told of again.
                os.unlink(os.path.join(hook.dir.name, "job.%d.exhausted" % budget))
                server.rpc("job.set", job=budget, priority=3)
                large = server.rpc("job.submit", game="connect4:7x6", memory="4M")["job"]
                server.wait_job(large, ("running",))
                server.rpc("job.pause", job=large)
                server.rpc("job.cancel", job=large)
                last = server.rpc("job.submit", game="mnk:3,3,3", memory="1M")["job"]
                hook.until(server, "%d.solved" % last)
                self.assertEqual(hook.told(), ["1.solved", "%d.solved" % last])
                # Resumed and exhausted again is another end.
                server.rpc("job.set", job=budget, budget={"nodes": 2000})
                server.rpc("job.resume", job=budget)
                hook.until(server, "%d.exhausted" % budget)
                self.assertEqual(server.terminate(), 0)

    def test_a_start_tells_of_nothing_that_had_ended(self):
        with Hook() as hook, Server("--threads", "1") as server:
            job = server.rpc("job.submit", game="mnk:3,3,3", memory="1M")["job"]
            server.wait_job(job)
            server.terminate()
            server.options += ["--on-finish", hook.path]
            server.start()
            other = server.rpc("job.submit", game="mnk:3,3,3", claim="first-wins", memory="1M")["job"]
            hook.until(server, "%d.solved" % other)
            self.assertEqual(hook.told(), ["%d.solved" % other])
            server.terminate()

    def test_its_failure_is_only_logged(self):
        for more, said in (("exit 3", "exited with status 3"), ("kill -9 $$", "was killed by signal 9")):
            with Hook(more) as hook, Server("--threads", "1", "--on-finish", hook.path) as server:
                job = server.rpc("job.submit", game="mnk:3,3,3", memory="1M")["job"]
                await_log(server, "job %d: the program of --on-finish %s" % (job, said))
                self.assertEqual(server.terminate(), 0)
        with Hook() as hook, Server("--threads", "1", "--on-finish", hook.path) as server:
            os.unlink(hook.path)  # while the server runs
            job = server.rpc("job.submit", game="mnk:3,3,3", memory="1M")["job"]
            await_log(server, "job %d: the program of --on-finish cannot be started: no such file" % job)
            self.assertEqual(server.terminate(), 0)

    def test_a_few_at_a_time_and_the_server_goes_on(self):
        """The program waits for a writer of the FIFO, so that four wait, and the others for them."""
        with Hook('read line <"$out/fifo"; echo >>"$out/done"') as hook:
            with Server("--threads", "1", "--on-finish", hook.path) as server:
                jobs = [
                    server.rpc("job.submit", game="mnk:3,3,3", claim="first-draws", memory="1M", seed=i)["job"]
                    for i in range(7)
                ]
                for job in jobs:
                    server.wait_job(job)
                for job in jobs[:4]:
                    hook.until(server, "%d.solved" % job)
                self.assertEqual(len(hook.told()), 4)
                with open(hook.fifo, "w", encoding="utf-8") as fifo:
                    fifo.write("go\n" * 100)
                    fifo.flush()
                    for job in jobs:
                        hook.until(server, "%d.solved" % job)
                    hook.until_done(server, len(jobs))
                self.assertEqual(server.terminate(), 0)

    def test_a_stop_does_not_wait_for_it(self):
        with Hook('read line <"$out/fifo"') as hook, Server("--threads", "1", "--on-finish", hook.path) as server:
            job = server.rpc("job.submit", game="mnk:3,3,3", memory="1M")["job"]
            hook.until(server, "%d.solved" % job)
            self.assertEqual(server.terminate(), 0)
            with open(hook.fifo, "w", encoding="utf-8") as fifo:  # it is still there, and reads
                fifo.write("go\n")

    def test_what_is_no_program_is_refused(self):
        with tempfile.NamedTemporaryFile(prefix="proofd-test-") as file:
            for path in (file.name, "/tmp", "/no/such/program", "true"):
                done = subprocess.run(
                    [program("proofd"), "--memory-only", "--listen", "127.0.0.1:0", "--on-finish", path],
                    capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("takes the path of an executable program, and %s is not one" % path, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
