"""Calls each operation of an echo server of maps.wsdl; a line each: "ok NAME", or "FAILED NAME why"."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import castile

WSDL = Path(__file__).resolve().parents[2] / "maps.wsdl"
MAP = {"text": "a & b", "number": 7, "fraction": 0.5, "truth": True, "none": None, 3: "three"}
VECTOR = ["a", 1, 2.5, None, True]


def main(url: str) -> None:
    client = castile.Client(WSDL, endpoint=url)
    map_type = client.type("{http://xml.apache.org/xml-soap}Map")
    vector_type = client.type("{http://xml.apache.org/xml-soap}Vector")
    inner = map_type(item=[{"key": key, "value": value} for key, value in MAP.items()])
    both = [vector_type(item=VECTOR), inner]
    check("map", lambda: client.service.echoMap(MAP), MAP)
    check("map-none", lambda: client.service.echoMap({}), {})
    check("map-in-map", lambda: client.service.echoMap({"inner": inner}), {"inner": MAP})
    check("vector", lambda: list(client.service.echoVector(VECTOR)), VECTOR)
    check("vector-none", lambda: list(client.service.echoVector([])), [])
    check("vector-of-both", lambda: plain(client.service.echoVector(both)), [VECTOR, MAP])


def plain(vector: Any) -> list[Any]:
    return [list(vector[0]), castile.asdict(vector[1])]


def check(name: str, call: Any, expected: Any) -> None:
    try:
        found = call()
        print("ok" if found == expected else "FAILED", name, "" if found == expected else repr(found))
    except castile.Error as error:
        print("FAILED", name, error)


main(sys.argv[1])
