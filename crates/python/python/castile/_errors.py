"""Errors: each class says whose fault it is.

```
Error
├── ContractError    the WSDL or schema, or what this version cannot do with it
│   ├── NoSuchOperation  (also an AttributeError)
│   └── NoSuchType  (also a LookupError)
├── BadValue         the caller's values (also a ValueError)
├── BadPeer          the peer's message
│   └── LimitError   the peer's message is beyond a limit
├── TransportError   the connection, or an HTTP error
│   └── Timeout      (also a TimeoutError)
├── SecurityError    certificates, credentials
└── Fault            the peer answered with a fault, or a handler wants to
```
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from ._dicts import asdict
from ._records import XML, QName

__all__ = [
    "BadPeer",
    "BadValue",
    "ContractError",
    "Error",
    "Fault",
    "LimitError",
    "NoSuchOperation",
    "NoSuchType",
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
    status: int | None = None
    """The HTTP status, when the error is about a reply."""
    reply: bytes | None = None
    """That reply as it came, decompressed, up to 64 KiB of it: what a proxy says, or a message that could not
    be read. `None` for one without a body, and for one that was read as a stream."""


class ContractError(Error):
    """The WSDL or schema is wrong, or uses a construct that this version cannot do."""


class NoSuchOperation(ContractError, AttributeError, KeyError):
    """The port has no operation of the name."""

    __str__ = Exception.__str__


class NoSuchType(ContractError, LookupError):
    """The contract has no type of the name, or one without a class."""


class BadValue(Error, ValueError):
    """A value that the contract does not allow; nothing was sent."""


class BadPeer(Error):
    """The peer sent what is no SOAP, or not what the contract says."""


class LimitError(BadPeer):
    """What the peer sent is beyond a limit; the message names the limit."""


class TransportError(Error):
    """The connection failed, or the peer answered with an HTTP error that is no SOAP: `status` has its number
    then, and is `None` when no reply came."""


class Timeout(TransportError, TimeoutError):
    """The time for connecting, reading or the whole call is over."""


class SecurityError(Error):
    """A certificate, signature or credential was refused."""


class Fault(Error):
    """A SOAP fault: raised by a call that the peer answers with one, and by a handler that wants
    to answer with one.

    The reason comes first. `code` is `"Sender"` or `"Receiver"` (SOAP 1.1: Client, Server), another
    standard code, or `{namespace}local`. `"Client.Authentication"`, the dotted form of SOAP 1.1, is
    `"Sender"` with a subcode of that name, when it is sent and when it comes. `detail` is a pair of the
    entry's name and its value, a list of such pairs, or `castile.XML` (or a list of it) for entries that
    the contract does not declare. A name is `{namespace}local`, or `local` alone where a declared fault is
    called so.
    `details` has them as pairs. `headers` are header blocks that come or go with the fault: what is
    wrong with a header stands there. They are given as XML, or as pairs for elements that the contract
    knows; the attribute `headers` has those that are XML, which of a fault that came are all, and
    `header_values` the pairs. A detail, or a header's value, that the contract does not allow is left
    out when the fault is sent, and the log says why.

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
        detail: tuple[str, Any] | XML | Sequence[tuple[str, Any] | XML] | None = None,
        subcodes: Sequence[QName | str] = (),
        reasons: dict[str, str] | None = None,
        node: str | None = None,
        role: str | None = None,
        headers: Sequence[str | tuple[str, Any]] = (),
    ) -> None:
        _check_code(reason, code)
        if _DOTTED.fullmatch(code):
            # As it is read: what stands behind the dot is a subcode, which has the whole name.
            subcodes = [QName(_SOAP11, code), *subcodes]
            code = "Sender" if code.startswith("Client") else "Receiver"
        super().__init__(reason, code)
        self._fill(reason, code, detail, subcodes, reasons, node, role, headers)

    @classmethod
    def _received(cls, reason: str, code: str, **parts: Any) -> Fault:
        """One as a peer sent it, whose code may be anything."""
        new = cls.__new__(cls, reason, code)
        new._fill(reason, code, **({"detail": None, "subcodes": (), "reasons": None} | parts))
        return new

    def _fill(
        self,
        reason: str,
        code: str,
        detail: Any,
        subcodes: Sequence[QName | str],
        reasons: dict[str, str] | None,
        node: str | None = None,
        role: str | None = None,
        headers: Sequence[str | tuple[str, Any]] = (),
        header_values: Sequence[tuple[str, Any]] = (),
    ) -> None:
        self.reason = reason
        self.code = code
        self.details: list[tuple[str, Any]] = _pairs(detail)
        self.subcodes = [code if isinstance(code, QName) else _qname(code) for code in subcodes]
        self.reasons = reasons if reasons is not None else {"en": reason}
        self.node = node
        self.role = role
        self.headers = [block for block in headers if isinstance(block, str)]
        given = [block for block in headers if not isinstance(block, str)]
        self.header_values: list[tuple[str, Any]] = [*_pairs(given), *header_values]

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
        return type(self)._received, (self.reason, self.code), state

    def __repr__(self) -> str:
        detail = f", detail={asdict(self.details)!r}" if self.details else ""
        return f"Fault({self.reason!r}, {self.code!r}{detail})"


def _pairs(detail: Any) -> list[tuple[str, Any]]:
    if detail is None:
        return []
    if isinstance(detail, XML):
        return [_entry(detail)]
    if isinstance(detail, tuple) and len(detail) == 2 and type(detail[0]) is str:
        return [detail]
    if not isinstance(detail, (list, tuple)):
        raise _wrong_detail(detail)
    return [_entry(entry) for entry in detail]


def _entry(entry: Any) -> tuple[str, Any]:
    if isinstance(entry, XML):
        return _root_name(entry), entry
    if isinstance(entry, tuple) and len(entry) == 2 and type(entry[0]) is str:
        return entry
    raise _wrong_detail(entry)


def _wrong_detail(detail: Any) -> TypeError:
    return TypeError(
        "a fault's detail is a pair (name, value), a list of such pairs, castile.XML or a list of it, "
        f"not {type(detail).__name__}"
    )


def _root_name(xml: XML) -> str:
    # Only asked of what a handler wrote itself.
    try:
        tag = ElementTree.fromstring(xml).tag
    except ElementTree.ParseError as error:
        raise ValueError(f"the detail is no well-formed element: {error}") from None
    return str(tag)


_CODES = {
    "Sender",
    "Receiver",
    "Client",
    "Server",
    "VersionMismatch",
    "MustUnderstand",
    "DataEncodingUnknown",
}
_CLARK = re.compile(r"\{[^{}]+\}[^\W\d][\w.-]*")
_DOTTED = re.compile(r"(Client|Server)\.[\w.-]+")
_SOAP11 = "http://schemas.xmlsoap.org/soap/envelope/"


def _check_code(reason: Any, code: Any) -> None:
    if not isinstance(reason, str) or not isinstance(code, str):
        raise TypeError("a fault's reason and code are texts: Fault(reason, code)")
    if code in _CODES or _CLARK.fullmatch(code) or _DOTTED.fullmatch(code):
        return
    hint = " (the reason comes first)" if reason in _CODES else ""
    raise ValueError(
        f"{code!r} is no code of a fault{hint}: it is 'Sender', 'Receiver', 'Client.X', 'Server.X' or "
        "'{namespace}local'"
    )


def _qname(text: str) -> QName:
    namespace, _, local = text.rpartition("}")
    return QName(namespace.lstrip("{"), local)
