"""Calls echoString with a token of zeep's, or by the HTTP digest of requests (../../test_security.py)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import requests
import zeep
from requests.auth import HTTPDigestAuth
from zeep.wsse.username import UsernameToken

WSDL = str(Path(__file__).resolve().parents[2] / "interop.wsdl")


def call(url: str, kind: str, user: str, password: str, text: str) -> str:
    session = requests.Session()
    token = None
    if kind == "http":
        session.auth = HTTPDigestAuth(user, password)
    else:
        token = UsernameToken(user, password, use_digest=kind == "digest")
    client = zeep.Client(WSDL, wsse=token, transport=zeep.Transport(session=session))
    service = client.create_service("{urn:castile:interop}InteropSoap11", url)
    answer: str = service.echoString(text=text)
    return answer


for line in sys.stdin:
    answer: dict[str, Any]
    try:
        answer = {"result": call(**json.loads(line))}
    except zeep.exceptions.Fault as fault:
        answer = {"fault": fault.message}
    except Exception as problem:  # whatever it is, the harness must hear of it
        answer = {"error": f"{type(problem).__name__}: {problem}"}
    print(json.dumps(answer), flush=True)
