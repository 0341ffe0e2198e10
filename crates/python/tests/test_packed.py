"""Lists of texts, and of structs of numbers and texts, which move many at a time: nobody can tell."""

from __future__ import annotations

import castile
import pytest

ENDPOINT = "http://127.0.0.1:9/"
EVENT = "{urn:castile:interop:types}Event"


@pytest.fixture(scope="module")
def client(interop):
    return castile.Client(interop, endpoint=ENDPOINT, cache=False, differential=False)


class Text(str):
    """A text of another class."""


def events(count: int) -> list[dict[str, object]]:
    texts = ["plain", "", "a < b & c", "Bäume", "line\nline\r", "]]>", "x" * 100]
    return [{"id": i, "value": i / 7, "text": texts[i % len(texts)]} for i in range(count)]


ODD = [
    {"id": 1, "value": 2, "text": "a whole number"},
    {"id": True, "value": 0.5, "text": "a boolean"},
    {"id": 1, "value": 0.5, "text": Text("of another class")},
    {"value": 0.5, "text": "in another order", "id": 1},
]


@pytest.mark.parametrize("odd", [None, *ODD])
@pytest.mark.parametrize("at", [0, 3, 511, 512, 1299])
def test_events_are_written_as_one_by_one(client, odd, at):
    event = client.type(EVENT)
    values = events(1300)
    if odd is not None:
        values[at] = odd
    typed = [event(**value) for value in values]
    written = []
    # Only lists move many at a time.
    for given in (values, tuple(values), typed, tuple(typed)):
        try:
            written.append(client.encode("echoEvents", given))
        except castile.Error as e:
            written.append(str(e))
    assert len(set(map(str, written))) == 1, odd


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": 1, "value": 0.5, "text": None},
        {"id": 1, "value": 0.5, "text": 7},
        {"id": 1, "value": 0.5},
        {"id": "x", "value": 0.5, "text": "x"},
        {"id": 1 << 31, "value": 0.5, "text": "x"},
        {"id": 1, "value": 0.5, "text": "\x01"},
        {"id": 1, "value": 0.5, "text": "\ud800"},
        {"id": 1, "value": 0.5, "text": "x", "other": 1},
        7,
    ],
)
@pytest.mark.parametrize("at", [0, 700])
def test_what_is_wrong_is_said_as_one_by_one(client, wrong, at):
    values: list[object] = list(events(800))
    values[at] = wrong
    said = []
    for given in (values, tuple(values)):
        try:
            said.append(client.encode("echoEvents", given))
        except (castile.Error, TypeError, ValueError) as e:
            said.append(f"{type(e).__name__}: {e}")
    assert said[0] == said[1]


@pytest.mark.parametrize("rows", ["objects", "numpy"])
@pytest.mark.parametrize("kind", ["plain", "an odd one"])
def test_events_are_read(interop, rows, kind):
    client = castile.Client(interop, endpoint=ENDPOINT, cache=False, differential=False, rows=rows)
    values = events(1300)
    reply = client.encode("echoEvents", values).replace(b"echoEvents", b"echoEventsResponse")
    if kind == "an odd one":
        reply = reply.replace(b">line", b"><![CDATA[line]]><!-- and -->", 3)
    assert castile.asdict(client.decode("echoEvents", reply)) == values


@pytest.mark.parametrize(
    "odd", ["plain", "a & b", "", "ü", Text("of another class"), 17, None, "\x01", "\ud800"]
)
def test_texts_are_written_as_one_by_one(client, odd):
    values: list[object] = [f"text {i}" for i in range(1300)]
    values[600] = odd
    said = []
    for given in (values, tuple(values)):
        try:
            said.append(client.encode("echoStrings", given))
        except (castile.Error, TypeError, ValueError) as e:
            said.append(f"{type(e).__name__}: {e}")
    assert said[0] == said[1]


def test_texts_are_read(client):
    texts = [str(event["text"]) for event in events(1300)]
    reply = client.encode("echoStrings", texts).replace(b"echoStrings", b"echoStringsResponse")
    assert client.decode("echoStrings", reply) == texts
