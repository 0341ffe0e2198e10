"""What answers calls: methods of a service class, or anything with methods for a WSDL's operations."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import _castile
from ._calls import header_blocks
from ._castile import OperationFace
from ._errors import Fault, NoSuchOperation
from ._hints import Streamed, load_value
from ._names import attribute_names
from ._operations import close_name, no_operation
from ._records import Record
from ._service import Bound, Definition, fault_reason

__all__ = ["DefinedHandler", "FreeHandler", "Handler", "ServerCall", "current_call"]

log = logging.getLogger("castile.server")


@dataclass
class ServerCall:
    """The call that a handler is answering: `castile.current_call()`."""

    operation: str
    soap_version: str
    peer: tuple[str, int] | None
    headers: dict[str, Any]
    """The SOAP headers that the contract knows, by name."""
    header_blocks: list[tuple[str, str]]
    """All header blocks as XML, by name `{namespace}local`."""
    principal: str | None = None
    """Who proved to send it: to a layer, or to HTTP. A handler that finds it out by ways of its own
    sets it, so that the reply is made from earlier replies to the same one only."""
    session: _castile.Conversation | None = None
    """The session that it belongs to (CWMP)."""
    stream: _castile.Stream[Any] | None = None
    """The argument that is read while it comes, where the handler takes an iterator."""
    reply_headers: dict[str, Any] | list[Any] = field(default_factory=dict)
    """What the handler puts here goes out as SOAP headers: by name, or a list of XML elements."""


_current: contextvars.ContextVar[ServerCall] = contextvars.ContextVar("castile_current_call")


def current_call() -> ServerCall:
    """The call that is being answered; for use inside a handler."""
    try:
        return _current.get()
    except LookupError:
        raise RuntimeError("no call is being answered here") from None


class Handler:
    """What the core calls, from any thread."""

    _faces: Mapping[str, OperationFace]
    debug = False
    """Whether callers are told what is wrong with the service."""

    def begin(self, faces: Sequence[OperationFace]) -> None:
        """Takes note of the contract's operations."""
        self._faces = {face.name: face for face in faces}

    def streamed(self, operation: str, arguments: Sequence[str]) -> str | None:
        """The argument that is read while it comes."""
        raise NotImplementedError

    def handle(
        self, operation: str, arguments: Record, headers: Record, call: _castile.ServerCall
    ) -> tuple[Any, Mapping[str, Any], str | None]:
        """Answers one call. Raises nothing but `Fault`."""
        current = ServerCall(
            operation,
            call.soap_version,
            call.peer,
            header_blocks(headers),
            call.header_blocks,
            call.principal,
            call.session,
            call.stream,
        )
        token = _current.set(current)
        try:
            value = self.answer(operation, arguments, current)
            if inspect.iscoroutine(value):
                value = asyncio.run(value)
        except Fault as fault:
            fault.details = [self._declared(operation, *entry) for entry in fault.details]
            raise
        except Exception as error:
            if call.stream is not None and call.stream.failed:
                # The caller is told what is wrong with the message.
                log.info("operation %s: the message is wrong: %s", operation, error)
                raise Fault(str(error), "Sender") from None
            raise self.to_fault(operation, error) from None
        finally:
            _current.reset(token)
        return value, header_blocks(current.reply_headers), current.principal

    def answer(self, operation: str, arguments: Record, call: ServerCall) -> Any:
        """The value of a call."""
        raise NotImplementedError

    def to_fault(self, operation: str, error: Exception) -> Fault:
        """What the caller learns of an exception: that there was one."""
        return Fault(self.failed(operation, error), "Receiver")

    def detail_failed(self, operation: str, path: str, why: str) -> str | None:
        """Writes to the log that a fault's detail is wrong, without which the fault goes out; what the caller
        is told in its place."""
        log.error(
            "operation %s: the detail of its fault is not sent, which is wrong at %s: %s",
            operation,
            path,
            why,
        )
        return f"the detail of the service's fault is wrong: {why}" if self.debug else None

    def _declared(self, operation: str, name: str, value: Any) -> tuple[str, Any]:
        """A declared fault's element, given in full, without its namespace or by the fault's name."""
        face = self._faces.get(operation)
        if name.startswith("{") or face is None:
            return name, value
        elements = {fault.element for fault in face.faults if fault.element.rpartition("}")[2] == name}
        if len(elements) == 1:
            return elements.pop(), value
        fault = next((fault for fault in face.faults if fault.name == name), None)
        if fault is None:
            return name, value
        if isinstance(value, dict) and sum(other.element == fault.element for other in face.faults) > 1:
            value = {"@type": fault.type_name, **value}
        return fault.element, value

    def failed(self, operation: str, error: BaseException) -> str:
        """Writes an error to the log; what the caller is told of it."""
        log.error("operation %s failed", operation, exc_info=error)
        reason = "the service failed to answer"
        return f"{reason}: {type(error).__name__}: {error}" if self.debug else reason


