"""Contracts made from type hints."""

import dataclasses
import enum
import io
import typing
import urllib.request

import castile
import numpy as np
import pytest
from everything import Everything

lxml_etree = pytest.importorskip("lxml.etree")
xmlschema = pytest.importorskip("xmlschema")

NS = {"w": "http://schemas.xmlsoap.org/wsdl/", "x": "http://www.w3.org/2001/XMLSchema"}


@pytest.fixture(scope="module")
def document():
    return lxml_etree.fromstring(castile.wsdl(Everything, "http://example.com/a?b&c"))


def test_the_schema_is_a_schema(document):
    schema = document.find("w:types/x:schema", NS)
    text = lxml_etree.tostring(schema, encoding="unicode")
    checked = xmlschema.XMLSchema(io.StringIO(text))
    assert "add" in checked.elements
    assert checked.types["Circle"].base_type.local_name == "Shape"
    assert checked.types["Mio"].content[0].type.local_name == "int"
    assert checked.types["Color"].enumeration == ["red", "deep blue"]


def test_an_operation_beside_a_type_of_its_name(document):
    """Java's generators would name a class after each, so the element takes a named type."""
    schema = document.find("w:types/x:schema", NS)
    assert schema.find("x:element[@name='point']", NS).get("type") == "tns:pointMessage"
    assert schema.find("x:complexType[@name='pointMessage']", NS) is not None
    assert schema.find("x:element[@name='add']", NS).get("type") is None


def test_only_documentation_that_somebody_wrote(document):
    level = document.find("w:types/x:schema/x:simpleType[@name='Level']", NS)
    assert level.find("x:annotation", NS) is None


def test_messages_fit_the_schema(document, client):
    schema = document.find("w:types/x:schema", NS)
    checked = xmlschema.XMLSchema(io.StringIO(lxml_etree.tostring(schema, encoding="unicode")))
    samples = [("add", 1, 2), ("doubles", np.arange(3.0)), ("nested", [[1.0], []]), ("maybes", [1, None])]
    for operation, *args in samples:
        envelope = lxml_etree.fromstring(client.encode(operation, *args))
        body = envelope.find("{*}Body")[0]
        checked.validate(lxml_etree.ElementTree(body))


def test_ports_and_documentation(document):
    ports = document.findall("w:service/w:port", NS)
    assert [p.get("name") for p in ports] == ["EverythingSoap11", "EverythingSoap12"]
    assert ports[0][0].get("location") == "http://example.com/a?b&c"
    operation = document.find("w:portType/w:operation[@name='add']", NS)
    assert operation.findtext("w:documentation", namespaces=NS) == "Adds two numbers."
    assert document.find("w:portType/w:operation[@name='note']/w:output", NS) is None
    assert document.find("w:portType/w:operation[@name='account']/w:fault", NS).get("name") == "NoAccount"


def test_the_wsdl_is_served(server):
    with urllib.request.urlopen(server.wsdl_url) as reply:
        document = lxml_etree.fromstring(reply.read())
    address = document.find("w:service/w:port", NS)[0].get("location")
    assert address == server.url


def test_the_default_names():
    @castile.service
    class Plain:
        @castile.operation
        def go(self) -> None: ...

    assert b'targetNamespace="urn:Plain"' in castile.wsdl(Plain)
    assert b'name="Plain"' in castile.wsdl(Plain())


def made(hint, **kwargs):
    """A service with one operation that takes a value of a hint."""

    def go(self, v): ...

    go.__annotations__ = {"v": hint, "return": None}
    body = {"go": castile.operation(**kwargs)(go)}
    return castile.service(type("Made", (), body))


class Mixed(enum.Enum):
    A = 1
    B = "b"


WRONG = [
    (dict[str, int], "dict"),
    (set[int], "set"),
    (int | str, "choice of types"),
    (np.float16, "float16"),
    (complex, "complex"),
    (list, "what the list holds"),
    (Mixed, "all be"),
    (typing.Literal[1, "a"], "texts"),
    (np.ndarray[typing.Any, np.dtype[np.complex128]], "complex"),
    (None, "None"),
]


