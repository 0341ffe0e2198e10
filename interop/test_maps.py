"""Maps and vectors of Apache SOAP (maps.wsdl): Castile and Axis, each as client and server."""

from __future__ import annotations

import os
import subprocess

import peers
import pytest
from conftest import Running, require

CHECKS = {"map", "map-none", "map-in-map", "vector", "vector-none", "vector-of-both"}
SECONDS_MAX = 120
PAIRS = [("castile", "castile"), ("castile", "axis"), ("axis", "castile"), ("axis", "axis")]


@pytest.mark.parametrize(("client", "server"), PAIRS)
def test_maps_come_back(running: Running, client: str, server: str) -> None:
    peer = peers.MAPS_CLIENTS[client]
    require(peer)
    port = running.port(peers.MAPS_SERVERS[server])
    url = f"http://127.0.0.1:{port}{peers.MAPS_PATHS[server]}"
    ran = subprocess.run(
        [*peer.command, url],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=SECONDS_MAX,
        env={**os.environ, **peer.environment},
    )
    lines = ran.stdout.splitlines()
    # Axis does them twice, with references and without.
    names = {line.split()[1].removesuffix("-refs").removesuffix("-plain") for line in lines}
    assert names == CHECKS, ran.stderr[-2000:]
    assert [line for line in lines if not line.startswith("ok")] == []
