"""The compiled core. Everything for users is re-exported by `castile`."""

import os
from collections.abc import Callable, Mapping
from typing import Any, final

VERSION: str
HEADER_ANY: str

@final
class DateTime:
    """A date or time that Python's `datetime` cannot hold: a year outside 1 to 9999, a fraction
    finer than a microsecond, a date with a time zone, or one of the types of parts of a date.

    `kind` is `dateTime`, `date`, `time`, `gYearMonth`, `gYear`, `gMonthDay`, `gDay` or `gMonth`, and
    `text` the value as XML Schema writes it. Parts that a kind does not have are `None`.
    """

    def __new__(cls, kind: str, text: str) -> DateTime: ...
    @property
    def kind(self) -> str: ...
    @property
    def year(self) -> int | None: ...
    @property
    def month(self) -> int | None: ...
    @property
    def day(self) -> int | None: ...
    @property
    def hour(self) -> int | None: ...
    @property
    def minute(self) -> int | None: ...
    @property
    def second(self) -> int | None: ...
    @property
    def attoseconds(self) -> int: ...
    @property
    def zone_minutes(self) -> int | None: ...
    def __lt__(self, other: DateTime, /) -> bool: ...
    def __le__(self, other: DateTime, /) -> bool: ...
    def __gt__(self, other: DateTime, /) -> bool: ...
    def __ge__(self, other: DateTime, /) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Duration:
    """A duration that `timedelta` cannot hold: with months, very long, or finer than a microsecond."""

    def __new__(cls, text: str) -> Duration: ...
    @property
    def negative(self) -> bool: ...
    @property
    def months(self) -> int: ...
    @property
    def seconds(self) -> int: ...
    @property
    def attoseconds(self) -> int: ...
    def __lt__(self, other: Duration, /) -> bool: ...
    def __le__(self, other: Duration, /) -> bool: ...
    def __gt__(self, other: Duration, /) -> bool: ...
    def __ge__(self, other: Duration, /) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class ParameterFace:
    """A parameter, result or header of an operation."""

    @property
    def name(self) -> str: ...
    @property
    def type_name(self) -> str: ...
    @property
    def many(self) -> bool: ...
    @property
    def required(self) -> bool: ...
    @property
    def doc(self) -> str | None: ...

@final
class OperationFace:
    """An operation as users see it."""

    @property
    def name(self) -> str: ...
    @property
    def doc(self) -> str | None: ...
    @property
    def one_way(self) -> bool: ...
    @property
    def unsupported(self) -> str | None: ...
    @property
    def soap_action(self) -> str: ...
    @property
    def parameters(self) -> list[ParameterFace]: ...
    @property
    def results(self) -> list[ParameterFace]: ...
    @property
    def headers(self) -> list[ParameterFace]: ...
    @property
    def faults(self) -> list[str]: ...

@final
class Request:
    """A request that is about to be sent."""

    @property
    def operation(self) -> str:
        """The operation's name."""

    @property
    def body(self) -> bytes:
        """The envelope; may be set."""

    @body.setter
    def body(self, value: bytes) -> None: ...
    def add_http_header(self, name: str, value: str) -> None:
        """Adds a header field of HTTP."""

@final
class Call:
    """What one call did and cost."""

    @property
    def operation(self) -> str:
        """The operation's name."""

    @property
    def endpoint(self) -> str:
        """Where the call went."""

    @property
    def status(self) -> int:
        """The HTTP status of the reply."""

    @property
    def request_bytes(self) -> int:
        """Bytes of the request's envelope."""

    @property
    def reply_bytes(self) -> int:
        """Bytes of the reply, decompressed."""

    @property
    def request_xml(self) -> str:
        """The request's envelope, secrets masked."""

    @property
    def reply_xml(self) -> str:
        """The reply's envelope, secrets masked."""

    @property
    def headers(self) -> Any:
        """The reply's headers that the contract knows, as a record; `None` for a fault."""

    @property
    def header_blocks(self) -> list[tuple[str, str]]:
        """All header blocks of the reply as XML, by name `{namespace}local`."""

    @property
    def http_headers(self) -> dict[str, str]:
        """The reply's header fields of HTTP, names in lower case."""

    @property
    def timings(self) -> dict[str, float]:
        """Seconds of each step: encode, connect, send, wait, receive, decode."""

    @property
    def match_kind(self) -> str:
        """Which of the four matches of differential sending it was."""

@final
class Answer:
    """What came back, not yet decoded."""

@final
class Running:
    """A call under way beside asyncio."""

    def cancel(self) -> None: ...

@final
class Client:
    """One port of one service, call by call in steps."""

    def __new__(cls, wsdl: str | os.PathLike[str] | bytes, settings: dict[str, Any]) -> Client: ...
    @property
    def endpoint(self) -> str: ...
    @property
    def soap_version(self) -> str: ...
    @property
    def doc(self) -> str | None: ...
    def operations(self) -> list[OperationFace]: ...
    def prepare(
        self, operation: str, args: tuple[Any, ...], kwargs: dict[str, Any] | None, header: Any
    ) -> Request: ...
    def exchange(self, request: Request, timeout: float | None) -> Answer: ...
    def start(
        self,
        request: Request,
        timeout: float | None,
        done: Callable[[Answer | None, BaseException | None], None],
    ) -> Running: ...
    def receive(self, answer: Answer) -> tuple[Any, bool, Call]: ...
    def encode(
        self, operation: str, args: tuple[Any, ...], kwargs: dict[str, Any] | None, header: Any
    ) -> bytes: ...
    def decode(self, operation: str, reply: bytes) -> Any: ...
    def type(self, name: str) -> Any: ...
    def type_names(self) -> list[str]: ...

@final
class ServerCall:
    """What the transport says of a call that is to be answered."""

    @property
    def operation(self) -> str: ...
    @property
    def soap_version(self) -> str: ...
    @property
    def peer(self) -> tuple[str, int] | None: ...
    @property
    def header_blocks(self) -> list[tuple[str, str]]: ...

@final
class Server:
    """A service on a socket."""

    def __new__(
        cls,
        wsdl: str | os.PathLike[str] | bytes,
        host: str,
        port: int,
        handler: Any,
        settings: Mapping[str, Any],
    ) -> Server: ...
    @property
    def address(self) -> tuple[str, int]: ...
    def stop(self) -> None: ...
    def stats(self) -> tuple[int, int, int, int, float, float]: ...
