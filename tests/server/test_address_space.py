"""A limit on the address space, as batch systems set one: maps that fit, and an error that names both sizes where a
directory is larger than that."""

import os
import resource
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import OPEN_PROBE, TIMEOUT, Server, build_has, program  # noqa: E402

GB = 1 << 30
LIMITS = (48 * GB, 16 * GB, 4 * GB, 2 * GB)


class Narrow(Server):
    """A proofd with a limit on its address space."""

    def __init__(self, limit, *options, **more):
        self.limit = limit
        super().__init__(*options, **more)

    def start(self):
        if "--backup-dir" not in self.options:
            self.options += ["--backup-dir", self.dir]
        super().start()

    def command(self):
        return ["/bin/sh", "-c", 'ulimit -v %d && exec "$@"' % (self.limit >> 10), "sh"] + super().command()


def run(limit, *command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))


@unittest.skipIf(build_has("fsanitize="), "the shadows of sanitizers take terabytes")
class AddressSpace(unittest.TestCase):
    def test_all_programs_work(self):
        for limit in LIMITS:
            with self.subTest(gib=limit // GB), Narrow(limit, "--threads", "2") as server:
                job = server.rpc("job.submit", game="connect4:4x4", memory="32M")["job"]
                self.assertEqual(server.wait_job(job)["state"], "solved")
                free = server.rpc("server.stats")["disk_free"]
                self.assertLessEqual(free, limit // 6)
                proof = server.admin("proof.export", game="connect4:4x4")["proof"]
                self.assertEqual(server.admin("proof.verify", proof=proof)["verdict"], "verified")
                state = server.admin("server.backup", name="b")
                while state["state"] == "running":
                    state = server.admin("server.backup")
                self.assertEqual(state["state"], "complete", state)
                done = run(limit, sys.executable, "-c", OPEN_PROBE, program("libproofd-probe.so"), server.data)
                self.assertEqual(done.returncode, 0, done)
                server.kill()
                server.start()
                self.assertEqual(server.rpc("job.get", job=job)["state"], "solved")
                self.assertEqual(server.terminate(), 0)
                ctl = program("proofctl")
                for command in ([ctl, "compact", server.data], [ctl, "check", server.data],
                                [ctl, "restore", os.path.join(server.dir, "b"), os.path.join(server.dir, "restored")],
                                [ctl, "repair", server.data, os.path.join(server.dir, "repaired")],
                                [ctl, "solve", "connect4:4x4", "--data", server.data],
                                [ctl, "export", "connect4:4x4", os.path.join(server.dir, "proof"), "--data",
                                 server.data], [program("proofcheck"), os.path.join(server.dir, "proof")]):
                    done = run(limit, *command)
                    self.assertEqual(done.returncode, 0, done)

    def test_a_directory_that_is_too_large(self):
        with Server("--threads", "1") as server:
            self.assertEqual(server.terminate(), 0)
            facts = os.path.join(server.data, "facts.mdb")
            os.truncate(facts, 8 * GB)  # holes
            command = [program("proofd"), "--data", server.data, "--listen", "127.0.0.1:0"]
            done = run(4 * GB, *command)
            self.assertEqual(done.returncode, 1, done)
            self.assertIn("facts.mdb takes 8256 MiB of address space, and RLIMIT_AS (ulimit -v) allows 4096 MiB",
                          done.stderr)
            done = run(4 * GB, program("proofctl"), "check", server.data)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("takes 8256 MiB of address space, and RLIMIT_AS (ulimit -v) allows 4096 MiB", done.stderr)
            server.start()  # without a limit
            self.assertEqual(server.terminate(), 0)
            limited = Narrow(16 * GB, "--threads", "1", data=server.data)  # a sixth would not do
            self.assertEqual(limited.terminate(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
