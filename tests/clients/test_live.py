"""Commands that own the terminal: the panel of `watch`, and `top`; their keys, and what they do without a server."""

import codecs
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, program  # noqa: E402

BLOCKS = "▁▂▃▄▅▆▇█"


def environment(**more):
    gone = ("PROOFD_SERVER", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG", "TERM")
    return dict({k: v for k, v in os.environ.items() if k not in gone}, **more)


class Session:
    """proofctl on a terminal of its own, whose keys are pressed by the test. A shell that leads the session prints the
    terminal's settings before and after."""

    SHELL = 'trap : INT TSTP; stty -g; "$0" "$@"; code=$?; stty -g; exit $code'
    # With job control: what was stopped goes on in the background, and after a line of input in the foreground.
    BACKGROUND = 'set -m; stty -g; "$0" "$@"; bg; read line; fg; code=$?; stty -g; exit $code'

    def __init__(self, *words, columns=80, lines=24, shell=SHELL, **env):
        self.primary, self.secondary = pty.openpty()
        self.resize(columns, lines)
        self.process = subprocess.Popen(
            ["sh", "-c", shell, program("proofctl"), *words],
            stdin=self.secondary,
            stdout=self.secondary,
            stderr=self.secondary,
            env=environment(**dict({"TERM": "xterm", "LANG": "C.UTF-8"}, **env)),
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        self.text = ""
        self.decode = codecs.getincrementaldecoder("utf-8")("replace").decode  # a read may end within a character
        self.seen = 0

    def resize(self, columns, lines=24):
        self.columns = columns
        fcntl.ioctl(self.secondary, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self):
        """More text; false at the end."""
        ended = self.process.poll() is not None
        if select.select([self.primary], [], [], 0 if ended else 0.1)[0]:
            self.text += self.decode(os.read(self.primary, 65536))
        else:
            return not ended
        return True

    def frames(self):
        """Lines of each whole frame that came since the last key, without escape sequences."""
        drawn = self.text[self.seen :].split("\033[H")[1:]
        if drawn and "\033[J" not in drawn[-1]:
            drawn.pop()
        return [re.sub(r"\033\[[?0-9;]*[A-Za-z]|\r", "", one).split("\n") for one in drawn]

    def until(self, pattern):
        """The first frame since the last key in which the pattern is found."""
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            for lines in self.frames():
                if re.search(pattern, "\n".join(lines)):
                    return lines
            if not self.read():
                break
        raise AssertionError("no frame with %r\n%s" % (pattern, self.text[-4000:]))

    def until_stopped(self):
        """The program is stopped, a child of the command interpreter."""
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            for name in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open("/proc/%s/stat" % name) as file:
                        state, parent = file.read().rpartition(")")[2].split()[:2]
                except OSError:
                    continue  # it has ended meanwhile
                if int(parent) == self.process.pid and state == "T":
                    return
            time.sleep(0.01)
        raise AssertionError("the program does not stop")

    def until_text(self, text):
        end = time.monotonic() + TIMEOUT
        while text not in self.text[self.seen :]:
            if not self.read() or time.monotonic() > end:
                raise AssertionError("no %r\n%s" % (text, self.text[-4000:]))

    def press(self, keys):
        self.seen = len(self.text)
        os.write(self.primary, keys.encode())

    def settings(self):
        return termios.tcgetattr(self.secondary)[:4]

    def end(self):
        """The exit code, and what is on the screen below the last frame; the terminal must be as it was."""
        while self.read():
            pass
        code = self.process.wait(TIMEOUT)
        lines = self.text.replace("\r", "").splitlines()
        if not lines[-1].endswith(lines[0]):
            raise AssertionError("the terminal has other settings than before: %s, %s" % (lines[0], lines[-1]))
        os.close(self.primary)
        os.close(self.secondary)
        return code, self.text.rpartition("\033[?1049l")[2]


class Panel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--threads", "1", "--log", "warn")
        cls.where = ["--socket", cls.server.socket_path]
        job = cls.server.rpc("job.submit", game="connect4:7x6", memory="4M")["job"]
        cls.server.wait_job(job, ("running",))
        cls.job = str(job)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__(None)

    def watch(self, **more):
        return Session("watch", self.job, *self.where, **more)

    def fits(self, lines, columns):
        self.assertLess(max(map(len, lines)), columns, "\n".join(lines))

    def leaves(self, session, job=None):
        session.press("q")
        code, text = session.end()
        self.assertEqual(code, 3)
        self.assertIn("job %s continues unwatched" % (job or self.job), text)

    def test_what_it_shows(self):
        session = self.watch()
        session.until("searches [1-7]( [1-7])*")
        lines = session.until("just now|checkpoint")
        self.fits(lines, 80)
        text = "\n".join(lines)
        self.assertIn("connect4:7x6, value", lines[0])
        for part in ("running", "1 thread", "is it true that first>=", "q quit"):
            self.assertIn(part, text)
        for label in ("pn", "dn", "rate", "facts", "table", "disk"):
            row = next(line for line in lines if line.startswith("  %s " % label))
            self.assertRegex(row, "[%s]$" % BLOCKS)
        self.leaves(session)

    def test_a_narrow_terminal_and_a_wide_one(self):
        session = self.watch(columns=45)
        self.fits(session.until("disk"), 45)
        session.resize(130)
        lines = session.until(r"pn .*dn .*\n.*rate .*facts")
        self.fits(lines, 130)
        self.assertGreater(max(map(len, lines)), 100)
        session.seen = len(session.text)
        session.resize(60, 6)
        self.fits(session.until(r"^job(.*\n){1,5}.*$"), 60)
        self.leaves(session)

    def test_it_is_live(self):
        """Most frames show another time of search: they come with the server's updates. Where the machine is busy the
        search may stand still between two of them, so one dozen of several has to; and the job is a young one, because
        later its time is shown in larger steps than there are between two updates."""
        with Server("--threads", "1", "--log", "warn") as server:
            job = server.rpc("job.submit", game="connect4:7x6", memory="4M")["job"]
            server.wait_job(job, ("running",))
            session = Session("watch", str(job), "--socket", server.socket_path, "--interval", "0.1")
            counts = []
            while not counts or (counts[-1] <= 7 and len(counts) < 20):
                session.seen = len(session.text)
                while len(session.frames()) < 12:
                    self.assertTrue(session.read())
                found = [re.search(r"running   (.*?) s ", "\n".join(lines)) for lines in session.frames()]
                counts.append(len({one[1] for one in found if one}))
            self.assertGreater(counts[-1], 7, counts)
            self.leaves(session, job)

    def test_ascii(self):
        session = self.watch(LANG="C", NO_COLOR="1")
        lines = session.until("disk")
        self.assertTrue("\n".join(lines).isascii())
        self.assertNotRegex(session.text, "\033\\[[0-9;]*m")
        self.leaves(session)

    def test_pause_and_resume(self):
        session = self.watch()
        session.until("running")
        session.press("p")
        session.until("paused")
        session.press("p")
        session.until("it cannot be paused")  # the server's error
        session.press("r")
        session.until("running")
        self.leaves(session)

    def test_a_signal(self):
        session = self.watch()
        session.until("running")
        session.press("\x03")
        self.assertEqual(session.end()[0], 130)

    def test_a_stop_gives_the_terminal_back(self):
        session = self.watch()
        session.until("running")
        raw = session.settings()
        session.press("\x1a")
        session.until_text("\033[?1049l")
        session.until_stopped()  # a signal to go on that comes before would be lost
        session.seen = len(session.text)  # a frame from before the stop says nothing
        os.killpg(session.process.pid, signal.SIGCONT)
        session.until("running")
        self.assertEqual(session.settings(), raw)
        self.leaves(session)

    def test_a_stop_and_the_background(self):
        session = self.watch(shell=Session.BACKGROUND)
        session.until("running")
        session.press("\x1a")
        session.until_text("\033[?1049l")
        session.until("running")
        session.press("\n")
        session.until_text("\033[J")
        session.press("q")
        session.until_text("\033[?1049l")
        code, text = session.end()
        self.assertEqual(code, 3)
        self.assertIn("continues unwatched", text)

    def test_the_server_restarts(self):
        with Server("--threads", "1", "--log", "warn") as server:
            job = str(server.rpc("job.submit", game="connect4:7x6", memory="4M")["job"])
            session = Session("watch", job, "--socket", server.socket_path)
            session.until("running")
            server.kill()
            session.until("no connection to the server; retrying")
            session.seen = len(session.text)
            server.start()
            lines = session.until("restarts 1")
            self.assertNotIn("no connection", "\n".join(lines))
            session.press("q")
            self.assertEqual(session.end()[0], 3)

    def test_the_end_of_a_job(self):
        with Server("--threads", "1", "--log", "warn") as server:
            job = server.rpc("job.submit", game="connect4:5x4", memory="4M")["job"]
            where = ["--socket", server.socket_path]
            for _ in range(2):  # as it runs, or when it is over already: at the end the answer is on the screen
                code, text = Session("watch", str(job), *where).end()
                self.assertEqual(code, 0)
                self.assertIn("effort", text)
                self.assertIn("solved", text)
            code, text = Session("watch", "99", *where).end()
            self.assertEqual(code, 2)
            self.assertIn("there is no job 99", text)


class Top(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--threads", "1", "--log", "warn")
        cls.where = ["--socket", cls.server.socket_path]
        for priority, game in ((0, "connect4:7x6"), (-5, "connect4:6x5"), (-3, "connect4:6x6")):
            cls.server.rpc("job.submit", game=game, memory="4M", priority=priority)
        cls.server.rpc("job.pause", job=2)
        cls.server.wait_job(1, ("running",))

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__(None)

    def jobs(self, lines):
        """The numbers of the jobs, in order, and the selected one."""
        rows = [re.match(r"(>| )\s+(\d+)  (running|queued|paused)", line) for line in lines]
        rows = [row for row in rows if row]
        return [int(row[2]) for row in rows], [int(row[2]) for row in rows if row[1] == ">"]

    def test_keys(self):
        session = Session("top", "--interval", "0.2", *self.where)
        lines = session.until("^[^\n]*1 running, 1 queued, 1 paused; 1 of 1 threads search")
        self.assertLess(max(map(len, lines)), 80)
        self.assertEqual(self.jobs(lines), ([1, 3, 2], [1]))
        session.press("j")
        self.assertEqual(self.jobs(session.until(">  +3")), ([1, 3, 2], [3]))
        session.press("\033[B")
        session.until(">  +2")
        session.press("k")
        session.until(">  +3")
        session.press("ss")
        self.assertEqual(self.jobs(session.until("by state"))[0], [1, 3, 2])
        session.press("p")
        session.until(r"3  paused")
        session.press("r")
        session.until(r"3  queued")
        session.press("\r")
        self.assertIn("p pause", "\n".join(session.until("^job 3  connect4:6x6")))
        session.press("q")
        session.until("threads search")
        session.press("q")
        self.assertEqual(session.end()[0], 0)

    def test_a_narrow_terminal(self):
        session = Session("top", *self.where, columns=45)
        lines = session.until("running")
        self.assertLess(max(map(len, lines)), 45)
        self.assertEqual(self.jobs(lines)[0], [1, 3, 2])
        session.press("q")
        self.assertEqual(session.end()[0], 0)

    def test_no_terminal(self):
        run = [program("proofctl"), "top", *self.where]
        done = subprocess.run(run, capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(done.stdout.splitlines()), 3 + 1 + 3)
        done = subprocess.run(run + ["--json", "--sort", "priority"], capture_output=True, text=True, timeout=TIMEOUT)
        told = json.loads(done.stdout)
        self.assertEqual([job["job"] for job in told["jobs"]], [1, 3, 2])
        self.assertEqual(told["stats"]["threads"], 1)
        done = subprocess.run(run + ["--sort", "size"], capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--sort takes state, rate or priority, not 'size'", done.stderr)
        process = subprocess.Popen(run + ["--json", "--interval", "0.1"], stdout=subprocess.PIPE, text=True)
        for _ in range(3):
            self.assertEqual(len(json.loads(process.stdout.readline())["jobs"]), 3)
        process.send_signal(signal.SIGTERM)
        process.stdout.read()
        self.assertEqual(process.wait(TIMEOUT), 143)
        process.stdout.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
