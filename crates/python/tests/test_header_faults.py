"""What is wrong with a header comes in a header of the fault (`soap:headerfault`)."""

from __future__ import annotations

import copy
import pickle

import castile
import pytest

WSDL = b"""<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:w="urn:w" targetNamespace="urn:w">
  <types><xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:w"
      elementFormDefault="qualified">
    <xs:element name="ask" type="xs:string"/><xs:element name="answer" type="xs:string"/>
    <xs:element name="Session" type="xs:int"/>
    <xs:element name="Expired"><xs:complexType><xs:sequence>
      <xs:element name="id" type="xs:int"/><xs:element name="since" type="xs:dateTime" minOccurs="0"/>
    </xs:sequence></xs:complexType></xs:element>
  </xs:schema></types>
  <message name="in"><part name="p" element="w:ask"/></message>
  <message name="out"><part name="p" element="w:answer"/></message>
  <message name="head"><part name="h" element="w:Session"/><part name="f" element="w:Expired"/></message>
  <portType name="P"><operation name="ask">
    <input message="w:in"/><output message="w:out"/></operation></portType>
  <binding name="B" type="w:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="ask"><input><s:body use="literal"/>
      <s:header message="w:head" part="h" use="literal">
        <s:headerfault message="w:head" part="f" use="literal"/></s:header>
    </input><output><s:body use="literal"/></output></operation></binding>
  <service name="S"><port name="P" binding="w:B"><s:address location="http://127.0.0.1:9/"/></port></service>
</definitions>"""


class Service:
    def ask(self, ask: str) -> str:
        given = {"id": castile.current_call().headers["Session"]}
        if ask == "wrong":
            given = {"id": "no number"}
        raise castile.Fault(
            "log in again", "Sender", headers=[("{urn:w}Expired", given), "<w xmlns='urn:why'/>"]
        )


@pytest.fixture(scope="module")
def client():
    with castile.serve(Service(), wsdl=WSDL, port=0, background=True, cache=False) as server:
        yield castile.Client(WSDL, endpoint=server.url, cache=False, proxy="")


def test_header_faults_have_values(client):
    with pytest.raises(castile.Fault) as raised:
        client.service.ask("x", _headers={"Session": 7})
    fault = raised.value
    [(name, value)] = fault.header_values
    assert name == "{urn:w}Expired"
    assert value.id == 7 and value.since is None
    assert len(fault.headers) == 2 and fault.details == []
    for same in (copy.copy(fault), pickle.loads(pickle.dumps(fault))):
        assert same.header_values == fault.header_values


def test_one_that_does_not_fit_is_left_out(client):
    with pytest.raises(castile.Fault) as raised:
        client.service.ask("wrong", _headers={"Session": 7})
    assert raised.value.reason == "log in again"
    assert raised.value.header_values == []


def test_what_is_no_header_is_refused():
    with pytest.raises(TypeError):
        castile.Fault("x", headers=[7])
