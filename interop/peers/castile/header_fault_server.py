"""headerfault.wsdl, whose sessions with odd numbers have expired (../../test_header_faults.py)."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path

import castile

WSDL = Path(__file__).resolve().parents[2] / "headerfault.wsdl"


class HeaderFault:
    """Tells who asks too late so in a header of the fault."""

    def ask(self, question: str) -> str:
        number = castile.current_call().headers["Session"].number
        if number % 2:
            expired = {"number": number, "since": datetime.date(2030, 6, 1)}
            raise castile.Fault(question, "Sender", headers=[("{urn:castile:headerfault}Expired", expired)])
        return question


with castile.serve(HeaderFault(), wsdl=WSDL, port=0, background=True) as server:
    print("READY", server.url, flush=True)
    sys.stdin.read()
