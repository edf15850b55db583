"""proofctl import-facts: facts of two directories become one; contradictions and other rules are refused."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, program  # noqa: E402


def ctl(*words, stdin=None):
    done = subprocess.run(
        [program("proofctl"), *words], capture_output=True, text=True, timeout=10 * TIMEOUT, input=stdin or ""
    )
    return done.returncode, done.stdout, done.stderr


class Import(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="proofd-import-")
        self.addCleanup(place.cleanup)
        self.place = place.name
        self.one, self.two = self.path("one"), self.path("two")

    def path(self, name):
        return os.path.join(self.place, name)

    def solve(self, data, *games, options=()):
        for game in games:
            code, _, err = ctl("solve", game, "--data", data, *options)
            self.assertIn(code, (0, 3), err)

    def facts(self, data):
        """A dump's facts, without the jobs that found them, by game and position."""
        code, out, err = ctl("dump", data)
        self.assertEqual(code, 0, err)
        lines = [json.loads(line) for line in out.splitlines()]
        names = {x["game"]: x["name"] for x in lines if "game" in x}
        found = {}
        for x in lines:
            if "fact" in x:
                found[names[x["fact"]], x["position"]] = [dict(r, job=0) for r in x["reasons"]]
        return found

    def test_the_union(self):
        self.solve(self.one, "mnk:3,3,3", "connect4:4x4")
        self.solve(self.two, "hex:3", "mnk:3,3,3")
        self.solve(self.two, "connect4:4x4", options=("--claim", "first-wins"))
        one, two = self.facts(self.one), self.facts(self.two)
        code, out, err = ctl("import-facts", self.one, self.two, "--json")
        self.assertEqual(code, 0, err)
        said = json.loads(out)
        self.assertEqual((said["games"], said["facts"]), (2, len(one)))
        self.assertGreater(said["added"], 0)
        both = self.facts(self.two)
        self.assertEqual(set(both), set(one) | set(two))
        for position in both:
            if position not in two:
                self.assertEqual(both[position], one[position])
        self.assertEqual(ctl("check", self.two)[0], 0)
        again = json.loads(ctl("import-facts", self.one, self.two, "--json")[1])
        self.assertEqual(again["added"], 0)
        self.assertEqual(self.facts(self.two), both)
        code, out, _ = ctl("query", "connect4:4x4", "--data", self.two, "--json")
        self.assertEqual(json.loads(out)["lo"], 0)

    def change(self, text, side):
        """The dump with the root of mnk:4,4,3, a win of First, said to be the opposite."""
        lines = []
        for line in text.splitlines():
            x = json.loads(line)
            if x.get("position") == "4/4/4/4" and "fact" in x:
                x["reasons"] = [{"side": side, "bound": 0, "rank": 9, "move": None, "effort": 5, "job": 0}]
            if "job" not in x or x.get("record"):
                lines.append(x)
        for x in lines:
            if "end" in x:
                x["events"] = 0
        return "".join(json.dumps(x) + "\n" for x in lines)

    def test_a_contradiction(self):
        self.solve(self.one, "mnk:4,4,3")
        self.solve(self.two, "mnk:4,4,3", "hex:3")
        code, text, err = ctl("dump", self.one)
        self.assertEqual(code, 0, err)
        forged = self.path("forged")
        code, _, err = ctl("load", "-", forged, "--no-verify", stdin=self.change(text, "hi"))
        self.assertEqual(code, 0, err)
        before = self.facts(self.two)
        code, _, err = ctl("import-facts", forged, self.two)
        self.assertEqual(code, 1)
        self.assertIn("nothing was imported, because FROM is not sound", err)
        code, _, err = ctl("import-facts", forged, self.two, "--no-verify")
        self.assertEqual(code, 1)
        for word in ("nothing was imported: mnk:4,4,3", "value <= 0 within 9 plies", "contradicts value >= 1"):
            self.assertIn(word, err)
        self.assertEqual(self.facts(self.two), before)
        self.assertEqual(ctl("check", self.two)[0], 0)

    def test_refusals(self):
        self.solve(self.one, "mnk:3,3,3")
        with Server("--threads", "0") as server:
            code, _, err = ctl("import-facts", self.one, server.data)
            self.assertEqual(code, 1)
            self.assertIn("in use by process %d" % server.pid, err)
            code, _, err = ctl("compact", server.data)
            self.assertEqual(code, 1)
            self.assertIn("in use by process", err)
        for words, text in (
            ((self.one, self.one), "the same directory"),
            ((self.one, self.two), "is not a data directory"),
            ((self.two, self.one), "work.mdb"),
        ):
            code, _, err = ctl("import-facts", *words)
            self.assertNotEqual(code, 0)
            self.assertIn(text, err)
        self.assertFalse(os.path.exists(self.two))

    def test_other_rules(self):
        graphs = self.path("graphs")
        os.mkdir(graphs)
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "andor")
        shutil.copy(os.path.join(source, "draw.json"), os.path.join(graphs, "g.json"))
        self.solve(self.one, "andor:g", options=("--graphs", graphs))
        shutil.copy(os.path.join(source, "chain.json"), os.path.join(graphs, "g.json"))
        self.solve(self.two, "andor:g", options=("--graphs", graphs))
        code, _, err = ctl("import-facts", self.one, self.two, "--graphs", graphs)
        self.assertEqual(code, 1)
        self.assertIn("this program has rules", err)
        shutil.copy(os.path.join(source, "draw.json"), os.path.join(graphs, "g.json"))
        code, _, err = ctl("import-facts", self.one, self.two, "--graphs", graphs)
        self.assertEqual(code, 1)
        self.assertIn("the directory has rules", err)

    def test_compact(self):
        self.solve(self.one, "mnk:3,3,3", "connect4:4x4")
        before = self.facts(self.one)
        code, out, err = ctl("compact", self.one, "--json")
        self.assertEqual(code, 0, err)
        said = json.loads(out)
        self.assertLessEqual(said["bytes_after"], said["bytes_before"])
        self.assertEqual(self.facts(self.one), before)
        self.assertEqual(ctl("check", self.one)[0], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
