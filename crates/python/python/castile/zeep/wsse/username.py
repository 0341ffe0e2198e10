"""UsernameToken (WSS UsernameToken Profile 1.0)."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from .. import _trees

__all__ = ["UsernameToken"]

OASIS = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-"
WSSE = f"{{{OASIS}wssecurity-secext-1.0.xsd}}"
WSU = f"{{{OASIS}wssecurity-utility-1.0.xsd}}"
PROFILE = f"{OASIS}username-token-profile-1.0"
BASE64 = f"{OASIS}soap-message-security-1.0#Base64Binary"


class UsernameToken:
    """A user's name and password in each request's header; with `use_digest` only a digest of the
    password, a nonce and the time. `hash_password` hashes it first, `password_digest` is the hash of
    one that is not known. `timestamp_token` is an element that goes beside it.
    """

    def __init__(
        self,
        username: str,
        password: str | None = None,
        password_digest: str | None = None,
        use_digest: bool = False,
        nonce: str | None = None,
        created: datetime | None = None,
        timestamp_token: Any = None,
        zulu_timestamp: bool | None = None,
        hash_password: bool | Callable[[str], bytes] | None = None,
    ) -> None:
        self.username = username
        self.password = password
        self.password_digest = password_digest
        self.use_digest = use_digest
        self.nonce = nonce
        self.created = created
        self.timestamp_token = timestamp_token
        self.zulu_timestamp = zulu_timestamp
        self.hash_password = hash_password

    def apply(self, envelope: Any, headers: Any) -> tuple[Any, Any]:
        """The request with the token in its header."""
        security = _security(envelope)
        token = _trees.add(security, f"{WSSE}UsernameToken")
        _trees.add(token, f"{WSSE}Username", self.username)
        if self.use_digest:
            self._add_digest(token)
        elif self.password is not None:
            _trees.add(token, f"{WSSE}Password", self.password, Type=f"{PROFILE}#PasswordText")
        if self.timestamp_token is not None:
            security.append(self.timestamp_token)
        return envelope, headers

    def verify(self, envelope: Any) -> None:
        """Replies have no token."""

    def _add_digest(self, token: Any) -> None:
        nonce = self.nonce.encode() if self.nonce is not None else os.urandom(16)
        created = self.created if self.created is not None else datetime.now(UTC)
        stamp = created.replace(microsecond=0, tzinfo=None).isoformat() + "Z"
        if self.zulu_timestamp is False or (self.zulu_timestamp is None and self.created is not None):
            stamp = created.replace(microsecond=0).isoformat()
        digest = self.password_digest or self._digest(nonce, stamp)
        _trees.add(token, f"{WSSE}Password", digest, Type=f"{PROFILE}#PasswordDigest")
        _trees.add(token, f"{WSSE}Nonce", base64.b64encode(nonce).decode(), EncodingType=BASE64)
        _trees.add(token, f"{WSU}Created", stamp)

    def _digest(self, nonce: bytes, stamp: str) -> str:
        password = (self.password or "").encode()
        if callable(self.hash_password):
            password = self.hash_password(self.password or "")
        elif self.hash_password:
            password = hashlib.sha1(password).digest()
        return base64.b64encode(hashlib.sha1(nonce + stamp.encode() + password).digest()).decode()


def _security(envelope: Any) -> Any:
    """The header's Security element, made where there is none."""
    header = _trees.header(envelope)
    security = header.find(f"{WSSE}Security")
    return security if security is not None else _trees.add(header, f"{WSSE}Security")
