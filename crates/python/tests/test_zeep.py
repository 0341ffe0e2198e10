"""Scripts as people write them for zeep, run under zeep itself and under `castile.zeep`."""

import copy
import datetime as dt
import importlib
import os
import pickle
import sys
from decimal import Decimal
from types import SimpleNamespace

import castile
import pytest
import zeep_service
from lxml import etree

PARTS = (
    "client",
    "exceptions",
    "helpers",
    "plugins",
    "settings",
    "transports",
    "wsa",
    "wsse",
    "wsse.compose",
    "wsse.username",
    "xsd",
)


@pytest.fixture(scope="module")
def location(tmp_path_factory):
    """A WSDL on disk whose addresses are those of a running service."""
    path = tmp_path_factory.mktemp("zeep") / "service.wsdl"
    path.write_bytes(zeep_service.wsdl())
    with castile.serve(
        zeep_service.handlers(), wsdl=path, port=0, background=True, cache=False, strict=False
    ) as server:
        path.write_bytes(zeep_service.wsdl().replace(b"http://127.0.0.1:9/", server.url.encode()))
        yield str(path)


@pytest.fixture(scope="module", params=["castile.zeep", "zeep"])
def zeep(request):
    """The module under test, and the one it is like."""
    try:
        module = importlib.import_module(request.param)
    except ImportError:
        if os.environ.get("CASTILE_REQUIRE_PEERS") == "1":
            pytest.fail("zeep is not installed")
        print("SKIPPED: zeep is not installed", file=sys.stderr)
        pytest.skip("zeep is not installed")
    for part in PARTS:
        importlib.import_module(f"{request.param}.{part}")
    return module


@pytest.fixture
def client(zeep, location):
    return zeep.Client(location)


def plain(value):
    """A result without the classes that hold it."""
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if hasattr(value, "__values__") or isinstance(value, dict):
        return {key: plain(value[key]) for key in value}
    if hasattr(value, "tag"):
        return etree.tostring(value, method="c14n", with_tail=False).decode()
    return value


WHEN = dt.datetime(2020, 1, 2, 3, 4, 5, tzinfo=dt.UTC)
ELEMENT = '<n:e xmlns:n="urn:n" a="1">t</n:e>'

CALLS = [
    ("colour", "dark blue", "dark blue"),
    ("colour", None, None),
    ("when", WHEN, WHEN),
    ("names", {"string": ["a", "b"]}, ["a", "b"]),
    (
        "price",
        {"_value_1": Decimal("1.50"), "currency": "EUR"},
        {"_value_1": Decimal("1.50"), "currency": "EUR"},
    ),
    ("price", {"_value_1": 2}, {"_value_1": Decimal(2), "currency": None}),
    (
        "items",
        {"_value_1": [{"Message": "a"}, {"Task": 1}, {"Message": "b"}]},
        {"_value_1": [{"Message": "a"}, {"Task": 1}, {"Message": "b"}]},
    ),
    ("either", {"byId": 1}, {"byId": 1, "byName": None}),
    ("either", {"byName": "n"}, {"byId": None, "byName": "n"}),
    ("animal", {"name": "cat", "age": None}, {"name": "cat", "age": None}),
    ("animal", {"name": "cat", "age": 3}, {"name": "cat", "age": 3}),
    ("open", {"name": "n"}, {"name": "n", "_value_1": None, "_attr_1": {}}),
]


@pytest.mark.parametrize(("name", "value", "expected"), CALLS)
def test_values_in_zeeps_ways(client, name, value, expected):
    got = plain(client.service[name](v=value))
    if isinstance(got, dict) and not got.get("_attr_1", True):
        got["_attr_1"] = {}
    assert got == expected
    assert plain(getattr(client.service, name)(value)) == plain(client.service[name](v=value))


def test_elements_of_a_wildcard_are_trees(client):
    got = client.service.open(v={"name": "n", "_value_1": [etree.fromstring(ELEMENT)]})
    assert [etree.tostring(e, method="c14n", exclusive=True).decode() for e in got._value_1] == [ELEMENT]
    assert got["_value_1"][0].tag == "{urn:n}e"


def test_typed_objects(client):
    factory = client.type_factory("urn:z")
    dog = factory.Dog(name="rex", tricks=["sit"])
    assert (dog.name, dog["tricks"], dog.age) == ("rex", ["sit"], None)
    assert list(dog) == ["name", "age", "tricks"]
    assert "age" in dog
    assert "wings" not in dog
    got = client.service.animal(v=dog)
    assert plain(got) == {"name": "rex", "age": None, "tricks": ["sit"]}
    assert type(got).__name__ == "Dog"
    assert plain(client.get_type("ns0:Dog")(name="x")) == {"name": "x", "age": None, "tricks": []}
    assert client.get_type("{urn:z}Dog").name == "Dog"
    assert [name for name, _ in client.get_type("ns0:Dog").elements] == ["name", "age", "tricks"]
    assert plain(copy.deepcopy(got)) == plain(got)
    assert pickle.loads(pickle.dumps(got))["name"] == "rex"
    got.age = 7
    got["name"] = "max"
    assert plain(got) == {"name": "max", "age": 7, "tricks": ["sit"]}
    assert {"name", "age", "tricks"} <= set(dir(got))


