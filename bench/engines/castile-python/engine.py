"""Castile's Python face: NumPy arrays of numbers and of flat records, typed objects for the rest.

Switches of the variants come as JSON in CASTILE: members of `castile.Differential`, `lists` and `encoded`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import castile
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "languages/python"))
import whole
from engine import FIELDS, SEARCH, WSDL, Toolkit, Unsupported, kind_of, main, records, search_result

SWITCHES = json.loads(os.environ.get("CASTILE", "{}"))
# A toolkit that knows no references inside a ring nests all of it.
DEPTH_MAX = 100_000
DTYPES = {
    "doubles": np.dtype("f8"),
    "ints": np.dtype("i4"),
    "mios": np.dtype([("x", "i4"), ("y", "i4"), ("value", "f8")]),
}


class Castile(Toolkit):
    name = f"Castile {castile.__version__}, Python {sys.version.split()[0]}, NumPy {np.__version__}"

    def __init__(self) -> None:
        self.lists = SWITCHES.pop("lists", False)
        self.encoded = SWITCHES.pop("encoded", False)
        self.switches = SWITCHES
        self.differential = castile.Differential(**SWITCHES)
        self.settings: dict[str, Any] = {}
        self.clients: dict[str, castile.Client] = {}
        self.server: castile.Server | None = None

    # ---- values ----

    def values(self, kind: str, trace: Any) -> Any:
        if kind in ("bytes", "packed"):
            return trace
        if kind == "nested":
            return levels(trace)
        if kind == "ring":
            return ring(trace)
        if kind in DTYPES and not self.lists:
            return self.array(np.array(trace, DTYPES[kind]))
        if kind == "classads":
            names = [name for name, _ in FIELDS["attributes"]]
            ads = [[dict(zip(names, attribute, strict=True)) for attribute in ad] for ad in trace]
            return self.array([{"attributes": self.array(ad)} for ad in ads])
        return self.array(records(kind, trace) if kind in FIELDS else trace)

    def array(self, items: Any) -> Any:
        """An array is a list in SOAP encoding, and has its items in a member in literal messages."""
        return items if self.encoded else {"item": items}

    def items(self, array: Any) -> Any:
        return array if self.encoded else array.item

    def trace(self, kind: str, result: Any) -> Any:
        if kind in ("bytes", "packed"):
            return result
        if kind == "nested":
            return level_rows(result)
        if kind == "ring":
            return ring_names(result)
        if kind == "google":
            return [self.search_row(element) for element in self.items(result.resultElements)]
        items = self.items(result)
        if isinstance(items, np.ndarray):
            return items.tolist()
        if kind == "classads":
            return [self.rows("attributes", self.items(ad.attributes)) for ad in items]
        return self.rows(kind, items) if kind in FIELDS else items

    def rows(self, kind: str, items: Any) -> Any:
        return [tuple(getattr(item, name) for name, _ in FIELDS[kind]) for item in items]

    def search_row(self, element: Any) -> Any:
        category = element.directoryCategory
        return tuple(
            getattr(category if "ullViewable" in name or "special" in name else element, name)
            for name, _ in FIELDS["google"]
        )

    # ---- both roles ----

    def contract(self, operation: str) -> str:
        kind = kind_of(operation)
        return kind if kind in ("nested", "files") else "encoded" if self.encoded else "bench"

    def caller(self, operation: str, url: str) -> Callable[[Any], Any]:
        contract = self.contract(operation)
        client = self.clients.get(url)
        if client is None:
            face = {"arrays": "lists", "rows": "objects"} if self.lists else {}
            client = castile.Client(
                WSDL / f"{contract}.wsdl",
                endpoint=url,
                differential=self.differential,
                share_texts=self.encoded,
                depth_max=DEPTH_MAX,
                **face,
                **self.settings,
            )
            self.clients[url] = client
        call = client.service[operation]
        if operation == "echoVoid":
            return lambda _: call()
        if operation == "doGoogleSearch":
            return lambda _: call(**SEARCH)
        return lambda values: call(values=values)

    def serve(self, contract: str, google: Any) -> int:
        result = search_result(google)
        for name in ("resultElements", "directoryCategories"):
            result[name] = self.array(result[name])
        handlers: dict[str, Callable[..., Any]] = {
            "echoVoid": lambda: None,
            "doGoogleSearch": lambda **_search: result,
        }
        lengths: dict[str, Callable[[Any], int]] = {
            "Bytes": size,
            "Packed": lambda values: len(values) // 8,
            "Nested": lambda values: len(level_rows(values)),
            "Ring": lambda values: len(ring_names(values)),
        }
        operations = list(castile.Client(WSDL / f"{contract}.wsdl").service)
        for operation in operations:
            if operation.startswith("send"):
                handlers[operation] = lengths.get(operation[4:], lambda values: len(self.items(values)))
            else:
                handlers.setdefault(operation, lambda values: values)
        handlers = {operation: handlers[operation] for operation in operations}
        layers = [castile.CheckSecurity(users={"bench": "bench"})] if "layers" in self.settings else []
        self.server = castile.serve(
            handlers,
            port=0,
            wsdl=WSDL / f"{contract}.wsdl",
            background=True,
            differential=self.differential,
            layers=layers,
            threads=False,
            depth_max=DEPTH_MAX,
        )
        return self.server.port

    def stop(self) -> None:
        if self.server is not None:
            self.server.stop()

    def set(self, name: str, value: str) -> None:
        match name, value:
            case ("keepalive", "on"):
                self.settings.pop("http_headers", None)
            case ("keepalive", "off"):
                self.settings["http_headers"] = {"Connection": "close"}
            case ("chunk", "0"):
                self.settings.pop("chunked", None)
            case ("chunk", _):
                self.settings["chunked"] = True
            case ("security", "none"):
                self.settings.pop("layers", None)
            case ("security", "username"):
                self.settings["layers"] = [castile.UsernameToken("bench", "bench", "text")]
            case ("attachments", "inline"):
                pass
            case _:
                raise Unsupported(f"no {name}={value}")
        self.reset()

    def run(self, application: str, size: int) -> list[Any]:
        return whole.run(application, size, self.switches)

    def reset(self) -> None:
        self.clients.clear()


def size(values: Any) -> int:
    return len(values)


# Castile's names where two fields have one local name.
LEVEL = ("id", "id_attribute", "kind", "kind_attribute", "name", "name_2")


def levels(trace: Any) -> Any:
    level = None
    for row in reversed(trace):
        level = dict(zip(LEVEL, row, strict=True)) | ({} if level is None else {"level": level})
    return level


def level_rows(level: Any) -> Any:
    rows = []
    while level is not None:
        rows.append(tuple(getattr(level, name) for name in LEVEL))
        level = level.level
    return rows


def ring(names: Any) -> Any:
    nodes: list[dict[str, Any]] = [{"name": name} for name in names]
    for index, node in enumerate(nodes):
        node["next"] = nodes[(index + 1) % len(nodes)]
    return nodes[0]


def ring_names(first: Any) -> Any:
    names, node = [], first
    while True:
        names.append(node.name)
        node = node.next
        if node is first or node is None:
            return names


main(Castile())
