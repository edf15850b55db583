"""Tables by retrograde analysis go with their data directory: backup, restore, repair and check know them, and a
damaged one is never taken along."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, RpcError, Server, program  # noqa: E402

NAMES = ["antichess.BvB.table", "antichess.KvB.table", "antichess.KvK.table"]


class Upkeep(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="proofd-tables-")
        self.addCleanup(place.cleanup)
        self.data, self.other, self.backups = (os.path.join(place.name, name) for name in ("data", "other", "backups"))
        os.mkdir(self.backups)
        self.ctl(0, "solve", "mnk:3,3,3", "--data", self.data)
        self.ctl(0, "table", "build", "antichess", "KvB", "KvK", "BvB", "--data", self.data)
        self.tables = self.read(self.data)
        self.assertEqual(sorted(self.tables), NAMES)

    def ctl(self, code, *words):
        done = subprocess.run(
            [program("proofctl"), *words], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def read(self, directory):
        tables = {}
        for name in os.listdir(os.path.join(directory, "tables")):
            with open(os.path.join(directory, "tables", name), "rb") as file:
                tables[name] = file.read()
        return tables

    def strike(self, directory, name, at, bits=1):
        with open(os.path.join(directory, "tables", name), "r+b") as file:
            file.seek(at)
            old = file.read(1)[0]
            file.seek(at)
            file.write(bytes([old ^ bits]))

    def check(self, code, directory):
        out, err = self.ctl(code, "check", directory, "--json")
        return json.loads(out), err

    def test_check_reports_what_is_damaged(self):
        self.assertEqual(self.check(0, self.data)[0]["tables"], 3)
        size = len(self.tables[NAMES[1]])
        for at, what in ((len(self.tables[NAMES[1]]) // 2, "block 0 is damaged"), (3, "damaged"),
                         (size - 1, "damaged")):
            self.strike(self.data, NAMES[1], at)
            found, err = self.check(1, self.data)
            self.assertEqual((found["problems"], found["tables"]), (1, 3))
            self.assertIn(NAMES[1], err)
            self.assertIn(what, err)
            self.assertIn("build the table again", err)
            self.strike(self.data, NAMES[1], at)
        digest = self.tables[NAMES[1]].index(b"digest: ") + 8
        with open(os.path.join(self.data, "tables", NAMES[1]), "r+b") as file:
            file.seek(digest)
            file.write(b"0" * 64)
        self.assertIn("digest", self.check(1, self.data)[1])
        self.ctl(0, "table", "build", "antichess", "KvB", "--data", self.data)
        self.assertEqual(self.check(0, self.data)[0]["problems"], 0)
        self.assertEqual(self.read(self.data), self.tables)

    def test_a_header_of_another_class_is_not_believed(self):
        """One bit makes `KvB` of `KvR`, with as many entries."""
        path = os.path.join(self.data, "tables", NAMES[1])
        position = "8/8/8/8/3k4/8/8/R7 w - -"
        words = ("solve", "antichess", "--position", position, "--claim", "second-wins", "--nodes", "1")
        first = self.ctl(3, *words)[0]
        self.strike(self.data, NAMES[1], self.tables[NAMES[1]].index(b"KvB") + 2, 16)
        out, err = self.ctl(3, *words, "--data", self.data)
        self.assertEqual(out.split("\n")[0], first.split("\n")[0])
        self.assertIn("has the header of the table KvR of antichess; it is not used", err)
        out = self.ctl(1, "table", "list", "--data", self.data)[0]
        self.assertIn(NAMES[1] + " cannot be used: it has the header of another table", out)
        self.assertIn("it has the header of another table; build the table again", self.ctl(1, "check", self.data)[1])
        with open(path, "rb") as file:
            damaged = file.read()
        with open(path, "wb") as file:
            file.write(damaged.replace(b"game: antichess", b"game: antichesr"))
        self.assertIn("it is not used", self.ctl(3, *words, "--data", self.data)[1])

    def test_searches_do_without_a_damaged_block(self):
        words = ("solve", "antichess", "--json", "--position")
        positions = ("7B/8/1K6/8/8/2b5/8/8 b - -", "8/8/8/3B4/8/1b6/8/8 w - -", "8/5B2/8/8/2b5/8/1K6/8 b - -")
        values = [json.loads(self.ctl(0, *words, one)[0])["value"] for one in positions]
        for name in NAMES:
            self.strike(self.data, name, len(self.tables[name]) // 2)
        shutil.copytree(self.data, self.other)
        for one, value in zip(positions, values):
            out, err = self.ctl(0, *words, one, "--data", self.data)
            self.assertEqual(json.loads(out)["value"], value)
            self.assertIn("searches do without it", err)
        with Server("--threads", "1", "--nice", "0", data=self.other) as server:
            for one, value in zip(positions, values):
                job = server.rpc("job.submit", game="antichess", position=one)["job"]
                result = server.wait_job(job)["result"]["value"]
                self.assertEqual((result["lo"], result["hi"]), (value["lo"], value["hi"]))

    def test_check_follows_moves_to_what_only_tables_found(self):
        """A job that has not ended has solved entries that rest on tables alone, also after kills."""
        self.ctl(0, "table", "build", "checkers:8", "2", "--data", self.data)
        with Server("--threads", "2", "--nice", "0", "--checkpoint", "0.1", data=self.data) as server:
            job = server.rpc("job.submit", game="checkers:8", position="B:WK31,32:B1,2", algorithm="df-pn",
                             memory=4 << 20, budget={"nodes": 10**9})["job"]
            for kill in range(3):
                while server.rpc("job.get", job=job)["nodes"]["level1"] < 20000 << kill:
                    time.sleep(0.02)
                server.kill()
                found = self.check(0, self.data)[0]
                self.assertEqual(found["problems"], 0)
                self.assertLess(found["unreached"], 10)  # behind positions that the search was at
                server.start()
            server.rpc("job.cancel", job=job)
            self.assertEqual(server.terminate(), 0)

    def test_check_counts_what_rests_on_damaged_tables(self):
        with Server("--threads", "1", "--nice", "0", data=self.data) as server:
            job = server.rpc("job.submit", game="antichess", position="8/8/8/7K/3K4/8/8/4b3 w - -",
                             budget={"nodes": 3000})["job"]
            self.assertEqual(server.wait_job(job)["state"], "exhausted")
            self.assertEqual(server.terminate(), 0)
        found = self.check(0, self.data)[0]
        self.assertEqual((found["problems"], found["unreached"]), (0, 0))
        for name in NAMES:
            self.strike(self.data, name, len(self.tables[name]) // 2)
        self.assertGreater(self.check(1, self.data)[0]["unreached"], 0)
        self.assertIn("could not be checked: no fact and no table leads to them", self.ctl(1, "check", self.data)[0])

    def test_a_table_without_those_that_it_rests_on(self):
        """It answers, but its proofs end where the others would begin."""
        position = "8/8/8/3k4/8/8/7b/K7 w - -"
        self.ctl(0, "table", "build", "antichess", "KBvK", "--data", self.data)
        os.unlink(os.path.join(self.data, "tables", NAMES[2]))
        words = (position, "--data", self.data)
        self.ctl(0, "query", "antichess", *words)
        hint = "the table KBvK rests on the table KvK, which is missing: proofctl table build antichess KBvK"
        err = self.ctl(1, "export", "antichess", self.other, "--position", *words)[1]
        self.assertIn(hint, err.splitlines()[-1])
        with Server("--threads", "1", "--nice", "0", data=self.data) as server:
            for _ in range(3):
                with self.assertRaises(RpcError) as caught:
                    server.rpc("proof.export", game="antichess", position=position)
                self.assertIn(hint, caught.exception.message)
            self.assertEqual(server.log().count("some proofs will lack positions: " + hint), 1)  # not for each one
        self.ctl(0, "table", "build", "antichess", "KBvK", "--data", self.data)
        self.assertNotIn("rests on", self.ctl(0, "export", "antichess", self.other, "--position", *words)[1])

    def test_what_is_not_a_file_is_not_a_checkpoint(self):
        checkpoint = os.path.join(self.data, "tables", NAMES[1].replace(".table", ".build"))
        for make in (os.mkfifo, lambda path: os.symlink("/dev/zero", path)):
            os.remove(os.path.join(self.data, "tables", NAMES[1]))
            make(checkpoint)
            self.assertNotIn("KvB", self.ctl(0, "table", "list", "--data", self.data)[0])
            self.ctl(0, "table", "build", "antichess", "KvB", "--data", self.data)
            self.assertEqual(self.read(self.data), self.tables)

    def test_what_does_not_fit_is_refused_before_it_starts(self):
        said = self.ctl(2, "table", "build", "checkers:8", "KMvK", "--data", self.data, "--memory", "1M")[1]
        self.assertIn("the table KMvK of checkers:8 takes about", said)
        self.assertEqual(self.read(self.data), self.tables)

    def test_facts_that_rest_on_tables_go_elsewhere(self):
        position = "5k2/4KB2/8/8/8/8/8/5b2 b - -"
        self.ctl(0, "table", "build", "antichess", "KBvK", "KBvB", "--data", self.data)
        with Server("--threads", "1", "--nice", "0", data=self.data) as server:
            job = server.rpc("job.submit", game="antichess", position=position)["job"]
            self.assertEqual(server.wait_job(job)["state"], "solved")
            self.assertEqual(server.terminate(), 0)
        self.ctl(0, "solve", "mnk:3,3,3", "--data", self.other)
        err = self.ctl(0, "import-facts", self.data, self.other)[1]
        self.assertRegex(err, r"rest on tables of FROM that INTO lacks \([0-9]+, such as antichess.BvB.table\)")
        self.assertGreater(self.check(1, self.other)[0]["problems"], 0)
        shutil.copytree(os.path.join(self.data, "tables"), os.path.join(self.other, "tables"))
        self.assertEqual(self.ctl(0, "import-facts", self.data, self.other)[1], "")
        self.assertEqual(self.check(0, self.other)[0]["problems"], 0)
        dump, loaded = os.path.join(self.backups, "dump"), os.path.join(self.backups, "loaded")
        with open(dump, "w", encoding="utf-8") as file:
            file.write(self.ctl(0, "dump", self.data)[0])
        self.assertIn("or rests on tables", self.ctl(1, "load", dump, loaded)[1])
        self.ctl(0, "load", dump, loaded, "--no-verify")
        shutil.copytree(os.path.join(self.data, "tables"), os.path.join(loaded, "tables"))
        self.assertEqual(self.check(0, loaded)[0]["problems"], 0)

    def test_discard_removes_what_a_kill_left(self):
        for end in (".build", ".new", ".lock"):
            with open(os.path.join(self.data, "tables", "antichess.KvN" + end), "wb") as file:
                file.write(b"half of it")
        self.assertIn("checkpoints deleted: 1",
                      self.ctl(0, "table", "discard", "antichess", "KvN", "--data", self.data)[0])
        self.assertEqual(self.read(self.data), self.tables)

    def test_a_number_of_men_is_a_number(self):
        for word in ("0", "99", "2x", "18446744073709551618"):
            said = self.ctl(2, "table", "build", "antichess", word, "--data", self.data)[1]
            self.assertIn("antichess has no classes with '%s' men" % word, said)
        self.assertIn("KvK of antichess", self.ctl(1, "table", "verify", "antichess", "2", "--data", self.data)[0])

    def test_a_build_replaces_what_is_damaged_and_nothing_else(self):
        def built():
            found = {name: os.stat(os.path.join(self.data, "tables", name)) for name in NAMES}
            return {name: (stat.st_ino, stat.st_mtime_ns) for name, stat in found.items()}

        before = built()
        for at in (3, len(self.tables[NAMES[2]]) // 2, len(self.tables[NAMES[2]]) - 1):
            self.strike(self.data, NAMES[2], at)
            self.assertIn("damaged tables that were built again: 1",
                          self.ctl(0, "table", "build", "antichess", "KvB", "KvK", "--data", self.data)[1])
            self.assertEqual(self.read(self.data), self.tables)
        after = built()
        self.assertEqual([name for name in NAMES if before[name] != after[name]], NAMES[2:])
        with open(os.path.join(self.data, "tables", NAMES[0]), "wb") as file:  # a table of another game
            file.write(self.tables[NAMES[0]].replace(b"game: antichess\n", b"game: antichesz\n"))
        self.assertIn("is a table of another game",
                      self.ctl(1, "table", "build", "antichess", "BvB", "--data", self.data)[1])

    def test_a_build_forgets_what_a_kill_left_of_a_finished_one(self):
        """A process may be killed when it has written the table, but not yet removed its checkpoint."""
        left = os.path.join(self.data, "tables", NAMES[0].removesuffix(".table") + ".build")
        with open(left, "wb") as file:
            file.write(b"a checkpoint")
        self.ctl(0, "table", "build", "antichess", "KvB", "KvK", "BvB", "--data", self.data)
        self.assertFalse(os.path.exists(left))
        self.assertEqual(self.read(self.data), self.tables)

    def test_a_backup_has_the_tables(self):
        backup = os.path.join(self.backups, "one")
        self.ctl(0, "backup", backup, "--data", self.data)
        self.assertEqual(self.read(backup), self.tables)
        self.ctl(0, "restore", backup, self.other)
        self.assertEqual(self.read(self.other), self.tables)
        self.assertEqual(self.check(0, self.other)[0]["tables"], 3)
        self.strike(backup, NAMES[0], len(self.tables[NAMES[0]]) // 2)
        again = self.other + "2"
        self.assertIn(NAMES[0], self.ctl(1, "restore", backup, again)[1])
        self.assertFalse([name for name in os.listdir(os.path.dirname(again)) if name.startswith("other2")])
        os.unlink(os.path.join(backup, "tables", NAMES[0]))
        self.ctl(0, "restore", backup, again)
        self.assertEqual(sorted(self.read(again)), NAMES[1:])

    def test_a_backup_leaves_out_and_names_what_is_damaged(self):
        backup = os.path.join(self.backups, "two")
        self.strike(self.data, NAMES[2], len(self.tables[NAMES[2]]) // 2)
        said = "table %s: block 0 is damaged" % NAMES[2]
        self.assertIn("left out: " + said, self.ctl(3, "backup", backup, "--data", self.data)[1])
        self.assertEqual(sorted(self.read(backup)), NAMES[:2])
        shutil.rmtree(backup)
        out = self.ctl(3, "backup", backup, "--data", self.data, "--json")[0]
        self.assertEqual(json.loads(out)["left_out"], said)
        self.ctl(0, "restore", backup, self.other)
        self.assertEqual(sorted(self.read(self.other)), NAMES[:2])
        self.assertEqual(self.check(0, self.other)[0]["facts"], self.check(1, self.data)[0]["facts"])
        with Server("--backup-dir", self.backups, data=self.data) as server:
            self.assertEqual(self.back_up(server, "three")["left_out"], said)
            self.assertIn("backup three: damaged and left out (1): " + said, server.log())
            os.unlink(os.path.join(self.data, "tables", NAMES[2]))
            self.assertNotIn("left_out", self.back_up(server, "four"))

    def back_up(self, server, name):
        state = server.admin("server.backup", name=name)
        while state["state"] == "running":
            state = server.admin("server.backup")
        self.assertEqual(state["state"], "complete", state)
        return state

    def test_a_server_backs_them_up(self):
        with Server("--backup-dir", self.backups, data=self.data) as server:
            self.back_up(server, "three")
        self.assertEqual(self.read(os.path.join(self.backups, "three")), self.tables)

    def test_repair_leaves_out_what_is_damaged(self):
        self.strike(self.data, NAMES[1], len(self.tables[NAMES[1]]) // 2)
        out = json.loads(self.ctl(3, "repair", self.data, self.other, "--json")[0])
        self.assertEqual((out["whole"], out["retro_tables"], out["retro_tables_lost"]), (False, 2, 1))
        self.assertEqual(self.read(self.other), {name: self.tables[name] for name in (NAMES[0], NAMES[2])})
        self.ctl(0, "table", "build", "antichess", "KvB", "--data", self.other)
        self.assertEqual(self.read(self.other), self.tables)
        self.check(0, self.other)

    def test_what_cannot_be_opened_is_left_out(self):
        path = os.path.join(self.data, "tables", NAMES[1])
        words = ("solve", "antichess", "--position", "8/8/8/8/8/5b2/7B/1K6 w - -", "--data", self.data)
        self.ctl(0, *words)  # facts of the game
        for make in (lambda: os.symlink("nowhere", path), lambda: os.mkfifo(path), lambda: os.mkdir(path)):
            os.unlink(path)
            make()
            found, err = self.check(1, self.data)
            self.assertEqual((found["problems"], found["tables"]), (1, 3))
            self.assertIn(NAMES[1], err)
            self.assertIn("it is not used", self.ctl(0, *words)[1])
            out = json.loads(self.ctl(3, "repair", self.data, self.other, "--json")[0])
            self.assertEqual((out["retro_tables"], out["retro_tables_lost"]), (2, 1))
            self.assertEqual(self.read(self.other), {name: self.tables[name] for name in (NAMES[0], NAMES[2])})
            shutil.rmtree(self.other)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
