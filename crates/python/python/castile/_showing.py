"""How typed objects are shown: a text that one can read and that ends, whatever refers to whatever."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

__all__ = ["brief", "shown"]

ITEMS_MAX = 20
"""How many items of a list are shown."""

DEEP_MAX = 50
"""How many objects within one another are shown."""

OBJECTS_MAX = 1000
"""How many objects are shown in one text."""


def brief(value: Any) -> str:
    """The value in a text, a list with its first items."""
    if isinstance(value, list) and len(value) > ITEMS_MAX:
        items = ", ".join(repr(v) for v in value[:ITEMS_MAX])
        return f"[{items}, ... {len(value) - ITEMS_MAX} more]"
    return repr(value)


class _Text(threading.local):
    """The text that a thread is making."""

    def __init__(self) -> None:
        self.open: list[object] = []
        self.count = 0


_text = _Text()


@contextlib.contextmanager
def shown(value: object) -> Iterator[bool]:
    """Around the showing of an object, and whether to show what is in it: not of one within itself, nor of
    one very deep, nor of the last of very many."""
    if not _text.open:
        _text.count = 0
    _text.count += 1
    within = any(value is outer for outer in _text.open)
    whole = not within and len(_text.open) < DEEP_MAX and _text.count <= OBJECTS_MAX
    _text.open.append(value)
    try:
        yield whole
    finally:
        _text.open.pop()
