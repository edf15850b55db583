"""The calls that AsyncClient and Client share. The build makes _calls.py, for Client, from this file (stubs.py)."""

from __future__ import annotations

import base64
import itertools
import time
import uuid
from collections import deque
from typing import Any, AsyncIterator, Callable, Deque, Dict, Iterable, List, Optional, Tuple, Union, cast

from ._address import Address, Tls
from ._async_methods import AsyncMethods
from ._core import OVER, SILENCE_S, Call, Core, Watch, facts_of, pieces, too_long
from ._errors import CallTimeout, Unreachable
from ._types import Fact, Job, Moves

WINDOW = 128  # requests of `many` in flight: twice what the server accepts
PIECES = 4  # requests of `query` in flight


class AsyncCalls(AsyncMethods):
    """Everything but the connection, which AsyncClient and Client add."""

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
        self._closed = False
        super().__init__(self.call)
        self._prepare()

    # --- what the connection does

    def _prepare(self) -> None:
        """Completes the constructor."""
        raise NotImplementedError

    def _start(self, call: Call) -> Call:
        """Queues a call. Raises ClientClosed."""
        raise NotImplementedError

    async def _settle(self, call: Call, timeout: Optional[float]) -> None:
        """Waits until the call is done. Raises CallTimeout."""
        raise NotImplementedError

    async def _follow(self, watch: Watch, seconds: float) -> None:
        """Waits that long until the watch is ready."""
        raise NotImplementedError

    def _unwatch(self, watch: Watch) -> None:
        self._core.unwatch(watch)

    # --- calls

    async def _finish(self, call: Call, timeout: Optional[float]) -> Any:
        await self._settle(call, timeout)
        return call.result()

    async def call(self, method: str, params: Optional[Dict[str, Any]] = None, timeout: Optional[float] = None) -> Any:
        """Calls a method by its name, and returns its result."""
        return await self._finish(self._start(Call(method, params or {})), timeout)

    async def many(self, calls: Iterable[Tuple[str, Dict[str, Any]]]) -> AsyncIterator[Any]:
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
                await self._settle(window[0], None)
                call = window.popleft()
                yield call.error or call.value
        finally:
            for call in window:
                self._core.forget(call)

    async def query(
        self,
        game: str,
        positions: Union[str, Iterable[str]],
        *,
        each_move: Optional[bool] = None,
        notation: Optional[str] = None,
    ) -> AsyncIterator[Fact]:
        """Yields what is proved about each position, in the order asked, in requests of up to 1,000 positions, several
        at a time. Takes any number of positions, as they are asked. A position that cannot be read has an entry with
        `error`."""
        source = pieces([positions] if isinstance(positions, str) else positions, self._core.limits)
        window: Deque[Tuple[List[str], Call]] = deque()

        def ask(piece: List[str]) -> Tuple[List[str], Call]:
            params = {"game": game, "positions": piece, "each_move": each_move, "notation": notation}
            return piece, self._start(Call("fact.query", params))

        try:
            while True:
                window.extend(ask(piece) for piece in itertools.islice(source, max(0, PIECES - len(window))))
                if not window:
                    return
                piece, call = window[0]
                await self._settle(call, None)
                window.popleft()
                if call.error and too_long(call.error, piece, self._core.limits):
                    half = len(piece) // 2
                    window.extendleft([ask(piece[half:]), ask(piece[:half])])
                else:
                    for fact in facts_of((piece, call.value, call.error)):
                        yield fact
        finally:
            for _, call in window:
                self._core.forget(call)

    # --- jobs

    async def solve(
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
        job = (await self.call("job.submit", question, timeout))["job"]
        return await self.wait(job, progress=progress, timeout=timeout)

    async def watch(self, job: int, interval: float = 1.0, timeout: Optional[float] = None) -> AsyncIterator[Job]:
        """Yields states of a job, the newest each time, until it is over; the last has its `result`. Continues after
        a restart of the server. CallTimeout after `timeout` seconds in all."""
        watch = Watch(job, interval)
        end = None if timeout is None else time.monotonic() + timeout
        self._core.watch(watch)
        try:
            while True:
                while not watch.ready:
                    left = SILENCE_S if end is None else end - time.monotonic()
                    if left <= 0:
                        raise CallTimeout("job.watch", cast(float, timeout))
                    await self._follow(watch, min(left, SILENCE_S))
                    if not watch.ready and left >= SILENCE_S:
                        self._core.ask_again(job)
                state = watch.take()
                if state is None:
                    return
                yield state
        finally:
            self._unwatch(watch)

    async def wait(
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
            async for state in watching:
                if state["state"] in wanted:
                    return state
                if progress:
                    progress(state)
        finally:
            await cast(Any, watching).aclose()
        raise Unreachable("the watch of job %d ended without a last state" % job)

    async def jobs(self, state: Optional[str] = None) -> AsyncIterator[Job]:
        """Yields all jobs, newest first, page by page."""
        before: Optional[int] = None
        while True:
            page = await self.call("job.list", {"state": state, "before": before})
            for job in page["jobs"]:
                yield job
            before = page.get("next")
            if before is None:
                return

    async def certificate(self, **params: Any) -> AsyncIterator[bytes]:
        """Makes the certificate of an answer (parameters as for proof.export) and yields it piece by piece."""
        proof = await self.call("proof.export", params)
        offset = 0
        while offset < proof["bytes"]:
            piece = await self.call("proof.read", {"proof": proof["proof"], "offset": offset})
            offset += piece["size"]
            yield base64.b64decode(piece["data"])
