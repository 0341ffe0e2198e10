"""Sends and receives an array larger than the memory that it may take, and fails when it takes more.

    python bench/python/stream.py --gigabytes 1

Each direction moves so many GB of envelope; the other end is a process of its own. What is measured
is the anonymous memory of this process, before the call and at its height.
"""

from __future__ import annotations

import argparse
import multiprocessing
import socket
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import castile
import numpy as np

GROWTH_BYTES_MAX = 64 << 20
BATCH = 100_000
VALUE_BYTES = len("<ns1:values>0.12345678901234567</ns1:values>")


@castile.service(namespace="urn:stream")
class Lab:
    """What both directions call."""

    @castile.operation
    def store(self, values: list[float]) -> float:
        """Answered by the sink."""
        raise NotImplementedError("the sink answers")

    @castile.operation
    def fetch(self, batches: int) -> list[float]:
        """So many batches."""
        return batches_of(batches)  # type: ignore[return-value]


def batches_of(count: int) -> Iterator[np.ndarray]:
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


def sink(pipe: Connection) -> None:
    """Reads one chunked request and answers it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        pipe.send(listener.getsockname()[1])
        connection, _ = listener.accept()
        total, end = 0, b""
        while not end.endswith(b"0\r\n\r\n"):
            data = connection.recv(1 << 20)
            if not data:
                return
            total += len(data)
            end = (end + data)[-8:]
        envelope = (
            b"<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>"
            b"<r:storeResponse xmlns:r='urn:stream'><r:result>" + str(total).encode() + b"</r:result>"
            b"</r:storeResponse></e:Body></e:Envelope>"
        )
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: {len(envelope)}\r\n\r\n"
        connection.sendall(head.encode() + envelope)


def serve(pipe: Connection) -> None:
    """Serves until it is told to stop."""
    with castile.serve(Lab(), port=0, background=True, cache=False) as server:
        pipe.send(server.wsdl_url)
        pipe.recv()


def report(name: str, size: float, seconds: float, growth: int) -> bool:
    """Says what it took; whether that was little enough."""
    print(f"{name}: {size / 1e9:.2f} GB in {seconds:.1f} s, {growth / 1e6:.1f} MB of memory more than before")
    return growth <= GROWTH_BYTES_MAX


def main() -> int:
    """Both directions; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=1.0)
    batches = int(parser.parse_args().gigabytes * 1e9 / (BATCH * VALUE_BYTES)) + 1
    context = multiprocessing.get_context("spawn")

    ours, theirs = context.Pipe()
    process = context.Process(target=sink, args=(theirs,))
    process.start()
    client = castile.Client(castile.wsdl(Lab), endpoint=f"http://127.0.0.1:{ours.recv()}/", cache=False)
    height, began = Height(), time.monotonic()
    size = client.service.store(batches_of(batches))
    good = report("sent", size, time.monotonic() - began, height.growth())
    process.join()

    process = context.Process(target=serve, args=(theirs,))
    process.start()
    client = castile.Client(ours.recv(), cache=False)
    height, began = Height(), time.monotonic()
    stream = client.stream.fetch(batches)
    count = sum(len(batch) for batch in stream)
    good &= report("received", stream.bytes or 0, time.monotonic() - began, height.growth())
    ours.send(None)
    process.join()
    return 0 if good and count == batches * BATCH else 1


if __name__ == "__main__":
    sys.exit(main())
