"""Workers on the daemon's machine by a Unix socket: jobs, kills, and what else connects."""

import os
import shutil
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, program  # noqa: E402


def run(*words):
    done = subprocess.run([program("proofd"), *words], capture_output=True, text=True, timeout=TIMEOUT,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stderr


class Unix(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="proofd-test-")
        self.path = os.path.join(self.dir, "workers")
        self.url = "unix://" + self.path
        self.running = []

    def tearDown(self):
        for worker in self.running:
            if worker.poll() is None:
                worker.kill()
            worker.wait(TIMEOUT)
            worker.stdout.close()
        shutil.rmtree(self.dir)

    def worker(self, *words):
        self.running.append(subprocess.Popen(
            [program("proofd"), "worker", "--join", self.url, "--threads", "1", "--memory", "16M", "--nice", "0",
             "--log", "error", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE))
        self.running[-1].stdout.readline()
        return self.running[-1]

    def server(self, **more):
        return Server("--threads", "0", "--nice", "0", "--workers", self.url, "--checkpoint", "0.1", **more)

    def wait_for(self, server, workers):
        end = time.monotonic() + TIMEOUT
        while server.rpc("server.workers")["cluster"]["workers"] != workers:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def solve(self, server, game, value):
        job = server.rpc("job.submit", game=game)["job"]
        self.assertEqual(server.wait_job(job)["result"]["value"]["text"], value)

    def test_workers_search_for_a_server(self):
        first = self.worker()  # before there is a server
        with self.server() as server:
            self.wait_for(server, 1)
            self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o600)
            self.worker("--threads", "2")
            self.solve(server, "connect4:5x4", "draw")
            self.wait_for(server, 2)
            self.solve(server, "breakthrough:4x4", "second wins")
            first.terminate()
            self.assertEqual(first.wait(TIMEOUT), 0)
            self.assertEqual(server.terminate(), 0)
        self.assertFalse(os.path.exists(self.path))

    def test_kills_lose_nothing(self):
        data = os.path.join(self.dir, "data")
        workers = [self.worker(), self.worker()]
        with self.server(data=data) as server:
            job = server.rpc("job.submit", game="connect4:6x5")["job"]
            for kill in range(4):
                before = server.rpc("job.get", job=job)["nodes"]["level2"]
                end = time.monotonic() + TIMEOUT
                while server.rpc("job.get", job=job)["nodes"]["level2"] == before and time.monotonic() < end:
                    if server.rpc("job.get", job=job)["state"] == "solved":
                        break
                    time.sleep(0.02)
                if kill % 2:
                    server.kill()  # leaves the socket
                    server.start()
                else:
                    workers[kill // 2].kill()
                    workers.append(self.worker())
            self.assertEqual(server.wait_job(job)["result"]["value"]["text"], "draw")
            self.assertEqual(server.terminate(), 0)
        done = subprocess.run([program("proofctl"), "check", data], capture_output=True, text=True, timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_worker_does_not_wait_for_a_server_that_hangs(self):
        with socket.socket(socket.AF_UNIX) as hung:
            hung.bind(self.path)
            hung.listen(0)
            waiting = []
            try:
                while True:
                    waiting.append(socket.socket(socket.AF_UNIX))
                    waiting[-1].setblocking(False)
                    waiting[-1].connect(self.path)
            except BlockingIOError:
                pass
            worker = self.worker()
            time.sleep(0.3)
            worker.terminate()
            self.assertEqual(worker.wait(20), 0)
            for client in waiting:
                client.close()

    def test_what_is_no_worker_is_hung_up_on(self):
        junk = (b"GET / HTTP/1.1\r\n\r\n", struct.pack("<I", 1 << 30), struct.pack("<IQ", 8, 0),
                struct.pack("<IQ", 8, 2 ** 64 - 1), struct.pack("<I", 7) + bytes(7))
        with self.server() as server:
            for data in junk:
                with socket.socket(socket.AF_UNIX) as client:
                    client.settimeout(TIMEOUT)
                    client.connect(self.path)
                    client.sendall(data)
                    self.assertEqual(client.recv(1), b"")
            silent = []
            for _ in range(40):
                silent.append(socket.socket(socket.AF_UNIX))
                silent[-1].connect(self.path)
            silent[0].sendall(struct.pack("<IQ", 8, 5) + struct.pack("<I", 9) + b"nonsense!")
            self.worker()
            self.wait_for(server, 1)
            for client in silent:
                client.close()
            self.solve(server, "connect4:5x4", "draw")

    def test_a_worker_that_says_a_number_again_takes_its_place(self):
        with self.server() as server:
            ends = []
            for _ in range(2):
                ends.append(socket.socket(socket.AF_UNIX))
                ends[-1].settimeout(TIMEOUT)
                ends[-1].connect(self.path)
                ends[-1].sendall(struct.pack("<IQ", 8, 77))
            while ends[0].recv(4096):  # what the server says to all, then the end
                pass
            for end in ends:
                end.close()
            self.assertEqual(server.terminate(), 0)

    def test_what_is_wrong_is_said(self):
        for words, said in ((("--workers", "unix://relative"), "is unix:///PATH, with"),
                            (("--workers", "unix:///" + 200 * "x"), "is unix:///PATH, with"),
                            (("--workers", self.url, "--workers-tls-ca", self.dir), "a Unix socket has neither TLS"),
                            (("--workers", "unix:///nowhere/w"), "/nowhere: No such file")):
            code, err = run("--data", os.path.join(self.dir, "d"), "--listen", "127.0.0.1:0", *words)
            self.assertIn(said, err)
            self.assertEqual(code, 1 if "nowhere" in said else 2)
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("mine")
        code, err = run("--data", os.path.join(self.dir, "d"), "--listen", "127.0.0.1:0", "--workers", self.url)
        self.assertIn("exists and is not a socket", err)
        self.assertEqual(code, 1)
        os.unlink(self.path)
        with self.server():
            code, err = run("--data", os.path.join(self.dir, "d"), "--listen", "127.0.0.1:0", "--workers", self.url)
            self.assertIn("another server uses " + self.path, err)
            self.assertNotEqual(code, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
