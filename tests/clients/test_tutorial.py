"""The tutorial as it stands: its commands are run in their order, and their output is what the page shows.

In a block of `console`, a line with a dollar is a command and the lines behind it are its output. A line `...` stands
for any lines, `...` within a line for any text, <BLANKLINE> for an empty line. A command that starts `proofd` gets
ports that are free, and the commands behind it talk to that server.
"""

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

CLIENTS = os.path.join(os.path.dirname(os.path.dirname(data_dir())), "clients")


def commands():
    """Pairs of a command and the lines that it prints."""
    with open(os.path.join(CLIENTS, "TUTORIAL.md"), encoding="utf-8") as file:
        text = file.read()
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append("" if line == "<BLANKLINE>" else line)
    return found


def pattern(lines):
    """What output looks like that these lines show."""
    shown = r"\A"
    for line in lines:
        if line == "...":
            shown += r"(?:[^\n]*\n)*"
        else:
            shown += r"[^\n]*".join(re.escape(part.rstrip()) for part in line.split("...")) + r" *\n"
    return shown + r"\Z"


class Tutorial(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp(prefix="proofd-tutorial-")
        self.addCleanup(shutil.rmtree, self.place)
        self.server = None
        self.env = dict(os.environ)
        self.env["PATH"] = os.path.dirname(program("proofctl")) + ":" + self.env["PATH"]
        shutil.copy(os.path.join(CLIENTS, "examples", "coins.py"), self.place)

    def tearDown(self):
        if self.server:
            self.server.__exit__(None)

    def serve(self, words):
        """proofd --data DIR and options; its addresses are replaced by free ones."""
        self.assertEqual(words[0], "--data")
        options = ["127.0.0.1:0" if ":" in word else word for word in words[2:]]
        if self.server:
            self.server.__exit__(None)
        self.server = Server("--threads", "2", "--log", "warn", *options, data=os.path.join(self.place, words[1]))
        self.env["PROOFD_SERVER"] = self.server.socket_path

    def run_line(self, line):
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=self.place,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            stdin=subprocess.DEVNULL,
        )
        self.assertIn(done.returncode, (0, 3), line + "\n" + done.stderr)  # 3: not answered
        return done.stdout + done.stderr

    def test_it_works_as_it_stands(self):
        asked = commands()
        self.assertGreater(len(asked), 30)
        for line, lines in asked:
            if line.startswith("proofd "):
                self.serve(shlex.split(line.rstrip(" &"))[1:])
                continue
            if line.startswith("kill "):
                self.server.kill()
                continue
            told = self.run_line(line)
            self.assertRegex(told, pattern(lines), line)
            if line == "proofctl shutdown":
                self.server.wait()
                del self.env["PROOFD_SERVER"]


if __name__ == "__main__":
    build_dir()
    unittest.main(argv=sys.argv[:1])
