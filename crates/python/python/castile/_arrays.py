"""Arrays in other forms than the one that is sent without a copy."""

from __future__ import annotations

import importlib
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from . import _castile


def plain(value: Any) -> Any:
    """The values of an array or array-like as a one-dimensional array in native byte order, or
    as a list; a single value where there is no dimension.

    Raises `ValueError` where a value would change.
    """
    if isinstance(value, np.ma.MaskedArray):
        return _unmasked(value)
    if _has_missing(value):
        return value.to_numpy(dtype=object, na_value=None).tolist()
    array = _as_array(value)
    if array.ndim == 0:
        return _single(array)
    array = _one_dimension(array)
    if array.dtype.names is not None:
        return _records(array)
    kind = array.dtype.kind
    if kind == "f":
        return _floats(array)
    if kind in "biu":
        return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    if kind in "Mm":
        return [_moment(v) for v in array]
    if kind in "OUST":
        return array.tolist()
    raise ValueError(f"an array of {array.dtype} cannot be sent")


def element_text(element: Any) -> str:
    """An element of lxml or ElementTree as text."""
    if type(element).__module__.startswith("lxml"):
        etree = importlib.import_module("lxml.etree")
        return str(etree.tostring(element, encoding="unicode", with_tail=False))
    from xml.etree import ElementTree

    tail, element.tail = element.tail, None
    try:
        return ElementTree.tostring(element, encoding="unicode")
    finally:
        element.tail = tail


def _has_missing(value: Any) -> bool:
    """Whether it is a pandas array of a kind that knows missing values, and has some."""
    is_pandas = hasattr(value, "to_numpy") and hasattr(value, "isna") and hasattr(value, "dtype")
    return is_pandas and not isinstance(value.dtype, np.dtype) and bool(value.isna().any())


def _as_array(value: Any) -> np.ndarray[Any, Any]:
    if hasattr(type(value), "to_records"):
        value = value.to_records(index=False)
    return np.asarray(value)


def _unmasked(value: Any) -> Any:
    if not np.ma.is_masked(value):
        return plain(value.data)
    if value.ndim == 0:
        return None
    flat = _one_dimension(value)
    return flat.tolist()


def _one_dimension(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if array.ndim == 1:
        return array
    if array.size == max(array.shape, default=0) or array.size == 0:
        return array.reshape(-1)
    raise ValueError(f"the array has shape {array.shape}; one dimension is wanted")


def _records(array: np.ndarray[Any, Any]) -> Any:
    native = array.astype(array.dtype.newbyteorder("="))
    fields = [native.dtype[name] for name in native.dtype.names or ()]
    simple = all(dtype.kind in "biuf" and dtype.itemsize <= 8 for dtype in fields)
    return native if simple else list(native)


def _floats(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    size = array.dtype.itemsize
    if size == 2:
        return array.astype(np.float32)
    if size <= 8:
        return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    double = array.astype(np.float64)
    changed = (double.astype(array.dtype) != array) & ~np.isnan(array)
    if changed.any():
        at = int(np.argmax(changed))
        raise ValueError(f"value {at + 1} of the array, {array[at]!r}, is no float64")
    return double


def _single(array: np.ndarray[Any, Any]) -> Any:
    kind = array.dtype.kind
    if kind in "Mm":
        return _moment(array[()])
    if kind == "f" and array.dtype.itemsize > 8:
        return float(_floats(array.reshape(1))[0])
    if array.dtype.names is not None or kind == "f":
        return array[()]
    if kind in "biuOUST":
        return array.item()
    raise ValueError(f"a {array.dtype} cannot be sent")


def _moment(value: Any) -> datetime | timedelta | _castile.DateTime | _castile.Duration | None:
    if np.isnat(value):
        return None
    if isinstance(value, np.timedelta64):
        return _span(value)
    text = str(np.datetime_as_string(value))
    if len(text) == len("2020-01-01"):
        text += "T00:00:00"
    moment = _castile.DateTime("dateTime", text)
    return moment


def _span(value: np.timedelta64) -> timedelta | _castile.Duration:
    unit, step = np.datetime_data(value.dtype)
    count = int(value.astype(np.int64)) * step
    sign = "-" if count < 0 else ""
    if unit in "YM":
        return _castile.Duration(f"{sign}P{abs(count)}{unit}")
    digits = {"s": 0, "ms": 3, "us": 6, "ns": 9, "ps": 12, "fs": 15, "as": 18}
    if unit in digits:
        whole, part = divmod(abs(count), 10 ** digits[unit])
        fraction = f".{part:0{digits[unit]}d}" if part else ""
        return _castile.Duration(f"{sign}PT{whole}{fraction}S")
    return timedelta(**{{"W": "weeks", "D": "days", "h": "hours", "m": "minutes"}[unit]: count})
