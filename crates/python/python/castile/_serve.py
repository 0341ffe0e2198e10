"""Serving: objects behind a socket."""

from __future__ import annotations

import asyncio
import atexit
import contextvars
import inspect
import logging
import threading
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, Self, TypeAlias

from . import _castile
from ._calls import header_blocks
from ._castile import OperationFace
from ._errors import Fault, NoSuchOperation
from ._hints import Streamed, load_value
from ._layers import ServerLayer, server_layers
from ._operations import close_name, no_operation
from ._options import (
    TLS,
    Differential,
    Rows,
    StrPath,
    cache_settings,
    differential_settings,
    tls_settings,
)
from ._records import Record, attribute_names
from ._service import Bound, Definition, fault_reason
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


@dataclass
class ServerCall:
    """The call that a handler is answering: `castile.current_call()`."""

    operation: str
    soap_version: str
    peer: tuple[str, int] | None
    headers: dict[str, Any]
    """The SOAP headers that the contract knows, by name."""
    header_blocks: list[tuple[str, str]]
    """All header blocks as XML, by name `{namespace}local`."""
    principal: str | None = None
    """Who proved to send it: to a layer, or to HTTP. A handler that finds it out by ways of its own
    sets it, so that the reply is made from earlier replies to the same one only."""
    session: _castile.Conversation | None = None
    """The session that it belongs to (CWMP)."""
    stream: _castile.Stream[Any] | None = None
    """The argument that is read while it comes, where the handler takes an iterator."""
    reply_headers: dict[str, Any] | list[Any] = field(default_factory=dict)
    """What the handler puts here goes out as SOAP headers: by name, or a list of XML elements."""


_current: contextvars.ContextVar[ServerCall] = contextvars.ContextVar("castile_current_call")


