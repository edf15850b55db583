"""proofctl check next to a server that searches: jobs, tables and facts are read at different moments, and nothing
looks wrong for that."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import Server, program  # noqa: E402

QUESTIONS = [
    ("antichess", "pds-pn"),
    ("connect4:7x6", "pds"),
    ("loa:6", "dfpn-pn"),
    ("uttt", "df-pn"),
    ("hex:7", "pds-pn"),
]
CHECKS = 15


class Live(unittest.TestCase):
    def check(self, directory):
        done = subprocess.run(
            [program("proofctl"), "check", directory, "--json", "--threads", "1"],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_a_directory_in_use_is_clean(self):
        with Server("--threads", "2", "--checkpoint", "0.05", "--log", "warn") as server:
            for game, algorithm in QUESTIONS:
                server.rpc("job.submit", game=game, algorithm=algorithm, memory="8M", budget={"nodes": 100000})
            sums = [self.check(server.data) for _ in range(CHECKS)]
            self.assertEqual({s["jobs"] for s in sums}, {len(QUESTIONS)})
            self.assertTrue(all(a["facts"] <= b["facts"] for a, b in zip(sums, sums[1:])), sums)
            for job in range(1, len(QUESTIONS) + 1):
                server.wait_job(job)
            self.assertGreater(self.check(server.data)["entries"], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
