"""What the two processes of tests/lab/crowd.py are made of: an event loop with timers, and connections that are read
and written without waiting, by lines or as a WebSocket."""

import heapq
import os
import selectors
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from web import PING, PONG, TEXT, frame  # noqa: E402

CHUNK = 1 << 18


class Finding(Exception):
    pass


class Hub:
    """Descriptors and timers of one process."""

    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.timers = []
        self.count = 0

    def after(self, seconds, action):
        self.at(time.monotonic() + seconds, action)

    def at(self, due, action):
        self.count += 1
        heapq.heappush(self.timers, (due, self.count, action))

    def run(self, until, done=None):
        """Until that time, or until done() says so."""
        while not (done and done()):
            now = time.monotonic()
            if now >= until:
                return
            while self.timers and self.timers[0][0] <= now:
                heapq.heappop(self.timers)[2]()
            due = min(until, self.timers[0][0]) if self.timers else until
            for key, mask in self.selector.select(max(0, due - time.monotonic())):
                key.data.ready(mask)


class Wire:
    """One connection. What comes goes to `on_lines`, a list of lines, or is thrown away; `on_end` hears of its end."""

    def __init__(self, hub, address, receive_buffer=0):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.hub = hub
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(180)
        self.socket.connect(address)
        self.socket.setblocking(False)
        self.out = b""
        self.rest = b""
        self.received = 0
        self.reading, self.open, self.mask = True, True, 0
        self.on_lines = self.on_end = None
        self.watch()

    def watch(self):
        mask = (selectors.EVENT_READ if self.reading else 0) | (selectors.EVENT_WRITE if self.out else 0)
        if mask == self.mask:
            return
        if self.mask and mask:
            self.hub.selector.modify(self.socket, mask, self)
        elif mask:
            self.hub.selector.register(self.socket, mask, self)
        else:
            self.hub.selector.unregister(self.socket)
        self.mask = mask

    def send(self, data):
        """As much as there is room for now, the rest later."""
        if self.open:
            self.out += data
            self.push()

    def push(self):
        try:
            while self.out:
                sent = self.socket.send(self.out[:CHUNK])
                self.out = self.out[sent:]
        except BlockingIOError:
            pass
        except OSError:
            self.end()
            return
        self.watch()

    def stop_reading(self):
        self.reading = False
        self.watch()

    def ready(self, mask):
        if mask & selectors.EVENT_WRITE and self.open:
            self.push()
        if mask & selectors.EVENT_READ and self.open:
            self.pull()

    def pull(self):
        try:
            data = self.socket.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.end()
            return
        self.received += len(data)
        if self.on_lines:
            lines = self.take(data)
            if lines:
                self.on_lines(lines)

    def take(self, data):
        """The lines that are complete with that."""
        lines = (self.rest + data).split(b"\n") if self.rest else data.split(b"\n")
        self.rest = lines.pop()
        return lines

    def end(self):
        """The server has closed it, or it was reset."""
        if self.open:
            self.close()
            if self.on_end:
                self.on_end()

    def reset(self):
        """Closes it so that the server gets an RST."""
        if self.open:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close()

    def close(self):
        if self.open:
            self.open = False
            self.out, self.reading = b"", False
            self.watch()
            self.socket.close()


class WebWire(Wire):
    """The same by --http: each line is a message of a WebSocket."""

    def __init__(self, hub, address, receive_buffer=0):
        super().__init__(hub, address, receive_buffer)
        self.welcome = False
        super().send(b"GET /rpc HTTP/1.1\r\nHost: %s:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
                     % (address[0].encode(), address[1]))

    def send(self, data):
        super().send(b"".join(frame(line) for line in data.split(b"\n") if line))

    def take(self, data):
        data = self.rest + data
        if not self.welcome:
            head, self.welcome, data = data.partition(b"\r\n\r\n")
            if not self.welcome:
                self.rest = head
                return []
            if not head.startswith(b"HTTP/1.1 101 "):
                return [head]  # which nothing asked for
        lines, at = [], 0
        while len(data) - at >= 2:
            size, begin = data[at + 1], at + 2
            if size > 125:
                begin += 2 if size == 126 else 8
                size = int.from_bytes(data[at + 2:begin], "big")
            if len(data) < begin + size:
                break
            payload = data[begin:begin + size]
            if data[at] & 15 == TEXT:
                lines.append(payload)
            elif data[at] & 15 == PING:
                super().send(frame(payload, PONG))
            at = begin + size
        self.rest = data[at:]
        return lines
