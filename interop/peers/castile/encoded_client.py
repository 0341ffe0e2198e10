"""Castile's client of encoded.wsdl: calls each operation of an echo server, the URL of which is given.

Prints a line each: "ok NAME", or "FAILED NAME why".
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import castile
import numpy as np

WSDL = Path(__file__).resolve().parents[2] / "encoded.wsdl"
client = castile.Client(WSDL, endpoint=sys.argv[1], rows="objects")
service = client.service
Node = client.type("{urn:castile:interop:encoded:types}Node")
NUMBERS = np.array([0.1, -0.0, 1e300, math.inf, 5.0])
TEXTS = ["a", "", "<&>é", None]
MATRIX = np.arange(6.0).reshape(2, 3)


def check(name: str, run: Callable[[], Any]) -> None:
    try:
        print("ok" if run() else "FAILED", name)
    except (castile.Error, castile.Fault) as e:
        print("FAILED", name, " ".join(str(e).split()))


def mios() -> bool:
    sent = [{"x": i, "y": 2, "value": i / 2} for i in range(5)]
    back = service.encMios(sent)
    return [(m.x, m.y, m.value) for m in back] == [(m["x"], m["y"], m["value"]) for m in sent]


def chain() -> bool:
    back = service.encNode({"name": "a", "next": {"name": "b", "next": {"name": "c"}}})
    return (back.name, back.next.name, back.next.next.name, back.next.next.next) == ("a", "b", "c", None)


def shared() -> bool:
    node = Node(name="shared")
    back = service.encPair({"first": node, "second": node})
    return back.first is back.second and back.first.name == "shared"


def apart() -> bool:
    back = service.encPair({"first": Node(name="x"), "second": Node(name="x")})
    return back.first is not back.second


def ring() -> bool:
    node = Node(name="ring")
    node.next = node
    back = service.encNode(node)
    return back.next is back and back.name == "ring"


def circle() -> bool:
    one = Node(name="one")
    one.next = Node(name="two", next=one)
    back = service.encNode(one)
    return back.next.next is back and back.next.name == "two"


check("doubles", lambda: service.encDoubles(NUMBERS).tobytes() == NUMBERS.tobytes())
check("doubles-none", lambda: len(service.encDoubles([])) == 0)
check("strings", lambda: service.encStrings(TEXTS) == TEXTS)
check("text", lambda: service.encText("one & two") == "one & two")
check("mio", lambda: service.encMio({"x": 1, "y": 2, "value": 0.5}).value == 0.5)
check("mios", mios)
check("matrix", lambda: np.array_equal(service.encMatrix(MATRIX), MATRIX))
check("chain", chain)
check("pair-shared", shared)
check("pair-apart", apart)
check("ring", ring)
check("circle", circle)
