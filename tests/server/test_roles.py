"""Roles and tokens: who may call what, over which transport. The table of calls comes from rpc.discover."""

import os
import signal
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from certs import Certificates  # noqa: E402
from effort import EFFORT  # noqa: E402
from pyproofd import TIMEOUT, RpcError, Server  # noqa: E402
from web import Socket  # noqa: E402

ROLES = ["none", "public", "query", "submit", "admin"]  # no token gives the second one
TOKENS = {role: "the token of " + role for role in ROLES[2:]}
FILE = "# who may do what\n\n" + "".join("%s\t%s \n" % item for item in TOKENS.items())
WRONG = 10_000


def write(path, text, mode=0o600):
    with open(path, "w") as file:
        os.chmod(path, mode)
        file.write(text)


def refusal(client, method, **params):
    """The error of a call; None when it succeeds."""
    try:
        client.rpc(method, **params)
    except RpcError as error:
        return error
    return None


def wait_for_log(server, part, count=1):
    """Waits until the log has the part that often; the server writes it without being asked."""
    end = time.monotonic() + TIMEOUT
    while server.log().count(part) < count:
        if time.monotonic() > end:
            raise AssertionError("the log never says %r\n%s" % (part, server.log()))
        server.rpc("server.hello")  # a turn of its loop


