"""Type hints as XML Schema types.

`Schema.use` turns a hint into a `Use`: the schema type, how often it may stand there, and how a
value from the wire becomes what the hint says. The way out needs no such step: every value that a
hint can describe is sent as it is. Named types are collected in the schema as they are met.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import inspect
import itertools
import keyword
import types
import typing
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from . import _castile
from ._errors import ContractError
from ._records import XML, QName, Record

Load = Callable[[Any], Any]


@dataclasses.dataclass(frozen=True)
class Use:
    """A type where it stands: as a parameter, a field, an item."""

    type: str
    """The schema type with its prefix, such as `xsd:long` or `tns:Point`."""
    many: bool = False
    optional: bool = False
    nillable: bool = False
    load: Load | None = None
    """From the wire to the hint; `None` where nothing has to be done."""


@dataclasses.dataclass
class Part:
    """A field of a complex type, or a parameter."""

    name: str
    """On the wire."""
    python: str
    """In Python."""
    use: Use
    doc: str | None = None


@dataclasses.dataclass
class Complex:
    """A complex type."""

    name: str
    parts: list[Part]
    base: str | None = None
    doc: str | None = None


@dataclasses.dataclass
class Enumeration:
    """A simple type with listed values."""

    name: str
    base: str
    values: list[str]
    doc: str | None = None


SIMPLE: dict[Any, str] = {
    bool: "boolean",
    int: "long",
    float: "double",
    str: "string",
    bytes: "base64Binary",
    bytearray: "base64Binary",
    decimal.Decimal: "decimal",
    dt.datetime: "dateTime",
    dt.date: "date",
    dt.time: "time",
    dt.timedelta: "duration",
    _castile.DateTime: "dateTime",
    _castile.Duration: "duration",
    QName: "QName",
    XML: "anyType",
    Any: "anyType",
    object: "anyType",
    np.bool_: "boolean",
    np.int8: "byte",
    np.int16: "short",
    np.int32: "int",
    np.int64: "long",
    np.uint8: "unsignedByte",
    np.uint16: "unsignedShort",
    np.uint32: "unsignedInt",
    np.uint64: "unsignedLong",
    np.float32: "float",
    np.float64: "double",
}

LISTS = (list, Sequence, Iterable)
"""Origins of hints for repeated values; what comes is a list."""

STREAMS = (Iterator, Generator, _castile.Stream)
"""Origins of hints for arrays that are read or written batch by batch."""


@dataclasses.dataclass(frozen=True)
class Streamed:
    """An array that a handler reads while it comes."""

    batch: Any
    """The hint of a batch."""
    singly: bool
    """The handler wants items, not batches."""

    @classmethod
    def of(cls, hint: Any) -> Streamed | None:
        """What a hint such as `Iterator[list[float]]` says; `None` for all others."""
        origin = typing.get_origin(hint)
        if origin not in STREAMS and hint not in STREAMS:
            return None
        args = typing.get_args(hint)
        if not args:
            return cls(None, False)
        return cls(args[0], False) if _is_array(args[0]) else cls(list[args[0]], True)  # type: ignore[valid-type]

    def read(self, stream: Any, load: Load | None) -> Any:
        """What the handler gets: batches (or items) as its hint says."""
        if load is None and not self.singly:
            return stream
        batches = stream if load is None else map(load, stream)
        return itertools.chain.from_iterable(batches) if self.singly else batches


def _is_array(hint: Any) -> bool:
    """Whether a hint is one of many values."""
    if type(hint).__name__ == "TypeAliasType":
        return _is_array(hint.__value__)
    origin = typing.get_origin(hint)
    if type(origin).__name__ == "TypeAliasType":
        return _is_array(origin.__value__)
    if origin is typing.Annotated:
        return _is_array(typing.get_args(hint)[0])
    many = (*LISTS, np.ndarray)
    return origin in many or hint in many or (origin is tuple and typing.get_args(hint)[-1:] == (...,))


class Schema:
    """The types of one namespace, as hints ask for them."""

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        self.types: dict[str, Complex | Enumeration] = {}
        self._owners: dict[str, Any] = {}
        self._loads: dict[Any, Load] = {}

    def use(self, hint: Any, where: str) -> Use:
        """The type that a hint describes; `where` is for error messages and for naming."""
        if hint in (None, type(None)):
            raise ContractError(f"{where}: None alone is no type of a value")
        origin = typing.get_origin(hint)
        if type(hint).__name__ == "TypeAliasType":
            return self.use(hint.__value__, where)
        if type(origin).__name__ == "TypeAliasType":
            # NumPy's NDArray is such an alias, from some version on.
            return self.use(origin.__value__[typing.get_args(hint)], where)
        if origin is typing.Annotated:
            return self._annotated(hint, where)
        if origin in (typing.Union, types.UnionType):
            return self._optional(hint, where)
        if origin is typing.Literal:
            return self._literal(hint, where)
        if hint is np.ndarray or origin is np.ndarray:
            return self._array(hint, where)
        if origin in LISTS or hint in LISTS or (origin is tuple and typing.get_args(hint)[-1:] == (...,)):
            return self._list(hint, origin or hint, where)
        if isinstance(hint, typing.NewType):
            return self.use(hint.__supertype__, where)
        if origin in STREAMS or hint in STREAMS:
            raise ContractError(f"{where}: an iterator can only be a parameter or a result of its own")
        if hint in SIMPLE:
            return Use(f"xsd:{SIMPLE[hint]}", load=_scalar_load(hint))
        return self._named(hint, where)

    def _annotated(self, hint: Any, where: str) -> Use:
        inner, *notes = typing.get_args(hint)
        for note in notes:
            if isinstance(note, np.dtype) or (isinstance(note, type) and issubclass(note, np.generic)):
                name = next((text for text in notes if isinstance(text, str)), None)
                return Use(self._dtype(np.dtype(note), name, where), many=True)
        return self.use(inner, where)

    def _optional(self, hint: Any, where: str) -> Use:
        some = [arg for arg in typing.get_args(hint) if arg is not type(None)]
        if len(some) != 1:
            raise ContractError(
                f"{where}: {hint} is a choice of types, which no schema type can say; give one type"
            )
        use = self.use(some[0], where)
        return use if len(some) == len(typing.get_args(hint)) else dataclasses.replace(use, optional=True)

    def _literal(self, hint: Any, where: str) -> Use:
        values = typing.get_args(hint)
        if not all(isinstance(value, str) for value in values):
            raise ContractError(f"{where}: only texts can be listed in a Literal")
        return self._enumeration(_title(where), hint, "string", [str(v) for v in values], None)

    def _array(self, hint: Any, where: str) -> Use:
        args = typing.get_args(hint)
        if not args:
            raise ContractError(
                f"{where}: np.ndarray does not say of what: write numpy.typing.NDArray[np.float64], or "
                "Annotated[np.ndarray, dtype] for an array of flat structs"
            )
        scalar: Any = np.float64
        if args and typing.get_args(args[-1]):
            scalar = typing.get_args(args[-1])[0]
        if scalar is Any or scalar not in SIMPLE:
            raise ContractError(f"{where}: an array of {scalar} cannot be sent; name a number type as dtype")
        return Use(f"xsd:{SIMPLE[scalar]}", many=True)

    def _dtype(self, dtype: np.dtype[Any], name: str | None, where: str) -> str:
        if dtype.names is None:
            if dtype.type not in SIMPLE:
                raise ContractError(f"{where}: an array of {dtype} cannot be sent")
            return f"xsd:{SIMPLE[dtype.type]}"
        name = name or _title(where)
        parts = []
        for field in dtype.names:
            inner = self._dtype(dtype[field], f"{name}_{field}", f"{where}.{field}")
            parts.append(Part(wire_name(field), field, Use(inner)))
        self._add(Complex(name, parts), dtype, where)
        return f"tns:{name}"

    def _list(self, hint: Any, origin: Any, where: str) -> Use:
        args = typing.get_args(hint)
        if not args:
            raise ContractError(f"{where}: say what the list holds, such as list[float]")
        item = self.use(args[0], where)
        if item.many:
            item = Use(self._array_type(item, where), load=_inside(item.load))
        make = tuple if origin is tuple else list
        return Use(item.type, many=True, nillable=item.optional, load=_list_load(item.load, make))

    def _array_type(self, item: Use, where: str) -> str:
        """The type around an array inside another: a name of its own for each item type."""
        local = item.type.partition(":")[2]
        name = "ArrayOf" + local[:1].upper() + local[1:]
        complex_ = Complex(name, [Part("item", "item", dataclasses.replace(item, load=None))])
        self._add(complex_, ("array", item.type, item.nillable), where)
        return f"tns:{name}"

    def _named(self, hint: Any, where: str) -> Use:
        if isinstance(hint, type) and issubclass(hint, enum.Enum):
            return self._enum(hint, where)
        if fields_of(hint) is None:
            shown = getattr(hint, "__name__", hint)
            raise ContractError(
                f"{where}: {shown} has no schema type; use a dataclass, a NamedTuple, a TypedDict, an Enum, "
                "a number, str, bytes, bool, a date or time, a list or an array of these"
            )
        return Use(f"tns:{self._struct(hint, where)}", load=lambda value: self._loads[hint](value))

    def _enum(self, hint: type[enum.Enum], where: str) -> Use:
        values = [member.value for member in hint]
        if all(isinstance(value, str) for value in values):
            base = "string"
        elif all(isinstance(value, int) and not isinstance(value, bool) for value in values):
            base = "long"
        else:
            raise ContractError(
                f"{where}: the values of {hint.__name__} must all be texts or all whole numbers"
            )
        texts = [str(value) for value in values]
        return self._enumeration(hint.__name__, hint, base, texts, own_doc(hint))

    def _enumeration(self, name: str, owner: Any, base: str, values: list[str], doc: str | None) -> Use:
        self._add(Enumeration(name, base, values, doc), owner, name)
        return Use(f"tns:{name}", load=owner if isinstance(owner, type) else None)

    def _struct(self, cls: Any, where: str) -> str:
        """Adds a complex type for a class with fields, its bases and those derived from it."""
        name: str = cls.__name__
        if self._owners.get(name) is cls:
            return name
        base = next((b for b in cls.__bases__ if dataclasses.is_dataclass(b)), None)
        complex_ = Complex(name, [], None, own_doc(cls))
        self._add(complex_, cls, where)
        inherited: set[str] = set()
        if base is not None:
            complex_.base = f"tns:{self._struct(base, where)}"
            inherited = {field.name for field in dataclasses.fields(base)}
        everything = []
        hints = typing.get_type_hints(cls, include_extras=True)
        for field, has_default in fields_of(cls) or ():
            use = self.use(hints[field], f"{name}.{field}")
            if has_default:
                use = dataclasses.replace(use, optional=True)
            part = Part(wire_name(field), field, use)
            everything.append(part)
            if field not in inherited:
                complex_.parts.append(part)
        self._loads[cls] = self._struct_load(cls, everything)
        for derived in _derived(cls):
            self._struct(derived, where)
        return name

    def _struct_load(self, cls: Any, parts: list[Part]) -> Load:
        type_name = f"{{{self.namespace}}}{cls.__name__}"
        _announce(cls, type_name)

        def load(value: Any) -> Any:
            if isinstance(value, Record) and value._castile_type != type_name:
                derived = self._owners.get(value._castile_type.rpartition("}")[2])
                if derived is not cls and derived in self._loads:
                    return self._loads[derived](value)
            return _construct(cls, parts, value)

        return load

    def _add(self, new: Complex | Enumeration, owner: Any, where: str) -> None:
        known = self._owners.get(new.name)
        if known is not None and not _same_owner(known, owner):
            raise ContractError(f"{where}: two different types are called {new.name}")
        self._owners[new.name] = owner
        self.types.setdefault(new.name, new)


def fields_of(cls: Any) -> list[tuple[str, bool]] | None:
    """The fields of a class and whether each may be left out; `None` for a class that has none."""
    if dataclasses.is_dataclass(cls):
        missing = dataclasses.MISSING
        return [
            (f.name, f.default is not missing or f.default_factory is not missing)
            for f in dataclasses.fields(cls)
            if f.init
        ]
    if typing.is_typeddict(cls):
        return [(name, name in cls.__optional_keys__) for name in cls.__annotations__]
    if isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return [(name, name in cls._field_defaults) for name in cls._fields]  # type: ignore[attr-defined]
    return None


def wire_name(name: str) -> str:
    """The name on the wire: without the underscore that keeps Python from reading a keyword."""
    if name.endswith("_") and keyword.iskeyword(name[:-1]):
        return name[:-1]
    return name


def load_value(use: Use, value: Any) -> Any:
    """A value from the wire as the hint says."""
    if use.load is None or value is None:
        return value
    return use.load(value)


def own_doc(cls: Any) -> str | None:
    """A class's own docstring, unless the interpreter made it."""
    doc: str | None = cls.__dict__.get("__doc__")
    if not doc or doc.startswith((f"{cls.__name__}(", "dict(")):
        return None
    return inspect.cleandoc(doc)


