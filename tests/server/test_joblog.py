"""The log at level info: a line for each step of a job, and never a flood."""

import json
import os
import re
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import Server  # noqa: E402

MANY = 2000
A_SECOND = 50  # lines at most (LINES_MAX in server/jobs/model/job_log.c)


def lines(server, job):
    """What the log says of a job, the times left out."""
    return re.findall(r" (?:info|warn) (job %d \(.*)" % job, server.log())


class JobLog(unittest.TestCase):
    def test_each_step_has_a_line(self):
        with Server("--threads", "1", "--checkpoint", "0.1") as server:
            solved = server.rpc("job.submit", game="mnk:3,3,3", claim="first-draws", memory="1M")["job"]
            server.wait_job(solved)
            budget = server.rpc("job.submit", game="connect4:7x6", memory="4M", budget={"nodes": 1000})["job"]
            server.wait_job(budget)
            large = server.rpc("job.submit", game="connect4:7x6", memory="4M")["job"]
            server.wait_job(large, ("running",))
            server.rpc("job.pause", job=large)
            server.rpc("job.resume", job=large)
            server.wait_job(large, ("running",))
            server.kill()
            server.start()
            server.wait_job(large, ("running",))
            server.rpc("job.cancel", job=large)
            told = lines(server, solved)
            self.assertEqual(
                told[:2], ["job 1 (mnk:3,3,3, first-draws) submitted", "job 1 (mnk:3,3,3, first-draws) started"]
            )
            self.assertRegex(told[2], r"solved: first wins or draw, \d+\.\d+ s, \d+ nodes$")
            self.assertEqual(len(told), 3)
            self.assertRegex(
                lines(server, budget)[2], r"exhausted: the budget of nodes is used up: .*, \d+ nodes$"
            )
            self.assertEqual(
                [line.split(") ", 1)[1] for line in lines(server, large)],
                [
                    "submitted",
                    "started",
                    "paused: paused on request",
                    "queued again",
                    "resumed",
                    "resumed after a crash",
                    "cancelled",
                ],
            )

    def test_many_at_a_time_are_counted(self):
        with Server("--threads", "0") as server:
            client, begin = server.connect(), time.monotonic()
            call = {"jsonrpc": "2.0", "id": 1, "method": "job.submit", "params": {"game": "mnk:3,3,3", "memory": "1M"}}
            for _ in range(MANY // 500):
                client.send(json.dumps([call] * 500))
                client.line()
            server.terminate()
            told = len(re.findall(r" submitted", server.log()))
            left_out = sum(int(n) for n in re.findall(r"(\d+) more lines about jobs were left out", server.log()))
            self.assertEqual(told + left_out, MANY)
            self.assertLessEqual(told, A_SECOND * (1 + int(time.monotonic() - begin)))
            client.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
