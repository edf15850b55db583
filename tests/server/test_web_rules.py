"""`proofd --http`: what is refused and how, whose role a connection has, and what a client leaves behind that goes."""

import json
import os
import select
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from certs import Certificates  # noqa: E402
from pyproofd import TIMEOUT, Server  # noqa: E402
from web import CLOSE, Raw, Socket, frame  # noqa: E402

HTTP = ["--http", "127.0.0.1:0", "--threads", "1"]
UPGRADE = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13",
           "Sec_WebSocket_Key": "AAAAAAAAAAAAAAAAAAAAAA=="}


class Rules(unittest.TestCase):
    def test_a_web_socket_is_opened_by_get_and_http_1_1(self):
        with Server(*HTTP) as server, Raw(server) as raw:
            for method in ("HEAD", "POST", "DELETE"):
                for fields in (UPGRADE, {}):
                    status, got, _ = raw.get("/rpc", method, **fields)
                    self.assertEqual((status, got["allow"]), (405, "GET"), method)
            for path, allow in (("/", "GET, HEAD"), ("/query", "GET, HEAD, POST"), ("/metrics", "GET, HEAD")):
                self.assertEqual(raw.get(path, "PUT")[1]["allow"], allow)
            lines = ["%s: %s" % (name.replace("_", "-"), text) for name, text in UPGRADE.items()]
            raw.send("\r\n".join(["GET /rpc HTTP/1.0", "Host: 127.0.0.1", *lines, "", ""]).encode())
            self.assertEqual(raw.answer()[0], 426)
            self.assertTrue(raw.is_closed())

    def test_json_that_cannot_be_read_is_no_matter_of_the_rate(self):
        deep = b"[" * 100 + b"]" * 100
        with Server(*HTTP) as server, Raw(server) as raw:
            status, answer = raw.json("/query", "POST", deep)
            self.assertEqual((status, answer["error"]["slug"]), (400, "limit"))
            self.assertIn("nested too deeply", answer["error"]["message"])
        with Server(*HTTP, "--rate", "1") as server, Raw(server) as raw:
            raw.send(b"GET /query?game=mnk:3,3,3 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 50)
            self.assertIn(429, [raw.answer()[0] for _ in range(50)])

    def test_pages_are_text_and_errors_json(self):
        with Server(*HTTP) as server, Raw(server) as raw:
            for path, method, status, text in (("/no", "GET", 404, True), ("/readyz", "GET", 200, True),
                                               ("/rpc", "GET", 426, False), ("/", "PUT", 405, False),
                                               ("/query", "GET", 400, False)):
                got, fields, _ = raw.get(path, method)
                self.assertEqual(got, status, path)
                self.assertEqual(fields["content-type"].startswith("text/plain"), text, path)
                self.assertEqual(fields["content-type"] == "application/json", not text, path)


class Roles(unittest.TestCase):
    def test_a_role_is_not_inherited(self):
        """After a wrong token a connection needs one for everything that has a role."""
        certificates = Certificates()
        path = os.path.join(certificates.dir, "tokens")
        with open(path, "w") as file:
            os.chmod(path, 0o600)
            file.write("admin the token of an admin\n")
        good, wrong = "Bearer the token of an admin", "Bearer no such token, really"
        try:
            with Server(*HTTP, "--token-file", path) as server:
                for tokens in ([good], [good, wrong], [wrong], [good, wrong, good]):
                    with self.subTest(tokens), Raw(server) as raw:
                        for token in tokens:
                            self.assertEqual(raw.get("/metrics", Authorization=token)[0], 200 if token == good else 401)
                        self.assertEqual(raw.get("/rpc", **UPGRADE)[0], 401)
                        self.assertEqual(raw.get("/")[0], 200)
                        self.assertEqual(raw.get("/rpc", Authorization=good, **UPGRADE)[0], 101)
                with Raw(server) as raw:  # who has shown none may do so later
                    self.assertEqual(raw.get("/")[0], 200)
                    self.assertEqual(raw.get("/metrics")[0], 401)
                    self.assertEqual(raw.get("/rpc", **UPGRADE)[0], 101)
                self.assertEqual(server.terminate(), 0)
        finally:
            certificates.remove()


class Leaving(unittest.TestCase):
    def test_who_closes_a_web_socket_has_left(self):
        """The check that it waited for ends, and the connection at once."""
        certificates = Certificates()
        checker, fifo = (os.path.join(certificates.dir, name) for name in ("checker", "fifo"))
        with open(checker, "w") as file:
            file.write("#!/bin/sh\necho $$ >${0%/*}/fifo\nexec sleep 1000\n")
        os.chmod(checker, 0o755)
        os.mkfifo(fifo)
        try:
            with Server(*HTTP, "--proofcheck", checker) as server:
                server.wait_job(server.rpc("job.submit", game="mnk:3,3,3", memory="4M")["job"])
                proof = server.rpc("proof.export", game="mnk:3,3,3")["proof"]
                for code in (1000, None):
                    with Socket(server) as client:
                        client.ask("proof.verify", proof=proof)
                        with open(fifo) as pipe:
                            child = os.pidfd_open(int(pipe.read()))
                        if code:
                            client.send(frame(b"\x03\xe8", CLOSE))
                            self.assertEqual(client.end(), code)
                        else:
                            client.close()  # without a word
                    ended, _, _ = select.select([child], [], [], TIMEOUT)
                    os.close(child)
                    self.assertTrue(ended)
                with Socket(server) as client:  # what came before is carried out and answered
                    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "server.hello"})
                    submit = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "job.submit",
                                         "params": {"game": "mnk:4,3,3", "memory": "4M"}})
                    client.send(frame(submit) + frame(hello) + frame(b"\x03\xe8", CLOSE) + frame(hello))
                    while client.message()["id"] != 1:  # the job may be on disk before the rest was read
                        pass
                    self.assertEqual(client.end(), 1000)
                end = time.monotonic() + TIMEOUT
                while len(server.rpc("job.list")["jobs"]) < 2:
                    self.assertLess(time.monotonic(), end)
                self.assertEqual(server.terminate(), 0)
        finally:
            certificates.remove()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
