"""--monitor: the pages, their format, and clients that mean no good."""

import os
import re
import resource
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, RpcError, Server, program  # noqa: E402

CLIENTS_MAX = 32  # NT_MONITOR_CLIENTS
FREE = r"\S+(?= are free on the disk)"
LOOPBACK = "127.0.0.1:0"


def connect(address):
    local = address.startswith("/")
    client = socket.socket(socket.AF_UNIX if local else socket.AF_INET, socket.SOCK_STREAM)
    client.settimeout(TIMEOUT)
    host, _, port = address.rpartition(":")
    client.connect(address if local else (host.strip("[]"), int(port)))
    return client


def read_all(client):
    """What comes until the server closes."""
    out = b""
    try:
        while True:
            more = client.recv(1 << 16)
            if not more:
                return out
            out += more
    except ConnectionResetError:
        return out


def ask(address, path="/metrics", method="GET", head="Host: 127.0.0.1\r\n", body=b""):
    """The status, the head and the body of a page."""
    with connect(address) as client:
        client.sendall(("%s %s HTTP/1.1\r\n%s\r\n" % (method, path, head)).encode() + body)
        answer = read_all(client)
    top, _, rest = answer.partition(b"\r\n\r\n")
    if not top.startswith(b"HTTP/"):
        return 0, "", answer.decode(errors="replace")
    return int(top.split()[1]), top.decode().lower(), rest.decode()


SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z]+="[^"\\]*",?)+)\})? (\+Inf|NaN|-?[0-9.e+-]+)')


def parse(text):
    """name with labels -> value; checks what the format demands."""
    samples, types, current = {}, {}, None
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            current = line.split()[2]
            assert current not in types and len(line.split(" ", 3)[3]) > 4, line
        elif line.startswith("# TYPE "):
            word = line.split()
            assert word[2] == current and word[3] in ("counter", "gauge", "histogram"), line
            types[current] = word[3]
        else:
            found = SAMPLE.fullmatch(line)
            assert found, line
            name = found.group(1)
            base = re.sub("_(bucket|sum|count)$", "", name) if types[current] == "histogram" else name
            assert base == current, line
            key = line.rsplit(" ", 1)[0]
            assert key not in samples, line
            samples[key] = float(found.group(3))
    return samples, types


