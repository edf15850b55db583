"""Who does not speak this server's protocol is rejected, and nothing of what such a client sends is carried out: a
web page can make a browser send lines of JSON in the body of a request, to any port of its own machine."""

import json
import os
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from certs import Certificates  # noqa: E402
from pyproofd import Closed, Server  # noqa: E402

SUBMIT = json.dumps(
    {"jsonrpc": "2.0", "id": 1, "method": "job.submit", "params": {"game": "mnk:3,3,3", "memory": "1M"}}
).encode()
SHUTDOWN = b'{"jsonrpc":"2.0","id":2,"method":"server.shutdown"}'
BODY = b"\r\n" + SUBMIT + b"\n" + SHUTDOWN + b"\n"
HEADS = [
    b"%s / HTTP/1.1\r\nHost: 127.0.0.1:4590\r\nContent-Type: text/plain\r\n" % method
    for method in (
        b"POST",
        b"GET",
        b"PUT",
        b"HEAD",
        b"OPTIONS",
        b"DELETE",
        b"PATCH",
        b"CONNECT",
        b"TRACE",
        b"post",
        b"X-OWN",
    )
]
OTHERS = [
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n",
    b"\x16\x03",
    b"EHLO me\r\n",
    b"USER me\r\n",
    b"*1\r\n$4\r\nPING\r\n",
    b"\0",
    b"\x80\x2e\x01",
    b"7\n",
    b'"',
    b"]\n",
    b"\xef\xbb\xbf",
    b"\x0c",
    b"// \n",
]
BLANKS = [b"", b"\n", b"\r\n\r\n", b" \t", b"\n \n\t\r\n  "]


class Strangers(unittest.TestCase):
    def send_all(self, client, pieces):
        try:
            for piece in pieces:
                client.send(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it has closed already

    def said(self, client):
        """What the server says until it closes."""
        said = b""
        try:
            while True:
                said += client.line() + b"\n"
        except (Closed, BrokenPipeError):
            return said

    def check(self, server, unix, pieces, is_http):
        with server.connect(unix=unix) as client:
            self.send_all(client, pieces)
            said = self.said(client)  # nothing, when a reset has overtaken it
            if said.startswith(b"HTTP/"):
                self.assertTrue(is_http, pieces)
                head, body = said.split(b"\r\n\r\n")
                self.assertTrue(head.startswith(b"HTTP/1.0 400 "))
                self.assertIn(b"Content-Length: %d\r\n" % len(body), head)
            elif said:
                self.assertFalse(is_http, pieces)
                line = json.loads(said)
                self.assertEqual((line["id"], line["error"]["data"]["slug"]), (None, "parse-error"))

    @staticmethod
    def lines_most(since):
        """How many lines of a kind there may be since then: one in ten seconds (rejected_clients.h)."""
        return 1 + int((time.monotonic() - since) / 10)

    def test_nothing_is_carried_out(self):
        since = time.monotonic()
        with Server("--threads", "0") as server:
            for unix in (False, True):
                for begin in HEADS + OTHERS:
                    for blank in BLANKS:
                        self.check(server, unix, [blank + begin + BODY], begin in HEADS or b"HTTP" in begin)
                whole = b"\r\n" + HEADS[0] + BODY
                self.check(server, unix, [bytes([byte]) for byte in whole], True)  # byte by byte
                for cut in range(1, 12):
                    self.check(server, unix, [whole[:cut], whole[cut:]], True)
            self.assertEqual(server.rpc("job.list")["jobs"], [])
            self.assertEqual(server.rpc("server.hello")["server"], "proofd")
            self.assertEqual(server.terminate(), 0)
            for kind in ("an HTTP request;", "TLS on a port without TLS;", "another protocol;"):
                lines = [line for line in server.log().splitlines() if "client rejected: " in line and kind in line]
                self.assertTrue(1 <= len(lines) <= self.lines_most(since), lines)

    def test_each_kind_has_a_line_of_its_own(self):
        certificates = Certificates()
        page = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://example.org\r\nContent-Type: text/plain\r\n"
        hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
        cases = [
            (False, page + BODY, b"HTTP/1.0 400", "an HTTP request of a web page"),
            (False, HEADS[1] + b"\r\n", b"HTTP/1.0 400", "an HTTP request"),
            (False, hello, b"does not speak TLS", "TLS on a port without TLS"),
            (False, b"EHLO me\r\n", b"must be { or [", "a client that speaks another protocol"),
            (True, SUBMIT + b"\n", b"requires TLS", "a plain request on the port with TLS"),
            (True, page + BODY, b"HTTP/1.0 400", "an HTTP request of a web page"),
            (True, HEADS[1] + b"\r\n", b"HTTP/1.0 400", "an HTTP request"),
            (True, b"EHLO me\r\n", b"must be { or [", "a client that speaks another protocol"),
            (True, hello + b"\0" * 600, b"", "failed TLS"),
        ]
        try:
            for tls, data, answer, words in cases:
                since = time.monotonic()
                with self.subTest(words, tls=tls):
                    with Server("--threads", "0", *(certificates.options() if tls else [])) as server:
                        for _ in range(3):
                            with server.connect() as client:
                                self.send_all(client, [data])
                                self.assertIn(answer, self.said(client))
                        with server.connect(unix=True) as client:
                            self.assertEqual(client.rpc("job.list")["jobs"], [])
                        self.assertEqual(server.terminate(), 0)
                        lines = [line for line in server.log().splitlines() if "client rejected" in line]
                        self.assertTrue(1 <= len(lines) <= self.lines_most(since), lines)
                        self.assertIn(words, lines[0])
            with Server("--threads", "0", *certificates.options()) as server:  # HTTP inside of TLS
                with server.connect(tls=certificates.client()) as client:
                    client.send(page + BODY)
                    self.assertIn(b"HTTP/1.0 400", self.said(client))
                self.assertEqual(server.terminate(), 0)
                self.assertIn("client rejected: an HTTP request of a web page", server.log())
        finally:
            certificates.remove()

    def test_who_begins_well_may_err_later(self):
        with Server("--threads", "0") as server:
            for blank in BLANKS:
                with server.connect() as client:
                    for byte in blank:
                        client.send(bytes([byte]))
                    self.assertEqual(client.rpc("server.hello")["server"], "proofd")
                    client.send(b"GET / HTTP/1.1\n7\n")
                    self.assertEqual(client.message()["error"]["data"]["slug"], "parse-error")
                    self.assertEqual(client.message()["error"]["data"]["slug"], "invalid-request")
                    self.assertEqual(client.rpc("server.hello")["server"], "proofd")
            with server.connect() as client:
                client.send(b"\n[")
                client.send(b'{"jsonrpc":"2.0","id":1,"method":"server.hello"}]\n')
                self.assertEqual(client.message()[0]["id"], 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
