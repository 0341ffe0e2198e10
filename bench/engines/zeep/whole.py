"""Applications with zeep as the client, and spyne as the server (`../spyne/whole.py`)."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import zeep

sys.path.insert(0, str(Path(__file__).parents[2] / "languages/python"))
import applications
from applications import APPLICATIONS, Meter

SERVER = Path(__file__).parents[1] / "spyne/whole.py"
#: What gives a list, which zeep has as None when it is empty.
LISTS = ("find", "describe", "query", "negotiate")
VECTORS = ("multiply", "diagonal")


def run(name: str, size: int) -> list[Any]:
    """The words of the answer to `run`."""
    application = APPLICATIONS[name](size)
    command = [sys.executable, str(SERVER), name, str(size)]
    return applications.run(application, [command] * application.hosts, Service)


class Counting(zeep.Transport):
    """Counts bytes, and the time on the way."""

    def __init__(self, meter: Meter) -> None:
        super().__init__()
        self.meter = meter

    def post(self, address: str, message: bytes, headers: dict[str, str]) -> Any:
        start = time.monotonic_ns()
        reply = super().post(address, message, headers)
        self.meter.bytes_out += len(message)
        self.meter.bytes_in += len(reply.content)
        self.meter.codec_ns -= time.monotonic_ns() - start
        return reply


class Service:
    """A client's operations, counted."""

    def __init__(self, url: str, meter: Meter) -> None:
        self.client = zeep.Client(f"{url}?wsdl", transport=Counting(meter))
        self.meter = meter

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        call = self.client.service[operation]

        def counted(**arguments: Any) -> Any:
            values = {n: v.tolist() if isinstance(v, np.ndarray) else v for n, v in arguments.items()}
            start = time.monotonic_ns()
            result = call(**values)
            self.meter.codec_ns += time.monotonic_ns() - start
            self.meter.calls += 1
            if operation in VECTORS:
                return np.array(result)
            return result or [] if operation in LISTS else result

        self.__dict__[operation] = counted
        return counted
