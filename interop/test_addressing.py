"""WS-Addressing 1.0: clients that use it against servers that require it, and replies sent elsewhere."""

from __future__ import annotations

import os
from typing import Any

import pytest
from cases import Case, cases
from conftest import Running
from test_matrix import CONTRACTS, LEDGER, check, request_of, short

FOREIGN = os.environ.get("CASTILE_INTEROP_FOREIGN") == "1"
PEERS = ("castile", "cxf", "metro")
# Who can have replies sent to an address of its own; Metro has no public way to.
CALLED_BACK = ("castile", "cxf")
CHOSEN = {"void", "doubles-plain", "person-most", "fault-declared", "fault-undeclared", "header"}
CASES = {case.id: case for case in cases() if case.id in CHOSEN}
# CXF's client now and then takes the empty 202 for the reply, when that came first; with its own server too.
TOO_SOON = "did not contain proper response data"
TRIES_MAX = 10


def parameters(test: str, clients: tuple[str, ...], names: list[str]) -> list[Any]:
    """Pairs with Castile on one side (all, if foreign ones are asked for) x version x case.

    The ledger calls a case addressing-TEST-CASE.
    """
    made = []
    for client in clients:
        for server in PEERS:
            if not FOREIGN and "castile" not in (client, server):
                continue
            for version in CONTRACTS["interop"].versions:
                for name in names:
                    case = f"addressing-{test}-{name}"
                    rows = [row for row in LEDGER if row.covers(client, server, version, case)]
                    reason = "; ".join(row.reason for row in rows)
                    marks = [pytest.mark.xfail(reason=reason, strict=True)] if rows else []
                    id_ = f"{client}-{server}-{name}-{version}"
                    made.append(pytest.param((client, server), version, CASES[name], marks=marks, id=id_))
    return made


def ask(
    running: Running, sides: tuple[str, str], version: str, case: Case, addressing: str | None
) -> dict[str, Any]:
    url = running.server(sides[1]).url("addressed", version)
    request = request_of(url, version, case, case.arguments)
    return running.client(sides[0]).call(request | {"addressing": addressing})


@pytest.mark.parametrize(("sides", "version", "case"), parameters("plain", PEERS, list(CASES)))
def test_addressed(running: Running, sides: tuple[str, str], version: str, case: Case) -> None:
    check(case, ask(running, sides, version, case, "anonymous"))


@pytest.mark.parametrize(("sides", "version", "case"), parameters("required", PEERS, ["void"]))
def test_required(running: Running, sides: tuple[str, str], version: str, case: Case) -> None:
    """A server that requires addressing refuses a message without (its SOAP binding, 6.4.1.4)."""
    answer = ask(running, sides, version, case, None)
    assert "fault" in answer, f"a fault was expected: {short(answer)}"
    code = answer["fault"]["code"].rpartition(":")[2].rpartition("}")[2]
    assert code == ("MessageAddressingHeaderRequired" if version == "1.1" else "Sender")


@pytest.mark.parametrize(("sides", "version", "case"), parameters("callback", CALLED_BACK, list(CASES)))
def test_called_back(running: Running, sides: tuple[str, str], version: str, case: Case) -> None:
    """The server answers 202 and sends its reply to the address that the client listens on."""
    for _ in range(TRIES_MAX):
        answer = ask(running, sides, version, case, "callback")
        if sides[0] != "cxf" or TOO_SOON not in answer.get("fault", {}).get("reason", ""):
            break
    check(case, answer)
