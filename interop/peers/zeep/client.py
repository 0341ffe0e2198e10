"""The zeep client of the suite: one JSON call a line in, one JSON answer a line out (../../README.md)."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import zeep
import zeep.exceptions
import zeep.helpers
import zeep.transports
from lxml import etree

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import model

BINDINGS = {
    ("interop", "1.1"): "{urn:castile:interop}InteropSoap11",
    ("interop", "1.2"): "{urn:castile:interop}InteropSoap12",
    ("rpc", "1.1"): "{urn:castile:interop:rpc}InteropRpcSoap11",
    ("shapes", "1.1"): "{urn:castile:interop:shapes}InteropShapesSoap11",
    ("shapes", "1.2"): "{urn:castile:interop:shapes}InteropShapesSoap12",
}


class Peer:
    def __init__(self) -> None:
        self.contracts = {name: model.load(name) for name in model.NAMES}
        transport = zeep.transports.Transport(timeout=20, operation_timeout=20)
        self.clients = {
            name: zeep.Client(str(c.path), transport=transport) for name, c in self.contracts.items()
        }

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        contract = request["contract"]
        client = self.clients[contract]
        operation = self.contracts[contract].operations[request["operation"]]
        service = client.create_service(BINDINGS[contract, request["version"]], request["url"])
        arguments = spelled(client, operation.input, request["arguments"])
        if header := request.get("header"):
            arguments["_soapheaders"] = {"token": header}
        try:
            simple = operation.input.simple
            call = service[operation.name]
            reply = call(*arguments.values()) if simple else call(**arguments)
        except zeep.exceptions.Fault as fault:
            return {"fault": described(client, operation, fault)}
        return replied(operation, reply)


def spelled(client: zeep.Client, type_: model.Scalar | model.Struct, value: Any) -> Any:
    """A neutral value as zeep wants it, which for two types is text.

    zeep writes float("inf") as "inf", which is no xsd:double, and hexBinary as it is given.
    """
    if value is None:
        return None
    if isinstance(type_, model.Struct):
        it = type_.of(value)
        made = {f.name: spelled_field(client, f, value[f.name]) for f in it.fields if f.name in value}
        return made if it is type_ else client.get_type(f"{{{it.namespace}}}{it.name}")(**made)
    if type_.name == "hexBinary":
        return value
    converted = model.to_python(type_, value)
    if isinstance(converted, float) and not math.isfinite(converted):
        return "NaN" if math.isnan(converted) else "INF" if converted > 0 else "-INF"
    return converted


def spelled_field(client: zeep.Client, f: model.Field, value: Any) -> Any:
    if f.repeated:
        return [spelled(client, f.type, item) for item in value]
    return spelled(client, f.type, value)


def read(type_: model.Scalar | model.Struct, value: Any) -> Any:
    """zeep's value as a neutral one. An empty element comes as None: where a string must stand, it is "".

    hexBinary comes as text.
    """
    if isinstance(type_, model.Struct):
        own = value._xsd_type.name if hasattr(value, "_xsd_type") else None
        it = type_.derived.get(own, type_)
        made = {} if it is type_ else {model.TYPE: own}
        for f in it.fields:
            item = value[f.name] if isinstance(value, dict) else getattr(value, f.name)
            if f.repeated:
                made[f.name] = [read(f.type, each) for each in item or []]
            elif item is not None or not (f.optional or f.nillable):
                made[f.name] = read(f.type, item)
            elif f.nillable:
                made[f.name] = None
        return made
    if value is None:
        return ""
    if type_.name == "hexBinary":
        return value.lower()
    return model.from_python(type_, value)


def replied(operation: model.Operation, reply: Any) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    if operation.header_out:
        answer["header"] = read(operation.header_out, reply.header.state)
        reply = reply.body
    if operation.output is None:
        answer["result"] = {}
    else:
        fields = operation.output.fields
        if len(fields) == 1 and not (hasattr(reply, fields[0].name) and operation.header_out):
            reply = rewrapped(fields[0], reply)
        answer["result"] = read(operation.output, reply)
    return answer


def rewrapped(single: model.Field, reply: Any) -> dict[str, Any]:
    """zeep unwraps a message of one field, and in rpc a part of one field once more."""
    if isinstance(single.type, model.Struct) and isinstance(reply, list) and not single.repeated:
        return {single.name: {single.type.fields[0].name: reply}}
    return {single.name: reply}


def described(
    client: zeep.Client, operation: model.Operation, fault: zeep.exceptions.Fault
) -> dict[str, Any]:
    answer: dict[str, Any] = {"code": fault.code, "reason": fault.message}
    if fault.detail is not None and len(fault.detail):
        value = client.wsdl.types.deserialize(fault.detail[0])
        name = etree.QName(fault.detail[0]).localname
        answer["detail"] = {
            s.name: read(s, {name: value} if s.simple else value) for s in operation.faults if s.name == name
        }
    return answer


def main() -> None:
    peer = Peer()
    for line in sys.stdin:
        try:
            answer = peer.answer(json.loads(line))
        except Exception as problem:  # whatever it is, the harness must hear of it
            answer = {"error": {"reason": f"{type(problem).__name__}: {problem}"}}
        print(json.dumps(answer), flush=True)


main()
