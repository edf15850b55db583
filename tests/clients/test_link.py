"""How proofctl reaches a server: one that does not answer, one that is to stop, one whose answers come in pages."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, program  # noqa: E402


def run(*words, code=0):
    """stdout and stderr of `proofctl WORDS`, which must end with the code."""
    env = {k: v for k, v in os.environ.items() if k not in ("PROOFD_SERVER", "TERM")}
    done = subprocess.run(
        [program("proofctl"), *words],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        stdin=subprocess.DEVNULL,
        env=env,
    )
    if done.returncode != code:
        raise AssertionError("%s: exit code %d\n%s%s" % (words, done.returncode, done.stdout, done.stderr))
    return done.stdout, done.stderr


def refusal(*words):
    """The error of a command that fails."""
    return json.loads(run(*words, "--json", code=1)[1].splitlines()[-1])["error"]


class Silence(unittest.TestCase):
    def test_a_server_that_is_stopped_is_not_waited_for(self):
        with Server("--threads", "0") as server:
            os.kill(server.pid, signal.SIGSTOP)
            try:
                for where in (["--server", server.ready["listen"]], ["--socket", server.socket_path]):
                    for words in (
                        ["stats"],
                        ["submit", "mnk:3,3,3"],
                        ["wait", "1"],
                        ["line", "mnk:3,3,3"],
                        ["shutdown"],
                    ):
                        with self.subTest(words):
                            error = refusal(*words, *where, "--timeout", "0.2")
                            self.assertEqual(error["data"]["slug"], "unreachable")
                            self.assertIn("has not answered for 0.2 s", error["message"])
            finally:
                os.kill(server.pid, signal.SIGCONT)
            self.assertIn(
                "process %d" % server.pid, run("stats", "--server", server.ready["listen"], "--timeout", "0")[0]
            )

    def test_a_server_that_takes_no_connection_is_not_waited_for(self):
        with tempfile.TemporaryDirectory(prefix="proofctl-test-") as directory, socket.socket(socket.AF_UNIX) as server:
            path = os.path.join(directory, "socket")
            server.bind(path)
            server.listen(0)
            waiting = []
            try:
                while True:
                    one = socket.socket(socket.AF_UNIX)
                    waiting.append(one)
                    one.setblocking(False)
                    one.connect(path)
            except BlockingIOError:
                pass
            error = refusal("stats", "--socket", path, "--timeout", "0.2")
            self.assertEqual(error["data"]["slug"], "unreachable")
            self.assertIn("neither accepts nor refuses", error["message"])
            for one in waiting:
                one.close()

    def test_what_takes_time_is_waited_for_and_said(self):
        """A server of ours answers hello, and the rest when proofctl has said that it waits. It has some seconds for
        hello, because it is a process that others keep waiting."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            process = subprocess.Popen(
                [
                    program("proofctl"),
                    "submit",
                    "mnk:3,3,3",
                    "--timeout",
                    "4",
                    "--server",
                    "127.0.0.1:%d" % server.getsockname()[1],
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            client, _ = server.accept()
            with client, client.makefile("rw") as lines:
                self.assertEqual(json.loads(lines.readline())["method"], "server.hello")
                print('{"jsonrpc":"2.0","id":1,"result":{}}', file=lines, flush=True)
                self.assertEqual(json.loads(lines.readline())["method"], "job.submit")
                self.assertEqual(
                    process.stderr.readline(), "proofctl: still waiting for the server's answer to job.submit\n"
                )
                print('{"jsonrpc":"2.0","id":2,"result":{"job":7}}', file=lines, flush=True)
                out, err = process.communicate(timeout=TIMEOUT)
            self.assertEqual((process.returncode, out, err), (0, "7\n", ""))


class Shutdown(unittest.TestCase):
    def test_over_tcp_by_way_of_the_servers_socket(self):
        with Server("--threads", "0") as other, Server("--threads", "0") as server:
            self.assertIn("the server stops", run("shutdown", "--server", server.ready["listen"])[0])
            self.assertEqual(server.wait(), 0)
            self.assertEqual(other.rpc("server.hello")["server"], "proofd")

    def test_without_a_socket_it_takes_the_token(self):
        with tempfile.NamedTemporaryFile("w", prefix="proofctl-test-") as file:
            file.write("a token of some length\n")
            file.flush()
            with tempfile.TemporaryDirectory(prefix="proofctl-test-") as directory:
                data = os.path.join(directory, "data")
                process = subprocess.Popen(
                    [
                        program("proofd"),
                        "--data",
                        data,
                        "--socket",
                        "none",
                        "--listen",
                        "127.0.0.1:0",
                        "--token-file",
                        file.name,
                    ],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                )
                self.addCleanup(process.wait)
                self.addCleanup(process.kill)  # if it has not ended
                where = ["--server", json.loads(process.stdout.readline())["listen"]]
                self.assertEqual(refusal("shutdown", *where)["data"]["slug"], "forbidden")
                self.assertIn("--token-file", run("shutdown", *where, "--token-file", "/no/such/file", code=2)[1])
                self.assertEqual(
                    json.loads(run("shutdown", *where, "--token-file", file.name, "--json")[0]), {"stopping": True}
                )
                self.assertEqual(process.wait(TIMEOUT), 0)
                process.stdout.close()


class Pages(unittest.TestCase):
    def test_a_long_list_is_asked_for_in_pages(self):
        with Server("--threads", "0") as server:
            batch = [
                {"jsonrpc": "2.0", "id": i, "method": "job.submit", "params": {"game": "mnk:3,3,3", "memory": "1M"}}
                for i in range(600)
            ]
            with server.connect() as client:
                client.send(json.dumps(batch))
                jobs = sorted(reply["result"]["job"] for reply in client.message())
                self.assertEqual(jobs, list(range(1, 601)))
                page = client.rpc("job.list", limit=10000)
                self.assertEqual([one["job"] for one in page["jobs"]], list(range(600, 350, -1)))
                self.assertEqual(page["next"], 351)
                self.assertNotIn("next", client.rpc("job.list", before=251, limit=10000))
                self.assertEqual(client.rpc("job.list", state="solved"), {"jobs": []})
            where = ["--server", server.ready["listen"], "--limit"]
            for limit, count in (("10000", 600), ("500", 500), ("250", 250), ("1", 1)):
                listed = [json.loads(line) for line in run("list", *where, limit, "--json")[0].splitlines()]
                self.assertEqual([one["job"] for one in listed], list(range(600, 600 - count, -1)))
                self.assertEqual(run("list", *where, limit)[0].count("\n"), count + 1)
            self.assertEqual(run("list", *where, "5", "--state", "solved", "--json")[0], "")


class Clock(unittest.TestCase):
    def test_ages_are_told_by_the_clock_of_the_server(self):
        """A server whose clock says 2001."""
        now, worker = 10**12, {"worker": "00000000000000a1", "name": "ant", "state": "there", "threads": 1}
        told = {"now": now, "count": 1, "workers": [dict(worker, seen=now - 5000, since=now - 90000)],
                "cluster": {"connected": True, "where": "nats://x", "since": now - 90000}}
        with socket.create_server(("127.0.0.1", 0)) as listener:

            def serve():
                client = listener.accept()[0]
                with client, client.makefile("rw") as lines:
                    for line in lines:
                        request = json.loads(line)
                        result = told if request["method"] == "server.workers" else {"protocol": 1}
                        reply = {"jsonrpc": "2.0", "id": request["id"], "result": result}
                        print(json.dumps(reply), file=lines, flush=True)

            threading.Thread(target=serve, daemon=True).start()
            shown = run("workers", "--server", "127.0.0.1:%d" % listener.getsockname()[1])[0]
        self.assertIn("connected  nats://x, for 1 min 30 s\n", shown)
        self.assertRegex(shown, r"\nant +there .* 5\.00 s ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
