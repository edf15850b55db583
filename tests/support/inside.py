"""inside: a TLS client whose ciphertext the test itself transports."""

import json
import os
import socket
import ssl

from pyproofd import TIMEOUT, Closed


class Inside:
    def __init__(self, server, context, address=None):
        """address: default: that of --listen."""
        address = address or server.address
        self.socket = socket.create_connection(address, TIMEOUT)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.into, self.out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.into, self.out, server_hostname=address[0])

    def send(self, cuts):
        """Sends the pending ciphertext, split at these offsets."""
        data = self.out.read()
        for begin, end in zip([0, *cuts], [*cuts, len(data)]):
            if data[begin:end]:
                self.socket.sendall(data[begin:end])

    def step(self, action, cuts=()):
        """Transports ciphertext until the action succeeds; returns its result."""
        while True:
            try:
                result = action()
                self.send(cuts)
                return result
            except ssl.SSLWantReadError:
                self.send(cuts)
                data = self.socket.recv(1 << 16)
                if not data:
                    raise Closed() from None
                self.into.write(data)

    def until(self, end):
        """Reads up to these bytes."""
        text = b""
        while not text.endswith(end):
            text += self.step(lambda: self.tls.read(1))
        return text

    def line(self):
        return json.loads(self.until(b"\n"))

    def sealed(self, data):
        """The ciphertext of bytes, without sending it."""
        self.tls.write(data)
        return self.out.read()

    @staticmethod
    def rubbish():
        """A record that no key decrypts."""
        return b"\x17\x03\x03\x00\x30" + os.urandom(48)

    def alert(self):
        """The alert of a client that received garbage. It reads nothing more."""
        self.into.write(self.rubbish())
        try:
            self.tls.read(1)
        except ssl.SSLError:
            pass
        data = self.out.read()
        assert data, "the client says nothing"
        return data

    def end(self):
        """Reads the ciphertext of the server to the end; returns whether the connection was reset."""
        data = b""
        try:
            while True:
                more = self.socket.recv(1 << 16)
                if not more:
                    return data, False
                data += more
        except ConnectionResetError:
            return data, True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