def test_serialize_object(zeep, client):
    got = client.service.items(v={"_value_1": [{"Message": "a"}, {"Task": 1}]})
    assert zeep.helpers.serialize_object(got, dict) == {"_value_1": [{"Message": "a"}, {"Task": 1}]}
    got = client.service.animal(v={"name": "cat"})
    assert zeep.helpers.serialize_object(got) == {"name": "cat", "age": None}


def test_what_goes_on_the_wire(zeep, client):
    def body(**values):
        tree = client.create_message(client.service, "animal", **values)
        found = [e for e in tree.iter() if "Envelope" not in e.tag and "Body" not in e.tag]
        return [(etree.QName(e).localname, dict(e.attrib)) for e in found]

    nil = {"{http://www.w3.org/2001/XMLSchema-instance}nil": "true"}
    assert body(v={"name": "n", "age": None}) == [("animal", {}), ("v", {}), ("name", {})]
    assert body(v={"name": "n", "age": zeep.xsd.SkipValue}) == [("animal", {}), ("v", {}), ("name", {})]
    assert body(v={"name": "n", "age": zeep.xsd.Nil}) == [
        ("animal", {}),
        ("v", {}),
        ("name", {}),
        ("age", nil),
    ]
    assert body() == [("animal", {})]


def test_any_objects(zeep, client):
    assert client.service.anything(v=zeep.xsd.AnyObject(zeep.xsd.String(), "text")) == "text"
    assert client.service.anything(v=zeep.xsd.AnyObject(zeep.xsd.Integer(), 5)) == 5
    dog = client.get_type("ns0:Dog")
    got = client.service.anything(v=zeep.xsd.AnyObject(dog, dog(name="rex")))
    assert got["name"] == "rex"


def test_headers(zeep, client):
    got = client.service.login(v="x", _soapheaders={"auth": {"user": "ada"}})
    assert got.body.v == "x: ada"
    assert client.service.login("x", _soapheaders={"auth": {"user": "ada", "level": 1}}).body["v"] == "x: ada"
    client.set_default_soapheaders({"auth": {"user": "bob"}})
    assert client.service.login(v="x").body.v == "x: bob"


def test_headers_that_the_contract_does_not_have(zeep, client):
    Token = zeep.xsd.Element(
        "{urn:own}Token",
        zeep.xsd.ComplexType([zeep.xsd.Element("{urn:own}key", zeep.xsd.String())]),
    )
    got = client.service.login(v="x", _soapheaders=[Token(key="k")])
    assert got.body.v == "x: ['{urn:own}Token']"
    tree = etree.fromstring('<o:Token xmlns:o="urn:own"/>')
    assert client.service.login(v="x", _soapheaders=[tree]).body.v == "x: ['{urn:own}Token']"
    auth = client.get_element("ns0:Auth")(user="eve")
    assert client.service.login(v="x", _soapheaders=[auth]).body.v == "x: eve"
    message = client.create_message(client.service, "login", v="x", _soapheaders=[Token(key="k")])
    assert [e.text for e in message.iter("{urn:own}key")] == ["k"]


def test_faults(zeep, client):
    with pytest.raises(zeep.exceptions.Fault) as caught:
        client.service.login(v="fail")
    fault = caught.value
    assert fault.message == str(fault) == "no way in"
    assert fault.code.endswith((":Client", ":Sender"))
    assert fault.detail.find("{urn:z}why").text == "door"
    assert isinstance(fault, zeep.exceptions.Error)


def test_wrong_calls(zeep, client):
    with pytest.raises(TypeError):
        client.service.colour(w="red")
    with pytest.raises(zeep.exceptions.ValidationError):
        client.service.animal(v={"age": 3})
    with pytest.raises(AttributeError, match="nothing"):
        client.service.nothing()
    with pytest.raises(TypeError):
        client.get_type("ns0:Dog")(wings=2)
    with pytest.raises(zeep.exceptions.LookupError):
        client.get_type("{urn:z}Bird")
    with pytest.raises(zeep.exceptions.NamespaceError):
        client.get_type("{urn:nowhere}Bird")
    with pytest.raises(ValueError, match="Service not found"):
        client.bind("Nope")
    with pytest.raises(ValueError, match="Port not found"):
        client.bind("S", "Nope")
    with pytest.raises(ValueError, match="No binding"):
        client.create_service("{urn:z}Nope", "http://127.0.0.1:9/")


