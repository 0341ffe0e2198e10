"""The compiled core. Everything for users is re-exported by `castile`."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from ._records import Record

Batch = TypeVar("Batch")

VERSION: str
HEADER_ANY: str

def generate(
    wsdl: str | os.PathLike[str] | bytes, beside: str, settings: dict[str, Any]
) -> tuple[str, bytes]: ...

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
class Changes:
    def __new__(cls, len: int) -> Changes: ...
    def mark(self, start: int, stop: int) -> None: ...
    def mark_each(self, places: NDArray[np.int64]) -> None: ...

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
    def values(self) -> list[str]: ...
    @property
    def doc(self) -> str | None: ...

@final
class FieldFace:
    """A field of a complex type, or a global element."""

    @property
    def name(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def namespace(self) -> str: ...
    @property
    def local(self) -> str: ...
    @property
    def type_name(self) -> str: ...
    @property
    def complex(self) -> int | None: ...
    @property
    def many(self) -> bool: ...
    @property
    def required(self) -> bool: ...
    @property
    def nillable(self) -> bool: ...

@final
class TypeFace:
    """A complex type."""

    @property
    def name(self) -> str: ...
    @property
    def is_anonymous(self) -> bool: ...
    @property
    def is_abstract(self) -> bool: ...
    @property
    def doc(self) -> str | None: ...
    @property
    def fields(self) -> list[FieldFace]: ...

@final
class PortFace:
    """A port of a service."""

    @property
    def service(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def binding(self) -> str: ...
    @property
    def protocol(self) -> str: ...
    @property
    def address(self) -> str | None: ...

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
    def action(self) -> str: ...
    @property
    def bare(self) -> bool: ...
    @property
    def has_reply_headers(self) -> bool: ...
    @property
    def parameters(self) -> list[ParameterFace]: ...
    @property
    def results(self) -> list[ParameterFace]: ...
    @property
    def headers(self) -> list[ParameterFace]: ...
    @property
    def faults(self) -> list[FaultFace]: ...
    @property
    def input(self) -> BodyFace | None: ...
    @property
    def output(self) -> BodyFace | None: ...

@final
class FaultFace:
    """A declared fault: its name, its element in the detail and the type of that."""

    @property
    def name(self) -> str: ...
    @property
    def element(self) -> str: ...
    @property
    def type_name(self) -> str: ...

@final
class BodyFace:
    """The body element of a request or reply, and the number of its type."""

    @property
    def name(self) -> str: ...
    @property
    def complex(self) -> int: ...

@final
class Request:
    """A request that is about to be sent."""

    @property
    def operation(self) -> str:
        """The operation's name."""

    @property
    def is_streamed(self) -> bool:
        """Whether the envelope is written while it is sent: it is not here then."""

    @property
    def body(self) -> bytes:
        """The envelope; may be set."""

    @body.setter
    def body(self, value: bytes) -> None: ...
    def add_http_header(self, name: str, value: str) -> None:
        """Adds a header field of HTTP."""

    def cancel(self) -> None:
        """Gives it up while another thread sends it or waits for its reply, where it is written while it is
        sent."""

