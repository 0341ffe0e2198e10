"""zeep's WS-Addressing."""

from __future__ import annotations

import uuid
from typing import Any

from . import _trees
from .plugins import Plugin

__all__ = ["WsAddressingPlugin"]

WSA = "{http://www.w3.org/2005/08/addressing}"


class WsAddressingPlugin(Plugin):
    """Says in each request's header what it asks for (`Action`), which it is (`MessageID`) and whom it is
    for (`To`): `address_url`, else the address it is sent to (WS-Addressing 1.0).

    `castile.Addressing` is the layer that also checks replies.
    """

    def __init__(self, address_url: str | None = None) -> None:
        self.address_url = address_url

    def egress(self, envelope: Any, http_headers: Any, operation: Any, binding_options: Any) -> Any:
        """The request with the three headers."""
        header = _trees.header(envelope)
        to = self.address_url or binding_options["address"]
        headers = {"Action": operation.wsa_action, "MessageID": f"urn:uuid:{uuid.uuid4()}", "To": to}
        for name, text in headers.items():
            _trees.add(header, f"{WSA}{name}", text)
        return envelope, http_headers
