"""A client that is disconnected for what it leaves unread has a line in the log: who it was, and why. Ten clients of
the same kind have one line."""

import json
import os
import re
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server  # noqa: E402
from web import Raw  # noqa: E402

STALLED = "it has read nothing for longer than --stall"
MOST = "the buffers of all clients exceed --buffers-max, and its own are the largest"


def call(number, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


# Replies of some eight megabytes: more than the kernel keeps for a socket, less than the server keeps for a client.
LARGE = "[" + ",".join(call(i, "fact.query", game="connect4:7x6", positions=["1"] * 1000) for i in range(75)) + "]"


# Requests of some kilobytes, whose replies of half a megabyte reader threads make.
ASKED, EACH = 64, 600
MANY = "\n".join(call(i, "fact.query", game="connect4:7x6", positions=["1"] * EACH, each_move=True)
                 for i in range(ASKED))
STILL = 1.0  # seconds without a reply more
SAY_S = 60  # of each kind of disconnection there is at most one line in this time, in seconds (NT_SAY_MS)


def size_of(line):
    """Bytes of the reply, by a server that gives this client its time to read it."""
    with Server("--threads", "0") as server, server.connect() as client:
        client.send(line)
        return len(client.line())


class Drops(unittest.TestCase):
    def wait_for(self, server, condition):
        """Asks the server until the condition holds: each call is a turn of its loop."""
        end = time.monotonic() + TIMEOUT
        while not condition():
            self.assertLess(time.monotonic(), end, server.log())
            server.admin("server.hello")

    def alone(self, server):
        """All clients but the one that asks are gone."""
        self.wait_for(server, lambda: server.admin("server.stats")["connections"] == 1)

    @classmethod
    def setUpClass(cls):
        size = size_of(LARGE)
        assert 6 << 20 < size < 15 << 20, size

    def drop(self, why, *options, load=LARGE, clients=1, unix=False):
        """Clients ask for much and read nothing until they are disconnected; returns the log's lines about that, how
        many there may be, and the names that the clients may have there."""
        begin = time.monotonic()
        with Server("--threads", "0", *options) as server:
            crowd = [server.connect(unix=unix) for _ in range(clients)]
            if unix:
                names = ["client of the Unix socket"]
            else:
                names = ["client %s:%d" % client.socket.getsockname() for client in crowd]
            for client in crowd:
                try:
                    client.send(load)
                except OSError:
                    pass  # it was disconnected already
            self.wait_for(server, lambda: why in server.log())
            if why != MOST:  # the others stay within the limit
                self.alone(server)
            self.assertEqual(server.admin("server.hello")["server"], "proofd")
            for client in crowd:
                client.close()
            self.alone(server)
            self.assertEqual(server.terminate(), 0)
            found = [line for line in server.log().splitlines() if " disconnected: " in line]
        return found, 1 + int((time.monotonic() - begin) / SAY_S), names

    def check(self, found, most, names, why):
        self.assertTrue(1 <= len(found) <= most, (found, most))
        self.assertIn(" " + why, found[0])
        self.assertTrue(any(name + " disconnected: " in found[0] for name in names), (found, names))
        self.assertRegex(found[0], r" warn .*\(\d{6,} bytes buffered\)")

    def test_one_that_reads_nothing(self):
        self.check(*self.drop(STALLED, "--stall", "0.2"), STALLED)

    def test_one_of_the_unix_socket(self):
        self.check(*self.drop(STALLED, "--stall", "0.2", unix=True), STALLED)

    def test_one_that_asks_far_ahead_is_served(self):
        """Its replies together are more than is kept for one client: those that it has no room for are not begun until
        it has read what is there. By the Unix socket, where the kernel keeps little."""
        with Server("--threads", "0", "--http", "127.0.0.1:0") as server, server.connect(unix=True) as client:
            sending = threading.Thread(target=client.send, args=(MANY,))
            sending.start()
            with Raw(server) as raw:
                self.assertLess(self.count_at_rest(raw), ASKED // 2)
            replies = [json.loads(client.line()) for _ in range(ASKED)]
            sending.join()
            self.assertEqual(sorted(reply["id"] for reply in replies), list(range(ASKED)))
            for reply in replies:
                self.assertEqual(len(reply["result"]["facts"]), EACH)
            client.close()
            self.assertEqual(server.terminate(), 0)
            self.assertNotIn(" disconnected: ", server.log())

    def count_at_rest(self, raw):
        """How many queries are answered when no more are for a while; the client has the first of them."""
        count, since, end = 0, time.monotonic(), time.monotonic() + TIMEOUT
        while not count or time.monotonic() - since < STILL:
            self.assertLess(time.monotonic(), end)
            told = re.search(rb'proofd_requests_total{method="fact.query",result="ok"} (\d+)', raw.get("/metrics")[2])
            if told and int(told[1]) != count:
                count, since = int(told[1]), time.monotonic()
        return count

    def test_the_one_with_most_of_all(self):
        self.check(*self.drop(MOST, "--buffers-max", "20M", clients=6), MOST)

    def test_ten_of_a_kind_have_one_line(self):
        self.check(*self.drop(STALLED, "--stall", "0.2", clients=10), STALLED)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
