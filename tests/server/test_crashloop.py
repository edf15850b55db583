"""A job that ends the server is not resumed first, for ever: with two crashes in a row it waits behind the others,
after the third it has failed.

The job that does the harm is one of a plug-in whose `moves` waits while there is a file: its run begins, never gets
anywhere, and the server is killed meanwhile. No part of that depends on time."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import RpcError, Server, build_dir  # noqa: E402

LARGE = {"game": "connect4:7x6", "memory": "4M"}


class CrashLoop(unittest.TestCase):
    def setUp(self):
        self.server = Server("--threads", "0", "--checkpoint", "0.1", "--log", "info")
        self.addCleanup(self.server.__exit__, None)
        self.trap = os.path.join(self.server.dir, "trap")
        self.server.env["STUCK_TRAP"] = self.trap
        self.server.terminate()

    def start(self, threads):
        self.server.options = [
            "--threads",
            str(threads),
            "--checkpoint",
            "0.1",
            "--log",
            "info",
            "--game-dir",
            os.path.join(build_dir(), "tests", "plugins", "trap"),
            "--plugin-timeout",
            "3600",
        ]
        self.server.start()

    def set_trap(self):
        with open(self.trap, "x"):
            pass

    def job(self, number):
        return self.server.rpc("job.get", job=number)

    def told(self, number):
        job = self.job(number)
        return job["state"], job["crashes"]

    def crash_while_it_runs(self, number):
        self.server.wait_job(number, ("running",))
        self.server.kill()

    def submit_trap(self, threads, others):
        """The trap, of high priority, and other jobs; started with the trap set."""
        self.start(0)
        trap = self.server.rpc("job.submit", game="countdown:9", memory="1M", priority=50)["job"]
        numbers = [self.server.rpc("job.submit", **LARGE)["job"] for _ in range(others)]
        self.server.terminate()
        self.set_trap()
        self.start(threads)
        return trap, numbers

    def test_it_waits_behind_the_others_and_fails_after_the_third(self):
        trap, (other,) = self.submit_trap(1, 1)
        for crashes in (0, 1):
            self.server.wait_job(trap, ("running",))
            self.assertEqual(self.told(trap), ("running", crashes))
            self.assertEqual(self.told(other)[0], "queued")
            self.server.kill()
            self.start(1)
        self.server.wait_job(other, ("running",))  # although its priority is lower
        self.assertEqual(self.told(trap), ("queued", 2))
        self.assertIn("job %d ran when proofd ended without warning, 2 times in a row" % trap, self.server.log())
        self.server.kill()  # the suspect was waiting, so this is not held against it
        self.start(1)
        self.assertEqual(self.told(trap), ("queued", 2))
        self.server.rpc("job.pause", job=other)
        self.crash_while_it_runs(trap)
        self.start(1)
        job = self.server.wait_job(trap, ("failed",))
        self.assertEqual(
            (job["crashes"], job["reason"]),
            (3, "proofd ended three times in a row while this job ran; resume it to try again"),
        )
        self.assertEqual(self.told(other)[0], "paused")
        self.server.kill()
        os.unlink(self.trap)
        self.start(1)
        self.assertEqual(self.told(trap), ("failed", 3))
        self.server.rpc("job.resume", job=trap)
        job = self.server.wait_job(trap)
        self.assertEqual((job["state"], job["crashes"], job["reason"]), ("solved", 0, None))
        events = [p["event"] for p in self.server.rpc("job.history", job=trap)["points"]]
        self.assertEqual(
            [e for e in events if e != "checkpoint"],
            ["submitted", "started", "resumed", "resumed", "failed", "queued", "resumed", "solved"],
        )

    def test_one_that_waits_is_not_blamed(self):
        """After one crash it waits in servers that search nothing, whatever their ends."""
        trap, _ = self.submit_trap(1, 0)
        self.crash_while_it_runs(trap)
        for end in self.server.kill, self.server.kill, self.server.terminate, self.server.kill:
            self.start(0)
            self.assertEqual(self.told(trap), ("queued", 1))
            end()
        os.unlink(self.trap)
        self.start(1)
        job = self.server.wait_job(trap)
        self.assertEqual((job["state"], job["crashes"]), ("solved", 0))

    def test_those_that_get_on_are_not_blamed(self):
        """Next to the trap another job runs, and is killed as often; it searches on each time."""
        trap, (other,) = self.submit_trap(2, 1)
        entries = 0
        for crashes in range(3):
            self.server.wait_job(trap, ("running",))
            with self.server.connect() as client:
                state = client.rpc("job.watch", job=other, interval=0.1)
                while state["crashes"] or state["entries"] <= entries:  # a checkpoint with more than before is on disk
                    state = client.notification()[1]
                entries = state["entries"]
                client.rpc("job.set", job=other, priority=crashes)  # answered with the next checkpoint
            self.assertEqual(self.told(trap), ("running", crashes))
            self.server.kill()
            self.start(2)
        self.assertEqual(self.server.wait_job(trap, ("failed",))["crashes"], 3)
        self.assertIn(self.told(other)[0], ("queued", "running"))
        self.assertLessEqual(self.told(other)[1], 1)

    def test_two_suspects_run_one_after_the_other(self):
        self.start(0)
        jobs = [self.server.rpc("job.submit", game="countdown:9", memory="1M", seed=i)["job"] for i in range(2)]
        self.server.terminate()
        self.set_trap()
        for _ in range(2):
            self.start(2)
            for job in jobs:
                self.server.wait_job(job, ("running",))
            self.server.kill()
        self.start(2)
        self.server.wait_job(jobs[0], ("running",))
        self.assertEqual([self.told(job) for job in jobs], [("running", 2), ("queued", 2)])
        self.server.kill()
        self.start(2)
        self.server.wait_job(jobs[0], ("failed",))
        self.server.wait_job(jobs[1], ("running",))
        self.server.kill()
        self.start(2)
        self.server.wait_job(jobs[1], ("failed",))

    def test_a_clean_stop_is_no_crash(self):
        with Server("--threads", "1", "--checkpoint", "0.1") as server:
            job = server.rpc("job.submit", **LARGE)["job"]
            for _ in range(4):
                server.wait_job(job, ("running",))
                server.terminate()
                server.start()
                self.assertEqual(server.rpc("job.get", job=job)["crashes"], 0)
            server.kill()

    def test_a_job_with_more_memory_than_there_is_now_waits_for_the_user(self):
        with Server("--threads", "0", "--memory", "300M") as server:
            job = server.rpc("job.submit", game="mnk:3,3,3", memory="200M")["job"]
            server.terminate()
            server.options = ["--threads", "1", "--memory", "100M"]
            server.start()
            paused = server.wait_job(job, ("paused",))
            self.assertIn("it needs 200M of memory, and all jobs together have 100M", paused["reason"])
            with self.assertRaises(RpcError) as refused:
                server.rpc("job.submit", game="mnk:3,3,3", memory="200M")
            self.assertEqual(refused.exception.message, "a job can have 1M to 100M of memory here, not 200M")
            self.assertEqual(server.rpc("server.hello")["limits"]["memory"], 100 << 20)
            self.assertEqual(server.rpc("server.stats")["memory_limit"], 100 << 20)
            small = server.rpc("job.submit", game="mnk:3,3,3")[
                "job"
            ]  # the default is what there is, where that is less
            self.assertEqual(server.wait_job(small)["memory"], 100 << 20)
            server.terminate()
            server.options = ["--threads", "1", "--memory", "300M"]
            server.start()
            server.rpc("job.resume", job=job)
            self.assertEqual(server.wait_job(job)["state"], "solved")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
