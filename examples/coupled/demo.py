"""The demo: an ocean here, an atmosphere in another process, SOAP between them.

    python demo.py [--picture demo.html] [--direct]

Exits with 1 if the models do not converge, or if any value differs from a run in one process.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import castile
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

import picture
import report
from costs import Costs, Side
from coupling import TOLERANCE, Direct, Run, couple, first_difference
from mesh import Field
from ocean import GRID

HERE = Path(__file__).resolve().parent
WSDL = HERE / "coupler.wsdl"


class Remote:
    """The atmosphere in another process, called through Castile."""

    def __init__(self, endpoint: str) -> None:
        self.client = castile.Client(WSDL, endpoint=endpoint, timeout=30.0)
        self.calls: list[tuple[float, float, float, int, int]] = []

    def exchange(
        self, step: int, surface: NDArray[np.void], residual: Field
    ) -> tuple[NDArray[np.void], Field]:
        """See `coupling.Partner`."""
        grid = {"columns": GRID.columns, "rows": GRID.rows}
        reply = self.client.service.Exchange(step=step, grid=grid, point=surface, residual=residual)
        self._note(self.client.last_call)
        return reply.point, reply.residual

    def costs(self, computing: Field) -> Costs:
        """What both sides say the exchanges cost; `computing` is the ocean's own time, microseconds."""
        encode, network, decode, sent, received = (
            np.array(column) for column in zip(*self.calls, strict=True)
        )
        there = self.client.service.Costs()
        ocean = Side("ocean (client)", sent, encode, decode, computing)
        atmosphere = Side("atmosphere (server)", received, there["encode"], there["decode"], there["compute"])
        return Costs(ocean, atmosphere, network - there["encode"] - there["decode"] - there["compute"])

    def _note(self, call: Any) -> None:
        seconds = call.timings
        network = sum(seconds[step] for step in ("connect", "send", "wait", "receive"))
        self.calls.append(
            (
                1e6 * seconds["encode"],
                1e6 * network,
                1e6 * seconds["decode"],
                call.request_bytes,
                call.reply_bytes,
            )
        )


def main() -> int:
    """Runs the demo; returns the process's exit status."""
    options = _options()
    console = Console(highlight=False)
    began = time.perf_counter()
    with _progress(console) as bar:
        reference = couple(Direct(), bar("both models in one process"))
        if options.direct:
            return 0 if reference.converged else 1
        with _server() as endpoint:
            remote = Remote(endpoint)
            run = couple(remote, bar("ocean and atmosphere over SOAP"))
            costs = remote.costs(np.array(run.computing))
    seconds = time.perf_counter() - began
    if not run.converged:
        console.print(f"The models did not converge in {run.steps} exchanges.")
        return 1
    if difference := first_difference(run, reference):
        console.print(f"Wrong answer: {difference}.")
        return 1
    report.show(console, run, costs, seconds)
    picture.write(options.picture, run, costs, seconds)
    console.print(f"The picture: {options.picture}")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="An ocean and an atmosphere, coupled over SOAP.")
    parser.add_argument("--picture", type=Path, default=Path("demo.html"), help="where the picture goes")
    parser.add_argument("--direct", action="store_true", help="only run both models in one process")
    return parser.parse_args()


@contextlib.contextmanager
def _progress(console: Console) -> Iterator[Callable[[str], Callable[[Run], None]]]:
    """Gives a function that starts a bar, whose own function moves it after each exchange.

    How many exchanges there will be is not known: the bar follows the residual on a logarithmic scale.
    """
    columns = (
        TextColumn("{task.description:32}"),
        BarColumn(),
        TextColumn("{task.fields[steps]:4} exchanges"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as progress:

        def start(label: str) -> Callable[[Run], None]:
            task = progress.add_task(label, total=1.0, steps=0)

            def move(run: Run) -> None:
                done = 1.0 if run.converged else _closeness(run)
                progress.update(task, completed=done, steps=run.steps)

            return move

        yield start


def _closeness(run: Run) -> float:
    """How far on the way from the first residuals to the tolerance the slower side is, 0 to 1."""
    ways = []
    for residuals in (run.ocean_residual, run.atmosphere_residual):
        first, last = residuals[0], max(residuals[-1], TOLERANCE)
        ways.append(1.0 if first <= TOLERANCE else math.log(first / last) / math.log(first / TOLERANCE))
    return min(max(min(ways), 0.0), 1.0)


@contextlib.contextmanager
def _server() -> Iterator[str]:
    """Starts the atmosphere's process on a free port of this machine; gives its address."""
    command = [sys.executable, str(HERE / "server.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        address = process.stdout.readline().strip()
        if not address:
            raise SystemExit("the atmosphere's process did not start")
        yield address
        # At the end `Popen` closes the pipes, which tells the server to stop.


if __name__ == "__main__":
    sys.exit(main())
