"""Serving: objects behind a socket."""

from __future__ import annotations

import atexit
import logging
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Self, TypeAlias

from . import _castile
from ._handlers import DefinedHandler, FreeHandler, Handler, ServerCall, current_call
from ._layers import ServerLayer, server_layers
from ._options import (
    TLS,
    Differential,
    Rows,
    StrPath,
    cache_settings,
    differential_settings,
    tls_settings,
)
from ._service import Definition
from .typed import Service as TypedService

__all__ = ["Server", "ServerCall", "Stats", "current_call", "serve"]

log = logging.getLogger("castile.server")

Handlers: TypeAlias = "Mapping[str, Callable[..., Any]]"


class Stats(NamedTuple):
    """What a server did since it began."""

    calls: int
    faults: int
    bytes_in: int
    bytes_out: int
    decode_seconds: float
    """Turning bytes into values, all calls together."""
    encode_seconds: float
    """Turning values into bytes, all answers together."""


class Core(Protocol):
    """What listens on a socket."""

    @property
    def address(self) -> tuple[str, int]: ...
    def stop(self) -> None: ...


class Running:
    """What runs behind a socket until it is stopped. `with` stops it at the end, and so does `stop`; one that
    nobody stops runs until the program ends, whether or not the object is kept."""

    def __init__(self, core: Core, scheme: str) -> None:
        self._listening = core
        self._stopped = threading.Event()
        self._scheme = scheme
        _servers.add(self)

    @property
    def address(self) -> tuple[str, int]:
        """The host and port that it listens on."""
        return self._listening.address

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self.address[1]

    @property
    def url(self) -> str:
        """Where it can be called from this machine."""
        host, port = self.address
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        return f"{self._scheme}://{f'[{host}]' if ':' in host else host}:{port}/"

    def stop(self) -> None:
        """Takes no further calls and waits until running ones have ended."""
        self._listening.stop()
        self._stopped.set()
        _servers.discard(self)

    def wait(self) -> None:
        """Waits until it is stopped, by another thread or by Ctrl-C."""
        try:
            while not self._stopped.wait(3600):
                pass
        except KeyboardInterrupt:
            self.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class Server(Running):
    """A service on a socket. `with` stops it at the end, and so does `stop`; one that nobody stops
    serves until the program ends, whether or not the object is kept."""

    def __init__(self, core: _castile.Server, scheme: str) -> None:
        super().__init__(core, scheme)
        self._core = core

    @property
    def wsdl_url(self) -> str:
        """Where its WSDL is."""
        return self.url + "?wsdl"

    @property
    def stats(self) -> Stats:
        """Calls, faults and bytes so far."""
        return Stats(*self._core.stats())

    @property
    def differential(self) -> dict[str, int]:
        """What differential sending did so far: replies by match, bytes sent, bytes that had to be
        written, bytes of memory kept."""
        return self._core.differential()

    @property
    def receiving(self) -> dict[str, int]:
        """What differential receiving did so far: calls that were like an earlier one (`followed`), those
        decoded plainly, bytes that were read before their message had come whole (`bytes_ahead`), numbers in
        arrays that were not read again (`values_kept`), bytes of memory kept."""
        return self._core.receiving()

    def __repr__(self) -> str:
        return f"<castile.Server at {self.url}>"


_servers: set[Running] = set()
"""Those that run: a server lives until it is stopped."""


@atexit.register
def _stop_all() -> None:
    # Handlers need the interpreter: the servers must end before it does.
    for server in list(_servers):
        server.stop()


