"""Clients: `Client` for plain code, `AsyncClient` for asyncio."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeAlias, TypeVar, cast

from . import _castile
from ._castile import Call, OperationFace, Request, Stream
from ._errors import Fault, NoSuchOperation
from ._layers import Layer, client_layers
from ._operations import help_text, no_operation, signature
from ._options import (
    TLS,
    Arrays,
    Auth,
    Differential,
    Rows,
    StrPath,
    Timeouts,
    auth_setting,
    cache_settings,
    differential_settings,
    header_settings,
    timeout_settings,
    tls_settings,
)
from ._records import XML, Record, attribute_names

if TYPE_CHECKING:
    from .typed import Types

__all__ = ["AsyncClient", "Client"]

Headers: TypeAlias = "Mapping[str, Any] | Record | Sequence[Any] | XML | None"
OnRequest: TypeAlias = Callable[[Request], object]
OnReply: TypeAlias = Callable[[Call], object]
Hook = TypeVar("Hook", bound=Callable[..., object])


Service = TypeVar("Service")
"""What `client.service` is."""


class Shared(Generic[Service]):
    """What all clients have: the contract, the settings, the steps that move no bytes."""

    service: Service
    _castile_types: ClassVar[Types | None] = None

    def __init__(
        self,
        wsdl: StrPath | bytes,
        *,
        endpoint: str | None = None,
        service: str | None = None,
        port: str | None = None,
        auth: Auth = None,
        tls: TLS | None = None,
        timeout: float | Timeouts | None = None,
        headers: Headers = None,
        http_headers: Mapping[str, str] | None = None,
        strict: bool = True,
        digits: int | None = None,
        share_texts: bool = False,
        differential: bool | Differential = True,
        rows: Rows = "numpy",
        arrays: Arrays = "numpy",
        layers: Sequence[Layer] = (),
        faults: Iterable[type[Exception]] = (),
        catalogs: Iterable[StrPath] = (),
        cache: bool | StrPath = True,
        offline: bool = False,
        proxy: str | None = None,
        follow_redirects: bool = False,
        compress: str | None = None,
        reply_bytes_max: int | None = None,
        cookies: bool = True,
        chunked: bool = False,
    ) -> None:
        settings = {
            "endpoint": endpoint,
            "service": service,
            "port": port,
            "auth": auth_setting(auth),
            "http_headers": header_settings(http_headers),
            "strict": strict,
            "digits": digits,
            "share_texts": share_texts,
            "rows": rows,
            "arrays": arrays,
            "layers": client_layers(layers),
            "catalogs": list(catalogs),
            "offline": offline,
            "proxy": proxy,
            "follow_redirects": follow_redirects,
            "compress": compress,
            "reply_bytes_max": reply_bytes_max,
            "cookies": cookies,
            "chunked": chunked,
            "classes": None if self._castile_types is None else self._castile_types.record_class,
            **tls_settings(tls),
            **timeout_settings(timeout),
            **differential_settings(differential),
            **cache_settings(cache),
        }
        self._attach(_castile.Client(wsdl, settings), headers, faults)

    def _attach(
        self, core: _castile.Client, headers: Headers = None, faults: Iterable[type[Exception]] = ()
    ) -> None:
        """Takes the core that does the work."""
        self._core = core
        self._headers = headers
        self._faults = {cls.__name__: cls for cls in faults}
        self._on_request: list[OnRequest] = []
        self._on_reply: list[OnReply] = []
        self._faces = {face.name: face for face in self._core.operations()}
        self._begin()

    _streams = False
    """Whether requests may be written while they are sent."""

    def _begin(self) -> None:
        """Sets up what differs between the two."""

    @property
    def endpoint(self) -> str:
        """Where calls go."""
        return self._core.endpoint

    @property
    def differential(self) -> dict[str, int]:
        """What differential sending did so far: messages by match, bytes sent, bytes that had to be
        written, bytes of memory kept."""
        return self._core.differential()

    @property
    def receiving(self) -> dict[str, int]:
        """What differential receiving did so far: replies that were like an earlier one (`followed`), those
        decoded plainly, how many of these were learned, bytes of each, bytes of memory kept."""
        return self._core.receiving()

    @property
    def types(self) -> list[str]:
        """The names of the contract's complex types and enumerations, `{namespace}local`."""
        return self._core.type_names()

    def type(self, name: str) -> Any:
        """The class of a complex type, whose values can be sent and come back; for an
        enumeration, a class with one text a member.

        `name` is `{namespace}local`; `local` suffices where only one type is called so.
        """
        return self._core.type(name)

    def encode(self, operation: str, /, *args: Any, _headers: Headers = None, **kwargs: Any) -> bytes:
        """The envelope of a request, without sending it."""
        return self._core.encode(operation, args, kwargs, self._header(operation, _headers))

    def decode(self, operation: str, reply: bytes) -> Any:
        """The value of a reply's envelope that came by other ways. Raises `Fault` for a fault."""
        try:
            return self._core.decode(operation, reply)
        except Fault as fault:
            raise self._typed(fault) from None

    def on_request(self, hook: Hook) -> Hook:
        """Calls `hook(request)` before each request is sent. It may set `request.body` and call
        `request.add_http_header(name, value)`. Can be used as a decorator.
        """
        self._on_request.append(hook)
        return hook

    def on_reply(self, hook: Hook) -> Hook:
        """Calls `hook(call)` after each reply, also when it is a fault. Can be used as a decorator."""
        self._on_reply.append(hook)
        return hook

    def __repr__(self) -> str:
        return f"<castile.{type(self).__name__} of {self.endpoint}, {len(self._faces)} operations>"

    def _request(
        self,
        operation: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        headers: Headers,
        http: Mapping[str, str] | None,
    ) -> Request:
        header = self._header(operation, headers)
        request = self._core.prepare(operation, args, kwargs, header, self._streams)
        for name, value in (http or {}).items():
            request.add_http_header(name, value)
        for hook in self._on_request:
            hook(request)
        return request

    def _header(self, operation: str, headers: Headers) -> Any:
        """The header blocks of one call: those of the client, and over them those of the call."""
        if self._headers is None:
            return headers if headers is None or isinstance(headers, Record) else _blocks(headers)
        face = self._faces.get(operation)
        known = {p.name for p in face.headers} if face else set()
        default = {name: value for name, value in _blocks(self._headers).items() if name in known}
        return default if headers is None else {**default, **_blocks(headers)}

    def _typed(self, fault: Fault) -> Exception:
        """The user's own exception for a declared fault, where there is a class for it."""
        if self._castile_types is not None:
            fault = self._castile_types.typed_fault(fault)
        cls = self._faults.get(fault.name or "")
        detail = fault.detail
        if cls is None or not isinstance(detail, Record):
            return fault
        fields = zip(detail._castile_fields, detail._castile_attrs, strict=True)
        error = cls(**{attr: detail[name] for name, attr in fields if name in detail})
        error.__cause__ = fault
        return error


