"""Commands with several jobs, and commands that need no server, no file or no job at all."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, data_dir, program  # noqa: E402

SMALL = ["--memory", "4M"]


def run(*words, env=None, text=True, name="proofctl"):
    """Exit code, stdout, stderr of `proofctl WORDS`."""
    mine = {k: v for k, v in os.environ.items() if k not in ("PROOFD_SERVER", "TERM")}
    mine.update(env or {})
    done = subprocess.run(
        [program(name), *words], capture_output=True, text=text, timeout=TIMEOUT, stdin=subprocess.DEVNULL, env=mine
    )
    return done.returncode, done.stdout, done.stderr


class SeveralJobs(unittest.TestCase):
    """A failure with one job is reported and does not keep the others from their turn."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server("--threads", "0", "--log", "warn")
        cls.where = ["--server", cls.server.ready["listen"]]

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__(None)

    def submit(self):
        code, out, err = run("submit", "mnk:3,3,3", *SMALL, *self.where)
        self.assertEqual((code, err), (0, ""))
        return out.strip()

    def test_each_failure_is_reported(self):
        for command in ("cancel", "pause", "resume", "remove", "show", "wait"):
            with self.subTest(command):
                code, out, err = run(command, "99", "98", *self.where)
                self.assertEqual((code, out), (1, ""))
                self.assertEqual(err, "proofctl: JOB: there is no job 99\nproofctl: JOB: there is no job 98\n")
                code, out, err = run(command, "99", "98", "--json", *self.where)
                self.assertEqual((code, out), (1, ""))
                self.assertEqual(
                    [json.loads(line)["error"]["data"]["slug"] for line in err.splitlines()], ["no-such-job"] * 2
                )

    def test_the_others_are_processed(self):
        first, second = self.submit(), self.submit()
        code, out, err = run("cancel", first, "99", second, *self.where)
        self.assertEqual((code, out), (1, "job %s  cancelled\njob %s  cancelled\n" % (first, second)))
        self.assertEqual(err, "proofctl: JOB: there is no job 99\n")
        code, out, _ = run("wait", "99", first, "--json", *self.where)
        self.assertEqual((code, json.loads(out)["state"]), (1, "cancelled"))

    def test_show(self):
        jobs = [self.submit(), self.submit()]
        code, out, err = run("show", *jobs, "--json", *self.where)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual([str(json.loads(line)["job"]) for line in out.splitlines()], jobs)
        code, out, err = run("show", *jobs, *self.where)
        self.assertEqual((code, out.count("  search    pds-pn")), (0, 2))

    def test_a_game_may_name_the_default_algorithm(self):
        for words, algorithm in (((), "df-pn-plus"), (("--algorithm", "pds"), "pds")):
            out = run("submit", "tsume", *words, "--nodes", "1", "--json", *self.where)[1]
            out = run("show", str(json.loads(out)["job"]), "--json", *self.where)[1]
            self.assertEqual(json.loads(out)["algorithm"], algorithm)
        out = run("games", "tsume", "--json", *self.where)[1]
        self.assertEqual(json.loads(out)["algorithm"], "df-pn-plus")

    def test_one_job_fails_as_ever(self):
        code, out, err = run("cancel", "99", *self.where)
        self.assertEqual((code, out, err), (2, "", "proofctl: JOB: there is no job 99\n"))

    def test_a_wrong_number_changes_nothing(self):
        job = self.submit()
        code, out, err = run("cancel", job, "two", *self.where)
        self.assertEqual((code, out), (2, ""))
        self.assertIn("'two'", err)
        self.assertEqual(json.loads(run("show", job, "--json", *self.where)[1])["state"], "queued")

    def test_without_a_server_there_is_one_error(self):
        code, _, err = run("cancel", "1", "2", "--server", "127.0.0.1:1")
        self.assertEqual((code, err.count("\n")), (1, 1))


