"""What interop.wsdl, rpc.wsdl and shapes.wsdl say, for the harness and for the peers written in Python.

Only the standard library, and only the constructs that our hand-written contracts use: this is no
WSDL reader, so that the suite doesn't test one reader with another.

Nouns: a `Contract` has `Operation`s; their messages are `Struct`s of `Field`s; a `Scalar` is an XML
Schema built-in, or an enumeration of strings.

A *neutral* value is the JSON that all peers of the suite speak (README.md, "Neutral values").
"""

from __future__ import annotations

import datetime
import struct
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
NAMES = ("interop", "rpc", "shapes")
XSD = "{http://www.w3.org/2001/XMLSchema}"
WSDL = "{http://schemas.xmlsoap.org/wsdl/}"
SOAP = {
    "1.1": "{http://schemas.xmlsoap.org/wsdl/soap/}",
    "1.2": "{http://schemas.xmlsoap.org/wsdl/soap12/}",
}

SMALL_INTEGERS = {"byte", "short", "int", "unsignedByte", "unsignedShort"}
LARGE_INTEGERS = {"unsignedInt", "long", "unsignedLong", "integer"}
BINARY = {"hexBinary", "base64Binary"}
# The member of a neutral struct that names its type, where that is derived from the declared one.
TYPE = "@type"


@dataclass
class Scalar:
    """A built-in simple type by its local name; `values` when it is an enumeration."""

    name: str
    values: tuple[str, ...] = ()


@dataclass
class Struct:
    """A complex type, or a message: `namespace` is that of its child elements.

    A message whose body is one element of a simple type (`simple`) has that element as its one field.
    """

    name: str
    namespace: str
    fields: list[Field] = field(default_factory=list)
    derived: dict[str, Struct] = field(default_factory=dict)
    simple: bool = False

    def of(self, value: Any) -> Struct:
        """The type that a value says it is of ("@type"), else this one."""
        name = str(value.get(TYPE)).rpartition("}")[2] if isinstance(value, dict) else ""
        return self.derived.get(name, self)


@dataclass
class Field:
    name: str
    type: Scalar | Struct
    optional: bool = False
    nillable: bool = False
    repeated: bool = False
    attribute: bool = False


@dataclass
class Operation:
    name: str
    action: str
    input: Struct
    output: Struct | None  # None: one-way
    faults: list[Struct]
    header_in: Struct | None = None
    header_out: Struct | None = None


@dataclass
class Contract:
    path: Path
    namespace: str
    style: str
    versions: list[str]
    operations: dict[str, Operation]


def as_json(contract: Contract) -> dict[str, Any]:
    """The contract for peers that aren't written in Python (interop/build/model.json)."""

    def struct(it: Struct) -> dict[str, Any]:
        made = {"name": it.name, "namespace": it.namespace, "fields": [field_(f) for f in it.fields]}
        if it.simple:
            made["simple"] = True
        if it.derived:
            made["derived"] = {name: struct(derived) for name, derived in it.derived.items()}
        return made

    def field_(it: Field) -> dict[str, Any]:
        type_ = struct(it.type) if isinstance(it.type, Struct) else it.type.name
        flags = [flag for flag in ("optional", "nillable", "repeated", "attribute") if getattr(it, flag)]
        return {"name": it.name, "type": type_, **dict.fromkeys(flags, True)}

    return {
        op.name: {
            "input": struct(op.input),
            "output": op.output and struct(op.output),
            "faults": [struct(fault) for fault in op.faults],
            "header_out": op.header_out and struct(op.header_out),
        }
        for op in contract.operations.values()
    }


def load(name: str) -> Contract:
    """The contract `interop`, `rpc` or `shapes`."""
    return _Reader(HERE / f"{name}.wsdl").contract()


# ---- cases -> neutral -> comparable ----


def neutral(type_: Scalar | Struct, value: Any) -> Any:
    """A value as written in cases.json, in the form that peers speak."""
    if isinstance(type_, Struct):
        return _each_field(type_, value, neutral)
    if type_.name == "double":
        return struct.pack(">d", float(value)).hex()
    if type_.name == "float":
        return struct.pack(">f", float(value)).hex()
    if type_.name in LARGE_INTEGERS or type_.name == "decimal":
        return str(value)
    return value


def comparable(type_: Scalar | Struct, value: Any) -> Any:
    """A neutral value in the one spelling of its value space; what isn't there stays away."""
    if isinstance(type_, Struct):
        return _comparable_struct(type_, value)
    try:
        return _COMPARABLE.get(type_.name, _as_it_is)(value)
    except (ArithmeticError, TypeError, ValueError):
        return f"no {type_.name}: {value!r}"


def _as_it_is(value: Any) -> Any:
    return value


def _bits(form: str, value: str) -> str:
    """The hex digits of a double or float; every NaN is one."""
    number = struct.unpack(form, bytes.fromhex(value))[0]
    return "NaN" if number != number else value


