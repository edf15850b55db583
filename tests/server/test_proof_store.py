"""The certificates that a server keeps: listed, removed, and checked by proofcheck, which believes neither names nor
contents."""

import os
import select
import shutil
import socket
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from pyproofd import TIMEOUT, RpcError, Server, build_has, program  # noqa: E402


KILLS = 20  # at most, until one comes while a certificate is made


def shelf_of(server):
    return os.path.join(server.data, "proofs")


def files_of(server):
    return os.listdir(shelf_of(server)) if os.path.isdir(shelf_of(server)) else []


def write(path, content, mode=0o644):
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, mode)


def content_of(path):
    with open(path, "rb") as file:
        return file.read()


class Alone(Server):
    """A proofd that has no proofcheck next to it."""

    def command(self):
        words = super().command()
        own = os.path.join(self.dir, "proofd")
        if not os.path.exists(own):
            shutil.copy(words[0], own)
        return [own] + words[1:]


class Store(unittest.TestCase):
    def refused(self, server, method, slug, field, **params):
        with self.assertRaises(RpcError) as caught:
            server.rpc(method, **params)
        self.assertEqual((caught.exception.slug, caught.exception.field), (slug, field), params)
        return caught.exception.message

    def made(self, server, game="mnk:4,3,3", **more):
        if not server.rpc("job.list")["jobs"]:
            server.wait_job(server.rpc("job.submit", game=game, memory="8M")["job"])
        return server.rpc("proof.export", game=game, **more)

    def test_the_list_is_in_the_order_of_use(self):
        with Server("--threads", "1") as server:
            self.assertEqual(server.rpc("proof.list")["proofs"], [])
            made = [self.made(server, claim=claim) for claim in ("value", "first-wins", "first-draws")]
            for age, proof in zip((300, 100, 200), made):
                os.utime(proof["file"], (1700000000 - age, 1700000000 - age))
            write(os.path.join(shelf_of(server), "0" * 32 + ".cert.part"), b"half")
            write(os.path.join(shelf_of(server), "note"), b"no certificate")
            told = server.rpc("proof.list")
            self.assertEqual([proof["proof"] for proof in told["proofs"]],
                             [made[1]["proof"], made[2]["proof"], made[0]["proof"]])
            self.assertEqual((told["count"], told["making"], told["waiting"], told["checker"]), (3, [], 0, True))
            first = told["proofs"][0]
            self.assertEqual({name: first[name] for name in ("game", "claim", "status", "detail", "used")},
                             {"game": "mnk:4,3,3", "claim": "first-wins", "status": "proved", "detail": "full",
                              "used": (1700000000 - 100) * 1000})
            for name in ("positions", "reasons", "leaves", "bytes"):
                self.assertEqual(first[name], made[1][name])
            self.assertEqual(len(server.rpc("proof.list", limit=2)["proofs"]), 2)

    def test_removed_ones_are_gone_and_can_be_made_again(self):
        with Server("--threads", "1") as server:
            made = self.made(server)
            self.assertEqual(server.rpc("proof.remove", proof=made["proof"]), {"proof": made["proof"]})
            self.assertFalse(os.path.exists(made["file"]))
            for method in ("proof.remove", "proof.read", "proof.verify"):
                self.refused(server, method, "invalid-params", "proof", proof=made["proof"])
            self.assertEqual(self.made(server), made)
            for name in ("", "x", "../../data", "0" * 31, "0" * 33, "A" * 32, "0" * 31 + "/", "." * 32):
                for method in ("proof.remove", "proof.verify"):
                    self.refused(server, method, "invalid-params", "proof", proof=name)

    def test_a_certificate_is_verified(self):
        with Server("--threads", "1") as server:
            made = self.made(server)
            told = server.rpc("proof.verify", proof=made["proof"])
            self.assertEqual((told["verdict"], told["game"], told["claim"], told["status"]),
                             ("verified", "mnk:4,3,3", made["claim"], made["status"]))
            self.assertEqual(told["positions"], made["positions"])
            self.assertRegex(told["text"], "^VERIFIED: .* mnk:4,3,3, position '4/4/4'. .* version ")
            self.assertNotIn(server.data, str(told))
            listed = subprocess.run([program("proofctl"), "proofs", "verify", made["proof"],
                                     "--socket", server.socket_path], stdout=subprocess.PIPE, universal_newlines=True)
            self.assertEqual(listed.returncode, 0)
            self.assertIn("VERIFIED", listed.stdout)

    def test_forged_ones_are_told(self):
        with Server("--threads", "1") as server:
            made, other = self.made(server, claim="first-wins"), self.made(server, claim="first-draws")
            good = content_of(made["file"])
            middle = len(good) // 2
            forgeries = {
                "a byte": good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1:],
                "a half": good[:middle],
                "another claim": good.replace(b"status: proved", b"status: disproved", 1),
                "another answer": content_of(other["file"]),
                "another game": good.replace(b"game: mnk:4,3,3", b"game: mnk:3,3,3", 1),
                "noise": b"\xff\x00" * 1000,
                "a line": b"proofd certificate 2\n",
            }
            for what, forged in forgeries.items():
                write(made["file"], forged)
                told = server.rpc("proof.verify", proof=made["proof"])
                self.assertIn(told["verdict"], ("rejected", "unknown"), what)
                self.assertTrue(told["reason"], what)
                server.rpc("proof.list")
            write(made["file"], forgeries["another answer"])
            self.assertIn("another answer", server.rpc("proof.verify", proof=made["proof"])["reason"])
            told = subprocess.run([program("proofctl"), "proofs", "verify", made["proof"],
                                   "--socket", server.socket_path], stdout=subprocess.PIPE, universal_newlines=True)
            self.assertEqual(told.returncode, 1)
            write(made["file"], good)
            self.assertEqual(server.rpc("proof.verify", proof=made["proof"])["verdict"], "verified")

    def killed_while_making(self, server, game, written):
        """Kills it while it makes a certificate, `written`: of which a part is written. What it has left."""
        for _ in range(KILLS):
            with server.connect() as asking:
                asking.ask("proof.export", game=game)
                making, proofs = [], []
                while not making and not proofs:
                    told = server.rpc("proof.list")
                    making, proofs = told["making"], told["proofs"]
                while written and not files_of(server):
                    pass
                server.kill()
            left = files_of(server)
            server.start()
            if making and not any(name.endswith(".cert") for name in left) and (left or not written):
                return left
            for proof in server.rpc("proof.list")["proofs"]:  # it was too late
                server.rpc("proof.remove", proof=proof["proof"])
        self.fail("%d exports were over before the kill" % KILLS)

    def test_a_kill_leaves_no_half_certificate(self):
        game = "connect4:5x4"
        with Server("--threads", "1") as server:
            server.wait_job(server.rpc("job.submit", game=game, detail="frontier", memory="16M")["job"])
            for written in False, True:
                left = self.killed_while_making(server, game, written)
                told = server.rpc("proof.list")
                self.assertEqual((told["proofs"], told["count"], told["making"], told["waiting"]), ([], 0, [], 0))
                self.assertGreaterEqual(len(left), written)
                for name in left:
                    self.assertTrue(name.endswith(".part"), left)
                    self.refused(server, "proof.verify", "invalid-params", "proof", proof=name.partition(".")[0])
            made = server.rpc("proof.export", game=game)
            self.assertEqual(server.rpc("proof.verify", proof=made["proof"])["verdict"], "verified")
            self.assertEqual(files_of(server), [os.path.basename(made["file"])])
            self.assertEqual([proof["proof"] for proof in server.rpc("proof.list")["proofs"]], [made["proof"]])

    def test_an_export_that_fails_at_its_end_leaves_nothing(self):
        with Server("--threads", "1") as server:
            made = self.made(server)
            server.rpc("proof.remove", proof=made["proof"])
            os.mkdir(made["file"])  # in the place of the certificate of the strongest claim
            self.assertIn("rename", self.refused(server, "proof.export", "io", "file", game="mnk:4,3,3"))
            self.assertEqual(files_of(server), [os.path.basename(made["file"])])
            self.assertEqual(server.rpc("proof.list")["proofs"], [])
            os.rmdir(made["file"])

    def test_a_server_without_a_checker_says_so(self):
        with Alone("--threads", "1") as server:
            made = self.made(server)
            self.assertFalse(server.rpc("proof.list")["checker"])
            self.assertNotIn("verify", server.rpc("server.hello")["features"])
            self.assertIn("--proofcheck", self.refused(server, "proof.verify", "unsupported", "proof",
                                                       proof=made["proof"]))
        with Server("--threads", "1") as server:
            self.assertIn("verify", server.rpc("server.hello")["features"])
        done = subprocess.run([program("proofd"), "--memory-only", "--proofcheck", "/no/such/program"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--proofcheck", done.stderr)

    def fake(self, script, *options):
        """A server whose checker is a script."""
        server = Server("--threads", "1")
        server.terminate()
        path = os.path.join(server.dir, "checker")
        write(path, b"#!/bin/sh\n" + script, 0o755)
        server.options += ["--proofcheck", path, *options]
        server.start()
        return server

    def test_a_checker_that_says_nothing_sensible(self):
        for script, told in ((b"exit 0", "without a verdict"), (b"kill -9 $$", "by a signal"),
                             (b"echo 'what now?'", "what now"), (b"echo '{}'", "verdict"),
                             (b"echo '{\"verdict\":\"fine\"}'", "verdict")):
            with self.fake(script) as server:
                made = self.made(server)
                self.assertIn(told, self.refused(server, "proof.verify", "io", None, proof=made["proof"]))
                self.assertEqual(server.rpc("server.hello")["server"], "proofd")

    def test_the_checker_hears_where_temporary_files_go_and_nothing_else(self):
        with self.fake(b"cat /proc/$$/environ >${0%/*}/environment") as server:
            made = self.made(server)
            for place in ("/a place", None):
                server.terminate()
                server.env.pop("TMPDIR", None)
                server.env.update({"TMPDIR": place} if place else {})
                server.start()
                self.refused(server, "proof.verify", "io", None, proof=made["proof"])
                self.assertEqual(content_of(os.path.join(server.dir, "environment")),
                                 b"LC_ALL=C\0" + (b"TMPDIR=/a place\0" if place else b""))

    def test_a_certificate_that_goes_while_it_is_checked_is_not_verified(self):
        gone = b"for file; do :; done; rm -f \"$file\"; echo '{\"verdict\":\"%s\"}'"
        for verdict in (b"verified", b"rejected"):
            with self.fake(gone % verdict) as server:
                made = self.made(server)
                if verdict == b"rejected":
                    told = server.rpc("proof.verify", proof=made["proof"])
                    self.assertEqual(told["verdict"], "rejected")
                else:
                    self.refused(server, "proof.verify", "invalid-params", "proof", proof=made["proof"])
                self.assertFalse(os.path.exists(made["file"]))

    @unittest.skipIf(build_has("fsanitize"), "it takes a second of processor time, and limits are others there")
    def test_a_check_that_takes_too_long_is_ended(self):
        with self.fake(b"while :; do :; done", "--proofcheck-time", "1") as server:
            made = self.made(server)
            self.assertIn("--proofcheck-time", self.refused(server, "proof.verify", "limit", None, proof=made["proof"]))

    def test_a_check_ends_with_its_connection(self):
        with self.fake(b"echo $$ >${0%/*}/fifo; exec sleep 1000") as server:
            made = self.made(server)
            fifo = os.path.join(server.dir, "fifo")
            os.mkfifo(fifo)
            with server.connect() as leaving:
                leaving.ask("proof.verify", proof=made["proof"])
                with open(fifo) as pipe:
                    child = os.pidfd_open(int(pipe.read()))
                # A plain close may mean that nothing more is sent.
                leaving.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            ended, _, _ = select.select([child], [], [], TIMEOUT)
            os.close(child)
            self.assertTrue(ended)
            with server.connect() as staying:
                staying.ask("proof.verify", proof=made["proof"])
                with open(fifo) as pipe:
                    child = os.pidfd_open(int(pipe.read()))
                self.assertEqual(server.terminate(), 0)
            ended, _, _ = select.select([child], [], [], TIMEOUT)
            os.close(child)
            self.assertTrue(ended)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