class WithoutServer(unittest.TestCase):
    def test_games_and_positions(self):
        code, out, err = run("games")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("connect4:7x6", out)
        self.assertEqual(json.loads(run("games", "mnk:4,4,4", "--json")[1])["moves_max"], 16)
        self.assertEqual(json.loads(run("games", "hex", "--json")[1])["game"], "hex:5")
        self.assertEqual(json.loads(run("games", "uttt", "--json")[1])["game"], "uttt")
        self.assertEqual(run("games", "hexen")[0], 2)
        code, out, err = run("position", "connect4:7x6", "4")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("second to move", out)
        self.assertEqual(run("position", "connect4:7x6", "9")[0], 2)
        code, out, err = run("position", "andor:survey-fig2", "--graphs", data_dir("andor"))
        self.assertEqual((code, err), (0, ""))

    def test_a_server_that_is_named_is_asked(self):
        for words in (["games"], ["position", "mnk:3,3,3"]):
            code, out, err = run(*words, "--server", "127.0.0.1:1")
            self.assertEqual((code, out), (1, ""))
            self.assertIn("no server answers at 127.0.0.1:1", err)
            self.assertEqual(run(*words, env={"PROOFD_SERVER": "127.0.0.1:1"})[0], 1)
        with Server("--threads", "0", "--log", "warn", "--graphs", data_dir("andor")) as server:
            self.assertEqual(run("position", "andor:survey-fig2", "--server", server.ready["listen"])[0], 0)
            self.assertEqual(run("position", "andor:survey-fig2")[0], 2)

    def test_an_address_is_no_url(self):
        for address, right in (
            ("tcp://127.0.0.1:4590", "127.0.0.1:4590"),
            ("http://localhost:9/", "localhost:9"),
            ("unix:///tmp/a", "/tmp/a"),
        ):
            for code, out, err in (run("list", env={"PROOFD_SERVER": address}), run("list", "--server", address)):
                self.assertEqual((code, out), (2, ""))
                self.assertIn("'%s' is a URL; write " % address, err)
                self.assertTrue(err.endswith(": %s\n" % right), err)
        self.assertIn("$PROOFD_SERVER: ", run("list", env={"PROOFD_SERVER": "tcp://x:1"})[2])
        self.assertIn("$PROOFD_SERVER: ", run("list", env={"PROOFD_SERVER": "nonsense"})[2])


class Claims(unittest.TestCase):
    def test_two_spellings_are_one_question(self):
        with tempfile.TemporaryDirectory(prefix="proofctl-test-") as place:
            data = ["--data", os.path.join(place, "data"), *SMALL]
            answers = [
                run("solve", "mnk:3,3,3", "--claim", claim, "--json", *data)[1]
                for claim in ("first>=1", "first-at-least-1", "first-at-least-01")
            ]
            self.assertEqual(answers, [answers[0]] * 3)
            self.assertEqual(json.loads(answers[0])["claim"], "first>=1")
            jobs = run("list", "--json", "--data", os.path.join(place, "data"))[1]
            self.assertEqual([json.loads(line)["claim"] for line in jobs.splitlines()], ["first>=1"])

    def test_negative_thresholds(self):
        code, out, err = run(
            "solve", "andor:scores", "--claim", "first-at-least--1", "--graphs", data_dir("andor"), "--json", *SMALL
        )
        self.assertEqual((code, err), (0, ""))
        answer = json.loads(out)
        self.assertEqual((answer["claim"], answer["status"]), ("first>=-1", "proved"))


