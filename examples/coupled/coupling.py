"""The coupling: hand over the interface, take the answer, march, until neither side moves any more.

A fixed-point (Schwarz) iteration: each model keeps the other's boundary values frozen while it works on
its own side; the flux is relaxed. It ends when both residual arrays are below the tolerance everywhere.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from atmosphere import GRID as ATMOSPHERE
from atmosphere import Atmosphere
from mesh import Field
from ocean import GRID as OCEAN
from ocean import Ocean

TOLERANCE = 1e-6  # K for the ocean, W/m2 for the atmosphere
STEPS_MAX = 1000


class Partner(Protocol):
    """The other side of the interface, wherever it runs."""

    def exchange(
        self, step: int, surface: NDArray[np.void], residual: Field
    ) -> tuple[NDArray[np.void], Field]:
        """Gives the sea's surface and its residual; returns the flux into it and the flux's residual."""
        ...


class Direct:
    """The atmosphere in the same process: what the coupled run must agree with, bit for bit."""

    def __init__(self) -> None:
        self.atmosphere = Atmosphere()

    def exchange(
        self, step: int, surface: NDArray[np.void], residual: Field
    ) -> tuple[NDArray[np.void], Field]:
        """See `Partner`."""
        return self.atmosphere.respond(surface, OCEAN.columns, OCEAN.rows)


@dataclass
class Run:
    """What happened: residuals by step, a digest of every value exchanged, and the ocean at the end."""

    ocean: Ocean
    ocean_residual: list[float] = field(default_factory=list)
    atmosphere_residual: list[float] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    computing: list[float] = field(default_factory=list)  # microseconds that the ocean took, by step
    flux: NDArray[np.void] | None = None
    converged: bool = False

    @property
    def steps(self) -> int:
        """How many times the two sides met."""
        return len(self.digests)


def couple(
    partner: Partner, after_step: Callable[[Run], None] = lambda run: None, steps_max: int = STEPS_MAX
) -> Run:
    """Runs the ocean against `partner` until both residuals are small, or `steps_max` is reached."""
    run = Run(Ocean())
    change = np.zeros(len(run.ocean.rows))
    while run.steps < steps_max and not run.converged:
        surface = run.ocean.surface()
        run.flux, mismatch = partner.exchange(run.steps + 1, surface, change)
        run.digests.append(_digest(surface, change, run.flux, mismatch))
        began = time.perf_counter()
        change = run.ocean.advance(run.flux, ATMOSPHERE)
        run.computing.append(1e6 * (time.perf_counter() - began))
        run.ocean_residual.append(float(np.abs(change).max()))
        run.atmosphere_residual.append(float(np.abs(mismatch).max()))
        run.converged = max(run.ocean_residual[-1], run.atmosphere_residual[-1]) < TOLERANCE
        after_step(run)
        if not np.isfinite(run.ocean_residual[-1]):
            break
    return run


def first_difference(run: Run, reference: Run) -> str | None:
    """Where two runs part, in words; `None` if every value exchanged and the end agree bit for bit."""
    for step, (one, other) in enumerate(zip(run.digests, reference.digests, strict=False), start=1):
        if one != other:
            return f"step {step} exchanged other values than the run in one process"
    if run.steps != reference.steps:
        return f"{run.steps} steps, but {reference.steps} in one process"
    if run.ocean.temperature.tobytes() != reference.ocean.temperature.tobytes():
        return "the ocean ended at other temperatures than in one process"
    return None


def _digest(*arrays: NDArray[np.void] | Field) -> str:
    """A digest of the values' bits, whatever arrays carry them."""
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
