"""Castile's server of maps.wsdl: every operation gives its argument back.

Prints "READY <port>" once it accepts; ends when its standard input is closed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import castile

WSDL = Path(__file__).resolve().parents[2] / "maps.wsdl"


class Echo:
    """One method an operation."""

    def echoMap(self, value: Any) -> Any:
        return value

    def echoVector(self, value: Any) -> Any:
        return value


with castile.serve(Echo(), wsdl=WSDL, port=0, background=True) as server:
    print("READY", server.url.rsplit(":", 1)[1].strip("/"), flush=True)
    sys.stdin.read()
