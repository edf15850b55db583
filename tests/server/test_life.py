"""A real server whose disk or directory goes away under it: jobs pause with the reason, queries go on, nothing that was
acknowledged is lost, and work goes on when the trouble is over."""

import os
import resource
import subprocess
import sys
import tempfile
import shutil
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, RpcError, Server, build_has, program  # noqa: E402

IO, NO_SPACE = 11, 12
LARGE = {"game": "connect4:7x6", "memory": "8M"}


def wait_reason(server, job, state):
    """The job in that state; its reason."""
    return server.wait_job(job, (state,))["reason"]


def submitted(server):
    return server.rpc("job.submit", game="mnk:3,3,3", memory="4M")["job"]


def solved(server):
    """A job that is solved, so that something is known."""
    job = submitted(server)
    assert server.wait_job(job)["state"] == "solved"
    return job


def assert_known(test, server):
    fact = server.rpc("fact.query", game="mnk:3,3,3", position="")["facts"][0]
    test.assertEqual((fact["lo"], fact["hi"]), (0, 0))


class Limits(unittest.TestCase):
    def test_a_limit_on_file_sizes_pauses_and_is_lifted(self):
        with Server("--threads", "1", "--checkpoint", "0.1") as server:
            solved(server)
            job = server.rpc("job.submit", **LARGE)["job"]
            server.wait_job(job, ("running",))
            unlimited = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
            # The two heads of a file: no commit does with less.
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (8192, unlimited[1]))
            reason = wait_reason(server, job, "paused")
            self.assertIn("commit", reason)
            with self.assertRaises(RpcError) as refused:
                server.rpc("job.submit", game="mnk:3,3,3", position="a1", memory="4M")
            self.assertEqual(refused.exception.code, NO_SPACE)
            assert_known(self, server)
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, unlimited)
            server.wait_job(job, ("running",))
            self.assertEqual(server.rpc("job.cancel", job=job)["state"], "cancelled")
            solved(server)
            self.assertEqual(server.terminate(), 0)

    def test_a_limit_from_the_start_is_an_error(self):
        """Whatever size the first files may have; the next start without a limit works."""
        threaded = build_has("fsanitize=thread")  # its runtime writes a file before main can ignore the signal
        for limit in [9000, 40960, 81920, 120000] + ([] if threaded else [0, 4096]):
            directory = tempfile.mkdtemp(prefix="proofd-test-")
            try:
                data = os.path.join(directory, "data")
                command = [program("proofctl"), "solve", "mnk:3,3,3", "--data", data, "--memory", "4M"]
                run = subprocess.run(
                    command,
                    capture_output=True,
                    text=True,
                    stdin=subprocess.DEVNULL,
                    timeout=TIMEOUT,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY)),
                )
                self.assertGreaterEqual(run.returncode, 0, "%d bytes: a signal ended it" % limit)
                run = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT)
                self.assertEqual(run.returncode, 0, "%d bytes: %s" % (limit, run.stderr))
            finally:
                shutil.rmtree(directory)

    def test_a_reader_of_the_output_may_go(self):
        with Server("--threads", "1") as server:
            job = server.rpc("job.submit", **LARGE)["job"]
            watch = subprocess.Popen(
                [program("proofctl"), "watch", str(job), "--socket", server.socket_path, "--json"],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                stdin=subprocess.DEVNULL,
                text=True,
            )
            watch.stdout.readline()
            watch.stdout.close()
            said = watch.stderr.read()
            watch.stderr.close()
            self.assertEqual(watch.wait(TIMEOUT), 1, said)
            self.assertIn("Broken pipe", said)


class Threads(unittest.TestCase):
    def test_more_than_255_threads_search_one_job(self):
        with Server("--threads", "300", "--nice", "0") as server:
            job = server.rpc("job.submit", game="connect4:7x6", threads=300, memory="64M")["job"]
            until = time.monotonic() + TIMEOUT
            while server.rpc("job.explain", job=job)["threads"] <= 255:
                self.assertLess(time.monotonic(), until)
                time.sleep(0.05)
            server.rpc("job.cancel", job=job)
            job = server.rpc("job.submit", game="connect4:4x4", threads=300, memory="16M")["job"]
            end = server.wait_job(job)
            self.assertEqual(end["state"], "solved")
            self.assertEqual((end["result"]["value"]["lo"], end["result"]["value"]["hi"]), (0, 0))
            self.assertEqual(server.terminate(), 0)


class Directories(unittest.TestCase):
    def test_a_directory_that_is_moved_away_pauses_and_comes_back(self):
        with Server("--threads", "1", "--checkpoint", "0.1") as server:
            known = solved(server)
            job = server.rpc("job.submit", **LARGE)["job"]
            server.wait_job(job, ("running",))
            aside = server.data + "-aside"
            os.rename(server.data, aside)
            reason = wait_reason(server, job, "paused")
            self.assertIn(server.data, reason)
            with self.assertRaises(RpcError) as refused:
                server.rpc("job.submit", game="mnk:3,3,3", position="a1", memory="4M")
            self.assertEqual(refused.exception.code, IO)
            self.assertIn(server.data, refused.exception.message)
            assert_known(self, server)
            self.assertEqual(server.rpc("job.get", job=known)["state"], "solved")
            os.rename(aside, server.data)
            server.wait_job(job, ("running",))
            again = server.rpc("job.submit", game="mnk:3,3,3", position="a1", memory="4M")["job"]
            self.assertEqual(again, job + 1)
            server.kill()
            server.start()
            self.assertEqual(server.rpc("job.get", job=again)["game"], "mnk:3,3,3")
            assert_known(self, server)

    def test_a_directory_that_is_deleted_stops_everything_but_queries(self):
        with Server("--threads", "1", "--checkpoint", "0.1") as server:
            solved(server)
            job = server.rpc("job.submit", **LARGE)["job"]
            server.wait_job(job, ("running",))
            shutil.rmtree(server.data)
            self.assertIn(server.data, wait_reason(server, job, "paused"))
            assert_known(self, server)
            server.terminate()

    def test_a_second_server_is_refused_when_lock_was_deleted(self):
        with Server("--threads", "0") as server:
            job = submitted(server)
            os.unlink(os.path.join(server.data, "lock"))
            run = subprocess.run(
                [program("proofd"), "--listen", "127.0.0.1:0", "--data", server.data],
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
                timeout=TIMEOUT,
            )
            self.assertEqual(run.returncode, 1)
            self.assertIn("process %d" % server.pid, run.stderr)
            self.assertEqual(submitted(server), job + 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
