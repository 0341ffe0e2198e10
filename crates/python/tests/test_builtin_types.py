"""Every built-in type with its full range, both ways, beside two other implementations of XML Schema."""

import base64
import datetime as dt
import re
from decimal import Decimal
from xml.sax.saxutils import escape

import builtin_types
import castile
import numpy as np
import pytest
import xmlschema
from castile import DateTime, Duration, QName
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree


@pytest.fixture(scope="module")
def every():
    return castile.Client(builtin_types.wsdl(), cache=False)


@pytest.fixture(scope="module")
def oracles():
    text = builtin_types.schema()
    return etree.XMLSchema(etree.fromstring(text)), xmlschema.XMLSchema10(text)


def sent(client, name, value):
    """The text of a value as it is sent, references in it not resolved."""
    found = re.search(rb"<ns1:v[^>]*>(.*?)</ns1:v>", client.encode(name, value), flags=re.DOTALL)
    return found[1].decode()


VALUES = [
    ("decimal", "1" + "0" * 400 + ".5", Decimal("1" + "0" * 400 + ".5")),
    ("decimal", "-.5", Decimal("-0.5")),
    ("integer", "9" * 400, int("9" * 400)),
    ("unsignedLong", str(2**64 - 1), 2**64 - 1),
    ("long", str(-(2**63)), -(2**63)),
    ("nonNegativeInteger", "+0", 0),
    ("negativeInteger", "-" + "1" * 30, -int("1" * 30)),
    ("double", "-0", -0.0),
    ("double", "4.9E-324", 5e-324),
    ("float", "INF", float("inf")),
    ("boolean", " 1 ", True),
    ("hexBinary", "0aFF", b"\x0a\xff"),
    ("base64Binary", "AA E=", b"\x00\x01"),
    ("anyURI", "http://h/%20 b", "http://h/%20 b"),
    ("token", " a  b ", "a b"),
    ("dateTime", "2020-02-29T24:00:00Z", dt.datetime(2020, 3, 1, tzinfo=dt.UTC)),
    (
        "dateTime",
        "2020-01-01T00:00:00-14:00",
        dt.datetime(2020, 1, 1, tzinfo=dt.timezone(-dt.timedelta(hours=14))),
    ),
    ("dateTime", "-0044-03-15T12:00:00", DateTime("dateTime", "-0044-03-15T12:00:00")),
    ("dateTime", "123456789012-01-01T00:00:00", DateTime("dateTime", "123456789012-01-01T00:00:00")),
    ("dateTime", "2020-01-01T00:00:00.123456789Z", DateTime("dateTime", "2020-01-01T00:00:00.123456789Z")),
    ("date", "2020-02-29", dt.date(2020, 2, 29)),
    ("date", "2020-02-29+05:00", DateTime("date", "2020-02-29+05:00")),
    ("time", "24:00:00", dt.time(0)),
    ("gYear", "-0001", DateTime("gYear", "-0001")),
    ("gYearMonth", "2020-05Z", DateTime("gYearMonth", "2020-05Z")),
    ("gMonth", "--05", DateTime("gMonth", "--05")),
    ("gMonthDay", "--02-29", DateTime("gMonthDay", "--02-29")),
    ("gDay", "---31", DateTime("gDay", "---31")),
    ("duration", "P1Y2M3DT4H5M6.789S", Duration("P1Y2M3DT4H5M6.789S")),
    ("duration", "-P1DT0.5S", -dt.timedelta(days=1, seconds=0.5)),
    ("QName", "t:a", QName("urn:t", "a")),
    ("QName", "a", QName("", "a")),
    ("Picture", "t:gif", QName("urn:t", "gif")),
    ("Names", "t:a b", [QName("urn:t", "a"), QName("", "b")]),
    ("Words", " a  b ", ["a", "b"]),
    ("NMTOKENS", "a b", ["a", "b"]),
    ("Dates", "2020-01-01 2020-01-01Z", [dt.date(2020, 1, 1), DateTime("date", "2020-01-01Z")]),
    ("Either", "5", 5),
    ("Either", "2020-01-01", dt.date(2020, 1, 1)),
    ("Either", "5 of them", "5 of them"),
]


@pytest.mark.parametrize(("name", "text", "value"), VALUES)
def test_values_come_with_their_types_and_go_back(every, name, text, value):
    got = every.decode(name, builtin_types.reply(name, text))
    assert got == value
    assert type(got) is type(value)
    again = every.decode(name, answer(every.encode(name, got), name))
    assert again == got
    assert type(again) is type(got)
    assert str(again) == str(got)


def answer(request: bytes, name: str) -> bytes:
    """A request as the reply to itself."""
    text = request.replace(f":{name}>".encode(), f":{name}Response>".encode())
    return text.replace(f":{name} ".encode(), f":{name}Response ".encode())


