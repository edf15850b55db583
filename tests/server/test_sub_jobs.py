"""Sub-jobs and hints by the real programs: the parent's answer rests on facts of its sub-jobs, and its certificate is
verified by proofcheck."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, program  # noqa: E402

SMALL = ("--memory", "16M", "--threads", "1")


def run(*words):
    done = subprocess.run([program(words[0]), *words[1:]], capture_output=True, text=True, timeout=10 * TIMEOUT)
    return done.returncode, done.stdout, done.stderr


class SubJobs(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="proofd-sub-")
        self.addCleanup(place.cleanup)
        self.place = place.name
        self.server = Server("--threads", "2", data=os.path.join(place.name, "data"))
        self.addCleanup(self.server.terminate)

    def ctl(self, *words, code=0):
        got, out, err = run("proofctl", *words, "--socket", self.server.socket_path)
        self.assertEqual(got, code, err)
        return out if code == 0 else err

    def show(self, job):
        return json.loads(self.ctl("show", job, "--json"))

    def certificate(self, game, claim, detail):
        path = os.path.join(self.place, "proof")
        self.ctl("export", game, path, "--claim", claim, "--detail", detail)
        code, out, err = run("proofcheck", path)
        self.assertEqual(code, 0, out + err)
        os.remove(path)

    def test_the_parents_certificate_is_verified(self):
        game = "mnk:3,3,3"
        few = ("--algorithm", "pn2", "--nodes", "20", "--option", "cap-last=1")
        parent = self.ctl("submit", game, *few, *SMALL).strip()
        self.ctl("wait", parent, code=3)
        subs = []
        for move in ("a1", "b1", "b2"):
            subs.append(int(self.ctl("submit", game, "--under", parent, "--moves", move, *SMALL)))
        self.ctl("wait", *[str(job) for job in subs])
        before = self.show(parent)["nodes"]
        self.ctl("set", parent, "--nodes", "200")
        self.ctl("resume", parent)
        self.ctl("wait", parent)
        answer = self.show(parent)
        self.assertEqual(answer["result"]["value"]["text"], "draw")
        self.assertLess(answer["nodes"]["level2"] - before["level2"], 150)
        self.assertEqual(answer["sub_jobs"], subs)
        self.assertIn("sub-jobs", self.ctl("show", parent))
        self.assertRegex(self.ctl("show", str(subs[0])), r"under +job %s\n" % parent)
        self.certificate(game, "value", "full")
        self.certificate(game, "value", "frontier")

    def test_hints(self):
        job = self.ctl("submit", "hex:4", "--first", "b3", "--first", "b3 a1 c3", *SMALL).strip()
        self.ctl("wait", job)
        self.assertEqual(self.show(job)["first"], ["b3", "b3 a1 c3"])
        self.assertRegex(self.ctl("show", job), r"first +b3\n")
        err = self.ctl("submit", "hex:4", "--first", "b3", "--first", "b3 b3", *SMALL, code=2)
        self.assertIn("first[1]", err)
        self.assertIn("move 2", err)
        err = self.ctl("submit", "hex:5", "--under", job, *SMALL, code=2)
        self.assertIn("hex:4", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
