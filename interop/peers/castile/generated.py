"""A service of type hints, and its WSDL on standard output (test_generated.py).

An operation and a type of the same name are common in Python (`point` gives a `Point`), and stop Java's
generators when a class is named after each.
"""

from __future__ import annotations

import enum
import sys
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Literal

import castile
import numpy as np
import numpy.typing as npt


class Colour(enum.Enum):
    RED = "red"
    DEEP_BLUE = "deep blue"


@dataclass
class Point:
    """A place in the plane."""

    x: float
    y: float = 0.0


@dataclass
class Circle(Point):
    radius: float = 1.0


@dataclass
class Tree:
    value: int
    children: list[Tree]


@dataclass
class Missing(Exception):
    place: str


@castile.service(namespace="urn:castile:interop:generated")
class Generated:
    """One operation for each kind of hint."""

    @castile.operation
    def nothing(self) -> None: ...

    @castile.operation
    def point(self, v: Point) -> Point:
        return v

    @castile.operation
    def circle(self, v: Circle | None) -> Circle | None:
        return v

    @castile.operation
    def tree(self, v: Tree) -> Tree:
        return v

    @castile.operation
    def colour(self, v: Colour) -> list[Colour]:
        return [v]

    @castile.operation
    def texts(self, v: list[str | None], kind: Literal["up", "down"] = "up") -> list[list[str]]:
        return [[text or kind for text in v]]

    @castile.operation
    def doubles(self, v: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return v

    @castile.operation
    def times(self, d: date, t: time, dt: datetime, span: timedelta) -> tuple[date, time]:
        return d, t

    @castile.operation
    def scalars(self, flag: bool, number: int, amount: Decimal, data: bytes, name: castile.QName) -> Any:
        return number

    @castile.operation(faults=[Missing])
    def find(self, place: str) -> float:
        raise Missing(place)

    @castile.operation(one_way=True)
    def note(self, text: str) -> None: ...


sys.stdout.buffer.write(castile.wsdl(Generated))
