"""pyproofd: starts a real proofd for a test, talks to it, and cleans up.

A server has a directory of its own, listens on port 0 and a Unix socket, and is ready when its constructor returns.
Every wait is for a line, for the end of a process, or for a time limit that fails the test; only of experiments, which
tell nothing by themselves, it is asked again and again.

    from pyproofd import Server
    with Server("--threads", "1") as server:
        job = server.rpc("job.submit", game="mnk:3,3,3")["job"]
        print(server.wait_job(job)["result"]["value"])
        server.kill()        # SIGKILL; server.start() starts it again on the same data
"""

import atexit
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

# Seconds after which a test that waits for a reply fails. It is long because sanitizers are slow, a disk may take
# seconds to sync, and the machine may be busy.
TIMEOUT = 240


def build_dir():
    """The directory of the programs: the test's one argument."""
    if len(sys.argv) < 2:
        sys.exit("usage: %s BUILD_DIRECTORY" % sys.argv[0])
    return os.path.abspath(sys.argv[1])


def package(language):
    """The directory of the client library for `python` or `node`."""
    return os.path.join(build_dir(), "clients", language)


# For python -c: opens the directory argv[2] by the libproofd-probe argv[1]; the exit status is its error.
OPEN_PROBE = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
probe, error = ctypes.c_void_p(), ctypes.create_string_buffer(4096)
sys.exit(library.proofd_probe_open(sys.argv[2].encode(), None, ctypes.byref(probe), error))
"""


def program(name):
    return os.path.join(build_dir(), name)


def build_has(option):
    """True when the build was configured with that compiler option."""
    with open(program("CMakeCache.txt")) as cache:
        return option in cache.read()


def data_dir(*parts):
    """A path under tests/data."""
    here = os.path.dirname(os.path.abspath(__file__))
    return os.path.join(os.path.dirname(here), "data", *parts)


class RpcError(Exception):
    """An error reply."""

    def __init__(self, error):
        super().__init__("%(code)s %(message)s" % error)
        self.code = error["code"]
        self.message = error["message"]
        self.slug = error.get("data", {}).get("slug")
        self.field = error.get("data", {}).get("field")


class Closed(Exception):
    """The server closed the connection."""


def receive(sock, size=1 << 18):
    """Some bytes; raises Closed when the other side has closed or reset the connection."""
    try:
        data = sock.recv(size)
    except ConnectionResetError:
        data = b""
    if not data:
        raise Closed()
    return data


class Client:
    """One connection. Replies are matched by id; notifications are kept in `notifications`, oldest first."""

    def __init__(self, address, tls=None):
        """tls: an ssl.SSLContext."""
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(TIMEOUT)
        self.socket.connect(address)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname=address[0])
        self.buffer = bytearray()
        self.notifications = []
        self.strays = {}
        self.next_id = 0

    def send(self, data):
        """Sends raw bytes, or text as a line."""
        if isinstance(data, str):
            data = data.encode() + b"\n"
        self.socket.sendall(data)

    def line(self):
        """The next line from the server, raw, without its newline; raises Closed at the end."""
        start = 0
        while True:
            end = self.buffer.find(b"\n", start)
            if end >= 0:
                line = bytes(self.buffer[:end])
                del self.buffer[: end + 1]
                return line
            start = len(self.buffer)
            self.buffer += receive(self.socket)

    def message(self):
        """The next message from the server, parsed."""
        return json.loads(self.line())

    def ask(self, method, **params):
        """Sends a request without waiting; returns its id."""
        self.next_id += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}))
        return self.next_id

    def reply(self, request_id):
        """The result of an earlier request; raises RpcError."""
        while request_id not in self.strays:
            message = self.message()
            if "method" in message:
                self.notifications.append(message)
            else:
                self.strays[message["id"]] = message
        message = self.strays.pop(request_id)
        if "error" in message:
            raise RpcError(message["error"])
        return message["result"]

    def rpc(self, method, **params):
        return self.reply(self.ask(method, **params))

    def notification(self):
        """The next notification's method and params."""
        while not self.notifications:
            message = self.message()
            if "method" in message:
                self.notifications.append(message)
            else:
                self.strays[message["id"]] = message
        message = self.notifications.pop(0)
        return message["method"], message["params"]

    def wait_job(self, job, states=("solved", "exhausted", "cancelled", "failed")):
        """Watches a job until it is in one of the states; returns the job."""
        state = self.rpc("job.watch", job=job, interval=0.1)
        while state["state"] not in states:
            method, params = self.notification()
            if method == "job.progress" and params["job"] == job:
                state = params
        return state

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class FreePort:
    """A port of 127.0.0.1 for a server that restarts on it. A socket that does not listen reserves the port, so that
    clients are refused while the server is down. `address`: HOST:PORT."""

    def __init__(self):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
        self.socket.bind(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.socket.getsockname()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


class EndedEarly(AssertionError):
    """A server ended before its ready line."""


class Server:
    """A proofd. Options are passed on; data=DIR uses a directory that is not removed, data=None one of its own,
    data=False none at all (--memory-only)."""

    def __init__(self, *options, data=None, env=None):
        self.dir = tempfile.mkdtemp(prefix="proofd-test-")
        atexit.register(shutil.rmtree, self.dir, ignore_errors=True)
        self.data = os.path.join(self.dir, "data") if data is None else data
        self.log_path = os.path.join(self.dir, "log")
        self.socket_path = os.path.join(self.dir, "socket")
        self.options = list(options)
        self.env = dict(os.environ, **(env or {}))
        self.process = None
        self.client = None
        self.start()

    def command(self):
        where = ["--data", self.data] if self.data else ["--memory-only"]
        return [program("proofd"), "--listen", "127.0.0.1:0", "--socket", self.socket_path] + where + self.options

    def start(self):
        """Starts it and waits for its ready line."""
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(self.command(), stdout=subprocess.PIPE, stderr=log,
                                            stdin=subprocess.DEVNULL, env=self.env)
        atexit.register(self._reap, self.process)
        if not select.select([self.process.stdout], [], [], TIMEOUT)[0]:
            raise AssertionError("proofd is not ready after %d seconds\n%s" % (TIMEOUT, self.log()))
        line = self.process.stdout.readline()
        if not line:
            raise EndedEarly("proofd ended with %d before it was ready\n%s" %
                             (self.process.wait(TIMEOUT), self.log()))
        self.ready = json.loads(line)
        self.pid = self.ready["pid"]
        if self.ready["listen"]:
            host, port = self.ready["listen"].rsplit(":", 1)
            self.address = (host, int(port))
        if self.ready.get("http"):
            host, port = self.ready["http"].rsplit(":", 1)
            self.http = (host, int(port))
        self.client = self.administrator = None

    @staticmethod
    def _reap(process):
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()

    def connect(self, unix=False, tls=None):
        return Client(self.socket_path if unix else self.address, tls)

    def rpc(self, method, **params):
        """A call on a connection that is kept."""
        if not self.client:
            self.client = self.connect()
        return self.client.rpc(method, **params)

    def admin(self, method, **params):
        """A call over the Unix socket, whose role is admin, on a connection that is kept."""
        if not self.administrator:
            self.administrator = self.connect(unix=True)
        return self.administrator.rpc(method, **params)

    def wait_job(self, job, states=("solved", "exhausted", "cancelled", "failed")):
        with self.connect() as client:
            return client.wait_job(job, states)

    def wait_experiment(self, number, wanted=lambda told: told["state"] not in ("waiting", "running")):
        """What experiment.read says of an experiment as soon as that is what is wanted."""
        end = time.monotonic() + TIMEOUT
        while not wanted(told := self.rpc("experiment.read", experiment=number)):
            assert time.monotonic() < end, told
            time.sleep(0.05)
        return told

    def kill(self):
        """Kills it, as a crash would."""
        self._hang_up()
        self.process.kill()
        self.process.wait(TIMEOUT)
        self.process.stdout.close()

    def terminate(self, number=signal.SIGTERM):
        """Asks it to stop; returns its exit code."""
        self._hang_up()
        self.process.send_signal(number)
        return self.wait()

    def wait(self):
        """Waits for its end; returns its exit code."""
        code = self.process.wait(TIMEOUT)
        self.process.stdout.close()
        return code

    def _hang_up(self):
        for client in (self.client, self.administrator):
            if client:
                client.close()
        self.client = self.administrator = None

    def log(self):
        with open(self.log_path, errors="replace") as log:
            return log.read()

    def memory(self, what="VmRSS"):
        """Bytes: VmRSS now, VmHWM at most so far."""
        with open("/proc/%d/status" % self.pid) as status:
            for line in status:
                if line.startswith(what + ":"):
                    return int(line.split()[1]) * 1024
        raise AssertionError("no %s for process %d" % (what, self.pid))

    def growth(self, before):
        """Bytes of memory more than `before`; 0 with a sanitizer, which keeps freed memory."""
        return 0 if build_has("fsanitize") else self.memory() - before

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            sys.stderr.write(self.log()[-8000:])
        self._hang_up()
        self._reap(self.process)
        shutil.rmtree(self.dir, ignore_errors=True)
