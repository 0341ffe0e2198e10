"""Typed objects as zeep has them: a value for every field, and names for those that have none."""

from __future__ import annotations

import pprint
from collections.abc import Iterator
from typing import Any, ClassVar

from .._dicts import as_mappings
from .._names import attribute_names, class_name
from .._records import SKIP, Kind, Record, _held
from . import _trees

__all__ = ["CompoundValue", "compound_class", "element", "pairs"]


class CompoundValue(Record):
    """A value of a complex type: a dict of all its fields, which are attributes too.

    Text, wildcards and repeated groups are `_value_1`, `_value_2` and so on, attributes of a wildcard
    `_attr_1`. What is not there is `None`, or an empty list where it repeats.
    """

    __slots__ = ()
    _castile_keys: ClassVar[tuple[str, ...]] = ()
    """The names, elements first."""
    _castile_roles: ClassVar[tuple[str, ...]] = ()
    _castile_group: ClassVar[bool] = False

    def __iter__(self) -> Iterator[str]:
        if not self._castile_group:
            return iter(self._castile_keys)
        return (key for key in self._castile_keys if self._is_there(key))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str) or key not in self._castile_index:
            return False
        return self._is_there(key) if self._castile_group else True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CompoundValue):
            return NotImplemented
        return type(self) is type(other) and self.__values__ == other.__values__

    __hash__ = None  # values change

    @property
    def __values__(self) -> dict[str, Any]:
        return {key: self[key] for key in self}

    def __dir__(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        return pprint.pformat(as_mappings(self, dict, pairs), sort_dicts=False)

    def __json__(self) -> dict[str, Any]:
        return self.__values__

    def _castile_maker(self) -> tuple[Any, tuple[Any, ...]]:
        return _blank, self._castile_spec

    def _is_there(self, key: str) -> bool:
        return _held(self, self._castile_attrs[self._castile_index[key]]) is not SKIP

    _castile_spec: ClassVar[tuple[Any, ...]] = ()


_classes: dict[tuple[Any, ...], type[CompoundValue]] = {}


def compound_class(
    type_name: str,
    fields: tuple[str, ...],
    kinds: tuple[Kind, ...],
    roles: tuple[str, ...],
    keys: tuple[str, ...],
    is_group: bool = False,
    doc: str | None = None,
) -> type[CompoundValue]:
    """The class of a complex type: made at the first call, the same one at each later call.

    `roles` says what each field is on the wire, `keys` what zeep calls it; `is_group` that the type is
    that of one pass through a repeated group, of which only what is there shows.
    """
    # Messages without a type of their own come with no roles.
    roles = roles or ("element",) * len(fields)
    keys = keys or fields
    spec = (type_name, fields, kinds, roles, keys, is_group)
    known = _classes.get(spec)
    if known is not None:
        return known
    attrs = attribute_names(fields)
    index = {name: at for names in (attrs, fields, keys) for at, name in enumerate(names)}
    at_end = {key for key, role in zip(keys, roles, strict=True) if role in ("attribute", "attributes")}
    body: dict[str, Any] = {
        "__slots__": attrs,
        "__module__": "castile.zeep",
        "__doc__": doc or f"A value of {type_name}.",
        "_castile_type": type_name,
        "_castile_fields": fields,
        "_castile_attrs": attrs,
        "_castile_kinds": tuple(
            "" if role == "any" else kind for role, kind in zip(roles, kinds, strict=True)
        ),
        "_castile_index": index,
        "_castile_keys": tuple(sorted(keys, key=at_end.__contains__)),
        "_castile_group": is_group,
        "_castile_spec": spec,
        "_castile_roles": roles,
    }
    new: type[CompoundValue] = type(class_name(type_name), (CompoundValue,), body)
    return _classes.setdefault(spec, new)


def element(text: str) -> Any:
    """An element that no schema describes, as a tree."""
    return _trees.parse(text)


def pairs(value: Any) -> Iterator[tuple[Any, Any]]:
    """What an object or dict holds, by its keys."""
    return ((key, value[key]) for key in value)


def unwrapped(body: Any) -> Any:
    """What zeep gives for the content of a body: nothing for none; what is inside for one alone, and what
    is inside that if it holds one element and nothing else.
    """
    if not isinstance(body, CompoundValue):
        return body
    if len(body) != 1:
        return body if len(body) else None
    value = body[next(iter(body))]
    if isinstance(value, CompoundValue) and type(value)._castile_roles in (("element",), ("any",)):
        return value[next(iter(value))]
    return value


def _blank(*spec: Any) -> CompoundValue:
    return compound_class(*spec)()
