"""zeep's types: those of a contract, and those that scripts make for headers."""

from __future__ import annotations

import base64
import datetime
from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree

from .._records import NIL, SKIP, XML, Record
from ._simple import (
    ID,
    IDREF,
    IDREFS,
    AnySimpleType,
    AnyType,
    AnyURI,
    Base64Binary,
    Boolean,
    Byte,
    Date,
    DateTime,
    Decimal,
    Double,
    Duration,
    Entities,
    Entity,
    Float,
    GDay,
    GMonth,
    GMonthDay,
    GYear,
    GYearMonth,
    HexBinary,
    Int,
    Integer,
    Language,
    Long,
    Name,
    NCName,
    NegativeInteger,
    NmToken,
    NmTokens,
    NonNegativeInteger,
    NonPositiveInteger,
    NormalizedString,
    Notation,
    PositiveInteger,
    QName,
    Short,
    SimpleType,
    String,
    Time,
    Token,
    UnsignedByte,
    UnsignedInt,
    UnsignedLong,
    UnsignedShort,
)
from ._values import CompoundValue, compound_class

__all__ = [
    "ID",
    "IDREF",
    "IDREFS",
    "All",
    "AnyObject",
    "AnySimpleType",
    "AnyType",
    "AnyURI",
    "Attribute",
    "Base64Binary",
    "Boolean",
    "Byte",
    "Choice",
    "ComplexType",
    "CompoundValue",
    "Date",
    "DateTime",
    "Decimal",
    "Double",
    "Duration",
    "Element",
    "Entities",
    "Entity",
    "Float",
    "GDay",
    "GMonth",
    "GMonthDay",
    "GYear",
    "GYearMonth",
    "HexBinary",
    "Int",
    "Integer",
    "Language",
    "Long",
    "NCName",
    "Name",
    "NegativeInteger",
    "Nil",
    "NmToken",
    "NmTokens",
    "NonNegativeInteger",
    "NonPositiveInteger",
    "NormalizedString",
    "Notation",
    "PositiveInteger",
    "QName",
    "Sequence",
    "Short",
    "SimpleType",
    "SkipValue",
    "String",
    "Time",
    "Token",
    "UnsignedByte",
    "UnsignedInt",
    "UnsignedLong",
    "UnsignedShort",
]

SkipValue = SKIP
"""A value that is left out."""
Nil = NIL
"""An explicit nil."""

XSI_NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"


class AnyObject:
    """A value for `anyType`, with its type."""

    def __init__(self, xsd_object: Any, value: Any) -> None:
        self.xsd_obj = xsd_object
        self.value = value

    @property
    def xsd_type(self) -> Any:
        """The type."""
        return self.xsd_obj

    xsd_elm = xsd_type

    def __castile__(self) -> Any:
        """What stands in a message."""
        kind = self.xsd_obj.type if isinstance(self.xsd_obj, Element) else self.xsd_obj
        if kind is None or isinstance(self.value, (Record, ElementValue)):
            return self.value
        if isinstance(kind, ComplexType) and isinstance(self.value, dict):
            return kind(**self.value)
        return kind(self.value)

    def __repr__(self) -> str:
        return f"<AnyObject(type={self.xsd_obj!r}, value={self.value!r})>"


class Attribute:
    """An attribute of a type."""

    def __init__(self, name: str, type_: Any = None, required: bool = False) -> None:
        self.name, self.type, self.required = name, type_ or String(), required


class Element:
    """An element. Calling it gives a value that knows the element, for a header or `anyType`."""

    def __init__(
        self,
        name: str,
        type_: Any = None,
        min_occurs: int = 1,
        max_occurs: int | str = 1,
        nillable: bool = False,
    ) -> None:
        self.qname = name
        self.name = name.rpartition("}")[2]
        self.type = type_ if type_ is not None else AnyType()
        self.min_occurs, self.max_occurs, self.nillable = min_occurs, max_occurs, nillable

    @property
    def is_optional(self) -> bool:
        """Whether it may be left out."""
        return self.min_occurs == 0

    @property
    def accepts_multiple(self) -> bool:
        """Whether it may stand there more than once."""
        return self.max_occurs != 1

    def __call__(self, *args: Any, **kwargs: Any) -> ElementValue:
        """A value of the element."""
        return ElementValue(self, self.type(*args, **kwargs))

    def signature(self, schema: Any = None, standalone: bool = True) -> str:
        """What calling it takes."""
        inside: str = self.type.signature(schema, standalone=False)
        if not standalone:
            return f"{inside}[]" if self.accepts_multiple else inside
        inside = inside.removeprefix("{").removesuffix("}") if inside.startswith("{") else inside
        return f"{self.qname if schema is None else schema.prefixed(self.qname)}({inside})"

    def __repr__(self) -> str:
        return f"Element(name={self.name!r}, type={self.type!r})"


