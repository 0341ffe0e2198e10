"""A contract with one operation for each simple type, made for the tests of values."""

import re

XSD = "http://www.w3.org/2001/XMLSchema"
BUILTIN = """
    string normalizedString token language Name NCName NMTOKEN NMTOKENS boolean decimal integer
    nonPositiveInteger negativeInteger long int short byte nonNegativeInteger unsignedLong unsignedInt
    unsignedShort unsignedByte positiveInteger float double duration dateTime time date gYearMonth gYear
    gMonthDay gDay gMonth hexBinary base64Binary anyURI QName anySimpleType
"""
DEFINED = """
<xs:notation name="gif" public="image/gif"/>
<xs:simpleType name="Ints"><xs:list itemType="xs:int"/></xs:simpleType>
<xs:simpleType name="Words"><xs:list itemType="xs:token"/></xs:simpleType>
<xs:simpleType name="Dates"><xs:list itemType="xs:date"/></xs:simpleType>
<xs:simpleType name="Names"><xs:list itemType="xs:QName"/></xs:simpleType>
<xs:simpleType name="Either"><xs:union memberTypes="xs:int xs:date xs:string"/></xs:simpleType>
<xs:simpleType name="Picture">
  <xs:restriction base="xs:NOTATION"><xs:enumeration value="t:gif"/></xs:restriction>
</xs:simpleType>
"""
TYPES = {name: f"xs:{name}" for name in BUILTIN.split()} | {
    name: f"t:{name}" for name in re.findall(r'simpleType name="(\w+)"', DEFINED)
}


def schema() -> str:
    """An element with one value of each type, and the answer to it."""
    elements = (
        f'<xs:element name="{name}{suffix}"><xs:complexType><xs:sequence>'
        f'<xs:element name="v" type="{type_}"/></xs:sequence></xs:complexType></xs:element>'
        for name, type_ in TYPES.items()
        for suffix in ("", "Response")
    )
    return (
        f'<xs:schema xmlns:xs="{XSD}" xmlns:t="urn:t" targetNamespace="urn:t" elementFormDefault="qualified">'
        f"{DEFINED}{''.join(elements)}</xs:schema>"
    )


def wsdl() -> bytes:
    """The contract."""
    messages, operations, bound = "", "", ""
    for name in TYPES:
        messages += f'<message name="{name}In"><part name="p" element="t:{name}"/></message>'
        messages += f'<message name="{name}Out"><part name="p" element="t:{name}Response"/></message>'
        io = f'<input message="t:{name}In"/><output message="t:{name}Out"/>'
        operations += f'<operation name="{name}">{io}</operation>'
        io = '<input><s:body use="literal"/></input><output><s:body use="literal"/></output>'
        bound += f'<operation name="{name}"><s:operation soapAction=""/>{io}</operation>'
    return f"""<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t" targetNamespace="urn:t"
      xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"><types>{schema()}</types>{messages}
      <portType name="P">{operations}</portType><binding name="B" type="t:P">
      <s:binding transport="http://schemas.xmlsoap.org/soap/http"/>{bound}</binding><service name="S">
      <port name="P" binding="t:B"><s:address location="http://127.0.0.1:9/"/></port></service>
      </definitions>""".encode()


def reply(name: str, text: str) -> bytes:
    """An answer with this text as its value."""
    return (
        '<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body>'
        f'<t:{name}Response xmlns:t="urn:t"><t:v>{text}</t:v></t:{name}Response></S:Body></S:Envelope>'
    ).encode()
