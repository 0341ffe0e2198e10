"""Streams beside the plain ones: for asyncio, and from and to Arrow."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import contextvars
import threading
from collections.abc import AsyncIterable, Awaitable, Callable, Generator, Iterator
from typing import Any, Generic, TypeVar

import numpy as np

from ._castile import ArrowReader, Stream

__all__ = ["AsyncStream"]

Batch = TypeVar("Batch")
Result = TypeVar("Result")

_END = object()
"""Stands for the end where `StopIteration` cannot pass."""


class AsyncStream(Generic[Batch]):
    """An array of a reply, batch by batch, while it comes, for asyncio.

    ```
    async for batch in client.stream.fetch(7): ...
    ```

    The call is made when the first batch is asked for, or when this is awaited or entered (`async with`). A
    task that is cancelled while it waits for a batch closes the stream, and its connection.
    """

    def __init__(self, start: Callable[[], Awaitable[Stream[Batch]]]) -> None:
        self._start = start
        self._stream: Stream[Batch] | None = None
        self._closed = False

    def __repr__(self) -> str:
        return repr(self._stream) if self._stream is not None else "<stream of a reply, not called yet>"

    def __aiter__(self) -> AsyncStream[Batch]:
        return self

    async def __anext__(self) -> Batch:
        stream = await self._opened()
        batch: Any = await beside(lambda: next(stream, _END), stream.close)
        if batch is _END:
            raise StopAsyncIteration
        made: Batch = batch
        return made

    def __await__(self) -> Generator[Any, None, AsyncStream[Batch]]:
        return self.__aenter__().__await__()

    async def __aenter__(self) -> AsyncStream[Batch]:
        await self._opened()
        return self

    async def __aexit__(self, *_error: object) -> None:
        self.close()

    @property
    def array(self) -> str | None:
        """Which array of the message it is, once the call was made: `values`, or `a.b` for field `b` of
        field `a`."""
        return self._stream.array if self._stream is not None else None

    @property
    def items(self) -> int | None:
        """Items that came so far."""
        return self._stream.items if self._stream is not None else None

    @property
    def bytes(self) -> int | None:
        """Bytes of the message that came so far, decompressed."""
        return self._stream.bytes if self._stream is not None else None

    def close(self) -> None:
        """Gives the rest up: closes the connection unless the message was read to its end."""
        self._closed = True
        if self._stream is not None:
            self._stream.close()

    async def rest(self) -> Any:
        """All values of the message but those of the array, as a record. Ends the stream."""
        return (await self._opened()).rest()

    async def _opened(self) -> Stream[Batch]:
        if self._stream is None:
            if self._closed:
                raise RuntimeError("the stream is closed")
            self._stream = await self._start()
        return self._stream


async def beside(work: Callable[[], Result], cancel: Callable[[], object]) -> Result:
    """What `work` gives, which blocks, from a thread of its own. When the task that waits is cancelled,
    `cancel` tells the work to end soon."""
    loop = asyncio.get_running_loop()
    future, settle = promise(loop)

    def run() -> None:
        try:
            result = work()
        except BaseException as error:
            settle(None, error)
        else:
            settle(result, None)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(run,), name="castile-stream", daemon=True).start()
    try:
        result: Result = await future
    except asyncio.CancelledError:
        cancel()
        raise
    return result


def promise(
    loop: asyncio.AbstractEventLoop,
) -> tuple[asyncio.Future[Any], Callable[[Any, BaseException | None], None]]:
    """A future, and what settles it from any thread."""
    future: asyncio.Future[Any] = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)

    def settle_soon(result: Any, error: BaseException | None) -> None:
        # Nobody waits any more when the loop is closed.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, result, error)

    return future, settle_soon


class Bridge:
    """An asynchronous iterator as a plain one, for a thread beside its loop."""

    def __init__(self, source: AsyncIterable[Any], loop: asyncio.AbstractEventLoop) -> None:
        self._iterator = source.__aiter__()
        self._loop = loop
        self._waiting: concurrent.futures.Future[Any] | None = None
        self._cancelled = False

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if asyncio._get_running_loop() is self._loop:
            raise TypeError("an asynchronous iterator can only be sent where the array can be streamed")
        if self._cancelled:
            raise asyncio.CancelledError
        self._waiting = asyncio.run_coroutine_threadsafe(self._step(), self._loop)
        value = self._waiting.result()
        if value is _END:
            raise StopIteration
        return value

    def cancel(self) -> None:
        """Ends it for the thread that waits for the next value."""
        self._cancelled = True
        if self._waiting is not None:
            self._waiting.cancel()

    async def _step(self) -> Any:
        try:
            return await anext(self._iterator)
        except StopAsyncIteration:
            return _END


def sendable(value: Any, loop: asyncio.AbstractEventLoop | None = None) -> Any:
    """An argument as the core takes it: what has Arrow's form as its batches, and what is asynchronous as a
    plain iterator."""
    cls = type(value)
    if loop is not None and hasattr(cls, "__aiter__"):
        return Bridge(value, loop)
    # pandas has the interface too, but needs pyarrow for it; its objects are NumPy's anyway.
    has_arrow = hasattr(cls, "__arrow_c_stream__") or hasattr(cls, "__arrow_c_array__")
    if has_arrow and not hasattr(cls, "__next__") and not cls.__module__.startswith("pandas"):
        return map(_joined, ArrowReader(value))
    return value


def _joined(batch: Any) -> Any:
    """The columns of a record batch as one array: that of an only column, a structured array of several, or
    a list of dicts where they are more than numbers."""
    if not isinstance(batch, dict):
        return batch
    if len(batch) == 1:
        return next(iter(batch.values()))
    columns = list(batch.values())
    if all(isinstance(column, np.ndarray) for column in columns):
        rows = np.empty(
            len(columns[0]) if columns else 0, [(name, column.dtype) for name, column in batch.items()]
        )
        for name, column in batch.items():
            rows[name] = column
        return rows
    lists = [column.tolist() if isinstance(column, np.ndarray) else column for column in columns]
    return [dict(zip(batch, row, strict=True)) for row in zip(*lists, strict=True)]
