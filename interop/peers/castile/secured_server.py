"""interop.wsdl for whom a token or HTTP digest proves (../../test_security.py).

Prints "READY" and the addresses for tokens with the password as text, as a digest, and for HTTP digest.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

import castile

WSDL = Path(__file__).resolve().parents[2] / "interop.wsdl"
USERS = {"ana": "secret"}


class Echo:
    """Who calls, and with what."""

    def echoString(self, text: str) -> str:
        return text


with ExitStack() as stack:
    settings = (
        {"layers": [castile.CheckSecurity(USERS)]},
        {"layers": [castile.CheckSecurity(USERS, text=False)]},
        {"users": USERS, "digest": True},
    )
    urls = [
        stack.enter_context(
            castile.serve(Echo(), wsdl=WSDL, service="Interop", port=0, background=True, **setting)  # type: ignore[arg-type]
        ).url
        for setting in settings
    ]
    print("READY", *urls, flush=True)
    sys.stdin.read()
