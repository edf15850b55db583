"""Games whose rules are programs: solved, exported and verified by a server with the two examples of the guide; and
programs that lie, die, hang or flood, which cost their job, never the server nor a fact."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import RpcError, Server, data_dir, program  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(data_dir()))
HERE = os.path.join(ROOT, "clients", "programs")
WRONG = os.path.join(ROOT, "tests", "programs", "wrong.py")
CHOMP = ["--game-program", "chomp=python3 %s/chomp.py" % HERE, "--game-files",
         "chomp={0}/chomp.py,{0}/proofd_game.py".format(HERE)]
DODGEM = ["--game-program", "dodgem=node %s/dodgem.js" % HERE, "--game-files",
          "dodgem={0}/dodgem.js,{0}/proofd_game.js".format(HERE)]
CHECKERS = ["--checker-program", "chomp=python3 %s/chomp_checker.py" % HERE,
            "--checker-program", "dodgem=python3 %s/dodgem_checker.py" % HERE]
FAILURES = {
    "dies": "has ended with exit code 1; its last words: no more of this",
    "killed": "was ended by signal 6 (Aborted)",
    "hangs": "has not answered within 2 s",
    "loops": "has not answered within 2 s",
    "floods": "has more than 4194304 bytes",
    "complains": "has not answered within 2 s",
    "chats": "more than one line",
    "late": "more than one line",
    "memory": "MemoryError",
    "network": "Permission denied",
    "shares": "Permission denied",
    "writes": "Permission denied",
    "creates": "Permission denied",
    "truncates": "Permission denied",
    "removes": "Permission denied",
    "renames": "Permission denied",
    "protects": "Permission denied",
    "dates": "Permission denied",
    "dates-old": "Permission denied",
    "protects-new": "Permission denied",
    "attributes": "Permission denied",
    "alarms": "Permission denied",
    "alarms-too": "Permission denied",
    "slows": "Permission denied",
    "pins": "Permission denied",
    "kills": "Permission denied",
    "signals": "Permission denied",
    "starves": "Permission denied",
    "scale": "`over` is a value on the scale",
    "twice": "two moves have the same name",
    "none": "has `over`, or `first` and 1 to `moves` moves",
    "foreign": "refuses, or writes otherwise, a position of its own",
    "other": "refuses, or writes otherwise, a position of its own",
    "long": "at most `size` bytes",
    "endless": "more than `plies` plies",
}


def run(*words, cwd=None):
    done = subprocess.run([program(words[0]), *words[1:]], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          cwd=cwd)
    return done.returncode, done.stdout, done.stderr


def processes_of(file):
    """Processes that have the file among the words of their command."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as words:
                if file.encode() in words.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            pass
    return found


def wrong(how, when):
    return ["--game-program", "count=python3 %s %s %d" % (WRONG, how, when), "--game-files", "count=" + WRONG]


