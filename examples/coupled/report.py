"""The table that ends the demo."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

from costs import Costs, Side
from coupling import TOLERANCE, Run
from mesh import Field


def show(console: Console, run: Run, costs: Costs, seconds: float) -> None:
    """Prints what was exchanged and what it cost, a column for each side; medians over all messages."""
    table = Table(title=None, caption=_caption(costs), caption_justify="left", header_style="bold")
    table.add_column("")
    for side in (costs.ocean, costs.atmosphere):
        table.add_column(side.name, justify="right")
    for label, of in _ROWS:
        table.add_row(label, of(costs.ocean), of(costs.atmosphere))
    table.add_row("network, both ways", _microseconds(costs.wire), "")
    console.print(table)
    console.print(
        f"Converged in {run.steps} exchanges and {seconds:.1f} s: both residuals are below {TOLERANCE:g}.\n"
        "All values equal those of the same models in one process, bit for bit."
    )


def _caption(costs: Costs) -> str:
    parts = ", ".join(f"{name} {share:.0%}" for name, share in costs.shares().items())
    return f"microseconds a message, medians; of all messages' time: {parts}"


def _microseconds(values: Field) -> str:
    return f"{np.median(values):,.0f} µs"


def _messages(side: Side) -> str:
    return f"{side.messages:,}"


def _bytes(side: Side) -> str:
    return f"{np.sum(side.sent_bytes) / 1e6:,.1f} MB"


def _bytes_a_message(side: Side) -> str:
    return f"{np.mean(side.sent_bytes):,.0f}"


_ROWS = (
    ("messages sent", _messages),
    ("bytes sent", _bytes),
    ("bytes a message", _bytes_a_message),
    ("encoding its message", lambda side: _microseconds(side.encode)),
    ("decoding the other's", lambda side: _microseconds(side.decode)),
    ("the model itself", lambda side: _microseconds(side.compute)),
)