def test_errors_of_the_network_are_caught_as_those_of_requests(zeep, client):
    requests = pytest.importorskip("requests")
    service = client.create_service("{urn:z}B", "http://127.0.0.1:9/")
    with pytest.raises(requests.exceptions.ConnectionError):
        service.colour(v="red")


def test_ports_and_addresses(zeep, client, location):
    assert client.bind("S", "Two").colour(v="red") == "red"
    assert zeep.Client(location, service_name="S", port_name="Two").service.colour(v="red") == "red"
    address = client.service._binding_options["address"]
    assert client.create_service("{urn:z}B", address).colour(v="red") == "red"
    other = zeep.Client(location)
    other.service._binding_options["address"] = "http://127.0.0.1:9/"
    with pytest.raises(Exception, match=r"127\.0\.0\.1"):
        other.service.colour(v="red")
    found = [
        (service.name, port.name, sorted(port.binding._operations)[:2])
        for service in client.wsdl.services.values()
        for port in service.ports.values()
    ]
    assert found == [("S", "One", ["animal", "anything"]), ("S", "Two", ["animal", "anything"])]


def test_introspection(client, capsys):
    operation = client.service._binding._operations["animal"]
    assert operation.name == "animal"
    assert operation.input.signature() == "v: ns0:Animal"
    assert str(operation) == "animal(v: ns0:Animal) -> v: ns0:Animal"
    assert client.service.animal.__doc__ == str(operation)
    assert client.namespaces["ns0"] == "urn:z"
    assert {"animal", "price"} <= set(dir(client.service))
    assert "animal" in dict(iter(client.service))
    client.wsdl.dump()
    said = capsys.readouterr().out
    for text in ("Prefixes:", "ns0: urn:z", "Service: S", "Port: One (Soap11Binding: {urn:z}B)"):
        assert text in said
    assert "colour(v: ns0:Colour) -> v: ns0:Colour" in said
    assert "ns0:Dog(name: xsd:string, age: xsd:int, tricks: xsd:string[])" in said


def test_what_operations_take_element_by_element(client):
    operation = client.service._binding._operations["animal"]
    body = operation.input.body
    assert (body.name, body.qname) == ("animal", "{urn:z}animal")
    ((name, element),) = body.type.elements
    assert (name, element.name, element.type.name) == ("v", "v", "Animal")
    assert element.is_optional
    assert not element.accepts_multiple
    inner = {name: (e.type.name, e.is_optional) for name, e in element.type.elements}
    assert inner == {"name": ("string", False), "age": ("int", True)}
    assert [name for name, _ in operation.output.body.type.elements] == ["v"]
    kinds = [type(port.binding).__name__ for port in client.wsdl.services["S"].ports.values()]
    assert kinds[0] == "Soap11Binding"


def test_tokens_of_ones_own(zeep, location):
    class Own:
        def __init__(self):
            self.seen = []

        def apply(self, envelope, headers):
            self.seen.append("apply")
            return envelope, headers

        def verify(self, envelope):
            self.seen.append([e.text for e in envelope.iter("{urn:z}v")])

    token = Own()
    client = zeep.Client(location, wsse=token)
    assert client.service.colour(v="red") == "red"
    assert token.seen == ["apply", ["red"]]


def test_settings(zeep, location):
    client = zeep.Client(location, settings=zeep.Settings(strict=False))
    with client.settings(raw_response=True):
        reply = client.service.colour(v="red")
        assert reply.status_code == 200
        assert reply.headers["Content-Type"].startswith("text/xml")
        assert b"red" in reply.content
    assert client.service.colour(v="red") == "red"


def test_plugins(zeep, location):
    seen = []

    class Own(zeep.Plugin):
        def egress(self, envelope, http_headers, operation, binding_options):
            seen.append((operation.name, envelope.tag, binding_options["address"][:5]))
            for element in envelope.iter("{urn:z}v"):
                element.text = "dark blue"
            return envelope, http_headers

        def ingress(self, envelope, http_headers, operation):
            seen.append((operation.name, [e.text for e in envelope.iter("{urn:z}v")]))
            for element in envelope.iter("{urn:z}v"):
                element.text = "red"
            return envelope, http_headers

    history = zeep.plugins.HistoryPlugin(maxlen=3)
    client = zeep.Client(location, plugins=[Own(), history])
    assert client.service.colour(v="red") == "red"
    assert seen == [
        ("colour", "{http://schemas.xmlsoap.org/soap/envelope/}Envelope", "http:"),
        ("colour", ["dark blue"]),
    ]
    sent, received = history.last_sent, history.last_received
    assert [e.text for e in sent["envelope"].iter("{urn:z}v")] == ["dark blue"]
    assert sent["http_headers"]["SOAPAction"] == '"urn:z#colour"'
    assert [e.text for e in received["envelope"].iter("{urn:z}v")] == ["red"]