class Life(unittest.TestCase):
    @unittest.skipUnless(shutil.which("node"), "no node")
    def test_games_in_two_languages_are_solved_exported_and_verified(self):
        with Server("--threads", "1", *CHOMP, *DODGEM, *CHECKERS) as server:
            told = server.rpc("game.describe", game="dodgem")
            self.assertEqual(told["plugin"]["file"], "program dodgem")
            for game, value in (("chomp:4x3", 1), ("dodgem", 1)):
                job = server.rpc("job.submit", game=game, memory=1 << 22, detail="full")["job"]
                done = server.wait_job(job)
                self.assertEqual((done["state"], done["result"]["value"]["lo"]), ("solved", value), done)
                proof = server.rpc("proof.export", job=job)["proof"]
                verdict = server.rpc("proof.verify", proof=proof)
                self.assertEqual(verdict["verdict"], "verified", verdict)
                self.assertIn("_checker.py", verdict["text"])
            with tempfile.TemporaryDirectory() as place:
                out = run("proofctl", "export", "chomp:4x3", os.path.join(place, "cert"), "--server",
                          server.ready["listen"])[1]
            self.assertIn('proofcheck --program "chomp=COMMAND" ', out)
            shown = server.rpc("position.show", game="chomp:4x3", position="3,3,2,0 2")
            self.assertTrue("a1" in shown["moves"], shown)
            with self.assertRaises(RpcError) as refused:
                server.rpc("job.submit", game="chomp:4x3", position="3,4,2,0 2", memory=1 << 22)
            self.assertEqual(refused.exception.slug, "bad-position")
            with self.assertRaises(RpcError) as refused:
                server.rpc("game.describe", game="chomp:10x3")
            self.assertEqual(refused.exception.slug, "bad-game")

    def test_the_digest_covers_the_files_and_not_the_command(self):
        digests = set()
        for files, command in ((WRONG, "never 1"), (WRONG, "never 2"), (WRONG + "," + WRONG, "never 1")):
            code, out, err = run("proofctl", "games", "count", "--json", "--game-program",
                                 "count=python3 %s %s" % (WRONG, command), "--game-files", "count=" + files)
            self.assertEqual(code, 0, err)
            digests.add(out.split('"digest":"')[1][:16])
        self.assertEqual(len(digests), 2)

    def test_a_program_without_files_or_that_does_not_start_is_refused(self):
        for words, part in ((["--game-program", "count=python3 " + WRONG], "--game-files count="),
                            (["--game-program", "count=/nonexistent", "--game-files", "count=" + WRONG],
                             "No such file"),
                            (["--game-program", "count=true", "--game-files", "count=" + WRONG], "exit code 0"),
                            (["--game-program", "mnk=python3 %s never 1" % WRONG, "--game-files", "mnk=" + WRONG],
                             "mnk"),
                            (["--game-program", "python3"], "NAME=")):
            code, _, err = run("proofctl", "games", "count", *words)
            self.assertNotEqual(code, 0)
            self.assertIn(part, err)


    def test_rules_that_change_while_the_server_runs_make_no_facts_under_the_old_version(self):
        with tempfile.TemporaryDirectory() as place, open(WRONG, encoding="utf-8") as file:
            rules = file.read()
            others = rules.replace('"over": -1 if', '"over": 1 if').replace("else 1}", "else -1}")
            copy = os.path.join(place, "count.py")

            def write(text):
                with open(copy, "w", encoding="utf-8") as out:
                    out.write(text)

            write(rules)
            with Server("--threads", "1", "--game-program", "count=python3 %s never 1" % copy, "--game-files",
                        "count=" + copy) as server:
                write(others)
                with self.assertRaises(RpcError) as refused:
                    server.wait_job(server.rpc("job.submit", game="count:6", memory=1 << 22)["job"])
                self.assertIn("its files have changed", str(refused.exception))
                write(rules)
                server.terminate()
                server.start()
                job = server.rpc("job.submit", game="count:6", memory=1 << 22)["job"]
                self.assertEqual(server.wait_job(job)["result"]["value"]["lo"], -1)  # 6 is a multiple of 3


