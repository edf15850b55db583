"""Who gets a place when there are too many clients: strangers, which have shown no token, never push out a user, in
whatever way they come; and descriptors that run out stop nothing but what needs one."""

import os
import resource
import signal
import socket
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from certs import Certificates  # noqa: E402
from pyproofd import TIMEOUT, Closed, Client, RpcError, Server, program, receive  # noqa: E402
from web import Public, Raw, Socket  # noqa: E402

TOKEN = "the token of a user"
STRANGERS, RESERVED = 64, 8  # server/net/places.h
OWN = 96  # server/daemon/descriptors.h
MB = 1 << 20


# A look for leaks at the end needs descriptors, and there are none.
NO_LEAK_CHECK = {"ASAN_OPTIONS": "detect_leaks=0:" + os.environ.get("ASAN_OPTIONS", "")}


class Limited(Server):
    """A proofd with a limit on descriptors."""

    def __init__(self, limits, *options, **more):
        self.limits = limits
        super().__init__(*options, **more)

    def command(self):
        soft, hard = self.limits
        return ["/bin/sh", "-c", 'ulimit -Sn %d && ulimit -Hn %d && exec "$@"' % (soft, hard), "sh"] + super().command()


class LimitedPublic(Limited, Public):
    pass


def descriptors(server):
    return len(os.listdir("/proc/%d/fd" % server.pid))


def seconds(server):
    """Processor time that it has used."""
    with open("/proc/%d/stat" % server.pid) as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_there(client):
    """Whether the server still answers the client."""
    try:
        client.rpc("server.hello")
        return True
    except (Closed, OSError):
        return False


def is_closed(sock, patience=TIMEOUT):
    """Whether the server closes the connection."""
    sock.settimeout(patience)
    try:
        while receive(sock):
            pass
    except Closed:
        return True
    except OSError:
        return False