class Sequence(list[Element]):
    """Elements one after another."""


class All(Sequence):
    """Elements in any order."""


class Choice(Sequence):
    """One of several elements."""


class ComplexType:
    """A complex type. Calling it gives a value."""

    def __init__(
        self,
        element: Iterable[Element] | None = None,
        attributes: Iterable[Attribute] | None = None,
        qname: Any = None,
    ) -> None:
        self.qname = str(getattr(qname, "text", qname) or "")
        self.name = self.qname.rpartition("}")[2] or None
        self._elements = list(element or ())
        self._attributes = list(attributes or ())
        names = (*(e.name for e in self._elements), *(a.name for a in self._attributes))
        roles = ("element",) * len(self._elements) + ("attribute",) * len(self._attributes)
        many = (*(e.accepts_multiple for e in self._elements), *(False for _ in self._attributes))
        kinds = tuple("list" if repeats else "" for repeats in many)
        self._class: type[Record] = compound_class(self.qname or "ComplexType", names, kinds, roles, names)

    @property
    def elements(self) -> list[tuple[str, Element]]:
        """The elements with their names."""
        return [(element.name, element) for element in self._elements]

    @property
    def attributes(self) -> list[tuple[str, Attribute]]:
        """The attributes with their names."""
        return [(attribute.name, attribute) for attribute in self._attributes]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """A value of the type."""
        try:
            return self._class(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{error}. Signature: `{self.signature()}`") from None

    def signature(self, schema: Any = None, standalone: bool = True) -> str:
        """What calling it takes; inside another, the name of a type that has one."""
        name = self.qname if schema is None or not self.qname else schema.prefixed(self.qname)
        if name and not standalone:
            return str(name)
        parts = [f"{name}: {element.signature(schema, standalone=False)}" for name, element in self.elements]
        parts += [f"{name}: {attribute.type.signature(schema)}" for name, attribute in self.attributes]
        inside = ", ".join(parts)
        return f"{name}({inside})" if standalone else f"{{{inside}}}"

    def __repr__(self) -> str:
        return f"<ComplexType({self.qname or 'anonymous'})>"


class ElementValue:
    """A value of an element: its fields are those of the value."""

    def __init__(self, element: Element, value: Any) -> None:
        self._xsd_elm = element
        self._value = value

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "_value"), name)

    def __getitem__(self, name: str) -> Any:
        return self._value[name]

    def __castile__(self) -> Any:
        """What stands in a message."""
        return self._value

    def __repr__(self) -> str:
        return repr(self._value)


def as_xml(value: ElementValue) -> XML:
    """The element with its value, as XML."""
    tree = _tree(value._xsd_elm, value._value)
    return XML(ElementTree.tostring(tree, encoding="unicode"))


def _tree(element: Element, value: Any) -> ElementTree.Element:
    tree = ElementTree.Element(element.qname)
    if value is None or value is NIL:
        tree.set(XSI_NIL, "true")
        return tree
    if isinstance(value, ElementValue):
        value = value._value
    kind = element.type
    if not isinstance(kind, ComplexType):
        tree.text = _lexical(value)
        return tree
    given = value if isinstance(value, (Record, dict)) else {}
    for name, attribute in kind.attributes:
        if name in given and given[name] is not None:
            tree.set(attribute.name, _lexical(given[name]))
    for name, inner in kind.elements:
        one = given[name] if name in given else None  # noqa: SIM401  # a record has no get
        for item in one if isinstance(one, (list, tuple)) else [one]:
            if item is SKIP or (item is None and not (inner.nillable and not inner.is_optional)):
                continue
            tree.append(_tree(inner, item))
    return tree


def _lexical(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case bytes():
            return base64.b64encode(value).decode()
        case datetime.datetime() | datetime.date() | datetime.time():
            return value.isoformat().replace("+00:00", "Z")
        case _:
            return str(value)
