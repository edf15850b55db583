"""What a service manager is told (sd_notify), and the unit for systemd."""

import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pyproofd import TIMEOUT, Server, build_has, data_dir, program  # noqa: E402

UNIT = os.path.join(os.path.dirname(data_dir()), "..", "server", "daemon", "proofd.service")
EXPOSURE_MAX = 2.0  # of systemd-analyze security; 10 is no protection at all


class Manager:
    """The socket of a service manager."""

    def __init__(self):
        self.dir = tempfile.TemporaryDirectory(prefix="proofd-test-")
        self.path = os.path.join(self.dir.name, "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.messages = queue.Queue()
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        """Takes messages in as they come, as a service manager does: the kernel keeps few, and libsystemd waits for
        room."""
        message = self.socket.recv(4096)
        while message:
            self.messages.put(message)
            message = self.socket.recv(4096)

    def fields(self):
        """The next message."""
        return dict(line.split("=", 1) for line in self.messages.get(timeout=TIMEOUT).decode().splitlines())

    def until(self, name):
        """Messages up to one with that field; the fields that came before."""
        names = set()
        while True:
            fields = self.fields()
            if name in fields:
                return fields, names
            names |= set(fields)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
            end.sendto(b"", self.path)
        self.thread.join()
        self.socket.close()
        self.dir.cleanup()


@unittest.skipUnless(build_has("SYSTEMD_FOUND:INTERNAL=1"), "this build is without libsystemd")
class Notify(unittest.TestCase):
    def test_ready_alive_status_stopping(self):
        with Manager() as manager:
            env = {"NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "300000"}
            with Server("--threads", "1", env=env) as server:
                first = manager.fields()
                self.assertEqual(first["READY"], "1")
                self.assertRegex(first["STATUS"], r"^0 jobs running, 0 queued; 0 nodes/s; 0 facts$")
                job = server.rpc("job.submit", game="hex:9")["job"]
                for _ in range(5):  # while a job searches
                    alive, _ = manager.until("WATCHDOG")
                    self.assertEqual(alive, {"WATCHDOG": "1"})
                server.rpc("job.cancel", job=job)
                server._hang_up()
                server.process.send_signal(signal.SIGTERM)
                stopping, _ = manager.until("STOPPING")
                self.assertEqual(stopping, {"STOPPING": "1"})
                self.assertEqual(server.wait(), 0)

    def test_without_a_watchdog_no_sign_of_life_is_sent(self):
        with Manager() as manager:
            for extra in ({}, {"WATCHDOG_USEC": "300000", "WATCHDOG_PID": "1"}):
                with Server(env={"NOTIFY_SOCKET": manager.path, **extra}) as server:
                    self.assertEqual(manager.fields()["READY"], "1")
                    self.assertEqual(server.terminate(), 0)
                    self.assertEqual(manager.until("STOPPING")[1] - {"STATUS"}, set())

    def test_a_manager_that_has_gone_does_no_harm(self):
        with Server(env={"NOTIFY_SOCKET": "/no/such/socket", "WATCHDOG_USEC": "200000"}) as server:
            self.assertEqual(server.rpc("server.hello")["server"], "proofd")
            self.assertEqual(server.terminate(), 0)


class Unit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("systemd-analyze"):
            raise unittest.SkipTest("there is no systemd-analyze here (Debian: systemd)")

    def analyze(self, *words):
        with tempfile.TemporaryDirectory(prefix="proofd-test-") as directory:
            path = os.path.join(directory, "proofd.service")
            with open(UNIT, encoding="utf-8") as unit, open(path, "w", encoding="utf-8") as file:
                file.write(unit.read().replace("/usr/bin/proofd", program("proofd")))
            done = subprocess.run(["systemd-analyze", *words, path], capture_output=True, text=True, timeout=TIMEOUT,
                                  stdin=subprocess.DEVNULL)
        return done

    def test_it_is_well_formed(self):
        done = self.analyze("verify", "--man=no")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_it_is_closed(self):
        done = self.analyze("security", "--offline=true", "--no-pager")
        level = re.search(r"Overall exposure level for proofd.service: ([\d.]+)", done.stdout)
        if not level:
            self.skipTest("systemd-analyze is too old")
        self.assertLessEqual(float(level[1]), EXPOSURE_MAX)

    def test_its_options_exist(self):
        with open(UNIT, encoding="utf-8") as unit:
            words = re.search(r"^ExecStart=(.*)$", unit.read(), re.M)[1].split()
        known = subprocess.run([program("proofd"), "--help"], capture_output=True, text=True, timeout=TIMEOUT).stdout
        for word in words[1:]:
            if word.startswith("--"):
                self.assertIn("  %s " % word, known)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