class Roles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.certificates = Certificates()
        cls.tokens = os.path.join(cls.certificates.dir, "tokens")
        write(cls.tokens, FILE)

    @classmethod
    def tearDownClass(cls):
        cls.certificates.remove()

    def table(self, transport, options, connect):
        """Every method by every role: what may be done is done, or fails for another reason."""
        with Server("--threads", "1", "--token-file", self.tokens, *options) as server:
            with server.connect(unix=True) as owner:
                methods = owner.rpc("rpc.discover")["methods"]
                owner.rpc("job.submit", game="mnk:3,3,3", memory="1M")  # job 1, of which the examples speak
                self.assertEqual(owner.wait_job(1)["state"], "solved")
            self.assertGreater(len(methods), 20)
            # What stops the server comes last.
            methods.sort(key=lambda method: (method["name"] == "server.shutdown", method["name"]))
            for role in ["none"] + list(TOKENS):
                with connect(server) as client:
                    if role != "none":
                        self.assertEqual(client.rpc("server.hello", token=TOKENS[role])["role"],
                                         "admin" if transport == "unix" else role)
                    has = "admin" if transport == "unix" else client.rpc("server.hello")["role"]
                    self.assertTrue(transport == "unix" or has == role)
                    for method in methods:
                        name, needs = method["name"], method["x-role"]
                        may = ROLES.index(has) >= ROLES.index(needs)
                        if name == "server.shutdown" and (may and role != "admin"):
                            continue  # the Unix socket, whatever the token
                        with self.subTest(transport=transport, role=role, method=name):
                            error = refusal(client, name, **method["x-example"])
                            if may:
                                self.assertTrue(error is None or error.slug != "forbidden", error)
                            else:
                                self.assertEqual((error.slug, error.code, error.field), ("forbidden", 23, "method"))
                                for part in (name, "role " + needs, "role " + has):
                                    self.assertIn(part, error.message)
            self.assertEqual(server.wait(), 0)

    def test_every_method_by_role_over_tcp(self):
        self.table("tcp", [], lambda server: server.connect())

    def test_every_method_by_role_over_the_unix_socket(self):
        self.table("unix", [], lambda server: server.connect(unix=True))

    def test_every_method_by_role_over_tls(self):
        tls = self.certificates.client()
        self.table("tls", self.certificates.options(), lambda server: server.connect(tls=tls))

    def test_every_method_by_role_over_a_websocket(self):
        self.table("websocket", ["--http", "127.0.0.1:0"], Socket)

    def test_without_tokens_tcp_has_the_role_submit(self):
        with Server("--threads", "0") as server:
            for params in ({}, {"token": "whatever it may be"}):
                self.assertEqual(server.rpc("server.hello", **params)["role"], "submit")
            self.assertEqual(server.rpc("job.submit", game="mnk:3,3,3"), {"job": 1})
            error = refusal(server.connect(), "server.shutdown")
            self.assertEqual((error.slug, error.field), ("unsupported", "token"))

    def test_batches_notifications_and_fast_queries_are_refused_as_well(self):
        with Server("--threads", "0", "--token-file", self.tokens) as server, server.connect() as client:
            error = refusal(client, "fact.query", game="mnk:3,3,3", position="")
            self.assertEqual(error.slug, "forbidden")
            client.send('[{"jsonrpc":"2.0","id":1,"method":"job.submit","params":{"game":"mnk:3,3,3"}},'
                        '{"jsonrpc":"2.0","method":"job.submit","params":{"game":"mnk:3,3,3"}},'
                        '{"jsonrpc":"2.0","id":2,"method":"server.hello","params":{"token":"%s"}},'
                        '{"jsonrpc":"2.0","id":3,"method":"job.list"}]' % TOKENS["query"])
            replies = {reply["id"]: reply for reply in client.message()}
            self.assertEqual(replies[1]["error"]["data"]["slug"], "forbidden")
            self.assertEqual(replies[2]["result"]["role"], "query")
            self.assertEqual(replies[3]["result"]["jobs"], [])
            self.assertEqual(len(client.rpc("fact.query", game="mnk:3,3,3", position="")["facts"]), 1)

    def test_shutdown_takes_the_token_of_an_admin(self):
        with Server("--threads", "0", "--token-file", self.tokens) as server, server.connect() as client:
            self.assertEqual(refusal(client, "server.shutdown").slug, "forbidden")
            self.assertEqual(refusal(client, "server.shutdown", token=TOKENS["submit"]).slug, "forbidden")
            self.assertEqual(refusal(client, "server.shutdown", token="no token at all").slug, "invalid-params")
            self.assertEqual(client.rpc("server.shutdown", token=TOKENS["admin"]), {"stopping": True})
            self.assertEqual(server.wait(), 0)

    def test_a_connection_keeps_its_role_after_a_wrong_token(self):
        with Server("--threads", "0", "--token-file", self.tokens) as server, server.connect() as client:
            client.rpc("server.hello", token=TOKENS["query"])
            for wrong in ("", "x", TOKENS["query"][:-1], TOKENS["query"] + "x", "x" * 256):
                error = refusal(client, "server.hello", token=wrong)
                self.assertEqual((error.slug, error.field), ("invalid-params", "token"))
            self.assertEqual(refusal(client, "server.hello", token="x" * 257).field, "token")
            self.assertEqual(client.rpc("server.hello")["role"], "query")
            self.assertEqual(client.rpc("job.list")["jobs"], [])

    def test_many_wrong_tokens(self):
        count = WRONG * EFFORT // 100
        with Server("--threads", "0", "--token-file", self.tokens) as server:
            begin, first = server.memory(), time.monotonic()
            clients = [server.connect() for _ in range(500)]
            left, asked = count, 0
            while left > 0:
                ids = [(client, client.ask("server.hello", token="wrong %d" % (left - i)))
                       for i, client in enumerate(clients[:left])]
                asked += len(ids)
                with server.connect(unix=True) as owner:  # meanwhile the owner is served
                    self.assertEqual(owner.rpc("server.hello")["role"], "admin")
                for client, number in ids:
                    with self.assertRaises(RpcError) as wrong:
                        client.reply(number)
                    self.assertEqual(wrong.exception.field, "token")
                left -= len(ids)
            self.assertEqual(asked, count)
            rounds = (count + 499) // 500
            self.assertGreater(time.monotonic() - first, 0.2 * rounds)  # each waited
            for client in clients[::2]:  # some leave while the answer waits
                client.ask("server.hello", token="and the last one")
            for client in clients:
                client.close()
            with server.connect() as client:
                self.assertEqual(client.rpc("server.hello", token=TOKENS["submit"])["role"], "submit")
            self.assertLess(server.growth(begin), 64 << 20)
            lines = [line for line in server.log().splitlines() if "wrong token" in line]
            self.assertLessEqual(len(lines), 2 + int((time.monotonic() - first) / 60))
            self.assertGreaterEqual(len(lines), 1)
            self.assertEqual(server.terminate(), 0)

    def test_limits_are_named(self):
        with Server("--threads", "0", "--rate", "20", "--jobs-max", "3") as server, server.connect(unix=True) as client:
            limits = client.rpc("server.hello")["limits"]
            self.assertEqual((limits["rate"], limits["jobs_max"]), (20, 3))
            ids = [client.ask("job.submit", game="mnk:3,3,3", key="key %d" % i) for i in range(5)]
            errors = []
            for number in ids:
                try:
                    client.reply(number)
                except RpcError as error:
                    errors.append(error)
            self.assertEqual([error.slug for error in errors], ["limit"] * 2)
            self.assertIn("--jobs-max", errors[0].message)
            self.assertEqual(client.rpc("job.submit", game="mnk:3,3,3", key="key 0"), {"job": 1})  # no new one
            client.rpc("job.cancel", job=1)
            client.rpc("job.submit", game="mnk:3,3,3")
            with server.connect() as other:
                # In one go: what counts is how quickly the server comes to them.
                ids = range(1001, 1101)
                other.send("\n".join('{"jsonrpc":"2.0","id":%d,"method":"fact.query","params":'
                                     '{"game":"mnk:3,3,3","position":""}}' % number for number in ids))
                refused = 0
                for number in ids:
                    try:
                        self.assertEqual(len(other.reply(number)["facts"]), 1)
                    except RpcError as error:
                        self.assertEqual(error.slug, "limit")
                        self.assertIn("20 requests a second", error.message)
                        refused += 1
                self.assertGreater(refused, 20)
                self.assertLess(refused, 81)
                self.assertEqual(refusal(client, "server.hello"), None)  # each connection for itself
                end = time.monotonic() + TIMEOUT
                while refusal(other, "job.list"):
                    self.assertLess(time.monotonic(), end)

    def test_jobs_of_a_client(self):
        """Two tokens of one name count together, also after a restart; others, and administrators, do not."""
        path = os.path.join(self.certificates.dir, "clients")
        names = ("submit:alice", "submit:alice", "submit:bob", "submit", "admin", "query:carol")
        write(path, "".join("%s the token number %d\n" % (name, i) for i, name in enumerate(names)))
        with Server("--threads", "0", "--jobs-per-client", "2", "--token-file", path) as server:
            def connect(number):
                client = server.connect()
                client.rpc("server.hello", token="the token number %d" % number)
                return client

            def submit(client):
                return client.rpc("job.submit", game="mnk:3,3,3")["job"]

            def assert_full(client, name):
                error = refusal(client, "job.submit", game="mnk:3,3,3")
                self.assertEqual(error.slug, "limit")
                for part in ("the client '%s' has 2 jobs" % name, "--jobs-per-client"):
                    self.assertIn(part, error.message)

            first, second, bob, unnamed, admin, carol = (connect(i) for i in range(len(names)))
            self.assertEqual(first.rpc("server.hello")["limits"]["jobs_per_client"], 2)
            jobs = [submit(first), submit(second)]
            assert_full(first, "alice")
            ids = [bob.ask("job.submit", game="mnk:3,3,3") for _ in range(5)]  # in flight together
            done = []
            for number in ids:
                try:
                    done.append(bob.reply(number)["job"])
                except RpcError as error:
                    self.assertEqual(error.slug, "limit")
            self.assertEqual(len(done), 2)
            submit(unnamed)
            for _ in range(3):
                submit(admin)
            clients = [carol.rpc("job.get", job=job).get("client") for job in range(1, 9)]
            self.assertEqual(clients, ["alice", "alice", "bob", "bob", "submit", "admin", "admin", "admin"])
            # One that ends makes room; the same is true after a restart.
            bob.rpc("job.cancel", job=jobs[0])
            jobs[0] = submit(second)
            server.terminate()
            server.start()
            first, admin = connect(0), connect(4)
            assert_full(first, "alice")
            admin.rpc("job.cancel", job=jobs[0])
            self.assertEqual(submit(first), 10)
            with server.connect(unix=True) as owner:
                for _ in range(3):
                    self.assertNotIn("client", owner.rpc("job.get", job=submit(owner)))

    def test_jobs_without_a_token_are_one_clients(self):
        with Server("--threads", "0", "--jobs-per-client", "2") as server, server.connect(unix=True) as owner:
            owner.rpc("job.submit", game="mnk:3,3,3")
            self.assertEqual(server.rpc("job.submit", game="mnk:3,3,3"), {"job": 2})
            error = refusal(server.connect(), "job.submit", game="mnk:3,3,3")
            self.assertEqual(error.slug, "limit")
            self.assertIn("there are 2 jobs", error.message)
            self.assertEqual(owner.rpc("job.submit", game="mnk:3,3,3"), {"job": 3})
            for job in (1, 2):
                server.rpc("job.cancel", job=job)
            self.assertEqual(server.rpc("job.submit", game="mnk:3,3,3"), {"job": 4})

    def test_features_are_described(self):
        here = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(here, "..", "..", "proto", "PROTOCOL.md"), encoding="utf-8") as file:
            page = file.read()
        described = [line.split("`")[1] for line in page.split("\n## Features\n")[1].split("\n## ")[0].splitlines()
                     if line.startswith("| `")]
        with tempfile.TemporaryDirectory() as place:
            with Server("--threads", "0", "--backup-dir", place, "--experiments", place) as server:
                self.assertEqual(server.rpc("server.hello")["features"], described)
        with Server("--threads", "0") as server:
            self.assertEqual(server.rpc("server.hello")["features"],
                             [x for x in described if x not in ("backup", "experiments")])

    def test_sighup_reads_the_tokens_again(self):
        path = os.path.join(self.certificates.dir, "changing")
        write(path, FILE)
        with Server("--threads", "0", "--token-file", path) as server:
            clients = {role: server.connect() for role in TOKENS}
            for role, client in clients.items():
                client.rpc("server.hello", token=TOKENS[role])
            for text, mode in [("", 0o600), ("admin short\n", 0o600), (FILE, 0o640), (FILE + "nonsense\n", 0o600),
                               ("submit:no/name a token of some length\n", 0o600)]:
                write(path, text, mode)
                before = server.log().count("the tokens do not change")
                os.kill(server.pid, signal.SIGHUP)
                wait_for_log(server, "the tokens do not change", before + 1)
                self.assertEqual(clients["admin"].rpc("server.hello")["role"], "admin")
            write(path, "query %s\nsubmit a new token of some length\n" % TOKENS["submit"])
            os.kill(server.pid, signal.SIGHUP)
            wait_for_log(server, "2 tokens read from")
            roles = {role: client.rpc("server.hello")["role"] for role, client in clients.items()}
            self.assertEqual(roles, {"query": "none", "submit": "query", "admin": "none"})
            with server.connect() as client:
                self.assertEqual(refusal(client, "server.hello", token=TOKENS["admin"]).field, "token")
                client.rpc("server.hello", token="a new token of some length")
                self.assertEqual(client.rpc("server.hello")["role"], "submit")
            for client in clients.values():
                client.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
