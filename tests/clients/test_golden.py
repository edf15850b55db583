"""Data directories and certificates that earlier versions wrote: every later version opens them, or refuses what it
does not know and changes nothing; and tests/data/golden is never written again.

format2 was made by the version before the sources were reordered in November 2026: ten jobs of eight games, most facts
in runs, those of the last job in the log, two searches that their budgets ended, with their tables. The archives
format2-*.tar.xz were made by tests/support/golden.py with programs of their time, and have a job that was running when
its server was killed.
"""

import json
import os
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from effort import whole  # noqa: E402
from pyproofd import TIMEOUT, RpcError, Server, program  # noqa: E402

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
GOLDEN = os.path.join(DATA, "golden")
GRAPHS = ["--graphs", os.path.join(DATA, "andor")]

# What the directory answers without searching; from published tables and the retrograde oracle of the tests.
ANSWERS = {"connect4:4x4": 0, "mnk:3,3,3": 0, "mnk:4,3,3": 1, "hex:4": 1}


def run(name, *words, code=0):
    done = subprocess.run(
        [program(name), *words], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL
    )
    if done.returncode != code:
        raise AssertionError("%s: exit code %d\n%s%s" % (words, done.returncode, done.stdout, done.stderr))
    return done.stdout


class Golden(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="proofd-golden-")
        self.data = os.path.join(self.dir, "data")
        shutil.copytree(os.path.join(GOLDEN, "format2"), self.data)

    def tearDown(self):
        shutil.rmtree(self.dir)

    def test_it_checks(self):
        out = run("proofctl", "check", self.data, *GRAPHS)
        self.assertTrue(out.startswith("clean"), out)
        for count in ("1,261, with 1,296 reasons", "363 searched again", "10, with 300 solved entries"):
            self.assertIn(count, out)

    def test_it_answers_without_a_search(self):
        for game, value in ANSWERS.items():
            with self.subTest(game):
                lines = run("proofctl", "solve", game, "--data", self.data, "--json").splitlines()
                answer = json.loads(lines[-1])
                self.assertEqual((answer["value"]["lo"], answer["value"]["hi"]), (value, value))
                self.assertEqual(set(answer["nodes"].values()), {0}, "it was searched again")

    def test_a_search_goes_on_with_its_table(self):
        words = ["solve", "connect4:6x4", "--data", self.data, "--memory", "4M", "--json", "--nodes"]
        before = json.loads(run("proofctl", *words, "1", code=3).splitlines()[-1])
        self.assertEqual(before["nodes"], {"level1": 1304, "level2": 198699, "positions": 3}, "its counters were lost")
        self.assertEqual((before["pn"], before["dn"], before["facts"]), (396, 553, 205), "its table was lost")
        after = json.loads(run("proofctl", *words, "60000", code=3).splitlines()[-1])
        self.assertGreater(sum(after["nodes"].values()), 250000)
        self.assertGreater(after["facts"], 205)
        self.assertTrue(run("proofctl", "check", self.data, *GRAPHS).startswith("clean"))

    def test_certificates(self):
        """The last digit of a file's name is its certificate format."""
        names = sorted(name for name in os.listdir(GOLDEN) if ".proof" in name)
        self.assertEqual({name[-1] for name in names}, {"2", "3", "4", "5", "6"})
        for name in names:
            with self.subTest(name):
                answer = json.loads(run("proofcheck", "--json", os.path.join(GOLDEN, name)))
                self.assertEqual((answer["verdict"], answer["format"]), ("verified", int(name[-1])))

    def test_a_forged_header(self):
        """A changed line that the proof does not depend on is noticed."""
        forged = os.path.join(self.dir, "forged")
        with open(os.path.join(GOLDEN, "cycle.proof2"), "rb") as file:
            text = file.read()
        self.assertIn(b"engine: proofd", text)
        with open(forged, "wb") as file:
            file.write(text.replace(b"engine: proofd", b"engine: qroofd"))
        self.assertIn("damaged or changed", run("proofcheck", forged, code=1))


def unpack(name, place):
    """The directory of an archive, and what its golden.json says."""
    data = os.path.join(place, "data")
    with tarfile.open(os.path.join(GOLDEN, name)) as archive:
        archive.extractall(data)
    path = os.path.join(data, "golden.json")
    with open(path, encoding="utf-8") as file:
        made = json.load(file)
    os.unlink(path)
    return data, made


