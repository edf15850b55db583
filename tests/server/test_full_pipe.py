"""No one reads what proofd writes to stdout and stderr: it goes on all the same, and stops when it is told to."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Client, program  # noqa: E402


def full_pipe():
    """Both ends of a pipe that takes nothing any more."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    for size in (4096, 1):
        try:
            while True:
                os.write(write, b"x" * size)
        except BlockingIOError:
            pass
    os.set_blocking(write, True)
    return read, write


class FullPipe(unittest.TestCase):
    def serve(self, directory, stdout, stderr):
        path = os.path.join(directory, "socket")
        process = subprocess.Popen(
            [
                program("proofd"),
                "--data",
                os.path.join(directory, "data"),
                "--listen",
                "none",
                "--socket",
                path,
                "--threads",
                "1",
                "--checkpoint",
                "0.1",
                "--log",
                "debug",
            ],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
        )
        self.addCleanup(process.kill)
        return process, path

    def connect(self, process, path):
        """There is no ready line to wait for: tries until somebody listens."""
        while True:
            self.assertIsNone(process.poll())
            try:
                return Client(path)
            except (FileNotFoundError, ConnectionRefusedError):
                pass

    def test_a_full_pipe_holds_nothing_up(self):
        read, write = full_pipe()
        flags = fcntl.fcntl(write, fcntl.F_GETFL)
        with tempfile.TemporaryDirectory(prefix="proofd-test-") as directory:
            process, path = self.serve(directory, write, write)
            with self.connect(process, path) as client:
                self.assertEqual(client.wait_job(client.rpc("job.submit", game="mnk:3,3,3")["job"])["state"], "solved")
                for _ in range(100):
                    with Client(path) as visitor:
                        visitor.send(b"GET / HTTP/1.1\r\n\r\n")
                    with Client(path) as visitor:
                        self.assertEqual(visitor.rpc("server.hello")["server"], "proofd")
                self.assertEqual(client.rpc("fact.query", game="mnk:3,3,3")["facts"][0]["text"], "draw")
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(TIMEOUT), 0)
        self.assertEqual(fcntl.fcntl(write, fcntl.F_GETFL), flags)
        os.close(read)
        os.close(write)

    def test_a_full_socket_for_a_log_holds_nothing_up(self):
        """As journals have it."""
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        try:
            while True:
                theirs.send(b"x" * 4096)
        except BlockingIOError:
            pass
        theirs.setblocking(True)
        with tempfile.TemporaryDirectory(prefix="proofd-test-") as directory:
            process, path = self.serve(directory, subprocess.DEVNULL, theirs)
            with self.connect(process, path) as client:
                self.assertEqual(client.rpc("server.hello")["server"], "proofd")
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(TIMEOUT), 0)
        ours.close()
        theirs.close()

    def test_a_failure_to_start_is_no_reason_to_wait(self):
        read, write = full_pipe()
        done = subprocess.run(
            [program("proofd"), "--nonsense"], stdin=subprocess.DEVNULL, stdout=write, stderr=write, timeout=TIMEOUT
        )
        self.assertEqual(done.returncode, 2)
        os.close(read)
        os.close(write)

    def test_lost_lines_are_counted(self):
        read, write = full_pipe()
        with tempfile.TemporaryDirectory(prefix="proofd-test-") as directory:
            process, path = self.serve(directory, subprocess.PIPE, write)
            with self.connect(process, path) as client:
                self.assertTrue(json.loads(process.stdout.readline())["pid"])
                client.rpc("server.hello")
                os.close(write)
                os.set_blocking(read, False)
                while True:
                    try:
                        os.read(read, 1 << 16)
                    except BlockingIOError:
                        break
                os.set_blocking(read, True)
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(TIMEOUT), 0)
            with os.fdopen(read) as log:
                self.assertRegex(log.read(), r"warn [1-9]\d* lines of this log are lost")
            process.stdout.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