def _construct(cls: Any, parts: list[Part], value: Any) -> Any:
    values = {}
    if isinstance(value, np.void):  # a row of a structured array
        value = dict(zip(value.dtype.names or (), value.item(), strict=True))
    for part in parts:
        if part.name in value or (part.use.many and not part.use.optional):
            values[part.python] = load_value(part.use, value[part.name])
    for part in parts:
        if part.python not in values and part.use.optional and not _defaulted(cls, part.python):
            values[part.python] = None
    return cls(**values)


def _defaulted(cls: Any, name: str) -> bool:
    return any(field == name and default for field, default in fields_of(cls) or ())


def _announce(cls: Any, type_name: str) -> None:
    """Lets a derived class say its type when it stands where its base is declared."""
    is_class = isinstance(cls, type) and dataclasses.is_dataclass(cls)
    if is_class and (_derived(cls) or any(dataclasses.is_dataclass(base) for base in cls.__bases__)):
        cls._castile_type = type_name


def _derived(cls: Any) -> list[Any]:
    if not isinstance(cls, type) or not dataclasses.is_dataclass(cls):
        return []
    subclasses: list[Any] = type.__subclasses__(cls)
    return [sub for sub in subclasses if "__dataclass_fields__" in sub.__dict__]


def _same_owner(a: Any, b: Any) -> bool:
    return a is b or bool(a == b)


def _title(where: str) -> str:
    words = [word for word in where.replace(".", "_").split("_") if word]
    return "".join(word[:1].upper() + word[1:] for word in words)


def _scalar_load(hint: Any) -> Load | None:
    if isinstance(hint, type) and issubclass(hint, (np.generic, bytearray)):
        return hint
    return None


def _list_load(item: Load | None, make: Callable[[Iterable[Any]], Any]) -> Load:
    def load(value: Any) -> Any:
        values = value.tolist() if isinstance(value, np.ndarray) and value.dtype.names is None else value
        if item is not None:
            values = [None if v is None else item(v) for v in values]
        return make(values)

    return load


def _inside(load: Load | None) -> Load:
    def inside(value: Any) -> Any:
        values = value.item if isinstance(value, Record) else value
        return values if load is None else load(values)

    return inside
