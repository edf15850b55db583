"""Studies: what is kept comes back whole, of two writers one is told, rights and limits hold, and the records go with
their directory: restarts, check, dumps, backups, repair."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, RpcError, Server, program  # noqa: E402

SGF = "(;GM[11]SZ[4]C[so];B[b2]TE[2]C[The \\]middle](;W[c3];B[a1])(;W[a1]BM[1]))"
NODES = [{"depth": 1, "move": "b2", "mark": "!!", "text": "The ]middle"}, {"depth": 2, "move": "c3"},
         {"depth": 3, "move": "a1"}, {"depth": 2, "move": "a1", "mark": "?"}]
WRITERS, CHANGES = 6, 8


def ctl(*words, code=0):
    done = subprocess.run([program("proofctl"), *words], capture_output=True, text=True, timeout=TIMEOUT,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


class Studies(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="proofd-studies-")
        self.addCleanup(place.cleanup)
        self.place = place.name

    def refused(self, slug, server, method, **params):
        with self.assertRaises(RpcError) as caught:
            server.rpc(method, **params)
        self.assertEqual(caught.exception.slug, slug, caught.exception)
        return str(caught.exception)

    def test_what_is_kept_comes_back(self):
        with Server("--threads", "1") as server:
            kept = server.rpc("study.put", game="hex:4", title="First", moves=SGF)
            study = server.rpc("study.get", study=kept["study"], record="sgf")
            self.assertEqual((study["text"], study["nodes"], study["moves"]), ("so", NODES, 4))
            again = server.rpc("study.put", game="hex:4", moves=study["record"])
            self.assertEqual(server.rpc("study.get", study=again["study"])["nodes"], NODES)
            third = server.rpc("study.put", game="hex:4", text="so", nodes=NODES)
            self.assertEqual(server.rpc("study.get", study=third["study"])["nodes"], NODES)
            self.assertEqual([row["study"] for row in server.rpc("study.list", limit=2)["studies"]], [3, 2])
            self.assertEqual(server.rpc("study.list", game="hex:5")["count"], 0)
            self.refused("not-found", server, "study.get", study=9)
            self.refused("no-such-job", server, "job.get", job=1)
            self.refused("unsupported", server, "study.get", study=1, record="pgn")
            for node, slug in (({"depth": 2, "move": "b2"}, "invalid-params"), ({"depth": 1, "move": "z9"}, "bad-move"),
                               ({"depth": 1, "move": "b2", "mark": "#"}, "invalid-params")):
                said = self.refused(slug, server, "study.put", game="hex:4", nodes=[node])
                self.assertTrue("node 1: " in said or "mark" in said, said)
            self.refused("bad-move", server, "study.put", game="hex:4", moves="(;GM[11]SZ[4];B[b2](;W[b2]))")
            self.refused("limit", server, "study.put", game="hex:4", text="x" * 16000,
                         nodes=[{"depth": i + 1, "move": move, "text": "x" * 16000} for i, move in
                                enumerate(("a1", "b1", "c1", "d1"))])

    def test_a_record_is_kept_once_if_that_is_asked_for(self):
        with Server("--threads", "1", data=self.place) as server:
            def put(moves=SGF, **more):
                kept = server.rpc("study.put", game=more.pop("game", "hex:4"), moves=moves, **more)
                return kept["study"], kept["revision"]
            self.assertEqual(put(), (1, 1))
            self.assertEqual(put(once=True, title="another"), (1, 1))
            self.assertEqual(put(), (2, 1))
            server.rpc("study.put", study=1, revision=1, game="hex:4", text="changed", nodes=NODES[:1])
            self.assertEqual(put(once=True), (1, 2))
            self.assertEqual(put(SGF + " ", once=True), (3, 1))
            self.assertEqual(put(study=3, revision=1, once=True), (3, 2))  # a change makes no second study
            self.assertEqual(put(["b2"], once=True), (4, 1))
            self.assertEqual(put(["b2"], once=True), (5, 1))
            self.refused("bad-move", server, "study.put", game="hex:4", moves="(;GM[11]SZ[4];B[z9])", once=True)
            server.terminate()
        new = self.place + "/new"
        with open(self.place + "/dump", "w", encoding="utf-8") as file:
            file.write(ctl("dump", self.place))
        ctl("load", file.name, new)
        for data in self.place, new:
            with Server("--threads", "1", data=data) as server:
                kept = server.rpc("study.put", game="hex:4", moves=SGF, once=True)
                self.assertEqual(kept, {"study": 1, "revision": 2})
                server.rpc("study.remove", study=1, revision=2)
                self.assertEqual(server.rpc("study.put", game="hex:4", moves=SGF, once=True)["study"], 2)

    def test_a_record_is_kept_once_by_clients_that_put_it_at_the_same_moment(self):
        with Server("--threads", "1", data=self.place) as server:
            kept = []

            def put(client, barrier):
                for i in range(CHANGES):
                    barrier.wait()
                    kept.append((i, client.rpc("study.put", game="hex:4", moves=SGF + " " * i, once=True)["study"]))

            clients = [server.connect() for _ in range(WRITERS)]
            barrier = threading.Barrier(WRITERS, timeout=TIMEOUT)
            threads = [threading.Thread(target=put, args=(client, barrier)) for client in clients]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for client in clients:
                client.close()
            self.assertEqual(len(kept), WRITERS * CHANGES)
            self.assertEqual(len(set(kept)), CHANGES)
            self.assertEqual(server.rpc("study.list")["count"], CHANGES)

    def test_writers_do_not_overwrite_each_other(self):
        with Server("--threads", "1") as server:
            number = server.rpc("study.put", game="mnk:3,3,3")["study"]
            said = self.refused("invalid-params", server, "study.put", game="mnk:3,3,3", study=number)
            self.assertIn("which revision", said)
            refusals = []

            def write(mine):
                client = server.connect()
                for i in range(CHANGES):
                    while True:
                        study = client.rpc("study.get", study=number)
                        try:
                            client.rpc("study.put", game="mnk:3,3,3", study=number, revision=study["revision"],
                                       text=study.get("text", "") + " %d.%d" % (mine, i))
                            break
                        except RpcError as error:
                            self.assertEqual(error.slug, "revision")
                            refusals.append(str(error))
                client.close()

            threads = [threading.Thread(target=write, args=(i,)) for i in range(WRITERS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            study = server.rpc("study.get", study=number)
            self.assertEqual(study["revision"], 1 + WRITERS * CHANGES)
            self.assertEqual(sorted(study["text"].split()),
                             sorted("%d.%d" % (i, j) for i in range(WRITERS) for j in range(CHANGES)))
            self.refused("revision", server, "study.remove", study=number, revision=1)
            server.rpc("study.remove", study=number, revision=study["revision"])
            self.assertEqual(server.rpc("study.list")["count"], 0)
            print("%d changes by %d writers, %d of them told" % (WRITERS * CHANGES, WRITERS, len(refusals)))

    def test_the_records_go_with_their_directory(self):
        data, other, fresh, backup = (os.path.join(self.place, name) for name in ("data", "other", "fresh", "backup"))
        with Server("--threads", "1", data=data) as server:
            server.rpc("study.put", game="hex:4", title="gone")
            server.rpc("study.put", game="hex:4", title="kept", moves=SGF)
            server.rpc("study.remove", study=1, revision=1)
            server.wait_job(server.rpc("job.submit", game="hex:3", memory="16M")["job"])
            server.kill()
            server.start()
            study = server.rpc("study.get", study=2)
            self.assertEqual((study["title"], study["nodes"], study["revision"]), ("kept", NODES, 1))
            server.rpc("study.put", game="hex:4", study=2, revision=1, text="changed")
        dump = ctl("dump", data)
        self.assertEqual(json.loads(ctl("check", data, "--json"))["studies"], 1)
        text = os.path.join(self.place, "dump")
        with open(text, "w", encoding="utf-8") as file:
            file.write(dump)
        ctl("load", text, other)
        self.assertEqual(ctl("dump", other), dump)
        ctl("repair", data, fresh)
        self.assertEqual(ctl("dump", fresh), dump)
        restored = os.path.join(self.place, "restored")
        ctl("backup", backup, "--data", data)
        ctl("restore", backup, restored)
        self.assertEqual(ctl("dump", restored), dump)
        bad = dump.replace('"text":"changed"', '"text":"changed","nodes":[{"depth":1,"move":"z9"}]').replace(
            ',"nodes":[]}}', "}}")
        with open(text, "w", encoding="utf-8") as file:
            file.write(bad)
        done = subprocess.run([program("proofctl"), "load", text, other + "2"], timeout=TIMEOUT, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL)
        self.assertIn("study: node 1: ", done.stderr)
        self.assertFalse(os.path.exists(other + "2"))

    def test_rights_and_limits(self):
        tokens = os.path.join(self.place, "tokens")
        with open(tokens, "w", encoding="utf-8") as file:
            file.write("query %s\nsubmit:ann %s\nsubmit:bob %s\n" % ("q" * 20, "a" * 20, "b" * 20))
        os.chmod(tokens, 0o600)
        with Server("--threads", "1", "--token-file", tokens, "--jobs-per-client", "2") as server:
            reader, ann, bob = (server.connect() for _ in range(3))
            for client, letter in ((reader, "q"), (ann, "a"), (bob, "b")):
                self.addCleanup(client.close)
                client.rpc("server.hello", token=letter * 20)
            self.refused("forbidden", reader, "study.put", game="hex:4")
            for _ in range(2):
                ann.rpc("study.put", game="hex:4", title="of ann")
            self.assertIn("has 2 studies", self.refused("limit", ann, "study.put", game="hex:4"))
            self.assertEqual(reader.rpc("study.get", study=1)["client"], "ann")
            bob.rpc("study.put", game="hex:4", study=1, revision=1, text="b")
            said = self.refused("revision", ann, "study.put", game="hex:4", study=1, revision=1, text="a")
            self.assertIn("study 1, 'of ann', was changed to revision 2", said)
            self.assertIn("by bob", said)
            self.refused("forbidden", reader, "study.remove", study=1, revision=2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
