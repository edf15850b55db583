"""A graph whose file has changed is another game: no answer, table, job or certificate of the old one serves the new
one."""

import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, RpcError, Server, program  # noqa: E402

DEPTH, MOVES = 7, 3


def leaves(value, seed):
    """Values for the leaves of a full tree, at random, so that First gets `value` at the root."""
    draw = random.Random(seed)
    while True:
        share = draw.random()
        at_leaf = [1 if draw.random() < share else -1 for _ in range(MOVES**DEPTH)]
        level = at_leaf
        for ply in range(DEPTH - 1, -1, -1):
            best = max if ply % 2 == 0 else min
            level = [best(level[i * MOVES : (i + 1) * MOVES]) for i in range(MOVES**ply)]
        if level[0] == value:
            return at_leaf


def graph(value, seed):
    nodes = {}
    at_leaf = leaves(value, seed)
    for ply in range(DEPTH):
        for i in range(MOVES**ply):
            nodes["n%d_%d" % (ply, i)] = {
                "and" if ply % 2 else "or": ["n%d_%d" % (ply + 1, i * MOVES + k) for k in range(MOVES)]
            }
    for i, v in enumerate(at_leaf):
        nodes["n%d_%d" % (DEPTH, i)] = {"value": v}
    return {"root": "n0_0", "nodes": nodes}


WINS, LOSES = graph(1, 1), graph(-1, 2)


