"""Values of every type, there and back."""

import datetime as dt
from decimal import Decimal

import castile
import numpy as np
import pytest
from everything import Circle, Color, Event, Level, Options, Pair, Point, Shape, Tree

UTC = dt.UTC
INDIA = dt.timezone(dt.timedelta(hours=5, minutes=30))
AWKWARD = "<a>&amp;]]> \"'\t\r\n é ☃ 𝄞  end "

PLAIN = [
    ("bool", True),
    ("bool", False),
    ("int", 0),
    ("int", -(2**63)),
    ("int", 2**63 - 1),
    ("float", 1.5),
    ("float", -0.0),
    ("float", 5e-324),
    ("float", float("inf")),
    ("str", ""),
    ("str", AWKWARD),
    ("str", " leading and trailing "),
    ("bytes", b""),
    ("bytes", bytes(range(256))),
    ("decimal", Decimal("123456789012345678901234567890.000000000000000000000000000001")),
    ("decimal", Decimal("-0.10")),
    ("decimal", Decimal("1E+3")),
    ("datetime", dt.datetime(2024, 2, 29, 23, 59, 59, 999999)),
    ("datetime", dt.datetime(1, 1, 1, tzinfo=UTC)),
    ("datetime", dt.datetime(9999, 12, 31, 23, 59, 59, tzinfo=INDIA)),
    ("date", dt.date(2024, 2, 29)),
    ("time", dt.time(0, 0)),
    ("time", dt.time(23, 59, 59, 1, tzinfo=UTC)),
    ("duration", dt.timedelta(0)),
    ("duration", dt.timedelta(days=-1, microseconds=1)),
    ("duration", dt.timedelta(days=100000, seconds=1.5)),
    ("qname", castile.QName("urn:q", "name")),
    ("qname", castile.QName("", "name")),
    ("optional", None),
    ("optional", ""),
    ("strs", []),
    ("strs", [AWKWARD]),
    ("strs", ["a", "", "b"]),
    ("maybes", [1, None, 3]),
    ("maybes", [None]),
    ("literal", "up"),
    ("later", 1),
]


@pytest.mark.parametrize(("name", "value"), PLAIN)
def test_plain_values_come_back(client, name, value):
    got = client.service[name](value)
    if name == "later":
        value += 1
    assert got == value or (isinstance(value, list) and list(got) == value)
    if not isinstance(value, list):
        assert type(got) is type(value)
        assert str(got) == str(value) or name == "decimal"


def test_nan_comes_back(client):
    assert np.isnan(client.service.float(float("nan")))


def test_default_arguments(client):
    assert client.service.add(1) == 11
    assert client.service.add(1, 2) == 3
    assert client.service.add(b=5, a=2) == 7
    assert client.service.add(a=1, b=castile.SKIP) == 11


def test_nothing_and_several_come_back(client):
    assert client.service.void() is None
    reply = client.service.several(7)
    assert (reply.result1, reply["result2"]) == (7, "7")


def test_lists_of_lists(client):
    got = client.service.nested([[1.0, 2.0], [], [3.5]])
    assert [list(inner) for inner in got] == [[1.0, 2.0], [], [3.5]]
    got = client.service.nested(np.arange(6.0).reshape(2, 3))
    assert [list(inner) for inner in got] == [[0, 1, 2], [3, 4, 5]]
    assert len(got[0]) == 3
    assert np.array_equal(np.asarray(got[1]), [3, 4, 5])
    again = client.service.nested(got)
    assert again == got


def test_enumerations_come_as_texts(client):
    assert client.service.color(Color.DEEP_BLUE) == "deep blue"
    assert client.service.color("red") == "red"
    assert client.service.level(Level.HIGH) == 7
    with pytest.raises(castile.BadValue, match="red"):
        client.service.color("green")


@pytest.mark.parametrize(
    "value",
    [
        Point(1.5, 2.5, "p"),
        {"x": 1.5, "y": 2.5, "label": "p"},
        type("Anything", (), {"x": 1.5, "y": 2.5, "label": "p"})(),
    ],
)
def test_structs_are_given_in_any_form(client, value):
    got = client.service.point(value)
    assert (got.x, got.y, got.label) == (1.5, 2.5, "p")
    assert got == client.type("Point")(1.5, 2.5, "p")
    assert client.service.point(got) == got


def test_fields_that_are_absent(client):
    got = client.service.point({"x": 1})
    assert got.x == 1.0
    assert got.y == 0.0
    assert got.label is None
    assert "label" not in got


def test_derived_types_say_what_they_are(client):
    got = client.service.shape(Circle("c", Point(1, 2), 3.0))
    assert type(got).__name__ == "Circle"
    assert got._castile_type == "{urn:everything}Circle"
    assert (got.name, got.center.x, got.radius) == ("c", 1.0, 3.0)
    assert client.service.shape(got) == got
    assert type(client.service.shape(Shape("s"))).__name__ == "Shape"


def test_recursion(client):
    tree = Tree(1, [Tree(2), Tree(3, [Tree(4)])])
    got = client.service.tree(tree)
    assert [child.value for child in got.children] == [2, 3]
    assert got.children[1].children[0].value == 4
    assert len(got.children[0].children) == 0


def test_a_cycle_is_an_error(client):
    tree = Tree(1)
    tree.children.append(tree)
    with pytest.raises(castile.BadValue, match="cycle"):
        client.encode("tree", tree)


def test_named_tuples_and_typed_dicts(client):
    got = client.service.pair(Pair(1, "x"))
    assert (got.left, got.right) == (1, "x")
    got = client.service.options(Options(deep=True, from_="f"))
    assert got["from"] == got.from_ == "f"
    assert client.service.options({"deep": False, "from": "g"})["from"] == "g"


