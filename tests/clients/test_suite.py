"""proofctl suite run: runs and results, faults of a suite, wrong values, kills and torn lines, two programs."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, program  # noqa: E402

QUESTIONS = [
    {"name": "c4", "game": "connect4:4x4", "value": 0, "degree": 1, "source": "exhaustive"},
    {"name": "ttt", "game": "mnk:3,3,3", "value": 0, "degree": 1},
    {"name": "hex", "game": "hex:3", "claim": "first-wins", "value": True, "degree": 1},
    {"name": "hex b2", "game": "hex:3", "position": "b2", "claim": "second-wins", "value": False},
    {"name": "nim", "game": "nim:1,2,3", "value": None},
]
VARIANTS = [
    {"suite": "tiny", "seeds": [0, 5], "nodes": 30000, "memory": "8M"},
    {"variant": "pds-pn"},
    {"variant": "df", "algorithm": "df-pn", "options": {"epsilon": 0.5, "heuristics": False}},
    {"variant": "pn", "algorithm": "pn"},
]
# What a second run gives as well.
SAME = ("question", "game", "degree", "variant", "seed", "program", "status", "lo", "hi", "nodes", "positions", "facts")


def read(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def figures(path):
    return sorted(json.dumps([line.get(key) for key in SAME]) for line in read(path)[1:])


class Suite(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("questions", QUESTIONS)
        self.write("variants", VARIANTS)

    def at(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, lines):
        with open(self.at(name), "w", encoding="utf-8") as file:
            file.write("\n\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))

    def words(self, out, *words, files=("questions", "variants")):
        return [program("proofctl"), "suite", "run", *map(self.at, files), "--out", self.at(out), *words]

    def run_suite(self, out, *words, code=0, files=("questions", "variants")):
        done = subprocess.run(self.words(out, *words, files=files), capture_output=True, text=True, timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def told(self, *words, **more):
        return json.loads(self.run_suite(*words, "--json", **more).stdout)

    def refused(self, text, *lines):
        self.write("bad", lines)
        error = self.run_suite("none", code=2, files=("bad",)).stderr
        self.assertIn(text, error)
        self.assertFalse(os.path.exists(self.at("none")))

    def test_runs_are_those_of_solve(self):
        told = self.told("out")
        self.assertEqual([told[key] for key in ("runs", "before", "done", "wrong", "broken")], [30, 0, 30, 0, 0])
        lines = read(self.at("out"))
        by_key = {(line["question"], line["variant"], line["seed"]): line for line in lines[1:]}
        self.assertEqual((len(lines), len(by_key)), (31, 30))
        line = by_key["c4", "df", 5]
        words = ["solve", "connect4:4x4", "--algorithm", "df-pn", "-O", "epsilon=0.5", "-O", "heuristics=false",
                 "--seed", "5", "--nodes", "30000", "--memory", "8M", "--json"]
        done = subprocess.run([program("proofctl"), *words], capture_output=True, check=True, timeout=TIMEOUT)
        answer = json.loads(done.stdout)
        self.assertEqual(line["nodes"], answer["nodes"]["level1"] + answer["nodes"]["level2"])
        self.assertEqual(line["positions"], answer["nodes"]["positions"])
        self.assertGreater(line["positions"], line["nodes"])
        self.assertEqual((line["status"], line["lo"], line["hi"], line["facts"]), ("solved", 0, 0, answer["facts"]))
        self.assertTrue(0 < line["cpu"] and 0 < line["seconds"] and line["peak"] > 1 << 20, line)
        # pn needs more than 30,000 nodes there.
        self.assertEqual(by_key["c4", "pn", 0]["status"], "unsolved")

    def test_a_second_command_does_what_is_missing(self):
        self.run_suite("out", "--jobs", "2")
        whole = figures(self.at("out"))
        with open(self.at("out"), "rb") as file:
            text = file.read()
        ends = [i + 1 for i, byte in enumerate(text) if byte == 10]
        for cut, had in ((ends[9], 9), (ends[9] + 20, 9), (ends[0] - 1, 0), (5, 0), (0, 0), (ends[0], 0),
                         (len(text) - 1, 29)):
            with open(self.at("out"), "wb") as file:
                file.write(text[:cut])
            told = self.told("out")
            self.assertEqual((told["before"], told["done"]), (had, 30), cut)
            self.assertEqual(figures(self.at("out")), whole)
        self.assertEqual(self.told("out")["before"], 30)

    def test_kills(self):
        self.run_suite("whole")
        for _ in range(3):
            child = subprocess.Popen(self.words("out", "--jobs", "2"), stdout=subprocess.DEVNULL,
                                     stdin=subprocess.DEVNULL)
            deadline = time.monotonic() + TIMEOUT
            before = os.path.getsize(self.at("out")) if os.path.exists(self.at("out")) else 0
            while time.monotonic() < deadline and child.poll() is None:
                if os.path.exists(self.at("out")) and os.path.getsize(self.at("out")) > before + 500:
                    break
                time.sleep(0.001)
            child.kill()
            child.wait()
        self.assertGreater(self.told("out")["before"], 3)
        self.assertEqual(figures(self.at("out")), figures(self.at("whole")))

    def test_ctrl_c(self):
        self.write("long", [{"name": "long", "game": "connect4:7x6"}, {"suite": "long", "memory": "16M"}])
        child = subprocess.Popen(self.words("out", files=("long",)), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True)
        while not os.path.exists(self.at("out")) or not os.path.getsize(self.at("out")):
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=TIMEOUT)
        self.assertEqual(child.returncode, 130, out + err)
        self.assertIn("interrupted", err)
        self.assertEqual(len(read(self.at("out"))), 1)

    def test_wrong_values(self):
        self.write("wrong", [{"name": "x", "game": "mnk:3,3,3", "value": 1, "source": "nowhere"},
                             {"name": "y", "game": "hex:2", "claim": "first-wins", "value": False},
                             {"name": "z", "game": "hex:2", "claim": "first-wins", "value": True}])
        for before in (0, 3):
            done = self.run_suite("out", "--json", code=1, files=("wrong",))
            told = json.loads(done.stdout)
            self.assertEqual((told["before"], told["wrong"], told["solved"]), (before, 2, 3))
            self.assertIn("WRONG: x (mnk:3,3,3)", done.stderr)
            self.assertIn("from: nowhere", done.stderr)
            self.assertIn("WRONG: y (hex:2)", done.stderr)
        # Another run's value contradicts it: as if it had been found by a build with a fault.
        lines = read(self.at("out"))
        lines[3].update(lo=-1, hi=-1)
        with open(self.at("out"), "w", encoding="utf-8") as file:
            for line in lines:
                file.write(json.dumps(line, separators=(",", ":")) + "\n")
        self.run_suite("out", code=1, files=("wrong",))

    def test_other_suites_and_files_are_refused(self):
        self.run_suite("out")
        before = read(self.at("out"))
        self.write("variants", VARIANTS[:-1])
        self.assertIn("another suite", self.run_suite("out", code=2).stderr)
        self.write("variants", VARIANTS)
        self.assertIn("another build", self.run_suite("out", "--against", program("proofctl"), code=2).stderr)
        self.assertEqual(read(self.at("out")), before)
        for text in ("my notes", "my notes\n", "{}\n"):
            with open(self.at("notes"), "w", encoding="utf-8") as file:
                file.write(text)
            self.assertIn("not a results file", self.run_suite("notes", code=1).stderr)
            with open(self.at("notes"), encoding="utf-8") as file:
                self.assertEqual(file.read(), text)

    def test_two_programs(self):
        told = self.told("out", "--against", program("proofctl"))
        self.assertEqual(told["done"], 60)
        lines = read(self.at("out"))[1:]
        pairs = list(zip(lines[0::2], lines[1::2]))
        for one, two in pairs:
            for key in SAME:
                if key != "program":
                    self.assertEqual(one.get(key), two.get(key))
        self.assertEqual([one["program"] for one, _ in pairs], [0, 1] * 15)
        self.assertEqual([two["program"] for _, two in pairs], [1, 0] * 15)

    def test_a_process_that_dies_has_no_result(self):
        script = self.at("dies")
        with open(script, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nkill -SEGV $$\n")
        os.chmod(script, 0o755)
        done = self.run_suite("out", "--json", "--against", script, code=1)
        self.assertEqual((json.loads(done.stdout)["done"], json.loads(done.stdout)["broken"]), (30, 30))
        self.assertIn("BROKEN", done.stderr)
        self.assertEqual(self.told("out", "--against", script, code=1)["before"], 30)

    def test_faults_of_a_suite(self):
        good = QUESTIONS[0]
        self.refused("line 1", "{")
        self.refused("line 3: a line has to be", good, "[1]")
        self.refused("'gme' is not one of", {"name": "x", "gme": "hex:3"})
        self.refused("'name' has to be", {"game": "hex:3"})
        self.refused("'position' has to be", {"name": "x", "game": "hex:3", "position": 1})
        self.refused("'value' has to be", {"name": "x", "game": "hex:3", "value": "yes"})
        self.refused("there is no 'claim'", {"name": "x", "game": "hex:3", "value": True})
        self.refused("same name", good, good)
        self.refused("question 'x': ", {"name": "x", "game": "hex:99"})
        self.refused("question 'x': ", {"name": "x", "game": "hex:3", "position": "j9"})
        self.refused("question 'x': ", {"name": "x", "game": "hex:3", "claim": "maybe"})
        self.refused("no questions", {"variant": "a"})
        self.refused("same name", good, {"variant": "a"}, {"variant": "a"})
        self.refused("line 3", good, {"variant": "a", "algorithm": "alpha-beta"})
        self.refused("epsilon", good, {"variant": "a", "options": {"epsilon": "much"}})
        self.refused("'options' has to be", good, {"variant": "a", "options": 1})
        self.refused("'seeds' has to be", good, {"seeds": [-1]})
        self.refused("the same number twice", good, {"seeds": [1, 1]})
        self.refused("'nodes' has to be", good, {"nodes": -1})
        self.refused("'memory' has to be", good, {"memory": "much"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
