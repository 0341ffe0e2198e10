"""Calls the operation of headerfault.wsdl (../../test_header_faults.py)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import castile

WSDL = Path(__file__).resolve().parents[2] / "headerfault.wsdl"


def call(url: str, question: str, number: int) -> str:
    client = castile.Client(WSDL, endpoint=url)
    answer: str = client.service.ask(question, _headers={"Session": {"number": number}})
    return answer


for line in sys.stdin:
    answer: dict[str, Any]
    try:
        answer = {"result": call(**json.loads(line))}
    except castile.Fault as fault:
        [(name, value)] = fault.header_values
        header = {"name": name, "number": value.number, "since": value.since.isoformat()}
        answer = {"fault": fault.reason, "header": header}
    except castile.Error as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