def test_a_transport_of_ones_own(zeep, location):
    posted = []

    class Own(zeep.transports.Transport):
        def post(self, address, message, headers):
            posted.append((address[:5], b"colour" in message, headers["SOAPAction"]))
            return super().post(address, message, headers)

    client = zeep.Client(location, transport=Own(timeout=5, operation_timeout=5))
    assert client.service.colour(v="red") == "red"
    assert posted == [("http:", True, '"urn:z#colour"')]

    class Canned(zeep.transports.Transport):
        def post(self, address, message, headers):
            body = b'<z:colourResponse xmlns:z="urn:z"><z:v>red</z:v></z:colourResponse>'
            soap = b"http://schemas.xmlsoap.org/soap/envelope/"
            content = b'<S:Envelope xmlns:S="%s"><S:Body>%s</S:Body></S:Envelope>' % (soap, body)
            headers = {"Content-Type": "text/xml"}
            return SimpleNamespace(status_code=200, headers=headers, content=content, encoding="utf-8")

    assert zeep.Client(location, transport=Canned()).service.colour(v="dark blue") == "red"


def test_time_limits(zeep, location):
    transport = zeep.transports.Transport(operation_timeout=5)
    client = zeep.Client(location, transport=transport)
    with transport.settings(timeout=3):
        assert transport.operation_timeout == 3
        assert client.service.colour(v="red") == "red"
    assert transport.operation_timeout == 5


def test_sessions_of_requests(zeep, location):
    requests = pytest.importorskip("requests")
    session = requests.Session()
    session.auth = requests.auth.HTTPBasicAuth("user", "secret")
    session.headers["X-Own"] = "1"
    session.verify = False
    client = zeep.Client(location, transport=zeep.transports.Transport(session=session))
    assert client.service.colour(v="red") == "red"
    session.auth = ("other", "secret")
    assert client.service.colour(v="red") == "red"


def test_tokens(zeep, location):
    for token in (
        zeep.wsse.UsernameToken("ada", "secret"),
        zeep.wsse.username.UsernameToken("ada", "secret", use_digest=True),
    ):
        client = zeep.Client(location, wsse=token)
        name = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
        got = client.service.login(v="x")
        assert got.body.v == f"x: ['{{{name}}}Security']"
        message = client.create_message(client.service, "login", v="x")
        assert [e.text for e in message.iter(f"{{{name}}}Username")] == ["ada"]
        (password,) = message.iter(f"{{{name}}}Password")
        kind = password.get("Type").rpartition("#")[2]
        assert kind == ("PasswordDigest" if token.use_digest else "PasswordText")
        assert (password.text == "secret") is not token.use_digest


def test_addressing_and_several_tokens(zeep, location):
    history = zeep.plugins.HistoryPlugin()
    token = zeep.wsse.username.UsernameToken
    client = zeep.Client(
        location,
        plugins=[zeep.wsa.WsAddressingPlugin(), history],
        wsse=zeep.wsse.compose.Compose([token("anne", "secret"), token("bert", "hidden")]),
    )
    message = client.create_message(client.service, "login", v="x")
    users = [e.text for e in message.iter() if str(e.tag).endswith("}Username")]
    assert users == ["anne", "bert"]
    with client.settings(raw_response=True):
        client.service.login(v="x")
    header = history.last_sent["envelope"][0]
    wsa = "{http://www.w3.org/2005/08/addressing}"
    assert header.findtext(f"{wsa}To") == client.service._binding_options["address"]
    assert header.findtext(f"{wsa}MessageID").startswith("urn:uuid:")
    assert header.find(f"{wsa}Action") is not None


def test_builtin_types(zeep):
    for name in ("UnsignedShort", "NonNegativeInteger", "HexBinary", "NCName", "Language", "Byte"):
        kind = getattr(zeep.xsd, name)()
        assert kind.name == name[0].lower() + name[1:] or kind.name == name
    assert isinstance(zeep.xsd.Int(), zeep.xsd.Integer)


def test_other_names(zeep, location):
    with zeep.client.CachingClient(location) as client:
        assert client.service.colour(v="red") == "red"
    with pytest.raises(FileNotFoundError):
        zeep.Client("no-such-file.wsdl")
    with open(location, "rb") as file:
        assert zeep.Client(file).service.colour(v="red") == "red"


def test_asyncio(zeep, location):
    import asyncio

    async def run():
        async with zeep.AsyncClient(location) as client:
            return await asyncio.gather(client.service.colour(v="red"), client.service.when(v=WHEN))

    assert asyncio.run(run()) == ["red", WHEN]
