"""Calls echoString with a token, or by HTTP digest (../../test_security.py)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import castile

WSDL = Path(__file__).resolve().parents[2] / "interop.wsdl"


def call(url: str, kind: str, user: str, password: str, text: str) -> str:
    http = castile.Digest(user, password) if kind == "http" else None
    layers = []
    if kind == "text" or kind == "digest":
        layers.append(castile.UsernameToken(user, password, kind=kind, must_understand=False))
    client = castile.Client(WSDL, endpoint=url, port="Soap11", auth=http, layers=layers)
    answer: str = client.service.echoString(text=text)
    return answer


for line in sys.stdin:
    answer: dict[str, Any]
    try:
        answer = {"result": call(**json.loads(line))}
    except castile.Fault as fault:
        answer = {"fault": fault.reason}
    except castile.Error as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
