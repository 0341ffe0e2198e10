"""A service with what zeep has ways of its own for, and a WSDL for it."""

import castile

WSDL = """<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:z" targetNamespace="urn:z"
  xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xs="http://www.w3.org/2001/XMLSchema"><types>
  <xs:schema targetNamespace="urn:z" elementFormDefault="qualified">
    <xs:simpleType name="Colour"><xs:restriction base="xs:string"><xs:enumeration value="red"/>
      <xs:enumeration value="dark blue"/></xs:restriction></xs:simpleType>
    <xs:complexType name="Price"><xs:simpleContent><xs:extension base="xs:decimal">
      <xs:attribute name="currency" type="xs:string"/></xs:extension></xs:simpleContent></xs:complexType>
    <xs:complexType name="Items"><xs:choice minOccurs="0" maxOccurs="unbounded">
      <xs:element name="Message" type="xs:string"/><xs:element name="Task" type="xs:int"/>
      </xs:choice></xs:complexType>
    <xs:complexType name="Open"><xs:sequence><xs:element name="name" type="xs:string"/>
      <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
      <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
    <xs:complexType name="Animal"><xs:sequence><xs:element name="name" type="xs:string"/>
      <xs:element name="age" type="xs:int" minOccurs="0" nillable="true"/></xs:sequence></xs:complexType>
    <xs:complexType name="Dog"><xs:complexContent><xs:extension base="t:Animal"><xs:sequence>
      <xs:element name="tricks" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>
      </xs:sequence></xs:extension></xs:complexContent></xs:complexType>
    <xs:complexType name="Either"><xs:sequence><xs:choice><xs:element name="byId" type="xs:int"/>
      <xs:element name="byName" type="xs:string"/></xs:choice></xs:sequence></xs:complexType>
    <xs:complexType name="Names"><xs:sequence>
      <xs:element name="string" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>
      </xs:sequence></xs:complexType>
    <xs:element name="Auth"><xs:complexType><xs:sequence><xs:element name="user" type="xs:string"/>
      <xs:element name="level" type="xs:int" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
    <xs:element name="Used"><xs:complexType><xs:sequence><xs:element name="count" type="xs:int"/>
      </xs:sequence></xs:complexType></xs:element>
    OPERATIONS
  </xs:schema></types>MESSAGES</definitions>"""

# Each echoes its one value, which is of the type.
ECHOES = {
    "colour": "t:Colour",
    "price": "t:Price",
    "items": "t:Items",
    "open": "t:Open",
    "animal": "t:Animal",
    "either": "t:Either",
    "names": "t:Names",
    "anything": "xs:anyType",
    "when": "xs:dateTime",
    "login": "xs:string",
}


def wsdl() -> bytes:
    """The contract."""
    elements, messages, operations, bound = "", "", "", ""
    head = '<s:header message="t:{0}" part="{1}" use="literal"/>'
    for name, type_ in ECHOES.items():
        for element in (name, f"{name}Response"):
            elements += (
                f'<xs:element name="{element}"><xs:complexType><xs:sequence><xs:element name="v" '
                f'type="{type_}" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>'
            )
        has_headers = name == "login"
        extra = ('<part name="auth" element="t:Auth"/>', '<part name="used" element="t:Used"/>')
        for element, more in zip((name, f"{name}Response"), extra, strict=True):
            part = f'<part name="parameters" element="t:{element}"/>'
            messages += f'<message name="{element}">{part}{more if has_headers else ""}</message>'
        io = f'<input message="t:{name}"/><output message="t:{name}Response"/>'
        operations += f'<operation name="{name}">{io}</operation>'
        body = '<s:body use="literal"/>' if not has_headers else '<s:body use="literal" parts="parameters"/>'
        heads = (
            (head.format(name, "auth"), head.format(f"{name}Response", "used")) if has_headers else ("", "")
        )
        io = f"<input>{heads[0]}{body}</input><output>{heads[1]}{body}</output>"
        bound += f'<operation name="{name}"><s:operation soapAction="urn:z#{name}"/>{io}</operation>'
    messages += (
        f'<portType name="P">{operations}</portType><binding name="B" type="t:P">'
        f'<s:binding transport="http://schemas.xmlsoap.org/soap/http"/>{bound}</binding>'
        '<service name="S"><port name="One" binding="t:B"><s:address location="http://127.0.0.1:9/"/></port>'
        '<port name="Two" binding="t:B"><s:address location="http://127.0.0.1:9/"/></port></service>'
    )
    return WSDL.replace("OPERATIONS", elements).replace("MESSAGES", messages).encode()


def echo(v=None):
    """What came."""
    return v


def login(v=None):
    """Who says so, and how often it was said."""
    call = castile.current_call()
    auth = call.headers.get("Auth")
    call.reply_headers = {"Used": {"count": 7}}
    if v == "fail":
        raise castile.Fault("no way in", "Sender", detail=castile.XML('<t:why xmlns:t="urn:z">door</t:why>'))
    blocks = [name for name, _ in call.header_blocks]
    return f"{v}: {auth.user if auth else blocks}"


def handlers() -> dict[str, object]:
    """The service."""
    return {name: echo for name in ECHOES} | {"login": login}
