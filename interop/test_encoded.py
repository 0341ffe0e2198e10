"""SOAP encoding: each client of encoded.wsdl against each server of it.

A client is a program that calls every operation of the server whose URL it is given, and prints a line for
each of its checks: "ok NAME", or "FAILED NAME why".
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import peers
import pytest
from conftest import require

CHECKS = {"doubles", "doubles-none", "strings", "text", "mio", "mios", "matrix", "chain"}
IDENTITY = {"pair-shared", "pair-apart", "ring", "circle"}
SECONDS_MAX = 120


@pytest.fixture(scope="module", params=peers.ENCODED_SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    peer = peers.ENCODED_SERVERS[request.param]
    require(peer)
    process = peers.Process(peer)
    try:
        ready = process.line(peers.START_SECONDS_MAX).split()
        assert ready[0] == "READY"
        yield request.param, f"http://127.0.0.1:{ready[1]}{peers.ENCODED_PATHS[request.param]}"
    finally:
        process.stop()


@pytest.mark.parametrize("client", peers.ENCODED_CLIENTS)
def test_every_operation_comes_back(client: str, server: tuple[str, str]) -> None:
    peer = peers.ENCODED_CLIENTS[client]
    require(peer)
    ran = subprocess.run(
        [*peer.command, server[1]],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=SECONDS_MAX,
        env={**os.environ, **peer.environment},
    )
    lines = ran.stdout.splitlines()
    assert [line for line in lines if not line.startswith("ok ")] == [], ran.stderr[-2000:]
    # Axis does most of them twice, with references and without.
    done = {line.split()[1].removesuffix("-refs") for line in lines}
    assert done >= CHECKS | IDENTITY, ran.stderr[-2000:]