class Directories(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory(prefix="proofctl-test-")
        self.dir = self.place.name

    def tearDown(self):
        self.place.cleanup()

    def test_a_foreign_directory_is_refused(self):
        with open(os.path.join(self.dir, "letter.txt"), "w"):
            pass
        for name, words in (("proofctl", ["solve", "mnk:3,3,3"]), ("proofd", ["--listen", "127.0.0.1:0"])):
            code, out, err = run(*words, "--data", self.dir, name=name)
            self.assertEqual((code, out), (2, ""))
            self.assertIn("not a data directory and not empty (it holds letter.txt)", err)
            self.assertEqual(os.listdir(self.dir), ["letter.txt"])

    def test_an_empty_or_new_one_and_a_data_directory_are_not(self):
        with open(os.path.join(self.dir, ".hidden"), "w"):
            pass
        for _ in range(2):
            code, _, err = run("solve", "mnk:3,3,3", "--data", self.dir, *SMALL)
            self.assertEqual((code, err), (0, ""))
            with open(os.path.join(self.dir, "notes"), "w"):
                pass
        self.assertEqual(run("solve", "mnk:3,3,3", "--data", os.path.join(self.dir, "new"), *SMALL)[0], 0)

    def export(self, *words):
        code, out, err = run("export", "mnk:3,3,3", *words, text=False)
        self.assertEqual(code, 0, err)
        return out, err.decode()

    def test_a_certificate_goes_to_stdout(self):
        temporary = os.path.join(self.dir, "tmp")
        os.mkdir(temporary)
        data = os.path.join(self.dir, "data")
        run("solve", "mnk:3,3,3", "--data", data, *SMALL)
        file = os.path.join(self.dir, "draw.cert")
        self.export(file, "--data", data)
        with open(file, "rb") as opened:
            certificate = opened.read()
        code, out, err = run("export", "mnk:3,3,3", "-", "--data", data, env={"TMPDIR": temporary}, text=False)
        self.assertEqual((code, out), (0, certificate))
        self.assertIn("value is solved", err.decode())
        self.assertEqual(os.listdir(temporary), [])
        with Server("--threads", "0", "--log", "warn", data=data) as server:
            out, err = self.export("-", "--server", server.ready["listen"])
            self.assertEqual(out, certificate)
        code, out, err = run("export", "mnk:3,3,3", "-", "--json", "--data", data)
        self.assertEqual((code, out), (2, ""))
        self.assertIn("omit --json", err)
        self.assertFalse(os.path.exists("-"))
        code, out, err = run("export", "mnk:3,3,3", "-", "--position", "9", "--data", data, env={"TMPDIR": temporary})
        self.assertEqual((code, out), (2, ""))
        self.assertEqual(os.listdir(temporary), [])


class Tree(unittest.TestCase):
    """The top of a search, once, as JSON, and again and again."""

    def setUp(self):
        self.server = Server("--threads", "1", "--log", "warn")
        self.where = ["--server", self.server.ready["listen"]]
        code, out, err = run("submit", "connect4:7x6", "--memory", "16M", *self.where)
        self.assertEqual((code, err), (0, ""))
        self.job = out.strip()

    def tearDown(self):
        self.server.__exit__(None)

    def running(self, *words):
        """`proofctl tree` of the job as soon as it is searched."""
        while True:
            code, out, err = run("tree", self.job, *words, *self.where)
            self.assertEqual((code, err), (0, ""))
            if "as of now" in out or '"source":"search"' in out:
                return out

    def test_a_table_and_json(self):
        out = self.running("--depth", "1")
        lines = out.splitlines()
        self.assertRegex(lines[0], r"^job %s  running  connect4:7x6, first>=-?\d+: .* nodes in .*now$" % self.job)
        self.assertEqual(lines[2].split(), ["move", "effort", "share", "pn", "dn", "status", "known", "threads"])
        self.assertTrue(lines[3].startswith("(root) "))
        self.assertEqual(sorted(line.split()[0] for line in lines[4:]), list("1234"))  # the others mirror them
        tree = json.loads(self.running("--moves", "4 4", "--limit", "5", "--json"))
        self.assertEqual((tree["line"], len(tree["positions"]), tree["whole"]), (["4", "4"], 5, False))

    def test_wrong_options(self):
        for words, field in ((["--limit", "1001"], "limit"), (["--depth", "7"], "depth"), (["--moves", "9"], "moves")):
            code, out, err = run("tree", self.job, *words, *self.where)
            self.assertEqual((code, out), (2, ""))
            self.assertIn(field, err)

    def test_it_watches_until_the_job_ends(self):
        words = ["tree", self.job, "--watch", "--interval", "0.1", *self.where]
        with subprocess.Popen([program("proofctl"), *words], stdout=subprocess.PIPE, text=True) as process:
            heads = 0
            for line in process.stdout:
                heads += line.startswith("job ")
                if heads == 3:
                    self.server.rpc("job.cancel", job=int(self.job))
                    heads += 1
                last = line if line.startswith("job ") else last
            self.assertIn("cancelled", last)
            self.assertEqual(process.wait(TIMEOUT), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
