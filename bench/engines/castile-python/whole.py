"""Applications with Castile on both sides. As a program: serves `NAME SIZE SWITCHES` until its input ends."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import castile

sys.path.insert(0, str(Path(__file__).parents[2] / "languages/python"))
import applications
from applications import APPLICATIONS, Application, Meter, host


def run(name: str, size: int, switches: dict[str, Any]) -> list[Any]:
    """The words of the answer to `run`; `switches` are members of `castile.Differential`."""
    application = APPLICATIONS[name](size)
    command = [sys.executable, __file__, name, str(size), json.dumps(switches)]
    settings = {"differential": castile.Differential(**switches)}
    return applications.run(
        application, [command] * application.hosts, lambda url, meter: Service(url, meter, **settings)
    )


class Service:
    """A client's operations, counted."""

    def __init__(self, url: str, meter: Meter, **settings: Any) -> None:
        self.client = castile.Client(f"{url}?wsdl", **settings)
        self.meter = meter

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        call = self.client.service[operation]

        def counted(**arguments: Any) -> Any:
            result = call(**arguments)
            did = self.client.last_call
            self.meter.calls += 1
            self.meter.bytes_out += did.request_bytes
            self.meter.bytes_in += did.reply_bytes
            self.meter.codec_ns += round(1e9 * (did.timings["encode"] + did.timings["decode"]))
            return result

        self.__dict__[operation] = counted
        return counted


def example(application: Application, name: str) -> Any:
    """The service of the example, as a user of it would write it."""
    if name == "linear-solver":
        from matrix_service import Matrix

        return Matrix(round(application.size**0.5))
    if name == "metadata-catalog":
        from catalog_service import Catalog

        return Catalog()
    if name == "matchmaking":
        from matchmaker_service import Matchmaker

        return Matchmaker()
    from search_service import Search

    return Search(application.service())


def main() -> None:
    name, size, switches = sys.argv[1:]
    service = example(APPLICATIONS[name](int(size)), name)
    differential = castile.Differential(**json.loads(switches))
    with castile.serve(service, port=0, background=True, differential=differential) as server:
        host(server.url, lambda: round(1e9 * (server.stats.encode_seconds + server.stats.decode_seconds)))


if __name__ == "__main__":
    main()
