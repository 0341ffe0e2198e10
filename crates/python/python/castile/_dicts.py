"""Typed objects as dicts and lists."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from ._records import MapRecord, Record, present

__all__ = ["as_mappings", "asdict"]


def asdict(value: Any) -> Any:
    """Turns records into dicts and lists of them into lists of dicts, at any depth.

    Fields that are not there are left out. Arrays stay arrays, structured ones too. One object in two
    places is one dict in both, and a circle is a circle.

    >>> from castile._records import record_class
    >>> Point = record_class("{urn:x}Point", ("x", "y"), ("", ""))
    >>> asdict([Point(x=1, y=2.5), Point(y=Point())])
    [{'x': 1, 'y': 2.5}, {'y': {}}]
    """
    return as_mappings(value, dict, _pairs)


def as_mappings(
    value: Any, make: Callable[[], Any], pairs: Callable[[Any], Iterable[tuple[Any, Any]]]
) -> Any:
    """A value in which each record and dict is a mapping that `make` made, of what `pairs` says of it."""
    made: dict[int, Any] = {}
    waiting: list[tuple[Any, Any]] = []

    def turned(value: Any) -> Any:
        if not isinstance(value, (Record, list, dict)):
            return value
        if id(value) not in made:
            made[id(value)] = [] if isinstance(value, list) else make()
            waiting.append((value, made[id(value)]))
        return made[id(value)]

    outcome = turned(value)
    for inner, new in waiting:
        if isinstance(inner, list):
            new.extend(map(turned, inner))
            continue
        for name, held in pairs(inner):
            new[name] = turned(held)
    return outcome


def _pairs(value: Record | dict[Any, Any]) -> Iterable[tuple[Any, Any]]:
    if isinstance(value, dict):
        return value.items()
    if isinstance(value, MapRecord) and all(isinstance(key, Hashable) for key in value):
        return value.items()
    return present(value).items()
