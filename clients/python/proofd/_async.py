"""The client for asyncio."""

from __future__ import annotations

import asyncio
from typing import Awaitable, Optional, TypeVar, cast

from ._address import delays, keep_alive
from ._async_calls import AsyncCalls
from ._core import Call, Watch
from ._errors import CallTimeout, ClientClosed, NotProofd, ProofdError, Unreachable, retryable
from ._types import ServerHello

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


class AsyncClient(AsyncCalls):
    """As Client, for asyncio: any number of calls at a time, each in a task. Cancelling a task drops its reply.

    Use it as `async with AsyncClient(...) as client`, or call `connect` and `close`. The arguments are those of Client.
    It belongs to the event loop in which it was connected.
    """

    def _prepare(self) -> None:
        self._writer: Optional[asyncio.StreamWriter] = None
        self._task: Optional["asyncio.Task[None]"] = None

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

    @property
    def hello(self) -> Optional[ServerHello]:
        """The reply to server.hello on this connection; None while there is no connection."""
        return cast(Optional[ServerHello], self._core.hello)

    # --- the connection

    def _start(self, call: Call) -> Call:
        self._check_open()
        self._core.add(call)
        self._go_on()
        return call

    async def _settle(self, call: Call, timeout: Optional[float]) -> None:
        seconds = self._timeout if timeout is None else timeout
        done = asyncio.Event()
        call.on_done = lambda _: done.set()
        try:
            if not call.done:
                await within(done.wait(), seconds)
        except asyncio.TimeoutError:
            self._core.forget(call)
            raise CallTimeout(call.method, cast(float, seconds)) from None
        except BaseException:
            self._core.forget(call)
            raise

    async def _follow(self, watch: Watch, seconds: float) -> None:
        self._check_open()
        changed = asyncio.Event()
        watch.wake = changed.set
        self._go_on()
        try:
            await within(changed.wait(), seconds)
        except asyncio.TimeoutError:
            pass

    def _unwatch(self, watch: Watch) -> None:
        super()._unwatch(watch)
        self._flush()

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
