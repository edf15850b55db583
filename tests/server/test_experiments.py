"""Experiments: suites that a server runs for its clients: they end, are told, stopped, resumed after a kill, reported,
and nothing that a client says becomes a file or a command."""

import csv
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, RpcError, Server, program  # noqa: E402

QUESTIONS = [{"name": "ttt", "game": "mnk:3,3,3", "value": 0}, {"name": "c4", "game": "connect4:4x4", "value": 0},
             {"name": "hex", "game": "hex:3", "claim": "first-wins", "value": True}]
VARIANTS = [{"suite": "tiny", "seeds": [0, 1], "nodes": 30000, "memory": "8M"}, {"variant": "pds-pn"},
            {"variant": "df", "algorithm": "df-pn"}]
LONG = [{"suite": "long", "seeds": list(range(100)), "memory": "8M"}, {"name": "c", "game": "connect4:4x4"},
        {"name": "hard", "game": "connect4:7x6"}]


def lines(*objects):
    return "\n".join(json.dumps(item) for item in objects)


def plain(line):
    """The object of a line of results, as a program wrote it that knew no checksums."""
    found = json.loads(line)
    del found["sum"]
    return dict(found, proofd_suite=1) if "proofd_suite" in found else found


class Experiments(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="proofd-experiments-")
        self.addCleanup(place.cleanup)
        self.suites, self.data = os.path.join(place.name, "suites"), os.path.join(place.name, "data")
        os.mkdir(self.suites)
        self.write("questions.jsonl", lines(*QUESTIONS))
        self.write("variants.jsonl", lines(*VARIANTS))
        self.write("other.txt", "no suite")

    def write(self, name, text):
        with open(os.path.join(self.suites, name), "w", encoding="utf-8") as file:
            file.write(text)

    def server(self, *words):
        return Server("--threads", "1", "--experiments", self.suites, *words, data=self.data)

    def refused(self, slug, field, server, method, **params):
        with self.assertRaises(RpcError) as caught:
            server.rpc(method, **params)
        self.assertEqual((caught.exception.slug, caught.exception.field), (slug, field), caught.exception)
        return str(caught.exception)

    def processes(self, server):
        """The runner of its experiments, also one that was left behind; not what it starts."""
        place, found = os.path.realpath(server.data).encode(), {}
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % name, "rb") as file:
                    words = file.read().split(b"\0")
                with open("/proc/%s/stat" % name, encoding="utf-8", errors="replace") as file:
                    parent = int(file.read().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
            if words[1:3] == [b"suite", b"run"] and place in words[3]:
                found[int(name)] = parent
        return [number for number, parent in found.items() if parent not in found]

    def test_a_suite_is_run_and_reported(self):
        with self.server() as server:
            self.assertIn("experiments", server.rpc("server.hello")["features"])
            self.assertEqual(server.rpc("experiment.list"), {"experiments": [], "suites": ["questions", "variants"]})
            first = server.rpc("experiment.start", suites=["questions", "variants"])
            wanted = {"experiment": 1, "title": "tiny", "questions": 3, "variants": 2, "seeds": 2, "runs": 12}
            self.assertEqual({key: first[key] for key in wanted}, wanted)
            second = server.rpc("experiment.start", title="mine", suites=["questions"], text=lines(VARIANTS[0]))
            self.assertEqual((second["variants"], second["title"]), (1, "mine"))
            told = server.wait_experiment(1)
            self.assertEqual((told["state"], told["done"], told["answered"], told["wrong"]), ("done", 12, 12, 0), told)
            self.assertIn("12 of 12 runs", told["log"])
            self.assertEqual([json.loads(line) for line in told["text"].split("\n") if line], QUESTIONS + VARIANTS)
            self.assertEqual(server.wait_experiment(2)["state"], "done")
            self.assertEqual([row["experiment"] for row in server.rpc("experiment.list")["experiments"]], [2, 1])
            rows = [json.loads(line) for line in server.rpc("experiment.report", experiment=1)["text"].splitlines()]
            whole = [row for row in rows if "question" not in row and "family" not in row]
            self.assertEqual([(row["variant"], row["unit"], row["solved"]) for row in whole],
                             [(variant, unit, 6) for unit in ("positions", "cpu") for variant in ("pds-pn", "df")])
            for row in whole:
                self.assertEqual((len(row["costs"]), sorted(row["costs"])), (6, row["costs"]))
            table = list(csv.DictReader(io.StringIO(server.rpc("experiment.report", experiment=1, form="csv")["text"])))
            self.assertEqual(sorted(float(row["positions"]) for row in table if row["variant"] == "df"),
                             whole[1]["costs"])
            self.assertIn("PAR-2", server.rpc("experiment.report", experiment=1, form="text")["text"])
            self.refused("wrong-state", "experiment", server, "experiment.stop", experiment=1)
            self.refused("wrong-state", "experiment", server, "experiment.resume", experiment=1)
            self.assertEqual(server.rpc("experiment.remove", experiment=1), {"experiment": 1})
            self.refused("not-found", "experiment", server, "experiment.read", experiment=1)
            self.assertEqual(os.listdir(os.path.join(server.data, "experiments")), ["2"])

    def test_what_is_wrong_is_named(self):
        with self.server() as server:
            bad = self.refused("invalid-params", "text", server, "experiment.start", text="{\"name\":\"a\"}")
            self.assertIn("suite, line 1: 'game' has to be", bad)
            self.assertNotIn(server.data, bad)
            for text, part in (("no json", "line 1"), ("", "no questions"),
                               (lines({"name": "a", "game": "chess:9"}), "'a'"),
                               (lines({"name": "a", "game": "--data=/etc"}), "'a'"),
                               (lines({"nodes": -1}), "'nodes'"),
                               (lines(QUESTIONS[0], {"variant": "v", "options": {"epsilom": 1}}), "epsilom")):
                self.assertIn(part, self.refused("invalid-params", "text", server, "experiment.start", text=text))
            for name in ("../suites/questions", "questions.jsonl", "other", "", "/etc/passwd", "none"):
                said = self.refused("not-found", "suites", server, "experiment.start", suites=[name])
                self.assertIn("'%s'" % name, said)
            self.refused("invalid-params", "suites", server, "experiment.start", suites="questions")
            self.refused("invalid-params", "experiment", server, "experiment.read", experiment="../1")
            many = [{"name": "q%d" % i, "game": "mnk:3,3,3"} for i in range(201)]
            said = self.refused("limit", "text", server, "experiment.start",
                                text=lines({"seeds": list(range(100))}, *many))
            self.assertIn("20100 runs", said)
            big = os.path.join(self.suites, "big.jsonl")
            with open(big, "w", encoding="utf-8") as file:
                file.write("\n" * (2 << 20))
            self.refused("limit", "text", server, "experiment.start", suites=["big"], text=lines(QUESTIONS[0]))
            self.assertEqual(server.rpc("experiment.list")["experiments"], [])
            self.assertEqual(os.listdir(os.path.join(server.data, "experiments")), [])
            server.rpc("experiment.start", text=lines({"suite": "wrong"}, dict(QUESTIONS[0], value=1)))
            told = server.wait_experiment(server.rpc("experiment.list")["experiments"][0]["experiment"])
            self.assertEqual((told["state"], told["wrong"]), ("done", 1))
            self.assertIn("WRONG: ttt", told["log"])

    def test_one_runs_at_a_time_and_may_be_stopped(self):
        with self.server() as server:
            server.rpc("experiment.start", text=lines(*LONG))
            server.rpc("experiment.start", text=lines(*QUESTIONS))
            self.refused("wrong-state", "experiment", server, "experiment.report", experiment=2)
            told = server.wait_experiment(1, lambda e: e["done"] >= 3)
            self.assertEqual(told["state"], "running")
            self.assertEqual(len(self.processes(server)), 1)
            self.assertEqual(os.getpriority(os.PRIO_PROCESS, self.processes(server)[0]), 19)
            self.assertEqual(server.rpc("experiment.read", experiment=2)["state"], "waiting")
            self.refused("wrong-state", "experiment", server, "experiment.remove", experiment=1)
            rows = server.rpc("experiment.report", experiment=1)["text"].splitlines()
            self.assertGreaterEqual(json.loads(rows[0])["runs"], 3)
            self.assertEqual(server.rpc("experiment.stop", experiment=1)["experiment"], 1)
            told = server.wait_experiment(1)
            self.assertEqual(told["state"], "stopped")
            self.assertEqual(server.wait_experiment(2)["state"], "done")
            self.assertEqual(self.processes(server), [])
            self.assertIn(server.rpc("experiment.resume", experiment=1)["state"], ("waiting", "running"))
            done = server.wait_experiment(1, lambda e: e["state"] == "running")["done"]
            self.assertGreaterEqual(done, told["done"])
            third = server.rpc("experiment.start", text=lines(*QUESTIONS))["experiment"]
            self.assertEqual(server.rpc("experiment.stop", experiment=third)["state"], "stopped")

    def test_a_killed_server_goes_on(self):
        with self.server() as server:
            server.rpc("experiment.start", text=lines({"seeds": list(range(10)), "memory": "8M"}, *QUESTIONS[:2]))
            before = server.wait_experiment(1, lambda e: e["done"] >= 3)
            server.kill()
            end = time.monotonic() + TIMEOUT
            while self.processes(server) and time.monotonic() < end:
                time.sleep(0.02)
            self.assertEqual(self.processes(server), [])
            with open(os.path.join(server.data, "experiments", "1", "runs"), "a", encoding="utf-8") as file:
                file.write('{"question":"torn')
            os.mkdir(os.path.join(server.data, "experiments", "7"))  # the server died while it made that one
            server.start()
            self.assertGreaterEqual(server.rpc("experiment.read", experiment=1)["done"], before["done"])
            self.assertEqual(server.terminate(), 0)
            server.start()
            told = server.wait_experiment(1)
            self.assertEqual((told["state"], told["done"], told["answered"]), ("done", 20, 20), told)
            self.assertEqual(os.listdir(os.path.join(server.data, "experiments")), ["1"])
            runs = csv.DictReader(io.StringIO(server.rpc("experiment.report", experiment=1, form="csv")["text"]))
            self.assertEqual(len({(run["question"], run["seed"]) for run in runs}), 20)

    def test_a_stop_that_was_answered_outlives_a_kill(self):
        with self.server() as server:
            server.rpc("experiment.start", text=lines(*LONG))
            server.wait_experiment(1, lambda e: e["state"] == "running" and e["done"] >= 1)
            server.rpc("experiment.stop", experiment=1)
            server.kill()
            server.start()
            self.assertEqual(server.rpc("experiment.read", experiment=1)["state"], "stopped")

    def test_a_child_that_dies_is_reported(self):
        with self.server() as server:
            server.rpc("experiment.start", text=lines(*LONG))
            server.wait_experiment(1, lambda e: e["done"] >= 1)
            os.kill(self.processes(server)[0], signal.SIGABRT)
            told = server.wait_experiment(1)
            self.assertEqual(told["state"], "failed")
            self.assertIn("signal 6", told["reason"])
            server.kill()
            server.start()
            self.assertEqual(server.rpc("experiment.read", experiment=1)["reason"], told["reason"])
            server.rpc("experiment.resume", experiment=1)
            server.wait_experiment(1, lambda e: e["done"] > told["done"])
            server.rpc("experiment.stop", experiment=1)
            server.wait_experiment(1)
            with open(os.path.join(server.data, "experiments", "1", "runs"), "w", encoding="utf-8") as file:
                file.write("these are no results\n")
            server.rpc("experiment.resume", experiment=1)
            self.assertIn("is not a results file", server.wait_experiment(1)["reason"])
            self.assertIn("runs", self.refused("invalid-params", "experiment", server, "experiment.report",
                                               experiment=1))

    def test_a_parent_that_ignores_its_children_may_start_the_server(self):
        before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the server inherits it
        try:
            server = self.server()
        finally:
            signal.signal(signal.SIGCHLD, before)
        with server:
            server.rpc("experiment.start", text=lines(*QUESTIONS))
            self.assertEqual(server.wait_experiment(1)["state"], "done")

    def test_the_report_of_many_runs_is_quick(self):
        with self.server() as server:
            many = [{"name": "q%d" % i, "game": "mnk:3,3,3"} for i in range(4000)]
            names = [{"variant": "v%d" % i} for i in range(5)]
            server.rpc("experiment.start", text=lines({"memory": "1M", "nodes": 1}, *names, *many))
            server.wait_experiment(1, lambda e: e["done"] >= 1)
            server.rpc("experiment.stop", experiment=1)
            server.wait_experiment(1)
            runs = os.path.join(server.data, "experiments", "1", "runs")
            with open(runs, encoding="utf-8") as file:
                head, run = [plain(line) for line in file.read().splitlines()[:2]]
            rows = [dict(run, question=q["name"], variant=v["variant"]) for q in many for v in names]
            with open(runs, "w", encoding="utf-8") as file:
                file.write(json.dumps(head, separators=(",", ":")) + "\n" + lines(*rows) + "\n")
            begin = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run([program("proofctl"), "suite", "report", runs, "--csv"], capture_output=True,
                                  text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
            end = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.assertEqual(len(done.stdout.splitlines()), 20001, done.stderr)
            if program("proofctl").split(os.sep)[-2] == "release":
                self.assertLess(end.ru_utime - begin.ru_utime, 4)

    def test_another_build_goes_on_and_the_report_says_so(self):
        with self.server() as server:
            server.rpc("experiment.start", text=lines({"seeds": list(range(20)), "memory": "8M"}, QUESTIONS[1]))
            self.assertNotIn("builds", server.wait_experiment(1))
            server.kill()
            folder = os.path.join(server.data, "experiments", "1")
            runs = os.path.join(folder, "runs")
            with open(runs, encoding="utf-8") as file:
                head, *others = file.readlines()
            head = plain(head)
            old, idle = ({**head, "programs": [{"digest": digit * 32}]} for digit in "01")
            with open(runs, "w", encoding="utf-8") as file:  # `idle` did no run
                file.write(lines(old, idle) + "\n" + lines(old) + "\n" + "".join(others[:5]))
            suite = os.path.join(folder, "suite")
            refused = subprocess.run([program("proofctl"), "suite", "run", suite, "--out", runs], capture_output=True,
                                     text=True, timeout=TIMEOUT)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("--any-build", refused.stderr)
            server.start()
            self.assertNotIn("builds", server.rpc("experiment.read", experiment=1))
            server.rpc("experiment.resume", experiment=1)
            told = server.wait_experiment(1)
            self.assertEqual((told["state"], told["done"], told.get("builds")), ("done", 20, 2), told)
            said = server.rpc("experiment.report", experiment=1, form="text")["text"]
            self.assertIn("2 builds of the programs took part", said)
            new = head["programs"][0]["digest"]
            said = server.rpc("experiment.report", experiment=1, form="csv")["text"]
            self.assertEqual([row["build"] for row in csv.DictReader(io.StringIO(said))],
                             ["0" * 32] * 5 + [new] * 15)
            first = json.loads(server.rpc("experiment.report", experiment=1)["text"].splitlines()[0])
            self.assertEqual(sorted(first["builds"]), sorted(["0" * 32, new]))

    def test_proofctl_starts_follows_ends_and_reports(self):
        def told(*words, code=0):
            done = subprocess.run([program("proofctl"), "experiment", *words, "--socket", server.socket_path,
                                   "--timeout", str(TIMEOUT)], capture_output=True, text=True, timeout=TIMEOUT)
            self.assertEqual(done.returncode, code, done.stderr)
            return done.stderr if code in (1, 2) else done.stdout
        self.write("mine.jsonl", lines({"suite": "mine", "seeds": list(range(100)), "memory": "8M"}))
        with self.server() as server:
            self.assertIn("suites of the server: ", told("list"))
            self.assertRegex(told("start", "questions", "variants", "--title", "my title"),
                             r"^experiment 1 is (waiting|running), \d+ of 12 runs\n$")
            self.assertEqual(told("watch", "1"), "experiment 1 is done, 12 of 12 runs\n")
            self.assertIn("my title", told("list"))
            self.assertIn("PAR-2", told("report", "1"))
            self.assertEqual(len(told("report", "1", "--csv").splitlines()), 13)
            self.assertTrue(json.loads(told("report", "1", "--json").splitlines()[0])["variant"])
            told("start", "questions", os.path.join(self.suites, "mine.jsonl"))
            told("stop", "2")
            self.assertEqual(told("watch", "2", code=3).split(",")[0], "experiment 2 is stopped")
            self.assertRegex(told("resume", "2"), "experiment 2 is (waiting|running)")
            told("stop", "2")
            told("watch", "2", code=3)
            told("remove", "2")
            self.assertIn("no experiment has the number 2", told("watch", "2", code=1))
            self.assertIn("no suite 'none'", told("start", "none", code=1))
            self.assertIn("use list, start", told("begin", code=2))
            self.assertIn("the number of an experiment", told("stop", code=2))

    def test_none_runs_below_the_reserve(self):
        with self.server("--disk-reserve", "900T") as server:
            server.rpc("experiment.start", text=lines(*QUESTIONS))
            told = server.wait_experiment(1, lambda e: "reason" in e)
            self.assertEqual((told["state"], told["done"]), ("waiting", 0))
            self.assertRegex(told["reason"], r"^it waits: \S+ are free on the disk, and 900T are reserved")
            server.rpc("experiment.stop", experiment=1)
            self.assertNotIn("reason", server.wait_experiment(1))
            server.rpc("experiment.resume", experiment=1)
            server.terminate()
        with self.server() as server:
            told = server.wait_experiment(1)
            self.assertEqual((told["state"], told["done"], told.get("reason")), ("done", 3, None))

    def test_damaged_records_are_told(self):
        with self.server() as server:
            server.rpc("experiment.start", text=lines(*QUESTIONS))
            server.wait_experiment(1)
            path = os.path.join(server.data, "experiments", "1", "state")
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for damaged in ("", "{", text[:-2], text.replace('"runs":3', '"runs":2'), text.replace("done", "dune")):
                server.kill()
                with open(path, "w", encoding="utf-8") as file:
                    file.write(damaged)
                server.start()
                told = server.rpc("experiment.read", experiment=1)
                self.assertEqual(told["state"], "failed", damaged)
                self.assertIn("cannot be read", told["reason"])
            self.assertIn("damaged", self.refused("wrong-state", "experiment", server, "experiment.resume",
                                                  experiment=1))
            server.rpc("experiment.remove", experiment=1)

    def test_one_whose_record_is_missing_is_kept_and_told(self):
        with self.server() as server:
            for _ in range(3):
                server.rpc("experiment.start", text=lines(*QUESTIONS))
            server.wait_experiment(3)
            server.kill()
            folders = [os.path.join(server.data, "experiments", number) for number in "123"]
            os.remove(os.path.join(folders[0], "state"))
            for name in "state", "runs", "log":  # of the second, which was never begun, there is the suite
                os.remove(os.path.join(folders[1], name))
            os.rename(os.path.join(folders[2], "state"), os.path.join(folders[2], "removed"))  # a removal was cut short
            done = subprocess.run([program("proofctl"), "check", server.data], capture_output=True, text=True,
                                  timeout=TIMEOUT, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 1)
            self.assertIn("experiment 1", done.stdout + done.stderr)
            self.assertNotRegex(done.stdout + done.stderr, "experiment [23]")
            server.start()
            self.assertEqual([os.path.exists(folder) for folder in folders], [True, False, False])
            told, = server.rpc("experiment.list")["experiments"]
            self.assertEqual((told["experiment"], told["state"], told["done"]), (1, "failed", 3))
            self.assertIn("record is missing", told["reason"])
            self.assertIn("ttt", json.dumps(server.rpc("experiment.report", experiment=1)))
            self.assertIn("damaged", self.refused("wrong-state", "experiment", server, "experiment.resume",
                                                  experiment=1))
            server.rpc("experiment.remove", experiment=1)
            self.assertFalse(os.path.exists(folders[0]))

    def test_damaged_results_are_told_and_done_again(self):
        with self.server() as server:
            server.rpc("experiment.start", text=lines(*QUESTIONS))
            server.wait_experiment(1)
            path = os.path.join(server.data, "experiments", "1", "runs")
            with open(path, encoding="utf-8") as file:
                head, first, *others = file.readlines()
            for damaged in (["x" + first, *others], [first[:-20]]):
                server.kill()
                with open(path, "w", encoding="utf-8") as file:
                    file.writelines([head, *damaged])
                server.start()
                told = server.rpc("experiment.read", experiment=1)
                self.assertEqual((told["state"], told["done"]), ("failed", max(len(damaged) - 1, 0)))
                self.assertIn("only %d of 3 runs can be read" % told["done"], told["reason"])
            server.rpc("experiment.resume", experiment=1)
            told = server.wait_experiment(1)
            self.assertEqual((told["state"], told["done"]), ("done", 3), told)

    def test_one_that_is_not_shown_keeps_its_folder(self):
        with self.server() as server:
            server.rpc("experiment.start", text=lines(*QUESTIONS))
            server.wait_experiment(1)
            server.kill()
            place = os.path.join(server.data, "experiments")
            for number in range(2, 202):  # one more than there may be, as a dump may bring them
                shutil.copytree(os.path.join(place, "1"), os.path.join(place, str(number)))
            server.start()
            self.assertEqual(len(server.rpc("experiment.list")["experiments"]), 200)
            server.rpc("experiment.remove", experiment=7)
            self.assertEqual(server.rpc("experiment.start", text=lines(*QUESTIONS))["experiment"], 202)

    def test_memory_has_a_limit(self):
        if any(os.path.basename(part) in ("asan", "tsan") for part in program("proofd").split(os.sep)):
            self.skipTest("sanitizers reserve address space without end")
        with self.server("--experiment-memory", "100M") as server:
            server.rpc("experiment.start", text=lines({"memory": "1G", "nodes": 1000}, QUESTIONS[0]))
            told = server.wait_experiment(1)
            self.assertEqual(told["state"], "failed")
            self.assertRegex(told["reason"], "question 'ttt'.*memory here, not 1G")

    def test_they_are_off_unless_asked_for(self):
        with Server("--threads", "1") as server:
            self.assertNotIn("experiments", server.rpc("server.hello")["features"])
            said = self.refused("unsupported", "method", server, "experiment.list")
            self.assertIn("proofd --experiments", said)
            with Server("--read-only", "--experiments", self.suites, data=server.data) as reader:
                self.assertNotIn("experiments", reader.rpc("server.hello")["features"])
        for words, part in ((["--memory-only"], "needs a data directory"),
                            (["--data", self.data], "is not a directory")):
            done = subprocess.run([program("proofd"), *words, "--listen", "127.0.0.1:0", "--experiments",
                                   self.suites if words[0] == "--memory-only" else "/none"],
                                  capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(part, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
