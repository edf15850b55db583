"""proofctl suite: runs and results, faults of a suite, wrong values, kills and torn lines, two programs; the report."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.dom.minidom

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


class Case(unittest.TestCase):
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


class Run(Case):
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


class Report(Case):
    """Of results made up here, with figures computed by hand."""

    # question, variant: positions of the seeds 0, 1, 2; None: not answered, after 500.
    COSTS = {("a", "x"): (10, 20, 30), ("a", "y"): (5, 5, 40), ("b", "x"): (100, 100, 100), ("b", "y"): (200, 400, 800),
             ("c", "x"): (7, None, None), ("c", "y"): (70, 70, 70)}

    def results(self):
        with open(self.at("made"), "w", encoding="utf-8") as file:
            file.write(json.dumps({"proofd_suite": 1, "digest": "d", "asked": "a", "cpu": 9, "memory": "8M",
                                   "programs": [{"digest": "p"}], "variants": ["x", "y"]},
                                  separators=(",", ":")) + "\n")
            for (question, variant), costs in reversed(self.COSTS.items()):
                for seed, cost in enumerate(costs):
                    game = "hex:3" if question == "a" else "nim:1"
                    file.write(json.dumps({"question": question, "game": game, "variant": variant, "seed": seed,
                                           "program": 0, "status": "solved" if cost else "unsolved",
                                           "nodes": 1, "positions": cost or 500, "cpu": 1.5}) + "\n")
            file.write('{"question":"torn')
        return self.at("made")

    def report(self, *words, code=0):
        done = subprocess.run([program("proofctl"), "suite", "report", *words], capture_output=True, text=True,
                              timeout=TIMEOUT, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr if code else done.stdout

    def test_figures(self):
        lines = [json.loads(line) for line in self.report(self.results(), "--json").splitlines()]
        of = {(line["variant"], line["unit"], line.get("question", line.get("family", ""))): line for line in lines}
        self.assertEqual(len(of), len(lines))
        x, y = of["x", "positions", ""], of["y", "positions", ""]
        self.assertEqual((x["runs"], x["solved"], x["median"], x["spread_of"]), (9, 7, 100, 2))
        self.assertEqual((y["runs"], y["solved"], y["median"], y["spread_of"]), (9, 9, 70, 3))
        # Unanswered runs of c count twice 500; the limit of 9 s counts twice for the processor time.
        self.assertAlmostEqual(x["par2"], (10 + 20 + 30 + 300 + 7 + 1000 + 1000) / 9, places=5)
        self.assertAlmostEqual(of["x", "cpu", ""]["par2"], (7 * 1.5 + 2 * 18) / 9, places=5)
        # Ratios: a 5/20, b 400/100; c has no median with x. Each is the only one of its game.
        self.assertEqual((y["compared"], y["ratio"], y["ratio_games"]), (2, 1, 1))
        self.assertEqual((y["ratio_low"], y["ratio_high"]), (0.25, 4))
        self.assertEqual(of["y", "positions", "hex"]["ratio"], 0.25)
        self.assertEqual(of["y", "positions", "nim"]["ratio"], 4)
        self.assertEqual((of["x", "positions", "c"]["median"], of["x", "positions", "c"]["solved"]), (None, 1))
        self.assertEqual((of["y", "positions", "a"]["median"], of["y", "positions", "a"]["percentile_90"]), (5, 40))
        # y: 40/5, 800/400, 70/70: two of three are at most 2, and 2 is the median.
        self.assertEqual((y["spread"], y["spread_within_2"]), (2, 2))

    def test_text_csv_and_plots(self):
        made, plots = self.results(), self.at("plots")
        text = self.report(made, "--svg", plots)
        self.assertRegex(text, r"(?m)^y +9/9 +70 .* 1\.000 ")
        self.assertRegex(text, r"(?m)^hex +y +1 +0\.250 ")
        self.assertEqual(sorted(os.listdir(plots)), ["cactus-cpu.svg", "cactus-positions.svg", "scatter-cpu-2.svg",
                                                     "scatter-positions-2.svg"])
        for name in os.listdir(plots):
            xml.dom.minidom.parse(os.path.join(plots, name))
        rows = list(csv.DictReader(io.StringIO(self.report(made, "--csv"))))
        self.assertEqual(len(rows), 18)
        self.assertEqual(sum(int(row["positions"]) for row in rows if row["variant"] == "y"), 1660)

    def test_a_run_that_is_there_twice_is_named_by_its_line(self):
        self.run_suite("out")
        with open(self.at("out"), encoding="utf-8") as file:
            head, *runs = file.readlines()
        with open(self.at("out"), "w", encoding="utf-8") as file:
            file.writelines([head, runs[0], head, head, runs[1], runs[0]])
        self.assertIn("line 6: the suite has no such run, or it is there twice", self.run_suite("out", code=1).stderr)

    def test_files_that_do_not_fit(self):
        made = self.results()
        self.run_suite("out")
        self.assertIn("different questions", self.report(made, self.at("out"), code=2))
        self.assertIn("none", self.report(self.at("none"), code=1))
        self.assertIn("cannot be combined", self.report(made, "--csv", "--json", code=2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
