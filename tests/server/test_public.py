"""proofd --public: nothing but reading is possible, by any method; whose rate counts behind proxies, forged fields;
pages, pictures, certificates and what caches and other origins are told."""

import hashlib
import json
import os
import subprocess
import sys
import time
import unittest
from urllib.parse import quote

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, RpcError, Server, program  # noqa: E402
from web import Public, Raw, Socket  # noqa: E402

ROLES = ["none", "public", "query", "submit", "admin"]
FREE = "100000"  # --rate: no test but those of the rate is to meet it
MATE = "7k/8/6K1/8/8/8/8/R7 w - -"
RECORDS = ("rpc.discover", "server.hello", "game.list", "game.describe", "position.show", "fact.query", "fact.probe",
           "proof.read", "proof.list", "proof.cite")  # all that strangers may call


def state_of(folder):
    """Digests of the files of a data directory, but for the table of readers, and the time of their last change."""
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            if name.endswith((".sock", "lock.mdb", "-lock")) or not os.path.isfile(path):
                continue
            with open(path, "rb") as file:
                found[path] = hashlib.sha256(file.read()).hexdigest(), os.stat(path).st_mtime_ns
    return found


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.main = Server("--threads", "1")
        for job in ({"game": "mnk:3,3,3"}, {"game": "connect4:4x4"}, {"game": "chess-mate", "position": MATE}):
            cls.main.wait_job(cls.main.rpc("job.submit", memory="4M", **job)["job"])
        cls.proof = cls.main.rpc("proof.export", job=1)
        cls.server = Public("--rate", FREE, "--http-name", "proofs.example", data=cls.main.data)

    @classmethod
    def tearDownClass(cls):
        code = cls.server.terminate()
        for server in (cls.server, cls.main):
            server.__exit__(None)
        assert code == 0, code

    def text(self, path, status=200, **fields):
        with Raw(self.server) as raw:
            found = raw.get(path, **fields)
        self.assertEqual(found[0], status, (path[:100], found))
        return found[2].decode()

    def test_every_method(self):
        """What is not reading is forbidden, whatever a client says; the data directory does not change."""
        methods = self.main.rpc("rpc.discover")["methods"]
        before = state_of(self.main.data)
        with Socket(self.server, Authorization="Bearer admin") as client:
            hello = client.rpc("server.hello", token="a token")
            self.assertEqual((hello["role"], hello["pid"], hello["socket"]), ("public", 0, None))
            self.assertEqual(hello["limits"]["positions"], 100)
            allowed = []
            for method in methods:
                name, params = method["name"], dict(method["x-example"])
                if "proof" in params:
                    params["proof"] = self.proof["proof"]
                for more in ({}, {"token": "a token"}) if name == "server.shutdown" else ({},):
                    try:
                        client.rpc(name, **params, **more)
                        allowed.append(name)
                    except RpcError as error:
                        self.assertEqual((name, error.slug, error.field), (name, "forbidden", "method"))
                        self.assertIn("role public", error.message)
                        self.assertGreater(ROLES.index(method["x-role"]), 1)
            self.assertEqual(sorted(allowed), sorted(RECORDS))
            self.assertEqual(sorted(allowed), sorted(m["name"] for m in methods if m["x-role"] in ROLES[:2]))
            for method in ("fact.query", "fact.probe"):
                item = "" if method == "fact.query" else {"game": "mnk:3,3,3"}
                params = {"game": "mnk:3,3,3"} if method == "fact.query" else {}
                client.rpc(method, positions=[item] * 100, **params)
                with self.assertRaises(RpcError) as caught:
                    client.rpc(method, positions=[item] * 101, **params)
                self.assertEqual((caught.exception.slug, caught.exception.field), ("limit", "positions"))
        self.assertEqual(state_of(self.main.data), before)

    def test_only_reading_by_http(self):
        with Raw(self.server) as raw:
            for path in ("/", "/position", "/results", "/certificate", "/standard", "/rpc", "/robots.txt"):
                for method in ("POST", "PUT", "DELETE", "PATCH"):
                    self.assertEqual(raw.get(path, method, b"")[0], 405, path)
            for path in ("/metrics", "/readyz", "/nothing", "/position/", "/RESULTS"):
                self.assertEqual(raw.get(path)[0], 404, path)
            self.assertEqual(raw.get("/healthz")[::2], (200, b"ok\n"))
            self.assertEqual(raw.get("/", host="evil.example")[0], 403)

    def test_pages(self):
        self.assertIn('href="/position?game=connect4:', self.text("/"))
        page = self.text("/position?game=mnk:3,3,3&moves=b2")
        for part in ("<title>mnk:3,3,3: draw",
                     '<meta property="og:image" content="https://proofs.example/board.svg?game=',
                     '<link rel="canonical" href="https://proofs.example/position?game=mnk:3,3,3', "Cite as: mnk:3,3,3",
                     'rel="nofollow" href="/position?game=mnk:3,3,3&amp;position='):
            self.assertIn(part, page)
        self.assertNotIn("<script", page)
        self.assertNotIn("noindex", page)
        self.assertIn("noindex", self.text("/position?game=connect4:7x6"))
        self.assertTrue(self.text("/board.svg?game=mnk:3,3,3&position=b2").startswith("<svg"))
        self.assertTrue(self.text("/board.svg?game=chess-mate&position=" + quote(MATE)).startswith("<svg"))
        style = page.partition('rel="stylesheet" href="')[2].partition('"')[0]
        self.assertIn(".tiles", self.text(style))
        self.assertIn("Disallow: /rpc", self.text("/robots.txt"))

    def test_wrong_requests(self):
        for path, part in (("/position", "game"), ("/position?game=no", "no"),
                           ("/position?game=mnk:3,3,3&x=1", "moves"),
                           ("/position?game=mnk:3,3,3&position=%zz", "hexadecimal"), ("/standard?fen=no", "position"),
                           ("/standard?game=hex:3", "fen"), ("/certificate", "proof"),
                           ("/certificate?proof=../x", "proof"),
                           ("/result?proof=" + "0" * 32, "proof"), ("/results?limit=1", "limit"),
                           ("/position?game=mnk:3,3,3&position=%22%3E%3Cscript%3E", "position")):
            answer = self.text(path, 400)
            self.assertIn(part, answer)
        for path, field in (("/position", "game"), ("/position?game", "game"), ("/position?game=no", "game"),
                            ("/position?game=hex:3&position=%00", "position"), ("/query?game=%00", "game"),
                            ("/query?game=hex:3&x=1", "x"), ("/results?x=1", "x"), ("/board.svg", "game"),
                            ("/standard?fen=no", "fen"), ("/standard?fen=" + "k" * 9000, "fen"),
                            ("/atomic?position=1", "position"), ("/certificate?proof=x", "proof"),
                            ("/certificate", "proof"), ("/result", "proof")):
            with self.subTest(path=path[:40]):
                self.assertEqual(json.loads(self.text(path, 400))["error"]["field"], field)
        self.assertIn("takes no parameters", self.text("/results?x=1", 400))
        self.text("/certificate?proof=" + "0" * 32, 400)
        self.text("/position?game=mnk:3,3,3&moves=" + "b2+" * 5000, 400)
        self.text("/position?game=mnk:3,3,3&moves=" + "b2+" * 6000, 431)

    def test_escapes(self):
        """Nothing of a request becomes a part of the page."""
        for game in ('"><script>alert(1)</script>', "<b>", "&amp;", "\u2028\u00e9"):
            with Raw(self.server) as raw:
                status, fields, body = raw.get("/position?game=" + quote(game))
            self.assertEqual((status, fields["content-type"]), (400, "application/json"))

    def test_results_and_certificates(self):
        self.assertIn("/result?proof=" + self.proof["proof"], self.text("/results"))
        with open(os.path.join(self.main.data, "proofs", self.proof["proof"] + ".cert"), "rb") as file:
            certificate = file.read()
        digest = hashlib.sha256(certificate).hexdigest()
        with Socket(self.server) as client:
            cited = client.rpc("proof.cite", proof=self.proof["proof"])
        self.assertEqual((cited["sha256"], cited["bytes"], cited["game"]), (digest, len(certificate), "mnk:3,3,3"))
        self.assertLess(abs(cited["made"] / 1000 - time.time()), 24 * 3600)
        page = self.text("/result?proof=" + self.proof["proof"])
        self.assertIn(cited["text"], page.replace("&gt;", ">"))
        for part in (digest, "rules " + cited["rules"], "proofd " + cited["version"],
                     time.strftime("%Y-", time.gmtime())):
            self.assertIn(part, cited["text"])
        with Raw(self.server) as raw:
            path = "/certificate?proof=" + self.proof["proof"]
            status, fields, body = raw.get(path)
            self.assertEqual((status, body), (200, certificate))
            self.assertIn(self.proof["proof"] + ".cert", fields["content-disposition"])
            self.assertEqual(raw.get("/healthz")[0], 200)  # the connection goes on
            self.assertEqual(raw.get(path, "HEAD")[2], b"")
            self.assertEqual(raw.get("/robots.txt")[0], 200)

    def test_large_certificate(self):
        """It comes in pieces, on several connections at a time, byte for byte; the checker accepts it."""
        name = "ab" * 16
        path = os.path.join(self.main.data, "proofs", name + ".cert")
        content = b"proofd certificate 1\ngame mnk:3,3,3\n\n" + os.urandom(1 << 20)
        with open(path, "wb") as file:
            file.write(content)
        try:
            connections = [Raw(self.server) for _ in range(3)]
            for raw in connections:
                raw.ask("/certificate?proof=" + name)
            for raw in connections:
                self.assertEqual(raw.answer()[2], content)
                raw.close()
            with Raw(self.server) as raw:  # one that leaves early
                raw.ask("/certificate?proof=" + name)
            self.assertEqual(self.text("/healthz"), "ok\n")
        finally:
            os.unlink(path)

    def test_like_lila_tablebase(self):
        answer = json.loads(self.text("/standard?fen=" + quote(MATE)))
        best = answer["moves"][0]
        self.assertEqual((answer["category"], answer["plies"], answer["dtm"], answer["dtz"]), ("win", 1, None, None))
        self.assertEqual((best["uci"], best["san"], best["category"], best["checkmate"], best["zeroing"]),
                         ("a1a8", "Ra8#", "loss", True, False))
        self.assertEqual({move["category"] for move in answer["moves"][1:]}, {"unknown"})
        moves = json.loads(self.text("/standard?fen="))["moves"]
        self.assertEqual({move["uci"]: move["zeroing"] for move in moves if move["uci"] in ("e2e4", "g1f3")},
                         {"e2e4": True, "g1f3": False})
        answer = json.loads(self.text("/antichess?fen=" + quote("8/8/8/8/8/2p5/1P6/8 w - -")))
        taken = {move["uci"]: move for move in answer["moves"]}["b2c3"]
        self.assertEqual((taken["zeroing"], taken["variant_win"], taken["category"]), (True, True, "win"))

    def test_caches(self):
        for path, age in (("/position?game=mnk:3,3,3", 3600), ("/position?game=connect4:7x6", 10),
                          ("/query?game=mnk:3,3,3", 3600), ("/query?game=connect4:7x6", 10),
                          ("/board.svg?game=hex:3", 3600),
                          ("/results", 10)):
            with Raw(self.server) as raw:
                status, fields, body = raw.get(path)
                self.assertEqual((status, fields["cache-control"]), (200, "public, max-age=%d" % age), path)
                for match in (fields["etag"], "W/" + fields["etag"]):
                    self.assertEqual(raw.get(path, If_None_Match=match)[::2], (304, b""), path)
                self.assertEqual(raw.get(path, If_None_Match='"0123456789abcdef"')[0], 200)
                self.assertEqual(raw.get(path, "HEAD")[1]["content-length"], str(len(body)))

    def test_origins(self):
        with Raw(self.server) as raw:
            self.assertEqual(raw.get("/", host="proofs.example", Origin="https://proofs.example")[0], 200)
            self.assertEqual(raw.get("/board.svg?game=hex:3", Sec_Fetch_Site="cross-site")[0], 200)
            self.assertNotIn("access-control-allow-origin", raw.get("/")[1])
        self.text("/", 403, Origin="https://other.example")
        with Socket(self.server, Origin="https://other.example") as client:
            self.assertEqual(client.status, 403)
        with Public("--cors", "https://other.example", "--cors", "http://b.example:81", data=self.main.data) as server:
            with Raw(server) as raw:
                for origin in ("https://other.example", "http://b.example:81"):
                    fields = raw.get("/query?game=mnk:3,3,3", Origin=origin)[1]
                    self.assertEqual((fields["access-control-allow-origin"], fields["vary"]), (origin, "Origin"))
                for origin in ("https://other.example.evil", "http://other.example",
                               "https://other.example:443", "null"):
                    with Raw(server) as other:
                        self.assertEqual(other.get("/query?game=mnk:3,3,3", Origin=origin)[0], 403, origin)
                status, fields, _ = raw.get("/query", "OPTIONS", Origin="https://other.example")
                self.assertEqual((status, fields["access-control-allow-methods"]), (204, "GET, HEAD, POST"))
            with Socket(server, Origin="https://other.example") as client:
                self.assertEqual(client.status, 101)
        with Public("--cors", "*", data=self.main.data) as server, Raw(server) as raw:
            self.assertEqual(raw.get("/", Origin="https://any.example")[1]["access-control-allow-origin"], "*")


