"""Errors: each class says whose fault it is.

```
Error
├── ContractError    the WSDL or schema, or what this version cannot do with it
├── BadValue         the caller's values (also a ValueError)
├── BadPeer          the peer's message
│   └── LimitError   the peer's message is beyond a limit
├── TransportError   the connection
│   └── Timeout      (also a TimeoutError)
├── SecurityError    certificates, credentials
└── Fault            the peer answered with a fault, or a handler wants to
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._records import QName, asdict

__all__ = [
    "BadPeer",
    "BadValue",
    "ContractError",
    "Error",
    "Fault",
    "LimitError",
    "SecurityError",
    "Timeout",
    "TransportError",
]


class Error(Exception):
    """What every error of this package is."""

    path: str = ""
    """Where in the message, such as `/Envelope/Body/add/n[3]`; empty when unknown."""
    line: int | None = None
    """Line in the peer's document, from 1."""
    column: int | None = None
    """Column in the peer's document, from 1."""


class ContractError(Error):
    """The WSDL or schema is wrong, or uses a construct that this version cannot do."""


class BadValue(Error, ValueError):
    """A value that the contract does not allow; nothing was sent."""


class BadPeer(Error):
    """The peer sent what is no SOAP, or not what the contract says."""


class LimitError(BadPeer):
    """What the peer sent is beyond a limit; the message names the limit."""


class TransportError(Error):
    """The connection failed, or the peer answered with an HTTP error."""

    status: int | None = None
    """The HTTP status, where there is one."""


class Timeout(TransportError, TimeoutError):
    """The time for connecting, reading or the whole call is over."""


class SecurityError(Error):
    """A certificate, signature or credential was refused."""


class Fault(Error):
    """A SOAP fault: raised by a call that the peer answers with one, and by a handler that wants
    to answer with one.

    `code` is `"Sender"` or `"Receiver"` (SOAP 1.1: Client, Server), another standard code, or
    `{namespace}local`. `details` are pairs of the entry's name, `{namespace}local`, and its value:
    typed where the contract declares it, else `castile.XML`.

    >>> fault = Fault("no such account", code="Sender", detail=("{urn:bank}noAccount", {"id": 7}))
    >>> print(fault)
    Sender: no such account
    >>> fault.name, fault.detail
    ('noAccount', {'id': 7})
    """

    def __init__(
        self,
        reason: str,
        code: str = "Receiver",
        *,
        detail: tuple[str, Any] | Sequence[tuple[str, Any]] | None = None,
        subcodes: Sequence[QName | str] = (),
        reasons: dict[str, str] | None = None,
        node: str | None = None,
        role: str | None = None,
    ) -> None:
        super().__init__(reason, code)
        self.reason = reason
        self.code = code
        self.details: list[tuple[str, Any]] = _pairs(detail)
        self.subcodes = [code if isinstance(code, QName) else _qname(code) for code in subcodes]
        self.reasons = reasons if reasons is not None else {"en": reason}
        self.node = node
        self.role = role

    @property
    def detail(self) -> Any:
        """The value of the first detail entry, or `None`."""
        return self.details[0][1] if self.details else None

    @property
    def name(self) -> str | None:
        """The local name of the first detail entry: which of the declared faults it is."""
        return self.details[0][0].rpartition("}")[2] if self.details else None

    def __str__(self) -> str:
        return f"{self.code.rpartition('}')[2]}: {self.reason}"

    def __reduce__(self) -> tuple[Any, ...]:
        state = {key: value for key, value in self.__dict__.items() if key not in ("reason", "code")}
        return type(self), (self.reason, self.code), state

    def __repr__(self) -> str:
        detail = f", detail={asdict(self.details)!r}" if self.details else ""
        return f"Fault({self.reason!r}, {self.code!r}{detail})"


def _pairs(detail: Any) -> list[tuple[str, Any]]:
    if detail is None:
        return []
    if isinstance(detail, tuple) and len(detail) == 2 and isinstance(detail[0], str):
        return [detail]
    return list(detail)


def _qname(text: str) -> QName:
    namespace, _, local = text.rpartition("}")
    return QName(namespace.lstrip("{"), local)
