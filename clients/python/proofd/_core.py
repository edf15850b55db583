"""Core: requests, replies and watches of both clients, without sockets.

A request waits in a queue, is sent while fewer than `limits.inflight` are unanswered (the server reads no
more), and is answered in any order. When the connection ends, requests that only read, and submissions with a key,
return to the queue and are sent again on the next connection; the others fail with UnknownFate. Watches are renewed.
All calls into a core come from one thread.
"""

from __future__ import annotations

import json
from collections import deque
from typing import Any, Callable, Deque, Dict, Iterable, Iterator, List, Optional, Tuple, cast

from ._errors import NotProofd, ProofdError, ServerError, UnknownFate, error_of
from ._types import READS, Fact, Job

OVER = ("solved", "exhausted", "cancelled", "failed")  #: the states in which a job has ended
POSITIONS_MAX = 1000  #: positions of one request of `query`
SILENCE_S = 30.0  #: a watch is renewed after this many seconds without news
LIMITS = {"line": 1 << 20, "reply": 16 << 20, "inflight": 64, "positions": 10000, "rate": 0}


def encode(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def given(params: Dict[str, Any]) -> Dict[str, Any]:
    """The parameters that are not left out; None leaves one out."""
    return {name: value for name, value in params.items() if value is not None}


class Call:
    """A request and, once it is `done`, its `value` or `error`."""

    def __init__(self, method: str, params: Dict[str, Any], on_done: Optional[Callable[["Call"], None]] = None) -> None:
        self.method = method
        self.params = given(params)
        self.repeatable = method in READS or (method == "job.submit" and "key" in self.params)
        self.on_done = on_done
        self.id = 0
        self.line = b""
        self.done = False
        self.value: Any = None
        self.error: Optional[ProofdError] = None

    def finish(self, value: Any = None, error: Optional[ProofdError] = None) -> None:
        if self.done:
            return
        self.done, self.value, self.error = True, value, error
        if self.on_done:
            self.on_done(self)

    def result(self) -> Any:
        if self.error:
            raise self.error
        return self.value


class Watch:
    """The newest state of a job that has not been taken. A slow reader misses states, but never the last one."""

    def __init__(self, job: int, interval: float) -> None:
        self.job = job
        self.interval = interval
        self.wake: Callable[[], object] = lambda: None  # called after each change
        self.state: Optional[Job] = None
        self.ended = False
        self.error: Optional[ProofdError] = None

    def push(self, state: Job) -> None:
        if not self.ended:
            self.state = state
            self.ended = state["state"] in OVER
            self.wake()

    def fail(self, error: ProofdError) -> None:
        if not self.ended:
            self.error, self.ended = error, True
            self.wake()

    @property
    def ready(self) -> bool:
        return self.state is not None or self.ended

    def take(self) -> Optional[Job]:
        """The newest state; None if there will be no more. Raises the error that ended the watch."""
        state, self.state = self.state, None
        if state is None and self.error:
            raise self.error
        return state


class Core:
    def __init__(self, token: Optional[str]) -> None:
        self.limits: Dict[str, int] = dict(LIMITS)
        self.hello: Optional[Dict[str, Any]] = None  #: the reply to server.hello; None: none on this connection
        self.refusal: Optional[ProofdError] = None  #: why the server refuses this connection
        self._token = token
        self._ids = 0
        self._greeting: Optional[Call] = None
        self._queue: Deque[Call] = deque()
        self._sent: Dict[int, Call] = {}
        self._again: List[Call] = []  # for the next connection: the server stops
        self._watches: Dict[int, List[Watch]] = {}
        self._input = bytearray()
        self._scanned = 0

    # --- calls

    def add(self, call: Call) -> Call:
        self._ids += 1
        call.id = self._ids
        call.line = encode({"jsonrpc": "2.0", "id": call.id, "method": call.method, "params": call.params}) + b"\n"
        if len(call.line) > self.limits["line"]:
            raise ProofdError("limit", 8, None, "the request has %d bytes; the server's limits.line is %d"
                              % (len(call.line), self.limits["line"]))
        self._queue.append(call)
        return call

    def forget(self, call: Call) -> None:
        """Drops the call: if it has not been sent it will not be, else its reply is dropped."""
        call.done = True
        if call in self._queue:
            self._queue.remove(call)

    @property
    def queued(self) -> int:
        """Calls that have not been sent."""
        return len(self._queue)

    @property
    def under_way(self) -> int:
        """Calls that have been sent and not answered."""
        return len(self._sent)

    @property
    def idle(self) -> bool:
        """True if no call or watch is open."""
        waiting = [*self._queue, *self._sent.values(), *self._again]
        return all(call.done for call in waiting) and not self._watches

    # --- watches

    def watch(self, watch: Watch) -> None:
        self._watches.setdefault(watch.job, []).append(watch)
        self.ask_again(watch.job)

    def ask_again(self, job: int) -> None:
        """Subscribes to the job, on this connection as well."""
        watches = self._watches.get(job)
        if watches:
            interval = min(watch.interval for watch in watches)
            self.add(Call("job.watch", {"job": job, "interval": interval}, self._watched))

    def unwatch(self, watch: Watch) -> None:
        watches = self._watches.get(watch.job, [])
        if watch in watches:
            watches.remove(watch)
            if not watches:
                del self._watches[watch.job]
                if self.hello is not None:
                    self.add(Call("job.unwatch", {"job": watch.job}))

    def _watched(self, call: Call) -> None:
        if call.error:
            for watch in self._watches.pop(call.params["job"], []):
                watch.fail(call.error)
        else:
            self._progress(call.value)

    def _progress(self, state: Job) -> None:
        watches = self._watches.get(state["job"], [])
        for watch in watches:
            watch.push(state)
        if state["state"] in OVER:
            self._watches.pop(state["job"], None)

    # --- the connection

    def connected(self) -> None:
        """Begins a connection: the greeting goes first, with the token, and everything else after its reply."""
        self._input.clear()
        self._scanned = 0
        self.hello = self.refusal = None
        self._ids += 1
        self._greeting = Call("server.hello", {"token": self._token})
        self._greeting.id = self._ids
        self._greeting.line = encode({"jsonrpc": "2.0", "id": self._ids, "method": "server.hello",
                                      "params": self._greeting.params}) + b"\n"

    def output(self) -> bytes:
        """The bytes that may be sent now."""
        if self._greeting and self._greeting.line:
            line, self._greeting.line = self._greeting.line, b""
            return line
        if self.hello is None:
            return b""
        lines = []
        while self._queue and len(self._sent) < self.limits["inflight"]:
            call = self._queue.popleft()
            self._sent[call.id] = call
            lines.append(call.line)
        return b"".join(lines)

    def feed(self, data: bytes) -> None:
        """Handles received bytes. Raises NotProofd if they are not the protocol."""
        self._input += data
        while True:
            end = self._input.find(b"\n", self._scanned)
            if end < 0:
                self._scanned = len(self._input)
                break
            line = bytes(self._input[:end])
            del self._input[: end + 1]
            self._scanned = 0
            try:
                self._message(line)
            except (KeyError, TypeError, AttributeError, ValueError):
                raise NotProofd("the peer does not speak the protocol: %r" % line[:60]) from None
        if len(self._input) > self.limits["reply"] + (1 << 20):
            raise NotProofd("the server sent a line of more than %d bytes" % self.limits["reply"])

    def _message(self, line: bytes) -> None:
        message = json.loads(line)
        if "method" in message:
            if message["method"] == "job.progress":
                self._progress(message["params"])
            return
        error = error_of(message["error"]) if "error" in message else None
        if self._greeting and message["id"] == self._greeting.id:
            self._greeted(message, error)
        elif message["id"] is None:
            self.refusal = error
        else:
            self._answered(self._sent.pop(message["id"], None), message, error)

    def _greeted(self, message: Dict[str, Any], error: Optional[ServerError]) -> None:
        self._greeting = None
        if error:
            self.refusal = error
            return
        self.hello = cast(Dict[str, Any], message["result"])
        for name in LIMITS:
            self.limits[name] = self.hello["limits"].get(name, LIMITS[name])
        waiting, self._queue = self._queue, deque()
        for job in list(self._watches):
            self.ask_again(job)
        self._queue.extend(call for call in waiting if call.on_done != self._watched)

    def _answered(self, call: Optional[Call], message: Dict[str, Any], error: Optional[ServerError]) -> None:
        if not call or call.done:
            return
        if error and error.slug == "shutting-down" and call.repeatable:
            self._again.append(call)
        elif error:
            call.finish(error=error)
        else:
            call.finish(value=message.get("result"))

    def lost(self, why: str) -> None:
        """Ends the connection. Calls that may be repeated wait for the next one."""
        again = [*self._again, *self._sent.values()]
        self._sent, self._again, self._greeting = {}, [], None
        self.hello = None
        again.sort(key=lambda call: call.id)
        self._queue.extendleft(reversed([call for call in again if call.repeatable and not call.done]))
        for call in again:
            if not call.repeatable:
                call.finish(error=UnknownFate(call.method, why))

    def fail(self, error: ProofdError) -> None:
        """Makes all waiting calls fail, because there will be no connection."""
        calls = [*self._queue, *self._again, *self._sent.values()]
        watches = [watch for watches in self._watches.values() for watch in watches]
        self._queue.clear()
        self._sent, self._again, self._watches = {}, [], {}
        for call in calls:
            call.finish(error=error)
        for watch in watches:
            watch.fail(error)


# --- queries of many positions


def pieces(positions: Iterable[str], limits: Dict[str, int]) -> Iterator[List[str]]:
    """Cuts a list into pieces that fit into a request."""
    most, room = min(POSITIONS_MAX, limits["positions"]), limits["line"] - (32 << 10)
    piece: List[str] = []
    size = 0
    for position in positions:
        bytes_ = len(encode(position)) + 1
        if piece and (len(piece) >= most or size + bytes_ > room):
            yield piece
            piece, size = [], 0
        piece.append(position)
        size += bytes_
    if piece:
        yield piece


def too_long(error: ProofdError, piece: List[str], limits: Dict[str, int]) -> bool:
    """The reply would be too long; half of the piece may be short enough."""
    return error.slug == "limit" and len(piece) > 1 and not limits["rate"]


def facts_of(outcome: Tuple[List[str], Any, Optional[ProofdError]]) -> List[Fact]:
    """The facts of a piece. A refused single position gets an entry, as in a longer list."""
    piece, value, error = outcome
    if error and len(piece) == 1 and error.slug in ("bad-position", "bad-move"):
        return [cast(Fact, {"error": {"code": error.code, "message": error.message}})]
    if error:
        raise error
    return cast(List[Fact], value["facts"])
