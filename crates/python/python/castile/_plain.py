"""Values that Python has no type for: nothing, an explicit nil, an element as it is, a qualified name."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["NIL", "SKIP", "XML", "Nil", "QName", "Skip"]


class Skip:
    """The type of `SKIP`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "castile.SKIP"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        return "SKIP"


class Nil:
    """The type of `NIL`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "castile.NIL"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        return "NIL"


NIL = Nil()
"""An explicit nil, also where `None` would be taken as nothing."""

SKIP = Skip()
"""A value that is left out: the element or attribute is not sent. (`None` is an explicit nil
where the type allows one, and is left out where it does not.)"""


class XML(str):
    """A well-formed element that is sent as it is, where a wildcard or `anyType` stands.

    >>> XML('<note xmlns="urn:n">hi</note>')
    XML('<note xmlns="urn:n">hi</note>')
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"XML({super().__repr__()})"


class QName(NamedTuple):
    """A qualified name as a value, its prefix resolved (XSD 1.0 part 2, 3.2.18).

    >>> str(QName("urn:x", "name"))
    '{urn:x}name'
    """

    namespace: str
    local: str

    def __str__(self) -> str:
        return f"{{{self.namespace}}}{self.local}" if self.namespace else self.local
