"""What a contract holds, as zeep shows it: services, ports, operations, types."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from .. import _castile
from .._castile import FieldFace, OperationFace
from . import xsd
from .exceptions import Error, LookupError, NamespaceError

__all__ = ["Binding", "Document", "Operation", "Port", "Service", "Types"]

XSD = "http://www.w3.org/2001/XMLSchema"
SHOWN_MAX = 4
"""How deep types without names are shown in each other."""


class Types:
    """The types and elements of a contract."""

    def __init__(self, core: _castile.Client) -> None:
        self._core = core
        self.prefix_map: dict[str, str] = {"xsd": XSD}
        self.prefix_map.update(
            (f"ns{i}", uri) for i, uri in enumerate(u for u in core.namespaces() if u != XSD)
        )
        self._shown = 0

    @property
    def namespaces(self) -> list[str]:
        """All namespaces."""
        return list(self.prefix_map.values())

    def get_ns_prefix(self, prefix: str) -> str:
        """The namespace of a prefix."""
        namespace = self.prefix_map.get(prefix)
        if namespace is None:
            raise NamespaceError(f"there is no prefix {prefix!r}; there are {', '.join(self.prefix_map)}")
        return namespace

    def set_ns_prefix(self, prefix: str, namespace: str) -> None:
        """Gives a namespace a prefix of one's own."""
        self.prefix_map[prefix] = namespace

    def prefixed(self, name: str) -> str:
        """A name `{namespace}local` with a prefix."""
        namespace, _, local = name.lstrip("{").rpartition("}")
        for prefix, uri in self.prefix_map.items():
            if uri == namespace:
                return f"{prefix}:{local}"
        return local if not namespace else name

    def get_type(self, name: Any) -> Any:
        """A type by its name, `prefix:local` or `{namespace}local`."""
        clark = self._clark(name)
        number = self._core.complex_named(clark)
        if number is not None:
            return Complex(self, number)
        if clark.startswith(f"{{{XSD}}}") or clark in self._core.type_names():
            return xsd.SimpleType(clark)
        raise self._unknown("type", clark)

    def get_element(self, name: Any) -> xsd.Element:
        """A global element by its name, `prefix:local` or `{namespace}local`."""
        clark = self._clark(name)
        face = self._core.element(clark)
        if face is None:
            raise self._unknown("element", clark)
        return self.element(face)

    @property
    def types(self) -> list[Any]:
        """All types that have a name."""
        return [self.get_type(name) for name in self._core.type_names()]

    @property
    def elements(self) -> list[xsd.Element]:
        """All global elements."""
        return [self.get_element(name) for name in self._core.element_names()]

    def element(self, face: FieldFace) -> xsd.Element:
        """An element as zeep has it."""
        name = f"{{{face.namespace}}}{face.local}" if face.namespace else face.local
        low, high = int(face.required), "unbounded" if face.many else 1
        return xsd.Element(name or face.key, self.type_of(face), low, high, face.nillable)

    def type_of(self, face: FieldFace) -> Any:
        """The type of a field."""
        if face.complex is not None:
            return Complex(self, face.complex)
        if face.type_name.startswith("xsd:"):
            return xsd.SimpleType(f"{{{XSD}}}{face.type_name[4:]}")
        return xsd.SimpleType(face.type_name)

    def _unknown(self, what: str, clark: str) -> Error:
        namespace = clark.lstrip("{").rpartition("}")[0]
        if namespace not in self.prefix_map.values():
            return NamespaceError(f"Unable to resolve {what} {clark}: no schema for {namespace!r}")
        return LookupError(f"No {what} {clark.rpartition('}')[2]!r} in namespace {namespace}", qname=clark)

    def _clark(self, name: Any) -> str:
        text = str(getattr(name, "text", name))
        if text.startswith("{"):
            return text
        prefix, colon, local = text.rpartition(":")
        return f"{{{self.get_ns_prefix(prefix)}}}{local}" if colon else text


class Complex(xsd.ComplexType):
    """A complex type of the contract."""

    def __init__(self, types: Types, number: int) -> None:
        self._types, self._face = types, types._core.complex(number)
        self._class = types._core.class_of(number)
        self.qname = "" if self._face.is_anonymous else self._face.name
        self.name = self.qname.rpartition("}")[2] or None

    @cached_property
    def elements(self) -> list[tuple[str, xsd.Element]]:
        """The elements with their names."""
        fields = (f for f in self._face.fields if f.role not in ("attribute", "attributes"))
        return [(field.key, self._types.element(field)) for field in fields]

    @cached_property
    def attributes(self) -> list[tuple[str, xsd.Attribute]]:
        """The attributes with their names."""
        fields = (f for f in self._face.fields if f.role == "attribute")
        return [(f.key, xsd.Attribute(f.local, self._types.type_of(f), f.required)) for f in fields]

    def signature(self, schema: Any = None, standalone: bool = True) -> str:
        """What calling it takes. Types without names are shown to some depth: they may hold themselves."""
        if self._types._shown >= SHOWN_MAX and not self.qname:
            return "{...}"
        self._types._shown += 1
        try:
            return super().signature(schema, standalone)
        finally:
            self._types._shown -= 1


