"""The log: its forms, its file, and the status that SIGUSR1 asks for."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, program  # noqa: E402

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def await_log(server, path, part):
    """Asks the server until a part stands in a file: each call is a turn of its loop."""
    end = time.monotonic() + TIMEOUT
    while not (os.path.exists(path) and part in read(path)):
        server.rpc("server.hello")
        if time.monotonic() > end:
            raise AssertionError("%r is not in %s" % (part, path))
    return read(path)


def solve(server):
    job = server.rpc("job.submit", game="mnk:3,3,3", claim="first-draws", memory="1M")["job"]
    server.wait_job(job)
    return job


class Forms(unittest.TestCase):
    def test_json_lines(self):
        with Server("--threads", "1", "--log-format", "json") as server:
            solve(server)
            job = server.rpc("job.submit", game="connect4:7x6", memory="4M", budget={"nodes": 1000})["job"]
            server.wait_job(job)
            server.terminate()
            lines = [json.loads(line) for line in server.log().splitlines()]
        for line in lines:
            self.assertRegex(line["time"], "^%s$" % TIME)
            self.assertIn(line["level"], ("error", "warn", "info", "debug"))
            self.assertTrue(line["text"])
        events = [line for line in lines if "event" in line]
        self.assertEqual(
            [(e["job"], e["event"]) for e in events],
            [(1, "submitted"), (1, "started"), (1, "solved"), (2, "submitted"), (2, "started"), (2, "exhausted")],
        )
        self.assertEqual((events[2]["game"], events[2]["claim"]), ("mnk:3,3,3", "first-draws"))
        self.assertEqual(events[5]["reason"], "the budget of nodes is used up")
        self.assertNotIn("reason", events[2])

    def test_the_history_has_the_same_words(self):
        with Server("--threads", "1", "--log-format", "json") as server:
            job = solve(server)
            points = server.rpc("job.history", job=job)["points"]
            server.terminate()
            events = [json.loads(line).get("event") for line in server.log().splitlines()]
        self.assertEqual([e for e in events if e], [p["event"] for p in points if p["event"] != "checkpoint"])

    def test_the_journal_has_priorities_and_no_time(self):
        with Server("--threads", "1", "--log-format", "journal") as server:
            solve(server)
            server.terminate()
            for line in server.log().splitlines():
                self.assertRegex(line, r"^<[3467]>[a-z]")
            self.assertIn("<6>job 1 (mnk:3,3,3, first-draws) solved: ", server.log())

    def test_the_journal_is_noticed(self):
        with tempfile.TemporaryFile() as file:
            st = os.fstat(file.fileno())
            for stream, form in (
                ("%d:%d" % (st.st_dev, st.st_ino), rb"^<3>"),
                ("%d:%d" % (st.st_dev, st.st_ino + 1), rb"^proofd: "),
                ("what", rb"^proofd: "),
            ):
                file.seek(0)
                file.truncate()
                done = subprocess.run(
                    [program("proofd"), "--memory-only", "--listen", "127.0.0.1:1:1"],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=file,
                    timeout=TIMEOUT,
                    env=dict(os.environ, JOURNAL_STREAM=stream),
                )
                file.seek(0)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(file.read(), form)


class File(unittest.TestCase):
    def test_sighup_opens_it_again(self):
        with tempfile.TemporaryDirectory(prefix="proofd-test-") as directory:
            path, old = os.path.join(directory, "log"), os.path.join(directory, "log.1")
            with Server("--threads", "1", "--log-file", path) as server:
                solve(server)
                os.rename(path, old)
                solve(server)  # goes on in the old file
                before = await_log(server, old, "job 2 (mnk:3,3,3, first-draws) solved")
                server.process.send_signal(signal.SIGHUP)
                await_log(server, path, "SIGHUP: the log continues in ")
                job = solve(server)
                after = await_log(server, path, "job %d (mnk:3,3,3, first-draws) solved" % job)
                self.assertRegex(after, "^%s info SIGHUP" % TIME)
                self.assertEqual(read(old), before)
                # A place that takes no file leaves the log where it is.
                os.unlink(path)
                os.mkdir(path)
                held = os.readlink("/proc/%d/fd/2" % server.pid)
                server.process.send_signal(signal.SIGHUP)
                for _ in range(3):
                    server.rpc("server.hello")
                self.assertEqual(os.readlink("/proc/%d/fd/2" % server.pid), held)
                solve(server)
                self.assertEqual(server.terminate(), 0)
                self.assertEqual(server.log(), "")

    def test_what_is_no_file_is_refused(self):
        with tempfile.TemporaryDirectory(prefix="proofd-test-") as directory:
            fifo = os.path.join(directory, "fifo")
            os.mkfifo(fifo)
            for path, why in (
                (directory, "cannot write %s: Is a directory"),
                (fifo, "cannot write %s"),
                ("/dev/null", "%s is not a regular file"),
                (os.path.join(directory, "no", "such", "log"), "cannot write %s: No such file"),
            ):
                done = subprocess.run(
                    [program("proofd"), "--memory-only", "--listen", "127.0.0.1:0", "--log-file", path],
                    capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("--log-file: " + why % path, done.stderr)

    def test_last_words_go_to_both(self):
        with tempfile.TemporaryDirectory(prefix="proofd-test-") as directory:
            path = os.path.join(directory, "log")
            done = subprocess.run(
                [program("proofd"), "--data", "/proc/no/such", "--listen", "127.0.0.1:0", "--log-file", path],
                capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stderr.startswith("proofd: "))
            self.assertIn(" error " + done.stderr[len("proofd: "):].strip(), read(path))


class Status(unittest.TestCase):
    def test_sigusr1_logs_a_status(self):
        """Also where only errors are logged."""
        for level in ("info", "error"):
            with Server("--threads", "1", "--log", level) as server:
                job = server.rpc("job.submit", game="connect4:7x6", memory="4M")["job"]
                server.wait_job(job, ("running",))
                server.process.send_signal(signal.SIGUSR1)
                told = await_log(server, server.log_path, "status: connections: ")
                lines = re.findall(r" info status: (.*)", told)
                self.assertEqual(
                    [re.match(r"\w+", line)[0] for line in lines],
                    ["jobs", "job", "search", "facts", "memory", "disk", "connections"],
                )
                self.assertRegex(lines[0], r"^jobs: 0 queued, 1 running, 0 paused, ")
                self.assertRegex(lines[1], r"^job 1 \(connect4:7x6\) running: .* nodes/s, \d+ nodes in \d+ s$")
                self.assertRegex(lines[2], r"^search: 1 of 1 threads, ")
                self.assertRegex(lines[5], r"^disk: \S+ work, \S+ facts, \S+ free; last commit [\d.]+ ms, ")
                self.assertEqual(server.terminate(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
