"""Backups of a server that works: complete, one moment, resumable after a kill, restored and checked."""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, RpcError, Server, build_has, program  # noqa: E402


def ctl(*words):
    done = subprocess.run(
        [program("proofctl"), *words], capture_output=True, text=True, timeout=10 * TIMEOUT, stdin=subprocess.DEVNULL
    )
    return done.returncode, done.stdout, done.stderr


class Backup(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="proofd-backup-")
        self.addCleanup(place.cleanup)
        self.place = os.path.join(place.name, "backups")
        self.new = os.path.join(place.name, "new")
        os.mkdir(self.place)

    def server(self, *options, **more):
        return Server("--threads", "1", "--checkpoint", "0.1", "--backup-dir", self.place, *options, **more)

    def complete(self, server, name):
        """Makes a backup and waits for its end."""
        deadline = time.monotonic() + TIMEOUT
        state = server.admin("server.backup", name=name)
        while state["state"] == "running":
            self.assertLess(time.monotonic(), deadline)
            self.assertLessEqual(state["done"], state["all"])
            state = server.admin("server.backup")
        self.assertEqual((state["state"], state["name"]), ("complete", name), state)
        self.assertEqual(state["done"], state["all"])
        return state

    def restore(self, name):
        code, out, err = ctl("restore", os.path.join(self.place, name), self.new, "--json")
        self.assertEqual(code, 0, err)
        self.assertGreater(json.loads(out)["records"], 0)
        code, _, err = ctl("check", self.new)
        self.assertEqual(code, 0, err)

    def test_while_a_job_runs(self):
        with self.server() as server:
            self.assertEqual(server.admin("server.backup")["state"], "none")
            solved = server.rpc("job.submit", game="mnk:4,4,3")["job"]
            server.wait_job(solved)
            long = server.rpc("job.submit", game="connect4:7x6")["job"]
            server.wait_job(long, states=("running",))
            for name in ("a", "b", "c"):
                self.complete(server, name)
            self.assertEqual(server.rpc("job.get", job=long)["state"], "running")
            with self.assertRaises(RpcError) as caught:
                server.admin("server.backup", name="a/b")
            self.assertEqual((caught.exception.slug, caught.exception.field), ("invalid-params", "name"))
            code, out, err = ctl("backup", "d", "--socket", server.socket_path)
            self.assertEqual(code, 0, err)
            self.assertIn("complete and verified", out)
            code, _, err = ctl("backup", "d", "--socket", server.socket_path)
            self.assertEqual(code, 1)
            self.assertIn("a backup named d already exists", err)
            code, out, err = ctl("backup", os.path.join(self.place, "e"), "--data", server.data, "--json")
            self.assertEqual(code, 0, err)
            self.assertGreater(json.loads(out)["bytes_copied"], 0)
            self.assertIn("backup a: complete", server.log())
            self.assertEqual(server.terminate(), 0)
        self.restore("b")
        with self.server(data=self.new) as server:
            self.assertEqual(server.rpc("job.get", job=solved)["state"], "solved")
            self.assertEqual(server.wait_job(long, states=("running",))["state"], "running")
            self.assertEqual(server.rpc("fact.query", game="mnk:4,4,3")["facts"][0]["lo"], 1)

    def test_killed_and_resumed(self):
        """A kill at any point of a backup: it goes on after the next start."""
        with self.server() as server:
            for board in ("4,4,3", "3,3,3", "5,3,3"):
                server.wait_job(server.rpc("job.submit", game="mnk:" + board)["job"])
            long = server.rpc("job.submit", game="connect4:6x5")["job"]
            server.wait_job(long, states=("running",))
            for i in range(4):
                server.admin("server.backup", name="a%d" % i)
                for _ in range(i):
                    server.rpc("server.stats")
                server.kill()
                left = os.listdir(self.place)
                self.assertTrue(set(left) <= {"a%d%s" % (k, s) for k in range(i + 1) for s in ("", ".partial")}, left)
                server.start()
                if os.path.exists(os.path.join(self.place, "a%d" % i)):
                    continue
                self.complete(server, "a%d" % i)
            self.complete(server, "last")
            self.assertFalse([name for name in os.listdir(self.place) if name.endswith(".partial")])
            server.terminate()
        self.restore("last")

    @unittest.skipIf(build_has("-fsanitize=thread"), "libuv closes by syscall(), which the sanitizer does not see: "
                     "it takes a descriptor that the backup gets next for the listener's")
    def test_stopped_in_time(self):
        """A server that stops does not wait for a backup, and says so in the log; it keeps what was copied."""
        with self.server() as server:
            server.wait_job(server.rpc("job.submit", game="mnk:4,4,3")["job"])
            server.admin("server.backup", name="a")
            self.assertEqual(server.terminate(), 0)
            self.assertTrue({"a", "a.partial"} & set(os.listdir(self.place)))
            self.assertIn("backup a: ", server.log())

    def test_nothing_is_told_while_a_retraction_is_pending(self):
        """No command that reads a data directory answers from facts that are to be taken back; a restore of a backup
        that knows of a liar takes that along."""
        data, cert = os.path.join(self.place, "data"), os.path.join(self.new + ".cert")
        code, _, err = ctl("solve", "mnk:3,3,3", "--data", data)
        self.assertEqual(code, 0, err)
        with open(os.path.join(data, "liars"), "w") as file:
            file.write("89abcdef\n")
        code, _, err = ctl("backup", os.path.join(self.place, "a"), "--data", data)
        self.assertEqual(code, 0, err)
        self.restore("a")
        for place in (self.new, self.place):
            with open(os.path.join(place, "liars")) as file:
                self.assertEqual(file.read(), "89abcdef\n")
        with open(os.path.join(data, "retract"), "w") as file:
            file.write("89abcdef\n")
        for words in (
            ("query", "mnk:3,3,3"),
            ("line", "mnk:3,3,3"),
            ("show", "1"),
            ("list",),
            ("export", "mnk:3,3,3", cert),
            ("backup", os.path.join(self.place, "b")),
        ):
            code, out, err = ctl(*words, "--data", data)
            self.assertEqual((code, out), (1, ""), (words, err))
            self.assertIn("`retract`", err, words)
        code, out, err = ctl("dump", data)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("`retract`", err)
        self.assertFalse(os.path.exists(cert))
        code, _, err = ctl("check", data)
        self.assertIn("a retraction is pending", err)
        code, _, err = ctl("solve", "mnk:3,3,3", "--data", data)  # as a server does, it finishes it
        self.assertEqual(code, 0, err)
        code, _, err = ctl("export", "mnk:3,3,3", cert, "--data", data)
        self.assertEqual(code, 0, err)
        code, _, err = ctl("taint", "--worker", "fedcba9876543210", "--data", data)  # it is not to be believed again
        self.assertEqual(code, 0, err)
        with open(os.path.join(data, "liars")) as file:
            self.assertEqual(file.read(), "89abcdef\nf6543210\n")

    def test_over_tcp(self):
        """A link that may not ask for a backup finds the server's own socket, as that of `shutdown` does."""
        with self.server() as server:
            code, out, err = ctl("backup", "a", "--server", server.ready["listen"])
            self.assertEqual((code, err), (0, ""), out)
            self.assertIn("complete and verified", out)
            code, out, err = ctl("backup", "--server", server.ready["listen"])
            self.assertEqual((code, err), (0, ""), out)

    def test_refusals(self):
        with Server("--threads", "0") as server:
            with self.assertRaises(RpcError) as caught:
                server.admin("server.backup", name="a")
            self.assertEqual((caught.exception.slug, caught.exception.field), ("wrong-state", "name"))
            self.assertIn("--backup-dir", caught.exception.message)
        with Server("--threads", "0", "--backup-dir", self.place, data=False) as server:
            state = server.admin("server.backup", name="a")
            while state["state"] == "running":
                state = server.admin("server.backup")
            self.assertEqual((state["state"], state["code"]), ("failed", "wrong-state"))
        self.assertEqual(os.listdir(self.place), [])
        with self.assertRaises(AssertionError):
            Server("--threads", "0", "--backup-dir", os.path.join(self.place, "none"))
        os.mkdir(self.new)
        open(os.path.join(self.new, "file"), "w").close()
        for words, text in (
            (["restore", self.place, self.new], "exists already"),
            (["restore", self.place, self.new + "2"], "the file MANIFEST is missing"),
            (["restore", self.place + "/none", self.new + "2"], "cannot open the backup"),
            (["backup", "--data", self.place], "name the directory of the backup"),
            (["backup", "x", "--data", self.place], "work.mdb"),
        ):
            code, _, err = ctl(*words)
            self.assertNotEqual(code, 0)
            self.assertIn(text, err)
        self.assertFalse(os.path.exists(self.new + "2"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
