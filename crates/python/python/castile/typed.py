"""What the modules that `castile generate python` writes are made of.

A generated module has a class for each type of its contract, `Client` and `AsyncClient`, whose `service`
knows every operation's parameters and results, and a class that services derive from. The classes are
real ones: what a generated client gives, and what the handlers of a generated service get, are their
objects.

```
from weather import Client, Day

client = Client()
forecast = client.service.Forecast(place="Lisbon", days=3)
day: Day = forecast.day[0]
```
"""

from __future__ import annotations

import datetime
import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeAlias, TypedDict, TypeVar, Unpack, cast, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from . import _client
from ._calls import Headers
from ._castile import DateTime, Duration
from ._errors import Fault as PlainFault
from ._layers import Layer
from ._options import TLS, Auth, Differential, StrPath, Timeouts
from ._records import XML, ArrayRecord, Kind, QName, Record, class_body, record_class

__all__ = [
    "XML",
    "Answer",
    "AnyDate",
    "AnyDateTime",
    "AnyDuration",
    "AnyTime",
    "ArrayRecord",
    "AsyncClient",
    "Blocks",
    "CallOptions",
    "CallSettings",
    "Client",
    "DateTime",
    "Duration",
    "Fault",
    "Numbers",
    "QName",
    "Record",
    "Rows",
    "Service",
    "Settings",
    "Types",
    "fault",
    "many",
    "missing",
    "record",
]

AnyDateTime: TypeAlias = datetime.datetime | DateTime
"""A dateTime: Python's own where that can hold it."""
AnyDate: TypeAlias = datetime.date | DateTime
"""A date: Python's own where that can hold it, so one without a zone."""
AnyTime: TypeAlias = datetime.time | DateTime
"""A time: Python's own where that can hold it."""
AnyDuration: TypeAlias = datetime.timedelta | Duration
"""A duration: Python's own where that can hold it, so one without months."""

Numbers: TypeAlias = NDArray[Any]
"""An array to be sent: of any dtype from which no value changes on the way."""
Rows: TypeAlias = np.recarray[Any, np.dtype[Any]]
"""A structured array: one row an item, its columns are attributes."""
Value = TypeVar("Value")
Answer: TypeAlias = Value | Awaitable[Value]
"""What a handler gives: a value, or as an `async def` one to wait for."""
Blocks: TypeAlias = Mapping[str, Any] | Sequence[Any] | XML
"""Header blocks: by name, or as XML."""


class CallSettings(TypedDict, total=False):
    """What any call takes besides its values."""

    _timeout: float | None
    _http_headers: Mapping[str, str] | None


class CallOptions(CallSettings, total=False):
    """What a call takes whose operation declares no headers."""

    _headers: Blocks | None


class Settings(TypedDict, total=False):
    """The settings of a generated client: those of `castile.Client`, but for what its types depend on."""

    endpoint: str | None
    service: str | None
    port: str | None
    auth: Auth
    tls: TLS | None
    timeout: float | Timeouts | None
    headers: Headers
    http_headers: Mapping[str, str] | None
    strict: bool
    digits: int | None
    share_texts: bool
    differential: bool | Differential
    layers: Layer | Sequence[Layer]
    faults: Iterable[type[Exception]]
    catalogs: Iterable[StrPath]
    cache: bool | StrPath
    offline: bool
    proxy: str | None
    follow_redirects: bool
    compress: str | None
    reply_bytes_max: int | None
    depth_max: int | None
    cookies: bool
    chunked: bool


class Types:
    """The classes of a generated module, and where its contract is."""

    def __init__(self, module: str, file: str, contract: str) -> None:
        self.contract = Path(file).with_name(contract)
        self._module = module
        self._classes: dict[tuple[Any, ...], type[Record]] = {}
        self._faults: dict[str, type[Fault[Any]]] = {}

    def __repr__(self) -> str:
        return f"<types of {self._module}: {len(self._classes)} classes>"

    def record_class(
        self,
        type_name: str,
        fields: tuple[str, ...],
        kinds: tuple[Kind, ...],
        is_array: bool = False,
        doc: str | None = None,
        members: Iterable[tuple[str, str]] = (),
    ) -> type[Record]:
        """The class of the module for a type; for what the module leaves out, the one that all share."""
        members = tuple(members)
        known = self._classes.get((type_name, fields, kinds, is_array, members))
        return known or record_class(type_name, fields, kinds, is_array, doc, members)

    def typed_fault(self, fault: PlainFault) -> PlainFault:
        """The same fault as the exception that the module has for its detail."""
        cls = self._faults.get(fault.details[0][0]) if fault.details else None
        return fault if cls is None else cls._of(fault)

    def _add(self, cls: type[Record], is_array: bool) -> None:
        members = tuple(cls._castile_members.items())
        key = (cls._castile_type, cls._castile_fields, cls._castile_kinds, is_array, members)
        self._classes[key] = cls


