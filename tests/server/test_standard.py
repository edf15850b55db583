"""Programs that are started without one of the standard descriptors: nothing else gets its number, and they end as they
do with all of them."""

import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from nats import Nats  # noqa: E402
from pyproofd import TIMEOUT, Client, Server, program  # noqa: E402

CLOSED = [which for count in (1, 2, 3) for which in itertools.combinations((0, 1, 2), count)]


def without(which, command):
    """The command, started by a shell that closes these descriptors."""
    return ["/bin/sh", "-c", 'exec "$@" ' + " ".join("%d>&-" % number for number in which), "sh"] + command


def standard(pid):
    """What the three descriptors of a process are."""
    return [os.readlink("/proc/%d/fd/%d" % (pid, number)) for number in (0, 1, 2)]


class Bare(Server):
    """A server without some of the standard descriptors. Without descriptor 1 there is no ready line."""

    def __init__(self, which):
        self.which = which
        super().__init__("--threads", "1", "--http", "127.0.0.1:0")

    def command(self):
        return without(self.which, super().command())


class Standard(unittest.TestCase):
    def dial(self, server, path):
        """A client of a server that may not listen yet."""
        while True:
            self.assertIsNone(server.poll())
            with socket.socket(socket.AF_UNIX) as probe:
                if not probe.connect_ex(path):
                    break
            time.sleep(0.01)
        client = Client(path)
        self.addCleanup(client.close)
        return client

    def test_a_server(self):
        for which in CLOSED:
            if 1 in which:
                continue
            with self.subTest(closed=which), Bare(which) as server:
                here = standard(server.pid)
                self.assertEqual([here[number] for number in which], ["/dev/null"] * len(which))
                job = server.rpc("job.submit", game="mnk:3,3,3", memory="4M")["job"]
                self.assertEqual(server.wait_job(job)["state"], "solved")
                self.assertEqual(server.terminate(), 0)
                self.assertEqual(server.log() == "", 2 in which)

    def test_a_server_that_can_say_nothing(self):
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "socket")
            for which in CLOSED:
                if 1 not in which:
                    continue
                with self.subTest(closed=which):
                    server = subprocess.Popen(without(which, [program("proofd"), "--memory-only", "--listen", "none",
                                                              "--socket", path]), stdin=subprocess.DEVNULL,
                                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    try:
                        self.assertEqual(self.dial(server, path).rpc("server.hello")["role"], "admin")
                        here = standard(server.pid)
                        self.assertEqual([here[number] for number in which], ["/dev/null"] * len(which))
                        server.send_signal(signal.SIGTERM)
                        self.assertEqual(server.wait(TIMEOUT), 0)
                    finally:
                        server.kill()
                        server.wait()

    def test_a_worker(self):
        nats = Nats()
        self.addCleanup(nats.close)
        for which in CLOSED:
            with self.subTest(closed=which):
                command = [program("proofd"), "worker", "--join", nats.url(), "--threads", "1", "--memory", "64M"]
                worker = subprocess.Popen(without(which, command), stdin=subprocess.DEVNULL,
                                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                try:
                    line = worker.stdout.readline()
                    self.assertEqual(line == b"", 1 in which)
                    if 1 not in which:
                        here = standard(worker.pid)
                        self.assertEqual([here[number] for number in which], ["/dev/null"] * len(which))
                        worker.send_signal(signal.SIGTERM)
                        self.assertEqual(worker.wait(TIMEOUT), 0)
                finally:
                    worker.kill()
                    worker.wait()
                    worker.stdout.close()

    def test_the_other_programs(self):
        """What they say goes where it should or nowhere, and an output that is lost is an error."""
        with tempfile.TemporaryDirectory() as place:
            proof = os.path.join(place, "proof")
            for name, command in (("proofctl", ["solve", "mnk:3,3,3", "--data", os.path.join(place, "data")]),
                                  ("proofctl", ["export", "mnk:3,3,3", proof, "--data", os.path.join(place, "data")]),
                                  ("proofcheck", [proof])):
                right = subprocess.run([program(name)] + command, stdin=subprocess.DEVNULL, capture_output=True,
                                       timeout=TIMEOUT)
                self.assertEqual(right.returncode, 0, right)
                files = sorted(os.listdir(place))
                for which in CLOSED:
                    with self.subTest(program=name, command=command[0], closed=which):
                        done = subprocess.run(without(which, [program(name)] + command), stdin=subprocess.DEVNULL,
                                              capture_output=True, timeout=TIMEOUT)
                        self.assertEqual(done.returncode == 0, 1 not in which, done)
                        self.assertIn(done.stderr == b"", (1 not in which or 2 in which, 2 in which))
                        self.assertEqual(sorted(os.listdir(place)), files)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