class InProgress(unittest.TestCase):
    """Servers that were killed while a job ran, by programs of format 2."""

    def test_the_job_goes_on(self):
        names = sorted(name for name in os.listdir(GOLDEN) if name.startswith("format2-"))
        self.assertGreaterEqual(len(names), 2)
        if not whole():
            names = names[:1]  # a search of ten million nodes each
        for name in names:
            with self.subTest(name), tempfile.TemporaryDirectory(prefix="proofd-golden-") as place:
                data, made = unpack(name, place)
                self.assertTrue(run("proofctl", "check", data).startswith("clean"))
                with Server("--threads", "0", data=data) as server:
                    self.states(server, made)
                    self.facts(server)
                    server.terminate()
                with Server("--threads", "1", data=data) as server:
                    self.resumed(server, made)
                    self.others(server, made)
                    self.proofs(server, data, made)
                    self.assertEqual(server.terminate(), 0)
                self.assertTrue(run("proofctl", "check", data).startswith("clean"))

    def states(self, server, made):
        """Before anything is searched: all that was there."""
        states = {job["job"]: job["state"] for job in server.rpc("job.list")["jobs"]}
        wanted = {made[state]: state for state in ("solved", "exhausted", "paused", "cancelled")}
        wanted[made["killed"]] = "queued"
        for name in ("queued", "after"):
            if name in made:
                wanted[made[name]] = "queued"
        self.assertEqual(states, wanted)
        job = server.rpc("job.get", job=made["killed"])
        self.assertGreaterEqual(sum(job["nodes"].values()), made["nodes"], "its counters were lost")
        self.assertGreater(job["table_bytes"], 0, "its table was lost")
        self.assertEqual((job["restarts"], job["crashes"]), (1, 1))
        solved = server.rpc("job.get", job=made["solved"])
        self.assertEqual((solved["key"], solved["priority"], solved["result"]["status"]), ("tic-tac-toe", 3, "solved"))
        events = [event["event"] for event in server.rpc("job.history", job=made["solved"])["points"]]
        self.assertEqual((events[0], events[-1]), ("submitted", "solved"))
        self.assertEqual(server.rpc("job.submit", game="mnk:3,3,3", detail="full", key="tic-tac-toe"),
                         {"job": made["solved"]})
        if "removed" in made:
            with self.assertRaises(RpcError):
                server.rpc("job.get", job=made["removed"])
        if "group" in made:
            group = server.rpc("group.list")["groups"][0]
            self.assertEqual((group["group"], group["limit"], group["paused"]), (made["group"], 1, True))
            self.assertEqual(server.rpc("job.explain", job=made["queued"])["reason"], "no-threads")
        if "after" in made:
            job = server.rpc("job.get", job=made["after"])
            self.assertEqual(job["after"], [made["paused"]])
            self.assertEqual((job["budget"]["cpu"], job["budget"]["disk"]), (60, 1 << 20))

    def facts(self, server):
        fact = server.rpc("fact.query", game="mnk:3,3,3", position="")["facts"][0]
        self.assertEqual((fact["lo"], fact["hi"]), (0, 0))

    def resumed(self, server, made):
        """It goes on with its table, and its answer is the published one."""
        job = server.wait_job(made["killed"])
        self.assertEqual((job["state"], job["value"]["text"]), ("solved", "draw"))
        job = server.rpc("job.get", job=made["killed"])
        self.assertGreater(sum(job["nodes"].values()), made["nodes"])
        self.assertEqual(job["restarts"], 1)
        self.assertRegex(server.log(), r"job %d \(.*\) resumed after a crash" % made["killed"])
        self.assertEqual(job["engines"][0], made["version"])

    def others(self, server, made):
        server.rpc("job.resume", job=made["paused"])
        self.assertEqual(server.wait_job(made["paused"])["value"]["text"], "draw")
        if "after" in made:
            self.assertEqual(server.wait_job(made["after"])["value"]["text"], "first wins")
        if "group" in made:
            server.rpc("group.set", group=made["group"], paused=False)
            self.assertEqual(server.wait_job(made["queued"])["value"]["text"], "first wins")
        spent = sum(server.rpc("job.get", job=made["exhausted"])["nodes"].values())
        server.rpc("job.set", job=made["exhausted"], budget={"nodes": 2 * spent})
        server.rpc("job.resume", job=made["exhausted"])
        self.assertEqual(server.wait_job(made["exhausted"])["state"], "exhausted")
        self.assertGreater(sum(server.rpc("job.get", job=made["exhausted"])["nodes"].values()), spent)

    def proofs(self, server, data, made):
        """The certificate that was there, and one from facts that both programs have found."""
        fresh = server.rpc("proof.export", job=made["killed"])["file"]
        kept = os.path.join(data, "proofs", made["proof"])
        with open(kept, "rb") as file:
            old = file.readline() == b"proofd certificate 1\n"  # which is not read any more
        self.assertEqual(json.loads(run("proofcheck", "--json", fresh))["verdict"], "verified")
        answer = json.loads(run("proofcheck", "--json", kept, code=2 if old else 0))
        self.assertEqual(answer["verdict"], "unknown" if old else "verified")