def test_lists_of_numbers_are_arrays(every):
    got = every.decode("Ints", builtin_types.reply("Ints", " 1 -2\n3 "))
    assert got.dtype == np.int32
    assert got.tolist() == [1, -2, 3]
    assert sent(every, "Ints", got) == sent(every, "Ints", [1, -2, 3]) == "1 -2 3"


REFUSED = [
    ("dateTime", "2016-12-31T23:59:60Z", "second"),
    ("time", "24:00:01", "24"),
    ("dateTime", "0000-01-01T00:00:00", "year 0000"),
    ("date", "2021-02-29", "no such day"),
    ("gMonthDay", "--02-30", "no such day"),
    ("dateTime", "2020-01-01T00:00:00+14:01", "zone"),
    ("unsignedLong", str(2**64), "range"),
    ("float", "1f", "digits|float|number"),
    ("boolean", "True", "boolean"),
    ("hexBinary", "0", "hex"),
    ("QName", "nowhere:a", "not declared"),
    ("duration", "P1Y2MT", "duration"),
]


@pytest.mark.parametrize(("name", "text", "why"), REFUSED)
def test_what_is_no_value_is_refused_with_its_place(every, oracles, name, text, why):
    with pytest.raises(castile.BadPeer, match=f"(?i){why}") as caught:
        every.decode(name, builtin_types.reply(name, text))
    assert caught.value.path.endswith("/v")
    document = f'<t:{name} xmlns:t="urn:t"><t:v>{text}</t:v></t:{name}>'
    # libxml2 takes a leap second, and a prefix that is not declared.
    if text not in ("2016-12-31T23:59:60Z", "nowhere:a", "2020-01-01T00:00:00+14:01"):
        assert not oracles[0].validate(etree.fromstring(document))


GIVEN = [
    ("gYear", 2020, "2020"),
    ("gYear", -44, "-0044"),
    ("gYear", 12020, "12020"),
    ("gMonth", 5, "--05"),
    ("gDay", 31, "---31"),
    ("integer", 10**400, "1" + "0" * 400),
    ("decimal", 5, "5"),
    ("decimal", Decimal("1E+3"), "1000"),
    ("boolean", 1, "true"),
    ("QName", "local", "local"),
    ("Words", ("a", "b"), "a b"),
    ("duration", "P1M", "P1M"),
]


@pytest.mark.parametrize(("name", "value", "text"), GIVEN)
def test_values_may_be_given_as_something_simpler(every, name, value, text):
    assert sent(every, name, value) == text


def test_a_name_may_be_given_as_text(every):
    for name, value in (("QName", "{urn:a}b"), ("Names", ["{urn:a}b"])):
        got = every.decode(name, answer(every.encode(name, value), name))
        assert got == (QName("urn:a", "b") if name == "QName" else [QName("urn:a", "b")])


BAD = [
    ("gYear", 0, "0000"),
    ("gMonth", 13, "month"),
    ("gDay", -1, "Day"),
    ("QName", "p:b", "prefix"),
    ("QName", "{urn:a}b c", "text|name"),
    ("Words", ["a b"], "no item"),
    ("Words", ["a", ""], "no item"),
    ("date", DateTime("gYear", "2020"), "date"),
    ("dateTime", dt.date(2020, 1, 1), "date"),
    ("unsignedByte", 256, "range"),
]


@pytest.mark.parametrize(("name", "value", "why"), BAD)
def test_values_that_do_not_fit_are_refused(every, name, value, why):
    with pytest.raises(castile.BadValue, match=why):
        every.encode(name, value)


def test_an_integer_beyond_pythons_own_limit_is_a_limit_error(every):
    with pytest.raises(castile.LimitError, match="digits"):
        every.decode("integer", builtin_types.reply("integer", "9" * 5000))
    with pytest.raises(castile.BadValue, match="digits"):
        every.encode("integer", 10**5000)


def test_values_compare_by_what_they_mean():
    a = DateTime("dateTime", "12020-01-01T00:00:00Z")
    b = DateTime("dateTime", "12020-01-01T05:00:00+05:00")
    assert a == b
    assert hash(a) == hash(b)
    assert str(a) != str(b)
    bare = DateTime("dateTime", "12020-01-01T00:00:00")
    assert a != bare
    assert not a < bare
    assert not a > bare
    assert sorted([DateTime("gYear", y) for y in ("2020", "-0044", "12020")])[0].year == -44
    assert Duration("P1Y") == Duration("P12M")
    assert hash(Duration("P1Y")) == hash(Duration("P12M"))
    assert Duration("P1M") != Duration("P30D")
    assert DateTime("gYear", "2020") != DateTime("gYearMonth", "2020-01")
    assert DateTime("gYear", "2020") != 2020


