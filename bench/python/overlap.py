"""Decoding overlaps with the network: when the first values of a reply are there, and how long after its last
byte the last ones are.

    python bench/python/overlap.py --megabytes 40 --rate 100

A sender of plain sockets sends a reply of so many MB at so many MB a second. The client reads it batch by
batch, and once more as a whole. Fails when the first batch comes after the last byte.
"""

from __future__ import annotations

import argparse
import multiprocessing
import socket
import sys
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection

import castile
import numpy as np
from numpy.typing import NDArray

PIECE = 64 << 10
VALUES = 1000


@castile.service(namespace="urn:overlap")
class Lab:
    """What is called."""

    @castile.operation
    def fetch(self) -> Iterator[NDArray[np.float64]]:
        """Answered by the sender."""
        raise NotImplementedError("the sender answers")


def items() -> bytes:
    """Some items as they are sent; a message has them again and again."""
    values = np.random.default_rng(1).random(VALUES)
    return "".join(f"<r:result>{value!r}</r:result>" for value in values.tolist()).encode()


def send(pipe: Connection, count: int, rate: float) -> None:
    """Answers with so many times the items, once a connection; tells when it began and ended."""
    head = (
        b"<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>"
        b"<r:fetchResponse xmlns:r='urn:overlap'>"
    )
    body = head + items() * count + b"</r:fetchResponse></e:Body></e:Envelope>"
    fields = "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nConnection: close\r\n"
    fields += f"Content-Length: {len(body)}\r\n\r\n"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        pipe.send(listener.getsockname()[1])
        while True:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(fields.encode())
                began = time.monotonic()
                for at in range(0, len(body), PIECE):
                    time.sleep(max(0.0, began + at / rate - time.monotonic()))
                    connection.sendall(body[at : at + PIECE])
                pipe.send((began, time.monotonic()))


def main() -> int:
    """Both ways; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=40.0)
    parser.add_argument("--rate", type=float, default=100.0, help="MB a second")
    given = parser.parse_args()
    count = int(given.megabytes * 1e6 / len(items())) + 1
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    sender = multiprocessing.get_context("spawn").Process(
        target=send, args=(theirs, count, given.rate * 1e6), daemon=True
    )
    sender.start()
    client = castile.Client(
        castile.wsdl(Lab), endpoint=f"http://127.0.0.1:{ours.recv()}/", cache=False, reply_bytes_max=1 << 32
    )

    stream, first, streamed = client.stream.fetch(), 0.0, 0
    for batch in stream:
        first = first or time.monotonic()
        streamed += len(batch)
    done = time.monotonic()
    began, last = ours.recv()
    whole = len(client.service.fetch())
    whole_done = time.monotonic()
    _, whole_last = ours.recv()
    sender.terminate()

    print(f"{whole} doubles, {(stream.bytes or 0) / 1e6:.0f} MB in {(last - began) * 1e3:.0f} ms")
    print(f"streamed: first batch after {(first - began) * 1e3:.1f} ms,", end=" ")
    print(f"all values {(done - last) * 1e3:.1f} ms after the last byte")
    print(f"as a whole: all values {(whole_done - whole_last) * 1e3:.1f} ms after the last byte")
    return 0 if streamed == whole == count * VALUES and first < last else 1


if __name__ == "__main__":
    sys.exit(main())
