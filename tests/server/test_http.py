"""`proofd --http`: HTTP as bytes, the page's files, /query against fact.query over TCP, WebSockets frame by frame,
tokens, origins and host names, TLS, floods and rubbish."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
from urllib.parse import quote

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from certs import Certificates  # noqa: E402
from effort import EFFORT  # noqa: E402
from pyproofd import TIMEOUT, Closed, RpcError, Server, program  # noqa: E402
from web import BINARY, CLOSE, PING, PONG, TEXT, Raw, Socket, frame  # noqa: E402

WEB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "clients", "web")
HELLO = '{"jsonrpc":"2.0","id":1,"method":"server.hello"}'
HTTP = ["--http", "127.0.0.1:0", "--threads", "1"]


def is_dropped(send):
    """Sends the same again and again, until the server has ended the connection."""
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        try:
            send()
        except (BrokenPipeError, ConnectionResetError):
            return True
    return False


class Patience:
    """A server with a client that says nothing and one that says half a request, while the other tests run. Each waits
    in a thread of its own: `status` of the answer, None without one, and the `seconds` until the connection ended."""

    def begin(self):
        self.server = Server(*HTTP)
        self.status, self.seconds, self.threads = {}, {}, []
        for name, text in ("silent", b""), ("slow", b"GET / HT"):
            since = time.monotonic()  # the server's time begins later
            raw = Raw(self.server)
            raw.send(text)
            self.threads.append(threading.Thread(target=self.wait, args=(name, raw, since)))
            self.threads[-1].start()

    def wait(self, name, raw, since):
        self.status[name] = None
        with raw:
            try:
                self.status[name] = raw.answer()[0]
                raw.is_closed()
            except Closed:
                pass
            self.seconds[name] = time.monotonic() - since


PATIENCE = Patience()


def setUpModule():
    PATIENCE.begin()


class Http(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(*HTTP, "--http-name", "proofs.example")
        job = cls.server.rpc("job.submit", game="mnk:3,3,3", memory="4M")["job"]
        cls.server.wait_job(job)

    @classmethod
    def tearDownClass(cls):
        code = cls.server.terminate()
        cls.server.__exit__(None)
        assert code == 0, code

    def test_files(self):
        with Raw(self.server) as raw:
            status, fields, body = raw.get("/")
            self.assertEqual((status, fields["content-type"]), (200, "text/html; charset=utf-8"))
            self.assertIn("default-src 'self'", fields["content-security-policy"])
            self.assertIn("frame-ancestors 'none'", fields["content-security-policy"])
            self.assertEqual(fields["x-content-type-options"], "nosniff")
            self.assertEqual(fields["referrer-policy"], "no-referrer")
            self.assertEqual(fields["cache-control"], "no-cache")
            self.assertNotIn("access-control-allow-origin", fields)
            self.assertIn(b"proofd", body)
            self.assertEqual(raw.get("/index.html")[2], body)
            self.assertEqual(raw.get("/?x=1")[2], body)
            status, head, none = raw.get("/", "HEAD")
            self.assertEqual((status, none, int(head["content-length"])), (200, b"", len(body)))
            self.assertEqual(raw.get("/", If_None_Match=fields["etag"])[::2], (304, b""))
            self.assertEqual(raw.get("/", If_None_Match='"x", ' + fields["etag"])[0], 304)
            self.assertEqual(raw.get("/", If_None_Match='"x"')[0], 200)
            for path in ("/nothing", "/../index.html", "/%2e%2e/", "//", "/index.htm"):
                self.assertEqual(raw.get(path)[0], 404, path)
            status, fields, _ = raw.get("/", "POST", b"")
            self.assertEqual((status, fields["allow"]), (405, "GET, HEAD"))
            self.assertEqual(raw.get("/query", "DELETE")[1]["allow"], "GET, HEAD, POST")
            self.assertEqual(raw.get("/rpc")[0], 426)

    def test_files_that_never_change(self):
        """All but the page itself have addresses of their content and may be kept for ever; elsewhere there is none."""
        with Raw(self.server) as raw:
            page = raw.get("/")[2].decode()
            named = set(re.findall(r'<(?:link|script)[^>]* (?:href|src)="([^"]+)"', page))
            self.assertGreater(len(named), 15)
            folders = {name.partition("/")[0] for name in named}
            self.assertEqual(len(folders), 1, folders)
            folder = folders.pop()
            self.assertRegex(folder, "^[0-9a-f]{32}$")
            for name in named:
                status, fields, body = raw.get("/" + name)
                self.assertEqual((status, fields["cache-control"]), (200, "public, max-age=31536000, immutable"), name)
                self.assertEqual(fields["x-content-type-options"], "nosniff")
                self.assertEqual(fields["cross-origin-resource-policy"], "same-origin")
                self.assertIn("default-src 'self'", fields["content-security-policy"])
                self.assertEqual(raw.get("/" + name, If_None_Match=fields["etag"])[::2], (304, b""))
                with open(os.path.join(WEB, name.partition("/")[2]), "rb") as file:
                    self.assertEqual(body, file.read())
                other = "%032x" % (int(folder, 16) ^ 1)
                for path in (name.partition("/")[2], name.replace(folder, other), name.replace(folder, folder[:31])):
                    status, fields, _ = raw.get("/" + path)
                    self.assertEqual((status, fields["cache-control"]), (404, "no-store"), path)
            self.assertEqual(raw.get("/%s/index.html" % folder)[0], 404)
            self.assertEqual(raw.get("/" + named.pop(), Sec_Fetch_Site="cross-site")[0], 403)

    def test_pages(self):
        with Raw(self.server) as raw:
            self.assertEqual(raw.get("/healthz")[::2], (200, b"ok\n"))
            self.assertEqual(raw.get("/readyz")[::2], (200, b"ok\n"))
            status, fields, body = raw.get("/metrics")
            self.assertEqual((status, fields["cache-control"]), (200, "no-store"))
            self.assertIn(b"\nproofd_ready 1\n", body)

    def test_what_is_no_request(self):
        bad = [
            (b"GET / HTTP/1.1\nHost: a\n\n", 400),
            (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\n\r\n", 400),
            (b"GET / HTTP/1.1\r\n\r\n", 400),
            (b"GET /\r\n\r\n", 400),
            (b"GET / HTTP/2.0\r\nHost: 127.0.0.1\r\n\r\n", 505),
            (b"GET http://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n folded\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\0b\r\n\r\n", 400),
            (b"GE(T / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 400),
            (b"POST /query HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", 400),
            (b"POST /query HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n", 400),
            (b"POST /query HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413),
            (b"POST /query HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2000000\r\n\r\n", 413),
            (b"POST /query HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
            (b"POST /query HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: more\r\n\r\n", 417),
            (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X: y\r\n" * 101 + b"\r\n", 431),
            (b"GET /" + b"x" * 20000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 431),
            (b'{"jsonrpc":"2.0","id":1,"method":"server.hello"}\r\n\r\n', 400),
            (b"\x16\x03\x01\x02\x00\n", 400),
        ]
        for data, status in bad:
            for step in (len(data), 1) if len(data) < 200 else (len(data),):
                with self.subTest(data[:70]), Raw(self.server) as raw:
                    try:
                        for at in range(0, len(data), step):
                            raw.send(data[at:at + step])
                    except (BrokenPipeError, ConnectionResetError):
                        pass
                    got, fields, body = raw.answer()
                    self.assertEqual((got, fields["connection"]), (status, "close"))
                    self.assertIn("slug", json.loads(body)["error"])
                    self.assertTrue(raw.is_closed())

    def test_hosts_and_origins(self):
        host = "%s:%d" % self.server.http
        good = [{}, {"host": "localhost"}, {"host": "LOCALHOST:1"}, {"host": "[::1]:80"}, {"host": "10.1.2.3"},
                {"host": "proofs.example:80"}, {"Origin": "http://" + host}, {"Origin": "HTTP://" + host},
                {"host": "proofs.example", "Origin": "http://proofs.example"},
                {"Sec_Fetch_Site": "same-origin"}, {"Sec_Fetch_Site": "none", "Sec_Fetch_Mode": "navigate"},
                {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}]
        bad = [{"host": "evil.example"}, {"host": "127.0.0.1.evil.example"}, {"host": "localhost.evil.example:80"},
               {"host": "[evil]"}, {"host": "xproofs.example"}, {"host": ""}, {"host": "[::1]evil.example"},
               {"host": "localhost:1@evil.example"}, {"host": "localhost:80:80"}, {"host": "[::1"}, {"host": "[::1]80"},
               {"host": "[1.2]"}, {"host": "1.2.3.4.5"}, {"host": ":80"}, {"host": "proofs.example:x"},
               {"Origin": "null"}, {"Origin": "https://" + host}, {"Origin": "http://evil.example"},
               {"Origin": "http://127.0.0.1"}, {"Origin": "http://" + host + "x"}, {"Origin": ""},
               {"host": "proofs.example", "Origin": "http://evil.example"},
               {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"}, {"Sec_Fetch_Site": "same-site"}]
        for fields in good + bad:
            status = 403 if fields in bad else 200
            for path, method, body in (("/", "GET", None), ("/metrics", "GET", None), ("/query", "POST", b"[]")):
                with self.subTest(fields, path=path), Raw(self.server) as raw:
                    got = raw.get(path, method, body, **fields)[0]
                    self.assertEqual(got, 400 if method == "POST" and status == 200 else status)
            with self.subTest(fields, path="/rpc"):
                fields = {name.capitalize(): text for name, text in fields.items()}
                with Socket(self.server, **fields) as client:
                    self.assertEqual(client.status, 101 if status == 200 else 403)
        self.assertIn("client rejected: a request by a web page of another origin: ", self.server.log())
        self.assertIn("client rejected: a request for a foreign host name: evil.example;", self.server.log())

    def test_query(self):
        with Raw(self.server) as raw:
            positions = ["", "b2", "b2 a1", "b2 a1 a2", "x1o/3/3"]
            one = [raw.json("/query?game=mnk:3,3,3&position=" + quote(text)) for text in positions]
            many = json.dumps([{"game": "mnk:3,3,3", "position": text} for text in positions]).encode()
            status, answers = raw.json("/query", "POST", many)
            self.assertEqual((status, answers), (200, [answer for _, answer in one]))
            self.assertEqual({status for status, _ in one}, {200})
            facts = self.server.rpc("fact.query", game="mnk:3,3,3", positions=positions, each_move=True)["facts"]
            for fact, answer in zip(facts, answers):
                for name in ("lo", "hi", "text", "source", "rank", "effort"):
                    self.assertEqual(answer[name], fact[name])
                moves = {move["move"]: move for move in answer["moves"]}
                self.assertEqual(len(moves), len(fact["moves"]))
                for move in fact["moves"]:
                    for name in move:
                        self.assertEqual(moves[move["move"]][name], move[name])
                self.assertEqual(answer["category"], self.category(answer, answer["first_to_move"]))
                self.check_order(answer)
            self.assertEqual(raw.json("/query?game=mnk:3,3,3&moves=b2%20a1")[1]["first_to_move"], True)
            self.assertEqual(raw.json("/query?game=connect4:7x6&position=1212121")[1]["terminal"], True)
            status, fields, body = raw.get("/query?game=mnk:3,3,3", "HEAD")
            self.assertEqual((status, fields["content-type"], body), (200, "application/json", b""))

    def test_a_position_is_not_weaker_than_its_moves(self):
        """By the rules alone: either side has an immediate win."""
        with Raw(self.server) as raw:
            for position, text in (("a1 a2 b1 b2 c1 c2 d1 d2", "first wins"),
                                   ("a1 a2 b1 b2 c1 c2 d1 d2 a5", "second wins")):
                answer = raw.json("/query?game=mnk:5,5,5&position=" + quote(position))[1]
                self.assertEqual((answer["text"], answer["rank"], answer["source"]), (text, 1, "rules"))
                self.assertEqual((answer["category"], answer["terminal"]), ("win", False))
                self.assertTrue(answer["moves"][0]["terminal"])

    @staticmethod
    def category(verdict, first):
        lo, hi = (verdict["lo"], verdict["hi"]) if first else (-verdict["hi"], -verdict["lo"])
        return ("win" if lo > 0 else "loss" if hi < 0 else "draw" if lo == hi == 0 else "win-or-draw" if lo == 0 else
                "draw-or-loss" if hi == 0 else "unknown")

    def check_order(self, answer):
        """Best first: what a move leaves to its mover."""
        order = ["win", "win-or-draw", "unknown", "draw", "draw-or-loss", "loss"]
        ranks = [order.index(self.category(move, answer["first_to_move"])) for move in answer["moves"]]
        self.assertEqual(ranks, sorted(ranks))
        wins = [move["rank"] for move, rank in zip(answer["moves"], ranks) if rank == 0 and move["rank"] is not None]
        losses = [move["rank"] for move, rank in zip(answer["moves"], ranks) if rank == 5 and move["rank"] is not None]
        self.assertEqual((wins, losses), (sorted(wins), sorted(losses, reverse=True)))

    def test_query_errors(self):
        wrong = [("", "invalid-params", "game"), ("?game=no", "bad-game", "game"),
                 ("?game=mnk:3,3,3&position=z", "bad-position", None),
                 ("?game=mnk:3,3,3&moves=z9", "bad-move", "moves"),
                 ("?game=mnk:3,3,3&what=1", "invalid-params", None), ("?game=a&game=b", "invalid-params", "game"),
                 ("?game=%zz", "invalid-params", "game"), ("?game=%4", "invalid-params", "game"),
                 ("?game=" + "x" * 200, "invalid-params", "game"), ("?game=%00", "invalid-params", "game"),
                 ("?game=mnk:3,3,3&notation=x", "invalid-params", "notation"),
                 ("?game=andor:no", None, "game")]
        with Raw(self.server) as raw:
            for query, slug, field in wrong:
                status, body = raw.json("/query" + query)
                error = body["error"]
                self.assertIn(status, (400, 404), query)
                self.assertTrue(error["message"])
                self.assertEqual(error["slug"], slug or error["slug"], query)
                self.assertEqual(error["field"], field or error["field"], query)
            status, answers = raw.json("/query", "POST", b'[{"game":"no"}, {"game":"mnk:3,3,3"}]')
            self.assertEqual((status, answers[0]["error"]["slug"]), (200, "bad-game"))
            self.assertEqual(answers[1]["category"], "draw")
            for body in (b"", b"{}", b"[", b"[]]", b"[{}", b'["]', b"[1]x", b"[]\0", b"[]", b"[1]", b'[{"game":1}]',
                         b'[]},"method":"job.list","params":{"x":[]', b"[" * 100000 + b"]" * 100000):
                status, answer = raw.json("/query", "POST", body)
                self.assertIn(answer["error"]["slug"], ("parse-error", "invalid-params", "limit"), body[:40])
                self.assertEqual(status, 400)
                self.assertNotIn("positions", answer["error"]["message"] + (answer["error"]["field"] or ""))
            self.assertIn("1 to 10000 objects", raw.json("/query", "POST", b"[]")[1]["error"]["message"])
            error = raw.json("/query", "POST", b'[{"game":"mnk:3,3,3"},{"game":1}]')[1]["error"]
            self.assertEqual(error["field"], "[1].game")
            many = json.dumps([{"game": "mnk:3,3,3"}] * 10000).encode()
            self.assertEqual(len(raw.json("/query", "POST", many)[1]), 10000)
            many = json.dumps([{"game": "mnk:3,3,3"}] * 10001).encode()
            self.assertEqual(raw.json("/query", "POST", many)[1]["error"]["slug"], "invalid-params")

    def test_pipelining(self):
        """Answers in the order of the requests, though some wait for a thread."""
        random_ = random.Random(5)
        body = json.dumps([{"game": "mnk:3,3,3", "position": "b2"}] * 100).encode()
        asked = [random_.choice(["/healthz", "/query?game=mnk:3,3,3", "/none", "POST"]) for _ in range(200)]
        with Raw(self.server) as raw:
            for path in asked:
                raw.ask(*(("/query", "POST", body) if path == "POST" else (path,)))
            for path in asked:
                status, _, text = raw.answer()
                self.assertEqual(status, 404 if path == "/none" else 200)
                if path == "POST":
                    self.assertEqual(len(json.loads(text)), 100)
                elif path.startswith("/query"):
                    self.assertEqual(json.loads(text)["category"], "draw")
            raw.send(b"\r\n\r\nGET /healthz HTTP/1.0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n")
            self.assertEqual(raw.answer()[1]["connection"], "close")
            self.assertTrue(raw.is_closed())
        with Raw(self.server) as raw:
            raw.send(b"GET /healthz HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
            self.assertEqual(raw.answer()[1]["connection"], "keep-alive")
            self.assertEqual(raw.get("/healthz", Connection="close")[1]["connection"], "close")
            self.assertTrue(raw.is_closed())
        with Raw(self.server) as raw:
            raw.send(b"POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 23\r\nExpect: 100-continue\r\n\r\n")
            self.assertEqual(raw.answer()[0], 100)
            raw.send(b'[{"game":"mnk:3,3,3"}]\n')
            self.assertEqual(raw.answer()[0], 200)
            raw.ask("/query", "POST", body)  # the client sends no more, and reads on
            raw.socket.shutdown(socket.SHUT_WR)
            self.assertEqual(raw.answer()[0], 200)
            self.assertTrue(raw.is_closed())

    # --- WebSocket ---

    def test_socket_is_as_tcp(self):
        with Socket(self.server, offered="other, jsonrpc") as client, self.server.connect() as tcp:
            self.assertIn("Sec-WebSocket-Protocol: jsonrpc\r\n", client.head)
            calls = [("server.hello", {}), ("game.list", {}), ("rpc.discover", {}), ("job.get", {"job": 1}),
                     ("fact.query", {"game": "mnk:3,3,3", "position": ""}),
                     ("fact.query", {"game": "mnk:3,3,3", "positions": [""] * 5000}),
                     ("fact.line", {"game": "mnk:3,3,3"})]
            for method, params in calls:
                self.assertEqual(client.rpc(method, **params), tcp.rpc(method, **params))
            with self.assertRaises(RpcError) as caught:
                client.rpc("server.shutdown")
            self.assertEqual(caught.exception.slug, "unsupported")
            client.send("[%s,%s]" % (HELLO, HELLO))
            self.assertEqual(len(client.message()), 2)
            client.send('{"jsonrpc":"2.0",\n"id":7,\n"method":"server.hello"}\n')
            self.assertEqual(client.message()["id"], 7)
            for text in ("", " ", "7", "nonsense", "{"):
                client.send(text)
                self.assertIn(client.message()["error"]["data"]["slug"], ("parse-error", "invalid-request"))
            job = client.rpc("job.submit", game="connect4:7x6", memory="4M", budget={"nodes": 300000})["job"]
            self.assertEqual(client.wait_job(job)["state"], "exhausted")
            self.assertTrue(client.notifications == [] or client.notifications[-1]["method"] == "job.progress")

    def test_frames(self):
        with Socket(self.server) as client:
            self.assertNotIn("Sec-WebSocket-Protocol", client.head)
            for pieces in (1, 2, 3, 7, len(HELLO)):
                size = -(-len(HELLO) // pieces)
                cuts = [HELLO[at:at + size] for at in range(0, len(HELLO), size)]
                for i, cut in enumerate(cuts):
                    client.send(frame(cut, 0 if i else TEXT, i == len(cuts) - 1))
                    client.send(frame("mid%d" % i, PING))  # between the fragments
                self.assertEqual(client.message()["id"], 1)
            client.send(frame("", TEXT, False) + frame(HELLO, 0, False) + frame("", 0))
            self.assertEqual(client.message()["id"], 1)
            for byte in frame(HELLO) + frame("x" * 125, PING) + frame("", 10):
                client.send(bytes([byte]))
            self.assertEqual(client.message()["id"], 1)
            client.send(frame(HELLO) * 500)
            for _ in range(500):
                self.assertEqual(client.message()["id"], 1)
            self.assertEqual(client.pongs[-1], b"x" * 125)
            self.assertIn(b"mid0", client.pongs)
            text = ('{"jsonrpc":"2.0","id":"%s","method":"server.hello"}' % ("\u00e9\u20ac\U0001f600" * 9)).encode()
            for at in range(1, len(text)):  # inside of characters, too
                client.send(frame(text[:at], TEXT, False) + frame(text[at:], 0))
                self.assertEqual(len(client.message()["id"]), 27)
            client.send(frame(" " * ((1 << 20) - 1 - len(HELLO)) + HELLO))  # as long as may be
            self.assertEqual(client.message()["id"], 1)
            client.send(frame(b"\x03\xe8bye", CLOSE))
            self.assertEqual(client.end(), 1000)

    def test_frames_that_end_it(self):
        big = 1 << 20
        cases = [
            (1003, frame(b"x", BINARY)),
            (1002, frame(HELLO, masked=False)),
            (1002, frame(HELLO, reserved=0x40)),
            (1002, frame(HELLO, 3)),
            (1002, frame(HELLO, 11)),
            (1002, frame("x", 0)),
            (1002, frame("x", TEXT, False) + frame("y", TEXT)),
            (1002, frame("x" * 126, PING)),
            (1002, frame("x", PING, False)),
            (1002, b"\x81\xff" + b"\xff" * 12),
            (1007, frame(b"\xff\xfe")),
            (1007, frame(b"\xed\xa0\x80")),
            (1007, frame(b"\xc3", TEXT, False) + frame(b"(", 0)),
            (1009, b"\x81\xff" + b"\x00" * 4 + b"\x7f" * 8),
            (1009, frame("x" * big)),
            (1009, frame("x" * (big - 1), TEXT, False) + frame("x", 0)),
            (1005, frame("", CLOSE)),
            (1002, frame("x", CLOSE)),
            (1002, frame(b"\x03\xed", CLOSE)),
            (4000, frame(b"\x0f\xa0", CLOSE)),
        ]
        for code, data in cases:
            with self.subTest(data[:20], code=code), Socket(self.server) as client:
                client.send(frame(HELLO))
                try:
                    client.send(data + frame(HELLO))
                except (BrokenPipeError, ConnectionResetError):
                    pass
                self.assertEqual(client.message()["id"], 1)
                self.assertEqual(client.end(), code)
        for fields, status in (({"Sec_WebSocket_Version": "12"}, 426), ({"Sec_WebSocket_Key": "short"}, 400),
                               ({"Upgrade": "h2c"}, 426), ({"Connection": "keep-alive"}, 426), ({"path": "/x"}, 404)):
            with self.subTest(fields), Socket(self.server, **fields) as client:
                self.assertEqual(client.status, status)

    def test_rubbish(self):
        """Bytes by seed: the server answers or hangs up, and serves the others."""
        rnd = random.Random(11)
        before = self.server.memory()
        heads = [b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nabcde",
                 b'POST /query HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 22\r\n\r\n[{"game":"mnk:3,3,3"}]']
        for i in range(20 + 280 * EFFORT // 100):
            with Socket(self.server) if i % 3 == 0 else Raw(self.server) as client:
                data = bytearray((frame(HELLO) + frame("x" * 200, PING)) * 3 if i % 3 == 0 else rnd.choice(heads) * 3)
                for _ in range(rnd.randrange(1, 6)):
                    at = rnd.randrange(len(data))
                    data[at:at + rnd.randrange(3)] = bytes(rnd.randrange(256) for _ in range(rnd.randrange(3)))
                try:
                    client.send(bytes(data))
                    if i % 2:
                        client.socket.shutdown(socket.SHUT_WR)
                        while client.socket.recv(1 << 16):
                            pass
                except OSError:
                    pass
        with Socket(self.server) as client:
            self.assertEqual(client.rpc("server.hello")["server"], "proofd")
        self.assertLess(self.server.growth(before), 50 << 20)


class Limits(unittest.TestCase):
    def test_slow_readers(self):
        """A WebSocket that reads nothing is held back and dropped, as a client over TCP is."""
        ask = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "fact.query",
                          "params": {"game": "connect4:7x6", "positions": ["1"] * 5000}})
        with Server(*HTTP, "--stall", "0.3") as server:
            with Socket(server) as lazy, server.connect() as other:
                self.assertTrue(is_dropped(lambda: lazy.send(ask)))
                self.assertEqual(other.rpc("server.hello")["server"], "proofd")
            self.assertEqual(server.terminate(), 0)
        with Server(*HTTP, "--stall", "0.3") as server:  # each has its line in the log
            with Raw(server) as lazy, Raw(server) as other:
                self.assertTrue(is_dropped(lambda: lazy.ask("/metrics")))
                self.assertEqual(other.get("/healthz")[0], 200)
            self.assertEqual(server.terminate(), 0)
            self.assertIn("it has read nothing for longer than --stall", server.log())

    def test_pings(self):
        """A WebSocket whose client is gone without a word is cut off; one that answers pings is not: it has `stall`
        for each answer, which is long enough for a process that other tests keep waiting."""
        stall = 5
        with Server(*HTTP, "--stall", str(stall)) as server, server.connect() as tcp:
            begin = time.monotonic()
            with Socket(server) as there, Socket(server) as gone:
                while "has not answered a ping for longer than --stall" not in server.log():
                    opcode, payload = there.read_frame()
                    self.assertEqual(opcode, PING)
                    there.send(frame(payload, PONG))
                self.assertGreater(time.monotonic() - begin, stall)
                self.assertEqual(gone.end(), None)
                self.assertEqual(there.rpc("server.hello")["server"], "proofd")
                self.assertEqual(tcp.rpc("server.stats")["connections"], 2)
            self.assertEqual(server.terminate(), 0)

    def test_floods(self):
        """Many clients that ask much and read later: all are served, and the owner at once."""
        count, each = 40, 20 + EFFORT
        with Server(*HTTP) as server, server.connect(unix=True) as owner:
            sockets = [Socket(server) for _ in range(count)]
            raws = [Raw(server) for _ in range(count)]
            for client, raw in zip(sockets, raws):
                client.send((frame("x" * 100, PING) * 5 + frame(HELLO)) * each)
                for _ in range(each):
                    raw.ask("/query?game=connect4:7x6")
                self.assertEqual(owner.rpc("server.hello")["role"], "admin")
            for client, raw in zip(sockets, raws):
                for _ in range(each):
                    self.assertEqual(client.message()["id"], 1)
                    self.assertEqual(raw.answer()[0], 200)
                self.assertEqual(len(client.pongs), 5 * each)
                client.close()
                raw.close()
            self.assertEqual(server.terminate(), 0)

    def test_places(self):
        """Connections by HTTP count among all; one too many is told so; idle ones make room."""
        with Server(*HTTP, "--connections", "3", "--idle", "1000") as server:
            with Socket(server) as first, Raw(server) as second, server.connect() as third:
                self.assertEqual(second.get("/healthz")[0], 200)
                third.rpc("server.hello")
                with Raw(server) as fourth:
                    status, fields, body = fourth.get("/healthz")
                    self.assertEqual((status, fields["connection"]), (503, "close"))
                    self.assertIn("at most 3", json.loads(body)["error"]["message"])
                    self.assertTrue(fourth.is_closed())
                self.assertEqual(first.rpc("server.stats")["connections"], 3)
        with Server(*HTTP, "--connections", "2", "--idle", "0") as server:
            with Raw(server) as first, Raw(server) as second:
                self.assertEqual(first.get("/healthz")[0], 200)
                self.assertEqual(second.get("/healthz")[0], 200)
                with Socket(server) as third:
                    self.assertEqual(third.rpc("server.hello")["server"], "proofd")
                    self.assertTrue(first.is_closed())

    def test_the_end(self):
        """The server says that it goes, and answers what is in flight; a client that is killed goes unnoticed."""
        with Server(*HTTP) as server:
            with Socket(server) as client, Raw(server) as raw, Socket(server) as gone:
                gone.socket.close()
                self.assertEqual(raw.get("/healthz")[0], 200)
                client.send(HELLO)
                client.message()
                self.assertEqual(server.terminate(), 0)
                self.assertEqual(client.end(), 1001)
                self.assertTrue(raw.is_closed())
            server.start()
            with Socket(server) as client:
                self.assertEqual(client.rpc("server.hello")["server"], "proofd")
            self.assertEqual(server.terminate(), 0)

    def test_rate(self):
        with Server(*HTTP, "--rate", "5") as server, Raw(server) as raw:
            raw.send(b"GET /query?game=mnk:3,3,3 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 100)
            statuses = [raw.answer()[0] for _ in range(100)]
            self.assertIn(429, statuses)
            self.assertEqual(set(statuses), {200, 429})


class Tokens(unittest.TestCase):
    QUERY, ADMIN = "a token for reading", "the token of an admin"

    def test_tokens(self):
        path = os.path.join(self.certificates.dir, "tokens")
        with open(path, "w") as file:
            os.chmod(path, 0o600)
            file.write("query %s\nadmin %s\n" % (self.QUERY, self.ADMIN))
        good, bad = "Bearer " + self.QUERY, "Bearer no such token, really"
        with Server(*HTTP, "--token-file", path) as server:
            with Raw(server) as raw:
                self.assertEqual(raw.get("/")[0], 200)
                self.assertEqual(raw.get("/healthz")[0], 200)
                for page in ("/metrics", "/readyz", "/query?game=mnk:3,3,3"):
                    status, fields, _ = raw.get(page)
                    self.assertEqual((status, fields["www-authenticate"]), (401, "Bearer"))
                    self.assertEqual(raw.get(page, Authorization=bad)[0], 401)
                    self.assertEqual(raw.get(page, Authorization="Basic " + self.QUERY)[0], 401)
                    self.assertEqual(raw.get(page, Authorization="Bearer " + "x" * 300)[0], 401)
                    self.assertEqual(raw.get(page, Authorization="bearer " + self.QUERY)[0], 200)
                    self.assertEqual(raw.get(page, Authorization="Bearer " + self.ADMIN)[0], 200)
                    self.assertEqual(raw.get(page)[0], 401)  # each request by itself
                body = b'[{"game":"mnk:3,3,3"}]'
                self.assertEqual(raw.get("/query", "POST", body)[0], 401)
                self.assertEqual(raw.get("/query", "POST", body, Authorization=good)[0], 200)
                for _ in range(3):  # pipelined: the wrong one holds up those behind it
                    raw.ask("/query?game=mnk:3,3,3", Authorization=bad)
                    raw.ask("/query?game=mnk:3,3,3", Authorization=good)
                self.assertEqual([raw.answer()[0] for _ in range(6)], [401, 200] * 3)
            with Socket(server) as client:
                self.assertEqual(client.rpc("server.hello")["role"], "none")
                with self.assertRaises(RpcError) as caught:
                    client.rpc("job.list")
                self.assertEqual(caught.exception.slug, "forbidden")
                self.assertEqual(client.rpc("server.hello", token=self.QUERY)["role"], "query")
                self.assertEqual(client.rpc("job.list")["jobs"], [])
            with Socket(server, Authorization="Bearer " + self.ADMIN) as client:
                self.assertEqual(client.rpc("server.hello")["role"], "admin")
            with Socket(server, Authorization=bad) as client:
                self.assertEqual(client.status, 401)
            with Raw(server) as raw:  # a token that goes is none any more
                self.assertEqual(raw.get("/metrics", Authorization=good)[0], 200)
                self.assertEqual(raw.get("/query?game=mnk:3,3,3", Authorization=good)[0], 200)
                with open(path, "w") as file:
                    file.write("admin %s\n" % self.ADMIN)
                os.kill(server.pid, signal.SIGHUP)
                end = time.monotonic() + TIMEOUT
                while "1 token read from" not in server.log():
                    self.assertLess(time.monotonic(), end)
                    raw.get("/healthz")
                self.assertEqual(raw.get("/query?game=mnk:3,3,3", Authorization=good)[0], 401)
                self.assertEqual(raw.get("/metrics", Authorization=good)[0], 401)
                self.assertEqual(raw.get("/metrics", Authorization="Bearer " + self.ADMIN)[0], 200)
            self.assertEqual(server.terminate(), 0)

    def test_tls(self):
        tls = self.certificates.client()
        with Server(*HTTP, *self.certificates.options()) as server:
            host = "%s:%d" % server.http
            with Raw(server, tls) as raw:
                self.assertEqual(raw.get("/", Origin="https://" + host)[0], 200)
                self.assertEqual(raw.get("/query?game=mnk:3,3,3")[0], 200)
                self.assertEqual(raw.get("/", Origin="http://" + host)[0], 403)
            with Socket(server, tls, Origin="https://" + host) as client:
                self.assertEqual(client.rpc("server.hello")["role"], "submit")
                facts = client.rpc("fact.query", game="connect4:7x6", positions=["1"] * 10000)["facts"]
                self.assertEqual(len(facts), 10000)
                client.send(frame(b"\x03\xe8", CLOSE))
                self.assertEqual(client.end(), 1000)
            with Raw(server) as raw:  # plain on the port with TLS
                raw.ask("/")
                status, _, body = raw.answer()
                self.assertEqual(status, 400)
                self.assertIn(b"https://", body)
            self.assertEqual(server.terminate(), 0)

    def test_addresses(self):
        """What other machines can reach needs what --listen needs."""
        for options, words in ((["--http", "0.0.0.0:0"], "--token-file"), (["--http", "nonsense"], "--http takes"),
                               (["--http-name", "a b"], "--http-name takes"), (["--http", "[::]:0"], "--tls-cert")):
            done = subprocess.run([program("proofd"), "--memory-only", "--listen", "none", *options],
                                  capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)

    @classmethod
    def setUpClass(cls):
        cls.certificates = Certificates()

    @classmethod
    def tearDownClass(cls):
        cls.certificates.remove()


class Waiting(unittest.TestCase):
    """The last of these tests: the ten seconds are nearly over."""

    def test_a_request_has_its_time(self):
        with PATIENCE.server as server:
            for thread in PATIENCE.threads:
                thread.join(TIMEOUT)
            self.assertEqual(PATIENCE.status, {"silent": None, "slow": 408})
            for name in PATIENCE.status:
                self.assertGreater(PATIENCE.seconds[name], 9.5, name)
                self.assertLess(PATIENCE.seconds[name], 60, name)
            self.assertEqual(server.terminate(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
