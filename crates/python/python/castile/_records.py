"""Typed objects: the values of a contract's complex types.

`Record` is what every such class derives from; `record_class` makes one from the names of a
type's fields. Classes are shared: two contracts that describe the same type give the same class,
so values of both compare equal, and a pickled value is read back without any contract.
"""

from __future__ import annotations

import enum
import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, TypeAlias, cast

import numpy as np

from ._chains import built, copied, flattened, is_deep
from ._names import attribute_names, class_name
from ._plain import NIL, SKIP, XML, Nil, QName, Skip
from ._showing import brief, shown

__all__ = [
    "NIL",
    "SKIP",
    "XML",
    "ArrayRecord",
    "Nil",
    "QName",
    "Record",
    "Skip",
    "present",
    "type_name",
]

Kind: TypeAlias = "str | tuple[tuple[str, str], ...]"
"""What a field holds when nothing came: "" a single value, "list" a list, the name of a dtype an
array of numbers, pairs of name and dtype name a structured array."""


APACHE_MAP = "{http://xml.apache.org/xml-soap}Map"
"""The type whose values are maps."""


class Record:
    """A value of a complex type: its fields are attributes, and items by their names on the wire.

    A field that is not there reads as `None`, or as an empty array or list where it repeats, and
    `in` tells the two apart. Values are checked when they are sent.

    >>> Point = record_class("{urn:x}Point", ("x", "y"), ("", ""))
    >>> p = Point(x=1)
    >>> p
    Point(x=1)
    >>> p.y is None, "y" in p, "x" in p
    (True, False, True)
    >>> p["y"] = 2.5
    >>> p == Point(1, 2.5)
    True
    >>> list(p), len(p)
    (['x', 'y'], 2)
    """

    __slots__ = ()
    _castile_type: ClassVar[str] = ""
    _castile_fields: ClassVar[tuple[str, ...]] = ()
    _castile_attrs: ClassVar[tuple[str, ...]] = ()
    _castile_kinds: ClassVar[tuple[Kind, ...]] = ()
    _castile_index: ClassVar[Mapping[str, int]] = {}
    _castile_members: ClassVar[Mapping[str, str]] = {}
    _castile_importable: ClassVar[bool] = False
    __hash__ = None  # type: ignore[assignment]  # values change

    def __init__(self, /, *args: Any, **fields: Any) -> None:
        if len(args) > len(self._castile_attrs):
            raise TypeError(f"{_title(self)} has {len(self._castile_attrs)} fields, {len(args)} values given")
        for name, value in zip(self._castile_attrs, args, strict=False):
            setattr(self, name, value)
        for name, value in fields.items():
            if name in self._castile_members:
                _add_passes(self, name, value)
                continue
            attr = self._castile_attrs[_index(self, name, TypeError)]
            if attr in self._castile_attrs[: len(args)]:
                raise TypeError(f"{_title(self)} got two values of {name!r}")
            setattr(self, attr, value)

    def __getattr__(self, name: str) -> Any:
        # Only reached when the slot is empty or the name is none of a slot.
        at = self._castile_index.get(name)
        if at is None:
            if name in self._castile_members:
                return _members(self, name)
            raise AttributeError(_unknown(self, name))
        attr = self._castile_attrs[at]
        if attr != name:
            return getattr(self, attr)
        kind = self._castile_kinds[at]
        if not kind:
            return None
        value = _nothing(kind)
        setattr(self, attr, value)
        return value

    def __getitem__(self, name: Any) -> Any:
        if name in self._castile_members:
            return _members(self, name)
        return getattr(self, self._castile_attrs[_index(self, name, KeyError)])

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, self._castile_attrs[_index(self, name, KeyError)], value)

    def __delitem__(self, name: str) -> None:
        attr = self._castile_attrs[_index(self, name, KeyError)]
        if _held(self, attr) is not SKIP:
            delattr(self, attr)

    def __contains__(self, name: object) -> bool:
        at = self._castile_index.get(name) if isinstance(name, str) else None
        return at is not None and _held(self, self._castile_attrs[at]) is not SKIP

    def __dir__(self) -> list[str]:
        return [*self._castile_attrs, *self._castile_members, *super().__dir__()]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._castile_fields)

    def __len__(self) -> int:
        return len(self._castile_fields)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record):
            return NotImplemented
        return _of_one_type(self, other) and _all_same(_held_alike(self, other))

    def __repr__(self) -> str:
        with shown(self) as whole:
            if not whole:
                return f"{type(self).__name__}(...)"
            return f"{type(self).__name__}({self._castile_inside()})"

    def _castile_inside(self) -> str:
        held = ((attr, _held(self, attr)) for attr in self._castile_attrs)
        return ", ".join(f"{attr}={brief(value)}" for attr, value in held if value is not SKIP)

    def __reduce__(self) -> tuple[Any, ...]:
        if is_deep(self):
            return built, (flattened(self),)
        # Its values come after the object itself, which may stand among them.
        return *self._castile_maker(), self._castile_held()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return copied(self, memo)

    def __copy__(self) -> Record:
        return Record.__replace__(self)

    def _castile_held(self) -> tuple[Any, ...]:
        return tuple(_held(self, attr) for attr in self._castile_attrs)

    def _castile_maker(self) -> tuple[Any, tuple[Any, ...]]:
        """A function and its arguments for an object of this class without values."""
        if self._castile_importable:
            return type(self), ()
        is_array, members = isinstance(self, ArrayRecord), tuple(self._castile_members.items())
        spec = (self._castile_type, self._castile_fields, self._castile_kinds, is_array, None, members)
        return _blank, spec

    def __setstate__(self, values: Iterable[Any]) -> None:
        for attr, value in zip(self._castile_attrs, values, strict=True):
            if value is not SKIP:
                setattr(self, attr, value)

    def __replace__(self, **changes: Any) -> Record:
        new = type(self)()
        for attr in self._castile_attrs:
            value = _held(self, attr)
            if value is not SKIP:
                setattr(new, attr, value)
        for name, value in changes.items():
            new[name] = value
        return new


