"""TLS on the TCP port: stock clients, every fragmentation, floods, clients that stop reading, certificates
that change."""

import json
import os
import random
import signal
import socket
import ssl
import struct
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from certs import Certificates  # noqa: E402
from effort import EFFORT  # noqa: E402
from inside import Inside  # noqa: E402
from pyproofd import TIMEOUT, Client, Server, program  # noqa: E402

HELLO = b'{"jsonrpc":"2.0","id":1,"method":"server.hello"}\n'


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.certificates = Certificates()
        cls.context = cls.certificates.client()

    @classmethod
    def tearDownClass(cls):
        cls.certificates.remove()

    def server(self, *options):
        return Server("--threads", "0", *self.certificates.options(), *options)

    def test_versions(self):
        with self.server() as server:
            for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
                context = self.certificates.client()
                context.minimum_version = context.maximum_version = version
                with server.connect(tls=context) as client:
                    self.assertEqual(client.rpc("server.hello")["role"], "submit")
                    self.assertEqual(len(client.rpc("game.list")["games"]) > 5, True)
                    facts = client.rpc("fact.query", game="mnk:3,3,3", position="")["facts"]
                    self.assertEqual(facts[0]["source"], "none")
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1
            with self.assertRaises((ssl.SSLError, ConnectionResetError)):
                server.connect(tls=context)
            with self.assertRaises(ssl.SSLCertVerificationError):  # a client that does not trust it
                server.connect(tls=ssl.create_default_context())
            with server.connect(unix=True) as client:
                self.assertEqual(client.rpc("server.hello")["role"], "admin")
            self.assertEqual(server.terminate(), 0)
            self.assertIn("failed TLS: ", server.log())

    def test_s_client(self):
        with self.server() as server:
            process = subprocess.Popen(
                ["openssl", "s_client", "-quiet", "-verify_return_error", "-CAfile", self.certificates.cert,
                 "-connect", server.ready["listen"]],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            for _ in range(3):
                process.stdin.write(HELLO)
                process.stdin.flush()
                self.assertEqual(json.loads(process.stdout.readline())["result"]["server"], "proofd")
            self.assertEqual(server.terminate(), 0)  # which ends the client
            process.communicate(timeout=TIMEOUT)

    def test_renegotiation_is_refused(self):
        with self.server() as server:
            process = subprocess.Popen(
                ["openssl", "s_client", "-tls1_2", "-CAfile", self.certificates.cert,
                 "-connect", server.ready["listen"]],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            out, _ = process.communicate(b"R\n", timeout=TIMEOUT)
            self.assertRegex(out, rb"(?i)RENEGOTIATING[\s\S]*(no renegotiation|alert|error)")
            with server.connect(tls=self.context) as client:
                self.assertEqual(client.rpc("server.hello")["server"], "proofd")

    def test_every_byte_boundary(self):
        """The handshake and a request, cut in two at each byte, and byte by byte."""
        step = max(1, 100 // EFFORT)
        with self.server() as server:
            for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
                context = self.certificates.client()
                context.minimum_version = context.maximum_version = version
                cuts = [list(range(1, 1000))] + [[cut] for cut in range(1, 620, step)]
                for cut in cuts:
                    with Inside(server, context) as client:
                        client.step(client.tls.do_handshake, cut)
                        client.step(lambda: client.tls.write(HELLO), cut)
                        self.assertEqual(client.line()["result"]["server"], "proofd")
            self.assertEqual(server.terminate(), 0)
            self.assertNotIn("client rejected", server.log())

    def test_large_lines_both_ways(self):
        with self.server() as server, server.connect(tls=self.context) as client:
            positions = ["1"] * 10_000
            for _ in range(3):
                facts = client.rpc("fact.query", game="connect4:7x6", positions=positions)["facts"]
                self.assertEqual(len(facts), 10_000)
            client.send(b" " * (1 << 20) + HELLO)
            self.assertEqual(client.message()["error"]["data"]["slug"], "limit")
            self.assertEqual(client.rpc("server.hello")["server"], "proofd")

    def test_both_ways_of_ending(self):
        """close_notify ends the requests, and a last line without its newline counts; without it, it does not."""
        with self.server() as server:
            with Inside(server, self.context) as client:
                client.step(client.tls.do_handshake)
                client.step(lambda: client.tls.write(HELLO[:-1]))
                try:
                    client.tls.unwrap()
                except ssl.SSLWantReadError:
                    pass
                client.send([])
                data = b""
                while True:
                    more = client.socket.recv(1 << 16)
                    if not more:
                        break
                    data += more
                self.assertGreater(len(data), 200)  # the reply, and the server's close_notify
            with Inside(server, self.context) as client:
                client.step(client.tls.do_handshake)
                submit = b'{"jsonrpc":"2.0","id":1,"method":"job.submit","params":{"game":"mnk:3,3,3"}}'
                client.step(lambda: client.tls.write(submit))
                client.socket.shutdown(socket.SHUT_WR)
                while client.socket.recv(1 << 16):
                    pass
            with server.connect(unix=True) as client:
                self.assertEqual(client.rpc("job.list")["jobs"], [])
            with server.connect(tls=self.context) as client:  # the server says so, too
                self.assertEqual(client.rpc("server.hello")["server"], "proofd")
                server.terminate()
                self.assertEqual(client.socket.recv(10), b"")

    def test_rubbish(self):
        """Handshakes and records that are torn, mixed up or cut off."""
        rnd, begin = random.Random(7), time.monotonic()
        with self.server() as server:
            before = server.memory()
            for i in range(10 + 190 * EFFORT // 100):
                with Inside(server, self.context) as client:
                    if i % 2:
                        client.step(client.tls.do_handshake)
                        client.tls.write(HELLO)
                    else:
                        try:
                            client.tls.do_handshake()
                        except ssl.SSLWantReadError:
                            pass
                    data = bytearray(client.out.read())
                    for _ in range(rnd.randrange(1, 4)):
                        data[rnd.randrange(1, len(data))] = rnd.randrange(256)
                    data = data[: rnd.randrange(1, len(data) + 1)] if i % 3 == 0 else data
                    client.socket.sendall(data)
                    if i % 5 == 0:  # a reset
                        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    elif i % 5 == 1:
                        client.socket.shutdown(socket.SHUT_WR)
            with server.connect(tls=self.context) as client:
                self.assertEqual(client.rpc("server.hello")["server"], "proofd")
            self.assertLess(server.growth(before), 100 << 20)
            self.assertEqual(server.terminate(), 0)
            lines = [line for line in server.log().splitlines() if "client rejected" in line]
            # At most one in ten seconds of each kind (rejected_clients.h).
            self.assertLessEqual(len(lines), 12 + 8 * int((time.monotonic() - begin) / 10))

    def test_a_client_that_stops_reading(self):
        """It is dropped for its unread ciphertext, or after --stall; the others do not notice."""
        ask = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "fact.query",
                          "params": {"game": "connect4:7x6", "positions": ["1"] * 5000}}).encode() + b"\n"
        with self.server("--stall", "0.3", "--buffers-max", "20M") as server:
            before = server.memory()
            with server.connect(tls=self.context) as lazy, server.connect(tls=self.context) as other:
                self.assertTrue(self.is_dropped(lambda: lazy.send(ask)))
                self.assertEqual(other.rpc("server.hello")["server"], "proofd")
            self.assertLess(server.growth(before), 120 << 20)
            self.assertEqual(server.terminate(), 0)
        with self.server("--stall", "0.3") as server:
            with server.connect(tls=self.context) as lazy, server.connect(unix=True) as other:
                try:
                    lazy.send(ask * 20)  # some 9 MB of replies, more than the kernel keeps
                except (BrokenPipeError, ConnectionResetError):
                    pass  # it was dropped already
                end = time.monotonic() + TIMEOUT
                while "it has read nothing for longer than --stall" not in server.log():
                    self.assertLess(time.monotonic(), end)
                    other.rpc("server.hello")
            self.assertEqual(server.terminate(), 0)

    @staticmethod
    def is_dropped(send):
        """Sends the same again and again, until the server has ended the connection."""
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            try:
                send()
            except TimeoutError:
                return False
            except OSError:
                return True
        return False

    def test_floods(self):
        """Many handshakes at once, many half-open ones, many requests in one record: everybody is served."""
        with self.server("--connections", "300") as server:
            half = [socket.create_connection(server.address, TIMEOUT) for _ in range(100)]
            for one in half[::2]:
                one.sendall(b"\x16\x03\x01\x02")
            begun = []
            for _ in range(100):
                client = Inside(server, self.context)
                try:
                    client.tls.do_handshake()
                except ssl.SSLWantReadError:
                    client.send([])
                begun.append(client)
            with server.connect(unix=True) as owner:
                self.assertEqual(owner.rpc("server.hello")["role"], "admin")
            for client in begun:
                client.step(client.tls.do_handshake)
                client.step(lambda: client.tls.write(HELLO * 100))
            for client in begun:
                text = b""
                while text.count(b"\n") < 100:
                    text += client.step(lambda: client.tls.read(1 << 16))
                client.socket.close()
            for one in half:
                one.close()
            self.assertEqual(server.terminate(), 0)

    def test_a_handshake_has_its_time(self):
        with self.server() as server:
            begin = time.monotonic()
            with socket.create_connection(server.address, TIMEOUT) as silent:
                with socket.create_connection(server.address, TIMEOUT) as slow:
                    slow.sendall(b"\x16\x03")
                    self.assertEqual(silent.recv(10), b"")
                    self.assertEqual(slow.recv(10), b"")
            self.assertGreater(time.monotonic() - begin, 9)
            self.assertIn("no handshake in time", server.log())

    def test_certificates_are_read_again(self):
        certificates = Certificates()
        try:
            with Server("--threads", "0", *certificates.options()) as server:
                def subject():
                    context = ssl.create_default_context(cafile=certificates.cert)
                    with Client(server.address, context) as client:
                        return dict(item[0] for item in client.socket.getpeercert()["subject"])["commonName"]

                def reload(part):
                    before = server.log().count(part)
                    os.kill(server.pid, signal.SIGHUP)
                    end = time.monotonic() + TIMEOUT
                    while server.log().count(part) == before:
                        self.assertLess(time.monotonic(), end)
                        with server.connect(unix=True) as client:
                            client.rpc("server.hello")

                self.assertEqual(subject(), "proofd")
                old = server.connect(tls=certificates.client())
                certificates.make("another")
                reload("new connections use the certificate in")
                self.assertEqual(subject(), "another")
                self.assertEqual(old.rpc("server.hello")["server"], "proofd")
                old.close()
                with open(certificates.cert) as file:
                    cert = file.read()
                with open(certificates.cert, "w") as file:
                    file.write("nonsense")
                reload("the certificate does not change")
                with open(certificates.cert, "w") as file:
                    file.write(cert)
                self.assertEqual(subject(), "another")
        finally:
            certificates.remove()

    def test_a_key_with_a_passphrase_is_refused(self):
        key = os.path.join(self.certificates.dir, "locked.pem")
        subprocess.run(["openssl", "ec", "-in", self.certificates.key, "-out", key, "-aes128",
                        "-passout", "pass:secret"], check=True, capture_output=True)
        done = subprocess.run(
            [program("proofd"), "--memory-only", "--listen", "127.0.0.1:0", "--tls-cert", self.certificates.cert,
             "--tls-key", key], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 2)
        self.assertIn("passphrase", done.stderr)

    def test_proofctl(self):
        token = os.path.join(self.certificates.dir, "token")
        with open(token, "w") as file:
            os.chmod(token, 0o600)
            file.write("query the token of a reader\nadmin the token of an admin\n")
        admin = os.path.join(self.certificates.dir, "admin")
        with open(admin, "w") as file:
            file.write("the token of an admin\n")

        def run(*words, code=0, **env):
            env = {**os.environ, "PROOFD_SERVER": server.ready["listen"], **env}
            done = subprocess.run([program("proofctl"), *words], capture_output=True, text=True, timeout=TIMEOUT,
                                  stdin=subprocess.DEVNULL, env=env)
            self.assertEqual(done.returncode, code, done.stderr)
            return done.stdout, done.stderr

        trusted = ["--tls-ca", self.certificates.cert]
        with self.server("--token-file", token) as server:
            self.assertIn("forbidden", run("stats", *trusted, "--json", code=1)[1])
            self.assertIn("threads", run("stats", *trusted, "--token-file", token)[0])
            self.assertIn("threads", run("stats", *trusted, PROOFD_TOKEN_FILE=token)[0])
            self.assertIn("role submit", run("submit", "mnk:3,3,3", *trusted, "--token-file", token, code=1)[1])
            self.assertIn("1", run("submit", "mnk:3,3,3", *trusted, "--token-file", admin)[0])
            self.assertIn("--token-file", run("stats", *trusted, "--token-file", "/no/such", code=2)[1])
            self.assertIn("--tls-ca", run("stats", "--tls", code=1)[1])  # the system does not trust it
            self.assertIn("--tls-ca", run("stats", "--tls-ca", "/no/such", code=2)[1])
            self.assertIn("requires TLS", run("stats", code=2)[1])
            self.assertIn("Unix socket", run("stats", "--tls", "--socket", server.socket_path, code=2)[1])
            port = server.address[1]
            local = ["--server", "localhost:%d" % port]
            self.assertIn("threads", run("stats", *trusted, *local, "--token-file", token)[0])
            self.assertIn("stops", run("shutdown", *trusted, "--token-file", admin)[0])
            self.assertEqual(server.wait(), 0)
        with Server("--threads", "0") as server:
            self.assertIn("may not use TLS", run("stats", *trusted, code=1)[1])

    def test_an_address_for_other_machines(self):
        token = os.path.join(self.certificates.dir, "token2")
        with open(token, "w") as file:
            os.chmod(token, 0o600)
            file.write("query the token of a reader\n")
        command = [program("proofd"), "--memory-only", "--listen", "0.0.0.0:0", "--token-file", token]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 2)
        self.assertIn("give --tls-cert and --tls-key (or --plain-tcp", done.stderr)
        for options, tls in ((self.certificates.options(), self.context), (["--plain-tcp"], None)):
            process = subprocess.Popen(command + options, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
            try:
                port = int(json.loads(process.stdout.readline())["listen"].rsplit(":")[1])
                with Client(("127.0.0.1", port), tls) as client:
                    self.assertEqual(client.rpc("server.hello", token="the token of a reader")["role"], "query")
            finally:
                process.terminate()
                self.assertEqual(process.wait(TIMEOUT), 0)
                process.stdout.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
