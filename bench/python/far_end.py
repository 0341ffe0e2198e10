"""Both ends of a connection: 100,000 doubles of which 1 % changed since the last call, end to end.

    python bench/python/far_end.py --engines bench/build/engines

Compares Castile at both ends, which patches the request and skips what it knows of it, with the same without
any memory, with gSOAP at both ends, and with a raw copy of the same bytes. The engines are those of the
benchmark suite (PROTOCOL.md), built before. They take turns within one run; a wrong count voids it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

VALUES = 100_000
CHANGED = VALUES // 100
SETS = 12
ROUNDS = 8
BYTES = VALUES * len("<values>0.12345678901234567</values>")


class Engine:
    """A program that speaks the suite's protocol, as client or as server."""

    def __init__(self, folder: Path, wsdl: Path, **environment: str) -> None:
        self.process = subprocess.Popen(
            [str(folder / "engine")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "BUILD": str(folder), "BENCH_WSDL": str(wsdl), **environment},
        )

    def ask(self, command: str) -> list[str]:
        """Gives a command; the words after `ok`."""
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("the engine has no pipes")
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        word, *rest = self.process.stdout.readline().split()
        if word != "ok":
            raise RuntimeError(f"{command}: {word} {' '.join(rest)}")
        return rest

    def end(self) -> None:
        """Ends the program."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait()


class Pair:
    """A client and a server of one engine."""

    def __init__(self, folder: Path, wsdl: Path, sets: list[Path], **environment: str) -> None:
        self.server = Engine(folder, wsdl, **environment)
        port, *path = self.server.ask("serve bench")
        self.client = Engine(folder, wsdl, **environment)
        for values in sets:
            self.client.ask(f"load doubles {values}")
        self.call = f"call sendDoubles http://127.0.0.1:{port}{path[0] if path else '/'} {len(sets)}"

    def round(self) -> list[float]:
        """Microseconds of some calls."""
        samples = [sample.split(",") for sample in self.client.ask(self.call)]
        return [(int(sample[-1]) - int(sample[0])) / 1e3 for sample in samples]

    def end(self) -> None:
        """Ends both programs, after a look at what came."""
        with tempfile.NamedTemporaryFile() as file:
            self.client.ask(f"dump {file.name}")
            if Path(file.name).read_text().strip() != str(VALUES):
                raise RuntimeError("the server counted other values")
        self.client.end()
        self.server.end()


class Raw:
    """The same bytes, copied from one process to another."""

    def __init__(self) -> None:
        ours, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=swallow, args=(theirs,), daemon=True)
        self.process.start()
        self.socket = socket.create_connection(("127.0.0.1", ours.recv()))
        self.message = bytes(BYTES)

    def round(self) -> list[float]:
        """Microseconds of some copies."""
        spans = []
        for _ in range(SETS):
            began = time.monotonic_ns()
            self.socket.sendall(self.message)
            self.socket.recv(1)
            spans.append((time.monotonic_ns() - began) / 1e3)
        return spans

    def end(self) -> None:
        """Ends the other process."""
        self.socket.close()
        self.process.join()


def swallow(pipe: Connection) -> None:
    """Reads messages and answers each with a byte."""
    buffer = bytearray(1 << 20)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        pipe.send(listener.getsockname()[1])
        connection, _ = listener.accept()
        while True:
            left = BYTES
            while left > 0:
                count = connection.recv_into(buffer, min(left, len(buffer)))
                if count == 0:
                    return
                left -= count
            connection.sendall(b"!")


def traces(folder: Path) -> list[Path]:
    """Files of values; each differs from the last in 1 % of them, at random places."""
    source = random.Random(1)
    values = [source.random() for _ in range(VALUES)]
    files = []
    for number in range(SETS):
        for at in source.sample(range(VALUES), CHANGED):
            values[at] = source.random()
        files.append(folder / f"{number}.txt")
        files[-1].write_text("".join(f"{value!r}\n" for value in values))
    return files


def main() -> int:
    """The table; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    here = Path(__file__).parents[1]
    parser.add_argument("--engines", type=Path, default=here / "build" / "engines")
    engines: Path = parser.parse_args().engines
    wsdl = here / "workloads" / "wsdl"
    with tempfile.TemporaryDirectory() as folder:
        sets = traces(Path(folder))
        rows: dict[str, Raw | Pair] = {
            "raw copy of the bytes": Raw(),
            "Castile, both ends": Pair(engines / "castile-rust", wsdl, sets),
            "Castile without memory": Pair(engines / "castile-rust", wsdl, sets, CASTILE_ENGINE="plain"),
            "gSOAP, both ends": Pair(engines / "gsoap", wsdl, sets),
        }
        spans: dict[str, list[float]] = {name: [] for name in rows}
        for row in rows.values():
            row.round()  # warms it up
        for _ in range(ROUNDS):
            for name, row in rows.items():
                # The first value follows the last set, which differs from it in more.
                spans[name] += row.round()[1:]
        for row in rows.values():
            row.end()
    print(f"{VALUES} doubles, {CHANGED} changed, {ROUNDS * (SETS - 1)} calls each, microseconds")
    first = statistics.median(next(iter(spans.values())))
    for name, each in spans.items():
        median = statistics.median(each)
        print(f"{name:24} median {median:8.0f}  best {min(each):8.0f}  {median / first:5.2f} of the copy")
    return 0


if __name__ == "__main__":
    sys.exit(main())
