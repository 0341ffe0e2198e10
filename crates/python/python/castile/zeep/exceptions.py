"""zeep's exceptions, and how Castile's become them."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

from .. import _errors
from . import _trees

__all__ = [
    "Error",
    "Fault",
    "LookupError",
    "NamespaceError",
    "TransportError",
    "ValidationError",
    "WsdlSyntaxError",
    "XMLParseError",
    "XMLSyntaxError",
]


class Error(_errors.Error):
    """What every error of this module is."""

    def __init__(self, message: str = "", **parts: Any) -> None:
        super().__init__(message)
        self.message = message
        for name, value in parts.items():
            setattr(self, name, value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.message!r})"


class XMLSyntaxError(Error):
    """What came is no XML."""

    content: bytes | None = None


class XMLParseError(Error):
    """What came is not what the contract says."""


class WsdlSyntaxError(Error):
    """The WSDL or a schema is wrong."""


class NamespaceError(Error, ValueError):
    """A prefix or namespace that the contract does not have."""


class LookupError(Error):
    """A type, element or operation that the contract does not have."""


class ValidationError(Error, ValueError):
    """A value that the contract does not allow."""


class UnexpectedArgument(ValidationError, TypeError):
    """A name that the operation or type does not have, for which zeep raises a `TypeError`."""


class TransportError(Error):
    """The connection failed, or what the server answered is no SOAP."""

    def __init__(self, message: str = "", status_code: int = 0, content: bytes | None = None) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.content = content


class Timeout(TransportError, TimeoutError):
    """The time for connecting, reading or the whole call is over."""


class Fault(Error):
    """What the service answered in place of a result. `code` is as it was sent, such as
    `soap:Server`, and `detail` is a tree.
    """

    def __init__(
        self,
        message: str,
        code: str | None = None,
        actor: str | None = None,
        detail: Any = None,
        subcodes: list[Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.actor = actor
        self.detail = detail
        self.subcodes = subcodes


def fault(received: _errors.Fault, reply: bytes) -> Fault:
    """A fault as zeep shows it: its code and detail as they came."""
    tree = next((e for e in _trees.parse(reply).iter() if _local(e) == "Fault"), None)
    parts = {_local(child): child for child in tree} if tree is not None else {}
    code, actor = parts.get("faultcode"), parts.get("faultactor")
    if code is None and "Code" in parts:
        code = next((e for e in parts["Code"] if _local(e) == "Value"), None)
    return Fault(
        received.reason,
        code=code.text if code is not None else received.code,
        actor=actor.text if actor is not None else None,
        detail=parts.get("detail", parts.get("Detail")),
        subcodes=[str(code) for code in received.subcodes] if "Code" in parts else None,
    )


def raise_for(error: _errors.Error, status: int = 0, content: bytes | None = None) -> NoReturn:
    """Raises zeep's exception for one of Castile's."""
    message = str(error)
    match error:
        case _errors.BadValue():
            kind = UnexpectedArgument if ' has no "' in message else ValidationError
            new: Error = kind(message, path=[step for step in error.path.split("/") if step])
        case _errors.Timeout():
            new = _with_requests(Timeout, "Timeout")(message)
        case _errors.TransportError() if not (error.status or status):
            failed = _with_requests(TransportError, "ConnectionError")
            new = failed(message, content=content)
        case _errors.NoSuchOperation():
            new = LookupError(message)
        case _errors.ContractError():
            new = WsdlSyntaxError(message)
        case _errors.TransportError() | _errors.SecurityError() if error.status or status:
            new = TransportError(message, error.status or status, content)
        case _errors.BadPeer() if status not in (0, 200) or not (content or b"").lstrip().startswith(b"<"):
            new = TransportError(message, status, content)
        case _:
            new = XMLParseError(message, content=content)
    raise new from error


def _with_requests(kind: type[TransportError], name: str) -> type[TransportError]:
    """A class that is caught as the one of `requests` too, in programs that know it."""
    requests = sys.modules.get("requests.exceptions")
    if requests is None:
        return kind
    return type(kind.__name__, (kind, getattr(requests, name)), {"__module__": kind.__module__})


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]
