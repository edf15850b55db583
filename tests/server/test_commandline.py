"""proofd's command line, its ready line, its exit codes and how it stops."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Client, Closed, RpcError, Server, build_has, data_dir, program  # noqa: E402


def run(*options):
    """Runs proofd with options that do not start it; its exit code, stdout and stderr."""
    done = subprocess.run(
        [program("proofd"), *options], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL
    )
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
            (["--memory-only", "--memory", "0"], "--memory takes a size of 1M or more, not '0'"),
            (["--memory-only", "--memory", "1"], "can be 1M to "),
            (["--memory-only", "--memory", "99999G"], ", not 99999G"),
            (["--memory-only", "--keep-jobs", "some"], "--keep-jobs takes an integer"),
            (["--memory-only", "--idle-tt", "some"], "--idle-tt: "),
            (["--memory-only", "--idle-tables", "1G"], "--idle-tables is not an option"),
            (["--memory-only", "--proofs-max", "-1"], "--proofs-max: "),
            (["--memory-only", "--log", "loud"], "--log takes"),
            (["--memory-only", "--listen", "none"], "no client could connect"),
            (["--memory-only", "--listen", "127.0.0.1"], "HOST:PORT"),
            (["--memory-only", "--listen", "0.0.0.0:0"], "other machines"),
            (["--memory-only", "--listen", "[::]:0"], "other machines: give --token-file"),
            (["--memory-only", "--listen", "0.0.0.0:0", "--plain-tcp"], "--token-file, so that clients"),
            (["--memory-only", "--tls-cert", "x"], "--tls-cert and --tls-key belong together"),
            (["--memory-only", "--tls-key", "x"], "--tls-cert and --tls-key belong together"),
            (["--memory-only", "--tls-key", "/no/key", "--tls-cert", "/no/cert"], "/no/cert"),
            (["--memory-only", "--rate", "-1"], "--rate takes an integer"),
            (["--memory-only", "--listen", "none", "--socket", "/" + "x" * 200], "socket's path"),
            (["--data", "/tmp/x", "--listen", "none", "--socket", "none"], "no client could connect"),
            (["--memory-only", "--token-file", "/no/such/file"], "--token-file"),
            (["--memory-only", "--buffers-max", "1M"], "--buffers-max takes a size of 17M or more"),
            (["--memory-only", "--idle", "long"], "--idle takes a number"),
        ]
        for options, part in cases:
            with self.subTest(options):
                code, out, err = run(*options)
                self.assertEqual((code, out), (2, ""))
                self.assertIn(part, err)
                self.assertTrue(err.startswith("proofd: ") and err.count("\n") == 1, err)

    @unittest.skipIf(build_has("fsanitize"), "sanitizers take more address space than there would be")
    def test_a_limit_of_the_process_bounds_the_memory(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))

        done = subprocess.run(
            [program("proofd"), "--memory-only", "--memory", "5G"],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            stdin=subprocess.DEVNULL,
            preexec_fn=limit,
        )
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"can be 1M to (4G here \(RLIMIT_DATA\)|\d+[KMG] here \(.*\)), not 5G")

    def test_help_and_version_go_to_stdout(self):
        code, out, err = run("--help")
        self.assertEqual((code, err), (0, ""))
        for option in (
            "--data",
            "--memory-only",
            "--listen",
            "--socket",
            "--threads",
            "--checkpoint",
            "--memory",
            "--graphs",
            "--log",
        ):
            self.assertIn(option, out)
        code, out, _ = run("--version")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"^proofd \d+\.\d+\.\d+\n$")

    def test_completion_knows_options_and_values(self):
        path = os.path.join(os.path.dirname(data_dir()), "..", "server", "daemon", "proofd.bash")
        script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _proofd; echo "${COMPREPLY[@]}"'
        for words, found in [
            (["--"], set(re.findall(r"^  (--[a-z-]+)", run("--help")[1], re.M))),
            (["--data", "x", "--memory-"], {"--memory-only"}),
            (["--log", ""], {"error", "warn", "info", "debug"}),
            (["--threads", ""], set()),
            (["w"], {"worker"}),
            (["worker", "--w"], {"--worker-key"}),
            (["worker", "--log", ""], {"error", "warn", "info", "debug"}),
            (["--token-file", path[:-2]], {path}),
            (["--data", os.path.dirname(path)], {os.path.dirname(path)}),
        ]:
            done = subprocess.run(
                ["bash", "-c", script, "bash", path, "proofd", *words],
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
                env=dict(os.environ, PATH=os.path.dirname(program("proofd")) + ":" + os.environ["PATH"]),
            )
            with self.subTest(words):
                self.assertEqual((set(done.stdout.split()), done.stderr), (found, ""))

    def test_failures_end_with_1(self):
        code, _, err = run("--listen", "127.0.0.1:0", "--data", "/proc/no/such/place")
        self.assertEqual(code, 1)
        self.assertIn("proofd: ", err)

    def test_the_ready_line_says_where_it_listens(self):
        with Server() as server:
            ready = server.ready
            self.assertEqual(set(ready), {"proofd", "pid", "listen", "socket", "monitor", "http", "data"})
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
        with Server() as server, server.connect(unix=True) as client:
            self.assertEqual(client.rpc("server.shutdown"), {"stopping": True})
            self.assertRaises(Closed, client.line)
            self.assertEqual(server.wait(), 0)

    def test_shutdown_over_tcp_takes_a_token(self):
        with tempfile.NamedTemporaryFile("w", prefix="proofd-test-") as file:
            file.write("a token of some length\n")
            file.flush()
            with Server() as plain, Server("--token-file", file.name) as server:
                for one, params, slug in [
                    (plain, {}, "unsupported"),
                    (plain, {"token": "a token of some length"}, "unsupported"),
                    (server, {"token": "a token of some lengtH"}, "invalid-params"),
                    (server, {"token": ""}, "invalid-params"),
                    (server, {"token": "a token of some length" * 2}, "invalid-params"),
                ]:
                    with self.subTest(params), self.assertRaises(RpcError) as refused:
                        one.rpc("server.shutdown", **params)
                    self.assertEqual((refused.exception.slug, refused.exception.field), (slug, "token"))
                with server.connect() as client:
                    self.assertEqual(client.rpc("server.shutdown", token="a token of some length"), {"stopping": True})
                    self.assertRaises(Closed, client.line)
                self.assertEqual(server.wait(), 0)
                self.assertEqual(plain.rpc("server.hello")["server"], "proofd")
            os.chmod(file.name, 0o640)
            code, _, err = run("--memory-only", "--token-file", file.name)
            self.assertEqual(code, 2)
            self.assertIn("chmod 600", err)

    def test_a_socket_in_the_data_directory(self):
        with tempfile.TemporaryDirectory(prefix="proofd-test-") as directory:
            data = os.path.join(directory, "data")
            command = [program("proofd"), "--data", data, "--listen", "none"]
            for _ in range(2):  # the second time a dead server's file is in the way
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
                path = json.loads(process.stdout.readline())["socket"]
                self.assertEqual(os.path.realpath(path), os.path.join(os.path.realpath(data), "proofd.sock"))
                self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
                with Client(path) as client:
                    self.assertEqual(client.rpc("server.hello")["socket"], os.path.realpath(path))
                process.kill()
                process.wait(TIMEOUT)
                process.stdout.close()
                self.assertTrue(os.path.exists(path))
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
            path = json.loads(process.stdout.readline())["socket"]
            with Client(path) as client:
                client.rpc("server.shutdown")
            self.assertEqual(process.wait(TIMEOUT), 0)
            process.stdout.close()
            self.assertFalse(os.path.exists(path))

    def test_a_data_directory_whose_socket_has_no_room_in_an_address(self):
        with tempfile.TemporaryDirectory(prefix="proofd-test-") as directory:
            data = os.path.join(directory, "d" * 120)
            code, _, err = run("--data", data, "--listen", "none")
            self.assertEqual(code, 2, err)
            self.assertIn("socket's path", err)
            with Server("--socket", "none", data=data) as server:
                self.assertIsNone(server.ready["socket"])
            process = subprocess.Popen(
                [program("proofd"), "--data", data, "--listen", "127.0.0.1:0"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            self.assertIsNone(json.loads(process.stdout.readline())["socket"])
            process.terminate()
            self.assertIn("no socket in the data directory", process.communicate(timeout=TIMEOUT)[1])
            self.assertEqual(process.returncode, 0)

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
