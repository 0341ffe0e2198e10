"""zeep's helpers."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from .._records import NIL, Record
from .xsd import AnyObject, Boolean, Date, DateTime, Float, Integer, SimpleType, String

__all__ = ["Nil", "guess_xsd_type", "serialize_object"]


def serialize_object(obj: Any, target_cls: type = OrderedDict) -> Any:
    """Values as plain Python: typed objects become `target_cls`, at any depth."""
    if isinstance(obj, list):
        return [serialize_object(inner, target_cls) for inner in obj]
    if isinstance(obj, (dict, Record)):
        result = target_cls()
        for key in obj:
            result[key] = serialize_object(obj[key], target_cls)
        return result
    return obj


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
