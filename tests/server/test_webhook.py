"""--on-finish with a URL: what the receiver gets, and that no receiver can do the server harm."""

import json
import os
import queue
import select
import socket
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, FreePort, Server, program  # noqa: E402

GOOD = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"


def has_ended(client):
    """Whether its other side has closed a connection, on which it has said all that it had to say."""
    return bool(select.select([client], [], [], 0)[0])


class Receiver:
    """Listens on a port of its own. Each connection is handled by the next of `ways`, the last one for ever: bytes are
    sent once the request is there; None closes without an answer; "hang" reads and leaves the connection open. `most`:
    how many were open on both sides at a time."""

    def __init__(self, *ways):
        self.ways = list(ways)
        self.requests = queue.Queue()  # (headers, body) of each connection
        self.open, self.most = [], 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d/finished?by=proofd" % self.listener.getsockname()[1]
        self.where = self.url[7:].split("/")[0]
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            client.settimeout(TIMEOUT)
            with client.makefile("rb") as file:
                head = [file.readline().decode().rstrip("\r\n")]
                if not head[0]:  # woken to end
                    client.close()
                    return
                while head[-1]:
                    head.append(file.readline().decode().rstrip("\r\n"))
                headers = dict(line.split(": ", 1) for line in head[1:-1])
                body = file.read(int(headers["Content-Length"]))
            self.most = max(self.most, 1 + sum(not has_ended(one) for one in self.open))
            way = self.ways.pop(0) if len(self.ways) > 1 else self.ways[0]
            if isinstance(way, bytes):
                try:
                    client.sendall(way)
                except OSError:
                    pass  # it has read enough
            if way == "hang":
                self.open.append(client)
            else:
                client.close()
            self.requests.put((head[0], headers, body))

    def next(self):
        return self.requests.get(timeout=TIMEOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        socket.create_connection(self.listener.getsockname()).close()
        self.thread.join()
        self.listener.close()
        for client in self.open:
            client.close()


def solve(server, seed=0):
    return server.rpc("job.submit", game="mnk:3,3,3", claim="first-draws", memory="1M", seed=seed)["job"]


def await_log(server, part):
    end = time.monotonic() + TIMEOUT
    while part not in server.log():
        server.rpc("server.hello")
        if time.monotonic() > end:
            raise AssertionError("%r is not in the log\n%s" % (part, server.log()))


class Webhook(unittest.TestCase):
    def server(self, url, **more):
        return Server("--threads", "1", "--on-finish", url, **more)

    def stop(self, server):
        """Ends a server that has been answered, and has had a turn of its loop to read that."""
        server.rpc("server.hello")
        self.assertEqual(server.terminate(), 0)

    def test_each_end_is_posted_once(self):
        with Receiver(GOOD) as receiver, self.server(receiver.url) as server:
            for seed in range(3):
                job = solve(server, seed)
                line, headers, body = receiver.next()
                self.assertEqual(line, "POST /finished?by=proofd HTTP/1.1")
                self.assertEqual(headers["Host"], receiver.where)
                self.assertEqual(headers["Content-Type"], "application/json")
                self.assertEqual(headers["Connection"], "close")
                told = json.loads(body)
                self.assertEqual((told["job"], told["state"]), (job, "solved"))
                self.assertEqual(told["result"], server.rpc("job.get", job=job)["result"])
            budget = server.rpc("job.submit", game="connect4:7x6", memory="4M", budget={"nodes": 1000})["job"]
            told = json.loads(receiver.next()[2])
            self.assertEqual((told["job"], told["state"]), (budget, "exhausted"))
            self.stop(server)
            self.assertTrue(receiver.requests.empty())
            self.assertNotIn("webhook", server.log())

    def test_other_forms_of_a_url(self):
        for host in ("localhost", "127.1.2.3", "[::1]"):
            try:
                bound = host.strip("[]").replace("localhost", "127.0.0.1")
                listener = socket.create_server((bound, 0), family=socket.AF_INET6 if ":" in bound else socket.AF_INET)
            except OSError:
                continue  # a machine without version 6
            url = "http://%s:%d" % (host, listener.getsockname()[1])
            with self.subTest(url), listener, self.server(url) as server:
                solve(server)
                listener.settimeout(TIMEOUT)
                client, _ = listener.accept()
                with client, client.makefile("rb") as file:
                    self.assertEqual(file.readline(), b"POST / HTTP/1.1\r\n")
                    self.assertEqual(file.readline(), b"Host: %s\r\n" % url[7:].encode())
                    client.sendall(GOOD)

    def test_it_is_tried_again_until_it_is_taken(self):
        ways = (None, b"\x16\x03\x01\x00\xffgarbage" * 20, b"HTTP/1.1 503 Not Now\r\n\r\n", GOOD)
        with Receiver(*ways) as receiver, self.server(receiver.url) as server:
            begin = time.monotonic()
            job = solve(server)
            bodies = {receiver.next()[2] for _ in ways}
            self.assertEqual(len(bodies), 1)
            self.assertEqual(json.loads(bodies.pop())["job"], job)
            self.assertGreater(time.monotonic() - begin, 5)
            self.stop(server)
            self.assertNotIn("webhook", server.log())

    def test_what_is_not_taken_is_one_line(self):
        answers = ((b"HTTP/1.0 404 Not Found\r\n\r\n", "in 1 try: it answered with status 404"),
                   (b"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n", "in 1 try: it answered with status 302"),
                   (b"SSH-2.0-OpenSSH_9.2\r\n", "in 4 tries: its answer is not HTTP/1.x"))
        for answer, said in answers:
            with self.subTest(said), Receiver(answer) as receiver, self.server(receiver.url) as server:
                job = solve(server)
                await_log(server, "job %d: could not report to %s (--on-finish) %s" %
                          (job, receiver.where, said))
                self.assertEqual(server.log().count("could not report"), 1)
                self.stop(server)

    def test_no_receiver_at_all(self):
        with FreePort() as port, self.server("http://%s/" % port.address) as server:
            where = port.address
            job = solve(server)
            await_log(server, "job %d: could not report to %s (--on-finish) in 4 tries: connection refused" %
                      (job, where))
            self.stop(server)

    def test_a_few_at_a_time_and_the_server_goes_on(self):
        """Four hang, the others wait; after the time limit of a try each is sent again. Without a disk, that the jobs
        end before that."""
        with Receiver(*["hang"] * 4, GOOD) as receiver, self.server(receiver.url, data=False) as server:
            jobs = [solve(server, seed) for seed in range(6)]
            for job in jobs:
                server.wait_job(job)
            first = sorted({json.loads(receiver.next()[2])["job"] for _ in range(4)})
            self.assertEqual(first, jobs[:len(first)])
            for _ in range(100):  # many turns of its loop
                server.rpc("server.hello")
            rest = sorted(json.loads(receiver.next()[2])["job"] for _ in range(6))
            self.assertEqual(rest, jobs)
            self.stop(server)
            self.assertLessEqual(receiver.most, 4)
            self.assertNotIn("webhook", server.log())

    def test_a_stop_does_not_wait_for_it(self):
        """Without a disk, which a stop may wait for."""
        with Receiver("hang") as receiver, self.server(receiver.url, data=False) as server:
            jobs = [solve(server, seed) for seed in range(6)]
            for job in jobs:
                server.wait_job(job)
            for _ in range(4):
                receiver.next()
            begin = time.monotonic()
            self.assertEqual(server.terminate(), 0)
            self.assertLess(time.monotonic() - begin, 5)
            self.assertIn("the last 6 jobs were not reported (--on-finish): the server stops", server.log())

    def test_an_answer_without_end(self):
        endless = b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * (1 << 20)
        with Receiver(endless) as receiver, self.server(receiver.url) as server:
            try:
                solve(server)
                receiver.next()
            finally:
                self.stop(server)
            self.assertNotIn("not told, in", server.log())

    def test_urls_that_are_refused(self):
        for url, said in (("https://127.0.0.1/", "a URL that begins with http://"),
                          ("ftp://127.0.0.1/", "a URL that begins with http://"),
                          ("http://192.168.1.1/x", "loopback address"), ("http://example.com:80/", "loopback address"),
                          ("http://user@127.0.0.1/", "loopback address"),
                          ("http://[2001:db8::1]:80/", "loopback address"),
                          ("http://0.0.0.0:80/", "loopback address"),
                          ("http://127.0.0.1.example.com/", "loopback address"),
                          ("http:///x", "the host is missing"), ("http://[::1/", "the host is missing"),
                          ("http://%s/" % ("a" * 100), "the host is missing or too long"),
                          ("http://127.0.0.1:0/", "the port is not"), ("http://127.0.0.1:65536/", "the port is not"),
                          ("http://127.0.0.1:80a/", "the port is not"), ("http://127.0.0.1:/", "the port is not"),
                          ("http://127.0.0.1/a b", "the path has blanks"),
                          ("http://127.0.0.1/a#b", "the path has blanks"),
                          ("http://127.0.0.1/a\r\nX: y", "the path has blanks"),
                          ("http://127.0.0.1/" + "x" * 1024, "the path is longer")):
            with self.subTest(url):
                done = subprocess.run(
                    [program("proofd"), "--memory-only", "--listen", "127.0.0.1:0", "--on-finish", url],
                    capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(said, done.stderr)
                self.assertIn("--on-finish takes", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
