"""The client for asyncio."""

from __future__ import annotations

import asyncio
import base64
import uuid
from collections import deque
from typing import Any, AsyncIterator, Awaitable, Callable, Deque, Dict, Iterable, List
from typing import Optional, Tuple, TypeVar, Union, cast

from ._address import Address, Tls, delays, keep_alive
from ._async_methods import AsyncMethods
from ._core import OVER, SILENCE_S, Call, Core, Watch, facts_of, pieces, too_long
from ._errors import CallTimeout, ClientClosed, NotProofd, ProofdError, Unreachable
from ._sync import WINDOW, retryable
from ._types import Fact, Job, Moves, ServerHello

OUTPUT_MAX = 1 << 20  # bytes that may wait to be sent
T = TypeVar("T")


async def within(work: Awaitable[T], seconds: Optional[float]) -> T:
    """As asyncio.wait_for, which before Python 3.12 forgets a cancellation that comes as the work is done."""
    task = asyncio.ensure_future(work)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    except BaseException:
        task.cancel()
        raise
    if not done:
        task.cancel()
        await asyncio.wait({task})
        raise asyncio.TimeoutError
    return task.result()


class AsyncClient(AsyncMethods):
    """As Client, for asyncio: any number of calls at a time, each in a task. Cancelling a task drops its reply.

    Use it as `async with AsyncClient(...) as client`, or call `connect` and `close`. The arguments are those of Client.
    It belongs to the event loop in which it was connected.
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
        self._writer: Optional[asyncio.StreamWriter] = None
        self._task: Optional["asyncio.Task[None]"] = None
        self._closed = False
        super().__init__(self.call)

    async def connect(self) -> "AsyncClient":
        """Connects. Raises Unreachable, or the server's refusal of the token."""
        if not self._task:
            reader = await self._open()
            self._task = asyncio.get_running_loop().create_task(self._run(reader))
        return self

    async def close(self) -> None:
        """Ends the connection; waiting calls fail with ClientClosed."""
        self._closed = True
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])
        self._drop()
        self._core.fail(ClientClosed())

    async def __aenter__(self) -> "AsyncClient":
        return await self.connect()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # --- calls

    async def call(self, method: str, params: Optional[Dict[str, Any]] = None, timeout: Optional[float] = None) -> Any:
        """Calls a method by its name, and returns its result."""
        call = await self._settled(Call(method, params or {}), timeout)
        return call.result()

    async def many(self, calls: Iterable[Tuple[str, Dict[str, Any]]]) -> AsyncIterator[Any]:
        """Makes the calls, many at a time, and yields for each in turn its result or its ProofdError. Takes calls only
        as fast as they are answered."""
        source = iter(calls)
        window: Deque["asyncio.Task[Call]"] = deque()
        try:
            while True:
                while len(window) < WINDOW:
                    following = next(source, None)
                    if following is None:
                        break
                    window.append(asyncio.ensure_future(self._settled(Call(*following), None)))
                if not window:
                    return
                await asyncio.wait([window[0]])
                call = window.popleft().result()
                yield call.error or call.value
        finally:
            for task in window:
                task.cancel()

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
        listed = [positions] if isinstance(positions, str) else positions
        source = pieces(listed, self._core.limits)
        window: Deque[Tuple[List[str], "asyncio.Task[Call]"]] = deque()

        def ask(piece: List[str]) -> Tuple[List[str], "asyncio.Task[Call]"]:
            params = {"game": game, "positions": piece, "each_move": each_move, "notation": notation}
            return piece, asyncio.ensure_future(self._settled(Call("fact.query", params), None))

        try:
            while True:
                while len(window) < 4:
                    following = next(source, None)
                    if following is None:
                        break
                    window.append(ask(following))
                if not window:
                    return
                piece, task = window[0]
                await asyncio.wait([task])
                window.popleft()
                call = task.result()
                if call.error and too_long(call.error, piece, self._core.limits):
                    half = len(piece) // 2
                    window.extendleft([ask(piece[half:]), ask(piece[:half])])
                else:
                    for fact in facts_of((piece, call.value, call.error)):
                        yield fact
        finally:
            for _, task in window:
                task.cancel()

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

    async def watch(self, job: int, interval: float = 1.0) -> AsyncIterator[Job]:
        """Yields states of a job, the newest each time, until it is over; the last has its `result`. Continues after
        a restart of the server."""
        self._check_open()
        changed = asyncio.Event()
        watch = Watch(job, interval, changed.set)
        self._core.watch(watch)
        self._go_on()
        try:
            while True:
                while not watch.ready:
                    try:
                        await within(changed.wait(), SILENCE_S)
                    except asyncio.TimeoutError:
                        self._core.ask_again(job)
                        self._go_on()
                changed.clear()
                state = watch.take()
                if state is None:
                    return
                yield state
        finally:
            self._core.unwatch(watch)
            self._flush()

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

        async def follow() -> Job:
            watching = self.watch(job, interval)
            try:
                async for state in watching:
                    if state["state"] in wanted:
                        return state
                    if progress:
                        progress(state)
            finally:
                await cast(Any, watching).aclose()
            raise Unreachable("the watch of job %d ended without a last state" % job)

        try:
            return await within(follow(), timeout)
        except asyncio.TimeoutError:
            raise CallTimeout("job.watch", cast(float, timeout)) from None

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

    @property
    def hello(self) -> Optional[ServerHello]:
        """The reply to server.hello on this connection; None while there is no connection."""
        return cast(Optional[ServerHello], self._core.hello)

    # --- the connection

    async def _settled(self, call: Call, timeout: Optional[float]) -> Call:
        """Makes the call and waits until it is done."""
        self._check_open()
        seconds = self._timeout if timeout is None else timeout
        done: "asyncio.Future[None]" = asyncio.get_running_loop().create_future()

        def tell(_: Call) -> None:
            if not done.done():
                done.set_result(None)

        call.on_done = tell
        self._core.add(call)
        self._go_on()
        try:
            await within(done, seconds)
        except asyncio.TimeoutError:
            self._core.forget(call)
            raise CallTimeout(call.method, cast(float, seconds)) from None
        except BaseException:
            self._core.forget(call)
            raise
        return call

    def _check_open(self) -> None:
        if self._closed:
            raise ClientClosed()
        if not self._task:
            raise ClientClosed("the client is not connected; use `async with`, or call connect()")

    def _go_on(self) -> None:
        """Sends what may be sent; reconnects if the connection was lost while idle."""
        if self._task and self._task.done() and not self._closed:
            self._task = asyncio.get_running_loop().create_task(self._run(None))
        self._flush()

    def _flush(self) -> None:
        writer = self._writer
        while writer and not writer.is_closing() and writer.transport.get_write_buffer_size() < OUTPUT_MAX:
            output = self._core.output()
            if not output:
                return
            writer.write(output)

    async def _run(self, reader: Optional[asyncio.StreamReader]) -> None:
        """Reads until the connection ends, and reconnects while anything waits."""
        while True:
            if reader is None:
                reader = await self._open_again()
                if reader is None:
                    return
            self._flush()
            why: Exception = ConnectionResetError("the server closed the connection")
            try:
                data = await reader.read(1 << 18)
                while data:
                    self._core.feed(data)
                    self._flush()
                    data = await reader.read(1 << 18)
            except (OSError, NotProofd) as error:
                why = error
            reader = None
            self._drop()
            refusal = self._core.refusal
            self._core.lost(str(refusal or why))
            if isinstance(why, NotProofd) or not self._reconnect:
                self._core.fail(refusal or (why if isinstance(why, NotProofd) else Unreachable(str(why))))
            if self._core.idle:
                return

    def _drop(self) -> None:
        if self._writer:
            self._writer.transport.abort()
        self._writer = None

    async def _open(self) -> asyncio.StreamReader:
        """One attempt to connect, greeting included. Raises Unreachable, or the server's refusal."""
        try:
            return await within(self._dial(), self._patience)
        except asyncio.TimeoutError:
            self._drop()
            text = "the server at %s does not answer within %g seconds"
            raise Unreachable(text % (self._address.text, self._patience)) from None
        except OSError as error:
            self._drop()
            raise Unreachable("no server answers at %s: %s" % (self._address.text, error)) from error
        except BaseException:
            self._drop()
            raise

    async def _dial(self) -> asyncio.StreamReader:
        where = self._address
        if where.path is not None:
            reader, self._writer = await asyncio.open_unix_connection(where.path)
        else:
            reader, self._writer = await asyncio.open_connection(
                where.host, where.port, ssl=where.context, server_hostname=where.host if where.context else None
            )
            keep_alive(self._writer.get_extra_info("socket"))
        self._core.connected()
        self._flush()
        while self._core.hello is None:
            data = await reader.read(1 << 16)
            if data:
                self._core.feed(data)
            if self._core.refusal:
                raise self._core.refusal
            if not data:
                raise ConnectionResetError("the server closed the connection")
        return reader

    async def _open_again(self) -> Optional[asyncio.StreamReader]:
        """Reconnects; None if `reconnect` seconds have passed, and all waiting calls have failed."""
        loop = asyncio.get_running_loop()
        give_up = loop.time() + self._reconnect
        for delay in delays():
            try:
                return await self._open()
            except ProofdError as error:
                if loop.time() + delay >= give_up or not retryable(error):
                    self._core.fail(error)
                    return None
            await asyncio.sleep(delay)
        return None
