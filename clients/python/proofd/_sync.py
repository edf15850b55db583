"""The blocking client."""

from __future__ import annotations

import base64
import errno
import itertools
import select
import socket
import ssl
import time
import uuid
from collections import deque
from typing import Any, Callable, Deque, Dict, Generic, Iterable, Iterator, List, Optional, Tuple, TypeVar, Union, cast

from ._address import Address, Tls, delays
from ._core import OVER, SILENCE_S, Call, Core, Watch, facts_of, pieces, too_long
from ._errors import CallTimeout, ClientClosed, NotProofd, ProofdError, Unreachable
from ._methods import Methods
from ._types import Fact, Job, Moves, ServerHello

T = TypeVar("T")
WINDOW = 128  # requests of `many` and `query` in flight: twice what the server accepts
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


class Client(Methods):
    """A connection to a proofd, which reconnects when it is lost. It belongs to one thread at a time.

    address          HOST:PORT or the path of a Unix socket; default $PROOFD_SERVER, else 127.0.0.1:4590
    token            of `proofd --token-file`
    tls              True, the path of a PEM file of certificates to trust, or an ssl.SSLContext
    timeout          seconds that a call may take; None: no limit
    connect_timeout  seconds for one attempt to connect
    reconnect        seconds of attempts to reconnect, with growing pauses; 0: none

    The methods of the protocol are `client.job.submit(...)`, `client.fact.query(...)` and so on. All raise ProofdError.
    """

    def __init__(
        self,
        address: Optional[str] = None,
        *,
        token: Optional[str] = None,
        tls: Tls = None,
        timeout: Optional[float] = None,
        connect_timeout: float = 10.0,
        reconnect: float = 60.0,
    ) -> None:
        self._address = Address(address, tls)
        self._timeout = timeout
        self._patience = connect_timeout
        self._reconnect = reconnect
        self._core = Core(token)
        self._socket: Optional[socket.socket] = None
        self._output = bytearray()
        self._closed = False
        super().__init__(self.call)
        self._open()

    # --- calls

    def call(self, method: str, params: Optional[Dict[str, Any]] = None, timeout: Optional[float] = None) -> Any:
        """Calls a method by its name, and returns its result."""
        return self._finish(self._start(Call(method, params or {})), timeout)

    def start(self, method: str, **params: Any) -> Pending[Any]:
        """Sends a request without waiting for its reply; any number may be in flight. Blocks while the server has as
        many as it accepts, and as many more wait here."""
        call = self._start(Call(method, params))
        self._serve(lambda: self._core.queued <= self._core.limits["inflight"], None)
        self._push()
        return Pending(self, call)

    def many(self, calls: Iterable[Tuple[str, Dict[str, Any]]]) -> Iterator[Any]:
        """Makes the calls, many at a time, and yields for each in turn its result or its ProofdError. Takes calls only
        as fast as they are answered."""
        source = iter(calls)
        window: Deque[Call] = deque()
        try:
            while True:
                for method, params in itertools.islice(source, WINDOW - len(window)):
                    window.append(self._start(Call(method, params)))
                if not window:
                    return
                self._settle(window[0], None)
                call = window.popleft()
                yield call.error or call.value
        finally:
            for call in window:
                self._core.forget(call)

    def query(
        self,
        game: str,
        positions: Union[str, Iterable[str]],
        *,
        each_move: Optional[bool] = None,
        notation: Optional[str] = None,
    ) -> Iterator[Fact]:
        """Yields what is proved about each position, in the order asked, in requests of up to 1,000 positions, several
        at a time. Takes any number of positions, as they are asked. A position that cannot be read has an entry with
        `error`."""
        listed = [positions] if isinstance(positions, str) else positions
        source = pieces(listed, self._core.limits)
        window: Deque[Tuple[List[str], Call]] = deque()

        def ask(piece: List[str]) -> Tuple[List[str], Call]:
            params = {"game": game, "positions": piece, "each_move": each_move, "notation": notation}
            return piece, self._start(Call("fact.query", params))

        try:
            while True:
                window.extend(ask(piece) for piece in itertools.islice(source, max(0, 4 - len(window))))
                if not window:
                    return
                piece, call = window[0]
                self._settle(call, None)
                window.popleft()
                if call.error and too_long(call.error, piece, self._core.limits):
                    half = len(piece) // 2
                    window.extendleft([ask(piece[half:]), ask(piece[:half])])
                else:
                    yield from facts_of((piece, call.value, call.error))
        finally:
            for _, call in window:
                self._core.forget(call)

    # --- jobs

    def solve(
        self,
        game: str,
        position: Optional[str] = None,
        *,
        moves: Optional[Moves] = None,
        claim: Optional[str] = None,
        progress: Optional[Callable[[Job], None]] = None,
        timeout: Optional[float] = None,
        **params: Any,
    ) -> Job:
        """Submits a job and waits until it is over. Without a `key` it gets a unique one, so that submitting is safe to
        repeat. Other parameters are those of job.submit."""
        key = params.pop("key", None) or uuid.uuid4().hex
        question = {"game": game, "position": position, "moves": moves, "claim": claim, "key": key, **params}
        return self.wait(self.call("job.submit", question, timeout)["job"], progress=progress, timeout=timeout)

    def watch(self, job: int, interval: float = 1.0, timeout: Optional[float] = None) -> Iterator[Job]:
        """Yields states of a job, the newest each time, until it is over; the last has its `result`. Continues after
        a restart of the server. CallTimeout after `timeout` seconds in all."""
        watch = Watch(job, interval, lambda: None)
        deadline = None if timeout is None else time.monotonic() + timeout
        self._core.watch(watch)
        try:
            while True:
                while not watch.ready:
                    self._serve(lambda: watch.ready, self._sooner(deadline))
                    if not watch.ready and deadline is not None and time.monotonic() >= deadline:
                        raise CallTimeout("job.watch", cast(float, timeout))
                    if not watch.ready:
                        self._core.ask_again(job)
                state = watch.take()
                if state is None:
                    return
                yield state
        finally:
            self._core.unwatch(watch)

    def wait(
        self,
        job: int,
        *,
        progress: Optional[Callable[[Job], None]] = None,
        interval: float = 1.0,
        until: Iterable[str] = OVER,
        timeout: Optional[float] = None,
    ) -> Job:
        """Waits until a job is in one of the states `until`, or over, and returns it. `progress` is called with each
        state on the way."""
        wanted = (*until, *OVER)
        watching = self.watch(job, interval, timeout)
        try:
            for state in watching:
                if state["state"] in wanted:
                    return state
                if progress:
                    progress(state)
        finally:
            cast(Any, watching).close()
        raise Unreachable("the watch of job %d ended without a last state" % job)

    def jobs(self, state: Optional[str] = None) -> Iterator[Job]:
        """Yields all jobs, newest first, page by page."""
        before: Optional[int] = None
        while True:
            page = self.call("job.list", {"state": state, "before": before})
            yield from page["jobs"]
            before = page.get("next")
            if before is None:
                return

    def certificate(self, **params: Any) -> Iterator[bytes]:
        """Makes the certificate of an answer (parameters as for proof.export) and yields it piece by piece."""
        proof = self.call("proof.export", params)
        offset = 0
        while offset < proof["bytes"]:
            piece = self.call("proof.read", {"proof": proof["proof"], "offset": offset})
            offset += piece["size"]
            yield base64.b64decode(piece["data"])

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

    def _finish(self, call: Call, timeout: Optional[float]) -> Any:
        self._settle(call, timeout)
        return call.result()

    def _settle(self, call: Call, timeout: Optional[float]) -> None:
        """Waits until the call is done."""
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

    @staticmethod
    def _sooner(deadline: Optional[float]) -> float:
        soon = time.monotonic() + SILENCE_S
        return soon if deadline is None else min(soon, deadline)

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
        """Sends and reads what it can; if there is nothing to read, waits at most that many seconds."""
        connection = self._socket
        assert connection is not None
        try:
            if not self._core.under_way and not self._output and self._receive():
                return  # do not write to a connection that has ended
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
        except (OSError, NotProofd) as error:
            self._drop()
            refusal = self._core.refusal
            self._core.lost(str(refusal or error))
            if isinstance(error, NotProofd) or not self._reconnect:
                self._core.fail(refusal or (error if isinstance(error, NotProofd) else Unreachable(str(error))))

    def _receive(self) -> bool:
        """Reads what has arrived; false if there is nothing."""
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
        while self._core.hello is None:
            left = end - time.monotonic()
            if left <= 0 and self._socket is not None and not self._core.refusal:
                self._drop()
                self._core.lost("no greeting")
                raise Unreachable("the server at %s accepts the connection but does not answer" % self._address.text)
            if self._socket is not None and not self._core.refusal:
                self._greet(left)
            if self._core.refusal:
                self._drop()
                raise self._core.refusal

    def _greet(self, wait: float) -> None:
        """As _exchange, but a connection that ends now is a failed attempt."""
        connection = self._socket
        assert connection is not None
        try:
            self._output += self._core.output()
            poll = select.poll()
            poll.register(connection, select.POLLIN | (select.POLLOUT if self._output else 0))
            poll.poll(wait * 1000)
            try:
                if self._output:
                    del self._output[: connection.send(self._output)]
                data = connection.recv(1 << 16)
            except AGAIN:
                return
            if data:
                self._core.feed(data)
                return
            error: Exception = ConnectionResetError(errno.ECONNRESET, "the server closed the connection")
        except (OSError, NotProofd) as failure:
            error = failure
        if not self._core.refusal:
            self._drop()
            if isinstance(error, NotProofd):
                raise error
            raise Unreachable("no proofd answers at %s: %s" % (self._address.text, error)) from error

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


def retryable(error: ProofdError) -> bool:
    """Whether another attempt may succeed: there is no server now, or it has too many clients."""
    return error.slug in ("unreachable", "limit", "busy", "shutting-down", "no-memory")
