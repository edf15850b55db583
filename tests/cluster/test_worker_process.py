"""`proofd worker` as a process: its command line, its ready line, how it ends, and that it does a server's work."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from nats import PROGRAM, Nats, free_port  # noqa: E402
from pyproofd import TIMEOUT, Server, program  # noqa: E402

HERE = PROGRAM is not None and os.path.exists(program("libproofd-nats.so"))


def run(*options, **environment):
    """Exit code and the two outputs of a worker that ends by itself."""
    done = subprocess.run([program("proofd"), "worker", *options], capture_output=True, text=True, timeout=TIMEOUT,
                          stdin=subprocess.DEVNULL, env=dict(os.environ, **environment))
    return done.returncode, done.stdout, done.stderr


class Worker:
    def __init__(self, url, *options):
        self.process = subprocess.Popen([program("proofd"), "worker", "--join", url, "--threads", "1", "--memory", "8M",
                                         *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.ready = json.loads(self.process.stdout.readline())

    def wait_for(self, pattern):
        """Until a line of the log fits."""
        for line in self.process.stderr:
            if re.search(pattern, line):
                return
        raise AssertionError("the worker has ended without '%s'" % pattern)

    def end(self, number=signal.SIGTERM):
        """Exit code."""
        self.process.send_signal(number)
        self.process.communicate(timeout=TIMEOUT)
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class CommandLine(unittest.TestCase):
    def test_what_is_wrong_ends_with_2(self):
        for options, said in (([], "--join nats://"), (["--join", "x", "--threads", "0"], "--threads"),
                              (["--join", "x", "--data", "y"], "--data"), (["y"], "unexpected argument")):
            code, out, err = run(*options)
            self.assertEqual((code, out), (2, ""))
            self.assertIn(said, err)

    def test_help_and_version(self):
        self.assertEqual(run("--help")[0], 0)
        self.assertRegex(run("--version")[1], r"^proofd \d+\.\d+\.\d+\n$")

    def test_without_the_module_it_ends_with_a_sentence(self):
        with tempfile.TemporaryDirectory() as empty:
            code, out, err = run("--join", "nats://127.0.0.1:1", PROOFD_MODULE_DIR=empty)
        self.assertEqual((code, out), (2, ""))
        self.assertIn("libproofd-nats.so", err)


@unittest.skipUnless(HERE, "there is no nats-server, or this build has no libproofd-nats.so")
class Process(unittest.TestCase):
    def test_options_are_named_as_here(self):
        with tempfile.NamedTemporaryFile("w", suffix=".seed") as seed:
            code, _, err = run("--join", "nats://a:b@127.0.0.1:1", "--creds", seed.name)
        self.assertEqual(code, 2)
        self.assertNotIn("--workers", err)

    def test_it_waits_for_nats_and_ends_without(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with Worker("nats://127.0.0.1:%d" % free_port(), "--name", "ant") as worker:
                self.assertEqual(worker.ready["worker"], "ant")
                self.assertEqual(worker.ready["pid"], worker.process.pid)
                self.assertEqual(worker.end(number), 0)

    def look(self, server):
        """A worker that has a task, as the method, proofctl and the metrics show it."""
        told = server.rpc("server.workers")
        ant, together = told["workers"][0], told["cluster"]
        self.assertEqual([w["name"] for w in told["workers"]], ["ant"])
        self.assertEqual((ant["state"], ant["threads"], together["connected"], together["workers"]),
                         ("there", 1, True, 1))
        self.assertGreater(together["tasks"], 0)
        self.assertLessEqual(abs(told["now"] - time.time() * 1000), 60000)
        for since in (ant["since"], ant["seen"], together["since"]):  # all by one clock
            self.assertLessEqual(since, told["now"])
            self.assertGreater(since, told["now"] - 1000 * TIMEOUT)
        shown = subprocess.run([program("proofctl"), "workers", "--socket", server.socket_path], check=True,
                               capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL).stdout
        self.assertRegex(shown, r"^connected  nats://127\.0\.0\.1:\d+, for ")
        self.assertRegex(shown, r"\n  workers +1 with 1 thread\n")
        self.assertRegex(shown, r"\nant +there +1 ")
        with urllib.request.urlopen("http://%s/metrics" % server.ready["monitor"], timeout=TIMEOUT) as page:
            metrics = page.read().decode()
        self.assertIn("\nproofd_cluster_workers 1\n", metrics)
        self.assertIn("\nproofd_cluster_connected 1\n", metrics)

    def test_it_searches_for_a_server_and_hands_its_tasks_back(self):
        with Nats() as nats, Server("--threads", "0", "--workers", nats.url(), "--monitor", "127.0.0.1:0") as server:
            with Worker(nats.url(), "--name", "ant") as worker:
                worker.wait_for("ant has joined")
                job = server.rpc("job.submit", game="connect4:5x4")["job"]
                self.assertEqual(server.wait_job(job)["result"]["value"]["text"], "draw")
                long = server.rpc("job.submit", game="connect4:7x6")["job"]
                while not server.rpc("server.workers")["cluster"]["out"]:
                    pass
                self.look(server)
                self.assertEqual(worker.end(), 0)
            server.rpc("job.cancel", job=long)

    def test_the_directory_knows_that_workers_may_share(self):
        def noted(*options, data):
            with Nats() as nats, Server("--threads", "1", "--workers", nats.url(), *options, data=data):
                return os.path.exists(liars) and open(liars).read()

        with tempfile.TemporaryDirectory() as data:
            liars = os.path.join(data, "liars")
            self.assertFalse(noted(data=data))  # results of workers without the key are checked
            self.assertFalse(noted("--verify", "none", "--share", "0", data=data))
            self.assertEqual(noted("--verify", "none", "--share", "4M", data=data), "shared\n")
            self.assertEqual(noted("--share", "0", data=data), "shared\n")

    def test_two_servers_with_one_prefix_say_so(self):
        with Nats() as nats, Server("--threads", "1", "--workers", nats.url()) as one, Worker(nats.url()) as worker:
            worker.wait_for("has joined")
            self.assertIsNone(one.rpc("server.stats")["other_coordinator"])
            with Server("--threads", "1", "--workers", nats.url()) as two:
                numbers = [s.rpc("server.workers")["cluster"]["coordinator"] for s in (one, two)]
                for server, other in ((one, numbers[1]), (two, numbers[0])):
                    while server.rpc("server.stats")["other_coordinator"] is None:
                        time.sleep(0.05)
                    self.assertEqual(server.rpc("server.stats")["other_coordinator"], other)
                    self.assertEqual(server.rpc("server.workers")["cluster"]["other_coordinator"], other)
                    self.assertEqual(server.log().count("another coordinator, " + other), 1)
                    for command in ("workers", "stats"):
                        text = subprocess.check_output([program("proofctl"), command, "--socket", server.socket_path],
                                                       text=True)
                        self.assertIn("coordinator %s, uses the same prefix" % other, text)
            while one.rpc("server.stats")["other_coordinator"] is not None:
                time.sleep(0.05)
            self.assertIn("the other coordinator, %s, is not heard any more" % numbers[1], one.log())
            self.assertEqual(worker.end(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
