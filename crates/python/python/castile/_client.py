"""Clients: `Client` for plain code, `AsyncClient` for asyncio."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeAlias, TypeVar, cast

from . import _castile
from ._calls import (
    Asked,
    AsyncOperation,
    AsyncStreamOperation,
    Headers,
    Operation,
    Operations,
    StreamOperation,
    header_blocks,
    hint,
)
from ._castile import Call, Request, Stream
from ._errors import BadValue, Fault
from ._exceptions import OwnFaults
from ._layers import Layer, client_layers
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
from ._records import Record
from ._streams import AsyncStream, Bridge, beside, promise, sendable

if TYPE_CHECKING:
    from .typed import Types

__all__ = ["AsyncClient", "Client"]

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
        layers: Layer | Sequence[Layer] = (),
        faults: Iterable[type[Exception]] = (),
        catalogs: Iterable[StrPath] = (),
        cache: bool | StrPath = True,
        offline: bool = False,
        proxy: str | None = None,
        follow_redirects: bool = False,
        compress: str | None = None,
        reply_bytes_max: int | None = None,
        depth_max: int | None = None,
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
            "depth_max": depth_max,
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
        self._on_request: list[OnRequest] = []
        self._on_reply: list[OnReply] = []
        self._faces = {face.name: face for face in self._core.operations()}
        self._faults = OwnFaults(faults, self._faces)
        self._begin()

    def _begin(self) -> None:
        """Sets up what differs between the two."""

    @property
    def endpoint(self) -> str | None:
        """Where calls go; `None` where neither the contract nor `endpoint=` says."""
        return self._core.endpoint

    @property
    def differential(self) -> dict[str, int]:
        """What differential sending did so far: messages by match (`content`, `perfect_structural`,
        `partial_structural`, `first_time`), the sums of `Call.differential`, messages for which every
        earlier one was in use (`busy`), earlier ones forgotten to save memory (`evicted`), and bytes kept
        (`memory`)."""
        return self._core.differential()

    @property
    def receiving(self) -> dict[str, int]:
        """What differential receiving did so far: replies that were like an earlier one (`followed`), those
        decoded plainly, how many of these were learned, bytes of each; replies that were the same as the last
        (`same`), bytes that were read before their message had come whole (`bytes_ahead`), numbers in
        arrays that were not read again (`values_kept`), bytes of memory kept."""
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

    def close(self) -> None:
        """Closes the connections that wait for a next call. Not needed: they close by themselves after a
        minute, and with the client. A call that comes later opens another; `with` closes at its end."""
        self._core.close_idle()

    def encode(self, operation: str, /, *args: Any, _headers: Headers = None, **kwargs: Any) -> bytes:
        """The envelope of a request, without sending it."""
        asked = _sendable(Asked(operation, args, kwargs, _headers, None, None))
        return self._core.encode(operation, asked.args, asked.kwargs, self._header(operation, _headers))

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

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            text = f"{type(self).__name__!r} object has no attribute {name!r}"
            if name in self.__dict__.get("_faces", ()):
                text += f"; operations are called as client.service.{name}(...)"
            raise AttributeError(text, name=name, obj=self)

    def __repr__(self) -> str:
        where = self.endpoint or "no address"
        return f"<castile.{type(self).__name__} of {where}, {len(self._faces)} operations>"

    def _request(self, asked: Asked) -> Request:
        """First step of a call: the request after all hooks. One with an iterator, or a very large array, is
        written while it is sent."""
        header = self._header(asked.operation, asked.headers)
        try:
            request = self._core.prepare(asked.operation, asked.args, asked.kwargs, header, True)
        except BadValue as error:
            hint(error, asked.kwargs)
            raise
        for name, value in (asked.http or {}).items():
            request.add_http_header(name, value)
        for hook in self._on_request:
            hook(request)
        return request

    def _exchange(self, asked: Asked, request: Request) -> _castile.Answer:
        """Second step, which blocks: what came back."""
        if not request.is_streamed:
            return self._core.exchange(request, asked.timeout)
        return self._core.exchange_streamed(request, self._given(asked), asked.timeout)

    def _value(self, answer: _castile.Answer) -> Any:
        """Third step: the value."""
        value, is_fault, call = self._core.receive(answer)
        self._note(call)
        for hook in self._on_reply:
            hook(call)
        if is_fault:
            raise self._typed(value)
        return value

    def _opened(self, asked: Asked, request: Request, array: str | None, batch: int) -> Stream[Any]:
        """Second step for a reply that is read while it comes, which blocks."""
        try:
            return self._core.open_stream(request, self._given(asked), asked.timeout, array, batch)
        except Fault as fault:
            raise self._typed(fault) from None

    def _given(self, asked: Asked) -> tuple[tuple[Any, ...], dict[str, Any] | None, Any]:
        """What a call is given, for one that takes it while it goes on."""
        return asked.args, asked.kwargs, self._header(asked.operation, asked.headers)

    def _note(self, call: Call | None) -> None:
        """Keeps what a call did."""
        raise NotImplementedError

    def _header(self, operation: str, headers: Headers) -> Any:
        """The header blocks of one call: those of the client, and over them those of the call."""
        if self._headers is None:
            return headers if headers is None or isinstance(headers, Record) else header_blocks(headers)
        face = self._faces.get(operation)
        known = {p.name for p in face.headers} if face else set()
        default = {name: value for name, value in header_blocks(self._headers).items() if name in known}
        return default if headers is None else {**default, **header_blocks(headers)}

    def _typed(self, fault: Fault) -> Exception:
        """The user's own exception for a declared fault, where there is a class for it."""
        if self._castile_types is not None:
            fault = self._castile_types.typed_fault(fault)
        return self._faults.of(fault)


