"""The examples in the READMEs of the client libraries run as they stand."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, build_dir, data_dir, package  # noqa: E402

CLIENTS = os.path.join(os.path.dirname(os.path.dirname(data_dir())), "clients")
# What the examples print, one after the other.
PRINTED = [
    r"draw \[(.*\n?)*\]",
    r"draw \w+(\n\w+.* \d+){3}",
    r".*Hex.*Lines of Action.*(\n\d+)+",
    r"(.*\n)*.*solved.*",
    r"bad-claim claim .*(\nclosed)?",
    r"\['draw', '.*'\](\n\{.*\}){2}",
]


def page(folder):
    with open(os.path.join(CLIENTS, folder, "README.md"), encoding="utf-8") as file:
        return file.read()


class Examples(unittest.TestCase):
    def run_all(self, folder, language, command, count, **env):
        """Runs each block of code of the language in a process of its own, with one server."""
        blocks = re.findall(r"^```%s\n(.*?)^```" % language, page(folder), re.M | re.S)
        self.assertEqual(len(blocks), count)
        with tempfile.TemporaryDirectory(prefix="proofd-test-") as place, Server("--threads", "1") as server:
            os.mkdir(os.path.join(place, "node_modules"))
            os.symlink(package("node"), os.path.join(place, "node_modules", "proofd"))
            env = dict(os.environ, PROOFD_SERVER="%s:%d" % server.address, **env)
            for block, printed in zip(blocks, PRINTED):
                with self.subTest(block):
                    done = subprocess.run(command + [block], capture_output=True, text=True, timeout=TIMEOUT, cwd=place,
                                          env=env, stdin=subprocess.DEVNULL)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertRegex(done.stdout, r"\A(%s)\n\Z" % printed)

    def test_python(self):
        self.run_all("python", "python", [sys.executable, "-B", "-W", "error", "-c"], 6,
                     PYTHONPATH=package("python"))

    @unittest.skipUnless(shutil.which("node"), "there is no node here (Debian: nodejs)")
    def test_node(self):
        self.run_all("node", "js", ["node", "--input-type=module", "-e"], 5)

    def test_the_first_example_has_at_most_five_lines(self):
        for folder, language in (("python", "python"), ("node", "js")):
            block = re.search(r"^```%s\n(.*?)^```" % language, page(folder), re.M | re.S)[1]
            self.assertLessEqual(sum(bool(line.strip()) for line in block.splitlines()), 5)

    def test_a_member_of_a_budget_outside_of_it_is_told_where_it_belongs(self):
        """In both clients of Python; the other libraries take any parameters, and the server's answer is the same."""
        code = """
import asyncio, os, proofd
address = os.environ["PROOFD_SERVER"]
def refused(error):
    print(error.slug, error.field, error)
with proofd.Client(address) as client:
    for call in (lambda: client.job.submit("mnk:3,3,3", nodes=5), lambda: client.job.set(1, seconds=2.5),
                 lambda: client.job.submit("mnk:3,3,3", nod=5)):
        try:
            call()
        except proofd.ServerError as error:
            refused(error)
async def other():
    async with proofd.AsyncClient(address) as client:
        try:
            await client.job.submit("mnk:3,3,3", disk="1G")
        except proofd.ServerError as error:
            refused(error)
asyncio.run(other())
"""
        with Server("--threads", "1") as server:
            done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, timeout=TIMEOUT,
                                  env=dict(os.environ, PROOFD_SERVER="%s:%d" % server.address,
                                           PYTHONPATH=package("python")), stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = done.stdout.splitlines()
        for line, name in zip(told[:2] + told[3:], ("nodes", "seconds", "disk")):
            self.assertIn("invalid-params %s " % name, line)
            self.assertIn("is not known here; it is a member of 'budget'", line)
        self.assertIn("invalid-params nod ", told[2])
        self.assertIn("it takes game, ", told[2])

    def test_what_the_pages_point_to_is_there(self):
        for folder in ("python", "node"):
            for path in re.findall(r"\]\(([^)]+)\)", page(folder)):
                self.assertTrue(os.path.exists(os.path.join(CLIENTS, folder, path)), path)


if __name__ == "__main__":
    build_dir()
    unittest.main(argv=sys.argv[:1])