class PlainClient(Shared[Service]):
    """Calls that block."""

    stream: Operations[StreamOperation]
    """The operations, for replies with a long array, which comes batch by batch:
    `for batch in client.stream.fetch(7): ...`."""

    _streams = True

    def _begin(self) -> None:
        self._last = threading.local()
        self.service = cast(Service, Operations(self, Operation))
        self.stream = Operations(self, StreamOperation)

    @property
    def last_call(self) -> Call | None:
        """What this thread's last call did and cost; `None` before the first, and when no reply came
        back or it could not be read (a fault is a reply)."""
        return getattr(self._last, "call", None)

    def _call(
        self,
        operation: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        headers: Headers,
        timeout: float | None,
        http: Mapping[str, str] | None,
    ) -> Any:
        core = self._core
        self._last.call = None
        request = self._request(operation, args, kwargs, headers, http)
        if request.is_streamed:
            header = self._header(operation, headers)
            answer = core.exchange_streamed(request, args, kwargs, header, timeout)
        else:
            answer = core.exchange(request, timeout)
        value, is_fault, call = core.receive(answer)
        self._last.call = call
        for hook in self._on_reply:
            hook(call)
        if is_fault:
            raise self._typed(value)
        return value

    def _open(
        self,
        operation: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        headers: Headers,
        timeout: float | None,
        http: Mapping[str, str] | None,
        array: str | None,
        batch: int,
    ) -> Stream[Any]:
        request = self._request(operation, args, kwargs, headers, http)
        header = self._header(operation, headers)
        try:
            return self._core.open_stream(request, args, kwargs, header, timeout, array, batch)
        except Fault as fault:
            raise self._typed(fault) from None


