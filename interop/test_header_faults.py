"""What is wrong with a header comes in a header of the fault: each client against each server."""

from __future__ import annotations

import os
from typing import Any

import peers
import pytest
from conftest import Running

FOREIGN = os.environ.get("CASTILE_INTEROP_FOREIGN") == "1"
CLIENTS = peers.HEADER_FAULT_CLIENTS
SERVERS = peers.HEADER_FAULT_SERVERS
PAIRS = [(c, s) for c in CLIENTS for s in SERVERS if FOREIGN or "castile" in (c, s)]


@pytest.mark.parametrize(("client", "server"), PAIRS)
@pytest.mark.parametrize("number", [6, 7])
def test_header_fault(running: Running, client: str, server: str, number: int) -> None:
    [url] = running.addresses(SERVERS[server])
    request = {"url": url, "question": "as <asked> & more", "number": number}
    answer = running.ask(CLIENTS[client], request)
    expected: dict[str, Any] = {"result": request["question"]}
    if number % 2:
        name = "{urn:castile:headerfault}Expired"
        header = {"name": name, "number": number, "since": "2030-06-01"}
        expected = {"fault": request["question"], "header": header}
    assert answer == expected
