"""Constructs of schemas that hints do not make: wildcards, attributes, nil, lists, big integers."""

import castile
import numpy as np
import pytest

WSDL = b"""<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:x="http://www.w3.org/2001/XMLSchema"
  xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:shapes"
  targetNamespace="urn:shapes" name="Shapes">
 <types><x:schema targetNamespace="urn:shapes" elementFormDefault="qualified">
  <x:complexType name="Thing"><x:sequence>
    <x:element name="big" type="x:integer" minOccurs="0"/>
    <x:element name="nil" type="x:int" nillable="true" minOccurs="0"/>
    <x:element name="numbers" type="t:Numbers" minOccurs="0"/>
    <x:element name="unit-price" type="x:decimal" minOccurs="0"/>
    <x:element name="from" type="x:string" minOccurs="0"/>
    <x:element name="year" type="x:gYear" minOccurs="0"/>
    <x:choice minOccurs="0"><x:element name="left" type="x:int"/>
     <x:element name="right" type="x:int"/></x:choice>
    <x:element name="values" type="t:ArrayOfDouble" minOccurs="0"/>
    <x:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>
  </x:sequence>
  <x:attribute name="id" type="x:int"/><x:anyAttribute namespace="##other" processContents="lax"/>
  </x:complexType>
  <x:simpleType name="Numbers"><x:list itemType="x:double"/></x:simpleType>
  <x:complexType name="ArrayOfDouble"><x:sequence>
    <x:element name="double" type="x:double" minOccurs="0" maxOccurs="unbounded"/>
   </x:sequence></x:complexType>
  <x:element name="echo"><x:complexType><x:sequence>
    <x:element name="thing" type="t:Thing"/></x:sequence></x:complexType></x:element>
  <x:element name="echoResponse"><x:complexType><x:sequence>
    <x:element name="thing" type="t:Thing"/></x:sequence></x:complexType></x:element>
 </x:schema></types>
 <message name="in"><part name="p" element="t:echo"/></message>
 <message name="out"><part name="p" element="t:echoResponse"/></message>
 <portType name="P"><operation name="echo"><input message="t:in"/>
  <output message="t:out"/></operation></portType>
 <binding name="B" type="t:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
  <operation name="echo"><s:operation soapAction="urn:echo"/><input><s:body use="literal"/></input>
   <output><s:body use="literal"/></output></operation></binding>
 <service name="S"><port name="P" binding="t:B"><s:address location="http://127.0.0.1:9/"/></port></service>
</definitions>"""


@pytest.fixture(scope="module")
def shapes():
    with castile.serve(
        {"echo": lambda thing: thing}, port=0, wsdl=WSDL, background=True, cache=False
    ) as server:
        yield castile.Client(server.wsdl_url, cache=False)


def test_absent_and_nil_are_two_things(shapes):
    got = shapes.service.echo({"nil": None})
    assert "nil" in got
    assert got.nil is None
    assert b'nil="true"' in shapes.encode("echo", got)
    got = shapes.service.echo({})
    assert "nil" not in got
    assert got.nil is None
    assert b"nil" not in shapes.encode("echo", got)
    assert b"nil" not in shapes.encode("echo", {"nil": castile.SKIP})


def test_integers_of_any_length(shapes):
    for value in (0, -1, 2**63, 2**64, -(10**40)):
        got = shapes.service.echo({"big": value}).big
        assert got == value
        assert type(got) is int


def test_lists_in_one_text(shapes):
    got = shapes.service.echo({"numbers": np.array([1.5, np.inf])})
    assert np.array_equal(got.numbers, [1.5, np.inf])
    got = shapes.service.echo({"numbers": [1, 2.5]})
    assert np.array_equal(got.numbers, [1, 2.5])
    assert b">1 2.5<" in shapes.encode("echo", {"numbers": [1, 2.5]})


def test_names_that_python_cannot_write(shapes):
    Thing = shapes.type("Thing")
    for value in (
        {"unit-price": 1, "from": "f"},
        {"unit_price": 1, "from_": "f"},
        Thing(unit_price=1, from_="f"),
        Thing(**{"unit-price": 1, "from": "f"}),
    ):
        got = shapes.service.echo(value)
        assert (got.unit_price, got["unit-price"], got.from_, got["from"]) == (1, 1, "f", "f")


def test_parts_of_dates(shapes):
    year = castile.DateTime("gYear", "2020")
    assert shapes.service.echo({"year": year}).year == year
    assert shapes.service.echo({"year": "2020"}).year == year
    with pytest.raises(castile.BadValue):
        shapes.service.echo({"year": castile.DateTime("gMonth", "--01")})


def test_choices(shapes):
    assert shapes.service.echo({"right": 2}).right == 2
    with pytest.raises(castile.BadValue, match="right"):
        shapes.service.echo({"left": 1, "right": 2})


def test_array_types_take_the_array_itself(shapes):
    Thing = shapes.type("Thing")
    for values in (np.arange(3.0), [0, 1, 2], {"double": [0, 1, 2]}, shapes.type("ArrayOfDouble")([0, 1, 2])):
        got = shapes.service.echo(Thing(values=values))
        assert len(got.values) == 3
        assert got.values[2] == 2.0
        assert list(got.values) == [0, 1, 2]
        assert got.values.double.dtype == np.float64
        assert np.array_equal(np.asarray(got.values), [0, 1, 2])
    assert shapes.service.echo(got) == got


def test_attributes_and_wildcards(shapes):
    xml = castile.XML('<o:a xmlns:o="urn:o">text<o:b/></o:a>')
    name = wildcard(shapes, many=True)
    got = shapes.service.echo({"id": 7, name: [xml, str(xml)]})
    assert got.id == 7
    assert len(got[name]) == 2
    assert all(isinstance(element, castile.XML) and "urn:o" in element for element in got[name])
    assert shapes.service.echo(got) == got


def test_elements_of_other_libraries(shapes):
    etree = pytest.importorskip("lxml.etree")
    from xml.etree import ElementTree

    name = wildcard(shapes, many=True)
    text = '<o:a xmlns:o="urn:o"><o:b/></o:a>'
    got = shapes.service.echo({name: [etree.fromstring(text), ElementTree.fromstring(text)]})
    assert len(got[name]) == 2


def test_attribute_wildcards(shapes):
    name = wildcard(shapes, many=False)
    got = shapes.service.echo({name: {"{urn:o}color": "red", "{urn:o}n": 5}})
    assert got[name] == {"{urn:o}color": "red", "{urn:o}n": "5"}
    assert shapes.service.echo(got) == got


def fields(client):
    return client.type("Thing")._castile_fields


def wildcard(client, many):
    """The name that the contract gives a wildcard's field."""
    plain = {"big", "nil", "numbers", "unit-price", "from", "year", "left", "right", "values", "id"}
    Thing = client.type("Thing")
    kinds = dict(zip(Thing._castile_fields, Thing._castile_kinds, strict=True))
    return next(name for name in fields(client) if name not in plain and bool(kinds[name]) == many)
