"""Castile's client in the suite: one JSON call a line in, one JSON answer a line out (../../README.md)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import castile
import model

PORTS = {"interop": "Soap", "rpc": "Rpc", "shapes": "Shapes"}
SECONDS_MAX = 20.0


class Peer:
    """One Castile client a contract, version and address."""

    def __init__(self) -> None:
        self.contracts = {name: model.load(name) for name in model.NAMES}
        self.clients: dict[tuple[str | None, ...], castile.Client] = {}

    def client(self, contract: str, version: str, url: str, addressing: str | None) -> castile.Client:
        key = (contract, version, url, addressing)
        if key not in self.clients:
            path = str(self.contracts[contract].path)
            port = PORTS[contract] + version.replace(".", "")
            layers = [] if addressing is None else [addressed(addressing)]
            self.clients[key] = castile.Client(
                path, endpoint=url, port=port, timeout=SECONDS_MAX, layers=layers
            )
        return self.clients[key]

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        operation = self.contracts[request["contract"]].operations[request["operation"]]
        client = self.client(
            request["contract"], request["version"], request["url"], request.get("addressing")
        )
        arguments = model.to_python(operation.input, request["arguments"])
        if header := request.get("header"):
            arguments["_headers"] = {"SessionToken": header}
        try:
            reply = getattr(client.service, operation.name)(**arguments)
        except castile.Fault as fault:
            return {"fault": described(operation, fault)}
        answer: dict[str, Any] = {"result": replied(operation, reply)}
        if operation.header_out:
            state = client.last_call.headers["SessionState"]
            answer["header"] = model.from_python(operation.header_out, state)
        return answer


def addressed(kind: str) -> castile.Addressing:
    """WS-Addressing that insists; for `callback` replies come to an address of this process."""
    callbacks = castile.Callbacks() if kind == "callback" else None
    return castile.Addressing(must_understand=True, reply_required=True, callbacks=callbacks)


def replied(operation: model.Operation, reply: Any) -> dict[str, Any]:
    """A message of one field comes as the value of that field, one of none as None."""
    if operation.output is None or not operation.output.fields:
        return {}
    fields = operation.output.fields
    if len(fields) == 1:
        reply = {fields[0].name: reply}
    made: dict[str, Any] = model.from_python(operation.output, typed(reply))
    return made


def typed(value: Any) -> Any:
    """Objects as dicts that name their types; what is flat stays as it is."""
    if isinstance(value, list):
        return [typed(item) for item in value]
    if isinstance(value, dict):
        return {name: typed(item) for name, item in value.items()}
    if not isinstance(value, castile.Record):
        return value
    fields = {name: typed(item) for name, item in castile.present(value).items()}
    return {model.TYPE: castile.type_name(value).rpartition("}")[2], **fields}


def described(operation: model.Operation, fault: castile.Fault) -> dict[str, Any]:
    answer: dict[str, Any] = {"code": fault.code, "reason": fault.reason}
    answer["detail"] = {
        struct.name: model.from_python(
            struct, {struct.name: fault.detail} if struct.simple else typed(fault.detail)
        )
        for struct in operation.faults
        if struct.name == fault.name
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
