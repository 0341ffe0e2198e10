"""cases.json with its generators resolved, and ledger.tsv."""

from __future__ import annotations

import csv
import fnmatch
import json
import random
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


@dataclass
class Case:
    """One exchange: `result` None means that the arguments come back."""

    id: str
    contract: str
    operation: str
    arguments: dict[str, Any]
    header: dict[str, Any] | None
    reply_header: dict[str, Any] | None
    fault: dict[str, Any] | None
    steps: str


@dataclass
class Row:
    """One line of the ledger: `outcome` is `fails` (run, and must fail) or `skip` (not run)."""

    client: str
    server: str
    version: str
    case: str
    outcome: str
    reason: str

    def covers(self, client: str, server: str, version: str, case: str) -> bool:
        pairs = ((self.client, client), (self.server, server), (self.version, version), (self.case, case))
        return all(fnmatch.fnmatchcase(value, pattern) for pattern, value in pairs)


def cases() -> list[Case]:
    document = json.loads((HERE / "cases.json").read_text(encoding="utf-8"))
    return [
        Case(
            id=raw["id"],
            contract=raw.get("contract", "interop"),
            operation=raw["operation"],
            arguments=_resolved(raw["arguments"]),
            header=raw.get("header"),
            reply_header=raw.get("reply_header"),
            fault=raw.get("fault"),
            steps=raw.get("steps", "call"),
        )
        for raw in document["cases"]
    ]


def ledger() -> list[Row]:
    with (HERE / "ledger.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.reader(
            (line for line in file if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE
        )
        next(rows)  # the header line
        return [Row(*row) for row in rows]


def _resolved(value: Any) -> Any:
    if isinstance(value, list):
        return [_resolved(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$repeat" in value:
        return value["$repeat"] * value["count"]
    if "$random" in value:
        chance = random.Random(value["seed"])
        return [_RANDOM[value["$random"]](chance) for _ in range(value["count"])]
    return {name: _resolved(item) for name, item in value.items()}


def _any_finite_double(chance: random.Random) -> float:
    while True:
        made: float = struct.unpack(">d", chance.getrandbits(64).to_bytes(8, "big"))[0]
        if abs(made) < float("inf"):
            return made


def _int(chance: random.Random) -> int:
    return chance.randint(-(2**31), 2**31 - 1)


_RANDOM = {
    "double": _any_finite_double,
    "uniform": lambda chance: chance.random(),
    "int": _int,
    "mio": lambda chance: {"x": _int(chance), "y": _int(chance), "value": _any_finite_double(chance)},
    "event": lambda chance: {
        "id": _int(chance),
        "value": chance.gauss(0, 1),
        "text": f"event <{chance.getrandbits(40):x}> & co",
    },
}
