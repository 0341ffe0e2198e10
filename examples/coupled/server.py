"""The atmosphere's process: serves `coupler.wsdl` on a free port, prints its address, runs until stopped."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import castile
import numpy as np
from numpy.typing import NDArray

from atmosphere import GRID, Atmosphere
from mesh import Field

WSDL = Path(__file__).resolve().parent / "coupler.wsdl"
OUT_OF_STEP = "{http://coupler.example.org/2009/service}OutOfStep"

#: What an exchange cost, as the contract's type Cost says; microseconds.
COST = np.dtype([("step", np.int32), ("decode", "f8"), ("compute", "f8"), ("encode", "f8")])


class Coupler:
    """The operations of the contract, with the names that it gives them and their parameters."""

    def __init__(self) -> None:
        self.atmosphere = Atmosphere()
        self.server: castile.Server | None = None
        self._computing: list[float] = []
        self._codec = [(0.0, 0.0)]

    def Describe(self) -> dict[str, Any]:
        """Which model this is."""
        return {"model": "energy balance of the air", "grid": {"columns": GRID.columns, "rows": GRID.rows}}

    def Exchange(self, step: int, grid: Any, point: NDArray[np.void], residual: Field) -> dict[str, Any]:
        """Takes the sea's surface, gives the flux into the sea."""
        expected = len(self._computing) + 1
        if step != expected:
            detail = (OUT_OF_STEP, {"expected": expected, "got": step})
            raise castile.Fault(f"this is step {step}, not {expected}", "Sender", detail=detail)
        self._note_codec()
        began = time.perf_counter()
        flux, mismatch = self.atmosphere.respond(point, grid.columns, grid.rows)
        self._computing.append(time.perf_counter() - began)
        return {"step": step, "point": flux, "residual": mismatch}

    def Costs(self) -> NDArray[np.void]:
        """What each exchange so far cost."""
        self._note_codec()
        spent = np.diff(np.array(self._codec), axis=0)
        costs = np.empty(len(self._computing), COST)
        costs["step"] = np.arange(1, len(costs) + 1)
        costs["decode"] = 1e6 * spent[:-1, 0]
        costs["encode"] = 1e6 * spent[1:, 1]
        costs["compute"] = 1e6 * np.array(self._computing)
        return costs

    def _note_codec(self) -> None:
        """Notes the server's seconds of decoding and encoding up to the beginning of this call.

        A call is decoded before its handler runs and encoded after it, so the difference to the note
        before holds this call's decoding and the last call's encoding.
        """
        assert self.server is not None
        stats = self.server.stats
        self._codec.append((stats.decode_seconds, stats.encode_seconds))


def main() -> None:
    """Serves until standard input ends, which it does when the other process does."""
    coupler = Coupler()
    with castile.serve(coupler, port=0, wsdl=WSDL, background=True) as server:
        coupler.server = server
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