class DefinedHandler(Handler):
    """Methods of a service class."""

    def __init__(self, target: Any, definition: Definition) -> None:
        self._definition = definition
        self._methods = {name: getattr(target, b.method) for name, b in definition.operations.items()}

    def streamed(self, operation: str, arguments: Sequence[str]) -> str | None:
        return next(iter(self._definition.operations[operation].streamed), None)

    def answer(self, operation: str, arguments: Record, call: ServerCall) -> Any:
        bound = self._definition.operations[operation]
        try:
            values = self._definition.arguments(bound, arguments)
            values.update(self._definition.stream(bound, arguments, call.stream))
            for name, use in bound.headers.items():
                if name in call.headers:
                    call.headers[name] = load_value(use, call.headers[name])
        except (ValueError, TypeError) as error:
            raise Fault(f"a value is not what {operation} takes: {error}", "Sender") from None
        return self._methods[operation](**values)

    def to_fault(self, operation: str, error: Exception) -> Fault:
        bound: Bound = self._definition.operations[operation]
        declared = next((cls for cls in type(error).__mro__ if cls in bound.faults), None)
        if declared is None:
            return super().to_fault(operation, error)
        element = f"{{{self._definition.namespace}}}{declared.__name__}"
        return Fault(fault_reason(error), getattr(error, "code", "Receiver"), detail=(element, error))


class FreeHandler(Handler):
    """Methods or functions for the operations of a WSDL."""

    def __init__(self, target: Any) -> None:
        self._target = target
        self._methods: dict[str, tuple[Callable[..., Any], frozenset[str]]] = {}
        self._streams: dict[str, tuple[str, Streamed]] = {}

    def begin(self, faces: Sequence[OperationFace]) -> None:
        super().begin(faces)
        missing = [name for name in self._faces if self._handler(name) is None]
        self._refuse_strange(missing)
        for name in self._faces.keys() - set(missing):
            _check_parameters(self._faces[name], self._handler(name))
        if missing:
            log.info("operations without a handler: %s", ", ".join(sorted(missing)))

    def streamed(self, operation: str, arguments: Sequence[str]) -> str | None:
        hints = _hints_of(self._handler(operation))
        names = zip(arguments, attribute_names(tuple(arguments)), strict=True)
        hinted = [(name, attr, Streamed.of(hints[attr])) for name, attr in names if attr in hints]
        found = [(name, attr, streamed) for name, attr, streamed in hinted if streamed is not None]
        if len(found) > 1:
            raise TypeError(f"the handler of operation {operation} takes several iterators")
        for name, attr, streamed in found:
            self._streams[operation] = (attr, streamed)
            return name
        return None

    def answer(self, operation: str, arguments: Record, call: ServerCall) -> Any:
        method, optional = self._methods.get(operation) or self._find(operation)
        # All fields by their Python names; those that did not come only where the method has no
        # default for them.
        pairs = zip(arguments._castile_fields, arguments._castile_attrs, strict=True)
        values = {attr: arguments[name] for name, attr in pairs if name in arguments or attr not in optional}
        if operation in self._streams:
            attr, streamed = self._streams[operation]
            # A message that did not come over a connection of its own came whole.
            stream = iter([values[attr]]) if call.stream is None else call.stream
            values[attr] = streamed.read(stream, None)
        return method(**values)

    def _find(self, operation: str) -> tuple[Callable[..., Any], frozenset[str]]:
        """The method and its parameters that have defaults; looked up once."""
        method = self._handler(operation)
        if not callable(method):
            log.error("operation %s is not implemented", operation)
            raise Fault(f"operation {operation} is not implemented", "Receiver")
        parameters = inspect.signature(method).parameters.values()
        optional = frozenset(p.name for p in parameters if p.default is not inspect.Parameter.empty)
        self._methods[operation] = found = (method, optional)
        return found

    def _handler(self, operation: str) -> Any:
        """What answers an operation, `None` where nothing does."""
        if isinstance(self._target, Mapping):
            return self._target.get(operation)
        return getattr(self._target, attribute_names((operation,))[0], None)

    def _refuse_strange(self, missing: Sequence[str]) -> None:
        """Raises for a handler that can only be a misspelt one."""
        if isinstance(self._target, Mapping):
            for key in self._target:
                if key not in self._faces:
                    raise NoSuchOperation(no_operation(key, self._faces))
            return
        names = {attribute_names((name,))[0] for name in self._faces}
        for name in dir(type(self._target)):
            if name.startswith("_") or name in names:
                continue
            method = inspect.getattr_static(self._target, name)
            if inspect.isfunction(method) and close_name(name, missing) is not None:
                raise NoSuchOperation(no_operation(name, missing))


def _hints_of(method: Any) -> dict[str, Any]:
    """The hints of a handler; none where they cannot be read, for nothing else needs them."""
    try:
        return typing.get_type_hints(method)
    except (TypeError, NameError, AttributeError):
        return {}


def _check_parameters(face: OperationFace, method: Any) -> None:
    """Raises `TypeError` unless the method takes the operation's arguments as keywords."""
    if not callable(method):
        raise TypeError(f"the handler of operation {face.name} is no function but {type(method).__name__}")
    try:
        parameters = inspect.signature(method).parameters.values()
    except ValueError:  # of a builtin
        return
    given = attribute_names(tuple(p.name for p in face.parameters))
    named = {p.name: p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    takes_any = any(p.kind == p.VAR_KEYWORD for p in parameters)
    for name in given:
        if name not in named and not takes_any:
            raise TypeError(f"the handler of operation {face.name} cannot take its argument {name!r}")
    for p in parameters:
        needed = p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        if needed and (p.name not in given or p.kind == p.POSITIONAL_ONLY):
            raise TypeError(f"operation {face.name} has no argument {p.name!r}, which its handler needs")
