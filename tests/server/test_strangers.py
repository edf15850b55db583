"""Who does not speak this server's protocol is turned away, and nothing of what such a client sends is carried out: a
web page can make a browser send lines of JSON in the body of a request, to any port of its own machine."""

import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
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
        lines = []
        try:
            while True:
                lines.append(client.message())
        except (Closed, BrokenPipeError):
            return lines

    def check(self, server, unix, pieces):
        with server.connect(unix=unix) as client:
            self.send_all(client, pieces)
            for line in self.said(client):  # a reset may have overtaken it
                self.assertEqual((line["id"], line["error"]["data"]["slug"]), (None, "parse-error"))

    def test_nothing_is_carried_out(self):
        with Server("--threads", "0") as server:
            for unix in (False, True):
                for begin in HEADS + OTHERS:
                    for blank in BLANKS:
                        self.check(server, unix, [blank + begin + BODY])
                whole = b"\r\n" + HEADS[0] + BODY
                self.check(server, unix, [bytes([byte]) for byte in whole])  # byte by byte
                for cut in range(1, 12):
                    self.check(server, unix, [whole[:cut], whole[cut:]])
            self.assertEqual(server.rpc("job.list")["jobs"], [])
            self.assertEqual(server.rpc("server.hello")["server"], "proofd")
            self.assertEqual(server.terminate(), 0)
            lines = [line for line in server.log().splitlines() if "turned away" in line]
            self.assertTrue(1 <= len(lines) <= 5, lines)

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
