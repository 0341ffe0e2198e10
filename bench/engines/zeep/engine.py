"""zeep: a client that reads the WSDL. Arguments are dicts, results zeep's objects."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import requests
import zeep
import zeep.wsse

sys.path.insert(0, str(Path(__file__).parents[2] / "languages/python"))
import whole
from engine import FIELDS, SEARCH, WSDL, Toolkit, Unsupported, kind_of, main, records, search_trace

CONTRACTS = {"bench": "BenchSoap", "nested": "NestedSoap", "files": "FilesSoap"}


class Zeep(Toolkit):
    name = f"zeep {zeep.__version__}, lxml {version('lxml')}, Python {sys.version.split()[0]}"

    def __init__(self) -> None:
        self.settings = {"keepalive": "on", "security": "none"}
        self.clients: dict[str, zeep.Client] = {}

    def values(self, kind: str, trace: Any) -> Any:
        if kind in ("bytes", "packed"):
            return trace
        if kind == "nested":
            raise Unsupported("two attributes of one local name are one key of its dicts")
        if kind == "ring":
            raise Unsupported("no references")
        if kind == "classads":
            names = [name for name, _ in FIELDS["attributes"]]
            return {
                "item": [
                    {"attributes": {"item": [dict(zip(names, attribute, strict=True)) for attribute in ad]}}
                    for ad in trace
                ]
            }
        return {"item": records(kind, trace) if kind in FIELDS else trace}

    def trace(self, kind: str, result: Any) -> Any:
        if kind in ("bytes", "packed"):
            return result or b""
        if kind == "google":
            return [
                tuple("" if field is None else field for field in row)
                for row in search_trace(result.resultElements.item)
            ]
        items = result or []
        if kind == "classads":
            return [[(a.name, a.type, a.value) for a in ad.attributes.item] for ad in items]
        if kind in FIELDS:
            return [tuple(getattr(item, name) for name, _ in FIELDS[kind]) for item in items]
        return ["" if item is None else item for item in items]

    def client(self, contract: str) -> zeep.Client:
        client = self.clients.get(contract)
        if client is None:
            session = requests.Session()
            if self.settings["keepalive"] == "off":
                session.headers["Connection"] = "close"
            wsse = (
                zeep.wsse.UsernameToken("bench", "bench") if self.settings["security"] == "username" else None
            )
            client = zeep.Client(
                str(WSDL / f"{contract}.wsdl"), transport=zeep.Transport(session=session), wsse=wsse
            )
            self.clients[contract] = client
        return client

    def caller(self, operation: str, url: str) -> Callable[[Any], Any]:
        kind = kind_of(operation)
        contract = kind if kind == "files" else "bench"
        service = self.client(contract).create_service(f"{{{namespace(contract)}}}{CONTRACTS[contract]}", url)
        call = service[operation]
        if operation == "echoVoid":
            return lambda _: call()
        if operation == "doGoogleSearch":
            return lambda _: call(**SEARCH)
        return lambda values: call(values=values)

    def set(self, name: str, value: str) -> None:
        if (name, value) in {("chunk", "0"), ("attachments", "inline")}:
            return
        if (name, value) not in {
            ("keepalive", "on"),
            ("keepalive", "off"),
            ("security", "none"),
            ("security", "username"),
        }:
            raise Unsupported(f"no {name}={value}")
        self.settings[name] = value
        self.reset()

    def run(self, application: str, size: int) -> list[Any]:
        return whole.run(application, size)

    def reset(self) -> None:
        self.clients.clear()


def namespace(contract: str) -> str:
    return "urn:castile:bench" if contract == "bench" else f"urn:castile:bench:{contract}"


main(Zeep())
