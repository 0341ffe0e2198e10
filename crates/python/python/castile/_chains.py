"""Copies and pickles of typed objects that are in one another, however deep: nothing here recurses.

Between the objects, lists and dicts are walked through; everything else is copied and pickled as it is.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, TypeAlias

__all__ = ["built", "copied", "flattened", "is_deep"]

DEEP_MIN = 100
"""What may be in one another before a pickle is flat. `pickle` recurses, and Python ends that at some 300."""

Flat: TypeAlias = "tuple[list[Any], list[list[Any]], list[list[int]]]"
"""All that is in an object, itself first: what makes each, what each holds, and the places of it that hold
the number of another of them instead."""


def copied(root: Any, memo: dict[int, Any]) -> Any:
    """A deep copy. `memo` has what was copied already, by its `id`, as in `copy.deepcopy`."""
    first = memo[id(root)] = _made(_maker(root))
    waiting = [(root, first)]
    while waiting:
        original, new = waiting.pop()
        values = []
        for value in _held(original):
            if not _is_walked(value):
                values.append(copy.deepcopy(value, memo))
                continue
            if id(value) not in memo:
                memo[id(value)] = _made(_maker(value))
                waiting.append((value, memo[id(value)]))
            values.append(memo[id(value)])
        _fill(new, _maker(original), values)
    return first


def is_deep(root: Any) -> bool:
    """Whether so much is in one another that a pickler may not get through."""
    seen = {id(root)}
    path = [iter(_held(root))]
    while path:
        if len(path) > DEEP_MIN:
            return True
        inner = next((v for v in path[-1] if _is_walked(v) and id(v) not in seen), None)
        if inner is None:
            path.pop()
        else:
            seen.add(id(inner))
            path.append(iter(_held(inner)))
    return False


def flattened(root: Any) -> Flat:
    """The object in a form in which nothing is deep."""
    numbers = {id(root): 0}
    found = [root]
    makers, values, places = [], [], []
    for one in found:
        held = list(_held(one))
        inner = [place for place, value in enumerate(held) if _is_walked(value)]
        for place in inner:
            value = held[place]
            if id(value) not in numbers:
                numbers[id(value)] = len(found)
                found.append(value)
            held[place] = numbers[id(value)]
        makers.append(_maker(one))
        values.append(held)
        places.append(inner)
    return makers, values, places


def built(flat: Flat) -> Any:
    """The object that was flattened."""
    made = [_made(maker) for maker in flat[0]]
    for one, maker, values, places in zip(made, *flat, strict=True):
        for place in places:
            values[place] = made[values[place]]
        _fill(one, maker, values)
    return made[0]


def _is_walked(value: Any) -> bool:
    return type(value) in (list, dict) or hasattr(type(value), "_castile_maker")


def _held(one: Any) -> Sequence[Any]:
    if isinstance(one, list):
        return one
    if isinstance(one, dict):
        return list(one.values())
    held: Sequence[Any] = one._castile_held()
    return held


def _maker(one: Any) -> Any:
    """A function and its arguments; of a list or dict its kind and the keys."""
    if isinstance(one, list):
        return list, ()
    if isinstance(one, dict):
        return dict, tuple(one)
    return one._castile_maker()


def _made(maker: Any) -> Any:
    function, args = maker
    return {} if function is dict else function(*args)


def _fill(one: Any, maker: Any, values: list[Any]) -> None:
    if isinstance(one, list):
        one.extend(values)
    elif isinstance(one, dict):
        one.update(zip(maker[1], values, strict=True))
    else:
        one.__setstate__(values)
