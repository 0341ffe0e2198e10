"""UsernameToken (text and digest) and HTTP digest: each peer's clients against each other's servers."""

from __future__ import annotations

import json
import os
from typing import Any

import peers
import pytest
from conftest import Running
from test_matrix import LEDGER

FOREIGN = os.environ.get("CASTILE_INTEROP_FOREIGN") == "1"
KINDS = ("text", "digest", "http")
CLIENTS = peers.SECURED_CLIENTS
SERVERS = peers.SECURED_SERVERS
# Who has HTTP digest: node-soap has none, and zeep is a client alone.
HTTP = {"castile", "cxf", "zeep"}
SECRET = {"right": ("ana", "secret"), "wrong": ("ana", "guess"), "stranger": ("bo", "secret")}


def parameters() -> list[Any]:
    """Pairs with Castile on one side x kind x secret. The ledger calls a case security-KIND-SECRET."""
    made = []
    for client in CLIENTS:
        for server in SERVERS:
            if not FOREIGN and "castile" not in (client, server):
                continue
            for kind in KINDS:
                if kind == "http" and not {client, server} <= HTTP:
                    continue
                for secret in SECRET:
                    case = f"security-{kind}-{secret}"
                    rows = [row for row in LEDGER if row.covers(client, server, "1.1", case)]
                    reason = "; ".join(row.reason for row in rows)
                    marks = [pytest.mark.xfail(reason=reason, strict=True)] if rows else []
                    id_ = f"{client}-{server}-{kind}-{secret}"
                    made.append(pytest.param(client, server, kind, secret, marks=marks, id=id_))
    return made


@pytest.mark.parametrize(("client", "server", "kind", "secret"), parameters())
def test_secured(running: Running, client: str, server: str, kind: str, secret: str) -> None:
    url = running.addresses(SERVERS[server])[KINDS.index(kind)]
    user, password = SECRET[secret]
    request = {"url": url, "kind": kind, "user": user, "password": password, "text": "as <sent> & more"}
    answer = running.ask(CLIENTS[client], request)
    if secret == "right":
        assert answer == {"result": request["text"]}
    else:
        said = json.dumps(answer)
        assert "result" not in answer, said
        assert "secret" not in said
        # A token is refused by a fault, HTTP digest by a status; zeep makes a fault of that too.
        if "castile" in (client, server) and client != "zeep":
            assert ("error" if kind == "http" else "fault") in answer, said
