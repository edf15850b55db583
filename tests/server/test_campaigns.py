"""Campaigns next to other clients: a submission does not hold up the event loop, a change is one request of the rate,
and a client that follows a table misses nothing when the server is started again."""

import os
import select
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import RpcError, Server, data_dir  # noqa: E402

WRONG = os.path.join(os.path.dirname(data_dir()), "programs", "wrong.py")


class Campaigns(unittest.TestCase):
    def test_the_loop_does_not_wait_for_a_program(self):
        game = ["--game-program", "count=python3 %s hangs 8" % WRONG, "--game-files", "count=" + WRONG]
        with Server("--threads", "1", "--plugin-timeout", "4", *game) as server, server.connect() as other:
            with server.connect() as client:
                questions = [{"position": "%d 1" % n} for n in range(30, 20, -1)]
                request = client.ask("campaign.submit", game="count:30", memory="1M", questions=questions)
                longest = 0
                while not select.select([client.socket], [], [], 0)[0]:
                    begin = time.monotonic()
                    other.rpc("server.hello")
                    longest = max(longest, time.monotonic() - begin)
                with self.assertRaises(RpcError) as refused:
                    client.reply(request)
            self.assertIn("has not answered within 4 s", str(refused.exception))
            self.assertRegex(refused.exception.field, r"^questions\[\d\]")
            self.assertLess(longest, 3)
            self.assertEqual(server.rpc("server.stats")["jobs"]["queued"], 0)

    def test_the_loop_does_not_wait_for_a_program_that_reads_a_job(self):
        game = ["--game-program", "count=python3 %s hangs 3" % WRONG, "--game-files", "count=" + WRONG]
        with Server("--threads", "1", "--plugin-timeout", "4", *game) as server, server.connect() as other:
            with server.connect() as client:
                request = client.ask("job.submit", game="count:30", memory="1M", moves=["take1", "take2"] * 9)
                longest = 0
                while not select.select([client.socket], [], [], 0)[0]:
                    begin = time.monotonic()
                    other.rpc("server.hello")
                    longest = max(longest, time.monotonic() - begin)
                self.assertRaisesRegex(RpcError, "has not answered within 4 s", client.reply, request)
            self.assertLess(longest, 3)

    def test_a_client_may_go_while_its_questions_are_read(self):
        with Server("--threads", "1") as server:
            moves = ["g1f3", "g8f6", "f3g1", "f6g8"] * 1000
            with server.connect() as client:
                client.ask("campaign.submit", game="antichess", moves=moves, memory="1M", questions=[{}] * 250)
            self.assertEqual(server.rpc("campaign.submit", game="mnk:3,3,3", memory="1M", questions=[{}] * 250,
                                        tags=["late"])["fresh"], 250)
            self.assertEqual(server.terminate(), 0)

    def test_a_change_of_many_jobs_is_one_request(self):
        with Server("--threads", "1", "--rate", "20") as server:
            with server.connect() as client:
                client.rpc("campaign.submit", game="connect4:7x6", memory="1M", tags=["t"], questions=[{}] * 100)
                self.assertEqual(client.rpc("campaign.change", tag="t", action="pause"),
                                 {"changed": 100, "unchanged": 0})

    def test_tags_of_submissions_under_way_count(self):
        def questions(first, count):
            return [{"tags": ["t%d" % (8 * i + k) for k in range(8)]} for i in range(first, first + count)]

        job = {"game": "mnk:3,3,3", "memory": "1M"}
        with Server("--threads", "0") as server, server.connect() as client:
            with self.assertRaises(RpcError) as refused:
                client.rpc("campaign.submit", **job, questions=questions(0, 63))
            self.assertEqual((refused.exception.slug, refused.exception.field), ("limit", "questions[62].tags"))
            self.assertEqual(client.rpc("campaign.list")["campaigns"], [])
            asked = [client.ask("campaign.submit", **job, questions=questions(first, 10)) for first in range(0, 90, 10)]
            replies = []
            for request in asked:
                try:
                    replies.append(client.reply(request)["fresh"])
                except RpcError as error:
                    replies.append(error.slug)
            self.assertEqual(sorted(replies, key=str), [10] * 6 + ["limit"] * 3)
            tags = client.rpc("campaign.list")["campaigns"]
            self.assertEqual(len(tags), 480)
            while tags:
                for action in ("cancel", "remove"):
                    client.rpc("campaign.change", tag=tags[0]["name"], action=action)
                tags = client.rpc("campaign.list")["campaigns"]
            self.assertEqual(client.rpc("campaign.submit", **job, questions=questions(100, 62))["fresh"], 62)

    def test_what_has_changed_is_told_over_a_restart(self):
        with Server("--threads", "0") as server:
            jobs = server.rpc("campaign.submit", game="mnk:3,3,3", memory="1M", tags=["t"], questions=[{}] * 3)["jobs"]
            for priority in range(20):
                server.rpc("campaign.change", tag="t", action="set", priority=priority)
            since = server.rpc("campaign.table", tag="t")["revision"]
            self.assertEqual(server.rpc("campaign.table", tag="t", since=since)["rows"], [])
            server.kill()
            server.start()
            server.rpc("job.cancel", job=jobs[0])
            rows = server.rpc("campaign.table", tag="t", since=since)["rows"]
            self.assertIn((jobs[0], "cancelled"), [(row["job"], row["state"]) for row in rows])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
