"""proofcheck as people run it: verdicts, exit codes, what it prints, and what it says to misuse."""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import certificates  # noqa: E402
from certificates import run  # noqa: E402
from pyproofd import data_dir, program  # noqa: E402

SCRATCH = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(SCRATCH.name, name)


def certificate(name, *words):
    return certificates.certificate(path(name), *words)


class CommandLine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.good = certificate("good", "mnk:3,3,3", "", "value")
        cls.frontier = certificate("frontier", "connect4:4x4", "1213", "value", "7")
        cls.graph = certificate("graph", "andor:cycle", "", "first-draws", "0", data_dir("andor", "cycle.json"))
        with open(cls.good, "rb") as file:
            cls.bytes = file.read()
        cls.bad = path("bad")
        with open(cls.bad, "wb") as file:
            file.write(cls.bytes.replace(b"status: solved", b"status: proved"))
        cls.damaged = path("damaged")
        with open(cls.damaged, "wb") as file:
            at = len(cls.bytes) // 2
            file.write(cls.bytes[:at] + bytes([cls.bytes[at] ^ 1]) + cls.bytes[at + 1 :])

    def test_a_true_certificate(self):
        for name in (self.good, self.frontier, self.graph):
            done = run(name)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.assertTrue(done.stdout.startswith("VERIFIED " + name + "\n"), done.stdout)
            for word in ("game", "position", "claim", "status", "positions a second"):
                self.assertIn(word, done.stdout)

    def test_a_false_certificate(self):
        done = run(self.bad)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.startswith("REJECTED"), done.stdout)
        self.assertIn("'status' in the header must be solved", done.stdout)
        self.assertRegex(done.stdout, r"offset +byte \d+")

    def test_the_digest_is_compared_unless_one_says_no(self):
        done = run("--json", self.damaged)
        self.assertEqual(done.returncode, 1)
        self.assertIn("digest", json.loads(done.stdout)["reason"])
        done = run("--json", "--no-digest", self.damaged)
        self.assertNotIn("digest", json.loads(done.stdout).get("reason", ""))

    def test_json_is_one_object_on_one_line(self):
        done = run("--json", self.frontier)
        self.assertEqual(done.stdout.count("\n"), 1)
        reply = json.loads(done.stdout)
        self.assertEqual(
            (reply["verdict"], reply["game"], reply["claim"], reply["status"]),
            ("verified", "connect4:4x4", "value", "solved"),
        )
        self.assertEqual(reply["lo"], reply["hi"])
        self.assertGreater(reply["leaves"], 0)
        self.assertGreater(reply["searched_nodes"], 0)
        reply = json.loads(run("--json", self.bad).stdout)
        self.assertEqual(reply["verdict"], "rejected")
        self.assertGreater(reply["offset"], 0)

    def test_threads_do_not_change_the_answer(self):
        for name in (self.good, self.frontier, self.damaged):
            replies = [json.loads(run("--json", "--no-digest", "--threads", n, name).stdout) for n in ("1", "3", "999")]
            for reply in replies:
                for member in ("threads", "seconds", "positions_per_s"):
                    reply.pop(member, None)
            self.assertEqual(replies[0], replies[1])
            self.assertEqual(replies[0], replies[2])

    def test_quiet_says_one_line(self):
        self.assertEqual(run("--quiet", self.good).stdout, "VERIFIED %s\n" % self.good)
        self.assertEqual(run("--quiet", self.bad).stdout, "REJECTED %s\n" % self.bad)

    def test_what_this_program_does_not_know(self):
        for old, new in (
            (b"game: mnk", b"game: zzz"),
            (b"rules: 1", b"rules: 7"),
            (b"certificate 2", b"certificate 9"),
        ):
            with open(path("other"), "wb") as file:
                self.assertIn(old, self.bytes)
                file.write(self.bytes.replace(old, new))
            done = run("--no-digest", path("other"))
            self.assertEqual(done.returncode, 2, new)
            self.assertTrue(done.stdout.startswith("UNKNOWN"), done.stdout)

    def test_a_changed_header_is_damage(self):
        """In format 2 the digest covers the header, so an unknown game with the digest of a known one is no certificate
        of another program."""
        with open(path("other"), "wb") as file:
            file.write(self.bytes.replace(b"game: mnk", b"game: zzz"))
        done = run(path("other"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("damaged or changed", done.stdout)

    def test_misuse(self):
        for words in (
            (),
            ("--threads", "0", self.good),
            ("--threads", "x", self.good),
            ("--threads",),
            ("--fast", self.good),
            (self.good, self.good),
            (path("none"),),
            (SCRATCH.name,),
            ("/dev/null",),
        ):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertTrue(done.stderr.startswith("proofcheck: "), done.stderr)

    def test_help_and_version(self):
        self.assertIn("usage: proofcheck", run("--help").stdout)
        self.assertRegex(run("--version").stdout, r"^proofcheck \d+\.\d+\.\d+\n$")

    def test_an_empty_file_is_rejected(self):
        with open(path("empty"), "wb"):
            pass
        self.assertEqual(run(path("empty")).returncode, 1)

    def test_a_pipe_is_refused(self):
        os.mkdir(path("pipes"))
        os.mkfifo(path("pipes/one.table"))
        done = run(path("pipes/one.table"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("must be a regular file", done.stderr)
        done = run("--tables", path("pipes"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("it cannot be read", done.stdout)

    def test_a_file_that_becomes_shorter_is_no_verdict(self):
        with open(self.frontier, "rb") as file:
            whole = file.read()
        short, ends = path("short"), []
        while 2 not in ends:  # until it is cut off in time
            self.assertLess(len(ends), 1000)
            with open(short, "wb") as file:
                file.write(whole)
            process = subprocess.Popen([program("proofcheck"), short], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       text=True)
            with open("/proc/%d/maps" % process.pid, encoding="utf-8") as maps:
                while process.poll() is None and short not in maps.read():
                    maps.seek(0)
            os.truncate(short, 0)
            out, err = process.communicate()
            ends.append(process.returncode)
            self.assertIn(process.returncode, (0, 1, 2))
        self.assertEqual(out, "")
        self.assertIn("a file became shorter while it was read", err)

    def test_a_closed_pipe_is_no_verdict(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([program("proofcheck"), self.good], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 2)

    @unittest.skipUnless(shutil.which("nm"), "there is no nm here (Debian: binutils)")
    def test_it_depends_on_nothing_that_found_the_answer(self):
        """C2: no symbol of the solver, its games, the store or the core is in the program."""
        symbols = subprocess.run(["nm", program("proofcheck")], capture_output=True, text=True, check=True)
        names = [line.split()[-1] for line in symbols.stdout.splitlines() if line]
        self.assertIn("ck_check", names)
        self.assertEqual([n for n in names if n.startswith(("game_", "pn_", "st_", "sv_", "mdb_", "uv_"))], [])

    def test_memory_stays_small(self):
        """A file with a sparse hole of 4 GB, most of it index, is refused without taking memory for it."""
        name = path("huge")
        with open(name, "wb") as file:
            head = self.bytes[: self.bytes.index(b"\n\n") + 2].replace(b"\nblocks: ", b"\nblocks: 10000000")
            file.write(head)
            file.truncate(1 << 32)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertEqual(run("--no-digest", name).returncode, 1)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, max(before, 1) + 400000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