class Rates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.main = Server("--threads", "0")

    @classmethod
    def tearDownClass(cls):
        cls.main.__exit__(None)

    def spend(self, server, *fields, count=4):
        """The statuses of requests on a connection each, in the order of `fields`, X-Forwarded-For each."""
        found = []
        for forwarded in fields * count:
            with Raw(server) as raw:
                raw.send(b"GET /robots.txt HTTP/1.1\r\nHost: localhost\r\n")
                for line in forwarded if isinstance(forwarded, list) else [forwarded]:
                    if line is not None:
                        raw.send(b"X-Forwarded-For: %s\r\n" % line.encode())
                raw.send(b"\r\n")
                found.append(raw.answer()[0])
        return found

    def public(self, *options):
        """A server with a rate so low that every second request of a client is refused."""
        return Public("--rate", "1", *options, data=self.main.data)

    def test_without_a_trusted_proxy_all_share_one_rate(self):
        with self.public() as server:
            self.assertEqual(self.spend(server, None, "1.1.1.1", "2.2.2.2", count=1), [200, 429, 429])

    def test_a_proxy_that_is_not_trusted_is_not_believed(self):
        with self.public("--trusted-proxy", "127.0.0.2") as server:
            self.assertEqual(self.spend(server, "1.1.1.1", "2.2.2.2", count=1), [200, 429])

    def test_forged_fields(self):
        with self.public("--trusted-proxy", "127.0.0.1", "--trusted-proxy", "10.0.0.1",
                         "--trusted-proxy", "::2") as server:
            # The last address that is not a trusted proxy's counts; what is left of it may be forged.
            self.assertEqual(self.spend(server, "1.1.1.1", "6.6.6.6, 1.1.1.1", "7.7.7.7,1.1.1.1", count=1),
                             [200, 429, 429])
            self.assertEqual(self.spend(server, "2.2.2.2", "6.6.6.6, 2.2.2.2, 10.0.0.1", "2.2.2.2,\t::2 , 10.0.0.1",
                                        count=1),
                             [200, 429, 429])
            # Of several fields the last one.
            self.assertEqual(self.spend(server, "3.3.3.3", ["6.6.6.6", "3.3.3.3"], ["7.7.7.7", "8.8.8.8", "3.3.3.3"],
                                        count=1), [200, 429, 429])
            # ::ffff:a.b.c.d is a.b.c.d; addresses of one /64 are one visitor.
            self.assertEqual(self.spend(server, "4.4.4.4", "::ffff:4.4.4.4", count=1), [200, 429])
            self.assertEqual(self.spend(server, "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", count=1),
                             [200, 429, 200])
            # What is not an address is the proxy's that wrote it: the peer here, which no client can choose.
            self.assertEqual(self.spend(server, "unknown", "", "5.5.5.5:80", "[::1]", "1.1.1", "9.9.9.9, x", ",",
                                        "1" * 999,
                                        "010.1.1.1", count=1), [200] + [429] * 8)
            self.assertEqual(self.spend(server, "9.9.9.9", "y, 10.0.0.1", "z, 10.0.0.1", count=1), [200, 200, 429])

    def test_a_websocket_counts_as_well(self):
        with self.public("--trusted-proxy", "127.0.0.1") as server:
            with Socket(server, X_Forwarded_For="1.1.1.1") as client:
                with self.assertRaises(RpcError) as caught:
                    for _ in range(2):
                        client.rpc("server.hello")
                self.assertEqual(caught.exception.slug, "limit")
                self.assertEqual(self.spend(server, "1.1.1.1", "2.2.2.2", count=1), [429, 200])

    def test_a_rate_comes_back(self):
        with Public("--rate", "20", data=self.main.data) as server, Raw(server) as raw:
            end, seen = time.monotonic() + TIMEOUT, []
            while time.monotonic() < end and seen[-2:] != [429, 200]:
                status, fields, _ = raw.get("/robots.txt")
                if status == 429:
                    self.assertEqual(fields["retry-after"], "1")
                if seen[-1:] != [status]:
                    seen.append(status)
            self.assertEqual(seen, [200, 429, 200])


class Options(unittest.TestCase):
    def test_what_does_not_fit(self):
        http = ["--http", "127.0.0.1:0"]
        for options, part in ((["--public"], "--http"), (["--public", "--listen", "127.0.0.1:1"] + http, "--listen"),
                              (["--cors", "*"] + http, "--public"), (["--trusted-proxy", "::1"] + http, "--public"),
                              (["--public", "--cors", "example.org"] + http, "origin"),
                              (["--public", "--cors", "https://a/b"] + http, "origin"),
                              (["--public", "--trusted-proxy", "10.0.0.0/8"] + http, "IP address"),
                              (["--public", "--trusted-proxy", "localhost"] + http, "IP address")):
            done = subprocess.run([program("proofd"), "--data", "/nonexistent"] + options, capture_output=True,
                                  text=True,
                                  timeout=TIMEOUT)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(part, done.stderr, options)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
