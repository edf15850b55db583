"""Address: where a server is, and the pauses between attempts to reach it."""

from __future__ import annotations

import os
import random
import socket
import ssl
from typing import Iterator, Optional, Tuple, Union

DEFAULT = "127.0.0.1:4590"

#: True: TLS with the system's certificates; a path: a PEM file of certificates to trust; or a context.
Tls = Union[None, bool, str, ssl.SSLContext]


class Address:
    """A Unix socket (`path`), or `host` and `port`, with TLS if there is a context."""

    def __init__(self, text: Optional[str], tls: Tls) -> None:
        self.text = text or os.environ.get("PROOFD_SERVER") or DEFAULT
        self.path: Optional[str] = None
        self.host, self.port = "", 0
        self.context = context_of(tls)
        if "://" in self.text:
            raise ValueError("'%s' is a URL; write HOST:PORT, or the path of a Unix socket" % self.text)
        if "/" in self.text:
            self.path = self.text
            if self.context:
                raise ValueError("a Unix socket needs no TLS")
        else:
            self.host, self.port = split(self.text)

    def connect(self, patience: float) -> socket.socket:
        """A non-blocking connection, after the TLS handshake. OSError if there is none within `patience` seconds."""
        if self.path is not None:
            plain = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                plain.settimeout(patience)
                plain.connect(self.path)
            except BaseException:
                plain.close()
                raise
        else:
            plain = socket.create_connection((self.host, self.port), patience)
            keep_alive(plain)
        try:
            if self.context:
                plain = self.context.wrap_socket(plain, server_hostname=self.host)
            plain.setblocking(False)
        except BaseException:
            plain.close()
            raise
        return plain


def split(text: str) -> Tuple[str, int]:
    """HOST:PORT or [HOST]:PORT."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdigit() or int(port) > 65535:
        raise ValueError("an address is HOST:PORT or the path of a Unix socket, not '%s'" % text)
    return (host[1:-1] if host.startswith("[") and host.endswith("]") else host), int(port)


def context_of(tls: Tls) -> Optional[ssl.SSLContext]:
    if tls is None or tls is False:
        return None
    if isinstance(tls, ssl.SSLContext):
        return tls
    context = ssl.create_default_context(cafile=tls if isinstance(tls, str) else None)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def keep_alive(connection: socket.socket) -> None:
    """Makes the kernel notice within two minutes that the other machine is gone, and send small requests at once."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 6)):
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def delays() -> Iterator[float]:
    """Seconds between attempts to connect: 0.05 doubled up to 5, each shortened at random by up to a half, so that many
    clients of one server do not return at the same moment."""
    delay = 0.05
    while True:
        yield delay * random.uniform(0.5, 1.0)
        delay = min(delay * 2, 5.0)
