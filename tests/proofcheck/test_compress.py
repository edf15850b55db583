"""Compressed certificates, from the export to the check, and the sums that are published with a certificate."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from certificates import run  # noqa: E402
from pyproofd import Server, program  # noqa: E402


def proofctl(*words, **more):
    return subprocess.run([program("proofctl"), *words], capture_output=True, stdin=subprocess.DEVNULL, timeout=600,
                          check=True, **more)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def digest(path):
    return re.search(rb"\ndigest: (\w+)\n", content(path))[1]


class Compressed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.dir.cleanup)
        cls.data = cls.path("data")
        proofctl("solve", "connect4:5x4", "--data", cls.data, "--detail", "full")
        proofctl("solve", "mnk:4,3,3", "--data", cls.data)
        cls.said = {}
        for name, words in (("plain", ()), ("packed", ("--compress",)), ("plain-rules", ("--cards", "no")),
                            ("packed-rules", ("--cards", "no", "--compress"))):
            done = proofctl("export", "connect4:5x4", cls.path(name), "--data", cls.data, "--json", *words)
            cls.said[name] = json.loads(done.stdout)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.dir.name, name)

    def test_it_is_the_same_certificate(self):
        for kind, formats in ("", [4, 5]), ("-rules", [2, 3]):
            with self.subTest(formats):
                self.are_the_same(kind, formats)

    def are_the_same(self, kind, formats):
        plain, packed = self.path("plain" + kind), self.path("packed" + kind)
        self.assertEqual(digest(plain), digest(packed))
        self.assertTrue(content(packed).startswith(b"proofd certificate %d\ngame: connect4:5x4\n" % formats[1]))
        self.assertLess(os.path.getsize(packed), 0.6 * os.path.getsize(plain))
        verdicts = [json.loads(run("--json", name).stdout) for name in (plain, packed)]
        for verdict in verdicts:
            self.assertEqual(verdict["verdict"], "verified")
        for member in ("positions", "reasons", "claim", "digest", "blocks"):
            self.assertEqual(verdicts[0][member], verdicts[1][member])
        self.assertEqual([verdict["format"] for verdict in verdicts], formats)
        self.assertEqual(run("--text", plain).stdout, run("--text", packed).stdout)
        self.assertEqual(run("--unpack", packed, self.path("again" + kind)).returncode, 0)
        self.assertEqual(content(self.path("again" + kind)), content(plain))
        shown = [json.loads(run("--show", "--json", name, "--moves", "3 3").stdout) for name in (plain, packed)]
        self.assertEqual(shown[0]["moves"], shown[1]["moves"])
        figures = json.loads(run("--stats", "--json", packed).stdout)
        self.assertEqual((figures["bytes"], figures["unpacked_bytes"]),
                         (os.path.getsize(packed), os.path.getsize(plain)))

    def test_sums_for_publishing(self):
        for name in ("plain", "packed"):
            path = self.path(name)
            wanted = hashlib.sha256(content(path)).hexdigest()
            self.assertEqual(self.said[name]["sha256"], wanted)
            self.assertEqual(self.said[name]["bytes"], os.path.getsize(path))
            self.assertEqual(json.loads(run("--json", path).stdout)["sha256"], wanted)
            self.assertIn(wanted, run(path).stdout)
            self.assertIn(digest(path).decode(), run(path).stdout)
            self.assertNotIn(wanted, run("--quiet", path).stdout)
        done = proofctl("export", "connect4:5x4", "-", "--data", self.data, "--compress")
        self.assertEqual(done.stdout, content(self.path("packed")))
        self.assertIn(hashlib.sha256(done.stdout).hexdigest(), done.stderr.decode())

    def test_a_frontier_says_how_long_its_check_takes(self):
        done = proofctl("export", "mnk:4,3,3", self.path("frontier"), "--data", self.data, "--detail", "frontier")
        said = done.stdout.decode()
        self.assertRegex(said, r"the check +searches about [\d,]+ nodes again; about ")
        self.assertIn("proofcheck --stats " + self.path("frontier"), said)
        done = proofctl("export", "mnk:4,3,3", self.path("frontier"), "--data", self.data, "--detail", "frontier",
                        "--json")
        figures = json.loads(run("--stats", "--json", self.path("frontier")).stdout)
        self.assertEqual(json.loads(done.stdout)["effort"], figures["effort"])
        self.assertGreater(figures["effort"], 0)

    def test_from_a_server(self):
        """Both kinds are kept under names of their own, and downloaded as they are."""
        with Server("--threads", "1", "--log", "warn", data=self.data) as server:
            made = [server.rpc("proof.export", game="connect4:5x4", compress=compress)
                    for compress in (False, True, True)]
            self.assertNotEqual(made[0]["proof"], made[1]["proof"])
            self.assertEqual(made[1], made[2])
            self.assertEqual(content(made[1]["file"]), content(self.path("packed")))
            address = ["--server", "%s:%d" % server.address]
            done = proofctl("export", "connect4:5x4", self.path("loaded"), "--compress", "--json", *address)
            self.assertEqual(content(self.path("loaded")), content(self.path("packed")))
            self.assertEqual(json.loads(done.stdout)["sha256"], self.said["packed"]["sha256"])
            done = proofctl("export", "connect4:5x4", "-", *address)
            self.assertEqual(done.stdout, content(self.path("plain")))
            self.assertIn(self.said["plain"]["sha256"], done.stderr.decode())

    def test_damage(self):
        """A byte changed anywhere is refused, with its frame, and a show says so, too; but for the few bytes that zstd
        may write otherwise for the same content, which unpack to the very same certificate."""
        whole = content(self.path("packed"))
        head = whole.index(b"\n\n") + 2
        for at in range(head, len(whole), max(1, (len(whole) - head) // 40)):
            bad = self.path("bad")
            with open(bad, "wb") as file:
                file.write(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
            reply = json.loads(run("--json", bad).stdout)
            if reply["verdict"] != "rejected":
                same = self.path("same-%d" % at)  # a name of its own: an unpacking writes over no file
                self.assertEqual(run("--unpack", bad, same).returncode, 0, at)
                self.assertEqual(content(same), content(self.path("plain")), at)
        with open(bad, "wb") as file:
            file.write(whole[:head] + bytes([whole[head] ^ 1]) + whole[head + 1 :])  # it was 0x28, the magic number's
        for task in ("--show", "--stats", "--text"):
            done = run(task, bad)
            self.assertEqual(done.returncode, 1)
            self.assertIn("frame 0 cannot be unpacked", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
