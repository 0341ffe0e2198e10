"""Streams for asyncio, both ways: cancellation, errors in the middle, and the connection after them."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator

import castile
import numpy as np
import pytest
from numpy.typing import NDArray


class Lab:
    def __init__(self):
        self.stored = []
        self.left = threading.Event()

    @castile.operation
    def store(self, values: Iterator[NDArray[np.float64]]) -> int:
        count = 0
        try:
            for batch in values:
                count += len(batch)
        finally:
            self.stored.append(count)
            self.left.set()
        return count

    @castile.operation
    def fetch(self, count: int) -> Iterator[NDArray[np.float64]]:
        return (np.arange(n, n + 10_000, dtype=float) for n in range(0, count, 10_000))

    @castile.operation
    def slow(self, pause: float) -> Iterator[NDArray[np.float64]]:
        for _ in range(100):
            yield np.zeros(40_000)
            time.sleep(pause)

    @castile.operation
    def break_off(self) -> Iterator[NDArray[np.float64]]:
        yield np.zeros(200_000)
        raise OSError("the disk is gone")

    @castile.operation
    def squares(self, values: Iterator[NDArray[np.float64]]) -> Iterator[NDArray[np.float64]]:
        return (batch * batch for batch in values)


castile.service(namespace="urn:async")(Lab)


@pytest.fixture
def lab():
    return Lab()


@pytest.fixture
def client(lab):
    with castile.serve(lab, port=0, background=True, cache=False) as server:
        yield castile.AsyncClient(server.wsdl_url, cache=False)


async def batches(count):
    for n in range(count):
        await asyncio.sleep(0)
        yield np.full(10_000, float(n))


def test_asynchronous_iterators_are_sent_batch_by_batch(client):
    async def main():
        assert await client.service.store(batches(300)) == 3_000_000
        assert await client.service.store(values=batches(0)) == 0
        assert await client.service.store(np.full(10_000, 1.5) for _ in range(10)) == 100_000
        assert await client.service.store([1.5]) == 1
        assert client.last_call.operation == "store"

    asyncio.run(main())


def test_replies_come_batch_by_batch(client):
    async def main():
        total = 0.0
        stream = client.stream.fetch(500_000)
        async for batch in stream:
            total += batch.sum()
        assert total == sum(range(500_000))
        assert stream.items == 500_000
        async with client.stream.fetch(100_000) as stream:
            assert (await anext(stream))[0] == 0.0
        with pytest.raises(RuntimeError, match="closed"):
            await anext(stream)
        stream = await client.stream.fetch(10_000)
        assert sum([len(batch) async for batch in stream]) == 10_000
        with pytest.raises(castile.BadValue, match="no array of this name"):
            await client.stream.fetch(5, _array="nothing")

    asyncio.run(main())


def test_the_loop_runs_while_a_stream_is_read_and_written(client):
    async def main():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                await asyncio.sleep(0.005)
                ticks += 1

        async def slowly():
            for n in range(10):
                await asyncio.sleep(0.02)
                yield np.full(10_000, float(n))

        ticking = asyncio.create_task(tick())
        assert await client.service.store(slowly()) == 100_000
        assert ticks > 10
        results = await asyncio.gather(*(client.service.store(batches(20)) for _ in range(8)))
        assert results == [200_000] * 8
        ticking.cancel()

    asyncio.run(main())


def test_a_cancelled_call_is_given_up_on_both_sides(client, lab):
    async def endless():
        while True:
            await asyncio.sleep(0.001)
            yield np.zeros(10_000)

    async def main():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.service.store(endless()), 0.3)
        assert await asyncio.to_thread(lab.left.wait, 10)
        # What the handler saw was no whole message, and the client goes on.
        assert await client.service.store(batches(1)) == 10_000

    asyncio.run(main())


def test_a_call_cancelled_while_its_iterator_waits_leaves_no_thread(client):
    async def stuck():
        yield np.zeros(10)
        await asyncio.sleep(3600)

    async def main():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.service.store(stuck()), 0.2)
        for _ in range(100):
            if not any(thread.name == "castile-stream" for thread in threading.enumerate()):
                return
            await asyncio.sleep(0.05)
        raise AssertionError("a thread is left")

    asyncio.run(main())


def test_a_cancelled_reader_closes_its_stream_and_only_that(client):
    async def main():
        stream = client.stream.slow(0.5, _batch=10_000_000)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(stream), 0.2)
        with pytest.raises(RuntimeError, match="closed"):
            await anext(stream)
        assert await client.service.store([1.0, 2.0]) == 2

    asyncio.run(main())


def test_what_an_iterator_raises_is_raised(client):
    async def failing():
        yield np.zeros(100_000)
        raise LookupError("mine")

    async def main():
        with pytest.raises(LookupError, match="mine"):
            await client.service.store(failing())
        with pytest.raises(castile.BadValue, match=r"store/values\[10001\]|/store/values"):
            await client.service.store(value for value in ([1.0] * 10_000, ["text"]))
        assert await client.service.store([1.0]) == 1

    asyncio.run(main())


def test_a_reply_that_breaks_off_is_told_where(client):
    async def main():
        count = 0
        with pytest.raises(castile.BadPeer, match="in the middle"):
            async for batch in client.stream.break_off():
                count += len(batch)
        assert count > 0
        assert await client.service.store([1.0]) == 1

    asyncio.run(main())


def test_a_reply_may_begin_before_its_request_is_whole(client):
    async def main():
        total = 0.0
        async for batch in client.stream.squares(batches(30)):
            total += batch.sum()
        assert total == sum(n * n for n in range(30)) * 10_000

    asyncio.run(main())
