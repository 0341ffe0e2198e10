"""Services written as classes: decorators, and the contract that the type hints make."""

from __future__ import annotations

import dataclasses
import inspect
import re
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, overload

from ._errors import ContractError
from ._hints import Part, Schema, Streamed, Use, fields_of, load_value, own_doc, wire_name
from ._records import Record
from ._wsdl import OperationText, document

__all__ = ["operation", "service", "wsdl"]

Function = TypeVar("Function", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)

_MARK = "__castile_operation__"
_DEFINITION = "__castile_service__"


@dataclasses.dataclass(frozen=True)
class Mark:
    """What `operation` leaves on a function."""

    name: str | None
    one_way: bool
    faults: tuple[type[Exception], ...]
    headers: Mapping[str, Any]


@overload
def operation(function: Function, /) -> Function: ...
@overload
def operation(
    *,
    name: str | None = None,
    one_way: bool = False,
    faults: Iterable[type[Exception]] = (),
    headers: Mapping[str, Any] | None = None,
) -> Callable[[Function], Function]: ...
def operation(
    function: Function | None = None,
    /,
    *,
    name: str | None = None,
    one_way: bool = False,
    faults: Iterable[type[Exception]] = (),
    headers: Mapping[str, Any] | None = None,
) -> Function | Callable[[Function], Function]:
    """Makes a method an operation of its service. Its type hints are the contract.

    `name` is the name on the wire when it is not the method's. With `one_way=True` nothing comes
    back. `faults` are exception classes that are dataclasses: raised, they go to the caller as
    declared faults. `headers` are names and types of SOAP headers, to be read from
    `castile.current_call().headers`.
    """
    mark = Mark(name, one_way, tuple(faults), dict(headers or {}))

    def decorate(function: Function) -> Function:
        setattr(function, _MARK, mark)
        return function

    return decorate(function) if function is not None else decorate


@overload
def service(cls: Class, /) -> Class: ...
@overload
def service(*, namespace: str | None = None, name: str | None = None) -> Callable[[Class], Class]: ...
def service(
    cls: Class | None = None, /, *, namespace: str | None = None, name: str | None = None
) -> Class | Callable[[Class], Class]:
    """Makes a class a service; its methods decorated with `operation` are the operations.

    >>> @service(namespace="urn:calc")
    ... class Calculator:
    ...     @operation
    ...     def add(self, a: int, b: int) -> int:
    ...         return a + b
    >>> b'<operation name="add">' in wsdl(Calculator)
    True

    Numbers, `str`, `bytes`, `bool`, `Decimal`, the classes of `datetime`, `Optional`, lists, NumPy
    arrays with a dtype, enums, dataclasses, named tuples and typed dicts can be used as hints;
    `Annotated[np.ndarray, dtype]` is an array of flat structs. Docstrings become documentation.

    The last parameter may be an iterator of batches, such as `Iterator[NDArray[np.float64]]` or
    `Iterator[list[str]]`, or of items (`Iterator[float]`): the array is read while it comes, in constant
    memory. A result may be one as well: it is sent while it is made.
    """

    def decorate(cls: Class) -> Class:
        type.__setattr__(cls, _DEFINITION, (namespace or f"urn:{cls.__name__}", name or cls.__name__))
        return cls

    return decorate(cls) if cls is not None else decorate


def wsdl(service: Any, address: str = "http://localhost/") -> bytes:
    """The WSDL of a service class or object."""
    return Definition.of(service).wsdl(address)


@dataclasses.dataclass
class Bound:
    """An operation of a definition."""

    method: str
    text: OperationText
    defaulted: frozenset[str]
    faults: tuple[type[Exception], ...]
    headers: dict[str, Use]
    streamed: dict[str, Streamed]
    """The parameter that is read while it comes, if there is one, by its name on the wire."""


