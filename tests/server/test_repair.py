"""proofctl repair: a damaged directory is read, a new one has all that is sound of it."""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pylmdb  # noqa: E402
from pyproofd import TIMEOUT, Server, program  # noqa: E402

FILES = ("work.mdb", "facts.mdb")
GAMES = ("mnk:3,3,3", "connect4:4x4", "mnk:3,3,2")


def ctl(*words):
    done = subprocess.run(
        [program("proofctl"), *words], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL
    )
    return done.returncode, done.stdout, done.stderr


class Repair(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="proofd-repair-")
        cls.sound = os.path.join(cls.place.name, "sound")
        for game in GAMES:
            assert ctl("solve", game, "--data", cls.sound)[0] == 0
        assert ctl("solve", "connect4:5x4", "--data", cls.sound, "--nodes", "30000", "--memory", "4M")[0] == 3
        cls.work, cls.facts = (pylmdb.Records(os.path.join(cls.sound, name)) for name in FILES)
        cls.known = pylmdb.all_facts(cls.work, cls.facts)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="proofd-repair-")
        self.addCleanup(place.cleanup)
        self.damaged, self.new = os.path.join(place.name, "damaged"), os.path.join(place.name, "new")
        os.mkdir(self.damaged)
        for name in FILES:
            shutil.copy(os.path.join(self.sound, name), self.damaged)

    def write(self, name, at, data):
        with open(os.path.join(self.damaged, name), "r+b") as file:
            file.seek(at)
            file.write(data)

    def strike(self, record, copies=False):
        """Damages a record of work.mdb, and, if asked to, copies that are left of it in other pages."""
        at = record.spans[-1][1] - 1
        self.write("work.mdb", at, bytes([self.work.data[at] ^ 1]))
        at = self.work.data.find(record.value)
        while copies and at >= 0:
            self.write("work.mdb", at, bytes([self.work.data[at] ^ 1]))
            at = self.work.data.find(record.value, at + 1)

    def repair(self, code=0):
        got, out, err = ctl("repair", self.damaged, self.new, "--json")
        self.assertEqual(got, code, out + err)
        report = json.loads(out)
        self.assertEqual(report["whole"], code == 0)
        self.assertEqual(os.listdir(os.path.dirname(self.new)).count("new.repairing"), 0)
        self.work_new, self.facts_new = (pylmdb.Records(os.path.join(self.new, name)) for name in FILES)
        return report

    def assert_all_facts(self):
        self.assertEqual(pylmdb.all_facts(self.work_new, self.facts_new), self.known)

    def assert_clean(self, jobs=4):
        code, out, err = ctl("check", self.new, "--json")
        self.assertEqual(code, 0, out + err)
        self.assertEqual(json.loads(out)["jobs"], jobs)

    def records(self, work):
        return {number: record.value for number, (record, _) in pylmdb.jobs(work).items()}

    def test_nothing_is_lost_of_a_sound_directory(self):
        report = self.repair()
        self.assertEqual(
            (report["facts"], report["jobs"], report["tables"], report["games"]), (len(self.known), 4, 1, 4)
        )
        self.assertEqual(self.records(self.work_new), self.records(self.work))
        self.assert_all_facts()
        self.assert_clean()
        code, out, err = ctl(
            "solve", "connect4:5x4", "--data", self.new, "--nodes", "60000", "--memory", "4M", "--json"
        )
        self.assertIn(code, (0, 3), out + err)

    def test_without_meta_pages(self):
        for name in FILES:
            self.write(name, 0, bytes(2 * pylmdb.PAGE))
        self.repair()
        self.assertEqual(self.records(self.work_new), self.records(self.work))
        self.assert_all_facts()
        self.assert_clean()

    def test_a_lost_job_keeps_its_number(self):
        self.strike(pylmdb.jobs(self.work)[2][0])
        work = self.work.data
        old = [
            at for at in range(len(work)) if work.startswith(b'{"v":1', at) and b"connect4:4x4" in work[at : at + 400]
        ]
        for at in old:  # what is left of older versions
            self.write("work.mdb", at, b"[")
        report = self.repair(code=3)
        self.assertEqual((report["jobs"], report["jobs_lost"], report["facts_lost"]), (3, 1, 0))
        self.assertEqual(sorted(self.records(self.work_new)), [1, 3, 4])
        self.assert_all_facts()
        self.assert_clean(jobs=3)
        with Server("--threads", "1", data=self.new) as server:
            self.assertEqual(server.rpc("job.submit", game="mnk:3,3,3", position="b3")["job"], 5)

    def test_an_older_version_of_a_job_does_not_claim_an_answer(self):
        self.strike(pylmdb.jobs(self.work)[2][0])
        self.repair(code=self.repair_code())
        self.assert_clean(jobs=len(self.records(self.work_new)))
        jobs = {number: job for number, (_, job) in pylmdb.jobs(self.work_new).items()}
        self.assertTrue(jobs[1]["result"] and jobs[3]["result"])
        self.assertNotIn("result", jobs.get(2, {}))

    def repair_code(self):
        """Whether an older version of job 2 is left depends on what LMDB has used again."""
        code = ctl("repair", self.damaged, self.new)[0]
        shutil.rmtree(self.new)
        return code

    def test_without_facts_mdb_the_log_has_them(self):
        os.unlink(os.path.join(self.damaged, "facts.mdb"))
        report = self.repair(code=3)
        self.assertEqual(report["runs"], "lost")
        self.assertEqual(report["log_blocks_lost"], 0)
        self.assert_all_facts()
        self.assert_clean()

    def test_without_work_mdb(self):
        os.unlink(os.path.join(self.damaged, "work.mdb"))
        report = self.repair(code=3)  # no one knows how many jobs there were
        self.assertEqual((report["jobs"], report["jobs_lost"], report["counted"]), (0, 0, False))
        self.assert_clean(jobs=0)

    def test_a_job_that_was_removed_stays_away(self):
        with Server("--threads", "1", data=self.damaged) as server:
            server.rpc("job.remove", job=2)
        self.repair()
        self.assertEqual(sorted(self.records(self.work_new)), [1, 3, 4])
        self.assert_all_facts()
        self.assert_clean(jobs=3)
        with Server("--threads", "1", data=self.new) as server:
            self.assertEqual(server.rpc("job.submit", game="mnk:3,3,3", position="b3")["job"], 5)

    def test_a_block_of_the_log_is_lost(self):
        logged = self.work.tables["factlog"]
        self.assertTrue(logged)
        self.strike(logged[-1], copies=True)
        report = self.repair(code=3)
        self.assertEqual((report["log_blocks_lost"], report["jobs"], report["jobs_again"]), (1, 4, 4))
        for key, bounds in pylmdb.all_facts(self.work_new, self.facts_new).items():
            self.assertTrue(pylmdb.within(bounds, self.known[key]))
        for _, job in pylmdb.jobs(self.work_new).values():
            self.assertNotIn("result", job)

    def refused(self, code, *words):
        got, out, err = ctl("repair", *words)
        self.assertEqual(got, code, out + err)
        return err

    def test_what_is_refused(self):
        self.assertIn("exists already", self.refused(2, self.damaged, self.sound))
        self.assertIn("exists already", self.refused(2, self.damaged, os.path.join(self.damaged, "work.mdb")))
        self.assertIn("both missing", self.refused(1, os.path.dirname(self.damaged), self.new))
        self.refused(2, self.damaged)
        self.assertFalse(os.path.exists(self.new))
        os.mkdir(self.new)
        self.repair()  # an empty directory is fine
        self.assert_clean()

    def test_a_directory_in_use_is_refused(self):
        with Server("--threads", "1", data=self.damaged):
            self.assertIn("a process writes to", self.refused(1, self.damaged, self.new))
        self.assertFalse(os.path.exists(self.new))

    def test_a_reader_of_the_head_is_not_led_astray(self):
        """Page sizes, roots and numbers that cannot be."""
        for at in (16 + 24, 16 + 24 + 48 + 40, 16 + 120, 16 + 128, 10):
            for value in (0, 1, 1 << 20, (1 << 64) - 1):
                with self.subTest(at=at, value=value):
                    for page in (0, pylmdb.PAGE):
                        self.write("work.mdb", page + at, struct.pack("<Q", value))
                    code, out, err = ctl("repair", self.damaged, self.new, "--json")
                    self.assertIn(code, (0, 3), out + err)
                    self.assertEqual(json.loads(out)["jobs"], 4)
                    shutil.rmtree(self.new)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
