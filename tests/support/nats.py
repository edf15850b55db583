"""nats: a nats-server for a test, on a free port of loopback, in a directory of its own."""

import os
import shutil
import socket
import subprocess
import tempfile
import time

PROGRAM = shutil.which("nats-server") or shutil.which("nats-server", path="/usr/sbin:/usr/local/sbin")
TIMEOUT = 60


def free_port():
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]


class Nats:
    """`config` is the text of its configuration file besides listen address and log; %(dir)s is its directory."""

    def __init__(self, config=""):
        self.dir = tempfile.mkdtemp(prefix="proofd-test-")
        self.port = free_port()
        self.file = os.path.join(self.dir, "nats-server.conf")
        with open(self.file, "w", encoding="utf-8") as file:
            file.write("listen: 127.0.0.1:%d\n%s\n" % (self.port, config % {"dir": self.dir}))
        self.process = None
        self.start()

    def start(self):
        self.log = open(os.path.join(self.dir, "log"), "ab")
        self.process = subprocess.Popen([PROGRAM, "-c", self.file], stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=self.log, env=dict(os.environ, GOMAXPROCS="1"))
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError("nats-server does not start: " + self.said()) from None
                time.sleep(0.02)

    def said(self):
        with open(os.path.join(self.dir, "log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def kill(self):
        self.process.kill()
        self.process.wait(TIMEOUT)
        self.log.close()

    def url(self, user="", prefix="", scheme="nats", host="127.0.0.1"):
        return "%s://%s%s:%d%s" % (scheme, user + "@" if user else "", host, self.port, "/" + prefix if prefix else "")

    def close(self):
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.dir, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
