"""A service's contract as a WSDL 1.1 document: document/literal wrapped, SOAP 1.1 and 1.2."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from ._hints import Complex, Enumeration, Part, Schema

HTTP = "http://schemas.xmlsoap.org/soap/http"


@dataclass
class OperationText:
    """One operation, as the document needs it."""

    name: str
    parameters: list[Part]
    results: list[Part] | None
    """`None` for a one-way operation."""
    faults: dict[str, str] = field(default_factory=dict)
    """The fault elements' names and types."""
    headers: dict[str, str] = field(default_factory=dict)
    """The header elements' names and types."""
    doc: str | None = None


def document(
    name: str, schema: Schema, operations: Iterable[OperationText], doc: str | None, address: str
) -> bytes:
    """The WSDL document, UTF-8."""
    operations = list(operations)
    namespaces = {
        "xmlns": "http://schemas.xmlsoap.org/wsdl/",
        "xmlns:xsd": "http://www.w3.org/2001/XMLSchema",
        "xmlns:soap": "http://schemas.xmlsoap.org/wsdl/soap/",
        "xmlns:soap12": "http://schemas.xmlsoap.org/wsdl/soap12/",
        "xmlns:tns": schema.namespace,
        "name": name,
        "targetNamespace": schema.namespace,
    }
    body = [
        *_documentation(doc),
        _element("types", {}, [_schema(schema, operations)]),
        *_messages(operations),
        _port_type(name, operations),
        _binding(name, schema.namespace, operations, "soap"),
        _binding(name, schema.namespace, operations, "soap12"),
        _service(name, address),
    ]
    text = '<?xml version="1.0" encoding="UTF-8"?>\n' + _element("definitions", namespaces, body) + "\n"
    return text.encode()


def soap_action(namespace: str, operation: str) -> str:
    """The action by which a request is told apart without reading it."""
    return namespace + operation if namespace.endswith(("/", "#", ":")) else f"{namespace}#{operation}"


def _schema(schema: Schema, operations: list[OperationText]) -> str:
    elements: dict[str, str] = {}
    for op in operations:
        elements[op.name] = _wrapper(schema, op.name, op.parameters)
        if op.results is not None:
            response = op.name + "Response"
            elements[response] = _wrapper(schema, response, op.results)
        for name, type_ in (op.faults | op.headers).items():
            elements[name] = _element("xsd:element", {"name": name, "type": type_})
    types = [_complex(t) if isinstance(t, Complex) else _enumeration(t) for t in schema.types.values()]
    attributes = {"targetNamespace": schema.namespace, "elementFormDefault": "qualified"}
    return _element("xsd:schema", attributes, [*types, *elements.values()])


def _wrapper(schema: Schema, name: str, parts: list[Part]) -> str:
    """The element of a message, with a type of its own.

    Generators for Java name a class after the element, but for its capital: an operation `point` beside
    a type `Point` would stop them. There the element's type has a name, which the class then takes.
    """
    taken = {known.casefold() for known in schema.types}
    content = [_sequence(parts)]
    if name.casefold() not in taken:
        return _element("xsd:element", {"name": name}, [_element("xsd:complexType", {}, content)])
    own = f"{name}Message"
    while own.casefold() in taken:
        own += "Message"
    named = _element("xsd:complexType", {"name": own}, content)
    return "\n".join((named, _element("xsd:element", {"name": name, "type": f"tns:{own}"})))


def _sequence(parts: list[Part]) -> str:
    return _element("xsd:sequence", {}, [_part(part) for part in parts])


def _part(part: Part) -> str:
    attributes = {"name": part.name, "type": part.use.type}
    if part.use.many:
        attributes |= {"minOccurs": "0", "maxOccurs": "unbounded"}
    elif part.use.optional:
        attributes["minOccurs"] = "0"
    if part.use.nillable:
        attributes["nillable"] = "true"
    return _element("xsd:element", attributes)


