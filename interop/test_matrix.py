"""Every client against every server: each case of cases.json, over each version of SOAP.

Pairs with Castile on one side always run; CASTILE_INTEROP_FOREIGN=1 adds the pairs of two foreign
toolkits, which prove that the contracts, the cases and the expectations are right without us.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator
from typing import Any

import model
import peers
import pytest
from cases import Case, cases, ledger
from conftest import Running

CONTRACTS = {name: model.load(name) for name in model.NAMES}
LEDGER = ledger()
ONE_WAY_SECONDS_MAX = 5.0


class Absent:
    def __repr__(self) -> str:
        return "nothing"


ABSENT = Absent()


def _parameters() -> list[Any]:
    foreign = os.environ.get("CASTILE_INTEROP_FOREIGN") == "1"
    made = []
    for client in peers.CLIENTS:
        for server in peers.SERVERS:
            if foreign or peers.is_castile(client) or peers.is_castile(server):
                made += [
                    _parameter(client, server, v, c) for c in cases() for v in CONTRACTS[c.contract].versions
                ]
    return made


def _parameter(client: str, server: str, version: str, case: Case) -> Any:
    marks: list[pytest.MarkDecorator] = []
    rows = [row for row in LEDGER if row.covers(client, server, version, case.id)]
    if rows:
        reason = "; ".join(row.reason for row in rows)
        skip = any(row.outcome == "skip" for row in rows)
        marks.append(
            pytest.mark.skip(reason=reason) if skip else pytest.mark.xfail(reason=reason, strict=True)
        )
    return pytest.param(
        (client, server), version, case, marks=marks, id=f"{client}-{server}-{case.id}-{version}"
    )


@pytest.mark.parametrize(("pair", "version", "case"), _parameters())
def test_exchange(running: Running, pair: tuple[str, str], version: str, case: Case) -> None:
    server = running.server(pair[1])
    client = running.client(pair[0])
    if case.steps == "one-way":
        notify_and_ask(client, server, version, case)
    else:
        answer = call(client, server, version, case)
        check(case, answer)


def call(client: peers.Client, server: peers.Server, version: str, case: Case) -> dict[str, Any]:
    return client.call(request_of(server.url(case.contract, version), version, case, case.arguments))


def request_of(url: str, version: str, case: Case, arguments: dict[str, Any]) -> dict[str, Any]:
    operation = CONTRACTS[case.contract].operations[case.operation]
    request = {
        "contract": case.contract,
        "url": url,
        "version": version,
        "operation": operation.name,
        "action": operation.action,
        "arguments": model.neutral(operation.input, arguments),
    }
    if case.header:
        request["header"] = case.header
    return request


def check(case: Case, answer: dict[str, Any]) -> None:
    operation = CONTRACTS[case.contract].operations[case.operation]
    if case.fault:
        assert "fault" in answer, f"a fault was expected: {short(answer)}"
        same(wanted_fault(operation, case.fault), fault_of(operation, answer["fault"]))
        return
    assert "result" in answer, f"a result was expected: {short(answer)}"
    assert operation.output is not None
    sent = model.comparable(operation.output, model.neutral(operation.output, case.arguments))
    same(sent, model.comparable(operation.output, answer["result"]))
    same(case.reply_header, answer.get("header"))


def same(wanted: Any, got: Any) -> None:
    """Fails with the places that differ, not with two whole values."""
    found = list(differences("", wanted, got))
    if found:
        more = f"\n... and {len(found) - 10} more" if len(found) > 10 else ""
        pytest.fail("wanted and got differ:\n" + "\n".join(found[:10]) + more, pytrace=False)


def differences(path: str, wanted: Any, got: Any) -> Iterator[str]:
    if isinstance(wanted, dict) and isinstance(got, dict):
        for name in {**wanted, **got}:
            yield from differences(f"{path}/{name}", wanted.get(name, ABSENT), got.get(name, ABSENT))
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for index, (one, other) in enumerate(zip(wanted, got, strict=True)):
            yield from differences(f"{path}[{index}]", one, other)
    elif wanted != got:
        yield f"{path or '/'}: wanted {short(wanted)}, got {short(got)}"


def wanted_fault(operation: model.Operation, fault: dict[str, Any]) -> dict[str, Any]:
    detail = {
        struct.name: model.comparable(struct, model.neutral(struct, fault["detail"][struct.name]))
        for struct in operation.faults
        if struct.name in fault.get("detail", {})
    }
    return {"code": fault["code"], "reason": fault["reason"], "detail": detail}


def fault_of(operation: model.Operation, fault: dict[str, Any]) -> dict[str, Any]:
    """The fault a client reported; the names of the two versions of SOAP for whose fault it is become one."""
    code = fault["code"].rpartition(":")[2].rpartition("}")[2]
    detail = {
        struct.name: model.comparable(struct, fault["detail"][struct.name])
        for struct in operation.faults
        if struct.name in (fault.get("detail") or {})
    }
    code = {"Receiver": "server", "Server": "server"}.get(code, code)
    return {"code": code, "reason": fault["reason"], "detail": detail}


def notify_and_ask(client: peers.Client, server: peers.Server, version: str, case: Case) -> None:
    """Two notices under a fresh key, then asking until both have come in."""
    key = uuid.uuid4().hex
    case.arguments["key"] = key
    for _ in range(2):
        answer = call(client, server, version, case)
        assert answer == {"result": {}}, f"a one-way call has no result: {short(answer)}"
    ask = Case("last", "interop", "lastNotice", {"key": key}, None, None, None, "call")
    until = time.monotonic() + ONE_WAY_SECONDS_MAX
    answer = call(client, server, version, ask)
    while answer.get("result", {}).get("count", 2) < 2 and time.monotonic() < until:
        time.sleep(0.05)
        answer = call(client, server, version, ask)
    output = CONTRACTS["interop"].operations["lastNotice"].output
    assert output is not None
    wanted = {"count": 2, "text": case.arguments["text"], "value": case.arguments["value"]}
    same(model.neutral(output, wanted), answer.get("result", answer))


def short(value: Any) -> str:
    text = ascii(value)
    return text if len(text) < 300 else text[:300] + "..."
