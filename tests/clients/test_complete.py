"""TAB completion: what `proofctl complete` offers, and the scripts for bash, zsh and fish that ask it."""

import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, data_dir, program  # noqa: E402

CLIENTS = os.path.join(os.path.dirname(os.path.dirname(data_dir())), "clients")
TRIES = 10


def environment(**more):
    env = {k: v for k, v in os.environ.items() if k != "PROOFD_SERVER"}
    env["PATH"] = os.path.dirname(program("proofctl")) + ":" + env["PATH"]
    return dict(env, **dict({"PROOFD_SERVER": "127.0.0.1:1"}, **more))


def run(*words, **env):
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL, env=environment(**env)
    )
    if done.returncode or done.stderr:
        raise AssertionError("%s: %d %s" % (words, done.returncode, done.stderr))
    return done.stdout.splitlines()


def offered(*words, **env):
    """The candidates for the last word, without what they mean."""
    return [line.split("\t")[0] for line in run(program("proofctl"), "complete", "--", *words, **env)]


def offered_by_server(*words, **env):
    """The lines of what only a server knows. It is waited for no longer than a second, and on a machine that is
    another's for a while asked again."""
    for _ in range(TRIES):
        lines = run(program("proofctl"), "complete", "--", *words, **env)
        if lines:
            return lines
    raise AssertionError("%s: nothing is offered" % (words,))


class Candidates(unittest.TestCase):
    def test_commands_and_options(self):
        self.assertEqual(offered("sol"), ["solve"])
        self.assertIn("solve\tanswer a question in this process, without a server",
                      run(program("proofctl"), "complete", "--", ""))
        self.assertEqual(offered("solve", "--algo"), ["--algorithm"])
        self.assertEqual(offered("help", "sho"), ["show"])
        self.assertEqual(offered("nonsense", ""), [])
        self.assertEqual(offered(), [])

    def test_values(self):
        self.assertIn("df-pn", offered("solve", "--algorithm", "d"))
        self.assertEqual(offered("solve", "mnk:3,3,3", "--algorithm=paper"), ["--algorithm=paper"])
        self.assertEqual(offered("compare", "--algorithms", "pn2,pap"), ["pn2,paper"])
        self.assertEqual(offered("compare", "--algorithms=pn2,pap"), ["--algorithms=pn2,paper"])
        self.assertEqual(offered("solve", "--detail", ""), ["full", "frontier"])
        self.assertEqual(offered("solve", "-O", "eps"), ["epsilon="])
        self.assertEqual(offered("list", "--state", "so"), ["solved"])
        self.assertEqual(offered("top", "--sort", "r"), ["rate"])
        self.assertEqual(offered("solve", "--data", ""), [":dirs"])
        self.assertEqual(offered("position", "--svg", ""), [":files"])
        self.assertEqual(offered("solve", "--nodes", ""), [])

    def test_words(self):
        self.assertEqual(offered("solve", "connect4:"), ["connect4:7x6"])
        self.assertEqual(offered("solve", "--nodes", "5", "connect4:"), ["connect4:7x6"])
        self.assertEqual(offered("compare", "hex:5", "uttt"), ["uttt"])
        self.assertEqual(offered("group", "nightly", "p"), ["pause"])
        self.assertEqual(offered("call", "job.ex"), ["job.explain"])
        self.assertEqual(offered("check", ""), [":dirs"])
        self.assertIn(":files", offered("export", ""))
        self.assertEqual(offered("show", ""), [])  # there is no server

    def test_jobs_and_groups_of_a_server(self):
        with Server("--threads", "0", "--log", "warn") as server:
            for _ in range(3):
                server.rpc("job.submit", game="mnk:3,3,3", memory="4M", group="nightly")
            where = ["--socket", server.socket_path]
            for words, found in ((("show", *where, ""), ["3", "2", "1"]),
                                 (("wait", "1", "2", *where, ""), ["3", "2", "1"]),
                                 (("submit", *where, "--after", "1,2"), ["1,2"]),
                                 (("submit", *where, "--group", "n"), ["nightly"])):
                self.assertEqual([line.split("\t")[0] for line in offered_by_server(*words)], found)
            self.assertIn("1\tqueued: mnk:3,3,3, value",
                          offered_by_server("watch", "", PROOFD_SERVER=server.ready["listen"]))


class Shells(unittest.TestCase):
    def bash(self, line, words):
        script = (
            'source "$1"; COMP_LINE=$2; COMP_POINT=${#2}; shift 2; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
            '_proofctl; printf "%s\\n" "${COMPREPLY[@]}"'
        )
        return run("bash", "-c", script, "bash", os.path.join(CLIENTS, "proofctl.bash"), line, *words)

    def test_bash(self):
        self.assertEqual(self.bash("proofctl sol", ["proofctl", "sol"]), ["solve"])
        self.assertEqual(self.bash("proofctl solve conn", ["proofctl", "solve", "conn"]), ["connect4:7x6"])
        # bash takes colons and equals signs for words of their own.
        self.assertEqual(self.bash("proofctl solve connect4:", ["proofctl", "solve", "connect4", ":"]), ["7x6"])
        self.assertEqual(self.bash("proofctl solve connect4:7", ["proofctl", "solve", "connect4", ":", "7"]), ["7x6"])
        words = ["proofctl", "solve", "--detail", "=", "fr"]
        self.assertEqual(self.bash("proofctl solve --detail=fr", words), ["frontier"])
        words = ["proofctl", "check", os.path.join(CLIENTS, "py")]
        self.assertEqual(self.bash(" ".join(words), words), [os.path.join(CLIENTS, "python")])

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh(self):
        script = (
            "_describe() { shift 2; print -rl -- ${(P)2} }; _files() { print files $@ }; "
            'words=("${@:2}"); CURRENT=$#words; source $1'
        )
        path = os.path.join(CLIENTS, "proofctl.zsh")

        def zsh(*words):
            return run("zsh", "-fc", script, "zsh", path, "proofctl", *words)

        self.assertTrue(zsh("solve", "connect4:")[0].startswith("connect4\\:7x6:"))
        self.assertEqual(zsh("solve", "--detail", "f"), ["full:", "frontier:"])
        self.assertTrue(zsh("solve", "-O", "eps")[0].startswith("epsilon=:"))
        self.assertEqual(zsh("check", ""), ["files -/"])

    @unittest.skipUnless(shutil.which("fish"), "there is no fish")
    def test_fish(self):
        def fish(line):
            script = "source %s; complete -C '%s'" % (os.path.join(CLIENTS, "proofctl.fish"), line)
            return run("fish", "--no-config", "-c", script)

        self.assertEqual([line.split("\t")[0] for line in fish("proofctl sol")], ["solve"])
        self.assertEqual([line.split("\t")[0] for line in fish("proofctl solve conn")], ["connect4:7x6"])
        self.assertEqual(fish("proofctl solve --detail f"), ["frontier", "full"])
        self.assertEqual(fish("proofctl check %s" % os.path.join(CLIENTS, "py"))[0].split("\t")[0],
                         os.path.join(CLIENTS, "python/"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
