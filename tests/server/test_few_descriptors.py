"""A lack of file descriptors passes: it is said as what it is, and is never taken for damage, nor for a place where
nothing is."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, RpcError, Server, program  # noqa: E402

MOST = 24  # descriptors; each command needs fewer
ENOUGH = 6  # failures: with fewer descriptors, opening the store fails
SUITE = '{"name": "c", "game": "connect4:4x4"}\n'
TOLD = "Too many open files"


def ctl(*words, most=None):
    limit = most and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
    done = subprocess.run([program("proofctl"), *words], capture_output=True, text=True, timeout=TIMEOUT,
                          preexec_fn=limit, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def use_up(server):
    """Leaves a server no descriptor; what this returns gives it as many as before."""
    old = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
    opened = sorted(map(int, os.listdir("/proc/%d/fd" % server.pid)))
    free = next(number for number in range(len(opened) + 1) if number not in opened)
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (free, old[1]))
    return lambda: resource.prlimit(server.pid, resource.RLIMIT_NOFILE, old)


class FewDescriptors(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="proofd-descriptors-")
        self.addCleanup(place.cleanup)
        self.data, self.other, self.suites = (os.path.join(place.name, name) for name in ("data", "other", "suites"))
        os.mkdir(self.suites)
        with open(os.path.join(self.suites, "one.jsonl"), "w", encoding="utf-8") as file:
            file.write(SUITE)

    def server(self):
        return Server("--threads", "1", "--experiments", self.suites, data=self.data)

    def make(self):
        """A directory with two experiments, a table and a certificate."""
        with self.server() as server:
            for _ in range(2):
                server.rpc("experiment.start", suites=["one"])
            for number in 1, 2:
                self.assertEqual(server.wait_experiment(number)["state"], "done")
            job = server.rpc("job.submit", game="mnk:3,3,3", detail="full")["job"]
            server.wait_job(job)
            server.rpc("proof.export", job=job)
            server.terminate()
        self.assertEqual(ctl("table", "build", "antichess", "KvK", "--data", self.data)[0], 0)

    def test_tools_say_so_and_neither_leave_out_nor_lose_anything(self):
        self.make()
        for words in (["check", self.data, "--json"], ["dump", self.data], ["backup", self.other, "--data", self.data],
                      ["repair", self.data, self.other, "--json"]):
            whole, short = None, 0
            for most in range(MOST, 0, -1):
                code, out, err = ctl(*words, most=most)
                subprocess.run(["rm", "-rf", self.other, self.other + ".partial"], check=True)
                if words[0] in ("check", "repair") and not code:
                    out = {name: value for name, value in json.loads(out).items() if name != "seconds"}
                whole = whole or out
                if short == ENOUGH:
                    break
                if code:
                    self.assertEqual(code, 1, (words, most, out, err))
                    self.assertIn(TOLD, err, (words, most))
                    self.assertNotIn("damaged", err, (words, most))
                    short += 1
                elif words[0] != "backup":
                    self.assertEqual(out, whole, (words, most, err))
            self.assertEqual(short, ENOUGH, words)

    def test_a_server_says_so(self):
        self.make()
        with self.server() as server, server.connect() as client:
            def refused(method, **params):
                with self.assertRaises(RpcError) as caught:
                    client.rpc(method, **params)
                self.assertEqual(caught.exception.slug, "no-memory")
                self.assertIn(TOLD, str(caught.exception))
            before = client.rpc("experiment.read", experiment=1), client.rpc("experiment.list")
            allow = use_up(server)
            refused("experiment.read", experiment=1)
            refused("experiment.list")
            refused("experiment.start", suites=["one"])
            refused("proof.list")
            allow()
            self.assertEqual((client.rpc("experiment.read", experiment=1), client.rpc("experiment.list")), before)

    def test_an_experiment_that_ends_meanwhile_loses_no_run(self):
        with self.server() as server, server.connect() as client:
            client.rpc("experiment.start", text=json.dumps({"seeds": list(range(8)), "memory": "8M"}) + "\n" + SUITE)
            end = time.monotonic() + TIMEOUT
            while not os.path.exists(os.path.join(self.data, "experiments", "1", "runs")):
                self.assertLess(time.monotonic(), end)
            allow = use_up(server)
            while "experiment 1 is failed" not in server.log():
                self.assertLess(time.monotonic(), end)
                time.sleep(0.05)
            allow()
            told = client.rpc("experiment.read", experiment=1)
            self.assertEqual(told["state"], "failed")
            self.assertLess(told["done"], 8)
            self.assertIn(TOLD, told["reason"])
            client.rpc("experiment.resume", experiment=1)
            self.assertEqual(server.wait_experiment(1)["done"], 8)
            server.terminate()
        with self.server() as server:
            told = server.rpc("experiment.read", experiment=1)
            self.assertEqual((told["state"], told["done"]), ("done", 8))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