def current_call() -> ServerCall:
    """The call that is being answered; for use inside a handler."""
    try:
        return _current.get()
    except LookupError:
        raise RuntimeError("no call is being answered here") from None


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
        decoded plainly, numbers in arrays that were not read again (`values_kept`), bytes of memory kept."""
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
    digits: int | None = None,
    share_texts: bool = False,
    differential: bool | Differential = True,
    rows: Rows = "numpy",
    tls: TLS | None = None,
    users: Mapping[str, str] | None = None,
    digest: bool = False,
    layers: Sequence[ServerLayer] = (),
    roles: Sequence[str] = (),
    understood: Sequence[str] = (),
    shared: Sequence[str] = (),
    unshared: Sequence[str] = (),
    public_url: str | None = None,
    workers: int | None = None,
    threads: bool = True,
    body_bytes_max: int | None = None,
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
    that tells nothing but that it happened, and to the log; `castile.Fault` goes as it is.
    With `wsdl`, a handler whose name is (nearly) that of no operation, or that cannot take an
    operation's arguments, is an error at once; operations may lack a handler.
    `users` are names and passwords that may call, by basic authentication (use it with `tls`), or with
    `digest=True` by digest authentication.
    `layers` check the headers of requests and add headers to replies: `CheckSecurity`,
    `CheckAddressing`. `roles` are the SOAP actors that the service plays: headers for them that must be
    understood and are not are refused. `understood` are the headers that handlers look for themselves,
    as `{namespace}local`, beside those of the WSDL and of the layers. Of the operations `shared` a reply
    is made from the last one to anybody, of `unshared` from none; of others from the last one to the
    same principal.

    A handler whose last parameter is an iterator (`Iterator[NDArray[np.float64]]`, or `castile.Stream`) gets
    that array batch by batch while it comes, and one that returns an iterator is answered with while it makes
    the values: `body_bytes_max` is for messages that are read whole.
    """
    target = obj() if isinstance(obj, type) else obj
    handler: _Handler
    document: StrPath | bytes
    classes = None
    if isinstance(target, TypedService):
        handler = _FreeHandler(target)
        document = target._castile_types.contract if wsdl is None else wsdl
        classes = target._castile_types.record_class
        service = service or target._castile_service
    elif wsdl is None:
        definition = Definition.of(target)
        handler = _DefinedHandler(target, definition)
        document = definition.wsdl(public_url or f"http://{host}:{port}/")
    else:
        handler = _FreeHandler(target)
        document = wsdl
    settings = {
        "service": service,
        "classes": classes,
        "strict": strict,
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
        "threads": threads,
        "body_bytes_max": body_bytes_max,
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
        server.wait()
    return server


class _Handler:
    """What the core calls, from any thread."""

    _faces: Mapping[str, OperationFace]

    def begin(self, faces: Sequence[OperationFace]) -> None:
        """Takes note of the contract's operations."""
        self._faces = {face.name: face for face in faces}

    def streamed(self, operation: str, arguments: Sequence[str]) -> str | None:
        """The argument that is read while it comes."""
        raise NotImplementedError

    def handle(
        self, operation: str, arguments: Record, headers: Record, call: _castile.ServerCall
    ) -> tuple[Any, Mapping[str, Any], str | None]:
        """Answers one call. Raises nothing but `Fault`."""
        current = ServerCall(
            operation,
            call.soap_version,
            call.peer,
            header_blocks(headers),
            call.header_blocks,
            call.principal,
            call.session,
            call.stream,
        )
        token = _current.set(current)
        try:
            value = self.answer(operation, arguments, current)
            if inspect.iscoroutine(value):
                value = asyncio.run(value)
        except Fault as fault:
            fault.details = [(self._declared(operation, name), value) for name, value in fault.details]
            raise
        except Exception as error:
            if call.stream is not None and call.stream.failed:
                # The caller is told what is wrong with the message.
                log.info("operation %s: the message is wrong: %s", operation, error)
                raise Fault(str(error), "Sender") from None
            raise self.to_fault(operation, error) from None
        finally:
            _current.reset(token)
        return value, header_blocks(current.reply_headers), current.principal

    def answer(self, operation: str, arguments: Record, call: ServerCall) -> Any:
        """The value of a call."""
        raise NotImplementedError

    def to_fault(self, operation: str, error: Exception) -> Fault:
        """What the caller learns of an exception: that there was one."""
        self.failed(operation, error)
        return Fault("the service failed to answer", "Receiver")

    def detail_failed(self, operation: str, path: str, why: str) -> None:
        """Writes to the log that a fault went out without its detail."""
        log.error(
            "operation %s: its fault was sent without the detail, which is wrong at %s: %s",
            operation,
            path,
            why,
        )

    def _declared(self, operation: str, name: str) -> str:
        """The name of a declared fault's element, which may be given without its namespace."""
        if name.startswith("{"):
            return name
        face = self._faces.get(operation)
        called = [f for f in (face.faults if face else ()) if f.rpartition("}")[2] == name]
        return called[0] if len(called) == 1 else name

    def failed(self, operation: str, error: BaseException) -> None:
        """Writes to the log what the caller is not told."""
        log.error("operation %s failed", operation, exc_info=error)


class _DefinedHandler(_Handler):
    """Methods of a service class."""

    def __init__(self, target: Any, definition: Definition) -> None:
        self._definition = definition
        self._methods = {name: getattr(target, b.method) for name, b in definition.operations.items()}

    def streamed(self, operation: str, arguments: Sequence[str]) -> str | None:
        return next(iter(self._definition.operations[operation].streamed), None)

    def answer(self, operation: str, arguments: Record, call: ServerCall) -> Any:
        bound = self._definition.operations[operation]
        try:
            values = self._definition.arguments(bound, arguments)
            values.update(self._definition.stream(bound, arguments, call.stream))
            for name, use in bound.headers.items():
                if name in call.headers:
                    call.headers[name] = load_value(use, call.headers[name])
        except (ValueError, TypeError) as error:
            raise Fault(f"a value is not what {operation} takes: {error}", "Sender") from None
        return self._methods[operation](**values)

    def to_fault(self, operation: str, error: Exception) -> Fault:
        bound: Bound = self._definition.operations[operation]
        declared = next((cls for cls in type(error).__mro__ if cls in bound.faults), None)
        if declared is None:
            return super().to_fault(operation, error)
        element = f"{{{self._definition.namespace}}}{declared.__name__}"
        return Fault(fault_reason(error), getattr(error, "code", "Receiver"), detail=(element, error))


class _FreeHandler(_Handler):
    """Methods or functions for the operations of a WSDL."""

    def __init__(self, target: Any) -> None:
        self._target = target
        self._methods: dict[str, tuple[Callable[..., Any], frozenset[str]]] = {}
        self._streams: dict[str, tuple[str, Streamed]] = {}

    def begin(self, faces: Sequence[OperationFace]) -> None:
        super().begin(faces)
        missing = [name for name in self._faces if self._handler(name) is None]
        self._refuse_strange(missing)
        for name in self._faces.keys() - set(missing):
            _check_parameters(self._faces[name], self._handler(name))
        if missing:
            log.info("operations without a handler: %s", ", ".join(sorted(missing)))

    def streamed(self, operation: str, arguments: Sequence[str]) -> str | None:
        hints = _hints_of(self._handler(operation))
        names = zip(arguments, attribute_names(tuple(arguments)), strict=True)
        hinted = [(name, attr, Streamed.of(hints[attr])) for name, attr in names if attr in hints]
        found = [(name, attr, streamed) for name, attr, streamed in hinted if streamed is not None]
        if len(found) > 1:
            raise TypeError(f"the handler of operation {operation} takes several iterators")
        for name, attr, streamed in found:
            self._streams[operation] = (attr, streamed)
            return name
        return None

    def answer(self, operation: str, arguments: Record, call: ServerCall) -> Any:
        method, optional = self._methods.get(operation) or self._find(operation)
        # All fields by their Python names; those that did not come only where the method has no
        # default for them.
        pairs = zip(arguments._castile_fields, arguments._castile_attrs, strict=True)
        values = {attr: arguments[name] for name, attr in pairs if name in arguments or attr not in optional}
        if operation in self._streams:
            attr, streamed = self._streams[operation]
            # A message that did not come over a connection of its own came whole.
            stream = iter([values[attr]]) if call.stream is None else call.stream
            values[attr] = streamed.read(stream, None)
        return method(**values)

    def _find(self, operation: str) -> tuple[Callable[..., Any], frozenset[str]]:
        """The method and its parameters that have defaults; looked up once."""
        method = self._handler(operation)
        if not callable(method):
            log.error("operation %s is not implemented", operation)
            raise Fault(f"operation {operation} is not implemented", "Receiver")
        parameters = inspect.signature(method).parameters.values()
        optional = frozenset(p.name for p in parameters if p.default is not inspect.Parameter.empty)
        self._methods[operation] = found = (method, optional)
        return found

    def _handler(self, operation: str) -> Any:
        """What answers an operation, `None` where nothing does."""
        if isinstance(self._target, Mapping):
            return self._target.get(operation)
        return getattr(self._target, attribute_names((operation,))[0], None)

    def _refuse_strange(self, missing: Sequence[str]) -> None:
        """Raises for a handler that can only be a misspelt one."""
        if isinstance(self._target, Mapping):
            for key in self._target:
                if key not in self._faces:
                    raise NoSuchOperation(no_operation(key, self._faces))
            return
        names = {attribute_names((name,))[0] for name in self._faces}
        for name in dir(type(self._target)):
            if name.startswith("_") or name in names:
                continue
            method = inspect.getattr_static(self._target, name)
            if inspect.isfunction(method) and close_name(name, missing) is not None:
                raise NoSuchOperation(no_operation(name, missing))


def _hints_of(method: Any) -> dict[str, Any]:
    """The hints of a handler; none where they cannot be read, for nothing else needs them."""
    try:
        return typing.get_type_hints(method)
    except (TypeError, NameError, AttributeError):
        return {}


def _check_parameters(face: OperationFace, method: Any) -> None:
    """Raises `TypeError` unless the method takes the operation's arguments as keywords."""
    if not callable(method):
        raise TypeError(f"the handler of operation {face.name} is no function but {type(method).__name__}")
    try:
        parameters = inspect.signature(method).parameters.values()
    except ValueError:  # of a builtin
        return
    given = attribute_names(tuple(p.name for p in face.parameters))
    named = {p.name: p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    takes_any = any(p.kind == p.VAR_KEYWORD for p in parameters)
    for name in given:
        if name not in named and not takes_any:
            raise TypeError(f"the handler of operation {face.name} cannot take its argument {name!r}")
    for p in parameters:
        needed = p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        if needed and (p.name not in given or p.kind == p.POSITIONAL_ONLY):
            raise TypeError(f"operation {face.name} has no argument {p.name!r}, which its handler needs")