class Monitor(unittest.TestCase):
    def metrics(self, server):
        status, _, text = ask(server.ready["monitor"])
        self.assertEqual(status, 200)
        return parse(text)

    def test_without_the_option_there_is_none(self):
        with Server("--threads", "0", data=False) as server:
            self.assertIsNone(server.ready["monitor"])

    def test_the_figures(self):
        with Server("--threads", "1", "--monitor", LOOPBACK) as server:
            address = server.ready["monitor"]
            before, types = self.metrics(server)
            self.assertTrue(all(name.endswith("_total") == (kind == "counter") for name, kind in types.items()))
            job = server.rpc("job.submit", game="mnk:3,3,3", memory="4M")["job"]
            server.wait_job(job)
            for _ in range(5):
                server.rpc("fact.query", game="mnk:3,3,3", positions=["......... x"])
            for params in ({"job": 99}, {"job": 98}):
                self.assertRaises(RpcError, server.rpc, "job.get", **params)
            self.assertRaises(RpcError, server.rpc, "no.such.method")
            self.assertRaises(RpcError, server.rpc, "job.get", job="one")
            self.assertRaises(RpcError, server.rpc, "server.shutdown", token="wrong")
            after, _ = self.metrics(server)
            self.assertEqual(after['proofd_jobs{state="solved"}'], 1)
            self.assertEqual(after['proofd_requests_total{method="job.get",result="no-such-job"}'], 2)
            self.assertEqual(after["proofd_requests_refused_total"], 2)
            self.assertGreater(after["proofd_facts"], 0)
            self.assertGreater(after["proofd_nodes_total"], 0)
            self.assertGreater(after['proofd_disk_bytes{file="work"}'], 0)
            self.assertGreater(after["proofd_commit_seconds_count"], before["proofd_commit_seconds_count"])
            self.assertEqual(after["proofd_commit_seconds_count"], after['proofd_commit_seconds_bucket{le="+Inf"}'])
            self.assertEqual(after["proofd_ready"], 1)
            buckets = [value for key, value in after.items() if "_bucket" in key]
            self.assertEqual(buckets, sorted(buckets))
            for name, value in before.items():
                if types.get(name.partition("{")[0]) == "counter" and "job=" not in name:
                    self.assertGreaterEqual(after[name], value, name)
            total = sum(value for key, value in after.items() if 'method="fact.query"' in key)
            self.assertEqual(total, 5)
            with self.subTest("promtool"):
                promtool = shutil.which("promtool")
                if not promtool:
                    self.skipTest("there is no promtool here (Debian: prometheus)")
                text = ask(address)[2].encode()
                done = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, timeout=TIMEOUT)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def test_a_running_job_has_its_own(self):
        with Server("--threads", "1", "--monitor", LOOPBACK, data=False) as server:
            job = server.rpc("job.submit", game="connect4:7x6", memory="64M")["job"]
            with server.connect() as client:
                client.wait_job(job, ("running",))
                key = 'proofd_job_memory_bytes{job="%d"}' % job
                samples = self.metrics(server)[0]
                self.assertEqual(samples[key], 64 << 20)
                self.assertGreaterEqual(samples["proofd_memory_reserved_bytes"], 64 << 20)
                self.assertNotIn("proofd_disk_free_bytes", samples)
                client.rpc("job.cancel", job=job)
                client.wait_job(job)
            self.assertEqual(self.metrics(server)[0]['proofd_jobs{state="cancelled"}'], 1)

    def test_pages_and_methods(self):
        with Server("--threads", "0", "--monitor", LOOPBACK) as server:
            address = server.ready["monitor"]
            self.assertEqual(ask(address, "/healthz")[::2], (200, "ok\n"))
            self.assertEqual(ask(address, "/readyz")[::2], (200, "ok\n"))
            self.assertEqual(ask(address, "/readyz?x=1")[0], 200)
            status, head, body = ask(address, method="HEAD")
            self.assertEqual((status, body), (200, ""))
            self.assertRegex(head, r"content-length: [1-9]\d{3,}")
            self.assertIn("text/plain; version=0.0.4", head)
            for path in ("/", "/metrics/", "/metric", "/../etc/passwd", "/healthz/x"):
                self.assertIn(ask(address, path)[0], (403, 404), path)
            for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
                status, head, _ = ask(address, method=method, head="Host: x\r\nContent-Length: 5\r\n", body=b"hello")
                self.assertIn(status, (403, 405), method)
                if status == 405:
                    self.assertIn("allow: get, head", head)
            for name, status in (("localhost:9590", 200), ("[::1]:9590", 200), ("127.0.0.1", 200), ("", 200),
                                 ("evil.example", 403), ("127.0.0.1.evil.example:80", 403), ("x" * 1000, 403),
                                 ("[::1]evil.example", 403), ("localhost:1@evil.example", 403)):
                self.assertEqual(ask(address, head="Host: %s\r\n" % name)[0], status, name)
            self.assertEqual(ask(address, head="")[0], 400)  # HTTP/1.1 demands the field
            for upgrade in ("websocket", "h2c"):
                head = "Connection: Upgrade\r\nUpgrade: %s\r\nHTTP2-Settings: AAMAAABk\r\nSec-WebSocket-Version: 13\r\n"
                head += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                self.assertNotIn(ask(address, head=head % upgrade)[0], (101, 200))
            self.assertEqual(server.rpc("server.hello")["server"], "proofd")

    def test_a_unix_socket_is_for_its_owner(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "monitor")
            with Server("--threads", "0", "--monitor", path, data=False) as server:
                self.assertEqual(server.ready["monitor"], path)
                self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
                self.assertEqual(ask(path, "/healthz", head="Host: any.name\r\n")[0], 200)
                self.assertEqual(server.terminate(), 0)
                self.assertFalse(os.path.exists(path))

    def test_wrong_places_are_refused(self):
        cases = [
            ("0.0.0.0:9590", 2, "loopback"),
            ("[::]:9590", 2, "loopback"),
            ("example.org:9590", 2, "loopback"),
            ("9590", 2, "--monitor takes HOST:PORT"),
            ("127.0.0.1:", 2, "--monitor takes HOST:PORT"),
            ("127.0.0.1:99999", 2, "--monitor"),
            ("/no/such/directory/socket", 1, "--monitor"),
            ("/" + "x" * 200, 2, "--monitor"),
        ]
        with Server("--threads", "0", "--monitor", LOOPBACK, data=False) as server:
            for where, code, part in cases + [(server.ready["monitor"], 1, "in use")]:
                done = subprocess.run(
                    [program("proofd"), "--memory-only", "--listen", LOOPBACK, "--monitor", where],
                    capture_output=True,
                    text=True,
                    timeout=TIMEOUT,
                    stdin=subprocess.DEVNULL,
                )
                self.assertEqual((done.returncode, done.stdout), (code, ""), (where, done.stderr))
                self.assertIn(part, done.stderr)
                self.assertIn("--monitor", done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_not_ready(self):
        with Server("--threads", "0", "--monitor", LOOPBACK) as server:
            reader = Server("--read-only", "--monitor", LOOPBACK, data=server.data)
            with reader:
                status, _, text = ask(reader.ready["monitor"], "/readyz")
                self.assertEqual((status, text), (503, "the data directory is open for reading only\n"))
                self.assertEqual(ask(reader.ready["monitor"], "/healthz")[0], 200)
                self.assertEqual(self.metrics(reader)[0]["proofd_ready"], 0)
            # A limit on the size of files is a full disk to the server.
            size = os.path.getsize(os.path.join(server.data, "work.mdb"))
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
            with self.assertRaises(RpcError):
                for _ in range(1000):
                    server.rpc("job.submit", game="mnk:3,3,3", memory="1M")
            status, _, text = ask(server.ready["monitor"], "/readyz")
            self.assertEqual((status, text.count("\n")), (503, 1))
            self.assertIn("full", text)
            self.assertEqual(ask(server.ready["monitor"], "/healthz")[0], 200)
            self.assertGreater(self.metrics(server)[0]["proofd_commit_failures_total"], 0)
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            server.rpc("job.submit", game="mnk:3,3,3", memory="1M")
            self.assertEqual(ask(server.ready["monitor"], "/readyz")[::2], (200, "ok\n"))


    def test_ready_as_the_scheduler_judges(self):
        with Server("--threads", "1", "--monitor", LOOPBACK, "--disk-reserve", "900T") as server:
            while self.metrics(server)[0]['proofd_quota_lack{quota="disk"}'] != 1:
                pass
            status, _, text = ask(server.ready["monitor"], "/readyz")
            self.assertEqual((status, text.count("\n")), (503, 1))
            self.assertRegex(text, "jobs are paused: .* free on the disk, and 900T are reserved")
            self.assertEqual(ask(server.ready["monitor"], "/healthz")[0], 200)
            quota = server.rpc("server.stats")["quota"]
            self.assertEqual((quota["lack"], quota["disk"], quota["memory"]), ("disk", 0, 0))
            # What is free changes from one look to the next.
            self.assertIn(re.sub(FREE, "", quota["text"]), re.sub(FREE, "", text))
            job = server.rpc("job.submit", game="mnk:3,3,3", memory="1M")["job"]
            self.assertEqual(server.rpc("job.explain", job=job)["reason"], "disk-reserve")


class Hostile(unittest.TestCase):
    def descriptors(self, server):
        return len(os.listdir("/proc/%d/fd" % server.pid))

    def test_bytes_that_are_no_request(self):
        whole = b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        strange = [
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
            b"\0" * 100,
            b'{"jsonrpc":"2.0","id":1,"method":"server.shutdown"}\n',
            b"GET\r\n\r\n",
            b"GET  HTTP/1.1\r\n\r\n",
            b"GET /" + b"x" * 100000 + b" HTTP/1.1\r\n\r\n",
            b"GET /metrics HTTP/1.1\r\n" + b"A: b\r\n" * 20000 + b"\r\n",
            b"GET /metrics HTTP/9.9\r\n\r\n",
            b"GET /%00%ff%2e%2e/metrics HTTP/1.1\r\n\r\n",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"POST /metrics HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
            b"POST /metrics HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
            b"HEAD /metrics HTTP/1.0\r\n\r\n" * 50,
        ]
        with Server("--threads", "0", "--monitor", LOOPBACK, data=False) as server:
            address = server.ready["monitor"]
            self.assertEqual(server.rpc("server.hello")["server"], "proofd")  # on a connection that is kept
            begin = self.descriptors(server)
            for text in strange:
                with connect(address) as client:
                    try:
                        client.sendall(text)
                        client.shutdown(socket.SHUT_WR)
                    except OSError:
                        pass  # it has closed already
                    read_all(client)
            with connect(address) as client:
                for byte in whole:
                    client.send(bytes([byte]))
                self.assertTrue(read_all(client).startswith(b"HTTP/1.1 200"))
            for cut in range(0, len(whole) - 1, 5):  # half a request, and gone
                with connect(address) as client:
                    client.sendall(whole[:cut])
            for _ in range(50):  # a whole one, and gone
                with connect(address) as client:
                    client.sendall(whole)
            self.assertEqual(ask(address, "/healthz")[0], 200)
            self.assertEqual(server.rpc("server.hello")["server"], "proofd")
            self.assertLessEqual(self.descriptors(server), begin + CLIENTS_MAX)

    def test_connections_that_say_nothing(self):
        with Server("--threads", "0", "--monitor", LOOPBACK, data=False) as server:
            address = server.ready["monitor"]
            begin, memory = self.descriptors(server), server.memory()
            idle = [self.enterContext(connect(address)) for _ in range(200)]
            for number, client in enumerate(idle):
                if number % 2:
                    client.sendall(b"GET /metrics HTTP/1.1\r\nHost: 127")
            # The oldest makes room for the newest, so that a scrape comes through.
            self.assertEqual(ask(address, "/healthz")[0], 200)
            self.assertEqual(read_all(idle[0]), b"")
            self.assertLessEqual(self.descriptors(server), begin + CLIENTS_MAX + 4)
            self.assertEqual(server.rpc("server.hello")["server"], "proofd")
            # And the last one ends by its time, ten seconds.
            self.assertNotIn(b"200", read_all(idle[-1]))
            self.assertEqual(ask(address, "/healthz")[0], 200)
            self.assertLess(server.growth(memory), 64 << 20)

    def test_descriptors_of_high_numbers(self):
        with Server("--threads", "0", "--monitor", LOOPBACK, data=False) as server:
            clients = [self.enterContext(server.connect()) for _ in range(300)]
            self.assertEqual(clients[-1].rpc("server.hello")["server"], "proofd")
            for _ in range(40):
                status, _, text = ask(server.ready["monitor"])
                self.assertEqual(status, 200)
            samples = parse(text)[0]
            self.assertEqual((samples["proofd_connections"], samples["proofd_connections_total"]), (300, 300))
            self.assertGreater(samples["process_open_fds"], 300)

    def test_the_server_stops_while_they_are_there(self):
        with Server("--threads", "0", "--monitor", LOOPBACK, data=False) as server:
            clients = [self.enterContext(connect(server.ready["monitor"])) for _ in range(40)]
            clients[-1].sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
            self.assertEqual(ask(server.ready["monitor"], "/healthz")[0], 200)
            self.assertEqual(server.terminate(), 0)
            for client in clients:
                read_all(client)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