_COMPARABLE = {
    "double": lambda value: _bits(">d", value),
    "float": lambda value: _bits(">f", value),
    "decimal": Decimal,
    "dateTime": lambda value: datetime.datetime.fromisoformat(value).astimezone(datetime.UTC),
    "time": datetime.time.fromisoformat,
    **dict.fromkeys(LARGE_INTEGERS, int),
}


def _comparable_struct(type_: Struct, value: dict[str, Any]) -> dict[str, Any]:
    type_ = type_.of(value)
    known = {f.name for f in type_.fields}
    made: dict[str, Any] = {name: ("unexpected", value[name]) for name in value if name not in known}
    if value.get(TYPE) == type_.name:
        made[TYPE] = type_.name
    for f in type_.fields:
        if f.repeated:
            made[f.name] = [comparable(f.type, item) for item in value.get(f.name) or []]
        elif f.name in value:
            made[f.name] = _each(f, value[f.name], comparable)
    return made


def _each_field(type_: Struct, value: dict[str, Any], job: Any) -> dict[str, Any]:
    it = type_.of(value)
    made = {} if it is type_ else {TYPE: it.name}
    return made | {f.name: _each(f, value[f.name], job) for f in it.fields if f.name in value}


def _each(f: Field, value: Any, job: Any) -> Any:
    if value is None:
        return None
    if f.repeated:
        return [job(f.type, item) for item in value]
    return job(f.type, value)


# ---- neutral <-> Python, for zeep, spyne and Castile ----


def to_python(type_: Scalar | Struct, value: Any) -> Any:
    """A neutral value as the Python value that toolkits in Python take: float, Decimal, datetime, bytes."""
    if value is None:
        return None
    if isinstance(type_, Struct):
        return _each_field(type_, value, to_python)
    name = type_.name
    if name == "double":
        return struct.unpack(">d", bytes.fromhex(value))[0]
    if name == "float":
        return struct.unpack(">f", bytes.fromhex(value))[0]
    if name in LARGE_INTEGERS:
        return int(value)
    if name == "decimal":
        return Decimal(value)
    if name == "date":
        return datetime.date.fromisoformat(value)
    if name == "dateTime":
        return datetime.datetime.fromisoformat(value)
    if name == "time":
        return datetime.time.fromisoformat(value)
    if name in BINARY:
        return bytes.fromhex(value)
    return value


def from_python(type_: Scalar | Struct, value: Any) -> Any:
    """The reverse; structs are mappings or objects with attributes, lists any iterable."""
    if isinstance(type_, Struct):
        return _struct_from_python(type_, value)
    name = type_.name
    if name == "double":
        return struct.pack(">d", float(value)).hex()
    if name == "float":
        return struct.pack(">f", float(value)).hex()
    if name in SMALL_INTEGERS:
        return int(value)
    if name in LARGE_INTEGERS or name == "decimal":
        return str(value)
    if name in ("date", "dateTime", "time"):
        return value if isinstance(value, str) else value.isoformat()
    if name in BINARY:
        return bytes(value).hex()
    if name == "boolean":
        return bool(value)
    return str(value)


def _struct_from_python(type_: Struct, value: Any) -> dict[str, Any]:
    it = type_.of(value)
    made: dict[str, Any] = {} if it is type_ else {TYPE: it.name}
    for f in it.fields:
        item = _member(value, f.name)
        if f.repeated:
            made[f.name] = [] if item is None else [from_python(f.type, each) for each in item]
        elif item is not None:
            made[f.name] = from_python(f.type, item)
        elif f.nillable:
            made[f.name] = None
    return made


