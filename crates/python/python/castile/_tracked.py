"""Arrays whose owner says what changed, so that sending them again takes no comparing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from . import _castile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import DTypeLike


class Hinted:
    """An array that you go on changing yourself, telling `changed` where.

    Made by `castile.hinted`. A place that changed and was not told is not sent.
    """

    __slots__ = ("_array", "_changes", "_told")

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        if array.ndim != 1:
            raise ValueError(f"the array has {array.ndim} dimensions; one is wanted")
        self._array = array
        self._changes = self._told = _castile.Changes(len(array))

    def changed(self, where: Any) -> None:
        """Says that values changed: an index, a slice, several indices, or a mask."""
        _mark(self._changes, range(len(self._array)), where)

    def __len__(self) -> int:
        return len(self._array)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return _as_array(self._array, dtype, copy)

    def __repr__(self) -> str:
        return f"hinted({self._array!r})"


class Tracked(np.lib.mixins.NDArrayOperatorsMixin):
    """An array that marks what is changed through it.

    Made by `castile.tracked`. It is indexed, sliced, computed with and assigned to like the array;
    what is written to a slice of it, or to a field of its records, is marked as well. NumPy's functions
    see its values read-only: to write with one of them, assign what it gives
    (`field[:] = np.sort(field)`).
    """

    __slots__ = ("_array", "_changes", "_rows", "_told")

    def __init__(
        self, array: np.ndarray[Any, Any], changes: _castile.Changes, rows: range, *, whole: bool = False
    ) -> None:
        self._array = array
        self._changes = changes
        self._rows = rows
        # What is told to whoever sends it: of another array's changes, nothing.
        self._told = changes if whole else None

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        dtype: np.dtype[Any] = self._array.dtype
        return dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values, in a tuple."""
        shape: tuple[int, ...] = self._array.shape
        return shape

    @property
    def size(self) -> int:
        """The number of values."""
        return self._array.size

    @property
    def ndim(self) -> int:
        """One."""
        return 1

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._view())

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return Tracked(self._array[key], self._changes, self._rows[key])
        if key is Ellipsis:
            return self
        if isinstance(key, str):
            return Tracked(self._array[key], self._changes, self._rows)
        found = self._array[key]
        # One record is a view of the array that could be written to.
        return found.copy() if isinstance(found, np.void) else found

    def __setitem__(self, key: Any, value: Any) -> None:
        values = np.asarray(value) if isinstance(value, Tracked) else value
        self._array[key] = values
        self.changed(slice(None) if isinstance(key, str) or key is Ellipsis else key)

    def changed(self, where: Any = slice(None)) -> None:
        """Says that values were changed by other ways: an index, a slice, several indices, a mask."""
        _mark(self._changes, self._rows, where)

    def fill(self, value: Any) -> None:
        """Sets all values to one."""
        self[:] = value

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return _as_array(self._array, dtype, copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        outputs = kwargs.get("out", ())
        if outputs:
            kwargs["out"] = tuple(_writable(out) for out in outputs)
        if method == "at" and isinstance(inputs[0], Tracked):
            target, places, *rest = inputs
            ufunc.at(target._array, places, *map(_readable, rest))
            target.changed(places)
            return None
        result = getattr(ufunc, method)(*map(_readable, inputs), **kwargs)
        for out in outputs:
            if isinstance(out, Tracked):
                out.changed()
        return outputs[0] if len(outputs) == 1 else result

    def __repr__(self) -> str:
        return f"tracked({self._array!r})"

    def _view(self) -> np.ndarray[Any, Any]:
        view = self._array.view()
        view.flags.writeable = False
        return view


def tracked(array: np.ndarray[Any, Any]) -> Tracked:
    """The array in a wrapper that marks what is changed through it, to be sent again and again.

    Nothing is copied: what is written to the wrapper is written to the array. What is written to the
    array past the wrapper cannot be seen and is not sent; `Differential(verify=True)` finds such
    places. To be sent without a copy the array has one dimension and numbers in native byte order.
    """
    if array.ndim != 1:
        raise ValueError(f"the array has {array.ndim} dimensions; one is wanted")
    if not array.flags.writeable:
        raise ValueError("the array is read-only: there is nothing to track")
    return Tracked(array, _castile.Changes(len(array)), range(len(array)), whole=True)


def hinted(array: np.ndarray[Any, Any]) -> Hinted:
    """The array in an object that is told which values changed, to be sent again and again.

    The array stays yours to change in any way; say `changed` with the same places afterwards.
    """
    return Hinted(array)


def _mark(changes: _castile.Changes, rows: range, where: Any) -> None:
    if isinstance(where, slice):
        marked = rows[where]
        if marked:
            low, high = min(marked[0], marked[-1]), max(marked[0], marked[-1])
            changes.mark(low, high + 1)
        return
    if isinstance(where, SupportsIndex) and not isinstance(where, (bool, np.bool_, np.ndarray)):
        place = rows[where]
        changes.mark(place, place + 1)
        return
    if isinstance(where, tuple) and len(where) == 1:
        return _mark(changes, rows, where[0])
    places = np.arange(rows.start, rows.stop, rows.step, dtype=np.int64)[where]
    changes.mark_each(np.ravel(places))


def _as_array(
    array: np.ndarray[Any, Any], dtype: DTypeLike | None, copy: bool | None
) -> np.ndarray[Any, Any]:
    if copy or (dtype is not None and np.dtype(dtype) != array.dtype):
        return np.array(array, dtype=dtype)
    view = array.view()
    view.flags.writeable = False
    return view


def _readable(value: Any) -> Any:
    return value._view() if isinstance(value, Tracked) else value


def _writable(value: Any) -> Any:
    return value._array if isinstance(value, Tracked) else value