@final
class Stream(Generic[Batch]):
    """An array of a message, batch by batch, while it comes: of a reply, or for a handler of a request.
    Each batch is what a call gives for an array: a NumPy array, or a list.

    The memory that it takes does not depend on the length of the array. Leave it with `close`, or use it
    in a `with` statement, when not all of it is wanted.
    """

    def __iter__(self) -> Stream[Batch]: ...
    def __next__(self) -> Batch: ...
    def __enter__(self) -> Stream[Batch]: ...
    def __exit__(self, *_error: object) -> None: ...
    @property
    def array(self) -> str:
        """Which array of the message it is: `values`, or `a.b` for field `b` of field `a`."""

    @property
    def items(self) -> int | None:
        """Items that came so far."""

    @property
    def bytes(self) -> int | None:
        """Bytes of the message that came so far, decompressed."""

    @property
    def failed(self) -> bool:
        """Whether reading it raised an error."""

    def close(self) -> None:
        """Gives the rest up: closes the connection unless the message was read to its end. What another
        thread is reading ends with an error soon."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        """The batches as a stream of Arrow's record batches (its PyCapsule interface): what reads Arrow
        takes the stream as it is. Ends this stream."""

    def rest(self) -> Any:
        """All values of the message but those of the array, as a record. Ends the stream."""

@final
class ArrowReader:
    """The batches of an object with Arrow's PyCapsule interface: for each a NumPy array, a list, or a dict of
    these, one a column."""

    def __new__(cls, object: Any) -> ArrowReader: ...
    def __iter__(self) -> ArrowReader: ...
    def __next__(self) -> Any: ...

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
    def attachments(self) -> list[tuple[str, str, bytes]]:
        """The parts beside the envelope of the reply: content id, content type, content."""

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
        """How the request was made from the last one of its operation.

        - `"content"`: nothing changed: the same bytes again
        - `"perfect-structural"`: values changed, and each fits where the last one lay
        - `"partial-structural"`: some value took another width, or parts came, went or moved
        - `"first-time"`: nothing to start from
        """

    @property
    def reply_match(self) -> str:
        """How the reply was read. `client.receiving` counts the calls of each by the same words.

        - `"followed"`: it was like an earlier one, or the same: compared with that, and only values read
        - `"same"`: it was the same as the last one, and the object of that was given again: only with
          `Differential(reuse="shared")`
        - `"plain"`: it was like none, and was decoded plainly
        """

    @property
    def values_kept(self) -> int:
        """Numbers in the reply's arrays that were those of the last reply, and not read again."""

    @property
    def bytes_ahead(self) -> int:
        """Bytes of the reply that were read before its last one had come; that of small ones is 0."""

    @property
    def differential(self) -> dict[str, int]:
        """What making the request from the last one took.

        - `structure`: which of the operation's shapes the message has, from 0
        - `values_compared`: values of kept arrays that were compared with those sent last
        - `values_rewritten`: of those, found changed and written into their places
        - `values_written`: values that were written anew, chunk by chunk
        - `values_shared`: values whose bytes were taken over from what another client sends
        - `bytes_total`: bytes of the message
        - `bytes_around`: bytes outside kept arrays, always written anew
        - `bytes_rewritten`: bytes of kept chunks that were written; the rest stood there already
        - `bytes_shifted`: bytes moved to make room, or to close a gap
        - `widths_stolen`: values that grew into the spaces of a neighbour
        - `chunks_split`: chunks split because they had grown too large
        - `chunks_copied`: chunks copied before they were changed, because they were still being sent
        - `paused`: large values that were not kept, because hardly anything of them stayed of late
        """

@final
class Answer:
    """What came back, not yet decoded."""

    @property
    def body(self) -> bytes: ...
    @property
    def status(self) -> int: ...
    @property
    def http_headers(self) -> list[tuple[str, str]]: ...

@final
class Running:
    """A call under way beside asyncio."""

    def cancel(self) -> None: ...

