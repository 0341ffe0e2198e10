"""What differential sending pads is what a fresh message says, by libxml2 and the schema."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import castile
import numpy as np
import pytest
from lxml import etree

COUNT = 200
Random = np.random.Generator
Make = Callable[[Random, int], Any]


def integers(dtype: str, least: int | None = None, greatest: int | None = None) -> Make:
    """Integers of all lengths between the bounds."""
    info = np.iinfo(dtype)
    low = info.min if least is None else least
    high = info.max if greatest is None else greatest

    def make(random: Random, count: int) -> Any:
        values = random.integers(low, high, count, dtype=dtype, endpoint=True)
        divisors = 10 ** random.integers(0, len(str(info.max)) - 1, count)
        shorter = (values // divisors.astype(dtype)).astype(dtype)
        return np.clip(shorter, low, high).astype(dtype)

    return make


def floats(dtype: str) -> Make:
    def make(random: Random, count: int) -> Any:
        scales = 10.0 ** random.integers(-30, 30, count)
        values = np.round(random.standard_normal(count), random.integers(0, 9)) * scales
        special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0]
        return np.where(random.random(count) < 0.3, random.choice(special, count), values).astype(dtype)

    return make


def moment(random: Random) -> dt.datetime:
    zones = [None, dt.UTC, dt.timezone(dt.timedelta(hours=-5))]
    seconds = round(float(random.random()) * 1e7, int(random.integers(0, 6)))
    start = dt.datetime(2026, 11, 21, 6, 30, tzinfo=zones[random.integers(3)])
    return start + dt.timedelta(seconds=seconds)


def decimal(random: Random) -> Decimal:
    return Decimal(int(random.integers(-99999, 99999))).scaleb(-3)


def each(make: Callable[[Random], Any]) -> Make:
    return lambda random, count: [make(random) for _ in range(count)]


# Of these types arrays are kept and padded.
ARRAYS: dict[str, Make] = {
    "byte": integers("int8"),
    "short": integers("int16"),
    "int": integers("int32"),
    "long": integers("int64"),
    "unsignedByte": integers("uint8"),
    "unsignedShort": integers("uint16"),
    "unsignedInt": integers("uint32"),
    "unsignedLong": integers("uint64"),
    "integer": integers("int64"),
    "nonNegativeInteger": integers("int64", 0),
    "positiveInteger": integers("int64", 1),
    "nonPositiveInteger": integers("int64", greatest=0),
    "negativeInteger": integers("int64", greatest=-1),
    "float": floats("float32"),
    "double": floats("float64"),
    "boolean": lambda random, count: random.random(count) < 0.5,
}
# Of these each value is written anew.
LISTS: dict[str, Make] = {
    "decimal": each(decimal),
    "dateTime": each(moment),
    "date": each(lambda random: moment(random).date()),
    "time": each(lambda random: moment(random).time()),
}
TYPES = ARRAYS | LISTS

SETTINGS = {
    "default": {},
    "between": {"pad_between": True},
    "max": {"stuffing": "max"},
    "wide": {"stuffing": 30},
    "between and wide": {"pad_between": True, "stuffing": 12},
    "never anew": {"rewrite_above": 2.0, "pauses": False},
}


def schema() -> str:
    elements = "".join(
        f'<xs:element name="{name}"><xs:complexType><xs:sequence>'
        f'<xs:element name="v" type="xs:{name}" maxOccurs="unbounded"/>'
        "</xs:sequence></xs:complexType></xs:element>"
        for name in TYPES
    )
    return (
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t" '
        f'elementFormDefault="qualified">{elements}</xs:schema>'
    )


def wsdl() -> bytes:
    messages = "".join(f'<message name="{n}"><part name="p" element="t:{n}"/></message>' for n in TYPES)
    operations = "".join(f'<operation name="{n}"><input message="t:{n}"/></operation>' for n in TYPES)
    bound = "".join(
        f'<operation name="{n}"><s:operation soapAction=""/>'
        '<input><s:body use="literal"/></input></operation>'
        for n in TYPES
    )
    return f"""<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t" targetNamespace="urn:t"
      xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"><types>{schema()}</types>{messages}
      <portType name="P">{operations}</portType><binding name="B" type="t:P">
      <s:binding transport="http://schemas.xmlsoap.org/soap/http"/>{bound}</binding><service name="S">
      <port name="P" binding="t:B"><s:address location="http://127.0.0.1:9/"/></port></service>
      </definitions>""".encode()


@pytest.fixture(scope="module")
def valid() -> etree.XMLSchema:
    return etree.XMLSchema(etree.fromstring(schema()))


@pytest.fixture(scope="module")
def plain() -> castile.Client:
    return castile.Client(wsdl(), cache=False, differential=False)


def edited(values: Any, make: Make, random: Random) -> Any:
    """Values of which some are others now, or all, or more, or fewer."""
    if isinstance(values, list):
        return make(random, COUNT)
    count = int(random.choice([1, 5, len(values) // 2, len(values)]))
    values = values.copy()
    values[random.choice(len(values), count, replace=False)] = make(random, count)
    if random.random() < 0.2:
        values = np.insert(values, 20, make(random, 3))
    if random.random() < 0.2:
        values = values[:-2]
    return values


def lexical(body: etree._Element) -> list[str]:
    """Each value with its white space collapsed."""
    return ["".join(value.itertext()).strip(" \t\r\n") for value in body]


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", TYPES)
def test_libxml2_reads_padded_values_as_fresh_ones(name, setting, valid, plain):
    random, make = np.random.default_rng(list(name.encode())), TYPES[name]
    differential = castile.Differential(**SETTINGS[setting])
    client = castile.Client(wsdl(), cache=False, differential=differential)
    values, padded = make(random, COUNT), 0
    for _ in range(15):
        message, fresh = (c.encode(name, values) for c in (client, plain))
        [body], [expected] = (etree.fromstring(m).find("{*}Body") for m in (message, fresh))
        assert lexical(body) == lexical(expected)
        for value in body:
            # libxml2 collapses white space around all numbers but these.
            if value.text.strip() in ("INF", "-INF", "NaN"):
                value.text = value.text.strip()
        valid.assertValid(body)
        assert len(body) == len(values)
        padded += len(message) > len(fresh)
        values = edited(values, make, random)
    assert (padded > 0) == (name in ARRAYS)
