"""Several tokens as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .username import UsernameToken

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
        """Has all tokens check a reply."""
        for token in self.wsse_objects:
            token.verify(envelope)


def checks_replies(token: Any) -> bool:
    """Whether a token looks at replies: a script's own may, and costs a tree for each."""
    if isinstance(token, Compose):
        return any(map(checks_replies, token.wsse_objects))
    return not isinstance(token, UsernameToken) and hasattr(token, "verify")
