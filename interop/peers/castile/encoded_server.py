"""Castile's server of encoded.wsdl: every operation gives its argument back.

Prints "READY <port>" once it accepts; ends when its standard input is closed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import castile

WSDL = Path(__file__).resolve().parents[2] / "encoded.wsdl"


class Echo:
    """One method an operation."""

    def encDoubles(self, values: Any) -> Any:
        return values

    encStrings = encDoubles

    def encMio(self, mio: Any) -> Any:
        return mio

    def encMios(self, mios: Any) -> Any:
        return mios

    def encMatrix(self, matrix: Any) -> Any:
        return matrix

    def encNode(self, node: Any) -> Any:
        return node

    def encPair(self, pair: Any) -> Any:
        return pair

    def encText(self, text: str | None) -> str | None:
        return text


with castile.serve(Echo(), wsdl=WSDL, port=0, background=True) as server:
    print("READY", server.url.rsplit(":", 1)[1].strip("/"), flush=True)
    sys.stdin.read()