class ArrayRecord(Record):
    """A record that holds one repeated field and nothing else: it is also the sequence itself.

    >>> Doubles = record_class("{urn:x}ArrayOfDouble", ("item",), ("float64",), is_array=True)
    >>> d = Doubles(item=np.array([1.0, 2.5]))
    >>> len(d), float(d[1]), d[:1], d.item is d["item"]
    (2, 2.5, array([1.]), True)
    >>> float(np.sum(d))
    3.5
    """

    __slots__ = ()

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, str):
            return super().__getitem__(at)
        return getattr(self, self._castile_attrs[0])[at]

    def __setitem__(self, at: Any, value: Any) -> None:
        if isinstance(at, str):
            super().__setitem__(at, value)
        else:
            getattr(self, self._castile_attrs[0])[at] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(getattr(self, self._castile_attrs[0]))

    def __len__(self) -> int:
        return len(getattr(self, self._castile_attrs[0]))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        value = getattr(self, self._castile_attrs[0])
        if copy:
            return np.array(value, dtype=dtype)
        return np.asarray(value, dtype=dtype)


class MapRecord(ArrayRecord):
    """A `Map` of Apache SOAP: a list of pairs, `item`, that reads and changes like a dict.

    >>> Map = record_class("{http://xml.apache.org/xml-soap}Map", ("item",), ("list",), is_array=True)
    >>> m = Map(item=[{"key": "a", "value": 1}])
    >>> m["a"], "b" in m, list(m), dict(m) == m
    (1, False, ['a'], True)
    >>> m["b"] = 2
    >>> m
    Map({'a': 1, 'b': 2})
    """

    __slots__ = ()
    item: list[Any]

    def __getitem__(self, key: Any) -> Any:
        return self._pair(key)["value"]

    def __setitem__(self, key: Any, value: Any) -> None:
        try:
            self._pair(key)["value"] = value
        except KeyError:
            self.item.append({"key": key, "value": value})

    def __delitem__(self, key: Any) -> None:
        self.item.remove(self._pair(key))

    def __contains__(self, key: object) -> bool:
        return any(same(key, known) for known in self)

    def __iter__(self) -> Iterator[Any]:
        return (pair["key"] for pair in self.item)

    def keys(self) -> list[Any]:
        """The keys, in order."""
        return list(self)

    def values(self) -> list[Any]:
        """The values, in order."""
        return [pair["value"] for pair in self.item]

    def items(self) -> list[tuple[Any, Any]]:
        """Keys with their values, in order."""
        return [(pair["key"], pair["value"]) for pair in self.item]

    def get(self, key: Any, default: Any = None) -> Any:
        """The value of a key, or the default."""
        try:
            return self[key]
        except KeyError:
            return default

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (MapRecord, dict)):
            return NotImplemented
        return len(self) == len(other) and all(
            key in other and same(value, other[key]) for key, value in self.items()
        )

    __hash__ = None  # type: ignore[assignment]  # values change

    def _castile_inside(self) -> str:
        pairs = ", ".join(f"{key!r}: {brief(value)}" for key, value in self.items())
        return f"{{{pairs}}}"

    def __replace__(self, **changes: Any) -> Record:
        return type(self)(item=changes.get("item", list(self.item)))

    def _pair(self, key: Any) -> Any:
        for pair in self.item:
            if same(pair["key"], key):
                return pair
        raise KeyError(key)


def present(value: Record) -> dict[str, Any]:
    """The fields of a record that are there, by their names on the wire: of a choice, the one that was
    chosen.

    >>> Shape = record_class("{urn:x}Shape", ("circle", "square"), ("", ""))
    >>> for name, value in present(Shape(square=2)).items():
    ...     print(name, value)
    square 2
    """
    held = (_held(value, attr) for attr in value._castile_attrs)
    return {name: inner for name, inner in zip(value._castile_fields, held, strict=True) if inner is not SKIP}


def type_name(value: Record | type[Record]) -> str:
    """The name of the type that a typed object, or its class, is of: `{namespace}local`, or a path for
    a type without a name.

    >>> Point = record_class("{urn:x}Point", ("x", "y"), ("", ""))
    >>> type_name(Point(1, 2))
    '{urn:x}Point'
    """
    return value._castile_type


