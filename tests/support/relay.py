"""relay: a TCP port between a client and a server, which may lose a reply together with its connection."""

import socket
import threading

SMALL = 1 << 16  # bytes of a buffer: small, so that a client that stops reading blocks the server


class Relay:
    """Listens on a port of 127.0.0.1 and connects each client to the address that `target()` returns then. Without
    a server it closes the client's connection."""

    def __init__(self, target):
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SMALL)
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.swallowing = threading.Event()
        self.sockets = []
        threading.Thread(target=self._accept, daemon=True).start()

    def swallow(self):
        """Drops the next bytes of a server and closes their connection."""
        self.swallowing.set()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)  # ends `accept`, which would keep the port open
        self.listener.close()
        for one in self.sockets:
            one.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket()
            try:
                server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
                server.connect(self.target())
            except OSError:
                client.close()
                server.close()
                continue
            self.sockets += [client, server]
            for ends in ((client, server, False), (server, client, True)):
                threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, source, sink, replies):
        try:
            data = source.recv(1 << 16)
            while data and not (replies and self.swallowing.is_set()):
                sink.sendall(data)
                data = source.recv(1 << 16)
            if data:
                self.swallowing.clear()
        except OSError:
            pass
        for one in (source, sink):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
