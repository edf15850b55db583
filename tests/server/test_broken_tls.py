"""TLS that breaks after its handshake, at every kind of connection: the server answers with an alert, gives up what was
in flight, and serves the others."""

import json
import os
import select
import ssl
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from certs import Certificates  # noqa: E402
from inside import Inside  # noqa: E402
from pyproofd import TIMEOUT, Server  # noqa: E402
from web import frame  # noqa: E402

VERSIONS = (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3)
HELLO = b'{"jsonrpc":"2.0","id":1,"method":"server.hello"}\n'
WRONG = b'{"jsonrpc":"2.0","id":2,"method":"server.hello","params":{"token":"this is no token"}}\n'
UPGRADE = (b"GET /rpc HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")


class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.certificates = Certificates()
        path = os.path.join(cls.certificates.dir, "tokens")
        with open(path, "w") as file:
            os.chmod(path, 0o600)
            file.write("admin the token of an admin\n")
        cls.server = Server("--threads", "1", "--http", "127.0.0.1:0", "--token-file", path,
                            *cls.certificates.options())

    @classmethod
    def tearDownClass(cls):
        code = cls.server.terminate()
        cls.server.__exit__(None)
        cls.certificates.remove()
        assert code == 0, code

    def client(self, version, http=False):
        context = self.certificates.client()
        context.minimum_version = context.maximum_version = version
        client = Inside(self.server, context, self.server.http if http else None)
        client.step(client.tls.do_handshake)
        return client

    def alone(self):
        """All other clients are gone; the server lives."""
        end = time.monotonic() + TIMEOUT
        while self.server.admin("server.stats")["connections"] != 1:
            self.assertLess(time.monotonic(), end)

    def ways(self, *plain, begin=(), http=False):
        """Clients that say `begin`, and then `plain` and what breaks the connection in one go. They get an alert, or
        the end; the server goes on."""
        for version in VERSIONS:
            for what in ("rubbish", "alert"):
                for message in plain:
                    with self.subTest(version=version, what=what, message=message[:60]), \
                            self.client(version, http) as client:
                        for text, answer in begin:
                            client.step(lambda text=text: client.tls.write(text))
                            client.until(answer)
                        sealed = client.sealed(message) if message else b""
                        client.socket.sendall(sealed + getattr(client, what)())
                        data, reset = client.end()
                        if what == "rubbish":
                            self.assertFalse(reset)
                            self.assertIn(b"\x15\x03\x03" if version == VERSIONS[0] else b"\x17\x03\x03", data)
                        self.alone()
                        self.assertIsNone(self.server.process.poll())

    def test_lines(self):
        self.ways(b"", HELLO, WRONG, HELLO + WRONG + HELLO)

    def test_http(self):
        request = b"GET /%s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n"
        self.ways(b"", request % (b"", b""), request % (b"", b"")[:30],
                  request % (b"metrics", b"Authorization: Bearer this is no token\r\n"), http=True)

    def test_web_sockets(self):
        self.ways(b"", frame(HELLO), frame(HELLO)[:9], frame(WRONG), begin=[(UPGRADE, b"\r\n\r\n")], http=True)

    def test_a_check_in_flight_ends(self):
        """Nothing is left of what a broken connection asked for."""
        certificates = self.certificates
        checker, fifo = (os.path.join(certificates.dir, name) for name in ("checker", "fifo"))
        with open(checker, "w") as file:
            file.write("#!/bin/sh\necho $$ >${0%/*}/fifo\nexec sleep 1000\n")
        os.chmod(checker, 0o755)
        os.mkfifo(fifo)
        context = certificates.client()
        with Server("--threads", "1", "--http", "127.0.0.1:0", "--proofcheck", checker,
                    *certificates.options()) as server, server.connect(unix=True) as owner:
            owner.wait_job(owner.rpc("job.submit", game="mnk:3,3,3", memory="4M")["job"])
            proof = owner.rpc("proof.export", game="mnk:3,3,3")["proof"]
            call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "proof.verify", "params": {"proof": proof}})
            call = call.encode()
            for http in (False, True):
                with Inside(server, context, server.http if http else None) as client:
                    client.step(client.tls.do_handshake)
                    if http:
                        client.step(lambda: client.tls.write(UPGRADE))
                        client.until(b"\r\n\r\n")
                    client.socket.sendall(client.sealed(frame(call) if http else call + b"\n"))
                    with open(fifo) as pipe:
                        child = os.pidfd_open(int(pipe.read()))
                    client.socket.sendall(client.rubbish())
                    self.assertTrue(client.end()[0])
                ended, _, _ = select.select([child], [], [], TIMEOUT)
                os.close(child)
                self.assertTrue(ended)
            self.assertEqual(server.terminate(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