_classes: dict[tuple[Any, ...], type[Record]] = {}


def record_class(
    type_name: str,
    fields: tuple[str, ...],
    kinds: tuple[Kind, ...],
    is_array: bool = False,
    doc: str | None = None,
    members: Iterable[tuple[str, str]] = (),
) -> type[Record]:
    """The class of a complex type: made at the first call, the same one at each later call.

    `type_name` is `{namespace}local`, or a path for an anonymous type; `members` are the elements of
    repeated groups, each with its group's field.
    """
    members = tuple(members)
    key = (type_name, fields, kinds, is_array, members)
    known = _classes.get(key)
    if known is not None:
        return known
    attrs = attribute_names(fields)
    body = {
        **class_body(type_name, fields, attrs, kinds, members),
        "__slots__": attrs,
        "__module__": "castile",
        "__doc__": doc or f"A value of {type_name}.",
    }
    base = ArrayRecord if is_array else Record
    if type_name == APACHE_MAP and fields == ("item",):
        base = MapRecord
    new: type[Record] = type(class_name(type_name), (base,), body)
    return _classes.setdefault(key, new)


def class_body(
    type_name: str,
    fields: tuple[str, ...],
    attrs: tuple[str, ...],
    kinds: tuple[Kind, ...],
    members: Iterable[tuple[str, str]],
) -> dict[str, Any]:
    """What a class says of its type."""
    index = {name: at for at, name in enumerate(attrs)}
    index.update((name, at) for at, name in enumerate(fields))
    return {
        "__match_args__": attrs,
        "__signature__": _signature(attrs),
        "_castile_type": type_name,
        "_castile_fields": fields,
        "_castile_attrs": attrs,
        "_castile_kinds": kinds,
        "_castile_index": index,
        "_castile_members": dict(members),
    }


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal, arrays by their content. Circles are if no path through them differs."""
    return _all_same([(a, b)])


def _all_same(waiting: list[tuple[Any, Any]]) -> bool:
    compared: set[tuple[int, int]] = set()
    while waiting:
        a, b = waiting.pop()
        if a is b:
            continue
        if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
            if not np.array_equal(a, b):
                return False
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            waiting.extend(zip(a, b, strict=True))
        elif isinstance(a, Record) and type(a).__eq__ is Record.__eq__ and isinstance(b, Record):
            if (id(a), id(b)) in compared:
                continue
            if not _of_one_type(a, b):
                return False
            compared.add((id(a), id(b)))
            waiting.extend(_held_alike(a, b))
        elif a != b:
            return False
    return True


def _held_alike(a: Record, b: Record) -> list[tuple[Any, Any]]:
    """What two records of one type hold in each field."""
    names = zip(a._castile_attrs, b._castile_attrs, strict=True)
    return [(getattr(a, mine), getattr(b, theirs)) for mine, theirs in names]


def _of_one_type(a: Record, b: Record) -> bool:
    if type(a) is type(b):
        return True
    return a._castile_type == b._castile_type and a._castile_fields == b._castile_fields


def _signature(attrs: tuple[str, ...]) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature([inspect.Parameter(name, kind, default=SKIP) for name in attrs])


def _blank(*spec: Any) -> Record:
    return record_class(*spec)()


def _held(record: Record, attr: str) -> Any:
    """The value in a slot, `SKIP` when it is empty."""
    try:
        return object.__getattribute__(record, attr)
    except AttributeError:
        return SKIP


def _members(record: Record, name: str) -> list[Any]:
    """The values of an element of a repeated group, from all passes through it."""
    found: list[Any] = []
    for one in record[record._castile_members[name]]:
        if name not in one:
            continue
        value = one[name]
        if isinstance(value, (list, np.ndarray)):
            found.extend(value)
        else:
            found.append(value)
    return found


def _add_passes(record: Record, name: str, values: Any) -> None:
    """Passes through a repeated group with one element each."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    record[record._castile_members[name]].extend({name: value} for value in values)


def _nothing(kind: Kind) -> Any:
    if kind == "list":
        return []
    if isinstance(kind, tuple):
        return np.zeros(0, dtype=list(kind)).view(np.recarray)
    return np.zeros(0, dtype=kind)


def _index(record: Record, name: Any, error: type[Exception]) -> int:
    at = record._castile_index.get(name)
    if at is None:
        raise error(_unknown(record, name))
    return at


def _unknown(record: Record, name: object) -> str:
    known = ", ".join(record._castile_attrs) or "none"
    return f"{_title(record)} has no field {name!r}; its fields are {known}"


def _title(record: Record) -> str:
    return record._castile_type or type(record).__name__


def enumeration_class(type_name: str, texts: list[str]) -> type[enum.StrEnum]:
    """A class with one text a member, for a simple type with listed values.

    >>> enumeration_class("{urn:x}Color", ["red", "dark blue"]).dark_blue
    <Color.dark_blue: 'dark blue'>
    """
    members = list(zip(attribute_names(tuple(texts)), texts, strict=True))
    make: Any = enum.StrEnum
    return cast("type[enum.StrEnum]", make(class_name(type_name), members))
