"""proofd's command line, its ready line, its exit codes and how it stops."""

import json
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Closed, Server, program  # noqa: E402


def run(*options):
    """Runs proofd with options that do not start it; its exit code, stdout and stderr."""
    done = subprocess.run([program("proofd"), *options], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


class CommandLine(unittest.TestCase):
    def test_wrong_options_end_with_2_and_one_sentence(self):
        cases = [
            ([], "--data DIR"),
            (["--data"], "--data needs a value"),
            (["--nonsense"], "--nonsense"),
            (["--memory-only=yes"], "takes no value"),
            (["--memory-only", "word"], "'word'"),
            (["--memory-only", "--data", "/tmp/x"], "exclude each other"),
            (["--memory-only", "--threads", "many"], "--threads takes an integer"),
            (["--memory-only", "--threads", "1.5"], "--threads takes an integer"),
            (["--memory-only", "--checkpoint", "0"], "--checkpoint takes a number from 0.05"),
            (["--memory-only", "--memory", "lots"], "--memory"),
            (["--memory-only", "--log", "loud"], "--log takes"),
            (["--memory-only", "--listen", "none"], "nobody could connect"),
            (["--memory-only", "--listen", "127.0.0.1"], "HOST:PORT"),
            (["--memory-only", "--listen", "0.0.0.0:0"], "other machines"),
            (["--memory-only", "--listen", "[::]:0"], "other machines"),
            (["--memory-only", "--listen", "none", "--socket", "/" + "x" * 200], "socket's path"),
        ]
        for options, part in cases:
            with self.subTest(options):
                code, out, err = run(*options)
                self.assertEqual((code, out), (2, ""))
                self.assertIn(part, err)
                self.assertTrue(err.startswith("proofd: ") and err.count("\n") == 1, err)

    def test_help_and_version_go_to_stdout(self):
        code, out, err = run("--help")
        self.assertEqual((code, err), (0, ""))
        for option in ("--data", "--memory-only", "--listen", "--socket", "--threads", "--checkpoint", "--memory", "--graphs", "--log"):
            self.assertIn(option, out)
        code, out, _ = run("--version")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"^proofd \d+\.\d+\.\d+\n$")

    def test_failures_end_with_1(self):
        code, _, err = run("--listen", "127.0.0.1:0", "--data", "/proc/no/such/place")
        self.assertEqual(code, 1)
        self.assertIn("proofd: ", err)

    def test_the_ready_line_says_where_it_listens(self):
        with Server() as server:
            ready = server.ready
            self.assertEqual(set(ready), {"proofd", "pid", "listen", "socket", "data"})
            self.assertEqual(ready["pid"], server.process.pid)
            self.assertEqual(ready["socket"], server.socket_path)
            self.assertEqual(ready["data"], server.data)
            with server.connect(unix=True) as client:
                self.assertEqual(client.rpc("server.hello")["version"], ready["proofd"])
            self.assertEqual(server.rpc("server.hello")["server"], "proofd")

    def test_a_directory_or_port_in_use_is_refused(self):
        with Server() as server:
            code, _, err = run("--listen", "127.0.0.1:0", "--data", server.data)
            self.assertEqual(code, 1, err)
            code, _, err = run("--listen", server.ready["listen"], "--memory-only")
            self.assertEqual(code, 1, err)
            code, _, err = run("--listen", "none", "--socket", server.socket_path, "--memory-only")
            self.assertEqual(code, 1, err)
            self.assertEqual(server.rpc("server.hello")["server"], "proofd")

    def test_signals_stop_it_with_0(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with Server() as server, server.connect() as client:
                client.rpc("server.hello")
                self.assertEqual(server.terminate(number), 0)
                self.assertRaises(Closed, client.line)
                self.assertFalse(os.path.exists(server.socket_path))

    def test_shutdown_is_answered_and_stops_it(self):
        with Server() as server, server.connect() as client:
            self.assertEqual(client.rpc("server.shutdown"), {"stopping": True})
            self.assertRaises(Closed, client.line)
            self.assertEqual(server.wait(), 0)

    def test_connections_over_the_limit_are_told_so(self):
        with Server("--connections", "2") as server:
            with server.connect() as one, server.connect() as two:
                one.rpc("server.hello")
                two.rpc("server.hello")
                with server.connect() as three:
                    refusal = json.loads(three.line())
                    self.assertEqual(refusal["error"]["data"]["slug"], "limit")
                    self.assertRaises(Closed, three.line)
                one.rpc("server.hello")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
