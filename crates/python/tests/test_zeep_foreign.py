"""Requests that zeep and `castile.zeep` make by foreign WSDLs, of the same arguments."""

import datetime as dt
import importlib
import os
import sys

import pytest

WSDLS = (
    "gowsdl/ferry.wsdl",
    "gowsdl/mnb-exchange.wsdl",
    "gowsdl/usda-awdb.wsdl",
    "rubiii-wsdl/betfair.wsdl",
    "rubiii-wsdl/bronto.wsdl",
    "rubiii-wsdl/crowd.wsdl",
    "rubiii-wsdl/interhome.wsdl",
    "rubiii-wsdl/ratp.wsdl",
    "rubiii-wsdl/xignite.wsdl",
)
VALUES = {
    "anyURI": "http://x/",
    "base64Binary": b"abc",
    "boolean": True,
    "byte": 1,
    "date": dt.date(2024, 1, 2),
    "dateTime": dt.datetime(2024, 1, 2, 3, 4, 5),
    "decimal": "2.50",
    "double": 1.5,
    "float": 1.5,
    "int": 5,
    "integer": 5,
    "long": 7,
    "short": 3,
    "string": "a & b",
    "unsignedInt": 5,
}
DEPTH_MAX = 4


class Unknown(Exception):
    """A type for which there is no value here."""


def value(element, depth=0):
    """A value of a zeep element."""
    kind = element.type
    if hasattr(kind, "elements"):
        if depth == DEPTH_MAX:
            raise Unknown
        inside = [(name, inner) for name, inner in kind.elements if not name.startswith("_value")]
        made = {name: value(inner, depth + 1) for name, inner in inside}
    elif kind.name in VALUES:
        made = VALUES[kind.name]
    else:
        raise Unknown
    return [made] if element.accepts_multiple else made


def content(element):
    """Names, attributes and texts; prefixes and xsi:type, which both need not write, aside."""
    attributes = {k: v for k, v in element.attrib.items() if "XMLSchema-instance" not in k}
    children = [content(child) for child in element if isinstance(child.tag, str)]
    return element.tag, attributes, children or (element.text or "").strip()


@pytest.mark.parametrize("wsdl", WSDLS)
def test_the_same_requests(testdata, wsdl):
    try:
        zeep = importlib.import_module("zeep")
    except ImportError:
        if os.environ.get("CASTILE_REQUIRE_PEERS") == "1":
            pytest.fail("zeep is not installed")
        print("SKIPPED: zeep is not installed", file=sys.stderr)
        pytest.skip("zeep is not installed")
    from castile import zeep as ours

    path = str(testdata / "wsdl" / wsdl)
    theirs, mine = zeep.Client(path), ours.Client(path)
    compared = 0
    for operation in theirs.service._binding._operations.values():
        body = operation.input.body
        elements = body.type.elements if body is not None else ()
        try:
            arguments = {name: value(element) for name, element in elements if not name.startswith("_")}
            expected = theirs.create_message(theirs.service, operation.name, **arguments)
        except (Unknown, zeep.exceptions.Error):
            continue
        made = mine.create_message(mine.service, operation.name, **arguments)
        assert content(made[-1]) == content(expected[-1]), operation.name
        compared += 1
    assert compared
