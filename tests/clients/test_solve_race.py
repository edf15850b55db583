"""`proofctl solve --data` meets jobs that end while it looks at them: whatever comes first, it gives the answer."""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, program  # noqa: E402

GAME = "connect4:4x3"
VARIANTS = (
    ["--nodes", "3"],
    ["--nodes", "4000"],
    ["--threads", "3"],
    ["--threads", "2", "--nodes", "8000"],
    ["--seconds", "0.001"],
)


def solve(data, *more):
    """Exit code and answer; a budget that ends first is no failure."""
    done = subprocess.run(
        [program("proofctl"), "solve", GAME, "--data", data, "--memory", "1M", "--json", *more],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    if done.returncode not in (0, 3):
        raise AssertionError("%s: exit code %d\n%s" % (more, done.returncode, done.stderr))
    return done.returncode, json.loads(done.stdout)


class Race(unittest.TestCase):
    def one(self, first):
        """One question, three times under some budget and once to its end: each run takes up the job of the one
        before."""
        with tempfile.TemporaryDirectory(prefix="proofctl-race-") as place:
            data = os.path.join(place, "data")
            for i in range(3):
                solve(data, *VARIANTS[(first + i) % len(VARIANTS)])
            code, answer = solve(data)
            self.assertEqual((code, answer["status"], answer["value"]["text"]), (0, "solved", "draw"))
            self.assertEqual(solve(data), (0, answer))

    def test_three_hundred_questions(self):
        stop = threading.Event()

        def work(first):
            if not stop.is_set():
                try:
                    self.one(first)
                except BaseException:
                    stop.set()
                    raise

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(60)))  # raises what a thread has raised, whatever it is

    def test_a_new_job_gets_its_budget_once(self):
        for _ in range(20):
            with tempfile.TemporaryDirectory(prefix="proofctl-race-") as place:
                _, answer = solve(os.path.join(place, "data"), "--nodes", "50")
                self.assertLess(answer["nodes"]["level1"] + answer["nodes"]["level2"], 100)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