def _complex(complex_: Complex) -> str:
    content = _sequence(complex_.parts)
    if complex_.base is not None:
        extension = _element("xsd:extension", {"base": complex_.base}, [content])
        content = _element("xsd:complexContent", {}, [extension])
    return _element("xsd:complexType", {"name": complex_.name}, [*_annotation(complex_.doc), content])


def _enumeration(enumeration: Enumeration) -> str:
    values = [_element("xsd:enumeration", {"value": value}) for value in enumeration.values]
    restriction = _element("xsd:restriction", {"base": f"xsd:{enumeration.base}"}, values)
    return _element(
        "xsd:simpleType", {"name": enumeration.name}, [*_annotation(enumeration.doc), restriction]
    )


def _messages(operations: list[OperationText]) -> Iterator[str]:
    elements: dict[str, str] = {}
    for op in operations:
        elements[op.name] = _message(op.name, "parameters", op.name)
        if op.results is not None:
            elements[op.name + "Response"] = _message(
                op.name + "Response", "parameters", op.name + "Response"
            )
        for name in op.faults:
            elements[f"{name}Fault"] = _message(f"{name}Fault", "fault", name)
        for name in op.headers:
            elements[f"{name}Header"] = _message(f"{name}Header", "header", name)
    yield from elements.values()


def _message(name: str, part: str, element: str) -> str:
    return _element(
        "message", {"name": name}, [_element("part", {"name": part, "element": f"tns:{element}"})]
    )


def _port_type(name: str, operations: list[OperationText]) -> str:
    def operation(op: OperationText) -> str:
        inside = [*_documentation(op.doc), _element("input", {"message": f"tns:{op.name}"})]
        if op.results is not None:
            inside.append(_element("output", {"message": f"tns:{op.name}Response"}))
        inside += [_element("fault", {"name": n, "message": f"tns:{n}Fault"}) for n in op.faults]
        return _element("operation", {"name": op.name}, inside)

    return _element("portType", {"name": name}, [operation(op) for op in operations])


def _binding(name: str, namespace: str, operations: list[OperationText], soap: str) -> str:
    def operation(op: OperationText) -> str:
        literal = {"use": "literal"}
        headers = [
            _element(f"{soap}:header", {"message": f"tns:{n}Header", "part": "header"} | literal)
            for n in op.headers
        ]
        inside = [
            _element(f"{soap}:operation", {"soapAction": soap_action(namespace, op.name)}),
            _element("input", {}, [*headers, _element(f"{soap}:body", literal)]),
        ]
        if op.results is not None:
            inside.append(_element("output", {}, [_element(f"{soap}:body", literal)]))
        for n in op.faults:
            inside.append(_element("fault", {"name": n}, [_element(f"{soap}:fault", {"name": n} | literal)]))
        return _element("operation", {"name": op.name}, inside)

    head = _element(f"{soap}:binding", {"style": "document", "transport": HTTP})
    attributes = {"name": _binding_name(name, soap), "type": f"tns:{name}"}
    return _element("binding", attributes, [head, *(operation(op) for op in operations)])


def _service(name: str, address: str) -> str:
    def port(soap: str) -> str:
        inside = [_element(f"{soap}:address", {"location": address})]
        return _element(
            "port", {"name": _binding_name(name, soap), "binding": f"tns:{_binding_name(name, soap)}"}, inside
        )

    return _element("service", {"name": name}, [port("soap"), port("soap12")])


def _binding_name(name: str, soap: str) -> str:
    return name + ("Soap11" if soap == "soap" else "Soap12")


def _documentation(doc: str | None) -> list[str]:
    return [f"<documentation>{escape(doc)}</documentation>"] if doc else []


def _annotation(doc: str | None) -> list[str]:
    if not doc:
        return []
    return [f"<xsd:annotation><xsd:documentation>{escape(doc)}</xsd:documentation></xsd:annotation>"]


def _element(tag: str, attributes: Mapping[str, str], children: Iterable[str] = ()) -> str:
    start = tag + "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
    lines = [line for child in children for line in child.split("\n")]
    if not lines:
        return f"<{start}/>"
    return "\n".join([f"<{start}>", *("  " + line for line in lines), f"</{tag}>"])
