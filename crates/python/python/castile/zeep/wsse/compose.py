"""Several tokens as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["Compose"]


class Compose:
    """Applies tokens one after the other."""

    def __init__(self, wsse_objects: Sequence[Any]) -> None:
        self.wsse_objects = wsse_objects

    def apply(self, envelope: Any, headers: Any) -> tuple[Any, Any]:
        """The request with all tokens."""
        for token in self.wsse_objects:
            envelope, headers = token.apply(envelope, headers)
        return envelope, headers

    def verify(self, envelope: Any) -> None:
        """Replies have no tokens."""
