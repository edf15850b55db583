"""Plug-ins in a server: the whole life of a game from outside, a file that is replaced, and plug-ins that crash, loop,
break a law or do not fit. Nothing that was acknowledged is lost, and none is tried for ever."""

import os
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import Closed, EndedEarly, RpcError, Server, build_dir, build_has, data_dir, program  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(data_dir()))
STUCK = os.path.join(build_dir(), "tests", "plugins")
HEADERS = os.path.join(build_dir(), "include")
SANITIZED = build_has("fsanitize=address")


def compile_to(file, source, *flags):
    """Compiles into a new file, as an installation would."""
    made = file + ".new"
    subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-I", HEADERS, *flags, "-o", made, os.path.join(ROOT, source)],
                   check=True)
    os.rename(made, file)


def run(*words):
    done = subprocess.run([program(words[0]), *words[1:]], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


class Case(unittest.TestCase):
    """A server with a directory of plug-ins, not started yet."""

    def setUp(self):
        self.server = Server("--threads", "0")
        self.addCleanup(self.server.__exit__, None)
        self.server.terminate()
        self.games = os.path.join(self.server.dir, "games")
        os.mkdir(self.games)

    def start(self, *options):
        self.server.options = ["--threads", "1", "--checkpoint", "0.1", "--game-dir", self.games, *options]
        self.server.start()

    def put(self, how, name="stuck.so"):
        made = os.path.join(self.games, "." + name)
        shutil.copy(os.path.join(STUCK, how, how + ".so"), made)
        os.rename(made, os.path.join(self.games, name))

    def ends(self):
        """The exit code of a server that ends by itself."""
        self.server._hang_up()
        return self.server.wait()


class Life(Case):
    def test_the_server_verifies_with_rules_from_outside(self):
        rules = os.path.join(self.server.dir, "rules")
        empty = os.path.join(self.server.dir, "none")
        os.mkdir(rules)
        os.mkdir(empty)
        compile_to(os.path.join(self.games, "clobber.so"), "clients/plugins/clobber/game.c")
        compile_to(os.path.join(rules, "clobber.so"), "clients/plugins/clobber/checker.c")
        self.start()
        digest = self.server.rpc("game.describe", game="clobber:4x3")["plugin"]["digest"]
        job = self.server.rpc("job.submit", game="clobber:4x3", memory=1 << 22)["job"]
        own = self.server.rpc("job.submit", game="mnk:3,3,3", memory=1 << 22)["job"]
        self.server.wait_job(job)
        self.server.wait_job(own)
        proof, other = (self.server.rpc("proof.export", job=j)["proof"] for j in (job, own))
        for option, words in (([], "start proofd with --rules FILE"), (["--rules", empty], "/clobber.so")):
            self.server.terminate()
            self.start(*option)
            with self.assertRaises(RpcError) as refused:
                self.server.rpc("proof.verify", proof=proof)
            self.assertEqual(refused.exception.slug, "unsupported")
            for part in ("clobber:4x3", digest, words):
                self.assertIn(part, refused.exception.message)
            self.assertEqual(self.server.rpc("proof.verify", proof=other)["verdict"], "verified")
        for path in (rules, os.path.join(rules, "clobber.so")):
            self.server.terminate()
            self.start("--rules", path)
            done = self.server.rpc("proof.verify", proof=proof)
            self.assertEqual(done["verdict"], "verified", done)
            self.assertIn("by the rules in " + rules, done["text"])
            self.assertEqual(self.server.rpc("proof.verify", proof=other)["verdict"], "verified")
        self.server.terminate()
        with self.assertRaises(EndedEarly) as refused:
            self.start("--rules", "/nowhere/rules")
        self.assertIn("/nowhere/rules is neither", str(refused.exception))

    def test_solved_killed_resumed_exported_checked_and_replaced(self):
        plugin = os.path.join(self.games, "clobber.so")
        rules = os.path.join(self.server.dir, "checker.so")
        proof = os.path.join(self.server.dir, "proof")
        compile_to(plugin, "clients/plugins/clobber/game.c")
        compile_to(rules, "clients/plugins/clobber/checker.c")
        self.start()
        listed = {game["name"]: game for game in self.server.rpc("game.list")["games"]}
        self.assertEqual(listed["clobber"]["plugin"]["file"], "clobber.so")
        self.assertNotIn("plugin", listed["mnk"])
        digest = listed["clobber"]["plugin"]["digest"]
        small = self.server.rpc("job.submit", game="clobber:4x3", memory=1 << 22)["job"]
        self.assertEqual(self.server.wait_job(small)["state"], "solved")
        large = self.server.rpc("job.submit", game="clobber:12x2", memory=1 << 26)["job"]
        self.server.wait_job(large, ("running",))
        with self.server.connect() as client:
            client.rpc("job.watch", job=large, interval=0.1)
            while not client.notification()[1].get("entries"):
                pass
            client.rpc("job.set", job=large, priority=1)  # answered with the next checkpoint
        self.server.kill()
        self.start()
        job = self.server.wait_job(large, ("running",))
        self.assertEqual(job["plugin"], digest)
        self.assertGreater(job["entries"], 0)
        self.server.rpc("job.cancel", job=large)
        self.assertEqual(self.server.rpc("fact.query", game="clobber:4x3", positions=[""])["facts"][0]["hi"], -1)
        where = ["--server", self.server.ready["listen"]]
        code, out, _ = run("proofctl", "export", "clobber:4x3", proof, *where)
        self.assertEqual(code, 0)
        told = next(line for line in out.splitlines() if "check it" in line).split("  (")[0].split()[2:]
        code, out, _ = run(*[{"RULES.so": rules}.get(word, word) for word in told])
        self.assertEqual((code, out.split()[0]), (0, "VERIFIED"), out)
        self.assertIn(digest, out)
        waiting = self.server.rpc("job.submit", game="clobber:5x5", memory=1 << 26)["job"]
        self.server.wait_job(waiting, ("running",))
        self.server.terminate()

        compile_to(plugin, "clients/plugins/clobber/game.c", "-DANOTHER", "-O1")
        self.start()
        game = self.server.rpc("game.describe", game="clobber:4x3")
        self.assertNotEqual(game["plugin"]["digest"], digest)
        fact = self.server.rpc("fact.query", game="clobber:4x3", positions=[""])["facts"][0]
        self.assertEqual((fact["lo"], fact["hi"]), (-1, 1), "facts of another file are not used")
        job = self.server.wait_job(waiting)
        self.assertEqual(job["state"], "failed")
        self.assertIn("rules of clobber:5x5 have changed", job["reason"])
        again = self.server.rpc("job.submit", game="clobber:4x3", memory=1 << 22)["job"]
        self.assertEqual(self.server.wait_job(again)["state"], "solved")
        self.server.terminate()
        code, out, _ = run("proofctl", "check", self.server.data, "--game-dir", self.games)
        self.assertEqual(code, 3, "facts of the old file are skipped, not lost")

        os.unlink(plugin)
        self.start()
        with self.assertRaises(RpcError) as caught:
            self.server.rpc("fact.query", game="clobber:4x3", positions=[""])
        self.assertEqual(caught.exception.slug, "bad-game")
        self.assertEqual(self.server.rpc("job.get", job=small)["state"], "solved")


class Misfits(Case):
    def test_one_that_does_not_fit_is_refused_and_the_server_goes_on(self):
        for how in "abi", "size", "good":
            self.put(how, how + ".so")
        with open(os.path.join(self.games, "text.so"), "w") as file:
            file.write("no code\n")
        shutil.copy(os.path.join(STUCK, "good", "good.so"), os.path.join(self.games, "zz-again.so"))
        with open(os.path.join(self.games, "zz-again.so"), "ab") as file:
            file.write(b"another digest")
        self.start()
        log = self.server.log()
        self.assertRegex(log, r"abi\.so is refused: it was compiled for ABI 2; this program has ABI 1")
        self.assertRegex(log, r"size\.so is refused: its structs have other sizes")
        self.assertRegex(log, r"text\.so is refused: ")
        self.assertRegex(log, r"zz-again\.so is refused: there is a game 'countdown' already")
        job = self.server.rpc("job.submit", game="countdown:9", memory=1 << 22)["job"]
        self.assertEqual(self.server.wait_job(job)["state"], "solved")

    def test_no_client_can_name_a_file(self):
        self.put("good")
        self.start()
        for name in "../stuck.so", os.path.join(self.games, "stuck.so"), "stuck.so:9", "stuck:9":
            with self.assertRaises(RpcError) as caught:
                self.server.rpc("position.show", game=name)
            self.assertEqual(caught.exception.slug, "bad-game")

    def test_a_directory_that_cannot_be_read_is_an_error(self):
        for program_and_words in (["proofd", "--memory-only"], ["proofctl", "games"]):
            code, _, err = run(*program_and_words, "--game-dir", os.path.join(self.games, "none"))
            self.assertEqual(code, 1)
            self.assertIn("directory of plug-ins", err)

    def test_proofctl_says_what_it_refuses_and_goes_on(self):
        self.put("abi")
        code, out, err = run("proofctl", "perft", "mnk:3,3,3", "2", "--game-dir", self.games)
        self.assertEqual(code, 0)
        self.assertIn("72", out)
        self.assertIn("ABI 2", err)


class Crashes(Case):
    def check(self, how, said, noted, *options, code=None):
        """The job ends the server three times; then the plug-in is refused, and everything else is there."""
        self.put("good")
        self.start()
        job = self.server.rpc("job.submit", game="mnk:3,3,3", memory=1 << 22)["job"]
        self.assertEqual(self.server.wait_job(job)["state"], "solved")
        self.server.terminate()
        self.put(how)
        self.start(*options)
        bad = job + 1
        try:
            self.assertEqual(self.server.rpc("job.submit", game="countdown:20", memory=1 << 22)["job"], bad)
        except Closed:
            pass  # it ran before the reply was sent
        for crash in range(3):
            if crash:
                try:
                    self.start(*options)
                except EndedEarly:
                    pass  # the job ran before the line was read
            ended = self.ends()
            self.assertNotEqual(ended, 0)
            if code is not None:
                self.assertEqual(ended, code)
        self.assertIn(said, self.server.log())
        self.start(*options)
        self.assertEqual(self.server.rpc("job.get", job=job)["state"], "solved")
        fact = self.server.rpc("fact.query", game="mnk:3,3,3", positions=[""])["facts"][0]
        self.assertEqual((fact["lo"], fact["hi"]), (0, 0))
        self.assertEqual(self.server.wait_job(bad)["state"], "failed")
        with self.assertRaises(RpcError) as caught:
            self.server.rpc("position.show", game="countdown:9")
        self.assertRegex(caught.exception.message, r"stuck\.so has crashed 3 times \(last: %s\)" % noted)
        self.server.terminate()
        code, out, _ = run("proofctl", "plugins", self.server.data)
        self.assertRegex(out, r"stuck\.so \(countdown\), digest [0-9a-f]{16}: 3 crashes, last: %s; refused" % noted)

    def solves(self):
        job = self.server.rpc("job.submit", game="countdown:9", memory=1 << 22)["job"]
        return self.server.wait_job(job)["state"]

    @unittest.skipIf(SANITIZED, "a sanitizer ends the process with an exit code of its own")
    def test_one_that_aborts(self):
        self.check("abort", "stuck.so has crashed: SIGABRT in its function `moves`", "SIGABRT", code=-signal.SIGABRT)
        # Another file is another plug-in.
        self.put("good")
        self.start()
        self.assertEqual(self.solves(), "solved")
        self.server.terminate()
        self.assertEqual(run("proofctl", "plugins", self.server.data, "--retry", "none.so")[0], 1)
        self.assertEqual(run("proofctl", "plugins", self.server.data, "--retry", "stuck.so")[0], 0)
        self.assertEqual(run("proofctl", "plugins", self.server.data)[1], "no plug-in has crashed\n")
        self.put("abort")
        self.start()
        self.server.rpc("position.show", game="countdown:9")

    @unittest.skipIf(build_has("fsanitize"), "a sanitizer has a handler and a stack of its own")
    def test_one_that_uses_up_the_stack(self):
        self.check("overflow", "stuck.so has crashed: SIGSEGV in its function `moves`", "SIGSEGV",
                   code=-signal.SIGSEGV)

    def test_one_that_loops(self):
        self.check("loop", "stuck.so has not come back from its function `moves` for 1 s", "a call took more than 1 s",
                   "--plugin-timeout", "1", code=1)

    def test_one_that_breaks_a_law_that_the_search_relies_on(self):
        self.check("value", "stuck.so breaks a law of game.h: terminal of countdown:20 gives the value 7",
                   "it has broken a law of game.h", code=1)

    def test_one_that_loops_on_the_thread_of_all_clients(self):
        self.put("loop")
        self.start("--plugin-timeout", "1")
        with self.server.connect() as client:
            client.ask("position.show", game="countdown:9", position="3 x")
            self.assertEqual(self.ends(), 1)

    @unittest.skipIf(SANITIZED, "a sanitizer ends the process with an exit code of its own")
    def test_one_that_crashes_while_it_is_loaded(self):
        self.start()
        self.server.terminate()
        self.put("load")
        for _ in range(3):
            with self.assertRaises(AssertionError):
                self.start()
        self.start()
        self.assertIn("stuck.so has crashed 3 times", self.server.log())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
