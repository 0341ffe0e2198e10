"""Operations as users call them: what a client's `service` and `stream` are made of."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar, cast

from . import _castile
from ._castile import OperationFace, Stream
from ._errors import BadValue, NoSuchOperation
from ._names import attribute_names
from ._operations import close_name, help_text, no_operation, signature
from ._records import XML, Record
from ._streams import AsyncStream

Headers: TypeAlias = "Mapping[str, Any] | Record | Sequence[Any] | XML | None"


class Asked(NamedTuple):
    """What a call is to do."""

    operation: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    headers: Headers
    timeout: float | None
    http: Mapping[str, str] | None


_OPTIONS = ("_timeout", "_headers", "_http_headers")


def hint(error: BadValue, keywords: Iterable[str]) -> None:
    """Has an error about a keyword say which setting of a call was meant.

    >>> error = BadValue('add has no "timeout"; it has a, b')
    >>> hint(error, ["a", "timeout"])
    >>> print(error)
    add has no "timeout"; it has a, b; did you mean _timeout=...?
    """
    for name in keywords:
        near = close_name(name, _OPTIONS)
        if near is not None and f'no "{name}"' in str(error):
            error.args = (f"{error}; did you mean {near}=...?",)


class _OperationBase:
    """One operation of the port."""

    def __init__(self, client: Any, face: OperationFace) -> None:
        self._client = client
        self.face = face
        self.__name__ = self.__qualname__ = face.name
        self.__doc__ = help_text(face)

    @property
    def __signature__(self) -> inspect.Signature:
        return signature(self.face)

    def __repr__(self) -> str:
        return f"<operation {self.face.name}{signature(self.face)}>"


class Operation(_OperationBase):
    """An operation that is called and gives its value."""

    def __call__(
        self,
        /,
        *args: Any,
        _headers: Headers = None,
        _timeout: float | None = None,
        _http_headers: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> Any:
        return self._client._call(Asked(self.face.name, args, kwargs, _headers, _timeout, _http_headers))


class AsyncOperation(Operation):
    """An operation that is called and awaited."""

    async def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return await super().__call__(*args, **kwargs)


class StreamOperation(_OperationBase):
    """An operation that is called and gives an array of its reply batch by batch."""

    def __call__(
        self,
        /,
        *args: Any,
        _array: str | None = None,
        _batch: int = 10_000,
        _headers: Headers = None,
        _timeout: float | None = None,
        _http_headers: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> Stream[Any]:
        """Sends the request and reads the head of the reply.

        `_array` names the array (`"values"`, or `"a.b"` for field `b` of field `a`) where the reply has
        several. A batch has at least `_batch` items, but the last; 1 gives each as soon as it is there.
        """
        asked = Asked(self.face.name, args, kwargs, _headers, _timeout, _http_headers)
        opened: Stream[Any] = self._client._open(asked, _array, _batch)
        return opened


class AsyncStreamOperation(StreamOperation):
    """An operation whose reply is read with `async for`, or first awaited."""

    def __call__(self, /, *args: Any, **kwargs: Any) -> AsyncStream[Any]:  # type: ignore[override]
        """The call is made when the first batch is asked for, or when what this gives is awaited."""
        stream: Any = super().__call__(*args, **kwargs)
        return cast("AsyncStream[Any]", stream)


Op = TypeVar("Op", bound=_OperationBase)


class Operations(Generic[Op]):
    """The operations of a client's port, as attributes and as items."""

    def __init__(self, client: Any, make: Callable[[Any, OperationFace], Op]) -> None:
        self._client = client
        self._make = make
        self._faces: dict[str, OperationFace] = client._faces
        # Names that Python cannot write have others.
        names = tuple(self._faces)
        self._attrs = dict(zip(attribute_names(names), names, strict=True))

    def __getattr__(self, name: str) -> Op:
        if name.startswith("__"):
            raise AttributeError(name)
        operation = self[self._attrs.get(name, name)]
        self.__dict__[name] = operation
        return operation

    def __getitem__(self, name: str) -> Op:
        face = self._faces.get(name)
        if face is None:
            raise NoSuchOperation(no_operation(name, self._faces))
        return self._make(self._client, face)

    def __contains__(self, name: object) -> bool:
        return name in self._faces

    def __iter__(self) -> Iterator[str]:
        return iter(self._faces)

    def __len__(self) -> int:
        return len(self._faces)

    def __dir__(self) -> list[str]:
        return sorted(self._attrs)

    def __repr__(self) -> str:
        return f"<operations {', '.join(self._faces)}>"


def header_blocks(headers: Any) -> dict[str, Any]:
    """Header blocks by name; XML and elements are blocks that the contract does not name."""
    if isinstance(headers, Record):
        fields = zip(headers._castile_fields, headers._castile_attrs, strict=True)
        return {name: getattr(headers, attr) for name, attr in fields if name in headers}
    if isinstance(headers, Mapping):
        return dict(headers)
    if isinstance(headers, (list, tuple)):
        return {_castile.HEADER_ANY: list(headers)}
    return {_castile.HEADER_ANY: [headers]}
