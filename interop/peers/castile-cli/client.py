"""The command `castile call` as a client in the suite: one process a call.

One JSON call a line in, one JSON answer a line out (../../README.md). CASTILE_COMMAND names the command.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import model

CONTRACTS = {name: model.load(name) for name in model.NAMES}
PORTS = {"interop": "Soap", "rpc": "Rpc", "shapes": "Shapes"}
SECONDS_MAX = 20
FAULT = 2  # the exit code of a fault


def answer(request: dict[str, Any]) -> dict[str, Any]:
    contract = CONTRACTS[request["contract"]]
    operation = contract.operations[request["operation"]]
    port = PORTS[request["contract"]] + request["version"].replace(".", "")
    command = [os.environ["CASTILE_COMMAND"], "call", str(contract.path), operation.name]
    command += ["--endpoint", request["url"], "--port", port, "--timeout", str(SECONDS_MAX)]
    command += ["--json", "--with-headers", "--data", "-"]
    for name, value in request.get("header", {}).items():
        command += ["--header", f"SessionToken.{name}={value}"]
    values = json.dumps(write(operation.input, request["arguments"]))
    done = subprocess.run(command, input=values.encode(), capture_output=True, timeout=2 * SECONDS_MAX)
    if done.returncode == FAULT:
        return {"fault": described(operation, parsed(done.stderr)["fault"])}
    if done.returncode != 0:
        return {"error": {"reason": done.stderr.decode()}}
    if operation.output is None:
        return {"result": {}}  # one-way: nothing is printed
    return replied(operation, parsed(done.stdout))


def parsed(text: bytes) -> Any:
    return json.loads(text, parse_float=Decimal)


def replied(operation: model.Operation, reply: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"result": {}}
    if operation.output and operation.output.fields:
        made["result"] = read(operation.output, named(operation.output.fields, reply["result"]))
    if operation.header_out:
        made["header"] = read(operation.header_out, reply["header"]["SessionState"])
    return made


def named(fields: list[model.Field], result: Any) -> dict[str, Any]:
    """All results by name: one alone is printed as itself, and as null when it isn't there."""
    if len(fields) > 1:
        return dict(result)
    (single,) = fields
    absent = result is None and not single.nillable
    return {} if absent else {single.name: result}


def described(operation: model.Operation, fault: dict[str, Any]) -> dict[str, Any]:
    detail = {
        struct.name: read(struct, {struct.name: entry["value"]} if struct.simple else entry["value"])
        for entry in fault["detail"]
        for struct in operation.faults
        if entry["name"] == f"{{{struct.namespace}}}{struct.name}"
    }
    return {"code": fault["code"], "reason": fault["reasons"][0]["text"], "detail": detail}


# ---- the JSON of the command: numbers where JSON has them, base64 for bytes ----


def write(type_: model.Scalar | model.Struct, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(type_, model.Struct):
        return each_field(type_, value, write)
    if type_.name in ("double", "float"):
        number = model.to_python(type_, value)
        return {"inf": "INF", "-inf": "-INF", "nan": "NaN"}.get(str(number), number)
    if type_.name == "base64Binary":
        return base64.b64encode(bytes.fromhex(value)).decode()
    return value


def each_field(type_: model.Struct, value: dict[str, Any], job: Any) -> dict[str, Any]:
    it = type_.of(value)
    made = {} if it is type_ else {model.TYPE: it.name}
    for f in it.fields:
        if f.name in value:
            item = value[f.name]
            made[f.name] = [job(f.type, each) for each in item] if f.repeated else job(f.type, item)
    return made


def read(type_: model.Scalar | model.Struct, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(type_, model.Struct):
        return each_field(type_, value, read)
    if type_.name == "base64Binary":
        return base64.b64decode(value).hex()
    if type_.name == "hexBinary":
        return value.lower()
    return model.from_python(type_, value)


def main() -> None:
    for line in sys.stdin:
        try:
            made = answer(json.loads(line))
        except Exception as problem:  # whatever it is, the harness must hear of it
            made = {"error": {"reason": f"{type(problem).__name__}: {problem}"}}
        print(json.dumps(made), flush=True)


main()