@final
class Client:
    """One port of one service, call by call in steps."""

    def __new__(cls, wsdl: str | os.PathLike[str] | bytes, settings: dict[str, Any]) -> Client: ...
    @property
    def endpoint(self) -> str | None: ...
    @property
    def soap_version(self) -> str: ...
    def close_idle(self) -> None: ...
    def differential(self) -> dict[str, int]: ...
    def receiving(self) -> dict[str, int]: ...
    @property
    def doc(self) -> str | None: ...
    def operations(self) -> list[OperationFace]: ...
    def prepare(
        self,
        operation: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any] | None,
        header: Any,
        streams: bool = False,
    ) -> Request: ...
    def exchange_streamed(
        self,
        request: Request,
        given: tuple[tuple[Any, ...], dict[str, Any] | None, Any],
        timeout: float | None,
    ) -> Answer: ...
    def open_stream(
        self,
        request: Request,
        given: tuple[tuple[Any, ...], dict[str, Any] | None, Any],
        timeout: float | None,
        array: str | None,
        batch: int,
    ) -> Stream[Any]: ...
    def exchange(self, request: Request, timeout: float | None) -> Answer: ...
    def start(
        self,
        request: Request,
        timeout: float | None,
        done: Callable[[Answer | None, BaseException | None], None],
    ) -> Running: ...
    def receive(self, answer: Answer, whole: bool = False) -> tuple[Any, bool, Call]: ...
    def encode(
        self, operation: str, args: tuple[Any, ...], kwargs: dict[str, Any] | None, header: Any
    ) -> bytes: ...
    def decode(self, operation: str, reply: bytes) -> Any: ...
    def decode_whole(self, operation: str, reply: bytes) -> tuple[Any, Any]: ...
    def ports(self) -> list[PortFace]: ...
    def beside(self, settings: dict[str, Any]) -> Client: ...
    def namespaces(self) -> list[str]: ...
    def element_names(self) -> list[str]: ...
    def element(self, name: str) -> FieldFace | None: ...
    def complex_named(self, name: str) -> int | None: ...
    def complex(self, number: int) -> TypeFace: ...
    def class_of(self, number: int) -> Any: ...
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
    @property
    def principal(self) -> str | None: ...
    @property
    def session(self) -> Conversation | None: ...
    @property
    def stream(self) -> Stream[Any] | None: ...

@final
class Clock:
    """How far a peer's clock is ahead of ours."""

    def __new__(cls, milliseconds: int) -> Clock: ...
    @property
    def offset(self) -> int: ...
    def set(self, milliseconds: int) -> None: ...

@final
class Listener:
    """Listens for replies that come over connections of their own."""

    def __new__(cls, host: str, port: int, public_url: str | None) -> Listener: ...
    @property
    def url(self) -> str: ...
    def stop(self) -> None: ...

@final
class Conversation:
    """Who the peer of a session is and what it asked."""

    @property
    def peer(self) -> tuple[str, int]: ...
    @property
    def principal(self) -> str | None: ...
    def said(self) -> list[tuple[str, Record]]: ...
    def opening(self) -> Record: ...

class Acs:
    """An ACS on a socket."""

    def __new__(
        cls,
        schemas: list[str | os.PathLike[str] | bytes],
        address: tuple[str, int],
        handler: Any,
        begin: Callable[[Sequence[OperationFace]], list[str]],
        program: Callable[[Client, Conversation], None],
        settings: Mapping[str, Any],
    ) -> Acs: ...
    @property
    def address(self) -> tuple[str, int]: ...
    @property
    def sessions(self) -> int: ...
    def stop(self) -> None: ...

class Cpe:
    """A device."""

    def __new__(
        cls,
        schema: str | os.PathLike[str] | bytes,
        handler: Any,
        begin: Callable[[Sequence[OperationFace]], list[str]],
        settings: Mapping[str, Any],
    ) -> Cpe: ...
    def client(self) -> Client: ...
    @property
    def held(self) -> bool: ...
    def finish(self) -> int: ...

class ConnectionRequests:
    """Where an ACS asks a device to open a session."""

    def __new__(
        cls, host: str, port: int, path: str, user: str, password: str, wanted: Callable[[], object]
    ) -> ConnectionRequests: ...
    @property
    def address(self) -> tuple[str, int]: ...
    def stop(self) -> None: ...

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
    def differential(self) -> dict[str, int]: ...
    def receiving(self) -> dict[str, int]: ...
    @property
    def address(self) -> tuple[str, int]: ...
    def stop(self) -> None: ...
    def stats(self) -> tuple[int, int, int, int, float, float]: ...