class _Many:
    """Marks a field that repeats."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind


def many(dtype: Any = None) -> Any:
    """Says of a field that it repeats: it is a list, or an array of this dtype, and empty when nothing
    came."""
    if dtype is None:
        return _Many("list")
    dtype = np.dtype(dtype)
    if dtype.names is None:
        return _Many(dtype.name)
    return _Many(tuple((name, dtype[name].name) for name in dtype.names))


Cls = TypeVar("Cls", bound=Record)


@dataclass_transform(eq_default=False, kw_only_default=True)
def record(
    types: Types,
    type_name: str,
    *,
    names: Mapping[str, str] | None = None,
    field_order: Sequence[str] | None = None,
    members: Mapping[str, str] | None = None,
) -> Callable[[type[Cls]], type[Cls]]:
    """Makes the class of a complex type from one with an annotation for each field.

    `names` are the names on the wire of fields that Python has to call otherwise, `field_order` is that of
    all fields where those of the bases do not come first, `members` the elements of repeated groups,
    each with its group's field.
    """
    wire = names or {}

    def make(cls: type[Cls]) -> type[Cls]:
        bases = [base for base in cls.__bases__ if issubclass(base, Record)]
        kinds: dict[str, Kind] = {}
        known: dict[str, str] = {}
        for base in bases:
            kinds.update(zip(base._castile_attrs, base._castile_kinds, strict=True))
            known.update(zip(base._castile_attrs, base._castile_fields, strict=True))
        own = tuple(inspect.get_annotations(cls))
        for attr in own:
            marked = cls.__dict__.get(attr)
            kinds[attr] = marked.kind if isinstance(marked, _Many) else ""
            known[attr] = wire.get(attr, attr)
        attrs = tuple(field_order or kinds)
        fields = tuple(known[attr] for attr in attrs)
        kept = {name: value for name, value in cls.__dict__.items() if name not in _DROPPED | set(own)}
        body = class_body(
            type_name, fields, attrs, tuple(kinds[attr] for attr in attrs), (members or {}).items()
        )
        kept |= {**body, "__slots__": own, "_castile_importable": True}
        made: Any = type(cls.__name__, cls.__bases__, kept)
        types._add(made, issubclass(made, ArrayRecord))
        return cast("type[Cls]", made)

    return make


_DROPPED = frozenset({"__dict__", "__weakref__"})

Detail = TypeVar("Detail")


class Fault(PlainFault, Generic[Detail]):
    """A declared fault: its detail is of a known type."""

    _castile_element: ClassVar[str] = ""

    def __init__(self, reason: str, detail: Detail, code: str = "Receiver", **parts: Any) -> None:
        super().__init__(reason, code, detail=(self._castile_element, detail), **parts)

    @classmethod
    def _of(cls, fault: PlainFault) -> Fault[Detail]:
        new = cls.__new__(cls, fault.reason, fault.code)
        new.__dict__.update(fault.__dict__)
        return new

    @property
    def detail(self) -> Detail:
        """The value of the detail."""
        return cast(Detail, self.details[0][1])


FaultClass = TypeVar("FaultClass", bound=type[Fault[Any]])


def fault(types: Types, element: str) -> Callable[[FaultClass], FaultClass]:
    """Says that an exception is the declared fault whose detail is this element."""

    def make(cls: FaultClass) -> FaultClass:
        cls._castile_element = element
        types._faults[element] = cls
        return cls

    return make


class Client(_client.PlainClient[_client.Service]):
    """A client whose operations are known; without a WSDL it has the contract it was generated from."""

    _castile_types: ClassVar[Types]
    _castile_port: ClassVar[tuple[str, str] | None] = None

    def __init__(self, wsdl: StrPath | bytes | None = None, **settings: Unpack[Settings]) -> None:
        super().__init__(wsdl or self._castile_types.contract, **_with_port(self._castile_port, settings))


class AsyncClient(_client.AwaitedClient[_client.Service]):
    """A client for asyncio whose operations are known."""

    _castile_types: ClassVar[Types]
    _castile_port: ClassVar[tuple[str, str] | None] = None

    def __init__(self, wsdl: StrPath | bytes | None = None, **settings: Unpack[Settings]) -> None:
        super().__init__(wsdl or self._castile_types.contract, **_with_port(self._castile_port, settings))


def _with_port(port: tuple[str, str] | None, settings: Settings) -> dict[str, Any]:
    """The settings with the port for which a client was generated, unless they name another."""
    chosen: dict[str, Any] = {**settings}
    if port is not None and chosen.get("service") is None and chosen.get("port") is None:
        chosen["service"], chosen["port"] = port
    return chosen


class Service:
    """What generated services derive from."""

    _castile_types: ClassVar[Types]
    _castile_service: ClassVar[str | None] = None


def missing(operation: str) -> PlainFault:
    """The fault of an operation that a service does not offer."""
    logging.getLogger("castile.server").error("operation %s is not implemented", operation)
    return PlainFault(f"operation {operation} is not implemented", "Receiver")
