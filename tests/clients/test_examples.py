"""The examples of proofctl's help: each of them works as it stands."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, build_dir, data_dir, program  # noqa: E402


def told(*words):
    return subprocess.run(
        [program("proofctl"), *words], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL
    ).stdout


def commands():
    return re.findall(r"^  proofctl ([a-z-]+)", told("help"), re.M)


def examples(command):
    """The command lines that its help ends with."""
    return [line[2:] for line in told("help", command).partition("\nExamples:\n\n")[2].splitlines()]


class Examples(unittest.TestCase):
    def test_the_help_is_understood(self):
        self.assertGreater(len(commands()), 40)
        self.assertIn("solve", commands())

    def test_each_command_has_some(self):
        for command in commands():
            lines = examples(command)
            self.assertTrue(1 <= len(lines) <= 3, command)
            self.assertTrue(all("proofctl %s" % command in line for line in lines), lines)

    def test_they_work(self):
        """In the order of the help, so that a job that an example submits is there for the next one."""
        with tempfile.TemporaryDirectory(prefix="proofctl-test-") as place, Server(
            "--threads", "1", "--log", "warn", "--memory", "1G", "--experiments", place
        ) as server:
            env = dict(os.environ, PROOFD_SERVER=server.ready["listen"])
            env["PATH"] = os.path.dirname(program("proofctl")) + ":" + env["PATH"]
            os.symlink(server.socket_path, os.path.join(place, "proofd.sock"))
            os.mkdir(os.path.join(place, "backups"))
            with open(os.path.join(place, "positions.txt"), "w") as file:
                file.write("b2\nb2 a1\n\n")
            last = []
            for command in commands():
                for line in examples(command):
                    if command == "shutdown":
                        last.append(line)
                    else:
                        self.works(line, place, env)
                if command == "submit":
                    for _ in range(2):  # jobs 4 and 5 of the examples, which take long
                        server.rpc("job.submit", game="connect4:7x6", memory="4M", priority=-5)
            for line in last:
                self.works(line, place, env)

    def works(self, line, place, env):
        with self.subTest(line):
            done = subprocess.run(
                ["sh", "-c", line],
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
                cwd=place,
                env=env,
                stdin=subprocess.DEVNULL,
            )
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    build_dir()
    unittest.main(argv=sys.argv[:1])