@pytest.mark.parametrize(("hint", "message"), WRONG)
def test_hints_that_no_schema_can_say(hint, message):
    with pytest.raises(castile.ContractError, match=message) as caught:
        castile.wsdl(made(hint))
    assert "Made.go" in str(caught.value) or "Mixed" in str(caught.value)


def test_mistakes_in_services_are_named():
    with pytest.raises(castile.ContractError, match="no service"):
        castile.wsdl(int)

    @castile.service
    class Empty: ...

    with pytest.raises(castile.ContractError, match="no operations"):
        castile.wsdl(Empty)

    @castile.service
    class Untyped:
        @castile.operation
        def go(self, v): ...

    with pytest.raises(castile.ContractError, match=r"'v' has no type hint"):
        castile.wsdl(Untyped)

    @castile.service
    class NoReturn:
        @castile.operation
        def go(self): ...

    with pytest.raises(castile.ContractError, match="return type hint"):
        castile.wsdl(NoReturn)

    @castile.service
    class OneWay:
        @castile.operation(one_way=True)
        def go(self) -> int: ...

    with pytest.raises(castile.ContractError, match="one-way"):
        castile.wsdl(OneWay)


def test_two_types_of_one_name():
    def one():
        @dataclasses.dataclass
        class Same:
            a: int

        return Same

    def two():
        @dataclasses.dataclass
        class Same:
            b: int

        return Same

    @castile.service
    class Clash:
        @castile.operation
        def go(self, a, b): ...

    Clash.go.__annotations__ = {"a": one(), "b": two(), "return": None}
    with pytest.raises(castile.ContractError, match="two different types are called Same"):
        castile.wsdl(Clash)


def test_inheritance():
    class Base:
        @castile.operation
        def go(self, v: int) -> int:
            return v

    @castile.service(namespace="urn:d")
    class Derived(Base):
        def go(self, v: int) -> int:
            return v * 2

        @castile.operation
        def other(self) -> None: ...

    with castile.serve(Derived, port=0, background=True, cache=False) as server:
        client = castile.Client(server.wsdl_url, cache=False)
        assert client.service.go(4) == 8
        assert dir(client.service) == ["go", "other"]
        assert server.stats.calls == 1


def test_the_current_call():
    seen = []

    @castile.service(namespace="urn:c")
    class Curious:
        @castile.operation
        def go(self) -> None:
            call = castile.current_call()
            seen.append((call.operation, call.soap_version, call.peer[0]))

    with castile.serve(Curious(), port=0, background=True, cache=False) as server:
        castile.Client(server.wsdl_url, cache=False, port="CuriousSoap12").service.go()
    assert seen == [("go", "1.2", "127.0.0.1")]
    with pytest.raises(RuntimeError, match="no call"):
        castile.current_call()


def test_bad_requests_are_the_senders_fault(server):
    body = (
        b'<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body>'
        b'<add xmlns="urn:everything"><a>x</a></add></S:Body></S:Envelope>'
    )
    request = urllib.request.Request(server.url, body, {"Content-Type": "text/xml"})
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request)
    assert caught.value.code == 500
    text = caught.value.read().decode()
    caught.value.close()
    assert "Client" in text
    assert "/Envelope/Body/add/a" in text


def test_a_list_of_flat_dataclasses_arrives_as_dataclasses():
    @dataclasses.dataclass
    class Point:
        x: float
        y: int

    @castile.service(namespace="urn:points")
    class Points:
        @castile.operation
        def classes(self, points: list[Point]) -> str:
            return " ".join(repr((type(p) is Point, p.x, p.y)) for p in points)

    with castile.serve(Points(), port=0, background=True) as server:
        client = castile.Client(server.wsdl_url, cache=False)
        assert client.service.classes([{"x": 1.5, "y": 2}]) == "(True, 1.5, 2)"
