"""What the README shows works as it stands: the Python client, the line for nc, and the commands."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, build_dir, data_dir, program  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(data_dir()))


def readme():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        return file.read()


def example(language):
    """The one block of code in that language."""
    found = re.findall(r"^```%s\n(.*?)^```" % language, readme(), re.M | re.S)
    if len(found) != 1:
        raise AssertionError("README.md has %d examples in %s" % (len(found), language))
    return found[0]


class Readme(unittest.TestCase):
    def test_it_is_one_screen(self):
        self.assertLessEqual(readme().count("\n"), 80)

    def test_the_python_client(self):
        text = example("python")
        self.assertEqual(text.count("\n"), 10)
        self.assertIn("4590", text)
        with Server("--threads", "1", "--log", "warn") as server:
            done = subprocess.run([sys.executable, "-c", text.replace("4590", str(server.address[1]))], capture_output=True, text=True,
                                  timeout=TIMEOUT, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count("'text': 'draw'") > 0, True, done.stdout)

    @unittest.skipUnless(shutil.which("nc"), "there is no nc here")
    def test_the_line_for_nc(self):
        text = example("sh")
        with Server("--threads", "1", "--log", "warn") as server:
            done = subprocess.run(["sh", "-c", text.replace("4590", str(server.address[1]))], capture_output=True, text=True,
                                  timeout=TIMEOUT, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["result"]["facts"][0]["text"], "first wins")

    def test_every_proofctl_line_is_understood(self):
        """The commands run on a small question in place of those that take their time."""
        lines = re.findall(r"^    \./proofctl (.*?)(?:  +#.*)?$", readme(), re.M)
        self.assertGreater(len(lines), 5)
        small = {"mnk:5,5,4": "mnk:3,3,3", "connect4:6x5": "connect4:4x4", "connect4:6x4": "connect4:4x4", "c3": "b2", "c3 b2": "b2 a1"}
        with tempfile.TemporaryDirectory(prefix="proofctl-test-") as place, Server("--threads", "1", "--log", "warn") as server:
            env = dict(os.environ, PROOFD_SERVER="%s:%d" % server.address)
            os.symlink(server.data, os.path.join(place, "games"))
            for line in lines:
                words = [small.get(word, word) for word in shlex.split(line)]
                with self.subTest(line):
                    done = subprocess.run([program("proofctl"), *words], capture_output=True, text=True, timeout=TIMEOUT, cwd=place, env=env,
                                          stdin=subprocess.DEVNULL)
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_it_points_to_is_there(self):
        for path in re.findall(r"\]\(([^)]+)\)", readme()) + re.findall(r"^\| `(\w+/)`", readme(), re.M):
            self.assertTrue(os.path.exists(os.path.join(ROOT, path)), path)
        for command in re.findall(r"\./dev (\w+)", readme()):
            with open(os.path.join(ROOT, "dev"), encoding="utf-8") as file:
                self.assertIn("cmd_%s()" % command, file.read())


class Man(unittest.TestCase):
    def test_the_page_names_every_command(self):
        with open(os.path.join(ROOT, "clients", "proofctl.1"), encoding="utf-8") as file:
            page = file.read()
        done = subprocess.run([program("proofctl"), "help"], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
        for name in re.findall(r"^  proofctl (\w+)", done.stdout, re.M):
            self.assertRegex(page, r"\b%s\b" % name)
        version = subprocess.run([program("proofctl"), "--version"], capture_output=True, text=True, timeout=TIMEOUT).stdout.split()[1]
        self.assertIn("proofd %s" % version, page)


if __name__ == "__main__":
    build_dir()
    unittest.main(argv=sys.argv[:1])
