"""zeep's plugins: they see each request before it is sent, and each reply before it is read."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

__all__ = ["HistoryPlugin", "Plugin"]


class Plugin:
    """What a plugin derives from. Both methods may give a pair to use in place of what they were given."""

    def ingress(self, envelope: Any, http_headers: Any, operation: Any) -> Any:
        """A reply: its tree and the header fields of HTTP."""
        return envelope, http_headers

    def egress(self, envelope: Any, http_headers: Any, operation: Any, binding_options: Any) -> Any:
        """A request: its tree and the header fields of HTTP."""
        return envelope, http_headers


class HistoryPlugin(Plugin):
    """Keeps the last requests and replies."""

    def __init__(self, maxlen: int = 1) -> None:
        self._buffer: deque[dict[str, Any]] = deque(maxlen=maxlen)

    @property
    def last_sent(self) -> Any:
        """The last request: `envelope` and `http_headers`."""
        return self._buffer[-1]["sent"]

    @property
    def last_received(self) -> Any:
        """The last reply: `envelope` and `http_headers`."""
        return self._buffer[-1]["received"]

    def ingress(self, envelope: Any, http_headers: Any, operation: Any) -> None:
        """Keeps a reply."""
        self._buffer[-1]["received"] = {"envelope": envelope, "http_headers": http_headers}

    def egress(self, envelope: Any, http_headers: Any, operation: Any, binding_options: Any) -> None:
        """Keeps a request."""
        sent = {"envelope": envelope, "http_headers": http_headers}
        self._buffer.append({"sent": sent, "received": None})


def apply_egress(
    plugins: Sequence[Any], envelope: Any, http_headers: Any, operation: Any, binding_options: Any
) -> tuple[Any, Any]:
    """A request after all plugins."""
    for plugin in plugins:
        changed = plugin.egress(envelope, http_headers, operation, binding_options)
        if changed is not None:
            envelope, http_headers = changed
    return envelope, http_headers


def apply_ingress(
    plugins: Sequence[Any], envelope: Any, http_headers: Any, operation: Any
) -> tuple[Any, Any]:
    """A reply after all plugins."""
    for plugin in plugins:
        changed = plugin.ingress(envelope, http_headers, operation)
        if changed is not None:
            envelope, http_headers = changed
    return envelope, http_headers
