"""web: a WebSocket client with hand-made frames, and HTTP as bytes, for tests of `proofd --http`."""

import base64
import hashlib
import json
import os
import socket
import struct

from pyproofd import TIMEOUT, Client, Closed, Server, program, receive

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def frame(payload, opcode=TEXT, final=True, masked=True, reserved=0):
    """A client's frame."""
    if isinstance(payload, str):
        payload = payload.encode()
    size = len(payload)
    bits = 0x80 if masked else 0
    head = bytes([(0x80 if final else 0) | reserved | opcode])
    if size < 126:
        head += bytes([bits | size])
    elif size < 1 << 16:
        head += struct.pack(">BH", bits | 126, size)
    else:
        head += struct.pack(">BQ", bits | 127, size)
    if not masked:
        return head + payload
    mask = os.urandom(4)
    key = int.from_bytes(mask * (size // 4 + 1), "big") >> 8 * (4 - size % 4 if size % 4 else 4)
    return head + mask + (int.from_bytes(payload, "big") ^ key).to_bytes(size, "big")


class Socket(Client):
    """A WebSocket on /rpc, with the methods of a Client. `closed`: the server's close code."""

    def __init__(self, server, tls=None, path="/rpc", offered=None, **fields):
        super().__init__(server.http, tls)
        self.closed = None
        self.pongs, self.pings = [], 0
        self.key = base64.b64encode(os.urandom(16)).decode()
        fields = {"Host": "%s:%d" % server.http, "Upgrade": "websocket", "Connection": "Upgrade",
                  "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": self.key,
                  "Sec-WebSocket-Protocol": offered, **{name.replace("_", "-"): text for name, text in fields.items()}}
        lines = ["GET %s HTTP/1.1" % path] + ["%s: %s" % item for item in fields.items() if item[1] is not None]
        self.socket.sendall("\r\n".join(lines + ["", ""]).encode())
        self.head = self.until(b"\r\n\r\n").decode()
        self.status = int(self.head.split()[1])
        if self.status == 101:
            salted = (self.key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()
            assert base64.b64encode(hashlib.sha1(salted).digest()).decode() in self.head, self.head

    def take(self, size):
        while len(self.buffer) < size:
            self.buffer += receive(self.socket)
        data = bytes(self.buffer[:size])
        del self.buffer[:size]
        return data

    def until(self, end):
        while end not in self.buffer:
            self.buffer += receive(self.socket)
        return self.take(self.buffer.index(end) + len(end))

    def read_frame(self):
        """Opcode and payload of the server's next frame."""
        first, second = self.take(2)
        assert first & 0x70 == 0 and first & 0x80 and second < 128, (first, second)
        size = second
        if size == 126:
            size, = struct.unpack(">H", self.take(2))
        elif size == 127:
            size, = struct.unpack(">Q", self.take(8))
        return first & 15, self.take(size)

    def send(self, data):
        """Text becomes a message; bytes are sent as they are."""
        self.socket.sendall(frame(data) if isinstance(data, str) else data)

    def line(self):
        """The next message."""
        while True:
            opcode, payload = self.read_frame()
            if opcode == TEXT:
                assert not payload.endswith(b"\n")
                return payload
            if opcode == CLOSE:
                self.closed = struct.unpack(">H", payload[:2])[0] if payload else 1005
                raise Closed()
            if opcode == PING:
                self.pings += 1
                try:
                    self.send(frame(payload, PONG))
                except (BrokenPipeError, ConnectionResetError):
                    pass  # the server closed it: earlier frames are still read
            else:
                assert opcode == PONG, opcode
                self.pongs.append(payload)

    def end(self):
        """Reads until the server closes it; returns the close code."""
        try:
            while True:
                self.line()
        except Closed:
            return self.closed


class Public(Server):
    """A server for everybody (--public), beside the one that has the data directory."""

    def command(self):
        return [program("proofd"), "--public", "--http", "127.0.0.1:0", "--socket", self.socket_path,
                "--data", self.data] + self.options


class Raw:
    """A connection for requests as bytes."""

    def __init__(self, server, tls=None):
        self.socket = socket.create_connection(server.http, TIMEOUT)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname=server.http[0])
        self.host = "%s:%d" % server.http
        self.buffer = b""

    def send(self, data):
        self.socket.sendall(data)

    def get(self, path, method="GET", body=None, host=None, **fields):
        """Sends a request; the field names have underscores for hyphens. Returns the answer."""
        self.ask(path, method, body, host, **fields)
        return self.answer(method)

    def ask(self, path, method="GET", body=None, host=None, **fields):
        lines = ["%s %s HTTP/1.1" % (method, path), "Host: " + (self.host if host is None else host)]
        lines += ["%s: %s" % (name.replace("_", "-"), text) for name, text in fields.items()]
        if body is not None:
            lines.append("Content-Length: %d" % len(body))
        self.send("\r\n".join(lines + ["", ""]).encode() + (body or b""))

    def answer(self, method="GET"):
        """Status, fields (in lower case) and body; raises Closed."""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += receive(self.socket)
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        first, *lines = head.decode().split("\r\n")
        status = int(first.split()[1])
        fields = {name.lower(): text for name, text in (line.split(": ", 1) for line in lines)}
        size = int(fields.get("content-length", 0)) if method != "HEAD" and status != 304 else 0
        while len(self.buffer) < size:
            self.buffer += receive(self.socket)
        body, self.buffer = self.buffer[:size], self.buffer[size:]
        return status, fields, body

    def json(self, *words, **fields):
        """The same with the body parsed, without the fields."""
        status, _, body = self.get(*words, **fields)
        return status, json.loads(body)

    def is_closed(self):
        """Reads to the end."""
        try:
            while True:
                receive(self.socket)
        except Closed:
            return True

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