class Client(PlainClient["Operations[Operation]"]):
    """A client of the service that a WSDL describes.

    `wsdl` is a path, a URL, or the document itself as bytes. Compiled contracts are kept on disk,
    so that the next start is fast (`cache=False` keeps none, a path keeps them there).

    ```
    client = castile.Client("service.wsdl")
    client.service.add(2, 3)
    client.service.add(a=2, b=3, _timeout=5.0, _headers={"Session": "x"})
    ```

    `endpoint`, `service` and `port` choose where calls go, `auth` is a pair of user and password
    (or `Digest`, `Bearer`), `timeout` seconds for a whole call (or `Timeouts`), `headers` SOAP
    headers and `http_headers` HTTP headers of every call. With `strict=False` small breaches of the
    contract by the peer are overlooked. A message is made from the last one like it;
    `differential=False` writes each anew, `Differential` tunes it. `digits` sends doubles with
    fewer digits; `share_texts` sends equal texts once by the rules of SOAP encoding. `rows` says
    whether arrays of flat structs come as structured arrays (`"numpy"`) or as lists of objects
    (`"objects"`). `layers` add headers to requests and check replies: `UsernameToken`, `Timestamp`,
    `Addressing`. `faults` are exception classes with fields, raised instead of `Fault` for declared
    faults of the same name.

    An iterator in the place of an array is sent while it is read, batch by batch, and so is an array
    larger than `Differential.overlay_above`.

    Any number of threads may use a client at once.
    """

    service: Operations[Operation]
    """The operations, as attributes: `client.service.add(2, 3)`."""


class AwaitedClient(Shared[Service]):
    """Calls that are awaited."""

    def _begin(self) -> None:
        self._last: contextvars.ContextVar[Call | None] = contextvars.ContextVar(
            "castile_last_call", default=None
        )
        self.service = cast(Service, Operations(self, AsyncOperation))

    @classmethod
    async def load(cls, *wsdl: StrPath | bytes, **settings: Any) -> Self:
        """A client whose WSDL is loaded beside the running loop."""
        return await asyncio.to_thread(cls, *wsdl, **settings)

    @property
    def last_call(self) -> Call | None:
        """What this task's last call did and cost; `None` before the first, and when no reply came
        back or it could not be read (a fault is a reply)."""
        return self._last.get()

    async def _call(
        self,
        operation: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        headers: Headers,
        timeout: float | None,
        http: Mapping[str, str] | None,
    ) -> Any:
        self._last.set(None)
        request = self._request(operation, args, kwargs, headers, http)
        answer = await exchange_async(self._core, request, timeout)
        value, is_fault, call = self._core.receive(answer)
        self._last.set(call)
        for hook in self._on_reply:
            hook(call)
        if is_fault:
            raise self._typed(value)
        return value


class AsyncClient(AwaitedClient["Operations[AsyncOperation]"]):
    """A client for asyncio: calls are awaited, and cancelling a task cancels its call.

    ```
    client = castile.AsyncClient("service.wsdl")
    total = await client.service.add(2, 3)
    ```

    The settings are those of `Client`. Loading a WSDL blocks; make the client before the loop
    starts, or with `await AsyncClient.load(...)`.
    """

    service: Operations[AsyncOperation]
    """The operations, as attributes: `await client.service.add(2, 3)`."""


