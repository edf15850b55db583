"""Experiments as records: in backups, which a kill interrupts, and dumps; checked, repaired, refused when damaged."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, program  # noqa: E402

SHORT = [{"suite": "short \u00e4\u4e09", "seeds": [0, 1], "nodes": 30000, "memory": "8M"},
         {"name": "ttt", "game": "mnk:3,3,3", "value": 0}, {"name": "c4", "game": "connect4:4x4", "value": 0}]
LONG = [{"suite": "long", "seeds": list(range(100)), "memory": "8M"}, {"name": "c", "game": "connect4:4x4"},
        {"name": "hard", "game": "connect4:7x6"}]


def lines(*objects):
    return "\n".join(json.dumps(item, ensure_ascii=False) for item in objects) + "\n"


def ctl(*words, text=None):
    done = subprocess.run([program("proofctl"), *words], capture_output=True, text=True, timeout=10 * TIMEOUT,
                          input=text or "")
    return done.returncode, done.stdout, done.stderr


def flip(path, at):
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)
        file.seek(at)
        file.write(bytes([byte[0] ^ 1]))


def without_sums(path):
    """Makes results those of a program that wrote no checksums."""
    with open(path, "r+", encoding="utf-8") as file:
        text = re.sub(r',"sum":"[0-9a-f]{16}"}', "}", file.read()).replace('"proofd_suite":2', '"proofd_suite":1')
        file.seek(0)
        file.truncate()
        file.write(text)


class ExperimentCopies(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="proofd-experiments-")
        self.addCleanup(place.cleanup)
        self.place, self.suites = os.path.join(place.name, "backups"), os.path.join(place.name, "suites")
        self.data, self.new = os.path.join(place.name, "data"), os.path.join(place.name, "new")
        os.mkdir(self.place)
        os.mkdir(self.suites)

    def server(self, data=None):
        return Server("--threads", "1", "--experiments", self.suites, "--backup-dir", self.place,
                      data=data or self.data)

    def file(self, number, name, data=None):
        return os.path.join(data or self.data, "experiments", str(number), name)

    def read(self, *words, data=None):
        with open(self.file(*words, data=data), encoding="utf-8") as file:
            return file.read()

    def make(self):
        """Experiment 1 is done, 2 is stopped, 3 was removed, 4 is stopped before its first run."""
        with self.server() as server:
            server.rpc("experiment.start", text=lines(*SHORT))
            server.wait_experiment(1)
            server.rpc("experiment.start", text=lines(*LONG), title="mine")
            server.wait_experiment(2, lambda e: e["done"] >= 3)
            for number in (3, 4):
                server.rpc("experiment.start", text=lines(*SHORT))
                server.rpc("experiment.stop", experiment=number)
            server.rpc("experiment.remove", experiment=3)
            server.rpc("experiment.stop", experiment=2)
            server.wait_experiment(2)
            server.terminate()

    def told(self, data):
        with self.server(data) as server:
            return [server.rpc("experiment.read", experiment=number) for number in (1, 2, 4)]

    def assert_the_same(self, data):
        self.assertEqual(sorted(os.listdir(os.path.join(data, "experiments"))), ["1", "2", "4"])
        for number in (1, 2, 4):
            for name in ("suite", "state", "runs")[: 2 if number == 4 else 3]:
                self.assertEqual(self.read(number, name), self.read(number, name, data=data))
        self.assertEqual([dict(e, log="") for e in self.told(data)], [dict(e, log="") for e in self.told(self.data)])

    def check(self, data, code=0):
        got, out, err = ctl("check", data, "--json")
        self.assertEqual(got, code, out + err)
        return json.loads(out)["experiments"], err

    def test_backup_and_restore(self):
        self.make()
        code, _, err = ctl("backup", os.path.join(self.place, "a"), "--data", self.data)
        self.assertEqual(code, 0, err)
        code, _, err = ctl("restore", os.path.join(self.place, "a"), self.new)
        self.assertEqual(code, 0, err)
        self.assertEqual(self.check(self.new)[0], 3)
        self.assert_the_same(self.new)
        with self.server(self.new) as server:
            before = server.rpc("experiment.read", experiment=2)["done"]
            server.rpc("experiment.resume", experiment=2)
            server.wait_experiment(2, lambda e: e["done"] > before)
            server.rpc("experiment.stop", experiment=2)
            server.wait_experiment(2)
            self.assertEqual(server.rpc("experiment.start", text=lines(*SHORT))["experiment"], 5)

    def test_backups_of_a_server_that_runs_one_and_is_killed(self):
        def backup(server, name):
            state = server.admin("server.backup", name=name)
            while state["state"] == "running":
                state = server.admin("server.backup")
            self.assertEqual(state["state"], "complete", state)

        def restored(name):
            shutil.rmtree(self.new, ignore_errors=True)
            code, _, err = ctl("restore", os.path.join(self.place, name), self.new)
            self.assertEqual(code, 0, err)
            with self.server(self.new) as server:
                told = server.rpc("experiment.read", experiment=1)
                self.assertIn(told["state"], ("waiting", "running"))
                return told["done"]
        with self.server() as server:
            server.rpc("job.submit", game="connect4:7x6")
            server.rpc("experiment.start", text=lines(*LONG))
            told = server.wait_experiment(1, lambda e: e["done"] >= 2)
            backup(server, "a")
            server.wait_experiment(1, lambda e: e["done"] >= 10)
            server.admin("server.backup", name="b")
            server.kill()
            server.start()
            backup(server, "b")
            server.kill()
        self.assertGreaterEqual(restored("a"), told["done"])
        self.assertGreaterEqual(restored("b"), 10)
        self.check(self.new)

    def test_a_damaged_backup_is_refused(self):
        self.make()
        backup = os.path.join(self.place, "a")
        self.assertEqual(ctl("backup", backup, "--data", self.data)[0], 0)
        kept = os.path.join(backup, "experiments")
        for damage in (lambda: flip(kept, os.path.getsize(kept) // 2), lambda: os.truncate(kept, 100),
                       lambda: os.remove(kept)):
            with open(kept, "rb") as file:
                whole = file.read()
            damage()
            code, _, err = ctl("restore", backup, self.new)
            self.assertNotEqual(code, 0)
            self.assertIn("experiments", err)
            self.assertEqual(os.listdir(os.path.dirname(self.new)).count("new.restoring"), 0)
            with open(kept, "wb") as file:
                file.write(whole)
        self.assertEqual(ctl("restore", backup, self.new)[0], 0)

    def test_dump_and_load(self):
        self.make()
        code, text, err = ctl("dump", self.data)
        self.assertEqual(code, 0, err)
        self.assertIn('"experiments":3', text)
        code, _, err = ctl("load", "-", self.new, text=text)
        self.assertEqual(code, 0, err)
        self.assertEqual(ctl("dump", self.new)[1], text)
        self.assert_the_same(self.new)

    def test_a_dump_is_hostile(self):
        self.make()
        whole = [json.loads(line) for line in ctl("dump", self.data)[1].splitlines()]
        first = next(i for i, line in enumerate(whole) if "experiment" in line)
        state = next(i for i, line in enumerate(whole) if "state" in line)

        def refused(change, *words):
            changed = json.loads(json.dumps(whole))
            change(changed)
            os.path.exists(self.new) and shutil.rmtree(self.new)
            code, _, err = ctl("load", "-", self.new, text=lines(*changed))
            self.assertNotEqual(code, 0, words)
            for word in words:
                self.assertIn(word, err)
            self.assertFalse(any(name.startswith("new") for name in os.listdir(os.path.dirname(self.new))))
        refused(lambda d: d.pop(first), "experiment", "its suite is damaged")
        refused(lambda d: d.pop(state), "experiment", "the state of experiment 1 is missing")
        refused(lambda d: d.insert(len(d) - 1, whole[first]), "integer from 5")
        refused(lambda d: d.insert(len(d) - 1, dict(whole[first], experiment=9)), "state of experiment 9 is missing")
        refused(lambda d: d[-1].update(experiments=2), "says 2, and 3 were read")
        refused(lambda d: d[-1].pop("experiments"), "experiments", "is missing")
        refused(lambda d: d[first].update(more=1), "one other member")
        refused(lambda d: d[first].update(suite=1), "one other member")
        for number in ("../1", 0, -1, 10**9 + 1, 2**32, None, 1.5):  # beyond 10**9 there are numbers for new ones
            refused(lambda d, n=number: d[first].update(experiment=n), "experiment", "integer from 1 to 1000000000")
        for member, value in (("state", "running"), ("state", "gone"), ("runs", 0), ("runs", 1e9), ("title", "t" * 121),
                              ("client", 7), ("suite", "zz"), ("suite", "1"), ("created", -1)):
            refused(lambda d, m=member, v=value: d[state]["state"].update({m: v}), "line %d" % (state + 1))

    def check_left_out(self, number, said):
        """Backups and dumps have all but that experiment, and say so."""
        for load, words in ((("restore", os.path.join(self.place, "a")),
                             ("backup", os.path.join(self.place, "a"), "--data", self.data)),
                            (("load", "-"), ("dump", self.data))):
            code, out, err = ctl(*words)
            self.assertEqual(code, 3, err)
            self.assertRegex(err, r"left out: experiment %d: .*%s" % (number, said))
            code, _, err = ctl(*load, self.new, text=out)
            self.assertEqual(code, 0, err)
            self.assertEqual(self.check(self.new)[0], 2)
            shutil.rmtree(self.new)
        shutil.rmtree(os.path.join(self.place, "a"))

    def test_a_server_makes_backups_without_what_is_damaged(self):
        self.make()
        flip(self.file(1, "suite"), 5)
        flip(self.file(2, "state"), 5)
        with self.server() as server:
            code, _, err = ctl("backup", "b", "--socket", server.socket_path)
            self.assertEqual(code, 3, err)
            self.assertRegex(err, "left out: experiment 1: .*; experiment 2: ")
            self.assertRegex(server.admin("server.backup")["left_out"], "^experiment 1: .*; experiment 2: ")
            self.assertIn("backup b: damaged and left out (2): experiment 1: ", server.log())
        self.assertEqual(ctl("restore", os.path.join(self.place, "b"), self.new)[0], 0)
        self.assertEqual(os.listdir(os.path.join(self.new, "experiments")), ["4"])

    def test_damage_is_told_by_all(self):
        self.make()
        whole = os.path.join(os.path.dirname(self.data), "whole")
        shutil.copytree(self.data, whole)
        for number, name, said, at in ((1, "suite", "its suite is damaged", 5), (1, "state", "cannot be read", 5),
                                       (1, "runs", "its results are damaged: only 3 of 4 runs", -5),
                                       (2, "runs", "its results are damaged: 1 lines", -5),
                                       (2, "runs", "its results are damaged: 1 lines", "nodes"),
                                       (2, "runs", "its results are damaged: 1 lines", "sum"),
                                       (2, "runs", "its results are damaged: 1 lines", "proofd_suite")):
            shutil.rmtree(self.data)
            shutil.copytree(whole, self.data)
            path = self.file(number, name)
            if isinstance(at, str):  # a digit of that figure
                with open(path, encoding="utf-8") as file:
                    at = re.search(r'"%s":"?' % at, file.read()).end()
            if at < 0:  # the end of a line's object
                at = os.path.getsize(path) - 2
            flip(path, at)
            count, err = self.check(self.data, code=1)
            self.assertEqual(count, 2)
            self.assertIn("experiment %d: " % number, err)
            self.assertIn(said, err)
            self.check_left_out(number, said)
            code, out, err = ctl("repair", self.data, self.new, "--json")
            report = json.loads(out)
            self.assertEqual((report["whole"], report["experiments"], report["experiments_lost"]), (False, 2, 1), err)
            self.assertEqual(self.check(self.new)[0], 2)
            shutil.rmtree(self.new)
            with self.server() as server:
                told = server.rpc("experiment.read", experiment=number)
                self.assertEqual(told["state"], "failed")
                self.assertIn(said, told["reason"])

    def test_results_without_checksums(self):
        """Those of older programs are read; what is added to them has checksums."""
        self.make()
        for number in 1, 2:
            without_sums(self.file(number, "runs"))
        before = self.read(2, "runs")
        self.assertEqual(self.check(self.data)[0], 3)
        told = self.told(self.data)
        self.assertEqual([e["state"] for e in told], ["done", "stopped", "stopped"])
        self.assertEqual(told[0]["done"], 4)
        with self.server() as server:
            server.rpc("experiment.resume", experiment=2)
            server.wait_experiment(2, lambda e: e["done"] > told[1]["done"])
            server.rpc("experiment.stop", experiment=2)
            server.wait_experiment(2)
        after = self.read(2, "runs")
        self.assertTrue(after.startswith(before))
        head, *rows = after[len(before):].splitlines()
        self.assertEqual(json.loads(head)["proofd_suite"], 2)
        self.assertTrue(rows)
        for line in [head, *rows]:
            self.assertRegex(line, r',"sum":"[0-9a-f]{16}"}$')
        self.assertEqual(self.check(self.data)[0], 3)
        path = self.file(2, "runs")
        flip(path, after.index(",", after.index('"nodes":', len(before) + len(head))) - 1)  # the last digit
        self.assertEqual(self.check(self.data, code=1)[0], 2)
        code, _, err = ctl("suite", "report", path)
        self.assertEqual(code, 1)
        self.assertIn("line %d is damaged: its checksum" % (len(before.splitlines()) + 2), err)

    def test_a_suite_that_is_damaged_meanwhile_is_not_run(self):
        with self.server() as server:
            server.rpc("experiment.start", text=lines(*LONG))
            server.wait_experiment(1, lambda e: e["done"] >= 1)
            server.rpc("experiment.stop", experiment=1)
            server.wait_experiment(1)
            flip(self.file(1, "suite"), 12)
            told = server.rpc("experiment.read", experiment=1)
            self.assertEqual((told["state"], told["text"]), ("stopped", ""))
            self.assertIn("its suite is damaged", told["reason"])
            server.rpc("experiment.resume", experiment=1)
            told = server.wait_experiment(1)
            self.assertEqual(told["state"], "failed")
            self.assertIn("its suite is damaged", told["reason"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
