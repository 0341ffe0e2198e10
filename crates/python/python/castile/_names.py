"""Python names for the names of a contract."""

from __future__ import annotations

import keyword
import re

__all__ = ["attribute_names", "class_name"]


def class_name(type_name: str) -> str:
    """A Python name for a type: the local part, or the last step of an anonymous type's path."""
    local = re.split(r"[/}]", type_name.rstrip("/"))[-1]
    return attribute_names((local,))[0]


def attribute_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Python names for names on the wire, one each and all different.

    >>> attribute_names(("x", "unit-price", "from", "__init__", "unit.price", "2nd"))
    ('x', 'unit_price', 'from_', 'x__init__', 'unit_price_', 'x2nd')
    """
    taken = set(names)
    out = []
    for name in names:
        attr = _identifier(name)
        while attr != name and attr in taken:
            attr += "_"
        taken.add(attr)
        out.append(attr)
    return tuple(out)


def _identifier(name: str) -> str:
    if name.isidentifier() and not keyword.iskeyword(name) and not name.startswith(("__", "_castile_")):
        return name
    attr = re.sub(r"\W", "_", name)
    if keyword.iskeyword(attr):
        return attr + "_"
    if attr.startswith(("__", "_castile_")) or not attr.isidentifier():
        return "x" + attr
    return attr