async def exchange_async(core: _castile.Client, request: Request, timeout: float | None) -> _castile.Answer:
    """Sends a request beside the running loop; cancelling gives the call up."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[_castile.Answer] = loop.create_future()

    def settle(answer: _castile.Answer | None, error: BaseException | None) -> None:
        if future.done():
            return
        if answer is not None:
            future.set_result(answer)
        else:
            future.set_exception(error or RuntimeError("no answer and no error"))

    def done(answer: _castile.Answer | None, error: BaseException | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, answer, error)

    running = core.start(request, timeout, done)
    try:
        return await future
    except asyncio.CancelledError:
        running.cancel()
        raise


class _OperationBase:
    """One operation of the port."""

    def __init__(self, client: Any, face: OperationFace) -> None:
        self._client = client
        self.face = face
        self.__name__ = self.__qualname__ = face.name
        self.__doc__ = help_text(face)

    @property
    def __signature__(self) -> inspect.Signature:
        return signature(self.face)

    def __repr__(self) -> str:
        return f"<operation {self.face.name}{signature(self.face)}>"


class Operation(_OperationBase):
    """An operation that is called and gives its value."""

    def __call__(
        self,
        /,
        *args: Any,
        _headers: Headers = None,
        _timeout: float | None = None,
        _http_headers: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> Any:
        return self._client._call(self.face.name, args, kwargs, _headers, _timeout, _http_headers)


class StreamOperation(_OperationBase):
    """An operation that is called and gives an array of its reply batch by batch."""

    def __call__(
        self,
        /,
        *args: Any,
        _array: str | None = None,
        _batch: int = 10_000,
        _headers: Headers = None,
        _timeout: float | None = None,
        _http_headers: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> Stream[Any]:
        """Sends the request and reads the head of the reply.

        `_array` names the array (`"values"`, or `"a.b"` for field `b` of field `a`) where the reply has
        several. A batch has at least `_batch` items, but the last; 1 gives each as soon as it is there.
        """
        opened: Stream[Any] = self._client._open(
            self.face.name, args, kwargs, _headers, _timeout, _http_headers, _array, _batch
        )
        return opened


class AsyncOperation(_OperationBase):
    """An operation that is called and awaited."""

    async def __call__(
        self,
        /,
        *args: Any,
        _headers: Headers = None,
        _timeout: float | None = None,
        _http_headers: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> Any:
        return await self._client._call(self.face.name, args, kwargs, _headers, _timeout, _http_headers)


Op = TypeVar("Op", bound=_OperationBase)


class Operations(Generic[Op]):
    """The operations of a client's port, as attributes and as items."""

    def __init__(self, client: Any, make: Callable[[Any, OperationFace], Op]) -> None:
        self._client = client
        self._make = make
        self._faces: dict[str, OperationFace] = client._faces
        # Names that Python cannot write have others.
        names = tuple(self._faces)
        self._attrs = dict(zip(attribute_names(names), names, strict=True))

    def __getattr__(self, name: str) -> Op:
        if name.startswith("__"):
            raise AttributeError(name)
        operation = self[self._attrs.get(name, name)]
        self.__dict__[name] = operation
        return operation

    def __getitem__(self, name: str) -> Op:
        face = self._faces.get(name)
        if face is None:
            raise NoSuchOperation(no_operation(name, self._faces))
        return self._make(self._client, face)

    def __contains__(self, name: object) -> bool:
        return name in self._faces

    def __iter__(self) -> Iterator[str]:
        return iter(self._faces)

    def __len__(self) -> int:
        return len(self._faces)

    def __dir__(self) -> list[str]:
        return sorted(self._attrs)

    def __repr__(self) -> str:
        return f"<operations {', '.join(self._faces)}>"


def _blocks(headers: Any) -> dict[str, Any]:
    """Header blocks by name; XML and elements are blocks that the contract does not name."""
    if isinstance(headers, Record):
        fields = zip(headers._castile_fields, headers._castile_attrs, strict=True)
        return {name: getattr(headers, attr) for name, attr in fields if name in headers}
    if isinstance(headers, Mapping):
        return dict(headers)
    if isinstance(headers, (list, tuple)):
        return {_castile.HEADER_ANY: list(headers)}
    return {_castile.HEADER_ANY: [headers]}
