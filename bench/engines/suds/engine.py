"""suds: a client that reads the WSDL and makes objects of its types with a factory."""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import suds
import suds.client
import suds.wsse

sys.path.insert(0, str(Path(__file__).parents[2] / "languages/python"))
from engine import FIELDS, SEARCH, WSDL, Toolkit, Unsupported, kind_of, main, records, search_trace


class Suds(Toolkit):
    name = f"suds-community {suds.__version__}, Python {sys.version.split()[0]}"

    def __init__(self) -> None:
        self.clients: dict[str, suds.client.Client] = {}
        self.security = "none"
        self.templates: dict[str, Any] = {}

    def values(self, kind: str, trace: Any) -> Any:
        if kind in ("bytes", "packed"):
            return base64.b64encode(trace).decode()
        if kind in ("nested", "ring"):
            raise Unsupported("no attributes of one name in two namespaces, and no references")
        client = self.client("files" if kind == "files" else "bench")
        if kind == "classads":
            names = [name for name, _ in FIELDS["attributes"]]
            return self.array(
                client,
                "ArrayOfClassAd",
                [
                    self.record(
                        client,
                        "ClassAd",
                        {
                            "attributes": self.array(
                                client,
                                "ArrayOfClassAdAttribute",
                                [
                                    self.record(
                                        client, "ClassAdAttribute", dict(zip(names, attribute, strict=True))
                                    )
                                    for attribute in ad
                                ],
                            )
                        },
                    )
                    for ad in trace
                ],
            )
        name = kind[:-1].capitalize()
        if kind not in FIELDS:
            return self.array(client, f"ArrayOf{name}", trace)
        fields = records(kind, trace)
        for row in fields if kind == "files" else ():
            row["data"] = base64.b64encode(row["data"]).decode()
        return self.array(client, f"ArrayOf{name}", [self.record(client, name, row) for row in fields])

    def array(self, client: suds.client.Client, name: str, items: Any) -> Any:
        made = client.factory.create(f"ns0:{name}")
        made.item = items
        return made

    def record(self, client: suds.client.Client, name: str, fields: dict[str, Any]) -> Any:
        """What `factory.create` gives, copied: it walks the schema each time."""
        template = (
            client.factory.create(f"ns0:{name}") if name not in self.templates else self.templates[name]
        )
        self.templates[name] = template
        made = type(template)()
        made.__metadata__ = template.__metadata__
        for key, value in fields.items():
            setattr(made, key, value)
        return made

    def trace(self, kind: str, result: Any) -> Any:
        if kind in ("bytes", "packed"):
            return base64.b64decode(result or "")
        if kind == "google":
            rows = search_trace(result.resultElements.item)
            return [tuple("" if field is None else field for field in row) for row in rows]
        items = getattr(result, "item", []) if result else []
        if kind == "classads":
            return [[(a.name, a.type, a.value) for a in ad.attributes.item] for ad in items]
        if kind == "files":
            return [(file.name, base64.b64decode(file.data)) for file in items]
        if kind in FIELDS:
            return [tuple(getattr(item, name) for name, _ in FIELDS[kind]) for item in items]
        return ["" if item is None else str(item) if kind == "strings" else item for item in items]

    def client(self, contract: str) -> suds.client.Client:
        client = self.clients.get(contract)
        if client is None:
            client = suds.client.Client((WSDL / f"{contract}.wsdl").as_uri(), cache=None)
            if self.security == "username":
                security = suds.wsse.Security()
                security.tokens.append(suds.wsse.UsernameToken("bench", "bench"))
                client.set_options(wsse=security)
            self.clients[contract] = client
        return client

    def caller(self, operation: str, url: str) -> Callable[[Any], Any]:
        client = self.client("files" if kind_of(operation) == "files" else "bench")
        client.set_options(location=url)
        call = getattr(client.service, operation)
        if operation == "echoVoid":
            return lambda _: call()
        if operation == "doGoogleSearch":
            return lambda _: call(**SEARCH)
        return lambda values: call(values)

    def set(self, name: str, value: str) -> None:
        if name == "security" and value in ("none", "username"):
            self.security = value
            self.reset()
        elif (name, value) not in {("keepalive", "off"), ("chunk", "0"), ("attachments", "inline")}:
            raise Unsupported(f"no {name}={value}")

    def reset(self) -> None:
        self.clients.clear()


main(Suds())