# What a wrong keyword is said to be one of.
Shared.__init__.__qualname__ = "Client"


class PlainClient(Shared[Service]):
    """Calls that block."""

    stream: Operations[StreamOperation]
    """The operations, for replies with a long array, which comes batch by batch:
    `for batch in client.stream.fetch(7): ...`."""

    def _begin(self) -> None:
        self._last = threading.local()
        self.service = cast(Service, Operations(self, Operation))
        self.stream = Operations(self, StreamOperation)

    @property
    def last_call(self) -> Call | None:
        """What this thread's last call did and cost; `None` before the first, and when no reply came
        back or it could not be read (a fault is a reply)."""
        return getattr(self._last, "call", None)

    def _note(self, call: Call | None) -> None:
        self._last.call = call

    def _call(self, asked: Asked) -> Any:
        self._note(None)
        asked = _sendable(asked)
        return self._value(self._exchange(asked, self._request(asked)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        self.close()

    def _open(self, asked: Asked, array: str | None, batch: int) -> Stream[Any]:
        asked = _sendable(asked)
        return self._opened(asked, self._request(asked), array, batch)


class Client(PlainClient["Operations[Operation]"]):
    """A client of the service that a WSDL describes.

    `wsdl` is a path, a URL, or the document itself as bytes. Compiled contracts are kept on disk,
    so that the next start is fast.

    ```
    client = castile.Client("service.wsdl")
    client.service.add(2, 3)
    client.service.add(a=2, b=3, _timeout=5.0, _headers={"Session": "x"})
    ```

    Where calls go, and as whom:

    - `endpoint`: a URL, instead of the address in the WSDL. A contract without an address can be looked at
      without it (`help`, `type`, `encode`); the first call then raises `BadValue`
    - `service`, `port`: which of several, by name; else the first that speaks SOAP
    - `auth`: a pair of user and password, or `Digest`, `Bearer`
    - `tls`: a `TLS`: whom to trust, a certificate of one's own
    - `proxy`: a URL; by default the environment's (`http_proxy`, `https_proxy`, `no_proxy`), `""` for none
    - `follow_redirects`: follow them, with the same request; by default one is a `TransportError`
    - `cookies`: keep them from reply to request (default)

    What messages are made of:

    - `headers`: SOAP headers of every call that knows them, by name, or XML
    - `http_headers`: HTTP headers of every call
    - `layers`: add headers to requests and check replies: `UsernameToken`, `Timestamp`, `Addressing`
    - `strict=False`: small breaches of the contract by the peer are overlooked
    - `differential`: a message is made from the last one like it; `False` writes each anew, `Differential`
      tunes it
    - `digits`: doubles are sent with so many digits; by default all that they have
    - `share_texts`: equal texts are sent once, by the rules of SOAP encoding
    - `compress`: `"gzip"` or `"zstd"` for requests; replies may always be compressed
    - `chunked`: requests are sent in chunks, without their length

    What comes back:

    - `arrays`: repeated numbers come as NumPy arrays (`"numpy"`) or as lists (`"lists"`)
    - `rows`: repeated flat structs come as structured arrays (`"numpy"`) or as lists of objects
      (`"objects"`)
    - `faults`: exception classes with fields, raised instead of `Fault` for declared faults whose name, type
      or element is called as the class
    - `timeout`: seconds for a whole call, or `Timeouts`
    - `reply_bytes_max`, `depth_max`: more bytes, or more elements in one another, are a `LimitError`

    How the contract is loaded:

    - `catalogs`: files that say where imported documents are instead: OASIS XML catalogs, or lines of URL,
      tab, file
    - `offline`: load nothing from the network
    - `cache`: where compiled contracts are kept: `True` is the user's cache folder, `False` nowhere

    An iterator in the place of an array is sent while it is read, batch by batch, and so is an array
    larger than `Differential.overlay_above`.

    Any number of threads may use a client at once.
    """

    service: Operations[Operation]
    """The operations, as attributes: `client.service.add(2, 3)`."""


class AwaitedClient(Shared[Service]):
    """Calls that are awaited."""

    stream: Operations[AsyncStreamOperation]
    """The operations, for replies with a long array, which comes batch by batch:
    `async for batch in client.stream.fetch(7): ...`."""

    def _begin(self) -> None:
        self._last: contextvars.ContextVar[Call | None] = contextvars.ContextVar(
            "castile_last_call", default=None
        )
        self.service = cast(Service, Operations(self, AsyncOperation))
        self.stream = Operations(self, AsyncStreamOperation)

    @classmethod
    async def load(cls, *wsdl: StrPath | bytes, **settings: Any) -> Self:
        """A client whose WSDL is loaded beside the running loop."""
        return await asyncio.to_thread(cls, *wsdl, **settings)

    @property
    def last_call(self) -> Call | None:
        """What this task's last call did and cost; `None` before the first, and when no reply came
        back or it could not be read (a fault is a reply)."""
        return self._last.get()

    def _note(self, call: Call | None) -> None:
        self._last.set(call)

    async def _call(self, asked: Asked) -> Any:
        self._note(None)
        asked = _sendable(asked, asyncio.get_running_loop())
        request = self._request(asked)
        if request.is_streamed:
            answer = await beside(lambda: self._exchange(asked, request), lambda: _cancel(asked, request))
        else:
            answer = await exchange_async(self._core, request, asked.timeout)
        return self._value(answer)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def _open(self, asked: Asked, array: str | None, batch: int) -> AsyncStream[Any]:
        async def start() -> Stream[Any]:
            sent = _sendable(asked, asyncio.get_running_loop())
            request = self._request(sent)
            return await beside(
                lambda: self._opened(sent, request, array, batch), lambda: _cancel(sent, request)
            )

        return AsyncStream(start)


class AsyncClient(AwaitedClient["Operations[AsyncOperation]"]):
    """A client for asyncio: calls are awaited, and cancelling a task cancels its call.

    ```
    client = castile.AsyncClient("service.wsdl")
    total = await client.service.add(2, 3)
    ```

    The settings are those of `Client`. Loading a WSDL blocks; make the client before the loop
    starts, or with `await AsyncClient.load(...)`.

    An asynchronous iterator in the place of an array is sent while it is read, batch by batch; so is a plain
    one, on another thread.
    """

    service: Operations[AsyncOperation]
    """The operations, as attributes: `await client.service.add(2, 3)`."""


async def exchange_async(core: _castile.Client, request: Request, timeout: float | None) -> _castile.Answer:
    """Sends a request beside the running loop; cancelling gives the call up."""
    future, settle = promise(asyncio.get_running_loop())
    running = core.start(request, timeout, settle)
    try:
        answer: _castile.Answer = await future
    except asyncio.CancelledError:
        running.cancel()
        raise
    return answer


def _sendable(asked: Asked, loop: asyncio.AbstractEventLoop | None = None) -> Asked:
    """A call whose arguments the core takes."""
    args = tuple(sendable(value, loop) for value in asked.args)
    return asked._replace(
        args=args, kwargs={name: sendable(value, loop) for name, value in asked.kwargs.items()}
    )


def _cancel(asked: Asked, request: Request) -> None:
    """Gives up a call that another thread makes."""
    request.cancel()
    for value in (*asked.args, *asked.kwargs.values()):
        if isinstance(value, Bridge):
            value.cancel()