class Rules(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="proofd-rules-")
        self.addCleanup(place.cleanup)
        self.graphs, self.data = os.path.join(place.name, "graphs"), os.path.join(place.name, "data")
        os.mkdir(self.graphs)
        self.put(WINS)

    def put(self, content):
        with open(os.path.join(self.graphs, "a.json"), "w") as file:
            json.dump(content, file)

    def ctl(self, *words, code=0):
        done = subprocess.run([program("proofctl"), *words], capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def solve(self, *more, code=0):
        """The answer's words, and what is said on stderr."""
        words = ["solve", "andor:a", "--graphs", self.graphs, "--data", self.data, "--memory", "1M", *more]
        out, _ = self.ctl(*words, "--json", code=code)
        return json.loads(out)["value"]["text"]

    def jobs(self):
        out, _ = self.ctl("list", "--data", self.data, "--json")
        return [json.loads(line) for line in out.splitlines()]

    def problems(self):
        done = subprocess.run(
            [program("proofctl"), "check", self.data, "--graphs", self.graphs, "--json"],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        return json.loads(done.stdout.splitlines()[-1])["problems"]

    def test_a_solved_question_is_asked_again_of_the_new_graph(self):
        self.assertEqual(self.solve(), "first wins")
        self.put(LOSES)
        words = ["solve", "andor:a", "--graphs", self.graphs, "--data", self.data, "--memory", "1M"]
        out, err = self.ctl(*words)
        self.assertIn("second wins", out)
        self.assertRegex(
            err, r"^proofctl: job 1 in .* under other rules of andor:a \(version [0-9a-f]+, now [0-9a-f]+\)"
        )
        new, old = self.jobs()
        self.assertNotEqual(new["rules"], old["rules"])
        self.assertEqual((new["value"]["text"], old["value"]["text"]), ("second wins", "first wins"))
        self.assertEqual(self.ctl(*words)[1], "")
        self.put(WINS)
        self.assertEqual(self.solve(), "first wins")
        self.assertEqual(len(self.jobs()), 2)
        self.assertEqual(self.problems(), 0)

    def test_an_unfinished_search_is_not_gone_on_with(self):
        for nodes in ("20", "100", "300"):
            with self.subTest(nodes):
                self.setUp()
                self.solve("--nodes", nodes, code=3)
                self.put(LOSES)
                self.assertEqual(self.solve(), "second wins")
                new, old = self.jobs()
                self.assertEqual((new["state"], old["state"]), ("solved", "exhausted"))
                self.assertEqual(self.problems(), 0)
                self.put(WINS)
                self.assertEqual(self.solve(), "first wins")  # the old job is the one for the old graph
                self.assertEqual([job["state"] for job in self.jobs()], ["solved", "solved"])
                self.assertEqual(self.problems(), 0)

    def test_a_job_of_the_old_rules_fails_and_says_so(self):
        with Server("--threads", "1", "--graphs", self.graphs) as server:
            begun = server.rpc("job.submit", game="andor:a", memory="1M", budget={"nodes": 100})["job"]
            server.wait_job(begun)
            solved = server.rpc("job.submit", game="andor:a", memory="1M")["job"]
            answer = server.wait_job(solved)["result"]
            waits = server.rpc(
                "job.submit", game="andor:a", memory="1M", position="n0_0/n1_1", priority=-1, key="mine"
            )["job"]
            server.wait_job(waits)
            server.rpc("job.set", job=begun, budget={"nodes": 0})
            old = server.rpc("game.describe", game="andor:a")["rules_version"]
            server.terminate()
            self.put(LOSES)
            server.start()
            now = server.rpc("game.describe", game="andor:a")["rules_version"]
            self.assertNotEqual(old, now)
            job = server.rpc("job.get", job=solved)
            self.assertEqual((job["state"], job["rules"], job["result"]), ("solved", old, answer))
            with self.assertRaises(RpcError) as refused:
                server.rpc("proof.export", job=solved)
            self.assertEqual((refused.exception.slug, refused.exception.field), ("wrong-state", "job"))
            server.rpc("job.resume", job=begun)
            job = server.wait_job(begun)
            self.assertEqual((job["state"], job["rules"]), ("failed", old))
            self.assertEqual(
                job["reason"],
                "the rules of andor:a have changed since it was submitted (version %s, now %s); submit it again"
                % (old, now),
            )
            self.assertEqual(server.rpc("job.history", job=begun)["points"][-1]["event"], "rules changed")
            self.assertIn(job["reason"], server.log())
            with self.assertRaises(RpcError) as refused:
                server.rpc("job.submit", game="andor:a", memory="1M", position="n0_0/n1_1", key="mine")
            self.assertEqual(refused.exception.field, "key")
            self.assertIn("other rules", refused.exception.message)
            new = server.rpc("job.submit", game="andor:a", memory="1M")["job"]
            job = server.wait_job(new)
            self.assertEqual((job["rules"], job["value"]["text"]), (now, "second wins"))
            self.assertEqual(server.rpc("proof.export", job=new)["status"], "solved")

    def test_a_job_that_waits_over_a_restart_fails_by_itself(self):
        with Server("--threads", "0", "--graphs", self.graphs) as server:
            job = server.rpc("job.submit", game="andor:a", memory="1M")["job"]
            server.kill()
            self.put(LOSES)
            server.options[1] = "1"
            server.start()
            self.assertEqual(server.wait_job(job)["state"], "failed")

    def test_a_certificate_is_never_kept_under_the_name_of_other_rules(self):
        with Server("--threads", "1", "--graphs", self.graphs) as server:
            job = server.rpc("job.submit", game="andor:a", memory="1M")["job"]
            server.wait_job(job)
            made = server.rpc("proof.export", job=job)
            server.terminate()
            self.put(LOSES)
            server.start()
            job = server.rpc("job.submit", game="andor:a", memory="1M")["job"]
            server.wait_job(job)
            self.put(WINS)  # the server has the other graph open
            with self.assertRaises(RpcError) as refused:
                server.rpc("proof.export", game="andor:a", claim="value")
            self.assertEqual((refused.exception.slug, refused.exception.field), ("wrong-state", "game"))
            self.assertEqual(sorted(os.listdir(os.path.join(server.data, "proofs"))), [made["proof"] + ".cert"])

    def test_a_taint_of_old_facts_leaves_the_jobs_of_the_new_graph_alone(self):
        self.solve()
        self.put(LOSES)
        self.solve()
        new, old = self.jobs()
        taint = [
            "taint",
            "--data",
            self.data,
            "--graphs",
            self.graphs,
            "--game",
            "andor:a",
            "--rules",
            old["rules"],
            "--json",
        ]
        self.assertEqual(json.loads(self.ctl(*taint)[0])["jobs"], 1)
        self.assertEqual([job["state"] for job in self.jobs()], ["solved", "queued"])
        self.assertEqual(self.solve(), "second wins")
        self.assertEqual([job["state"] for job in self.jobs()], ["solved", "failed"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