class Operation:
    """An operation of a binding."""

    def __init__(self, types: Types, face: OperationFace) -> None:
        self.name, self.face = face.name, face
        self.soapaction = face.soap_action
        self.wsa_action = face.action
        self.input = Message(types, face.parameters, face.input)
        self.output = Message(types, face.results, face.output)
        self._types = types

    @property
    def faults(self) -> dict[str, xsd.Element]:
        """The elements of declared faults, by their local names."""
        names = [fault.element for fault in self.face.faults]
        return {name.rpartition("}")[2]: self._types.get_element(name) for name in names}

    def __str__(self) -> str:
        answer = self.output.signature()
        return f"{self.name}({self.input.signature()})" + (f" -> {answer}" if answer else "")

    def __repr__(self) -> str:
        return f"<Operation(name={self.name!r})>"


class Message:
    """What goes into or comes out of an operation."""

    def __init__(
        self, types: Types, faces: list[_castile.ParameterFace], body: _castile.BodyFace | None
    ) -> None:
        self._types, self._faces, self._body = types, faces, body

    @property
    def body(self) -> xsd.Element | None:
        """The element in the body: `body.type.elements` are names and elements of what is inside."""
        if self._body is None:
            return None
        return xsd.Element(self._body.name, Complex(self._types, self._body.complex))

    def signature(self, as_output: bool = False) -> str:
        """The names with their types."""
        return ", ".join(
            f"{face.name}: {self._name(face.type_name)}{'[]' if face.many else ''}" for face in self._faces
        )

    def _name(self, type_name: str) -> str:
        return self._types.prefixed(type_name) if type_name.startswith("{") else type_name


class Binding:
    """How a port's messages are written."""

    def __init__(self, types: Types, core: _castile.Client, name: str, protocol: str) -> None:
        self.name = name
        self.protocol = protocol
        self._core = core
        self._types = types

    @cached_property
    def _operations(self) -> dict[str, Operation]:
        return {face.name: Operation(self._types, face) for face in self._core.operations()}

    def all(self) -> dict[str, Operation]:
        """All operations by name."""
        return self._operations

    def get(self, name: str) -> Operation:
        """An operation by name."""
        try:
            return self._operations[name]
        except KeyError:
            raise ValueError(f"No such operation {name!r} on {self.name}") from None

    def __str__(self) -> str:
        return f"{type(self).__name__}: {self.name}"


class Soap11Binding(Binding):
    """SOAP 1.1."""


class Soap12Binding(Binding):
    """SOAP 1.2."""


class Port:
    """A port of a service."""

    def __init__(self, name: str, binding: Binding, address: str | None) -> None:
        self.name, self.binding = name, binding
        self.binding_options = {"address": address}

    def __str__(self) -> str:
        return f"Port: {self.name} ({self.binding})"


class Service:
    """A service."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.ports: dict[str, Port] = {}

    def __str__(self) -> str:
        return f"Service: {self.name}"


class Document:
    """A WSDL: `services`, `bindings`, `types`."""

    def __init__(
        self, location: Any, core: _castile.Client, settings: dict[str, Any], force_https: bool = False
    ) -> None:
        self.location = location
        # A service whose WSDL came by TLS is called by TLS.
        secure = force_https and str(location).startswith("https:")
        self.types = Types(core)
        self.services: dict[str, Service] = {}
        self.bindings: dict[str, Binding] = {}
        for face in core.ports():
            service = self.services.setdefault(face.service, Service(face.service))
            if not face.protocol:
                continue
            binding = self.bindings.get(face.binding)
            if binding is None:
                own = {**settings, "service": face.service, "port": face.name}
                # The address counts when an operation is called: it is often not filled in.
                own["endpoint"] = "http://address.invalid/"
                kind = Soap12Binding if face.protocol == "soap12" else Soap11Binding
                binding = kind(self.types, core.beside(own), face.binding, face.protocol)
                self.bindings[face.binding] = binding
            address = face.address
            if secure and address is not None:
                address = re.sub(r"\Ahttp:", "https:", address)
            service.ports[face.name] = Port(face.name, binding, address)

    def dump(self) -> None:
        """Prints everything."""
        print("\nPrefixes:")
        for prefix, namespace in self.types.prefix_map.items():
            print(f"     {prefix}: {namespace}")
        print("\nGlobal elements:")
        for element in sorted(self.types.elements, key=lambda e: e.qname):
            print(f"     {element.signature(self.types)}")
        print("\nGlobal types:")
        for type_ in sorted(self.types.types, key=lambda t: str(t.qname)):
            print(f"     {type_.signature(self.types)}")
        print("\nBindings:")
        for binding in sorted(self.bindings.values(), key=str):
            print(f"     {binding}")
        print()
        for service in self.services.values():
            print(service)
            for port in service.ports.values():
                print(f"     {port}\n         Operations:")
                for operation in sorted(port.binding.all().values(), key=lambda o: o.name):
                    print(f"            {operation}")
                print()

    def __repr__(self) -> str:
        return f"<WSDL(location={self.location!r})>"
