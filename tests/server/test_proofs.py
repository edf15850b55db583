"""Certificates by the protocol: made, read in pieces, kept over a restart, checked by proofcheck."""

import base64
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from pyproofd import RpcError, Server, data_dir, program  # noqa: E402


def read(server, proof, piece):
    """The bytes of a certificate, asked for in pieces of that many."""
    out = b""
    while True:
        part = server.rpc("proof.read", proof=proof, offset=len(out), size=piece)
        out += base64.b64decode(part["data"])
        if len(out) == part["bytes"]:
            return out


def verified(content):
    with tempfile.NamedTemporaryFile(suffix=".cert") as file:
        file.write(content)
        file.flush()
        done = subprocess.run(
            [program("proofcheck"), "--json", file.name], stdout=subprocess.PIPE, universal_newlines=True
        )
    return done.returncode, json.loads(done.stdout)


class Proofs(unittest.TestCase):
    def test_a_job_s_proof_is_read_in_pieces_and_kept(self):
        with Server("--threads", "1") as server:
            job = server.rpc("job.submit", game="connect4:5x4")["job"]
            server.wait_job(job)
            made = server.rpc("proof.export", job=job)
            self.assertEqual((made["claim"], made["status"], made["leaves"]), ("value", "solved", 0))
            content = read(server, made["proof"], 10000)
            self.assertEqual(len(content), made["bytes"])
            self.assertEqual(content, read(server, made["proof"], 524288))
            code, told = verified(content)
            self.assertEqual(code, 0, told)
            server.kill()
            server.start()
            self.assertEqual(server.rpc("proof.export", job=job), made)
            self.assertEqual(content, read(server, made["proof"], 524288))

    def test_a_claim_has_one_certificate_however_it_is_written(self):
        with Server("--threads", "1") as server:
            server.wait_job(server.rpc("job.submit", game="mnk:4,3,3")["job"])
            shelf = os.path.join(server.data, "proofs")

            def export(**more):
                return server.rpc("proof.export", game="mnk:4,3,3", **more)["proof"]

            named = {export(claim=claim) for claim in ("first>=0", "first>=00", "first>=-0", "first>=-00")}
            self.assertEqual((len(named), len(os.listdir(shelf))), (1, 1))
            self.assertEqual(
                {export(claim="first>=1"), export(claim="first>=1", position=""), export(claim="first>=01")},
                {export(claim="first>=1")},
            )
            self.assertEqual(len(os.listdir(shelf)), 2)
            strongest = server.rpc("proof.export", game="mnk:4,3,3")
            # The strongest that is known is a claim as well.
            self.assertEqual(strongest["proof"], export(claim=strongest["claim"]))
            self.assertEqual(len(os.listdir(shelf)), 3)
            self.assertEqual(server.rpc("proof.export", game="mnk:4,3,3"), strongest)
            with self.assertRaises(RpcError) as refused:
                export(claim="first>=much")
            self.assertEqual(refused.exception.slug, "bad-claim")

    def test_a_threshold_has_one_spelling_in_a_certificate(self):
        with tempfile.TemporaryDirectory() as place:
            data, file = os.path.join(place, "data"), os.path.join(place, "cert")
            subprocess.run([program("proofctl"), "solve", "mnk:4,3,3", "--data", data], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            subprocess.run([program("proofctl"), "export", "mnk:4,3,3", file, "--claim", "first-at-least-0",
                            "--data", data], check=True, stdout=subprocess.DEVNULL)
            with open(file, "rb") as content:
                code, told = verified(content.read())
            self.assertEqual((code, told.get("claim")), (0, "first>=0"), told)

    def test_certificates_have_a_quota(self):
        with Server("--threads", "1") as server:
            server.wait_job(server.rpc("job.submit", game="mnk:4,3,3")["job"])
            made = [
                server.rpc("proof.export", game="mnk:4,3,3", claim=claim) for claim in ("first>=0", "first>=1", "value")
            ]
            shelf = os.path.join(server.data, "proofs")
            for age, proof in zip((3000, 9000, 6000), made):
                os.utime(proof["file"], (time.time() - age, time.time() - age))
            room = sum(proof["bytes"] for proof in made)
            server.terminate()
            server.options = ["--threads", "1", "--proofs-max", str(room)]
            server.start()
            read(server, made[1]["proof"], 524288)  # used last now
            server.rpc("proof.export", game="mnk:4,3,3", claim="first>=1", detail="frontier")
            kept = os.listdir(shelf)
            self.assertNotIn(os.path.basename(made[2]["file"]), kept)
            self.assertIn(os.path.basename(made[1]["file"]), kept)
            self.assertLessEqual(sum(os.stat(os.path.join(shelf, name)).st_size for name in kept), room)
            self.assertEqual(server.rpc("proof.export", game="mnk:4,3,3", claim="first>=1"), made[1])
            server.terminate()
            server.options = ["--threads", "1", "--proofs-max", "10"]
            server.start()
            with self.assertRaises(RpcError) as refused:
                server.rpc("proof.export", game="mnk:4,3,3", claim="value")
            self.assertEqual(refused.exception.slug, "limit")
            self.assertEqual([name for name in os.listdir(shelf) if name.endswith(".part")], [])

    def test_certificates_go_with_the_facts_that_are_taken_back(self):
        with Server("--threads", "1") as server:
            job = server.rpc("job.submit", game="mnk:4,3,3")["job"]
            server.wait_job(job)
            made = server.rpc("proof.export", job=job)
            file = os.path.join(server.data, "proofs", made["proof"] + ".cert")
            server.terminate()
            taint = [program("proofctl"), "taint", "--data", server.data, "--job", str(job)]
            subprocess.run(taint + ["--dry-run"], check=True, stdout=subprocess.DEVNULL)
            self.assertTrue(os.path.exists(file))
            subprocess.run(taint, check=True, stdout=subprocess.DEVNULL)
            self.assertFalse(os.path.exists(file))
            server.start()

    def test_leaves_stay_leaves_when_asked(self):
        with Server("--threads", "1") as server:
            job = server.rpc("job.submit", game="connect4:5x4", claim="first-draws")["job"]
            server.wait_job(job)
            full = server.rpc("proof.export", job=job)
            frontier = server.rpc("proof.export", job=job, detail="frontier")
            self.assertGreater(frontier["leaves"], 0)
            self.assertLess(frontier["bytes"], full["bytes"])
            for made in (full, frontier):
                code, told = verified(read(server, made["proof"], 524288))
                self.assertEqual(code, 0, told)

    def test_what_a_game_knows_is_proved_from_the_rules(self):
        """Hex with and without its chains of bridges: the search is another, the proof is one that knows nothing of
        them."""
        nodes = []
        for known in (True, False):
            with Server("--threads", "1") as server:
                job = server.rpc("job.submit", game="hex:5", claim="first-wins", options={"knowledge": known})["job"]
                told = server.wait_job(job)
                nodes.append(told["nodes"]["level2"])
                self.assertEqual(told["value"]["lo"], 1)
                for detail in ("full", "frontier") if known else ("full",):
                    made = server.rpc("proof.export", job=job, detail=detail, cards=False)
                    self.assertEqual(made["leaves"] > 0, detail == "frontier")
                    code, said = verified(read(server, made["proof"], 524288))
                    self.assertEqual(code, 0, said)
        self.assertLess(20 * nodes[0], nodes[1])

    def test_cycles_are_proved(self):
        with Server("--threads", "1", "--graphs", data_dir("andor")) as server:
            for name in ("cycle", "ghi-first", "ghi-second", "ghi-long", "ghi-serves-first", "ghi-two-circles"):
                server.wait_job(server.rpc("job.submit", game="andor:" + name)["job"])
                made = server.rpc("proof.export", game="andor:" + name, claim="value")
                code, told = verified(read(server, made["proof"], 524288))
                self.assertEqual(code, 0, told)

    def test_bad_requests_name_the_field(self):
        with Server("--threads", "1") as server:
            for params, field in (
                ({"job": 7}, "job"),
                ({}, "game"),
                ({"job": 1, "game": "mnk:3,3,3"}, "job"),
                ({"game": "mnk:3,3,3", "claim": "who"}, "claim"),
                ({"game": "mnk:3,3,3"}, "position"),
                ({"game": "mnk:3,3,3", "position": "z9"}, "position"),
            ):
                with self.assertRaises(RpcError) as caught:
                    server.rpc("proof.export", **params)
                self.assertEqual(caught.exception.field, field, params)
            for params, field in (
                ({"proof": "x"}, "proof"),
                ({"proof": "0" * 32}, "proof"),
                ({"proof": "../" + "0" * 29}, "proof"),
            ):
                with self.assertRaises(RpcError) as caught:
                    server.rpc("proof.read", **params)
                self.assertEqual(caught.exception.field, field, params)


if __name__ == "__main__":
    del sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
