"""Packed certificates (format 6): every command of proofcheck reads them, and so does a reader that was written from
CERTIFICATE.md alone."""

import json
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import packed_reader  # noqa: E402
from certificates import certificate, nim_text, run, with_cards  # noqa: E402
from effort import EFFORT  # noqa: E402
from pyproofd import Server, data_dir  # noqa: E402

GALLERY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "clients", "gallery", "proofs")


def content(path):
    with open(path, "rb") as file:
        return file.read()


class Packed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.dir.cleanup)
        cls.mnk = certificate(cls.path("mnk"), "mnk:3,3,3", "", "value")
        cls.cards = with_cards(cls.path("cards"), "mnk:3,3,3", "", "value")
        cls.connect4 = with_cards(cls.path("connect4"), "connect4:4x4", "", "value")

    def test_the_gallery_holds(self):
        names = sorted(os.listdir(GALLERY))
        self.assertGreater(len(names), 5)
        for name in names:
            path = os.path.join(GALLERY, name)
            if EFFORT == 100 or os.path.getsize(path) < 2000:  # the largest ones take seconds
                with self.subTest(name):
                    self.assertEqual(run(path).returncode, 0)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.dir.name, name)

    def zones(self):
        """Certificates with zones, of larger proofs without."""
        for name in ("hex-4", "mnk-544"):
            path = self.path(name)
            if not os.path.exists(path):
                self.assertEqual(run("--zones", data_dir("golden", name + ".proof6"), path).stderr, "")
            yield path

    def test_zones_spare_records(self):
        for name, most in zip(self.zones(), (10, 20)):
            told = json.loads(run("--json", name).stdout)
            self.assertEqual(told["verdict"], "verified")
            self.assertLessEqual(told["positions"], most)
            self.assertIn(",c103:", run("--text", name).stdout)
            packed, plain = self.pack(name)
            self.assertEqual(run("--text", plain).stdout, run("--text", name).stdout)
            again = name + ".again"
            self.assertEqual(run("--zones", packed, again).stderr, "")
            self.assertEqual(content(again), content(name))

    def pack(self, name):
        """The packed file, and the plain one that it stands for."""
        packed, plain = name + ".packed", name + ".plain"
        if not os.path.exists(packed):
            self.assertEqual(run("--pack", name, packed).stderr, "")
            self.assertEqual(run("--unpack", packed, plain).stderr, "")
        return packed, plain

    def test_every_command_reads_it(self):
        for name in (self.mnk, self.cards, self.connect4):
            packed, plain = self.pack(name)
            self.assertTrue(content(packed).startswith(b"proofd certificate 6\n"))
            symbols, records = (content(file).split(b"\n\n", 1)[1] for file in (packed, plain))
            self.assertLess(len(symbols), len(records) / 5)
            verdicts = [json.loads(run("--json", file).stdout) for file in (packed, plain)]
            self.assertEqual([verdict.pop("format") for verdict in verdicts], [6, 4])
            for member in ("verdict", "claim", "positions", "reasons", "cards", "digest", "lo", "hi"):
                self.assertEqual(verdicts[0][member], verdicts[1][member])
            self.assertEqual(verdicts[0]["verdict"], "verified")
            self.assertEqual(run("--text", packed).stdout, run("--text", plain).stdout)
            shown = [json.loads(run("--show", "--json", file).stdout) for file in (packed, plain)]
            self.assertEqual(shown[0]["moves"], shown[1]["moves"])
            figures = [json.loads(run("--stats", "--json", file).stdout) for file in (packed, plain)]
            self.assertEqual(figures[0]["bytes"], os.path.getsize(packed))
            self.assertEqual(figures[0]["unpacked_bytes"], os.path.getsize(plain))
            for member in ("positions", "by_move", "ranks"):
                self.assertEqual(figures[0][member], figures[1][member])
            self.assertIn("format 6,", run("--show", packed).stdout)

    def test_a_stranger_reads_it(self):
        """packed_reader.py finds the lines of the text form, with the ranks as far as it can know them."""
        for name in (self.mnk, self.cards, *self.zones()):
            packed, plain = self.pack(name)
            header, lines = packed_reader.unpack(packed)
            text = run("--text", plain).stdout
            wanted = [line.split(" : ")[0] for line in text.split("\n") if " : " in line]
            self.assertEqual(int(header["positions"]), len(wanted))
            self.assertEqual(len(lines), len(wanted))
            for got, want in zip(lines, wanted):
                self.assertRegex(want, "^" + re.escape(got).replace(r",r\?", r",r\d+") + "$")
            self.assertEqual(any("?" in line for line in lines), name == self.cards)

    def test_a_proof_with_more_than_sixteen_moves(self):
        self.assertGreater(nim_text(self.path("nim.text"), 4, 6), 300)
        self.assertEqual(run("--from-text", "--no-digest", self.path("nim.text"), self.path("nim")).stderr, "")
        packed, plain = self.pack(self.path("nim"))
        self.assertEqual(run(packed).returncode, 0)
        _, lines = packed_reader.unpack(packed)
        text = run("--text", plain).stdout
        self.assertEqual(lines, [line.split(" : ")[0] for line in text.split("\n") if " : " in line])

    def test_what_cannot_be_packed(self):
        leaves = certificate(self.path("leaves"), "mnk:3,3,3", "", "value", "3")
        done = run("--pack", leaves, self.path("none"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("a reason has an effort", done.stderr)
        repeats = certificate(self.path("repeats"), "loa:4", "", "first-wins")
        done = run("--pack", repeats, self.path("none"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("can be repeated", done.stderr)
        self.assertFalse(os.path.exists(self.path("none")))
        done = run("--pack", self.mnk, self.mnk)
        self.assertEqual(done.returncode, 2)
        self.assertIn("exists", done.stderr)
        for words in (("--pack", self.mnk), ("--pack", "--json", self.mnk, "x"), ("--pack", "--unpack", self.mnk, "x")):
            self.assertEqual(run(*words).returncode, 2, words)

    def test_damage_says_where(self):
        packed, _ = self.pack(self.connect4)
        whole = content(packed)
        body = whole.index(b"\n\n") + 2
        for at in range(body, len(whole) - 1):
            bad = self.path("bad")
            with open(bad, "wb") as file:
                file.write(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
            reply = json.loads(run("--json", bad).stdout)
            self.assertEqual(reply["verdict"], "rejected", at)
            self.assertTrue(reply["reason"])
        with open(bad, "wb") as file:
            file.write(whole[: body + (len(whole) - body) // 2])
        for words in ((), ("--show",), ("--stats",), ("--text",)):
            self.assertEqual(run(*words, bad).returncode, 1)

    def test_a_server_verifies_it(self):
        """proof.verify runs proofcheck on the file, whatever its format; here a packed one replaces the export's."""
        with Server("--threads", "1", "--log", "warn", data=self.path("data")) as server:
            server.wait_job(server.rpc("job.submit", game="connect4:4x4", detail="full", memory="8M")["job"])
            made = server.rpc("proof.export", game="connect4:4x4")
            packed, _ = self.pack(made["file"])
            os.replace(packed, made["file"])
            told = server.rpc("proof.verify", proof=made["proof"])
            self.assertEqual((told["verdict"], told["format"], told["claim"]), ("verified", 6, made["claim"]))
            with open(made["file"], "r+b") as file:
                file.truncate(os.path.getsize(made["file"]) - 20)
            self.assertEqual(server.rpc("proof.verify", proof=made["proof"])["verdict"], "rejected")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