class Failures(unittest.TestCase):
    def fail_at(self, how, when, threads=1, algorithm="pds-pn"):
        """A job whose program fails; the server goes on, and keeps no wrong fact."""
        options = ["--threads", str(threads), "--checkpoint", "0.05", "--plugin-timeout",
                   "2" if "2 s" in FAILURES.get(how, "") else "30", *wrong(how, when)]
        with Server(*options) as server:
            job = server.rpc("job.submit", game="count:30", memory=1 << 22, algorithm=algorithm)["job"]
            done = server.wait_job(job)
            self.assertEqual(server.rpc("job.submit", game="mnk:3,3,3", memory=1 << 22)["job"], job + 1)
            self.assertEqual(server.wait_job(job + 1)["state"], "solved", how)
            positions = ["%d %d" % (n, side) for n in range(1, 31) for side in (1, 2)]
            server.terminate()
            server.options = ["--threads", "0", *wrong("never", 1 << 30)]
            server.start()
            for position, fact in zip(positions, server.rpc("fact.query", game="count:30",
                                                            positions=positions)["facts"]):
                left, side = map(int, position.split())
                value = (1 if left % 3 else -1) * (1 if side == 1 else -1)
                self.assertTrue(fact["lo"] <= value <= fact["hi"], (how, when, position, fact))
            return done

    def test_each_failure_ends_its_job_with_the_reason(self):
        for how, part in FAILURES.items():
            with self.subTest(how):
                done = self.fail_at(how, 3)
                self.assertEqual(done["state"], "failed", done)
                self.assertIn(part, done["reason"])

    def test_failures_at_any_time_by_any_search_leave_no_wrong_fact(self):
        for algorithm in ("pds-pn", "df-pn", "pn", "pn2", "pss"):
            for when in (2, 4, 7, 11, 16, 22):
                for threads in (1, 2) if algorithm == "pds-pn" else (1,):
                    with self.subTest("%s %d %d" % (algorithm, when, threads)):
                        done = self.fail_at("dies", when, threads, algorithm)
                        self.assertIn(done["state"], ("failed", "solved"))

    def test_an_export_whose_program_fails_leaves_nothing_wrong(self):
        """Neither a certificate nor a log from which the next export would go on."""
        def start(how, when):
            server.terminate()
            server.options = ["--threads", "1", "--plugin-timeout", "3" if how == "hangs" else "60", *wrong(how, when)]
            server.start()

        def export():
            made = server.rpc("proof.export", game="count:30", claim="value")
            with open(made["file"], "rb") as file:
                content = file.read()
            server.rpc("proof.remove", proof=made["proof"])
            return content

        with Server("--threads", "1", *wrong("never", 1 << 30)) as server:
            job = server.rpc("job.submit", game="count:30", memory=1 << 22, detail="full")["job"]
            self.assertEqual(server.wait_job(job)["state"], "solved")
            right, failures = export(), 0
            for how, when in [("dies", when) for when in (1, 4, 13, 27)] + [("hangs", 5)]:
                with self.subTest("%s %d" % (how, when)):
                    start(how, when)
                    try:
                        self.assertEqual(export(), right)
                    except RpcError as refused:
                        self.assertIn(": it has ", refused.message)
                        failures += 1
                    self.assertEqual(server.rpc("proof.list")["count"], 0)
                    start("never", 1 << 30)
                    self.assertEqual(export(), right)
            self.assertGreaterEqual(failures, 4)

    def test_answers_that_change_are_noticed_or_break_a_law(self):
        for how in ("unstable", "moody"):
            code, out, err = run("proofctl", "game-test", "count:30", *wrong(how, 20))
            self.assertEqual(code, 1, out + err)
            self.assertIn("BROKEN", out)

    def test_a_wrong_initial_position_is_refused_with_the_reason(self):
        code, _, err = run("proofctl", "perft", "count:30", "1", *wrong("twice", 1))
        self.assertNotEqual(code, 0)
        self.assertIn("two moves have the same name at '30 1'", err)

    def test_nothing_is_left_of_a_program_and_its_silence_costs_no_time(self):
        with Server("--threads", "1", "--plugin-timeout", "3", *wrong("leaves", 3)) as server:
            job = server.rpc("job.submit", game="count:30", memory=1 << 22)["job"]
            self.assertEqual(server.wait_job(job)["state"], "solved")
            self.assertTrue(processes_of(WRONG))
            server.terminate()
            until = time.monotonic() + 10
            while processes_of(WRONG) and time.monotonic() < until:  # they have been killed
                time.sleep(0.05)
            self.assertEqual(processes_of(WRONG), [])
            server.options = ["--threads", "1", "--plugin-timeout", "3", *wrong("silent", 3)]
            server.start()
            job = server.rpc("job.submit", game="count:30", memory=1 << 22)["job"]
            self.assertIn("has not answered within 3 s", server.wait_job(job)["reason"])
            with open("/proc/%d/stat" % server.pid, encoding="ascii") as stat:
                ticks = sum(map(int, stat.read().rpartition(")")[2].split()[11:13]))
            self.assertLess(ticks / os.sysconf("SC_CLK_TCK"), 1.5)

    def test_proofctl_ends_with_the_reason(self):
        code, out, err = run("proofctl", "perft", "count:30", "9", *wrong("dies", 3))
        self.assertNotEqual(code, 0)
        self.assertIn("no more of this", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
