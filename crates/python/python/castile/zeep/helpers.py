"""zeep's helpers."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from .._dicts import as_mappings
from .._records import NIL
from ._values import pairs
from .xsd import AnyObject, Boolean, Date, DateTime, Float, Integer, SimpleType, String

__all__ = ["Nil", "guess_xsd_type", "serialize_object"]


def serialize_object(obj: Any, target_cls: type = OrderedDict) -> Any:
    """Values as plain Python: typed objects become `target_cls`, at any depth."""
    return as_mappings(obj, target_cls, pairs)


def guess_xsd_type(obj: Any) -> SimpleType:
    """The simple type that fits a value."""
    import datetime

    match obj:
        case bool():
            return Boolean()
        case int():
            return Integer()
        case float():
            return Float()
        case datetime.datetime():
            return DateTime()
        case datetime.date():
            return Date()
        case _:
            return String()


def Nil() -> Any:
    """An explicit nil."""
    return AnyObject(None, NIL)