# What XML Schema writes, and what is nearly that.
DIGITS = st.text("0123456789", min_size=1, max_size=30)
SIGN = st.sampled_from(["", "-", "+"])
ZONE = st.sampled_from(["", "Z", "+00:00", "-14:00", "+05:30", "+14:00", "-13:59"])
SPACE = st.sampled_from(["", " ", "\n\t "])
DATE = st.one_of(
    st.dates().map(dt.date.isoformat),
    st.builds("{:04}-{:02}-{:02}".format, st.integers(1, 9999), st.integers(0, 13), st.integers(0, 32)),
    st.builds("-{:05}-{:02}-{:02}".format, st.integers(1, 99999), st.integers(1, 12), st.integers(1, 28)),
)
TIME = st.builds(
    "{:02}:{:02}:{:02}{}".format,
    st.integers(0, 25),
    st.integers(0, 60),
    st.integers(0, 59),
    st.sampled_from(["", ".5", ".000001", ".123456789", ".0"]),
)
LEXICAL = {
    "decimal": st.builds("{}{}{}{}".format, SIGN, DIGITS, st.sampled_from(["", "."]), DIGITS),
    "integer": st.builds("{}{}".format, SIGN, DIGITS),
    "long": st.builds("{}{}".format, SIGN, st.integers(0, 2**64).map(str)),
    "unsignedLong": st.builds("{}{}".format, SIGN, st.integers(0, 2**65).map(str)),
    "nonPositiveInteger": st.integers(-(10**30), 5).map(str),
    "unsignedByte": st.integers(-1, 300).map(str),
    "double": st.one_of(
        st.floats(allow_nan=False, allow_infinity=False).map(repr),
        st.sampled_from(["INF", "-INF", "+INF", "inf", "1e5", "1E+5", ".5", "5.", "1e", "e5", "0x1"]),
    ),
    "boolean": st.sampled_from(["true", "false", "1", "0", "TRUE", "yes", ""]),
    "dateTime": st.builds("{}T{}{}".format, DATE, TIME, ZONE),
    "date": st.builds("{}{}".format, DATE, ZONE),
    "time": st.builds("{}{}".format, TIME, ZONE),
    "gYear": st.builds("{}{:04}{}".format, st.sampled_from(["", "-"]), st.integers(1, 99999), ZONE),
    "gYearMonth": st.builds("{:04}-{:02}{}".format, st.integers(1, 9999), st.integers(0, 13), ZONE),
    "gMonthDay": st.builds("--{:02}-{:02}{}".format, st.integers(0, 13), st.integers(0, 32), ZONE),
    "gMonth": st.builds("--{:02}{}".format, st.integers(0, 13), ZONE),
    "gDay": st.builds("---{:02}{}".format, st.integers(0, 32), ZONE),
    "duration": st.builds(
        "{}P{}{}".format,
        st.sampled_from(["", "-"]),
        st.sampled_from(["", "1Y", "3M", "2Y40D", "5D"]),
        st.sampled_from(["", "T", "T5H", "T90M0.25S", "T1S", "T0.0000001S"]),
    ),
    "hexBinary": st.text("0123456789abcdefABCDEFg", max_size=6),
    "base64Binary": st.binary(max_size=9).map(lambda b: base64.b64encode(b).decode()),
}


@pytest.mark.parametrize("name", LEXICAL)
def test_texts_are_taken_or_refused_as_others_do(every, oracles, name):
    by_libxml2, by_xmlschema = oracles

    @settings(max_examples=150, deadline=None)
    @given(LEXICAL[name], SPACE, SPACE)
    def check(text, before, after):
        text = before + text + after
        document = etree.fromstring(f'<t:{name} xmlns:t="urn:t"><t:v>{escape(text)}</t:v></t:{name}>')
        said = {by_libxml2.validate(document), by_xmlschema.is_valid(document)}
        try:
            value = every.decode(name, builtin_types.reply(name, escape(text)))
        except castile.BadPeer:
            # One of the two at least refuses it as well.
            assert False in said, text
            return
        assert True in said, text
        again = every.decode(name, answer(every.encode(name, value), name))
        assert again == value, text

    check()


@pytest.mark.parametrize("name", ["decimal", "integer", "double", "boolean", "hexBinary", "base64Binary"])
def test_values_are_those_of_another_implementation(every, oracles, name):
    element = oracles[1].elements[name]

    @settings(max_examples=150, deadline=None)
    @given(LEXICAL[name])
    def check(text):
        document = etree.fromstring(f'<t:{name} xmlns:t="urn:t"><t:v>{text}</t:v></t:{name}>')
        if not oracles[1].is_valid(document):
            return
        expected = element.decode(document)["t:v"]
        if expected is None:
            expected = ""
        got = every.decode(name, builtin_types.reply(name, text))
        match expected:
            case str() if name == "hexBinary":
                assert got.hex() == expected.lower()
            case str() if name == "base64Binary":
                assert got == base64.b64decode(expected)
            case _:
                assert got == expected
                assert type(got) is type(expected)

    check()