def _member(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return value.get(name)
    if hasattr(value, "dtype") and value.dtype.names:
        return value[name]
    return getattr(value, name, None)


# ---- reading our documents ----


def _local(qname: str) -> str:
    return qname.rpartition(":")[2]


def _child(parent: ElementTree.Element, tag: str) -> ElementTree.Element:
    found = parent.find(tag)
    if found is None:
        raise ValueError(f"no {tag} in {parent.tag}")
    return found


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.root = ElementTree.parse(path).getroot()
        self.named: dict[tuple[str, str], tuple[ElementTree.Element, str]] = {}
        for schema in self.root.iter(XSD + "schema"):
            for child in schema:
                if name := child.get("name"):
                    self.named[child.tag, name] = (child, schema.get("targetNamespace", ""))
        self.structs: dict[str, Struct] = {}
        self._members: dict[str, list[str]] = {}
        for (tag, name), (child, _) in self.named.items():
            if tag == XSD + "element" and (head := child.get("substitutionGroup")):
                self._members.setdefault(_local(head), []).append(name)

    def contract(self) -> Contract:
        bindings = {
            version: found
            for version, soap in SOAP.items()
            for found in self.root.iter(WSDL + "binding")
            if found.find(soap + "binding") is not None
        }
        style = _child(bindings["1.1"], SOAP["1.1"] + "binding").get("style", "document")
        ports = _child(self.root, WSDL + "portType").iter(WSDL + "operation")
        operations = [self._operation(port, bindings["1.1"]) for port in ports]
        return Contract(
            self.path,
            self.root.get("targetNamespace", ""),
            style,
            list(bindings),
            {op.name: op for op in operations},
        )

    def _operation(self, port: ElementTree.Element, binding: ElementTree.Element) -> Operation:
        name = port.get("name", "")
        bound = next(op for op in binding.iter(WSDL + "operation") if op.get("name") == name)
        output = port.find(WSDL + "output")
        return Operation(
            name=name,
            action=_child(bound, SOAP["1.1"] + "operation").get("soapAction", ""),
            input=self._message(_child(port, WSDL + "input")),
            output=None if output is None else self._message(output),
            faults=[self._message(fault) for fault in port.iter(WSDL + "fault")],
            header_in=self._header(bound.find(WSDL + "input")),
            header_out=self._header(bound.find(WSDL + "output")),
        )

    def _header(self, io: ElementTree.Element | None) -> Struct | None:
        header = None if io is None else io.find(SOAP["1.1"] + "header")
        return None if header is None else self._message(header)

    def _message(self, use: ElementTree.Element) -> Struct:
        wanted = _local(use.get("message", ""))
        message = next(m for m in self.root.iter(WSDL + "message") if m.get("name") == wanted)
        parts = message.findall(WSDL + "part")
        if len(parts) == 1 and (element := parts[0].get("element")):
            return self._element(_local(element))
        fields = [Field(p.get("name", ""), self._type(p.get("type", ""))) for p in parts]
        return Struct(wanted, "", fields)  # rpc: part accessors have no namespace

    def _element(self, name: str) -> Struct:
        element, namespace = self.named[XSD + "element", name]
        if (type_ := element.get("type")) is None:
            return Struct(name, namespace, self._fields(_child(element, XSD + "complexType")))
        made = self._type(type_)
        if isinstance(made, Scalar):
            return Struct(name, namespace, [Field(name, made)], simple=True)
        return Struct(name, namespace, made.fields)

    def _type(self, qname: str) -> Scalar | Struct:
        if qname.startswith("xsd:"):
            return Scalar(_local(qname))
        name = _local(qname)
        if (XSD + "simpleType", name) in self.named:
            simple, _ = self.named[XSD + "simpleType", name]
            return Scalar("string", tuple(e.get("value", "") for e in simple.iter(XSD + "enumeration")))
        if name not in self.structs:
            complex_type, namespace = self.named[XSD + "complexType", name]
            self.structs[name] = Struct(name, namespace)
            self.structs[name].fields = self._fields(complex_type)
            self.structs[name].derived = self._derived(name)
        return self.structs[name]

    def _derived(self, base: str) -> dict[str, Struct]:
        """All types that extend `base`, directly or not."""
        made = {}
        for (tag, name), (child, _) in list(self.named.items()):
            extension = child.find(f"{XSD}complexContent/{XSD}extension")
            if tag != XSD + "complexType" or extension is None:
                continue
            if _local(extension.get("base", "")) == base:
                derived = self._type(name)
                assert isinstance(derived, Struct)
                made |= {name: derived, **derived.derived}
        return made

    def _group(self, head: str) -> Struct:
        """Where a substitution group can stand: one of its elements, by its name."""
        names = [head]
        for name in names:
            names += self._members.get(name, [])
        elements = ((name, self.named[XSD + "element", name][0]) for name in names)
        fields = [Field(name, self._type(it.get("type", "")), optional=True) for name, it in elements]
        return Struct(head, self.named[XSD + "element", head][1], fields)

    def _fields(self, complex_type: ElementTree.Element) -> list[Field]:
        fields = []
        extension = complex_type.find(f"{XSD}complexContent/{XSD}extension")
        if extension is not None:
            base = self._type(extension.get("base", ""))
            assert isinstance(base, Struct)
            fields += base.fields
        for element in complex_type.iter(XSD + "element"):
            ref = element.get("ref")
            fields.append(
                Field(
                    name=_local(ref) if ref else element.get("name", ""),
                    type=self._group(_local(ref)) if ref else self._type(element.get("type", "")),
                    optional=element.get("minOccurs") == "0",
                    nillable=element.get("nillable") == "true",
                    repeated=element.get("maxOccurs") == "unbounded",
                )
            )
        for attribute in complex_type.iter(XSD + "attribute"):
            type_ = self._type(attribute.get("type", ""))
            optional = attribute.get("use") != "required"
            fields.append(Field(attribute.get("name", ""), type_, optional=optional, attribute=True))
        return fields