def test_events(client):
    events = [Event(i, i / 3, f"event {i}") for i in range(100)]
    got = client.service.events(events)
    assert [(e.seq, e.time, e.name) for e in got] == [(e.seq, e.time, e.name) for e in events]
    assert client.service.events(got) == got
    assert client.service.events([]) == []
    assert client.service.events(tuple(events)) == got
    assert client.service.events(iter(events)) == got


def test_values_of_any_type(client):
    assert client.service.anything(1) == 1
    assert client.service.anything("text") == "text"
    when = dt.datetime(2020, 1, 1, tzinfo=UTC)
    assert client.service.anything(when) == when
    point = client.type("Point")(1, 2)
    assert client.service.anything(point) == point
    xml = castile.XML('<n:a xmlns:n="urn:n"><b/>t</n:a>')
    assert "urn:n" in client.service.anything(xml)


BAD = [
    ("int", (2**63,), "range"),
    ("int", (1.5,), "double"),
    ("int", ("x",), "v"),
    ("int", (object(),), "v"),
    ("float", (1j,), "v"),
    ("str", ("\x00",), "v"),
    ("str", ("\ud800",), "v"),
    ("str", (b"x",), "bytes"),
    ("decimal", (Decimal("NaN"),), "v"),
    ("date", (dt.datetime(2020, 1, 1),), "v"),
    ("time", (dt.time(1, tzinfo=dt.timezone(dt.timedelta(seconds=30))),), "whole number of minutes"),
    ("point", ({"x": 1, "z": 2},), "'z'|\"z\""),
    ("point", ({1: 2},), "names"),
    ("point", ({"y": 1},), "x"),
    ("events", ([Event(1, 2.0, "x"), Event(1, "y", "x")],), r"/v\[2\]/time"),
]


@pytest.mark.parametrize(("name", "args", "message"), BAD)
def test_bad_values_are_refused_with_their_place(client, name, args, message):
    with pytest.raises(castile.BadValue, match=message) as caught:
        client.service[name](*args)
    assert isinstance(caught.value, ValueError)


def test_wrong_calls_are_type_errors(client):
    with pytest.raises(TypeError, match="at most 2"):
        client.service.add(1, 2, 3)
    with pytest.raises(TypeError, match="two values"):
        client.service.add(1, a=2)
    with pytest.raises(castile.BadValue, match="c"):
        client.service.add(1, c=2)
    with pytest.raises(castile.BadValue, match="missing"):
        client.service.add()


def test_errors_of_the_users_own_code_pass(client):
    class Odd:
        @property
        def x(self):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        client.service.point(Odd())


def reply(operation: str, text: str) -> bytes:
    return (
        '<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body>'
        f'<e:{operation}Response xmlns:e="urn:everything"><e:result>{text}</e:result></e:{operation}Response>'
        "</S:Body></S:Envelope>"
    ).encode()


TIMES = [
    ("datetime", "2020-12-31T24:00:00", dt.datetime(2021, 1, 1)),
    ("datetime", "9999-12-31T24:00:00", castile.DateTime("dateTime", "9999-12-31T24:00:00")),
    ("datetime", "12020-01-01T00:00:00Z", castile.DateTime("dateTime", "12020-01-01T00:00:00Z")),
    ("datetime", "-0001-01-01T00:00:00", castile.DateTime("dateTime", "-0001-01-01T00:00:00")),
    ("datetime", "2020-01-01T00:00:00.1234567", castile.DateTime("dateTime", "2020-01-01T00:00:00.1234567")),
    ("datetime", "2020-01-01T00:00:00.1234560", dt.datetime(2020, 1, 1, 0, 0, 0, 123456)),
    ("date", "2020-01-01Z", castile.DateTime("date", "2020-01-01Z")),
    ("time", "24:00:00", dt.time(0, 0)),
    ("time", "12:00:00.0000001", castile.DateTime("time", "12:00:00.0000001")),
    ("duration", "P1M", castile.Duration("P1M")),
    ("duration", "PT0.0000001S", castile.Duration("PT0.0000001S")),
    ("duration", "P1000000000D", castile.Duration("P1000000000D")),
    ("duration", "-P1DT0.5S", -dt.timedelta(days=1, seconds=0.5)),
]


@pytest.mark.parametrize(("operation", "text", "value"), TIMES)
def test_times_are_never_cut(client, operation, text, value):
    got = client.decode(operation, reply(operation, text))
    assert got == value
    assert type(got) is type(value)
    sent = client.encode(operation, got)
    assert str(value).encode() in sent or type(value) not in (castile.DateTime, castile.Duration)


def test_numpy_scalars(client):
    assert client.service.int(np.int8(-3)) == -3
    assert client.service.int(np.uint64(7)) == 7
    assert client.service.float(np.float64(0.1)) == 0.1
    assert client.service.float(np.float32(0.5)) == 0.5
    assert client.service.bool(np.bool_(True)) is True
    assert client.service.str(np.str_("x")) == "x"
    assert client.service.bytes(np.frombuffer(b"abc", np.uint8)) == b"abc"
    assert client.service.bytes(bytearray(b"abc")) == b"abc"
    assert client.service.bytes(memoryview(b"abc")) == b"abc"
    when = np.datetime64("2020-01-01T00:00:00.000000001")
    assert client.service.datetime(when) == castile.DateTime("dateTime", "2020-01-01T00:00:00.000000001")
    assert client.service.datetime(np.datetime64("2020-01-02")) == dt.datetime(2020, 1, 2)
    assert client.service.duration(np.timedelta64(1500, "ms")) == dt.timedelta(seconds=1.5)
