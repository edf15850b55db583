"""The blocking client."""

from __future__ import annotations

import errno
import select
import socket
import ssl
import time
from typing import Any, Callable, Generic, Optional, TypeVar, cast

from ._address import delays
from ._calls import Calls
from ._core import Call, Watch
from ._errors import CallTimeout, ClientClosed, NotProofd, ProofdError, Unreachable, retryable
from ._types import ServerHello

T = TypeVar("T")
AGAIN = (BlockingIOError, InterruptedError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class Pending(Generic[T]):
    """A request in flight."""

    def __init__(self, client: "Client", call: Call) -> None:
        self._client = client
        self._call = call

    @property
    def done(self) -> bool:
        return self._call.done

    def result(self, timeout: Optional[float] = None) -> T:
        """Waits for the reply; raises what the call raises."""
        return cast(T, self._client._finish(self._call, timeout))

    def cancel(self) -> None:
        """Stops waiting. The server may still carry it out."""
        if not self._call.done:
            self._client._core.forget(self._call)
            self._call.error = ClientClosed("%s was cancelled" % self._call.method)


class Client(Calls):
    """A connection to a proofd, which reconnects when it is lost. It belongs to one thread at a time.

    address          HOST:PORT or the path of a Unix socket; default $PROOFD_SERVER, else 127.0.0.1:4590
    token            of `proofd --token-file`
    tls              True, the path of a PEM file of certificates to trust, or an ssl.SSLContext
    timeout          seconds that a call may take; None: no limit
    connect_timeout  seconds for one attempt to connect
    reconnect        seconds of attempts to reconnect, with growing pauses; 0: none

    The methods of the protocol are `client.job.submit(...)`, `client.fact.query(...)` and so on. All raise ProofdError.
    """

    def _prepare(self) -> None:
        self._socket: Optional[socket.socket] = None
        self._output = bytearray()
        self._open()

    def start(self, method: str, **params: Any) -> Pending[Any]:
        """Sends a request without waiting for its reply; any number may be in flight. Blocks while the server has as
        many as it accepts, and as many more wait here."""
        call = self._start(Call(method, params))
        self._serve(lambda: self._core.queued <= self._core.limits["inflight"], None)
        self._push()
        return Pending(self, call)

    @property
    def hello(self) -> ServerHello:
        """The reply to server.hello: version, features, limits, role of this connection."""
        if self._core.hello is None:
            self._finish(self._start(Call("server.hello", {})), None)
        return cast(ServerHello, self._core.hello)

    def close(self) -> None:
        """Ends the connection; waiting calls fail with ClientClosed."""
        self._closed = True
        self._drop()
        self._core.fail(ClientClosed())

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- the connection

    def _start(self, call: Call) -> Call:
        if self._closed:
            raise ClientClosed()
        return self._core.add(call)

    def _settle(self, call: Call, timeout: Optional[float]) -> None:
        seconds = self._timeout if timeout is None else timeout
        deadline = None if seconds is None else time.monotonic() + seconds
        try:
            self._serve(lambda: call.done, deadline)
        except BaseException:
            self._core.forget(call)
            raise
        if not call.done:
            self._core.forget(call)
            raise CallTimeout(call.method, cast(float, seconds))

    def _follow(self, watch: Watch, seconds: float) -> None:
        self._serve(lambda: watch.ready, time.monotonic() + seconds)

    def _serve(self, until: Callable[[], bool], deadline: Optional[float]) -> None:
        """Sends and reads until `until()` or the deadline. Reconnects if the connection is lost."""
        while not until():
            if self._closed:
                raise ClientClosed()
            wait = None if deadline is None else deadline - time.monotonic()
            if wait is not None and wait <= 0:
                return
            if self._socket is None:
                self._open_again(deadline)
            else:
                self._exchange(wait)

    def _push(self) -> None:
        """Sends what can be sent without waiting."""
        if self._socket is not None:
            self._exchange(0)

    def _exchange(self, wait: Optional[float]) -> None:
        """Sends and reads as _transfer; when the connection ends, prepares for the next one."""
        try:
            # Do not write to a connection that has ended.
            if self._core.under_way or self._output or not self._receive():
                self._transfer(wait)
        except (OSError, NotProofd) as error:
            self._drop()
            refusal = self._core.refusal
            self._core.lost(str(refusal or error))
            if isinstance(error, NotProofd) or not self._reconnect:
                self._core.fail(refusal or (error if isinstance(error, NotProofd) else Unreachable(str(error))))

    def _transfer(self, wait: Optional[float]) -> None:
        """Sends and reads what it can; if there is nothing to read, waits at most that many seconds."""
        connection = self._socket
        assert connection is not None
        self._output += self._core.output()
        if self._output:
            try:
                del self._output[: connection.send(self._output[: 1 << 18])]
            except AGAIN:
                pass
        if not self._receive():
            poll = select.poll()
            poll.register(connection, select.POLLIN | (select.POLLOUT if self._output else 0))
            poll.poll(None if wait is None else wait * 1000)

    def _receive(self) -> bool:
        """Reads received bytes; false if there are none."""
        assert self._socket is not None
        try:
            data = self._socket.recv(1 << 18)
        except AGAIN:
            return False
        if not data:
            raise ConnectionResetError(errno.ECONNRESET, "the server closed the connection")
        self._core.feed(data)
        return True

    def _drop(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        self._output.clear()

    def _open(self) -> None:
        """One attempt to connect, greeting included. Raises Unreachable, or the server's refusal."""
        try:
            self._socket = self._address.connect(self._patience)
        except OSError as error:
            raise Unreachable("no server answers at %s: %s" % (self._address.text, error)) from error
        self._output.clear()
        self._core.connected()
        end = time.monotonic() + self._patience
        try:
            while self._core.hello is None and not self._core.refusal:
                left = end - time.monotonic()
                if left <= 0:
                    self._core.lost("no greeting")
                    text = "the server at %s accepts the connection but does not answer"
                    raise Unreachable(text % self._address.text)
                self._transfer(left)
        except (OSError, ProofdError) as error:
            if not self._core.refusal:
                self._drop()
                if isinstance(error, ProofdError):
                    raise
                raise Unreachable("no proofd answers at %s: %s" % (self._address.text, error)) from error
        if self._core.refusal:
            self._drop()
            raise self._core.refusal

    def _open_again(self, deadline: Optional[float]) -> None:
        """Reconnects until it succeeds, `reconnect` seconds have passed (then all waiting calls fail), or the
        deadline."""
        give_up = time.monotonic() + self._reconnect
        for delay in delays():
            try:
                self._open()
                return
            except ProofdError as error:
                now = time.monotonic()
                if now + delay >= give_up or not retryable(error):
                    self._core.fail(error)
                    return
                late = deadline is not None and now + delay >= deadline
                time.sleep(max(0.0, cast(float, deadline) - now) if late else delay)
                if late:
                    return