def bytes_of(data):
    """All files but those that say who has the directory open."""
    found = {}
    for folder, _, names in os.walk(data):
        for name in names:
            if name != "lock" and not name.endswith(("-lock", ".sock")):
                with open(os.path.join(folder, name), "rb") as file:
                    found[os.path.relpath(os.path.join(folder, name), data)] = file.read()
    return found


def restamp(data, name, version):
    """Writes another format version into all copies of the record that states it."""
    path, mark = os.path.join(data, name), {"work.mdb": b"proofd-w", "facts.mdb": b"proofd-f"}[name]
    with open(path, "rb") as file:
        content = file.read()
    if mark + struct.pack("<I", 2) not in content:
        raise AssertionError("%s states no format" % path)
    with open(path, "wb") as file:
        file.write(content.replace(mark + struct.pack("<I", 2), mark + struct.pack("<I", version)))


class OtherFormats(unittest.TestCase):
    """What another format has is refused by every command, in words, and not touched."""

    def commands(self, data, place):
        out, other = os.path.join(place, "out"), os.path.join(place, "other")
        shutil.copytree(os.path.join(GOLDEN, "format2"), other)
        proofd = ("proofd", "--listen", "127.0.0.1:0", "--data", data)
        return [proofd, proofd + ("--read-only",), proofd + ("--threads", "0"),
                ("proofctl", "solve", "mnk:3,3,3", "--data", data), ("proofctl", "check", data),
                ("proofctl", "dump", data), ("proofctl", "compact", data), ("proofctl", "repair", data, out),
                ("proofctl", "import-facts", data, other), ("proofctl", "import-facts", other, data),
                ("proofctl", "backup", out, "--data", data), ("proofctl", "export", "mnk:3,3,3", out, "--data", data),
                ("proofctl", "query", "mnk:3,3,3", "--data", data)], out

    def refused(self, data, version, names):
        before = bytes_of(data)
        with tempfile.TemporaryDirectory(prefix="proofd-golden-") as place:
            commands, out = self.commands(data, place)
            for words in commands:
                with self.subTest(" ".join(words)):
                    done = subprocess.run([program(words[0]), *words[1:]], capture_output=True, text=True,
                                          timeout=TIMEOUT, stdin=subprocess.DEVNULL)
                    self.assertNotEqual(done.returncode, 0, done.stdout)
                    said = "has format version %d" % version
                    self.assertIn(said, done.stderr + done.stdout)
                    self.assertIn(done.stderr.split(said)[0].split()[-1], names)
                    self.assertIn("reads and writes version 2 only", done.stderr)
                    self.assertEqual(bytes_of(data), before)
                    self.assertFalse(os.path.exists(out))

    def test_a_newer_one(self):
        for names in (("work.mdb", "facts.mdb"), ("work.mdb",), ("facts.mdb",)):
            with self.subTest(names), tempfile.TemporaryDirectory(prefix="proofd-golden-") as place:
                data, _ = unpack("format2-first.tar.xz", place)
                for name in names:
                    restamp(data, name, 3)
                if len(names) == 2:
                    self.refused(data, 3, names)
                    continue
                before = bytes_of(data)  # one of the files alone
                done = subprocess.run([program("proofd"), "--listen", "127.0.0.1:0", "--data", data],
                                      capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
                self.assertEqual(done.returncode, 1)
                self.assertIn("%s has format version 3" % names[0], done.stderr)
                self.assertIn("a newer proofd has written it", done.stderr)
                self.assertEqual(bytes_of(data), before)

    def test_the_first_one(self):
        """Format 1 was never released."""
        with tempfile.TemporaryDirectory(prefix="proofd-golden-") as place:
            data, _ = unpack("format1.tar.xz", place)
            self.refused(data, 1, ("work.mdb", "facts.mdb"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
