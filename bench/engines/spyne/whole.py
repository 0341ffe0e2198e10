"""Applications with spyne as the server: serves `NAME SIZE` until its input ends.

The contract is made of the example's dataclasses. What encoding and decoding take is the time in the WSGI
application without that in the operations.
"""

from __future__ import annotations

import dataclasses
import io
import sys
import threading
import time
import typing
from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from spyne import Application as SpyneApplication
from spyne import ComplexModel, ServiceBase, rpc
from spyne.model import Boolean, Double, Integer64, Unicode
from spyne.model.enum import Enum as SpyneEnum
from spyne.protocol.soap import Soap11
from spyne.server.wsgi import WsgiApplication

sys.path.insert(0, str(Path(__file__).parents[2] / "languages/python"))
from applications import APPLICATIONS, host, made, word

NAMESPACE = "urn:castile:bench:applications"

# Of each application: its operations, with the hints of those that a plain function lacks.
VECTOR = list[float]
OPERATIONS: dict[str, dict[str, dict[str, Any]]] = {
    "linear-solver": {"multiply": {"vector": VECTOR, "return": VECTOR}, "diagonal": {"return": VECTOR}},
    "metadata-catalog": {"add": {}, "find": {}, "describe": {}},
    "matchmaking": {"advertise": {}, "withdraw": {}, "query": {}, "negotiate": {}},
    "text-search": {"search": {}},
}
SIMPLE = {
    str: Unicode(min_occurs=1, nillable=False, trim=False),
    int: Integer64,
    float: Double,
    bool: Boolean,
}


class Contract:
    """spyne's classes for the example's types."""

    def __init__(self) -> None:
        self.made: dict[type, Any] = {}

    def of(self, hint: Any) -> Any:
        if typing.get_origin(hint) is list:
            return self.of(typing.get_args(hint)[0]).customize(min_occurs=0, max_occurs="unbounded")
        if hint in SIMPLE:
            return SIMPLE[hint]
        if hint not in self.made:
            if issubclass(hint, Enum):
                self.made[hint] = SpyneEnum(*(member.value for member in hint), type_name=hint.__name__)
            else:
                members = [(name, self.of(inner)) for name, inner in typing.get_type_hints(hint).items()]
                self.made[hint] = type(
                    hint.__name__, (ComplexModel,), {"__namespace__": NAMESPACE, "_type_info": members}
                )
        return self.made[hint]

    def back(self, value: Any) -> Any:
        """What an operation gives, as spyne's objects."""
        if dataclasses.is_dataclass(value):
            names = [f.name for f in dataclasses.fields(value)]
            return self.made[type(value)](**{name: self.back(getattr(value, name)) for name in names})
        return [self.back(item) for item in value] if isinstance(value, list) else word(value)


class Clock:
    """Time in the application, and in its operations."""

    def __init__(self, application: Any) -> None:
        self.application = application
        self.codec_ns = 0

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        length = int(environ.get("CONTENT_LENGTH") or 0)
        environ["wsgi.input"] = io.BytesIO(environ["wsgi.input"].read(length))
        start = time.monotonic_ns()
        body = b"".join(self.application(environ, start_response))
        if environ["REQUEST_METHOD"] == "POST":
            self.codec_ns += time.monotonic_ns() - start
        return [body]

    def working(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The operation; its time does not count."""

        def timed(*arguments: Any) -> Any:
            start = time.monotonic_ns()
            try:
                return function(*arguments)
            finally:
                self.codec_ns -= time.monotonic_ns() - start

        return timed


def operation(contract: Contract, clock: Clock, name: str, method: Any, hints: dict[str, Any]) -> Any:
    hints = hints or typing.get_type_hints(method)
    returns = hints.pop("return")
    parameters = list(hints)

    def work(*arguments: Any) -> Any:
        values = {n: made(hints[n], v) for n, v in zip(parameters, arguments, strict=True)}
        result = method(**values)
        return contract.back(result.tolist() if hasattr(result, "tolist") else result)

    timed = clock.working(work)

    def called(_context: Any, *arguments: Any) -> Any:
        return timed(*arguments)

    called.__name__ = name
    types = [contract.of(hints[parameter]) for parameter in parameters]
    return rpc(*types, _args=parameters, _returns=contract.of(returns))(called)


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_args: Any) -> None:
        pass


def main() -> None:
    name, size = sys.argv[1:]
    service = APPLICATIONS[name](int(size)).service()
    if name == "linear-solver":
        service = arrays(service)
    contract, clock = Contract(), Clock(None)
    operations = {
        word_: operation(contract, clock, word_, getattr(service, word_), dict(hints))
        for word_, hints in OPERATIONS[name].items()
    }
    application = SpyneApplication(
        [type("Service", (ServiceBase,), operations)],
        NAMESPACE,
        name="Application",
        in_protocol=Soap11(),
        out_protocol=Soap11(),
    )
    clock.application = WsgiApplication(application)
    server = make_server("127.0.0.1", 0, clock, Server, Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host(f"http://127.0.0.1:{server.server_port}/", lambda: clock.codec_ns)


def arrays(service: Any) -> Any:
    """A matrix that takes lists."""
    import types

    import numpy as np

    return types.SimpleNamespace(
        multiply=lambda vector: service.multiply(np.array(vector)), diagonal=service.diagonal
    )


if __name__ == "__main__":
    main()
