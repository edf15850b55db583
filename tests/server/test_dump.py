"""proofctl dump and load: the same text again, the same answers, and nothing wrong is loaded."""

import copy
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from effort import whole  # noqa: E402
from pyproofd import TIMEOUT, Server, data_dir, program  # noqa: E402

GRAPHS = data_dir("andor")
GAMES = ("mnk:3,3,3", "connect4:4x4", "hex:3", "breakthrough:3x4", "loa:4", "mnk:4,4,3", "andor:ghi-long",
         "andor:cycle")


def ctl(*words, stdin=None):
    done = subprocess.run(
        [program("proofctl"), *words], capture_output=True, text=True, timeout=10 * TIMEOUT, input=stdin or ""
    )
    return done.returncode, done.stdout, done.stderr


class Dump(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # many directories are made, none to last
        cls.place = tempfile.TemporaryDirectory(prefix="proofd-dump-", dir=memory)
        cls.data = os.path.join(cls.place.name, "data")
        with Server("--threads", "1", "--graphs", GRAPHS, data=cls.data) as server:
            jobs = [server.rpc("job.submit", game=game, budget={"nodes": 300000})["job"] for game in GAMES]
            jobs += [server.rpc("job.submit", game="mnk:4,4,4", budget={"nodes": 2000}, memory="4M")["job"]]
            jobs += [server.rpc("job.submit", game="mnk:3,3,3", claim="first-wins", detail="full")["job"]]
            for job in jobs:
                server.wait_job(job)
            server.rpc("job.remove", job=jobs[0])
            server.rpc("job.remove", job=jobs[-1])
            server.terminate()
        code, cls.text, err = ctl("dump", cls.data, "--graphs", GRAPHS)
        assert code == 0, err
        cls.lines = [json.loads(line) for line in cls.text.splitlines()]

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def setUp(self):
        self.new = os.path.join(self.place.name, "new")

    def tearDown(self):
        shutil.rmtree(self.new, ignore_errors=True)

    def load(self, text, *options):
        return ctl("load", "-", self.new, "--graphs", GRAPHS, *options, stdin=text)

    def refused(self, lines, *words, verify=False):
        """The changed dump is refused, with each of the words in the message, and nothing is left."""
        text = lines if isinstance(lines, str) else "".join(json.dumps(x) + "\n" for x in lines)
        code, _, err = self.load(text, *([] if verify else ["--no-verify"]))
        self.assertNotEqual(code, 0, words)
        for word in words:
            self.assertIn(word, err)
        left = [name for name in os.listdir(self.place.name) if name != "data"]
        self.assertEqual(left, [])

    def index(self, kind, more=None):
        return next(i for i, x in enumerate(self.lines) if kind in x and (not more or more in x))

    def test_the_same_text_and_the_same_answers(self):
        kinds = {next(iter(line)) for line in self.lines}
        self.assertEqual(kinds, {"proofd-dump", "removed", "job", "game", "fact", "end"})
        self.assertGreater(len(self.lines), 250)
        code, out, err = self.load(self.text)
        self.assertEqual(code, 0, err)
        self.assertIn("loaded and verified", out)
        code, again, err = ctl("dump", self.new, "--graphs", GRAPHS)
        self.assertEqual((code, again), (0, self.text), err)
        self.assertEqual(ctl("check", self.new, "--graphs", GRAPHS)[0], 0)
        names = {x["game"]: x["name"] for x in self.lines if "game" in x}
        asked = {}
        for x in self.lines:
            if "fact" in x:
                asked.setdefault(names[x["fact"]], []).append(x["position"])
        for game, positions in asked.items():
            for start in range(0, len(positions), 200):
                words = ["query", game, "--json", "--graphs", GRAPHS, *("--", *positions[start : start + 200])]
                one, two = (ctl(*words[:5], "--data", d, *words[5:]) for d in (self.data, self.new))
                self.assertEqual(one, two)
                self.assertEqual(one[0], 0, one)
        with (
            Server("--threads", "0", data=self.new) as new,
            Server("--threads", "0", data=self.data) as old,
        ):
            for method in ("job.list",):
                one, two = ([dict(j, disk=0, table_bytes=0) for j in s.rpc(method)["jobs"]] for s in (old, new))
                self.assertEqual(one, two)
            number = [s.rpc("job.submit", game="mnk:3,3,3")["job"] for s in (old, new)]
            self.assertEqual(number[0], number[1])

    def test_each_member_damaged_once(self):
        bad = (None, True, -1, 1.5, "zzz", [], {}, 2**62)
        if not whole():
            bad = bad[1::3]
        places = [
            (0, []),
            (self.index("removed"), []),
            (self.index("job", "event"), []),
            (self.index("job", "event"), ["event"]),
            (self.index("game"), []),
            (self.index("fact"), []),
            (self.index("fact"), ["reasons", 0]),
            (len(self.lines) - 1, []),
        ]
        may_be = {"rank": (None,), "move": (None,), "job": (0,), "effort": (2**31,), "position": (), "end": bad}
        for at, path in places:
            inner = self.lines[at]
            for step in path:
                inner = inner[step]
            for key, good in inner.items():
                for value in bad:
                    fine = value in may_be.get(key, ()) or (isinstance(good, str) and key in ("event", "removed"))
                    if fine and not isinstance(value, (list, dict)):
                        continue
                    if path == ["event"] and value == 2**62:
                        continue  # a count
                    if key in ("event", "record") and isinstance(value, dict):
                        value = {"a": 1}
                    lines = copy.deepcopy(self.lines[: max(at + 1, 3)])
                    x = lines[at]
                    for step in path:
                        x = x[step]
                    if x[key] == value:
                        continue
                    x[key] = value
                    self.refused(lines, "" if key == "end" else "line %d" % (at + 1))
                lines = copy.deepcopy(self.lines[: at + 1])
                x = lines[at]
                for step in path:
                    x = x[step]
                del x[key]
                self.refused(lines, "line %d" % (at + 1))
            lines = copy.deepcopy(self.lines[: at + 1])
            x = lines[at]
            for step in path:
                x = x[step]
            if path != ["event"]:
                x["unknown"] = 1
                self.refused(lines, "line %d, unknown: is not a member" % (at + 1))

    def test_what_errors_name(self):
        fact, game, job = self.index("fact"), self.index("game"), self.index("job")
        changes = (
            (fact, ("position",), "no such position!", "position"),
            (fact, ("reasons", 0, "bound"), 2, "bound"),
            (fact, ("reasons", 0, "side"), "both", "side"),
            (fact, ("reasons", 0, "rank"), 0, "rank"),
            (fact, ("reasons", 0, "rank"), 65534, "rank"),
            (fact, ("reasons", 0, "move"), "z9", "move"),
            (fact, ("reasons", 0, "effort"), -1, "effort"),
            (fact, ("reasons", 0, "job"), 10**6, "job"),
            (fact, ("reasons",), [], "reasons"),
            (fact, ("fact",), 77, "fact"),
            (game, ("rules",), "77", "rules"),
            (game, ("name",), "mnk:3, 3,3", "name"),
            (game, ("name",), "nogame:3", "name"),
            (job, ("job",), 10**5, "job"),
            (job, ("record", "position"), "no such position!", "position"),
            (job, ("record", "game"), "nogame", "game"),
            (job, ("record", "state"), "happy", "record"),
            (job, ("record", "claim"), "first-eats", "record"),
            (0, ("proofd-dump",), 2, "proofd-dump"),
        )
        for at, path, value, field in changes:
            lines = copy.deepcopy(self.lines)
            x = lines[at]
            for step in path[:-1]:
                x = x[step]
            x[path[-1]] = value
            self.refused(lines, "line %d, %s: " % (at + 1, field))

    def test_cut_off(self):
        for share in range(1, 12):
            at = len(self.text) * share // 12
            self.refused(self.text[:at], "")
        self.refused("".join(self.text.splitlines(True)[:-1]), "cut off")
        self.refused(self.text + "{}\n", "nothing may follow the line")
        self.refused("", "cut off")
        self.refused("x" * (1 << 20) + "x\n", "may have at most 1048576 bytes")
        lines = [x for i, x in enumerate(self.lines) if i != self.index("fact")]
        self.refused(lines, "facts: says")

    def test_false_facts(self):
        """What the rules do not justify is found, whatever its form."""
        at = self.index("fact")
        lines = copy.deepcopy(self.lines)
        for reason in lines[at]["reasons"]:
            reason["side"] = {"lo": "hi", "hi": "lo"}[reason["side"]]
            reason["bound"] = -reason["bound"]
        self.refused(lines, "the dump is not right", verify=True)
        lines = copy.deepcopy(self.lines)
        more = copy.deepcopy(lines[at]["reasons"][0])
        more.update(side="hi" if more["side"] == "lo" else "lo", bound=-more["bound"])
        if more["bound"]:
            lines[at]["reasons"].append(more)
            self.refused(lines, "line %d, reasons: they contradict" % (at + 1))
        job = next(i for i, x in enumerate(self.lines) if x.get("record", {}).get("state") == "solved")
        lines = copy.deepcopy(self.lines)
        record = lines[job]["record"]
        record["lo"] = record["hi"] = -record["lo"] or 1
        record["result"]["value"].update(lo=record["lo"], hi=record["lo"])
        self.refused(lines, "the dump is not right", verify=True)

    def test_words(self):
        code, _, err = ctl("load", "/nowhere/x", self.new)
        self.assertEqual(code, 2)
        self.assertIn("cannot open /nowhere/x", err)
        code, _, err = self.load(self.text, "--no-verify")
        self.assertEqual(code, 0)
        code, _, err = self.load(self.text)
        self.assertEqual(code, 2)
        self.assertIn("exists already", err)
        code, _, err = ctl("dump", os.path.join(self.place.name, "none"))
        self.assertEqual(code, 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