class Places(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.certificates = Certificates()
        cls.tokens = os.path.join(cls.certificates.dir, "tokens")
        with open(os.open(cls.tokens, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write("admin %s\n" % TOKEN)

    @classmethod
    def tearDownClass(cls):
        cls.certificates.remove()

    def server(self, *options, tls=False, limits=(256, 256)):
        options = ["--threads", "1", "--token-file", self.tokens, "--http", "127.0.0.1:0", *options]
        if tls:
            options += self.certificates.options()
        server = Limited(limits, *options)
        self.addCleanup(server.__exit__, None, None, None)
        return server

    def keep(self, thing):
        self.addCleanup(thing.close)
        return thing

    def user(self, server, tls=None, web=False, source=None):
        """A client that has shown its token; RpcError, Closed when there is no place."""
        client = self.keep(Socket(server, tls) if web else Client(server.address, tls))
        client.rpc("server.hello", token=TOKEN)
        return client

    def silent(self, address, source=None, said=b""):
        return self.keep(self.dial(address, source, said))

    @staticmethod
    def dial(address, source=None, said=b""):
        sock = socket.create_connection(address, TIMEOUT, source_address=(source, 0) if source else None)
        if said:
            sock.sendall(said)
        return sock

    def test_strangers_of_all_kinds_push_no_user_out(self):
        for tls in (False, True):
            context = self.certificates.client() if tls else None
            server = self.server("--connections", "30", "--idle", "0", tls=tls)
            users = [self.user(server, context, web=i % 2) for i in range(10)]
            said = b"\x16\x03\x01\x02\x00\x01\x00" if tls else b'{"jsonrpc"'
            for i in range(3):
                for address in (server.address, server.http):
                    for text in (b"", said):
                        for _ in range(30):
                            self.silent(address, said=text)
                with self.subTest(tls=tls, turn=i):
                    newcomer = self.user(server, context, web=i % 2)
                    self.assertTrue(all(is_there(user) for user in users))
                    users.append(newcomer)
                    self.assertLessEqual(descriptors(server), 30 + STRANGERS + RESERVED + OWN)
            self.assertEqual(server.terminate(), 0)

    def test_users_that_are_many(self):
        """Strangers take no place of an idle user; a user does, or is told that there is none."""
        server = self.server("--connections", "4", "--idle", "1000")
        users = [self.user(server, web=i % 2) for i in range(4)]
        for i in range(100):
            self.silent(server.address)
        with Client(server.address) as late:
            late.rpc("server.hello", token=TOKEN)
            self.assertIn(b"has no place for another connection (at most 4)", late.line())
            self.assertRaises(Closed, late.line)
        with Socket(server) as late:
            late.rpc("server.hello", token=TOKEN)
            self.assertRaises(Closed, late.rpc, "server.hello")
        with Raw(server) as late:
            self.assertEqual(late.json("/query?game=mnk:3,3,3", Authorization="Bearer " + TOKEN)[0], 200)
            self.assertTrue(late.is_closed())
        with server.connect(unix=True) as owner:
            self.assertEqual(owner.rpc("server.hello")["role"], "admin")
        self.assertTrue(all(is_there(user) for user in users))
        users.pop().close()
        users.append(self.until_let_in(server))
        self.assertTrue(all(is_there(user) for user in users))

    def until_let_in(self, server):
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            client = self.user(server)
            if is_there(client) and not client.strays:
                return client
        raise AssertionError("there is a place, and no one gets it")

    def test_an_idle_user_makes_room_for_a_user(self):
        server = self.server("--connections", "2", "--idle", "0")
        one, two = self.user(server), self.user(server)
        self.assertTrue(is_there(one))
        for _ in range(STRANGERS + 10):
            self.silent(server.address)
        self.assertTrue(is_there(two) and is_there(one))
        three = self.user(server)
        self.assertTrue(is_there(three) and is_there(one) and not is_there(two))

    def test_unfinished_lines_of_strangers_weigh_first(self):
        """A user that has left some megabytes unread stays, whatever strangers have kept for them."""
        server = self.server("--connections", "80", "--buffers-max", "17M", "--stall", "1000")
        user = self.user(server)
        call = '{"jsonrpc":"2.0","id":%d,"method":"fact.query","params":{"game":"connect4:7x6","positions":[%s]}}'
        large = ",".join(['"1"'] * 1000)
        user.send("[" + ",".join(call % (i, large) for i in range(75)) + "]")
        strangers = [self.silent(server.address) for _ in range(60)]
        piece = b"{" + b"x" * (MB - 4096)
        for sock in strangers:
            try:
                sock.sendall(piece)
            except OSError:
                pass  # it was dropped
        closed = sum(is_closed(sock, 0.2) for sock in strangers)
        self.assertGreater(closed, 40)
        self.assertGreater(len(user.line()), 5 * MB)
        self.assertTrue(is_there(user))

    def test_a_token_is_shown_in_time(self):
        for tls in (False, True):
            context = self.certificates.client() if tls else None
            server = self.server(tls=tls)
            user, page = self.user(server, context), self.keep(Socket(server, context))
            silent, shy = self.silent(server.address), self.keep(Client(server.address, context))
            begin = time.monotonic()
            while time.monotonic() < begin + 8:
                self.assertEqual(shy.rpc("server.hello")["role"], "none")
                time.sleep(0.5)
            self.assertTrue(is_closed(silent) and is_closed(shy.socket))
            self.assertTrue(9.5 < time.monotonic() - begin < 60)
            self.assertTrue(is_there(user) and is_there(page))  # a person may be typing there
            self.assertIn("it has shown no token in time" if not tls else "no handshake in time", server.log())

    def test_one_whose_token_is_gone_is_a_stranger(self):
        path = os.path.join(self.certificates.dir, "other")
        for text in ("admin %s\n" % TOKEN, "query another token for now\n"):
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                file.write(text)
            if text.startswith("admin"):
                server = self.server("--connections", "4", "--token-file", path)
                users = [self.user(server) for _ in range(4)]
        server.process.send_signal(signal.SIGHUP)
        while users[0].rpc("server.hello")["role"] != "none":
            pass
        with Client(server.address) as newcomer:
            newcomer.rpc("server.hello", token="another token for now")
            self.assertTrue(is_there(newcomer))
        self.assertTrue(all(is_closed(user.socket) for user in users))

    def test_shares_by_address(self):
        """Without tokens all are users, and an address with many makes room for one with few."""
        server = Limited((256, 256), "--threads", "1", "--connections", "10", "--idle", "1000")
        self.addCleanup(server.__exit__, None, None, None)
        many = [self.silent(server.address, "127.0.0.2", b'{"') for _ in range(10)]
        few = []
        for _ in range(5):
            sock = self.silent(server.address, "127.0.0.3", b'{"jsonrpc":"2.0","id":1,"method":"server.hello"}\n')
            few.append(sock)
            self.assertIn(b'"role"', receive(sock))
        for sock in (self.silent(server.address, "127.0.0.3"), self.silent(server.address, "127.0.0.2")):
            self.assertIn(b"has no place for another connection", receive(sock))
        self.assertEqual([is_closed(sock, 0.2) for sock in many], [True] * 5 + [False] * 5)
        self.assertFalse(any(is_closed(sock, 0.05) for sock in few))


class Visitors(unittest.TestCase):
    """A public server with few places and descriptors."""

    PLACES = 30
    HALF = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 9.9.9.9\r\n"

    def public(self, *options):
        data = Server("--threads", "1")
        self.addCleanup(data.__exit__, None, None, None)
        server = LimitedPublic((256, 256), "--connections", str(self.PLACES), "--rate", "100000", *options,
                               data=data.data)
        self.addCleanup(server.__exit__, None, None, None)
        return server

    def dial(self, server, source="127.0.0.1", said=b""):
        sock = Places.dial(server.http, source, said)
        self.addCleanup(sock.close)
        return sock

    def visit(self, server, source="127.0.0.1", visitor="8.8.8.8"):
        """Whether a visitor is served."""
        sock = self.dial(server, source, self.HALF.replace(b"9.9.9.9", visitor.encode()) + b"\r\n")
        try:
            return receive(sock).startswith(b"HTTP/1.1 200")
        except Closed:
            return False

    def flood(self, server, sources):
        """On a busy machine it ends before any is closed because of its age, which is ten seconds."""
        end = time.monotonic() + 6
        for turn in range(200):
            self.dial(server, next(sources), self.HALF)
            if turn % 20 == 19:
                self.assertTrue(self.visit(server, "127.0.99.1"), turn)
            if time.monotonic() > end:
                break
        self.assertLessEqual(descriptors(server), self.PLACES + STRANGERS + RESERVED + OWN)

    def test_without_a_place_no_request_is_served(self):
        data = Server("--threads", "1", "--http", "127.0.0.1:0", "--connections", "3", "--idle", "1000")
        self.addCleanup(data.__exit__, None, None, None)
        for server, places in ((self.public("--idle", "1000"), self.PLACES), (data, 3)):
            users = [self.dial(server, said=self.HALF + b"\r\n") for _ in range(places)]
            for sock in users:
                self.assertIn(b" 200 ", receive(sock))
            more = [self.dial(server, said=self.HALF + b"\r\n" + self.HALF + b"\r\n") for _ in range(3)]
            more.append(self.dial(server, said=b"GET /rpc HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
                                  b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                  b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"))
            for sock in more:
                said = b""
                with self.assertRaises(Closed):
                    while True:
                        said += receive(sock)
                self.assertEqual((said.count(b"HTTP/1.1"), said.count(b"HTTP/1.1 503")), (1, 1), said)
            users[0].close()
            self.assertFalse(any(is_closed(sock, 0.05) for sock in users[1:]))
            self.assertTrue(self.visit(server))

    def test_half_requests_from_one_address(self):
        self.flood(self.public(), iter(lambda: "127.0.0.9", None))

    def test_half_requests_from_many_addresses(self):
        self.flood(self.public(), ("127.0.1.%d" % i for i in range(1, 255)))

    def test_half_requests_through_a_proxy(self):
        server = self.public("--trusted-proxy", "127.0.0.1")
        self.flood(server, iter(lambda: "127.0.0.1", None))
        self.assertTrue(self.visit(server))

    def test_a_proxy_has_no_share_but_its_visitors(self):
        """One visitor holds all places, through a proxy; others come through the same one."""
        server = self.public("--trusted-proxy", "127.0.0.1", "--idle", "1000")
        first = [self.dial(server, said=self.HALF + b"\r\n") for _ in range(self.PLACES)]
        for sock in first:
            self.assertIn(b" 200 ", receive(sock))
        others = ["8.8.8.%d" % i for i in range(1, 11)]
        self.assertTrue(all(self.visit(server, visitor=visitor) for visitor in others))
        self.assertEqual([is_closed(sock, 0.1) for sock in first], [True] * 10 + [False] * 20)

    def test_a_request_of_a_proxy_outlives_half_ones_of_strangers(self):
        server = self.public("--trusted-proxy", "127.0.0.1")
        slow = [self.dial(server, said=self.HALF) for _ in range(20)]
        self.flood(server, iter(lambda: "127.0.0.9", None))
        for sock in slow:
            sock.sendall(b"\r\n")
            self.assertIn(b" 200 ", receive(sock))


class Descriptors(unittest.TestCase):
    def test_as_many_connections_as_there_are_descriptors(self):
        for given, hard, said in ((89, 256, "--connections 89 needs 257 descriptors, 168 of them not for clients; "
                                            "RLIMIT_NOFILE (ulimit -Hn) allows 256: at most --connections 88"),
                                  (None, 168, "a server needs 168 descriptors and one for each client; "
                                              "RLIMIT_NOFILE (ulimit -Hn) allows 168")):
            command = [program("proofd"), "--memory-only", "--listen", "127.0.0.1:0"]
            command += ["--connections", str(given)] if given else []
            done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard)))
            self.assertEqual((done.returncode, done.stderr.decode()), (2, "proofd: %s\n" % said))
        for given, limits, soft in ((88, (100, 256), 256), (None, (256, 4096), 1168), (10, (64, 4096), 178),
                                    (None, (100, 300), 300)):
            options = ["--connections", str(given)] if given else []
            with self.subTest(given=given, limits=limits), Limited(limits, "--threads", "1", *options) as server:
                self.assertEqual(resource.prlimit(server.pid, resource.RLIMIT_NOFILE), (soft, limits[1]))
                self.assertEqual("at most 132 clients are served" in server.log(), limits[1] == 300)
                clients = [server.connect() for _ in range(min(soft, 256) - 168)]
                self.assertTrue(all(is_there(client) for client in clients))
                self.assertEqual(server.terminate(), 0)
                for client in clients:
                    client.close()

    def out_of_descriptors(self, server):
        """From now on none is left, for as long as the limit is that."""
        limits = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (3, limits[1]))
        return limits

    def backup(self, user, name):
        state = user.rpc("server.backup", name=name)
        while state["state"] == "running":
            state = user.rpc("server.backup")
        return state

    def test_none_left(self):
        """Those who connect wait, at no cost; those who are there are served; what needs a descriptor fails and says
        so; and all is well afterwards."""
        certificates = Certificates()
        self.addCleanup(certificates.remove)
        log = os.path.join(certificates.dir, "log")
        backups = os.path.join(certificates.dir, "backups")
        graphs = os.path.join(certificates.dir, "graphs")
        os.mkdir(backups)
        os.mkdir(graphs)
        with open(os.path.join(graphs, "g.json"), "w") as file:
            file.write('{"root": "a", "nodes": {"a": {"type": "or", "value": 1}}}')
        tokens = os.path.join(certificates.dir, "tokens")
        with open(os.open(tokens, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write("admin %s\n" % TOKEN)
        with Limited((256, 256), "--threads", "1", "--log-file", log, "--backup-dir", backups, "--graphs", graphs,
                     "--monitor", "127.0.0.1:0", "--http", "127.0.0.1:0", "--on-finish", "/bin/true", "--token-file",
                     tokens, *certificates.options(), env=NO_LEAK_CHECK) as server, \
                server.connect(unix=True) as user:
            job = user.rpc("job.submit", game="mnk:3,3,3", memory="4M")["job"]
            self.assertEqual(user.wait_job(job)["state"], "solved")
            proof = user.rpc("proof.export", game="mnk:3,3,3")["proof"]
            host, port = server.ready["monitor"].rsplit(":", 1)
            for turn in range(2):
                limits = self.out_of_descriptors(server)
                used, size = seconds(server), os.path.getsize(log)
                waiting = [socket.create_connection(address, TIMEOUT)
                           for address in (server.address, server.http, (host, int(port))) for _ in range(20)]
                waiting += [socket.socket(socket.AF_UNIX) for _ in range(5)]
                for sock in waiting[-5:]:
                    sock.connect(server.socket_path)
                waiting[-1].sendall(b'{"jsonrpc":"2.0","id":1,"method":"server.hello"}\n')
                for method, params in (("proof.export", {"game": "mnk:3,3,3"}), ("proof.verify", {"proof": proof}),
                                       ("job.submit", {"game": "andor:g"})):
                    with self.subTest(turn=turn, method=method):
                        self.assertRaises(RpcError, user.rpc, method, **params)
                self.assertEqual(self.backup(user, "b%d" % turn)["state"], "failed")
                server.process.send_signal(signal.SIGHUP)
                begin = time.monotonic()
                job = user.rpc("job.submit", game="mnk:4,4,3", memory="4M")["job"] if not turn else job
                self.assertEqual(user.wait_job(job)["state"], "solved")
                while time.monotonic() < begin + 3:
                    user.rpc("server.hello")
                    time.sleep(0.1)
                self.assertLess(seconds(server) - used, 2.5)
                self.assertLess(os.path.getsize(log) - size, 20_000)
                resource.prlimit(server.pid, resource.RLIMIT_NOFILE, limits)
                self.assertIn(b'"admin"', receive(waiting[-1]))
                for sock in waiting:
                    sock.close()
            with open(log) as file:
                said = file.read()
            self.assertIn("wait: cannot accept: Too many open files", said)
            self.assertNotIn("the server may have", said)  # memory: what cannot be read has not changed
            self.assertIn("the certificate does not change", said)
            self.assertIn("the tokens do not change", said)
            user.rpc("proof.export", game="mnk:3,3,3")
            self.assertEqual(self.backup(user, "good")["state"], "complete")
            self.assertEqual(user.rpc("proof.verify", proof=proof)["verdict"], "verified")
            self.out_of_descriptors(server)
            waiting = [socket.create_connection(server.address, TIMEOUT) for _ in range(100)]
            user.rpc("server.hello")
            self.assertEqual(server.terminate(), 0)
            for sock in waiting:
                sock.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
