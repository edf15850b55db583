"""Twins: a graph in which two nodes have names with one XXH3-128 is answered rightly by every program, and nothing of
it is found wrong."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, program  # noqa: E402

# The names end in x and ~x, in either order (tests/support/twins.h).
WIDE, PLAIN = "\u04b0\u01bc\u0552\u06bf", "-O9C*m%@"
FIRST, SECOND = "x" * 48 + WIDE + PLAIN, "x" * 48 + PLAIN + WIDE
GRAPH = {
    "root": "t",
    "nodes": {
        "t": {"or": ["r"]},
        "r": {"and": [FIRST, SECOND]},
        FIRST: {"or": ["a1", "lost"]},
        "a1": {"and": ["a2", "a3"]},
        "a2": {"or": ["won", "lost"]},
        "a3": {"or": ["won", "lost"]},
        SECOND: {"or": ["b1", "b2"]},
        "b1": {"and": ["b3", "b4"]},
        "b2": {"and": ["b3", "lost"]},
        "b3": {"or": ["lost", "b5"]},
        "b4": {"or": ["won", "lost"]},
        "b5": {"and": ["lost", "won"]},
        "won": {"value": 1},
        "lost": {"value": -1},
    },
}
ALGORITHMS = ("pds-pn", "dfpn-pn", "paper", "pds", "df-pn")


class Twins(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="proofd-twins-")
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        with open(os.path.join(self.dir, "twins.json"), "w", encoding="utf-8") as file:
            json.dump(GRAPH, file)

    def run_json(self, *words):
        done = subprocess.run(
            [program("proofctl"), *words, "--graphs", self.dir, "--json"], capture_output=True, text=True,
            timeout=TIMEOUT
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout.splitlines()[-1])

    def expect(self, result):
        self.assertEqual((result["status"], result["value"]["hi"]), ("disproved", 0))

    def test_solve_in_memory(self):
        for algorithm in ALGORITHMS:
            self.expect(
                self.run_json(
                    "solve", "andor:twins", "--claim", "first-wins", "--memory", "2M", "--algorithm", algorithm
                )
            )

    def test_solve_on_disk(self):
        for algorithm in ALGORITHMS:
            data = os.path.join(self.dir, algorithm)
            self.expect(
                self.run_json(
                    "solve",
                    "andor:twins",
                    "--claim",
                    "first-wins",
                    "--memory",
                    "2M",
                    "--algorithm",
                    algorithm,
                    "--data",
                    data,
                )
            )
            self.assertEqual(self.run_json("check", data)["problems"], 0)

    def test_the_daemon(self):
        with Server("--graphs", self.dir) as server:
            for algorithm in ALGORITHMS:
                job = server.rpc(
                    "job.submit", game="andor:twins", claim="first-wins", memory="2M", algorithm=algorithm
                )["job"]
                self.expect(server.wait_job(job)["result"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
