"""Tables as jobs of the server: progress, kills, cancelling, what is refused, two builders, memory beside searches."""

import concurrent.futures
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import effort  # noqa: E402
from pyproofd import TIMEOUT, RpcError, Server, program  # noqa: E402

GAME = "checkers:8"
LONG = "KKvMM" if effort.whole() else "KMvM"  # a class whose build is killed


class TableJobs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="proofd-tables-")
        cls.whole = os.path.join(cls.place.name, "whole")
        subprocess.run([program("proofctl"), "table", "build", GAME, "KKvM", LONG, "--data", cls.whole], check=True,
                       stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="proofd-tables-")
        self.addCleanup(place.cleanup)
        self.data = os.path.join(place.name, "data")

    def path(self, name, data=None):
        return os.path.join(data or self.data, "tables", GAME.replace(":", "_") + "." + name)

    def same(self, name):
        for data in (self.whole, self.data):
            with open(self.path(name + ".table", data), "rb") as file:
                yield file.read()

    def build(self, server, name="KKvM", game=GAME):
        for one in server.rpc("table.list")["builds"]:
            if (one["game"], one["material"]) == (game, name):
                return one
        return None

    def wait(self, server, *states, name="KKvM"):
        end = time.monotonic() + TIMEOUT
        while True:
            one = self.build(server, name)
            if one and one["state"] in states:
                return one
            self.assertLess(time.monotonic(), end, one)
            time.sleep(0.01)

    def refused(self, call, slug, field):
        with self.assertRaises(RpcError) as caught:
            call()
        self.assertEqual((caught.exception.slug, caught.exception.field), (slug, field), caught.exception.message)
        return caught.exception.message

    def test_a_table_is_built_and_listed(self):
        with Server("--threads", "1", "--nice", "0", data=self.data) as server:
            first = server.rpc("table.build", game="checkers", material="KKvM", threads=2)
            self.assertEqual((first["game"], first["material"], first["threads"]), (GAME, "KKvM", 2))
            self.assertGreater(first["memory"], 100000)
            again = server.rpc("table.build", game=GAME, material="KKvM")
            self.assertIn(again["state"], ("queued", "running", "complete"))
            done = self.wait(server, "complete")
            self.assertEqual(done["made"] + again.get("made", 0) > 0, True)
            self.assertFalse(os.path.exists(self.path("KKvM.order")))
            found = {one["material"]: one for one in server.rpc("table.list", game=GAME)["tables"]}
            self.assertEqual(found["KKvM"]["bytes"], os.path.getsize(self.path("KKvM.table")))
            self.assertEqual(len(found["KKvM"]["digest"]), 64)
            self.assertEqual(server.rpc("table.list", game="antichess"),
                             {"tables": [], "damaged": [], "checkpoints": [], "builds": []})
        with Server("--threads", "1", "--nice", "0", "--read-only", data=self.data) as server:
            self.assertIn("KKvM", [one["material"] for one in server.rpc("table.list")["tables"]])
            self.refused(lambda: server.rpc("table.build", game=GAME, material="KvK"), "unsupported", None)
            self.assertNotIn("tables", server.rpc("server.hello")["features"])
        whole, ours = self.same("KKvM")
        self.assertEqual(whole, ours)

    def test_killed_servers_go_on(self):
        server = Server("--threads", "1", "--nice", "0", data=self.data)
        with server:
            server.rpc("table.build", game=GAME, material=LONG, threads=2)
            for kill in range(10 if effort.whole() else 3):
                time.sleep(0.05 * kill)
                server.kill()
                self.assertTrue(any(os.path.exists(self.path(LONG + end)) for end in (".order", ".table")))
                server.start()
                if (self.build(server, LONG) or {}).get("state") == "failed":  # killed before it got anywhere
                    server.rpc("table.build", game=GAME, material=LONG, threads=2)
            if os.path.exists(self.path(LONG + ".order")):
                self.wait(server, "complete", name=LONG)
        whole, ours = self.same(LONG)
        self.assertEqual(whole, ours)
        self.assertEqual([name for name in os.listdir(os.path.dirname(self.path(""))) if name.endswith(".order")], [])

    def test_a_server_that_stops_goes_on_later(self):
        with Server("--threads", "1", "--nice", "0", data=self.data) as server:
            server.rpc("table.build", game=GAME, material="KKvMM")
            self.assertEqual(server.terminate(), 0)
            self.assertTrue(os.path.exists(self.path("KKvMM.order")))
            server.start()
            self.assertIn(self.build(server, "KKvMM")["state"], ("queued", "running", "complete"))

    def test_an_order_that_has_ended_makes_room(self):
        with Server("--threads", "1", "--nice", "0", data=self.data) as server:
            server.rpc("table.build", game=GAME, material="KvK")
            self.wait(server, "complete", name="KvK")
            server.rpc("table.build", game=GAME, material="KKvMM")
            self.wait(server, "running", "complete", name="KKvMM")
            server.rpc("table.build", game=GAME, material="KvK")
            self.assertEqual([one["material"] for one in server.rpc("table.list")["builds"]], ["KKvMM", "KvK"])
            server.rpc("table.cancel", game=GAME, material="KKvMM", discard=True)
            self.wait(server, "complete", name="KvK")

    def order_text(self, name):
        with open(self.path(name + ".order"), encoding="utf-8") as file:
            return file.read()

    def test_a_build_that_ends_the_server_three_times_fails(self):
        waits = ("--threads", "1", "--nice", "0", "--disk-reserve", "1000T")
        with Server(*waits, data=self.data) as server:
            server.rpc("table.build", game=GAME, material="KKvMM")
            self.assertEqual(server.terminate(), 0)
        order = self.order_text("KKvMM")
        for run, count in ((0, 2), (1, 3), (0, 3)):
            shutil.rmtree(os.path.dirname(self.path("")))
            os.mkdir(os.path.dirname(self.path("")))
            with open(self.path("KKvMM.order"), "w", encoding="utf-8") as file:
                file.write(order + count * ("run: %016x\n" % run))  # 0 means no table and no checkpoint
            with Server(*waits, data=self.data) as server:
                found = self.build(server, "KKvMM")
                fails = run == 0 and count == 3
                self.assertEqual(found["state"] == "failed", fails, found)
                self.assertEqual(os.path.exists(self.path("KKvMM.order")), not fails)
                self.assertEqual(server.terminate(), 0)
            if not fails:
                self.assertEqual(self.order_text("KKvMM"), order)
        self.assertIn("proofd ended 3 times in a row", found["reason"])
        with Server(*waits, data=self.data) as server:
            self.assertIsNone(self.build(server, "KKvMM"))
            self.assertEqual(server.rpc("table.build", game=GAME, material="KKvMM")["state"], "queued")

    def test_an_order_names_the_runs_that_did_not_end(self):
        with Server("--threads", "1", "--nice", "0", data=self.data) as server:
            server.rpc("table.build", game=GAME, material="KKvMM")
            end = time.monotonic() + TIMEOUT
            while "run: " not in self.order_text("KKvMM"):
                self.assertLess(time.monotonic(), end)
            server.kill()
            self.assertEqual(self.order_text("KKvMM").count("\nrun: "), 1)
            server.start()
            while self.build(server, "KKvMM")["state"] == "queued":
                self.assertLess(time.monotonic(), end)
            self.assertEqual(server.terminate(), 0)
            if os.path.exists(self.path("KKvMM.order")):  # it is not complete
                self.assertNotIn("run: ", self.order_text("KKvMM"))

    def test_a_build_is_cancelled(self):
        with Server("--threads", "1", "--nice", "0", data=self.data) as server:
            for name in ("KKKvKK", "KKvM"):  # the first takes longer than any machine is busy
                server.rpc("table.build", game=GAME, material=name)
            server.rpc("table.cancel", game=GAME, material="KKvM")
            server.rpc("table.cancel", game="checkers", material="KKKvKK")
            for name in ("KKKvKK", "KKvM"):
                self.wait(server, "cancelled", name=name)
                self.assertFalse(os.path.exists(self.path(name + ".order")))
            self.refused(lambda: server.rpc("table.cancel", game=GAME, material="KKvM"), "wrong-state", "material")
            self.refused(lambda: server.rpc("table.cancel", game=GAME, material="KvK"), "not-found", "material")
            server.rpc("table.build", game=GAME, material="KKvM", threads=2)
            self.wait(server, "complete")
            self.assertEqual(len(server.rpc("table.list")["builds"]), 2)
        whole, ours = self.same("KKvM")
        self.assertEqual(whole, ours)

    def test_what_does_not_fit_is_refused(self):
        with Server("--threads", "1", "--nice", "0", "--memory", "4M", data=self.data) as server:
            def build(game, name, **more):
                return lambda: server.rpc("table.build", game=game, material=name, **more)
            self.assertIn("memory to build", self.refused(build(GAME, "KKvMM"), "invalid-params", "memory"))
            self.refused(build(GAME, "KKvX"), "invalid-params", "material")
            self.refused(build("hex:5", "KKvK"), "unsupported", "game")
            self.refused(build("chess", "KKvK"), "bad-game", "game")
            self.refused(build(GAME, "KKvK", threads=0), "invalid-params", "threads")
            self.assertEqual(server.rpc("table.list")["builds"], [])
        self.assertEqual([name for name in os.listdir(os.path.dirname(self.path(""))) if name.endswith(".order")], [])

    def test_another_builder_of_the_class_comes_first(self):
        os.makedirs(os.path.dirname(self.path("")))
        with Server("--threads", "1", "--nice", "0", data=self.data) as server, \
                open(self.path("KvK.lock"), "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            server.rpc("table.build", game=GAME, material="KvK")
            end = time.monotonic() + TIMEOUT
            while self.build(server, "KvK").get("code") != "busy":
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
            waits = self.build(server, "KvK")
            self.assertEqual(waits["state"], "queued")
            self.assertIn("another process builds", waits["reason"])
            lock.close()
            self.wait(server, "complete", name="KvK")

    def test_searches_and_tables_share_the_memory(self):
        with Server("--threads", "1", "--nice", "0", "--memory", "64M", data=self.data) as server:
            job = server.rpc("job.submit", game="connect4:7x6", memory="64M")["job"]
            server.wait_job(job, states=["running"])
            server.rpc("table.build", game=GAME, material="KKvM")
            end = time.monotonic() + TIMEOUT
            while self.build(server).get("code") != "limit":
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
            self.assertIn("and running jobs leave", self.build(server)["reason"])
            server.rpc("job.pause", job=job)
            self.wait(server, "complete")

    def test_a_build_waits_while_the_disk_is_short(self):
        with Server("--threads", "1", "--nice", "0", "--disk-reserve", "1000T", data=self.data) as server:
            server.rpc("table.build", game=GAME, material="KKvMM")
            end = time.monotonic() + TIMEOUT
            while self.build(server, "KKvMM").get("code") != "no-space":
                self.assertLess(time.monotonic(), end, self.build(server, "KKvMM"))
                time.sleep(0.01)
            self.assertEqual(self.build(server, "KKvMM")["state"], "queued")
            self.assertEqual("checkers_8.KKvMM.table" in self.files(".table"), False)
            order = self.path("KKvMM.order")
            os.rename(order, order + ".kept")
            os.mkdir(order)  # it cannot be removed: the next server would build the table
            self.refused(lambda: server.rpc("table.cancel", game=GAME, material="KKvMM"), "io", "data")
            self.assertEqual(self.build(server, "KKvMM")["state"], "queued")
            os.rmdir(order)
            os.rename(order + ".kept", order)
            self.assertEqual(server.rpc("table.cancel", game=GAME, material="KKvMM")["state"], "cancelled")
            self.assertEqual(self.files(".order"), [])

    def test_proofctl_builds_lists_and_cancels(self):
        def ctl(code, *words):
            done = subprocess.run([program("proofctl"), "table", *words, "--socket", server.socket_path],
                                  capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            return done.stdout + done.stderr

        with Server("--threads", "1", "--nice", "0", data=self.data) as server:
            self.assertRegex(ctl(0, "build", "checkers", "KvK", "KvM"),
                             "KvK of checkers:8: complete.*\n.*KvM of checkers")
            listed = ctl(0, "list", GAME)
            self.assertRegex(listed, r"KvM of checkers:8\n +positions +1,736: [\d,]+ won")
            self.assertIn("KvK of checkers:8: complete", listed)
            self.assertIn("is complete", ctl(1, "cancel", GAME, "KvK"))
            self.assertIn("KvK of checkers:8: complete", ctl(0, "discard", GAME, "KvK"))
            self.assertIn("name the data directory", ctl(2, "verify", GAME, "KvK"))
            self.assertIn("leave out --data", ctl(2, "cancel", GAME, "KvK", "--data", self.data))
            self.assertIn("bad class", ctl(2, "build", GAME, "KvX"))

    def test_checkpoints_stay_until_they_are_discarded(self):
        with Server("--threads", "1", "--nice", "0", data=self.data) as server:
            for discard in (False, True):
                server.rpc("table.build", game=GAME, material="KKvMM")
                end = time.monotonic() + TIMEOUT
                while not any("KKvMM" in name for name in self.files(".build")):
                    self.assertLess(time.monotonic(), end)
                    now = self.build(server, "KKvMM")
                    if now.get("building") == "KKvMM" and now.get("plies", 0) > 0:
                        break  # the checkpoint is written when it stops
                    time.sleep(0.005)
                server.rpc("table.cancel", game=GAME, material="KKvMM", discard=discard)
                done = self.wait(server, "cancelled", name="KKvMM")
                left = server.rpc("table.list", game=GAME)["checkpoints"]
                self.assertEqual([one["material"] for one in left], [] if discard else ["KKvMM"])
                self.assertEqual("discarded" in done, discard, done)
                self.assertEqual(len(self.files(".build")), len(left))
        with open(self.path("KvK.build"), "wb") as file:
            file.write(b"of a build that was killed")
        with Server("--threads", "1", "--nice", "0", data=self.data) as server:
            self.refused(lambda: server.rpc("table.cancel", game=GAME, material="KvK"), "not-found", "material")
            self.assertEqual(server.rpc("table.cancel", game=GAME, material="KvK", discard=True)["discarded"], 1)
            server.rpc("table.build", game=GAME, material="KKKvKK")  # the next order waits for it
            with open(self.path("MvM.build"), "wb") as file:
                file.write(b"of a build that was killed")
            server.rpc("table.build", game=GAME, material="MvM")
            server.rpc("table.cancel", game=GAME, material="MvM", discard=True)
            self.assertEqual(self.wait(server, "cancelled", name="MvM")["discarded"], 1)
            server.rpc("table.cancel", game=GAME, material="KKKvKK", discard=True)
            with open(self.path("KvK.lock"), "wb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                self.refused(lambda: server.rpc("table.cancel", game=GAME, material="KvK", discard=True), "busy",
                             "material")
        self.assertEqual(self.files(".build"), [])

    def files(self, suffix):
        return [name for name in os.listdir(os.path.dirname(self.path(""))) if name.endswith(suffix)]

    def test_a_damaged_table_is_named_in_the_list(self):
        shutil.copytree(os.path.join(self.whole, "tables"), os.path.join(self.data, "tables"))
        with open(self.path("KvM.table"), "r+b") as file:
            file.truncate(os.path.getsize(self.path("KvM.table")) - 1)
        with Server("--threads", "1", "--nice", "0", data=self.data) as server:
            found = server.rpc("table.list")
            self.assertEqual([one["file"] for one in found["damaged"]], ["checkers_8.KvM.table"])
            self.assertIn("damaged", found["damaged"][0]["reason"])
            self.assertIn("KKvM", [one["material"] for one in found["tables"]])
            self.assertNotIn("KvM", [one["material"] for one in found["tables"]])
            for place in (["--socket", server.socket_path], ["--data", self.data]):
                done = subprocess.run([program("proofctl"), "table", "list", *place], capture_output=True, text=True,
                                      timeout=TIMEOUT)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("checkers_8.KvM.table cannot be used", done.stdout)
                self.assertIn("KKvM of checkers:8\n", done.stdout)

    def test_the_same_order_twice_at_once_is_one_build(self):
        with Server("--threads", "1", "--nice", "0", data=self.data) as server:
            def order(n):
                with server.connect(unix=True) as other:
                    return other.rpc("table.build", game=GAME, material="KKvM", threads=n)
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                found = list(pool.map(order, (1, 2, 3, 4)))
            self.assertEqual({one["material"] for one in found}, {"KKvM"})
            self.assertEqual(len(server.rpc("table.list")["builds"]), 1)

    def test_an_order_that_cannot_be_read_is_kept(self):
        with Server("--threads", "1", data=self.data) as server:
            server.kill()
            path = self.path("KKvM.order")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink("/proc/self/mem", path)  # a read of address 0: EIO
            server.start()
            self.assertTrue(os.path.lexists(path))
            self.assertIn("cannot read %s" % path, server.log())

    def test_a_damaged_order_is_removed(self):
        os.makedirs(os.path.dirname(self.path("")))
        with open(self.path("KvK.order"), "w", encoding="utf-8") as file:
            file.write("proofd table order 1\ngame: checkers:8\nclass: KvK\nthreads: 1\nsum: 0123456789abcdef\n")
        with Server("--threads", "1", "--nice", "0", data=self.data) as server:
            self.assertEqual(server.rpc("table.list")["builds"], [])
        self.assertFalse(os.path.exists(self.path("KvK.order")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
