"""What a terminal gets: a panel that is drawn over itself, colours unless NO_COLOR is set, and lines that fit it."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
from crash import build_is_slow  # noqa: E402
from pyproofd import TIMEOUT, Server, program  # noqa: E402

SMALL = ["--memory", "4M"]
COLUMNS = 45


def on_terminal(*words, columns=80, **env):
    """Exit code and output of `proofctl WORDS` on a terminal that is so wide."""
    primary, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    mine = {k: v for k, v in os.environ.items() if k not in ("PROOFD_SERVER", "NO_COLOR")}
    mine.update(TERM="xterm", **env)
    process = subprocess.Popen(
        [program("proofctl"), *words], stdin=subprocess.DEVNULL, stdout=secondary, stderr=secondary, env=mine
    )
    os.close(secondary)
    text = b""
    while select.select([primary], [], [], TIMEOUT)[0]:
        try:
            more = os.read(primary, 65536)
        except OSError:
            break
        if not more:
            break
        text += more
    os.close(primary)
    return process.wait(TIMEOUT), text.decode()


def lines_of(text):
    """The lines without escape sequences; what is drawn over them counts as another line."""
    return re.split(r"[\r\n]+", re.sub(r"\033\[[0-9;]*[A-Za-z]", "", text))


class Terminal(unittest.TestCase):
    def fits(self, *words, code=0):
        with self.subTest(words):
            got, text = on_terminal(*words, columns=COLUMNS)
            self.assertEqual(got, code, text)
            self.assertLess(max(map(len, lines_of(text))), COLUMNS, text)
            return text

    def panel(self, **more):
        """What a search of some seconds shows, as many as it takes to draw its panel again."""
        for seconds in ("3" if build_is_slow() else "1", "6", "20", "60"):
            code, text = on_terminal("solve", "connect4:7x6", "--seconds", seconds, *SMALL, **more)
            self.assertEqual(code, 3)
            if re.search(r"running.*\033\[\d+A.*\033\[\d+A", text, re.S):
                return text
        raise AssertionError("no panel was drawn again\n" + text)

    def test_a_panel_and_colours(self):
        text = self.panel()
        self.assertIn("\033[3A", text)
        self.assertIn("\033[1m", text)
        self.assertIn("not answered", text)

    def test_no_color(self):
        code, text = on_terminal("solve", "mnk:3,3,3", *SMALL, NO_COLOR="1")
        self.assertEqual(code, 0)
        self.assertNotRegex(text, "\033\\[[0-9;]*m")

    def test_a_narrow_panel_has_more_lines(self):
        panel = self.panel(columns=COLUMNS).rpartition("\033[J")[0]
        self.assertRegex(panel, r"\033\[[4-9]A")
        self.assertLess(max(map(len, lines_of(panel))), COLUMNS)
        for part in ("job 1", "running", "/s", "pn ", "facts", "entries", "disk "):
            self.assertIn(part, panel)

    def test_tables_and_reports_fit_a_narrow_terminal(self):
        with tempfile.TemporaryDirectory(prefix="proofctl-test-") as place:
            data = ["--data", os.path.join(place, "data")]
            for more in ([], ["--claim", "first-wins"], ["--position", "1122"]):
                on_terminal("solve", "connect4:4x4", *more, *data, *SMALL)
            table = self.fits("list", *data)
            for title in ("job", "state", "question", "value"):
                self.assertIn(title, lines_of(table)[0])
            self.fits("show", "1", "2", *data)
            self.assertIn("effort", self.fits("tree", "1", *data))
            code, text = on_terminal("tree", "1", "--watch", *data)
            self.assertEqual((code, text.count("\033[H")), (0, 1))  # it has ended: drawn once
            self.assertIn("nodes", lines_of(self.fits("history", "1", *data))[0])
            table = self.fits("query", "connect4:4x4", "", "1", "9", "1212121", "--moves", *data, code=2)
            self.assertIn("first wins", table)
            self.fits("line", "connect4:4x4", *data)
            self.fits("stats", *data)
            self.fits("check", data[1])
            self.fits("games")
            self.fits("games", "connect4:7x6")
            self.fits("position", "connect4:7x6", "444")
            self.fits("perft", "mnk:3,3,3", "4")
            self.fits("help")
            self.fits("help", "solve")

    def test_a_pipe_gets_whole_lines(self):
        with Server("--threads", "0", "--log", "warn") as server:
            where = ["--server", server.ready["listen"]]
            key = "k" * 90
            run = [program("proofctl"), "submit", "connect4:7x6", "--key", key, *where]
            job = subprocess.run(
                run, capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL
            ).stdout.strip()
            shown = subprocess.run(
                [program("proofctl"), "show", job, *where],
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
                stdin=subprocess.DEVNULL,
            )
            self.assertIn("  key       %s\n" % key, shown.stdout)
            self.assertIn("search    pds-pn, detail frontier, 512 MiB of memory, seed 0, priority 0\n", shown.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
