"""SOAP encoding from Python: arrays, objects that are shared, circles."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path

import castile
import numpy as np
import pytest

WSDL = Path(__file__).resolve().parents[3] / "interop" / "encoded.wsdl"
TYPES = "{urn:castile:interop:encoded:types}"


class Echo:
    """Every operation gives its argument back."""

    def __getattr__(self, name):
        if not name.startswith("enc"):
            raise AttributeError(name)
        return lambda *args, **kwargs: next(iter([*args, *kwargs.values()]))


@pytest.fixture(scope="module")
def client():
    with castile.serve(Echo(), wsdl=WSDL, port=0, background=True, cache=False) as server:
        yield castile.Client(WSDL, endpoint=server.url, cache=False)


def test_numbers_are_arrays_both_ways(client):
    for values in (np.arange(5.0), np.array([]), [1.5, 2.0], (1, 2)):
        back = client.service.encDoubles(values)
        assert back.dtype == np.float64
        np.testing.assert_array_equal(back, values)
    request = client.encode("encDoubles", np.arange(2.0))
    assert b'E:arrayType="xsd:double[2]"><item>0</item><item>1</item>' in request


def test_dimensions_are_kept(client):
    matrix = np.arange(6.0).reshape(2, 3)
    for values in (matrix, matrix.tolist(), np.asfortranarray(matrix), matrix[:, ::2]):
        np.testing.assert_array_equal(client.service.encMatrix(values), values)
    with pytest.raises(castile.Error, match="dimension"):
        client.service.encMatrix([[1.0], [1.0, 2.0]])


def test_texts_and_structs(client):
    assert client.service.encStrings(["a", None, "c & d"]) == ["a", None, "c & d"]
    assert client.service.encStrings([]) == []
    mios = client.service.encMios([{"x": i, "y": 2, "value": 0.5} for i in range(6)])
    assert mios.x.tolist() == list(range(6))
    assert client.service.encMio({"x": 1, "y": 2, "value": 0.5}).value == 0.5


def test_shared_objects_stay_shared(client):
    shared = client.type(TYPES + "Node")(name="shared")
    pair = client.service.encPair({"first": shared, "second": shared})
    assert pair.first is pair.second
    assert pair.first.name == "shared"
    assert client.encode("encPair", {"first": shared, "second": shared}).count(b">shared<") == 1
    apart = client.service.encPair({"first": {"name": "a"}, "second": {"name": "a"}})
    assert apart.first is not apart.second


def test_a_circle_is_a_circle(client):
    ring = client.type(TYPES + "Node")(name="ring")
    ring.next = ring
    back = client.service.encNode(ring)
    assert back.next is back
    a, b = {"name": "a"}, {"name": "b"}
    a["next"], b["next"] = b, a
    back = client.service.encNode(a)
    assert back.next.next is back
    assert (back.name, back.next.name) == ("a", "b")


def test_long_chains_take_no_stack(client):
    chain = None
    for i in range(5000):
        chain = {"name": str(i), "next": chain}
    back = client.service.encNode(chain)
    count = 0
    while back is not None:
        count += 1
        back = back.next
    assert count == 5000


def test_texts_are_shared_at_will(client):
    long = "a text of more than sixteen bytes"
    thrifty = castile.Client(WSDL, endpoint="http://127.0.0.1:1/", share_texts=True, cache=False)
    assert client.encode("encStrings", [long] * 3).count(long.encode()) == 3
    assert thrifty.encode("encStrings", [long] * 3).count(long.encode()) == 1


def test_what_axis_writes_is_read(client):
    """Axis 1.4 makes an object of every double."""
    reply = """<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"
      xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
      xmlns:s="http://schemas.xmlsoap.org/soap/encoding/">
      <soapenv:Body><ns1:encDoublesResponse xmlns:ns1="urn:castile:interop:encoded"
        soapenv:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">
      <encDoublesReturn xsi:type="s:Array"
        s:arrayType="xsd:double[2]"><encDoublesReturn href="#id0"/><encDoublesReturn href="#id1"/>
      </encDoublesReturn></ns1:encDoublesResponse>
      <multiRef id="id1" s:root="0" xsi:type="s:double">2.5</multiRef>
      <multiRef id="id0" s:root="0" xsi:type="xsd:double">1.5</multiRef>
      </soapenv:Body></soapenv:Envelope>"""
    np.testing.assert_array_equal(client.decode("encDoubles", reply.encode()), [1.5, 2.5])


def test_a_reference_to_nothing_is_the_peers_fault(client):
    request = client.encode("encNode", {"name": "a"}).decode()
    reply = re.sub(r"encNode(?=[ >])", "encNodeResponse", request)
    reply = re.sub("<node .*</node>", '<return href="#x"/>', reply)
    with pytest.raises(castile.Error, match='no element has the id "x"'):
        client.decode("encNode", reply.encode())


INVENTORY = Path(__file__).resolve().parents[3] / "docs" / "guides" / "files" / "inventory.wsdl"


class Inventory:
    def Store(self, goods):
        return goods

    def List(self, goods):
        return goods


@pytest.fixture(scope="module")
def inventory():
    with castile.serve(Inventory(), wsdl=INVENTORY, port=0, background=True, cache=False) as server:
        yield castile.Client(INVENTORY, endpoint=server.url, cache=False)


@pytest.mark.parametrize(
    "goods",
    [
        {},
        {"a": "x", "b": None, "c": 1.5, "d": True, "e": 2**40},
        {1: "one", 2: "two"},
        {"item": "of that name"},
        {"more": 1, "item": [1]},
    ],
)
def test_a_dict_is_a_map_of_apache(inventory, goods):
    back = inventory.service.Store(goods)
    if "more" not in goods:
        assert back == goods
        assert dict(back) == goods
        assert list(back) == list(goods) == back.keys()
        assert back.values() == list(goods.values())
        assert castile.asdict(back) == goods
        assert copy.deepcopy(back) == back
        assert pickle.loads(pickle.dumps(back)) == goods
        assert inventory.service.Store(back) == goods
    assert len(back) == len(goods)


def test_a_map_changes_like_a_dict(inventory):
    goods = inventory.service.Store({"a": 1})
    goods["b"] = 2
    goods["a"] = 3
    assert goods == {"a": 3, "b": 2}
    del goods["b"]
    assert goods.get("b", "none") == "none"
    with pytest.raises(KeyError):
        goods["b"]
    assert repr(goods) == "Map({'a': 3})"
    assert inventory.service.Store({"item": [{"key": "k", "value": "v"}]}) == {"k": "v"}


def test_a_list_is_a_vector_of_apache(inventory):
    assert list(inventory.service.List(["a", 1, None, 2.5])) == ["a", 1, None, 2.5]
    assert list(inventory.service.List([])) == []


def test_a_contract_that_only_names_maps():
    request = castile.Client(INVENTORY, endpoint="http://127.0.0.1:9/", cache=False).encode("Store", {"a": 1})
    assert b"<item><key" in request
    assert b"xsd:string" in request