class Definition:
    """What a service class says: its operations and their types."""

    def __init__(self, cls: type) -> None:
        mark = getattr(cls, _DEFINITION, None)
        if mark is None:
            raise ContractError(
                f"{cls.__name__} is no service: decorate it with @castile.service, or give a wsdl"
            )
        self.namespace, self.name = mark
        self.doc = own_doc(cls)
        self.schema = Schema(self.namespace)
        self.operations: dict[str, Bound] = {}
        for attribute, function in _functions(cls):
            bound = self._bind(attribute, function)
            if bound.text.name in self.operations:
                raise ContractError(f"{self.name} has two operations called {bound.text.name}")
            self.operations[bound.text.name] = bound
        if not self.operations:
            raise ContractError(f"{self.name} has no operations: decorate methods with @castile.operation")

    @classmethod
    def of(cls, service: Any) -> Definition:
        """The definition of a service class or object, made once a class."""
        owner = service if isinstance(service, type) else type(service)
        known = owner.__dict__.get("__castile_definition__")
        if not isinstance(known, Definition):
            known = cls(owner)
            type.__setattr__(owner, "__castile_definition__", known)
        return known

    def wsdl(self, address: str) -> bytes:
        """The document."""
        texts = [bound.text for bound in self.operations.values()]
        return document(self.name, self.schema, texts, self.doc, address)

    def arguments(self, bound: Bound, record: Record) -> dict[str, Any]:
        """A request's values as the method's keyword arguments, but one that is read while it comes."""
        parts = [part for part in bound.text.parameters if part.name not in bound.streamed]
        return load_parts(parts, record, bound.defaulted)

    def stream(self, bound: Bound, record: Record, stream: Any) -> dict[str, Any]:
        """The argument that is read while it comes, as a keyword argument; `stream` is `None` for a message
        that came whole."""
        parts = [part for part in bound.text.parameters if part.name in bound.streamed]
        whole = {part.name: iter([record[part.name]]) for part in parts if stream is None}
        return {
            part.python: bound.streamed[part.name].read(whole.get(part.name, stream), part.use.load)
            for part in parts
        }

    def _bind(self, attribute: str, function: Any) -> Bound:
        mark: Mark = getattr(function, _MARK)
        name = mark.name or wire_name(attribute)
        where = f"{self.name}.{name}"
        hints = typing.get_type_hints(function, include_extras=True)
        parameters, defaulted = [], set()
        streamed: dict[str, Streamed] = {}
        for parameter in list(inspect.signature(function).parameters.values())[1:]:
            parameters.append(self._parameter(parameter, hints, where))
            stream = Streamed.of(hints[parameter.name])
            if stream is not None:
                streamed[parameters[-1].name] = stream
            if parameter.default is not inspect.Parameter.empty:
                defaulted.add(parameter.name)
        if len(streamed) > 1 or (streamed and parameters[-1].name not in streamed):
            raise ContractError(f"{where}: one parameter can be an iterator, and it must be the last")
        results = None if mark.one_way else self._results(hints, where)
        if mark.one_way and hints.get("return") not in (None, type(None)):
            raise ContractError(f"{where}: a one-way operation gives nothing back")
        faults = {cls.__name__: self._fault(cls, where) for cls in mark.faults}
        headers = {key: self.schema.use(hint, f"{where} header {key}") for key, hint in mark.headers.items()}
        types = {key: use.type for key, use in headers.items()}
        doc = inspect.getdoc(function)
        text = OperationText(name, parameters, results, faults, types, doc)
        return Bound(attribute, text, frozenset(defaulted), mark.faults, headers, streamed)

    def _parameter(self, parameter: inspect.Parameter, hints: Mapping[str, Any], where: str) -> Part:
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            raise ContractError(f"{where}: *{parameter.name} has no type in a contract")
        if parameter.name not in hints:
            raise ContractError(f"{where}: parameter {parameter.name!r} has no type hint")
        use = self._use(hints[parameter.name], f"{where}.{parameter.name}")
        if parameter.default is not inspect.Parameter.empty:
            use = dataclasses.replace(use, optional=True)
        return Part(wire_name(parameter.name), parameter.name, use)

    def _results(self, hints: Mapping[str, Any], where: str) -> list[Part]:
        if "return" not in hints:
            raise ContractError(f"{where} has no return type hint (-> None for nothing)")
        hint = hints["return"]
        if hint in (None, type(None)):
            return []
        items = typing.get_args(hint) if typing.get_origin(hint) is tuple else ()
        if items and items[-1] is not ...:
            uses = [self.schema.use(item, f"{where}.result{i}") for i, item in enumerate(items, 1)]
            return [Part(f"result{i}", f"result{i}", use) for i, use in enumerate(uses, 1)]
        return [Part("result", "result", self._use(hint, f"{where}.result"))]

    def _use(self, hint: Any, where: str) -> Use:
        """The type of a parameter or result; that of an iterator is the array of all its batches."""
        streamed = Streamed.of(hint)
        if streamed is None:
            return self.schema.use(hint, where)
        if streamed.batch is None:
            raise ContractError(f"{where}: say of what, such as Iterator[list[float]]")
        return self.schema.use(streamed.batch, where)

    def _fault(self, cls: type[Exception], where: str) -> str:
        if fields_of(cls) is None:
            raise ContractError(f"{where}: fault {cls.__name__} is no dataclass")
        return self.schema.use(cls, where).type


def load_parts(parts: Iterable[Part], record: Record, defaulted: Iterable[str]) -> dict[str, Any]:
    """The values of a record under their Python names; what is absent and has a default is left out."""
    values = {}
    for part in parts:
        if part.name in record or part.python not in defaulted:
            values[part.python] = load_value(part.use, record[part.name])
    return values


def fault_reason(error: Exception) -> str:
    """What a declared fault says to a person: its message or reason, or what its class is for."""
    for name in ("message", "reason"):
        text = getattr(error, name, None)
        if isinstance(text, str) and text:
            return text
    doc = own_doc(type(error))
    return doc.splitlines()[0] if doc else re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__)


def _functions(cls: type) -> list[tuple[str, Any]]:
    """The operations of a class and of its bases, in the order of definition."""
    found: dict[str, Any] = {}
    for owner in reversed(cls.__mro__):
        for name, value in owner.__dict__.items():
            if hasattr(value, _MARK):
                found[name] = value
            elif name in found and callable(value):
                # An override without the decorator is still the operation.
                setattr(value, _MARK, getattr(found[name], _MARK))
                found[name] = value
    return list(found.items())
