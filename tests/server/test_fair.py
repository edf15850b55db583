"""No one waits for the end of what another client asks for (V3). Nothing here is timed: what is compared is the order
in which the answers come, on a server that works for the one that asks for much while the other asks little, again and
again."""

import json
import os
import select
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import Closed, Server  # noqa: E402

JOBS = 2000
TRIES = 10  # of which one has to show it: where the machine is busy the one that asks little may not run meanwhile
LITTLE = '{"jsonrpc":"2.0","id":1,"method":"fact.query","params":{"game":"mnk:3,3,3","position":"b2"}}'


def call(number, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def batch(calls):
    return "[" + ",".join(calls) + "]"


class Fair(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graphs = tempfile.mkdtemp(prefix="proofd-test-")
        cls.server = Server("--threads", "1", "--log", "warn", "--graphs", cls.graphs)
        cls.server.wait_job(cls.server.rpc("job.submit", game="mnk:3,3,3", memory="1M")["job"])
        cls.server.terminate()
        cls.server.options[1] = "0"
        cls.server.start()
        with cls.server.connect() as client:
            for first in range(0, JOBS, 500):
                client.send(
                    batch(call(i, "job.submit", game="mnk:3,3,3", memory="1M") for i in range(first, first + 500))
                )
                client.line()

    @classmethod
    def tearDownClass(cls):
        with cls.server:
            shutil.rmtree(cls.graphs)

    def assert_answers_before(self, least, ask, question=LITTLE):
        """More than `least` questions of a second client are answered before the first has an answer to what `ask`
        sends; it gets the number of the try."""
        counts = []
        while len(counts) < TRIES and max(counts, default=0) <= least:
            number = len(counts)
            counts.append(self.answers_before(lambda client, number=number: ask(client, number), question))
        self.assertGreater(max(counts), least, counts)

    def answers_before(self, ask, question):
        """How many they are."""
        with self.server.connect() as greedy, self.server.connect() as modest:
            modest.send(question)
            modest.line()
            ask(greedy)
            count = 0
            while not select.select([greedy.socket], [], [], 0)[0]:
                modest.send(question)
                modest.line()
                count += 1
            return count

    def test_a_batch_of_long_lists(self):
        load = batch(call(i, "job.list", limit=10000) for i in range(200))
        self.assert_answers_before(20, lambda client, _: client.send(load))
        general = call(1, "job.get", job=1)
        self.assert_answers_before(20, lambda client, _: client.send(load), general)

    def test_long_lines_that_are_deep(self):
        line = call(1, "server.hello", x="?").replace('"?"', "[" + ",".join(["[" * 28 + "]" * 28] * 18000) + "]")
        self.assertGreater(len(line), 1 << 19)
        load = (line + "\n").encode() * 4 + call(2, "server.hello").encode()
        counts = []
        while len(counts) < TRIES and max(counts, default=0) <= 5:
            with self.server.connect() as greedy, self.server.connect() as modest:
                greedy.send(load + b"\n")
                counts.append(0)
                while b"\n" not in greedy.buffer:
                    if select.select([greedy.socket], [], [], 0)[0]:
                        greedy.buffer += greedy.socket.recv(1 << 16)
                    modest.send(LITTLE)
                    modest.line()
                    counts[-1] += 1
                for number in [1, 1, 1, 1, 2]:  # and they are answered in their order
                    self.assertEqual(greedy.message()["id"], number)
        self.assertGreater(max(counts), 5)

    def test_a_large_graph_is_opened(self):
        nodes = {"n0": {"or": ["n1", "n2"]}}
        for i in range(1, 60000):
            nodes["n%d" % i] = {"value": 1} if i >= 30000 else {"and": ["n%d" % (2 * i), "n%d" % (2 * i + 1)]}
        for i, ask in enumerate(
            (
                call(1, "game.describe", game="andor:?"),
                LITTLE.replace("mnk:3,3,3", "andor:?").replace("b2", ""),
                call(1, "job.submit", game="andor:?", memory="1M"),
            )
        ):
            def open_it(client, number, ask=ask, name="large%d" % i):
                """A file of its own for each try: the server keeps what is open."""
                with open(os.path.join(self.graphs, "%s-%d.json" % (name, number)), "w") as file:
                    json.dump({"root": "n0", "nodes": nodes}, file)
                client.send(ask.replace("?", "%s-%d" % (name, number)))

            self.assert_answers_before(5, open_it)

    def test_what_waits_for_threads_is_served_in_turn(self):
        """Sixteen clients with a dozen large questions each; one more with a single one does not wait for all of
        theirs."""
        ready = [self.answered_first()]
        while ready[-1] >= 16 * 12 and len(ready) < TRIES:
            ready.append(self.answered_first())
        self.assertLess(ready[-1], 16 * 12, ready)

    def answered_first(self):
        """How many of the many are answered when the single one is, and this process has looked."""
        positions = ["b2", "a1", "c3", ""] * 1000
        loads = "\n".join(call(i, "fact.query", positions=positions, game="mnk:3,3,3") for i in range(12))
        crowd = [self.server.connect() for _ in range(16)]
        try:
            for client in crowd:
                client.send(loads)
            with self.server.connect() as modest:
                self.assertEqual(
                    len(modest.rpc("fact.query", game="mnk:3,3,3", positions=positions)["facts"]), len(positions)
                )
            ready = 0
            for client in crowd:
                client.socket.settimeout(0)
                try:
                    while True:
                        got = client.socket.recv(1 << 20)
                        ready += got.count(b"\n")
                except BlockingIOError:
                    pass
            return ready
        finally:
            for client in crowd:
                client.close()

    def test_a_batch_of_best_lines_leaves_room_for_others(self):
        """More than a read queue holds: the others still have a place there."""
        with self.server.connect() as greedy, self.server.connect() as modest:
            greedy.send(batch(call(i, "fact.line", game="mnk:3,3,3") for i in range(1000)))
            self.assertTrue(modest.rpc("fact.line", game="mnk:3,3,3")["line"])
            replies = greedy.message()
            self.assertEqual(len(replies), 1000)
            self.assertTrue(
                all("result" in reply for reply in replies), [reply for reply in replies if "error" in reply][:1]
            )

    def test_calls_are_begun_in_their_order(self):
        """Over the lines of a connection, whichever way they go."""
        with self.server.connect() as client:
            load = [
                batch(call("a%d" % i, "job.set", job=5, priority=i % 100) for i in range(100)),
                call("get", "job.get", job=5),
            ]
            client.send("\n".join(load))
            ids = [client.message() for _ in load]
            self.assertEqual(len(ids[0]) if isinstance(ids[0], list) else len(ids[1]), 100)
            self.assertEqual(client.rpc("job.get", job=5)["priority"], 99)

    def test_who_leaves_in_the_middle_takes_no_other_along(self):
        for _ in range(20):
            with self.server.connect() as client:
                client.send(batch(call(i, "job.list", limit=250) for i in range(300)))
                client.send(batch(call(i, "fact.line", game="mnk:3,3,3") for i in range(300)))
                client.send(call(1, "server.hello", x="y" * 100000))
            self.assertEqual(self.server.rpc("server.hello")["server"], "proofd")

    def test_everybody_is_answered(self):
        crowd = [self.server.connect() for _ in range(30)]
        for number, client in enumerate(crowd):
            client.send(
                "\n".join(
                    call(
                        i,
                        ["job.list", "fact.line", "job.history", "fact.query", "server.stats"][(i + number) % 5],
                        **[{"limit": 50}, {"game": "mnk:3,3,3"}, {"job": 1}, {"game": "mnk:3,3,3", "moves": True}, {}][
                            (i + number) % 5
                        ]
                    )
                    for i in range(200)
                )
            )
        for client in crowd:
            ids = []
            try:
                for _ in range(200):
                    ids.append(client.message()["id"])
            except Closed:
                pass
            self.assertEqual(sorted(ids), list(range(200)))
            client.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
