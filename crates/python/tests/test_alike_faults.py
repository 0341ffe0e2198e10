"""Faults of one operation that put an element of one name, and of different types, into the detail."""

import castile
import pytest

FAULTS = ("Invalid", "Denied", "Failed")

TYPES = "".join(
    f'<x:complexType name="{name}Info"><x:complexContent><x:extension base="t:Info"><x:sequence>'
    f'<x:element name="{field}" type="x:string" nillable="true"/></x:sequence></x:extension>'
    "</x:complexContent></x:complexType>"
    for name, field in (("Invalid", "field"), ("Denied", "role"))
)

BOUND = "".join(
    f'<fault name="{name}"><s:fault name="{name}" use="USE" namespace="urn:alike" ENC/></fault>'
    for name in FAULTS
)

WSDL = f"""<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
 xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:alike" targetNamespace="urn:alike">
<types><x:schema targetNamespace="urn:alike">
<x:complexType name="Info"><x:sequence><x:element name="code" type="x:int"/></x:sequence></x:complexType>
{TYPES}</x:schema></types>
<message name="in"><part name="which" type="x:string"/></message><message name="out"/>
<message name="Invalid"><part name="fault" type="t:InvalidInfo"/></message>
<message name="Denied"><part name="fault" type="t:DeniedInfo"/></message>
<message name="Failed"><part name="fault" type="t:Info"/></message>
<portType name="p"><operation name="fail"><input message="t:in"/><output message="t:out"/>
{"".join(f'<fault name="{name}" message="t:{name}"/>' for name in FAULTS)}</operation></portType>
<binding name="b" type="t:p"><s:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
<operation name="fail"><s:operation soapAction=""/>
<input><s:body use="USE" namespace="urn:alike" ENC/></input>
<output><s:body use="USE" namespace="urn:alike" ENC/></output>
{BOUND}
</operation></binding>
<service name="s"><port name="p" binding="t:b"><s:address location="http://127.0.0.1/"/></port></service>
</definitions>"""

ENCODED = 'encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"'


@pytest.fixture(params=["encoded", "literal"])
def wsdl(request):
    return WSDL.replace("USE", request.param).replace("ENC", ENCODED * (request.param == "encoded")).encode()


def caught(wsdl, detail):
    """What a caller gets when the handler raises a fault with this detail."""

    def fail(which):
        raise castile.Fault("no", "Sender", detail=detail)

    with castile.serve({"fail": fail}, wsdl=wsdl, port=0, background=True, cache=False) as server:
        client = castile.Client(wsdl, endpoint=server.url, cache=False)
        with pytest.raises(castile.Fault) as fault:
            client.service.fail("x")
    return fault.value


@pytest.mark.parametrize(
    ("name", "type_name", "value"),
    [
        ("Invalid", "InvalidInfo", {"code": 1, "field": "place"}),
        ("Denied", "DeniedInfo", {"code": 2, "role": "guest"}),
        ("Failed", "Info", {"code": 3}),
    ],
)
def test_each_fault_has_its_type(wsdl, name, type_name, value):
    types = castile.Client(wsdl, cache=False)
    typed = types.type(type_name)(**value)
    for detail in [(name, value), ("fault", typed), ("{urn:alike}fault", typed)]:
        fault = caught(wsdl, detail)
        assert castile.type_name(fault.detail) == f"{{urn:alike}}{type_name}", detail
        assert castile.asdict(fault.detail) == value


def test_help_tells_them_apart(wsdl):
    client = castile.Client(wsdl, cache=False)
    text = client.service.fail.__doc__ or ""
    for name, type_name in zip(FAULTS, ("InvalidInfo", "DeniedInfo", "Info"), strict=True):
        assert f"{name}: " in text and f"{type_name}, element {{urn:alike}}fault" in text


def test_a_name_that_is_none_of_them_is_told(wsdl, caplog):
    assert caught(wsdl, ("Strange", {"code": 1})).details == []
    assert "what the operation declares: {urn:alike}fault" in caplog.text


def test_a_type_that_is_not_there(wsdl):
    client = castile.Client(wsdl, cache=False)
    with pytest.raises(castile.NoSuchType, match=r"did you mean .DeniedInfo"):
        client.type("DenidInfo")
    with pytest.raises(LookupError):
        client.type("{urn:alike}None")
