"""zeep's client of encoded.wsdl: calls each operation of an echo server, the URL of which is given.

Prints a line each: "ok NAME", or "FAILED NAME why". zeep knows SOAP encoding only as far as it resolves
references in replies and knows the types of arrays; it sends neither references nor xsi:type.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import zeep
import zeep.transports
import zeep.xsd

WSDL = Path(__file__).resolve().parents[2] / "encoded.wsdl"
MIO = "{urn:castile:interop:encoded:types}Mio"
ENCODING = "http://schemas.xmlsoap.org/soap/encoding/"
# What zeep needs of the schema of SOAP encoding, which it would fetch from the network.
SCHEMA = f"""<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="{ENCODING}">
  <complexType name="Array">
    <sequence><any minOccurs="0" maxOccurs="unbounded" processContents="lax"/></sequence>
    <attribute name="arrayType" type="string"/>
  </complexType>
  <attribute name="arrayType" type="string"/>
</schema>"""


class Transport(zeep.transports.Transport):
    def load(self, url: str) -> bytes:
        return SCHEMA.encode() if url == ENCODING else bytes(super().load(url))


def check(name: str, run: Callable[[], Any]) -> None:
    try:
        print("ok" if run() else "FAILED", name)
    except Exception as e:  # whatever it is, the harness must hear of it
        print("FAILED", name, type(e).__name__, " ".join(str(e).split()))


client = zeep.Client(str(WSDL), transport=Transport(timeout=20, operation_timeout=20))
service = client.create_service("{urn:castile:interop:encoded}EncodedBinding", sys.argv[1])


def array(type_: Any, items: list[Any]) -> dict[str, Any]:
    """Items of a type; zeep knows an array's items only as elements of any kind."""
    element = zeep.xsd.Element("item", type_)
    return {"_value_1": [zeep.xsd.AnyObject(element, item) for item in items]}


def items(reply: Any) -> list[Any]:
    """The items of an array: values where the reply says their type, else elements."""
    found = [getattr(item, "text", item) for item in reply or []]
    return ["" if item is None else item for item in found]


NUMBERS = [0.1, -0.0, 1e300, 5.0]
TEXTS = ["a", "", "<&>é"]
NODE = {"name": "a", "next": {"name": "b", "next": {"name": "c", "next": None}}}


def doubles(numbers: list[float]) -> bool:
    back = [float(item) for item in items(service.encDoubles(array(zeep.xsd.Double(), numbers)))]
    signs = [math.copysign(1, number) for number in back]
    return back == numbers and signs == [math.copysign(1, number) for number in numbers]


def strings() -> bool:
    return items(service.encStrings(array(zeep.xsd.String(), TEXTS))) == TEXTS


def mio() -> bool:
    sent = {"x": 1, "y": 2, "value": 0.5}
    back = service.encMio(sent)
    return {name: back[name] for name in sent} == sent


def mios() -> bool:
    sent = [{"x": i, "y": 2, "value": i / 2} for i in range(3)]
    back = service.encMios(array(client.get_type(MIO), sent))
    values = [item.findtext("value") if hasattr(item, "findtext") else item.value for item in back]
    return [float(value) for value in values] == [item["value"] for item in sent]


def chain() -> bool:
    back = service.encNode(NODE)
    return (back.name, back.next.name, back.next.next.name) == ("a", "b", "c")


def pair(first: Any, second: Any) -> Any:
    return service.encPair({"first": first, "second": second})


def shared() -> bool:
    node = {"name": "x", "next": None}
    back = pair(node, node)
    return back.first is back.second


def apart() -> bool:
    back = pair({"name": "x", "next": None}, {"name": "x", "next": None})
    return back.first is not back.second and back.first.name == back.second.name == "x"


def ring() -> bool:
    node: dict[str, Any] = {"name": "ring"}
    node["next"] = node
    back = service.encNode(node)
    return back.next is back


def circle() -> bool:
    one: dict[str, Any] = {"name": "one"}
    one["next"] = {"name": "two", "next": one}
    back = service.encNode(one)
    return back.next.next is back


def matrix() -> bool:
    back = items(service.encMatrix(array(zeep.xsd.Double(), [1.0, 2.0, 3.0, 4.0])))
    return [float(item) for item in back] == [1.0, 2.0, 3.0, 4.0]


check("doubles", lambda: doubles(NUMBERS))
check("doubles-none", lambda: doubles([]))
check("strings", strings)
check("text", lambda: service.encText("one & two") == "one & two")
check("mio", mio)
check("mios", mios)
check("matrix", matrix)
check("chain", chain)
check("pair-shared", shared)
check("pair-apart", apart)
check("ring", ring)
check("circle", circle)
