"""Kept certificates that are damaged: told by proof.list, `check` and `repair`, never delivered, and made again."""

import ctypes
import json
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, RpcError, Server, program  # noqa: E402
from web import Public, Raw  # noqa: E402

FORMS = ({}, {"compress": True}, {"cards": False}, {"cards": False, "compress": True})


def ctl(*words, code=0):
    done = subprocess.run([program("proofctl"), *words], capture_output=True, text=True, timeout=TIMEOUT,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == code, (words, done.returncode, done.stdout + done.stderr)
    return done.stdout, done.stderr


def obey_permissions():
    """In a child: root, too, reads only what its permissions say."""
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def content_of(path):
    with open(path, "rb") as file:
        return file.read()


def flip(path, at, bit=1):
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ bit]))


class KeptCertificates(unittest.TestCase):
    def setUp(self):
        self.server = Server("--threads", "1")
        self.server.__enter__()
        self.addCleanup(self.server.__exit__, None, None, None)
        self.server.wait_job(self.server.rpc("job.submit", game="mnk:3,3,3", detail="full")["job"])

    def export(self, **more):
        return self.server.rpc("proof.export", game="mnk:3,3,3", claim="first>=0", **more)

    def listed(self):
        for _ in range(20):
            proofs = self.server.rpc("proof.list")["proofs"]
            if all("damaged" in proof for proof in proofs):
                break  # else a slow machine had no time to read all
        return {proof["proof"]: proof["damaged"] for proof in proofs}

    def check(self, code=0):
        out, err = ctl("check", self.server.data, "--json", code=code)
        return json.loads(out)["certificates"], err

    def refused(self, server, method, proof):
        with self.assertRaises(RpcError) as caught:
            server.rpc(method, proof=proof)
        self.assertEqual((caught.exception.slug, caught.exception.field), ("corrupt", "proof"))

    def test_any_byte_that_changes_is_told(self):
        for form in FORMS:
            made = self.export(**form)
            whole = content_of(made["file"])
            header = whole.index(b"\n\n") + 2
            places = [*range(header), *range(header, len(whole), max(1, len(whole) // 60)), len(whole) - 1]
            engine = range(whole.index(b"engine: "), whole.index(b"position: "))
            self.assertFalse(any(self.listed().values()), form)
            for turn, at in enumerate(places):
                flip(made["file"], at, 1 << turn % 8)
                self.assertTrue(self.listed()[made["proof"]], (form, at, at in engine))
                flip(made["file"], at, 1 << turn % 8)
            for bit in range(8):  # the format
                flip(made["file"], len("proofd certificate "), 1 << bit)
                self.assertTrue(self.listed()[made["proof"]], (form, bit))
                flip(made["file"], len("proofd certificate "), 1 << bit)
            for size in (0, 1, 30, header - 1, header, header + 10, len(whole) - 1):
                os.truncate(made["file"], size)
                self.assertTrue(self.listed().get(made["proof"], True), (form, size))
                with open(made["file"], "wb") as file:
                    file.write(whole)
            with open(made["file"], "ab") as file:
                file.write(b"\0")
            self.assertTrue(self.listed()[made["proof"]], form)
            os.truncate(made["file"], len(whole))
            self.assertFalse(self.listed()[made["proof"]], form)

    def test_what_is_damaged_is_not_delivered_and_made_again(self):
        for form in FORMS:
            made = self.export(**form)
            whole = content_of(made["file"])
            self.server.rpc("proof.read", proof=made["proof"])  # it is known as sound
            self.server.rpc("proof.cite", proof=made["proof"])
            flip(made["file"], len(whole) - 60)
            self.refused(self.server, "proof.read", made["proof"])
            self.refused(self.server, "proof.cite", made["proof"])
            self.assertTrue(self.listed()[made["proof"]])
            self.assertEqual(self.server.rpc("proof.verify", proof=made["proof"])["verdict"], "rejected")
            self.assertIn("  damaged  ", ctl("proofs", "--socket", self.server.socket_path)[0])
            self.assertIn("the certificate %s is damaged" % made["file"], self.check(code=1)[1])
            with Public("--rate", "100000", data=self.server.data) as public, Raw(public) as raw:
                self.assertNotIn(made["proof"], raw.get("/results")[2].decode())
                for path in "certificate", "result":
                    self.assertGreaterEqual(raw.get("/%s?proof=%s" % (path, made["proof"]))[0], 400)
            self.server.kill()
            self.server.start()
            self.refused(self.server, "proof.read", made["proof"])
            self.assertEqual(self.export(**form)["proof"], made["proof"])
            self.assertEqual(content_of(made["file"]), whole)
            self.server.rpc("proof.read", proof=made["proof"])
            self.assertFalse(self.listed()[made["proof"]])
        self.assertEqual(self.check()[0], len(FORMS))

    def test_check_names_the_file_that_it_may_not_read(self):
        made = self.export()
        os.chmod(made["file"], 0)
        done = subprocess.run([program("proofctl"), "check", self.server.data], capture_output=True, text=True,
                              timeout=TIMEOUT, stdin=subprocess.DEVNULL, preexec_fn=obey_permissions)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cannot read %s: Permission denied" % made["file"], done.stderr)
        self.assertNotIn("memory", done.stderr)

    def test_the_strongest_claim_replaces_a_damaged_file(self):
        made = self.server.rpc("proof.export", game="mnk:3,3,3")
        whole = content_of(made["file"])
        flip(made["file"], len(whole) // 2)
        self.assertEqual(self.server.rpc("proof.export", game="mnk:3,3,3")["proof"], made["proof"])
        self.assertEqual(content_of(made["file"]), whole)

    def test_a_sound_one_under_a_false_name(self):
        made, other = self.export(), self.export(compress=True)
        shutil.copy(other["file"], made["file"])
        self.assertEqual(self.listed(), {made["proof"]: True, other["proof"]: False})
        self.refused(self.server, "proof.read", made["proof"])

    def test_a_packed_one_is_not_judged(self):
        made = self.export()
        subprocess.run([program("proofcheck"), "--pack", made["file"], made["file"] + ".packed"], check=True,
                       capture_output=True, timeout=TIMEOUT)
        os.rename(made["file"] + ".packed", made["file"])
        self.assertNotIn("damaged", self.server.rpc("proof.list")["proofs"][0])
        self.server.rpc("proof.read", proof=made["proof"])
        self.assertEqual(self.check()[0], 1)

    def test_a_large_packed_one_is_read_once(self):
        made = self.export()
        subprocess.run([program("proofcheck"), "--pack", made["file"], made["file"] + ".packed"], check=True,
                       capture_output=True, timeout=TIMEOUT)
        os.truncate(made["file"] + ".packed", 256 << 20)
        os.rename(made["file"] + ".packed", made["file"])
        before = self.read_bytes()
        for piece in range(50):
            self.server.rpc("proof.read", proof=made["proof"], offset=piece * 1000, size=1000)
        self.assertLess(self.read_bytes() - before, 1 << 30)

    def read_bytes(self):
        with open("/proc/%d/io" % self.server.pid) as file:
            return int(dict(line.split(": ") for line in file)["rchar"])

    def test_a_list_does_not_wait_for_a_large_one(self):
        made, other = self.export(), self.export(compress=True)
        os.truncate(made["file"], 512 << 20)
        before = self.read_bytes()
        for _ in range(20):
            damaged = {proof["proof"]: proof.get("damaged") for proof in self.server.rpc("proof.list")["proofs"]}
        self.assertEqual(damaged, {made["proof"]: None, other["proof"]: False})
        self.assertLess(self.read_bytes() - before, 1 << 26)
        self.refused(self.server, "proof.read", made["proof"])
        self.assertEqual(self.listed(), {made["proof"]: True, other["proof"]: False})

    def test_repair_copies_those_that_are_whole(self):
        made = [self.export(**form) for form in FORMS]
        flip(made[1]["file"], made[1]["bytes"] - 9)
        self.server.terminate()
        new = self.server.data + ".new"
        self.addCleanup(shutil.rmtree, new, True)
        report = json.loads(ctl("repair", self.server.data, new, "--json", code=3)[0])
        self.assertEqual((report["whole"], report["certificates"], report["certificates_lost"]), (False, 3, 1))
        for i, one in enumerate(made):
            path = os.path.join(new, "proofs", os.path.basename(one["file"]))
            self.assertEqual(os.path.exists(path), i != 1)
            self.assertTrue(i == 1 or content_of(path) == content_of(one["file"]))
        ctl("check", new)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