def serve(
    obj: Any,
    host: str = "127.0.0.1",
    port: int = 8080,
    *,
    wsdl: StrPath | bytes | None = None,
    service: str | None = None,
    background: bool = False,
    strict: bool = True,
    debug: bool = False,
    digits: int | None = None,
    share_texts: bool = False,
    differential: bool | Differential = True,
    rows: Rows = "numpy",
    tls: TLS | None = None,
    users: Mapping[str, str] | None = None,
    digest: bool = False,
    layers: ServerLayer | Sequence[ServerLayer] = (),
    roles: Sequence[str] = (),
    understood: Sequence[str] = (),
    shared: Sequence[str] = (),
    unshared: Sequence[str] = (),
    public_url: str | None = None,
    workers: int | None = None,
    direct: int | None = None,
    threads: bool = True,
    body_bytes_max: int | None = None,
    depth_max: int | None = None,
    connections_max: int | None = None,
    timeout_handler: float | None = None,
    timeout_graceful: float | None = None,
    compress_reply_above: int | None = None,
    catalogs: tuple[StrPath, ...] = (),
    cache: bool | StrPath = True,
    offline: bool = False,
) -> Server:
    """Serves an object: one whose class is decorated with `service` or derives from a generated one,
    or with `wsdl` any object that has methods named like the operations (or a dict of functions).

    Blocks until Ctrl-C; with `background=True` it serves from threads of its own and gives the
    `Server` at once, which serves until `stop()`, the end of its `with`, or the end of the program.
    Port 0 takes a free one. The WSDL is shown at `?wsdl`.

    >>> import castile
    >>> @castile.service(namespace="urn:calc")
    ... class Calculator:
    ...     @castile.operation
    ...     def add(self, a: int, b: int) -> int:
    ...         return a + b
    >>> with castile.serve(Calculator(), port=0, background=True) as server:
    ...     castile.Client(server.wsdl_url, cache=False).service.add(2, 3)
    5

    Handlers run on several threads at once. What a handler raises goes to the caller as a fault
    that tells nothing but that it happened, and to the log; `castile.Fault` goes as it is. With `debug=True`
    callers are told what is wrong with the service: what a handler raised, why its result cannot be sent, and
    why the detail of its fault, without which the fault goes out else. It is for tests and for your own
    machine. With `wsdl`, a handler whose name is (nearly) that of no operation, or that cannot take an
    operation's arguments, is an error at once; operations may lack a handler.
    `users` are names and passwords that may call, by basic authentication (use it with `tls`), or with
    `digest=True` by digest authentication.
    `layers` check the headers of requests and add headers to replies: `CheckSecurity`,
    `CheckAddressing`. `roles` are the SOAP actors that the service plays: headers for them that must be
    understood and are not are refused. `understood` are the headers that handlers look for themselves,
    as `{namespace}local`, beside those of the WSDL and of the layers. Of the operations `shared` a reply
    is made from the last one to anybody, of `unshared` from none; of others from the last one to the
    same principal.

    `workers` threads serve connections (one for each processor, and sixteen at least, unless said). As many
    connections as `direct` says (64; 0 for none) may have a thread to themselves, on which small calls are
    answered one after the other. `threads=False` runs the handlers of all others on the workers: less work a
    call, and one that takes long keeps others waiting.

    A handler whose last parameter is an iterator (`Iterator[NDArray[np.float64]]`, or `castile.Stream`) gets
    that array batch by batch while it comes, and one that returns an iterator is answered with while it makes
    the values: `body_bytes_max` is for messages that are read whole.
    """
    target = obj() if isinstance(obj, type) else obj
    handler: Handler
    document: StrPath | bytes
    classes = None
    if isinstance(target, TypedService):
        handler = FreeHandler(target)
        document = target._castile_types.contract if wsdl is None else wsdl
        classes = target._castile_types.record_class
        service = service or target._castile_service
    elif wsdl is None:
        definition = Definition.of(target)
        handler = DefinedHandler(target, definition)
        document = definition.wsdl(public_url or f"http://{host}:{port}/")
    else:
        handler = FreeHandler(target)
        document = wsdl
    handler.debug = debug
    settings = {
        "service": service,
        "classes": classes,
        "strict": strict,
        "debug": debug,
        "digits": digits,
        "share_texts": share_texts,
        **differential_settings(differential),
        "rows": rows,
        "users": dict(users) if users is not None else None,
        "digest": digest,
        "layers": server_layers(layers),
        "roles": list(roles),
        "understood": list(understood),
        "shared": list(shared),
        "unshared": list(unshared),
        "public_url": public_url,
        "workers": workers,
        "direct": direct,
        "threads": threads,
        "body_bytes_max": body_bytes_max,
        "depth_max": depth_max,
        "connections_max": connections_max,
        "timeout_handler": timeout_handler,
        "timeout_graceful": timeout_graceful,
        "compress_reply_above": compress_reply_above,
        "catalogs": list(catalogs),
        "offline": offline,
        **tls_settings(tls),
        **cache_settings(cache),
    }
    core = _castile.Server(document, host, port, handler, settings)
    server = Server(core, "https" if tls is not None else "http")
    if not background:
        log.info("serving at %s (contract at %s)", server.url, server.wsdl_url)
        if not log.isEnabledFor(logging.INFO):
            print(f"serving at {server.url} (contract at {server.wsdl_url})", file=sys.stderr, flush=True)
        server.wait()
    return server
