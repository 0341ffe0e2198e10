"""A survey of the sky that keeps its files in a catalog. A catalog is `client.service` of one."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator
from typing import Any

#: Files that go in one message.
BATCH = 100

INSTRUMENTS = ["camera", "spectrograph", "radiometer", "altimeter"]


def files(count: int, seed: int = 2003) -> Iterator[dict[str, Any]]:
    """Files as a survey of the sky would leave them, with ten attributes each."""
    source = random.Random(seed)
    for number in range(count):
        day = datetime.date(2003, 1, 1) + datetime.timedelta(days=source.randrange(1000))
        attributes = [
            ("instrument", "string", source.choice(INSTRUMENTS)),
            ("observed", "date", day.isoformat()),
            ("exposure", "int", str(source.randrange(1, 3600))),
            ("run", "int", str(number // 50)),
            ("ascension", "double", repr(source.uniform(0.0, 360.0))),
            ("declination", "double", repr(source.uniform(-90.0, 90.0))),
            ("seeing", "double", repr(source.gauss(1.2, 0.3))),
            ("airmass", "double", repr(1.0 + source.expovariate(2.0))),
            ("observer", "string", f"team {source.randrange(20)} <night & day>"),
            ("checksum", "string", f"{source.getrandbits(128):032x}"),
        ]
        yield {
            "name": f"survey/{number // 50:04d}/{number:06d}.fits",
            "attributes": [dict(zip(("name", "type", "value"), a, strict=True)) for a in attributes],
        }


def condition(name: str, type_: str, comparison: str, value: str) -> dict[str, str]:
    """One condition of a question."""
    return {"name": name, "type": type_, "comparison": comparison, "value": value}


#: Questions that astronomers ask.
QUESTIONS = [
    [condition("instrument", "string", "equal", "camera")],
    [condition("exposure", "int", "greater", "3000"), condition("seeing", "double", "less", "1.0")],
    [
        condition("observed", "date", "less", "2003-07-01"),
        condition("instrument", "string", "equal", "altimeter"),
    ],
    [condition("observer", "string", "like", "team 1%"), condition("airmass", "double", "less", "1.05")],
    [
        condition("ascension", "double", "greater", "100"),
        condition("ascension", "double", "less", "101.5"),
        condition("declination", "double", "greater", "-10"),
    ],
]


def fill(catalog: Any, wanted: list[dict[str, Any]]) -> int:
    """Adds files, some hundred in a message; gives how many the catalog then has."""
    there = 0
    for start in range(0, len(wanted), BATCH):
        there = catalog.add(files=wanted[start : start + BATCH])
    return there


def ask(catalog: Any) -> list[list[str]]:
    """The names of the files that answer each question."""
    return [list(catalog.find(conditions=question)) for question in QUESTIONS]
