"""Sends and receives an array larger than the memory that it may take, and fails when it takes more.

    python bench/python/stream.py --gigabytes 1

Each direction moves so many GB of envelope between two processes, both Castile. What is measured is the
anonymous memory of each, before the call and at its height.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import castile
import numpy as np
from numpy.typing import NDArray

GROWTH_BYTES_MAX = 64 << 20
BATCH = 100_000
VALUE_BYTES = len("<ns1:values>0.12345678901234567</ns1:values>")


@castile.service(namespace="urn:stream")
class Lab:
    """What both directions call."""

    @castile.operation
    def store(self, values: Iterator[NDArray[np.float64]]) -> int:
        """How many there are."""
        return sum(len(batch) for batch in values)

    @castile.operation
    def fetch(self, batches: int) -> Iterator[NDArray[np.float64]]:
        """So many batches."""
        return batches_of(batches)


def batches_of(count: int) -> Iterator[NDArray[np.float64]]:
    """Batches of random doubles."""
    values = np.random.default_rng(1).random(BATCH)
    for _ in range(count):
        yield values


def anonymous_bytes() -> int:
    """The memory of this process that no file backs."""
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) << 10


class Height(threading.Thread):
    """Watches the memory."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.base = self.most = anonymous_bytes()
        self.over = threading.Event()
        self.start()

    def run(self) -> None:
        """Looks again and again."""
        while not self.over.wait(0.02):
            self.most = max(self.most, anonymous_bytes())

    def growth(self) -> int:
        """Bytes between the beginning and the height; ends the watch."""
        self.over.set()
        return self.most - self.base


def serve(pipe: Connection) -> None:
    """Serves; says by how much each call made the memory grow."""
    with castile.serve(Lab(), port=0, background=True, cache=False) as server:
        pipe.send(server.wsdl_url)
        for _ in range(2):
            pipe.recv()
            height = Height()
            pipe.send(None)
            pipe.recv()
            pipe.send(height.growth())


class Measure:
    """Times one direction and watches both ends."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe = pipe
        pipe.send(None)
        pipe.recv()
        self.height, self.began = Height(), time.monotonic()

    def report(self, name: str, size: float) -> bool:
        """Says what it took; whether that was little enough."""
        seconds = time.monotonic() - self.began
        ours = self.height.growth()
        self.pipe.send(None)
        theirs: int = self.pipe.recv()
        grown = f"the client grew by {ours / 1e6:.1f} MB, the server by {theirs / 1e6:.1f} MB"
        print(f"{name}: {size / 1e9:.2f} GB in {seconds:.1f} s; {grown}")
        return max(ours, theirs) <= GROWTH_BYTES_MAX


def main() -> int:
    """Both directions; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=1.0)
    batches = int(parser.parse_args().gigabytes * 1e9 / (BATCH * VALUE_BYTES)) + 1
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs,))
    process.start()
    client = castile.Client(ours.recv(), cache=False)
    warm(client)

    measure = Measure(ours)
    stored = client.service.store(batches_of(batches))
    call = client.last_call
    good = measure.report("request", call.request_bytes if call else 0)

    measure = Measure(ours)
    stream = client.stream.fetch(batches)
    fetched = sum(len(batch) for batch in stream)
    good &= measure.report("reply", stream.bytes or 0)
    process.join()
    return 0 if good and stored == fetched == batches * BATCH else 1


def warm(client: castile.Client) -> None:
    """One small call each way."""
    client.service.store(batches_of(2))
    sum(len(batch) for batch in client.stream.fetch(2))


if __name__ == "__main__":
    sys.exit(main())
