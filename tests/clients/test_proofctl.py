"""proofctl as scripts rely on it: grammar, exit codes, the shape of its JSON, and messages that name what is wrong."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
from crash import build_is_slow  # noqa: E402
from pyproofd import TIMEOUT, Server, data_dir, program  # noqa: E402

ANSWER = {
    "game",
    "position",
    "claim",
    "status",
    "value",
    "move",
    "plies",
    "nodes",
    "seconds",
    "pn",
    "dn",
    "facts",
    "line",
}
NO_SERVER = ["--server", "127.0.0.1:1"]  # a port that no server has
SMALL = ["--memory", "4M"]


def environment(**more):
    env = {k: v for k, v in os.environ.items() if k not in ("PROOFD_SERVER", "TERM")}
    env.update(more)
    return env


def run(*words, stdin="", env=None):
    """Exit code, stdout, stderr of `proofctl WORDS`."""
    done = subprocess.run(
        [program("proofctl"), *words],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        input=stdin,
        env=env or environment(),
    )
    return done.returncode, done.stdout, done.stderr


def run_json(*words, code=0, **more):
    """The objects that `proofctl WORDS --json` prints, one a line; its exit code must be `code`, and stderr empty."""
    got, out, err = run(*words, "--json", **more)
    if got != code or err:
        raise AssertionError("%s: exit code %d\n%s%s" % (words, got, out, err))
    return [json.loads(line) for line in out.splitlines()]


def commands():
    """Their names, as `proofctl help` lists them."""
    return re.findall(r"^  proofctl ([a-z-]+)", run("help")[1], re.M)


class Grammar(unittest.TestCase):
    def refused(self, words, part, code=2, slug=None, field=None):
        """The command ends with the code and one sentence that has the part in it; with --json the sentence is in an
        object."""
        with self.subTest(words):
            got, out, err = run(*words)
            self.assertEqual((got, out), (code, ""), err)
            self.assertEqual(err.count("\n"), 1, err)
            self.assertTrue(err.startswith("proofctl: "), err)
            self.assertIn(part, err)
            got, out, err = run(*words, "--json")
            self.assertEqual((got, out), (code, ""), err)
            error = json.loads(err)["error"]
            self.assertEqual(set(error), {"code", "message", "data"})
            self.assertEqual(set(error["data"]), {"slug", "field"})
            if slug:
                self.assertEqual(error["data"]["slug"], slug)
            if field:
                self.assertEqual(error["data"]["field"], field)

    def test_unknown_words_get_a_suggestion(self):
        self.refused(["sovle", "mnk:3,3,3"], "proofctl solve")
        self.refused(["frobnicate"], "proofctl help")
        for word, name in (
            ("stop", "shutdown"),
            ("quit", "shutdown"),
            ("ls", "list"),
            ("delete", "remove"),
            ("kill", "cancel"),
            ("verify", "check"),
            ("status", "stats"),
            ("start", "resume"),
            ("canel", "cancel"),
        ):
            self.refused([word], "did you mean `proofctl %s`?" % name)
            self.refused(["help", word], "did you mean `proofctl %s`?" % name)
        self.refused(["solve", "mnk:3,3,3", "--posision", "b2"], "--position", slug="usage", field="posision")
        self.refused(["solve", "mnk:3,3,3", "--sec", "1"], "--seconds")
        self.refused(["solve", "mnk:3,3,3", "--zzz"], "--zzz")
        self.refused(["solve", "mnk:3,3,3", "-x"], "two dashes")
        self.refused([], "proofctl help")

    def test_wrong_options_are_named(self):
        solve = ["solve", "mnk:3,3,3"]
        self.refused(solve + ["--nodes", "many"], "--nodes takes an integer", slug="usage", field="nodes")
        self.refused(solve + ["--nodes", "0"], "--nodes takes an integer of at least 1")
        self.refused(solve + ["--nodes", "1.5"], "--nodes takes an integer")
        self.refused(solve + ["--seconds", "-1"], "--seconds takes a number", field="seconds")
        self.refused(solve + ["--memory", "lots"], "--memory", field="memory")
        self.refused(solve + ["--memory", "1K"], "--memory", field="memory")
        self.refused(solve + ["--seed", "-1"], "--seed takes", field="seed")
        self.refused(solve + ["--nodes", "1", "--nodes", "2"], "--nodes is given twice")
        self.refused(solve + ["--dry-run"], "takes no --dry-run", field="dry-run")
        self.refused(solve + ["--server", "x:1"], "takes no --server")
        self.refused(solve + ["--checkpoint", "1"], "--data")
        self.refused(["taint", "--dry-run=yes"], "--dry-run takes no value")
        self.refused(["list", "--socket", "a", "--server", "b:1"], "--server and --socket")
        self.refused(["list", "--data", "a", "--server", "b:1"], "--data")
        self.refused(["list", "--graphs", "a"], "--graphs")
        self.refused(["list", "--server", "nonsense"], "an address is HOST:PORT", field="server")

    def test_a_value_that_is_missing(self):
        code, out, err = run("solve", "mnk:3,3,3", "--nodes")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("--nodes needs a value", err)

    def test_words_are_counted(self):
        self.refused(["solve"], "proofctl solve GAME")
        self.refused(["solve", "mnk:3,3,3", "b2"], "unexpected argument 'b2'")
        self.refused(["watch"], "proofctl watch JOB")
        self.refused(["watch", "one"], "a job number is", field="job")
        self.refused(["set", "1"], "--priority")
        self.refused(["perft", "mnk:3,3,3", "deep"], "DEPTH")
        self.refused(["call", "no spaces"], "not a method name")
        self.refused(["call", "job.get", "{"], "JSON", field="params")
        self.refused(["call", "job.get", "[1]"], "JSON object", field="params")

    def test_bad_questions_are_named(self):
        self.refused(["solve", "nosuch:1"], "GAME", slug="bad-game", field="game")
        self.refused(["solve", "connect4:99x99"], "GAME", slug="bad-game", field="game")
        self.refused(["solve", "connect4:4x4", "--position", "9"], "--position", slug="bad-position", field="position")
        self.refused(["solve", "mnk:3,3,3", "--claim", "mine"], "--claim", slug="bad-claim", field="claim")
        self.refused(["solve", "mnk:3,3,3", "--claim", "first>=7"], "--claim", slug="bad-claim", field="claim")
        self.refused(["solve", "mnk:3,3,3", "--claim", "first-at-least-7"], "--claim", slug="bad-claim", field="claim")
        self.refused(["solve", "mnk:3,3,3", "--claim", "first"], "first-at-least-N", slug="bad-claim", field="claim")
        self.refused(
            ["solve", "mnk:3,3,3", "--algorithm", "luck"], "--algorithm", slug="bad-algorithm", field="algorithm"
        )
        self.refused(["solve", "mnk:3,3,3", "--detail", "some"], "--detail", field="detail")
        self.refused(
            ["solve", "mnk:3,3,3", "--option", "epsilon=-1"],
            "'epsilon' takes a number from 0 to 100",
            slug="invalid-params",
            field="options",
        )
        self.refused(
            ["solve", "mnk:3,3,3", "-O", "luck=1"],
            "there is no option 'luck'; proofctl help solve",
            slug="invalid-params",
            field="options",
        )
        self.refused(
            ["solve", "mnk:3,3,3", "-Oweak=perhaps"], "'weak' takes yes or no", slug="invalid-params", field="options"
        )
        self.refused(["solve", "mnk:3,3,3", "--option", "epsilon"], "NAME=VALUE", slug="usage", field="option")
        self.refused(["solve", "mnk:3,3,3", "--option=weak=no", "-O", "weak=no"], "twice", slug="usage", field="option")
        self.refused(["list", "-O", "weak=no"], "takes no --option", slug="usage", field="option")
        self.refused(["perft", "nosuch:1", "3"], "GAME", slug="bad-game")

    def test_no_server_answers(self):
        for words in (["list"], ["submit", "mnk:3,3,3"], ["query", "mnk:3,3,3"], ["stats"], ["watch", "1"]):
            self.refused(
                words + NO_SERVER, "no server answers at 127.0.0.1:1", code=1, slug="unreachable", field="server"
            )
        self.refused(
            ["list", "--socket", "/nowhere/socket"], "/nowhere/socket", code=1, slug="unreachable", field="socket"
        )
        code, _, err = run("list", env=environment(PROOFD_SERVER="127.0.0.1:1"))
        self.assertEqual(code, 1)
        self.assertIn("127.0.0.1:1", err)

    def test_help_and_version(self):
        code, out, err = run("--version")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"^proofctl \d+\.\d+\.\d+\n$")
        code, out, err = run("help")
        self.assertEqual((code, err), (0, ""))
        self.assertGreater(len(commands()), 20)
        self.assertEqual(run("--help")[1], out)
        self.assertEqual(run("-h")[1], out)
        for name in commands():
            with self.subTest(name):
                code, one, err = run("help", name)
                self.assertEqual((code, err), (0, ""))
                self.assertTrue(one.startswith("proofctl %s" % name), one)
                self.assertIn("--json", one)
                self.assertLessEqual(max(map(len, one.splitlines())), 80)
                self.assertEqual(run(name, "--help")[1], one)
        self.refused(["help", "slove"], "proofctl solve")

    def test_completion_knows_every_command(self):
        path = os.path.join(os.path.dirname(data_dir()), "..", "clients", "proofctl.bash")
        script = 'source "$1"; COMP_WORDS=(proofctl ""); COMP_CWORD=1; _proofctl; echo "${COMPREPLY[@]}"'
        done = subprocess.run(
            ["bash", "-c", script, "bash", path],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            env=environment(PATH=os.path.dirname(program("proofctl")) + ":" + os.environ["PATH"]),
        )
        self.assertEqual(done.stderr, "")
        self.assertEqual(set(done.stdout.split()), set(commands()))


class Solve(unittest.TestCase):
    def test_the_answer_is_one_object(self):
        for words, status, text in [
            (["mnk:3,3,3"], "solved", "draw"),
            (["mnk:3,3,3", "--claim", "first-wins"], "disproved", "second wins or draw"),
            (["mnk:3,3,3", "--claim", "second-draws"], "proved", "second wins or draw"),
            (["mnk:4,3,3", "--claim", "first-wins"], "proved", "first wins"),
            (["mnk:4,3,3", "--claim", "first-at-least-1"], "proved", "first wins"),
            (["mnk:3,3,3", "--position", "a1 b1"], "solved", "first wins"),
            (["connect4:4x4", "--algorithm", "pn"], "solved", "draw"),
            (["connect4:4x4", "--algorithm", "paper", "--detail", "full"], "solved", "draw"),
        ]:
            with self.subTest(words):
                answers = run_json("solve", *words, *SMALL)
                self.assertEqual(len(answers), 1)
                answer = answers[0]
                self.assertLessEqual(ANSWER, set(answer))
                self.assertEqual((answer["status"], answer["value"]["text"]), (status, text))
                self.assertEqual(answer["game"], words[0])
                self.assertEqual(set(answer["nodes"]), {"level1", "level2", "positions"})

    def test_people_get_text(self):
        code, out, err = run("solve", "mnk:3,3,3", *SMALL)
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith("draw "), out)
        self.assertNotIn("\033", out)
        code, out, _ = run("solve", "mnk:3,3,3", "--claim", "first-wins", *SMALL)
        self.assertEqual(code, 0)
        self.assertTrue(out.startswith("no: second wins or draw"), out)

    def test_a_budget_that_ends_first_is_3(self):
        (answer,) = run_json("solve", "connect4:7x6", "--nodes", "20000", *SMALL, code=3)
        self.assertEqual(answer["status"], "unsolved")
        (answer,) = run_json("solve", "connect4:7x6", "--seconds", "0.1", *SMALL, code=3)
        self.assertEqual(answer["status"], "unsolved")
        code, out, err = run("solve", "connect4:7x6", "--nodes=2e4", *SMALL)
        self.assertEqual(code, 3)
        self.assertIn("not answered", out)
        self.assertIn("budget", err)

    def test_options_may_stand_anywhere(self):
        (answer,) = run_json("--claim", "first-wins", "solve", "--memory=4M", "mnk:3,3,3")
        self.assertEqual(answer["status"], "disproved")
        self.assertEqual(run("solve", "--memory=4M", "--", "mnk:3,3,3")[0], 0)

    def test_the_same_seed_gives_the_same_run(self):
        seeds = [run_json("solve", "connect4:4x4", "--seed", seed, *SMALL)[0]["nodes"] for seed in ("7", "7", "8")]
        self.assertEqual(seeds[0], seeds[1])
        self.assertNotEqual(seeds[0], seeds[2])

    def test_options_of_the_search_change_it(self):
        plain, bounded, same = (
            run_json("solve", "connect4:4x4", "--threads", "1", "--seed", "0", *SMALL, *more)[0]
            for more in ([], ["-O", "cap-first=20", "--option", "cap-last=20"], ["-Oepsilon=0", "-O", "cap-last=1M"])
        )
        self.assertEqual(plain["value"], bounded["value"])
        self.assertGreater(bounded["nodes"]["level1"], plain["nodes"]["level1"])
        self.assertEqual(plain["nodes"], same["nodes"])

    def test_graphs(self):
        (answer,) = run_json("solve", "andor:survey-fig2", "--graphs", data_dir("andor"), *SMALL)
        self.assertEqual(answer["value"]["text"], "first wins")
        self.assertEqual(run("solve", "andor:survey-fig2", *SMALL)[0], 2)


class SolveOnDisk(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory(prefix="proofctl-test-")
        self.dir = os.path.join(self.place.name, "data")

    def tearDown(self):
        self.place.cleanup()

    def jobs(self):
        return run_json("list", "--data", self.dir)

    def test_a_solved_question_answers_at_once(self):
        (first,) = run_json("solve", "connect4:4x4", "--data", self.dir, *SMALL)
        (again,) = run_json("solve", "connect4:4x4", "--data", self.dir, *SMALL)
        self.assertEqual(first, again)
        self.assertEqual(len(self.jobs()), 1)
        (other,) = run_json("solve", "connect4:4x4", "--claim", "first-wins", "--data", self.dir, *SMALL)
        self.assertEqual(other["status"], "disproved")
        self.assertLess(other["nodes"]["level2"], first["nodes"]["level2"])
        self.assertEqual(len(self.jobs()), 2)

    def test_another_option_is_another_question(self):
        run_json("solve", "connect4:4x4", "--data", self.dir, *SMALL)
        for _ in range(2):
            run_json("solve", "connect4:4x4", "--data", self.dir, "-O", "cap-last=50", "-O", "mobility=no", *SMALL)
        self.assertEqual([job.get("options") for job in self.jobs()], [{"cap-last": 50, "mobility": False}, None])
        code, out, _ = run("show", "2", "--data", self.dir)
        self.assertEqual(code, 0)
        self.assertIn("cap-last=50\n", out)
        self.assertIn("mobility=no\n", out)

    def test_a_search_with_options_goes_on(self):
        words = ["solve", "connect4:5x4", "--data", self.dir, "-O", "cap-first=30", "-O", "cap-last=30", *SMALL]
        run_json(*words, "--nodes", "3000", code=3)
        run_json(*words)
        self.assertEqual(len(self.jobs()), 1)

    def test_the_directory_can_be_asked(self):
        run_json("solve", "connect4:4x4", "--data", self.dir, *SMALL)
        facts = run_json("query", "connect4:4x4", "--data", self.dir)
        self.assertEqual(facts[0]["text"], "draw")
        line = run_json("line", "connect4:4x4", "--data", self.dir)[0]
        self.assertTrue(line["complete"])
        self.assertEqual(run_json("show", "1", "--data", self.dir)[0]["state"], "solved")
        sums = run_json("check", self.dir)[0]
        self.assertEqual(sums["problems"], 0)
        self.assertGreater(sums["facts"], 0)
        code, out, _ = run("check", self.dir)
        self.assertEqual(code, 0)
        self.assertTrue(out.startswith("clean\n"), out)

    def test_outcomes_are_called_what_the_game_calls_them(self):
        mated, mates = "R6k/5ppp/8/8/8/8/8/7K b - - first=b", "7k/5ppp/8/8/8/8/8/R6K w - -"
        for position, word in ((mates, "mate in 1"), (mates + " first=b", "no mate")):
            (answer,) = run_json("solve", "chess-mate", "--position", position, "--data", self.dir, *SMALL)
            self.assertEqual(answer["value"]["text"], word)
            self.assertEqual(run_json("query", "chess-mate", position, "--data", self.dir)[0]["text"], word)
            self.assertEqual(
                run_json("line", "chess-mate", "--position", position, "--data", self.dir)[0]["value"]["text"], word
            )
        self.assertEqual(sorted(job["value"]["text"] for job in self.jobs()), ["first mates", "no mate"])
        (shown,) = run_json("position", "chess-mate", mated, "--data", self.dir)
        self.assertEqual((shown["value"], shown["text"]), (0, "no mate"))
        self.assertIn("the game is over: no mate (0)", run("position", "chess-mate", mated, "--data", self.dir)[1])
        self.assertEqual(run_json("query", "chess-mate", "--data", self.dir)[0]["text"], "unknown")
        (answer,) = run_json("solve", "hex:3", "--claim", "first-draws", "--data", self.dir, *SMALL)
        self.assertEqual((answer["status"], answer["value"]["text"]), ("proved", "first wins"))

    def test_a_check_says_what_it_could_not_look_at(self):
        run_json("solve", "andor:cycle", "--graphs", data_dir("andor"), "--data", self.dir, *SMALL)
        run_json("solve", "mnk:3,3,3", "--data", self.dir, *SMALL)
        self.assertEqual(run_json("check", self.dir, "--graphs", data_dir("andor"))[0]["unopened"], "")
        sums = run_json("check", self.dir, code=3)[0]
        self.assertEqual(
            (sums["problems"], sums["jobs"], sums["skipped_jobs"], sums["unopened"]), (0, 2, 1, "andor:cycle")
        )
        self.assertGreater(sums["skipped"], 0)
        code, out, _ = run("check", self.dir)
        self.assertEqual(code, 3)
        self.assertTrue(out.startswith("no problems found, but not everything could be checked\n"), out)
        self.assertIn("andor:cycle", out)

    def test_facts_can_be_taken_back(self):
        run_json("solve", "connect4:4x4", "--position", "2", "--detail", "full", "--data", self.dir, *SMALL)
        run_json("solve", "connect4:4x4", "--detail", "full", "--data", self.dir, *SMALL)
        run_json("solve", "mnk:3,3,3", "--data", self.dir, *SMALL)
        rules = run_json("games", "connect4:4x4", "--data", self.dir)[0]["rules_version"]
        fact = run_json("query", "connect4:4x4", "2", "--data", self.dir)[0]
        self.assertEqual(fact["job"], 1)
        version = run("--version")[1].split()[1]
        self.assertEqual(
            [run_json("show", str(job), "--data", self.dir)[0]["engines"] for job in (1, 2, 3)], [[version]] * 3
        )
        self.assertIn("  engines   %s\n" % version, run("show", "1", "--data", self.dir)[1])
        before = run_json("check", self.dir)[0]
        (dry,) = run_json("taint", "--data", self.dir, "--job", "1", "--dry-run")
        self.assertEqual(run_json("check", self.dir)[0], before)
        (done,) = run_json("taint", "--data", self.dir, "--job", "1")
        self.assertEqual((dry.pop("dry_run"), done.pop("dry_run")), (True, False))
        self.assertEqual(done, dry)
        self.assertGreater(done["chosen"], 0)
        self.assertGreater(done["fallen"], 0)
        self.assertEqual(done["jobs"], 2)
        self.assertEqual(sum(done[name] for name in ("chosen", "fallen", "kept")), before["reasons"])
        after = run_json("check", self.dir)[0]
        self.assertEqual((after["problems"], after["reasons"]), (0, done["kept"]))
        self.assertEqual(run_json("query", "connect4:4x4", "2", "--data", self.dir)[0]["source"], "none")
        self.assertEqual([job["state"] for job in self.jobs()], ["solved", "queued", "queued"])
        (answer,) = run_json("solve", "connect4:4x4", "--detail", "full", "--data", self.dir, *SMALL)
        self.assertEqual(answer["value"]["text"], "draw")
        (done,) = run_json("taint", "--data", self.dir, "--game", "connect4:4x4", "--rules", rules)
        self.assertEqual((done["fallen"], done["kept"]), (0, run_json("check", self.dir)[0]["reasons"]))
        code, out, err = run("taint", "--data", self.dir, "--engine", version)
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith("retracted\n"), out)
        self.assertEqual(run_json("check", self.dir)[0]["reasons"], 0)

    def test_a_taint_that_is_refused(self):
        run_json("solve", "mnk:3,3,3", "--data", self.dir, *SMALL)
        data = ["--data", self.dir]
        for words, code, slug, part in (
            (["--job", "1"], 2, "usage", "--data DIR"),
            (data, 2, "usage", "--engine VERSION"),
            (data + ["--job", "1", "--engine", "1"], 2, "usage", "one of"),
            (data + ["--game", "mnk:3,3,3"], 2, "usage", "--rules"),
            (data + ["--rules", "1"], 2, "usage", "one of"),
            (data + ["--game", "mnk:3,3,3", "--rules", "new"], 2, "usage", "hexadecimal"),
            (data + ["--game", "mnk:3,3,3", "--rules", "abc"], 1, "not-found", "there are under"),
            (data + ["--game", "tictactoe", "--rules", "1"], 2, "bad-game", "connect4:7x6"),
            (data + ["--job", "7"], 2, "no-such-job", "there is no job 7"),
            (data + ["--engine", "0.0.0"], 1, "not-found", "0.0.0"),
            (["--data", os.path.join(self.dir, "nowhere"), "--job", "1"], 1, "not-found", "not a data directory"),
        ):
            with self.subTest(words):
                got, out, err = run("taint", *words, "--json")
                error = json.loads(err)["error"]
                self.assertEqual((got, out, error["data"]["slug"]), (code, "", slug), err)
                self.assertIn(part, error["message"])
        self.assertFalse(os.path.exists(os.path.join(self.dir, "nowhere")))

    def test_an_exhausted_search_goes_on(self):
        (first,) = run_json("solve", "connect4:5x5", "--nodes", "100k", "--data", self.dir, *SMALL, code=3)
        (second,) = run_json("solve", "connect4:5x5", "--nodes", "100k", "--data", self.dir, *SMALL, code=3)
        nodes = [sum(answer["nodes"].values()) for answer in (first, second)]
        self.assertGreaterEqual(nodes[0], 100000)
        self.assertGreaterEqual(nodes[1], nodes[0] + 100000)
        self.assertEqual(len(self.jobs()), 1)
        (last,) = run_json("solve", "connect4:5x5", "--data", self.dir, *SMALL)
        self.assertEqual(last["value"]["text"], "draw")
        self.assertGreater(sum(last["nodes"].values()), nodes[1])

    def interrupt(self, number, *more):
        """Starts a search that takes minutes, signals it when its job is on disk and has searched, and returns the exit
        code and stderr."""
        nodes = before = sum(self.jobs()[0]["nodes"].values()) if os.path.exists(self.dir) else 0
        process = subprocess.Popen(
            [program("proofctl"), "solve", "connect4:7x6", "--data", self.dir, "--checkpoint", "0.1", *SMALL, *more],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        try:
            while nodes <= before:
                code, out, _ = run("list", "--data", self.dir, "--json")
                jobs = [json.loads(line) for line in out.splitlines()] if code == 0 else []
                nodes = sum(jobs[0]["nodes"].values()) if jobs else 0
                self.assertIsNone(process.poll())
            process.send_signal(number)
            out, err = process.communicate(timeout=TIMEOUT)
            return process.returncode, out, err
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()

    def test_an_interrupted_search_goes_on_where_it_was(self):
        code, out, err = self.interrupt(signal.SIGINT)
        self.assertEqual((code, out), (130, ""))
        self.assertIn(self.dir, err)
        code, _, _ = self.interrupt(signal.SIGTERM, "--json")
        self.assertEqual(code, 143)
        code, _, _ = self.interrupt(signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL)
        (job,) = self.jobs()
        self.assertEqual(job["restarts"], 2)
        self.assertIn(job["state"], ("queued", "running"))
        before = sum(job["nodes"].values())
        (answer,) = run_json("solve", "connect4:7x6", "--data", self.dir, "--nodes", "1", *SMALL, code=3)
        self.assertGreaterEqual(sum(answer["nodes"].values()), before)
        self.assertEqual(run_json("check", self.dir)[0]["problems"], 0)

    def test_other_jobs_do_not_stand_in_the_way(self):
        self.interrupt(signal.SIGINT)
        (answer,) = run_json("solve", "mnk:3,3,3", "--data", self.dir, *SMALL)
        self.assertEqual(answer["value"]["text"], "draw")
        states = [job["state"] for job in self.jobs()]
        self.assertEqual(states[0], "solved")
        self.assertIn(states[1], ("queued", "running"))

    def test_a_directory_in_use_is_left_alone(self):
        with Server("--threads", "1") as server:
            code, _, err = run("solve", "mnk:3,3,3", "--data", server.data, *SMALL)
            self.assertEqual(code, 1)
            self.assertIn("proofctl submit", err)
            self.assertEqual(run_json("list", "--data", server.data), [])

    def test_no_such_directory(self):
        for words in (["list", "--data", self.dir], ["check", self.dir]):
            code, out, err = run(*words)
            self.assertEqual((code, out), (1, ""))
            self.assertIn(self.dir, err)
            self.assertFalse(os.path.exists(self.dir))


class WithServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--threads", "1", "--graphs", data_dir("andor"), "--checkpoint", "0.2", "--log", "warn")
        host, port = cls.server.address
        cls.where = ["--server", "%s:%d" % (host, port)]

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__(None)

    def ask(self, *words, code=0, **more):
        return run_json(*words, *self.where, code=code, **more)

    def test_a_taint_needs_the_directory_alone(self):
        job = self.ask("submit", "mnk:3,3,3", "--priority", "9")[0]["job"]
        self.ask("wait", str(job))
        where = ["taint", "--data", self.server.data, "--graphs", data_dir("andor"), "--job", str(job)]
        code, out, err = run(*where, "--json")
        self.assertEqual((code, out, json.loads(err)["error"]["data"]["slug"]), (1, "", "locked"))
        self.assertTrue(run_json(*where, "--dry-run")[0]["dry_run"])
        self.assertEqual(self.ask("show", str(job))[0]["state"], "solved")

    def test_submit_watch_wait_show(self):
        code, out, err = run("submit", "connect4:4x4", *SMALL, *self.where)
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"^\d+\n$")
        job = out.strip()
        states = self.ask("watch", job)
        self.assertEqual(states[-1]["state"], "solved")
        self.assertEqual(states[-1]["result"]["value"]["text"], "draw")
        self.assertEqual(self.ask("wait", job)[0]["state"], "solved")
        self.assertEqual(self.ask("show", job)[0]["job"], int(job))
        code, out, _ = run("watch", job, *self.where)
        self.assertEqual(code, 0)
        self.assertIn("draw", out)
        code, out, _ = run("show", job, *self.where)
        self.assertRegex(out, r"\n  effort    .* nodes .* in .* of search time, .* of processor time\n")
        self.assertEqual(code, 0)
        self.assertIn("job %s" % job, out)
        self.assertGreater(len(self.ask("history", job)[0]["points"]), 1)
        self.assertEqual(self.ask("explain", job)[0]["reason"], "solved")
        self.assertIn("it is solved", run("explain", job, *self.where)[1])
        self.assertIn("solved", run("history", job, *self.where)[1])

    def test_groups_and_jobs_that_wait(self):
        self.assertEqual(self.ask("group", "night", "limit", "2")[0]["limit"], 2)
        self.assertEqual(self.ask("group", "night", "pause")[0]["paused"], True)
        first = run("submit", "mnk:3,3,3", "--group", "night", *SMALL, *self.where)[1].strip()
        budgets = ["--cpu", "60", "--disk", "1G"]
        after = run("submit", "mnk:3,3,3", "--after", first, *budgets, *SMALL, *self.where)[1].strip()
        self.assertEqual(self.ask("explain", first)[0]["reason"], "group-paused")
        explained = self.ask("explain", after)[0]
        self.assertEqual((explained["reason"], explained["jobs"]), ("after", [int(first)]))
        shown = self.ask("show", after)[0]
        self.assertEqual(shown["after"], [int(first)])
        self.assertEqual((shown["budget"]["cpu"], shown["budget"]["disk"]), (60, 1 << 30))
        self.assertIn("its group night is paused", run("explain", first, *self.where)[1])
        self.assertRegex(run("groups", *self.where)[1], r"night +2 +0 +1 +1 +paused")
        self.assertEqual(run("group", "night", "resume", *self.where)[0], 0)
        self.assertEqual(self.ask("wait", after)[0]["state"], "solved")
        for words in ("", "limit", "limit -1", "limit 1.5", "stop", "pause 1"):
            self.assertEqual(run("group", "night", *words.split(), *self.where)[0], 2, words)
        self.assertEqual(run("group", "a b", "pause", *self.where)[0], 2)
        for jobs in ("", "0", "1,", "1,x", "-1", "4294967296"):
            code, _, err = run("submit", "mnk:3,3,3", "--after=" + jobs, *self.where)
            self.assertEqual(code, 2, jobs)
            self.assertIn("after", err)

    def test_the_socket_and_the_environment_work_too(self):
        self.assertEqual(run("stats", "--socket", self.server.socket_path)[0], 0)
        for address in (self.where[1], self.server.socket_path):
            self.assertEqual(run("stats", env=environment(PROOFD_SERVER=address))[0], 0)

    def test_the_server_reads_options(self):
        job = str(self.ask("submit", "mnk:3,3,3", "-O", "epsilon=0.5", "--option", "weak=yes", *SMALL)[0]["job"])
        self.assertEqual(self.ask("wait", job)[0]["options"], {"epsilon": 0.5, "weak": True})
        code, out, err = run("submit", "mnk:3,3,3", "-O", "epsilon=much", *self.where)
        self.assertEqual((code, out), (2, ""))
        self.assertIn("takes a number from 0 to 100, not '\"much\"'", err)

    def test_a_key_gives_the_same_job(self):
        jobs = [self.ask("submit", "mnk:3,3,3", "--key", "same", *SMALL)[0]["job"] for _ in range(2)]
        self.assertEqual(jobs[0], jobs[1])

    def test_exit_codes_of_wait(self):
        over = self.ask("submit", "mnk:3,3,3", *SMALL)[0]["job"]
        spent = self.ask("submit", "connect4:7x6", "--nodes", "1000", *SMALL)[0]["job"]
        gone = self.ask("submit", "connect4:7x6", "--priority", "-5", *SMALL)[0]["job"]
        self.assertEqual(self.ask("cancel", str(gone))[0]["state"], "cancelled")
        self.ask("wait", str(over))
        self.ask("wait", str(over), str(spent), code=3)
        self.ask("wait", str(gone), str(spent), code=1)
        self.ask("watch", str(spent), code=3)

    def test_pause_set_resume_cancel(self):
        job = str(self.ask("submit", "connect4:7x6", "--claim", "first-draws", *SMALL)[0]["job"])
        self.assertEqual(self.ask("pause", job)[0], {"job": int(job), "state": "paused"})
        self.ask("set", job, "--priority", "-3", "--nodes", "1e9", "--seconds", "1000")
        shown = self.ask("show", job)[0]
        self.assertEqual((shown["priority"], shown["budget"]), (-3, {"nodes": 10**9, "seconds": 1000}))
        self.assertEqual([j["job"] for j in self.ask("list", "--state", "paused")], [int(job)])
        self.assertEqual(self.ask("resume", job)[0]["state"], "queued")
        self.assertEqual(self.ask("cancel", job)[0]["state"], "cancelled")
        code, out, err = run("resume", job, *self.where)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("cancelled", err)

    def test_a_job_that_is_not_there(self):
        for command in ("show", "watch", "wait", "pause", "history", "explain"):
            code, out, err = run(command, "12345", *self.where)
            self.assertEqual((code, out), (2, ""), command)
            self.assertIn("12345", err)

    def test_list(self):
        for _ in range(3):
            self.ask("submit", "mnk:3,3,3", *SMALL)
        self.assertEqual(len(self.ask("list", "--limit", "2")), 2)
        code, out, _ = run("list", "--limit", "2", *self.where)
        self.assertEqual((code, out.count("\n")), (0, 3))
        code, _, err = run("list", "--state", "lost", *self.where)
        self.assertEqual(code, 2)
        self.assertIn("--state", err)

    def test_query(self):
        self.ask("wait", str(self.ask("submit", "connect4:4x4", *SMALL)[0]["job"]))
        self.assertEqual([f["text"] for f in self.ask("query", "connect4:4x4")], ["draw"])
        facts = self.ask("query", "connect4:4x4", "", "1", "9", "1212121", code=2)
        self.assertEqual(facts[0]["text"], "draw")
        self.assertEqual(facts[2]["error"]["code"], 2)
        self.assertEqual(facts[3]["source"], "rules")
        self.assertEqual(len(self.ask("query", "connect4:4x4", "--moves")[0]["moves"]), 4)
        self.assertEqual(self.ask("query", "connect4:4x4", "-"), [])
        many = self.ask("query", "connect4:4x4", "-", stdin="1\n12\n\n" * 1000)
        self.assertEqual(len(many), 3000)
        self.assertEqual(many[2]["text"], "draw")
        code, out, _ = run("query", "connect4:4x4", "", "1", *self.where)
        self.assertEqual((code, out.count("\n")), (0, 3))
        code, out, err = run("query", "connect4:4x4", "9", *self.where)
        self.assertEqual((code, out), (2, ""))
        self.assertIn("--position", err)

    def test_line_games_position_stats_call(self):
        self.ask("wait", str(self.ask("submit", "andor:survey-fig2", *SMALL)[0]["job"]))
        self.assertEqual(self.ask("line", "andor:survey-fig2")[0]["complete"], True)
        self.assertIn("first wins", run("line", "andor:survey-fig2", *self.where)[1])
        self.assertIn("connect4", [g["name"] for g in self.ask("games")[0]["games"]])
        self.assertEqual(self.ask("games", "mnk:4,4,4")[0]["moves_max"], 16)
        self.assertIn("mnk:4,4,4", run("games", "mnk:4,4,4", *self.where)[1])
        self.assertEqual(self.ask("position", "connect4:7x6", "4")[0]["first_to_move"], False)
        self.assertIn("second to move", run("position", "connect4:7x6", "4", *self.where)[1])
        self.assertIn("first wins", run("position", "connect4:7x6", "1212121", *self.where)[1])
        self.assertEqual(self.ask("stats")[0]["pid"], self.server.pid)
        self.assertIn(str(self.server.pid), run("stats", *self.where)[1])
        self.assertEqual(self.ask("call", "server.hello")[0]["server"], "proofd")
        self.assertEqual(self.ask("call", "game.describe", '{"game":\n"mnk:3,3,3"}')[0]["game"], "mnk:3,3,3")
        code, _, err = run("call", "no.such", *self.where)
        self.assertEqual(code, 2)
        self.assertIn("no.such", err)

    def test_the_server_goes_while_it_is_watched(self):
        with Server("--threads", "1", "--log", "warn") as server:
            where = ["--socket", server.socket_path]
            (job,) = run_json("submit", "connect4:7x6", *SMALL, *where)
            process = subprocess.Popen(
                [program("proofctl"), "watch", str(job["job"]), "--json", *where],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            json.loads(process.stdout.readline())
            server.kill()
            _, err = process.communicate(timeout=TIMEOUT)
            self.assertEqual(process.returncode, 1)
            self.assertEqual(json.loads(err.splitlines()[-1])["error"]["data"]["slug"], "unreachable")

    def test_shutdown(self):
        with Server("--threads", "1", "--log", "warn") as server:
            self.assertEqual(run_json("shutdown", "--socket", server.socket_path), [{"stopping": True}])
            self.assertEqual(server.wait(), 0)


class Perft(unittest.TestCase):
    def test_counts(self):
        self.assertEqual(run_json("perft", "mnk:3,3,3", "3"), [{"game": "mnk:3,3,3", "depth": 3, "positions": 504}])
        self.assertEqual(run_json("perft", "connect4:7x6", "4", "--position", "44")[0]["positions"], 2401)
        code, out, _ = run("perft", "mnk:3,3,3", "2")
        self.assertEqual(code, 0)
        self.assertEqual([line.split()[1] for line in out.splitlines()], ["1", "9", "72"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
