"""SOAP encoding: each client of encoded.wsdl against each server of it.

A client is a program that calls every operation of the server whose URL it is given, and prints a line for
each of its checks: "ok NAME", or "FAILED NAME why". Failures that are on the ledger, and only those, are
expected.
"""

from __future__ import annotations

import os
import subprocess

import peers
import pytest
from conftest import Running, require
from test_matrix import LEDGER

FOREIGN = os.environ.get("CASTILE_INTEROP_FOREIGN") == "1"
CHECKS = {"doubles", "doubles-none", "strings", "text", "mio", "mios", "matrix", "chain"}
IDENTITY = {"pair-shared", "pair-apart", "ring", "circle"}
SECONDS_MAX = 120


PAIRS = [
    (client, server)
    for server in peers.ENCODED_SERVERS
    for client in peers.ENCODED_CLIENTS
    if FOREIGN or "castile" in (client, server)
]


@pytest.mark.parametrize(("client", "server"), PAIRS)
def test_every_operation_comes_back(running: Running, client: str, server: str) -> None:
    peer = peers.ENCODED_CLIENTS[client]
    require(peer)
    port = running.port(peers.ENCODED_SERVERS[server])
    url = f"http://127.0.0.1:{port}{peers.ENCODED_PATHS.get(server, '/')}"
    ran = subprocess.run(
        [*peer.command, url],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=SECONDS_MAX,
        env={**os.environ, **peer.environment},
    )
    lines = ran.stdout.splitlines()
    # Axis does most of them twice, with references and without.
    outcomes = [(line.split()[1].removesuffix("-refs").removesuffix("-plain"), line) for line in lines]
    assert {check for check, _ in outcomes} == CHECKS | IDENTITY, ran.stderr[-2000:]
    failed = {check for check, line in outcomes if line.startswith("FAILED")}
    known = {check for check, _ in outcomes if limit(client, server, check)}
    assert [line for check, line in outcomes if check in failed - known] == [], ran.stderr[-2000:]
    assert known - failed == set(), "these pass: strike them from the ledger"


def limit(client: str, server: str, check: str) -> bool:
    """Whether the ledger, where a check is called encoded-NAME, says that it fails."""
    return any(row.covers(client, server, "1.1", f"encoded-{check}") for row in LEDGER)
