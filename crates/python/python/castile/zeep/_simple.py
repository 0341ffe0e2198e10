"""zeep's simple types, each a class whose objects are called with a value."""

from __future__ import annotations

from typing import Any

XSD = "http://www.w3.org/2001/XMLSchema"


class SimpleType:
    """A simple type. Calling it gives the value."""

    name = "anySimpleType"
    takes: Any = None

    def __init__(self, name: str | None = None) -> None:
        self.qname = name or f"{{{XSD}}}{self.name}"
        self.name = self.qname.rpartition("}")[2]

    def __call__(self, value: Any) -> Any:
        """The value, as the type has it."""
        return value if self.takes is None or isinstance(value, self.takes) else self.takes(value)

    def signature(self, schema: Any = None, standalone: bool = True) -> str:
        """The type's name with a prefix."""
        return f"xsd:{self.name}" if schema is None else str(schema.prefixed(self.qname))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(value)"


def _type(name: str, base: type[SimpleType] = SimpleType, takes: Any = None) -> type[SimpleType]:
    """The class of a built-in type; `takes` makes values of what is none."""
    body = {"name": name, "takes": takes or base.takes, "__doc__": f"xsd:{name}.", "__module__": __name__}
    return type(name[0].upper() + name[1:], (base,), body)


AnySimpleType = SimpleType
AnyType = _type("anyType")
Boolean = _type("boolean")
Float = _type("float", takes=float)
Double = _type("double", Float)
Decimal = _type("decimal")
Duration = _type("duration")
DateTime = _type("dateTime")
Date = _type("date")
Time = _type("time")
GYearMonth = _type("gYearMonth")
GYear = _type("gYear")
GMonthDay = _type("gMonthDay")
GDay = _type("gDay")
GMonth = _type("gMonth")
HexBinary = _type("hexBinary")
Base64Binary = _type("base64Binary")
AnyURI = _type("anyURI")
QName = _type("QName")
Notation = _type("NOTATION")
String = _type("string", takes=str)
NormalizedString = _type("normalizedString", String)
Token = _type("token", NormalizedString)
Language = _type("language", Token)
NmToken = _type("NMTOKEN", Token)
NmTokens = _type("NMTOKENS")
Name = _type("Name", Token)
NCName = _type("NCName", Name)
ID = _type("ID", NCName)
IDREF = _type("IDREF", NCName)
IDREFS = _type("IDREFS")
Entity = _type("ENTITY", NCName)
Entities = _type("ENTITIES")
Integer = _type("integer", Decimal, takes=int)
NonPositiveInteger = _type("nonPositiveInteger", Integer)
NegativeInteger = _type("negativeInteger", NonPositiveInteger)
Long = _type("long", Integer)
Int = _type("int", Long)
Short = _type("short", Int)
Byte = _type("byte", Short)
NonNegativeInteger = _type("nonNegativeInteger", Integer)
UnsignedLong = _type("unsignedLong", NonNegativeInteger)
UnsignedInt = _type("unsignedInt", UnsignedLong)
UnsignedShort = _type("unsignedShort", UnsignedInt)
UnsignedByte = _type("unsignedByte", UnsignedShort)
PositiveInteger = _type("positiveInteger", NonNegativeInteger)
