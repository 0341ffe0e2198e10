"""The ocean: temperature of a mixed layer, carried by a wind-driven gyre, marched in time.

    dT/dt = -u . grad T  +  K lap T  +  (sun + flux + W (T_deep - T)) / C

The flow u is Stommel's: the stream function psi solves  r lap psi + beta dpsi/dx = curl tau / (rho h)
with psi = 0 on every coast: under trades and westerlies a warm current runs north along the western shore,
meets a cold one, and both cross the basin. Velocities are taken between the corners of cells, which makes
the flow free of divergence and stops it at the coast.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mesh import HEIGHT, POINT, Field, Grid, Mask, points, wet

GRID = Grid(columns=240, rows=180)

STEP = 24_000.0  # seconds of one time step: a current crosses less than one cell
STEPS_A_WINDOW = 12  # time steps between two exchanges with the atmosphere
CAPACITY = 4.1e6 * 30.0  # J/m2/K: sea water, 30 m deep
DIFFUSION = 1.0e3  # m2/s, by eddies
ENTRAINMENT = 6.0  # W/m2/K, mixing with the water below
DEEP = 9.0  # degrees Celsius, of the water below
FRICTION = 2.0e-6  # 1/s
BETA = 2.0e-11  # 1/m/s, the change of the Coriolis parameter to the north
TORQUE = 0.42e-12  # 1/s2, the largest curl of the wind stress over density and depth
SWEEPS = 420  # of over-relaxation for the stream function


class Ocean:
    """The state of the ocean; temperatures in degrees Celsius, land cells hold zeros."""

    def __init__(self) -> None:
        self.sea: Mask = wet(GRID)
        self.rows, self.columns = (index.astype(np.int32) for index in np.nonzero(self.sea))
        self.temperature: Field = np.where(self.sea, _first_guess(), 0.0)
        self._sun = _sunlight()
        self._stencil = _stencil(self.sea, *_velocities(_stream_function(self.sea)))

    def surface(self) -> NDArray[np.void]:
        """What the atmosphere is to know: the temperature at every sea point."""
        return points(self.columns, self.rows, self.temperature[self.rows, self.columns])

    def advance(self, flux: NDArray[np.void], grid: Grid) -> Field:
        """Marches one window under `flux` (W/m2 into the sea, points of the atmosphere's `grid`).

        Returns the change of temperature at every sea point: the ocean's residual.
        """
        heat = self._sun + _bilinear(_as_field(flux, grid), GRID) + ENTRAINMENT * DEEP
        warming = np.where(self.sea, heat * (STEP / CAPACITY), 0.0)
        middle, east, west, north, south = self._stencil
        now = np.pad(self.temperature, 1)
        for _ in range(STEPS_A_WINDOW):
            after = middle * now[1:-1, 1:-1] + warming
            after += east * now[1:-1, 2:]
            after += west * now[1:-1, :-2]
            after += north * now[2:, 1:-1]
            after += south * now[:-2, 1:-1]
            now[1:-1, 1:-1] = after
        change: Field = (after - self.temperature)[self.rows, self.columns]
        self.temperature = after
        return change


def _stencil(sea: Mask, east: Field, north: Field) -> tuple[Field, Field, Field, Field, Field]:
    """The weights of a cell and its four neighbours in one time step; zero across the coast.

    Each face between two sea cells carries heat from where the current comes, and mixes.
    """
    pace = STEP / GRID.spacing
    mixing = DIFFUSION / GRID.spacing
    open_east, open_north = sea[:, :-1] & sea[:, 1:], sea[:-1, :] & sea[1:, :]
    # What leaves the western (southern) cell of a face, and what enters it, per degree.
    out_east = np.where(open_east, np.maximum(east, 0.0) + mixing, 0.0) * pace
    in_east = np.where(open_east, mixing - np.minimum(east, 0.0), 0.0) * pace
    out_north = np.where(open_north, np.maximum(north, 0.0) + mixing, 0.0) * pace
    in_north = np.where(open_north, mixing - np.minimum(north, 0.0), 0.0) * pace
    after_last, before_first = (0, 1), (1, 0)
    from_east = np.pad(in_east, ((0, 0), after_last))
    from_west = np.pad(out_east, ((0, 0), before_first))
    from_north = np.pad(in_north, (after_last, (0, 0)))
    from_south = np.pad(out_north, (before_first, (0, 0)))
    lost = np.pad(out_east, ((0, 0), after_last)) + np.pad(in_east, ((0, 0), before_first))
    lost += np.pad(out_north, (after_last, (0, 0))) + np.pad(in_north, (before_first, (0, 0)))
    middle = np.where(sea, 1.0 - lost - ENTRAINMENT * STEP / CAPACITY, 0.0)
    return middle, from_east, from_west, from_north, from_south


def _first_guess() -> Field:
    """Warm in the south, cold in the north, in degrees Celsius."""
    _, y = GRID.centres()
    guess: Field = 26.0 - 20.0 * y
    return guess


def _sunlight() -> Field:
    """The sunlight that the sea absorbs on a mean day, in W/m2."""
    light = 265.0 * np.cos(np.radians(GRID.latitude())) ** 1.3
    return np.repeat(light[:, np.newaxis], GRID.columns, axis=1)


def _stream_function(sea: Mask) -> Field:
    """psi (m2/s) at the corners of cells, by red-black over-relaxation; zero on land and at walls."""
    rows, columns = GRID.rows + 1, GRID.columns + 1
    h = GRID.spacing
    inner = np.zeros((rows, columns), dtype=bool)
    inner[1:-1, 1:-1] = sea[1:, 1:] & sea[1:, :-1] & sea[:-1, 1:] & sea[:-1, :-1]
    y = np.linspace(0.0, HEIGHT, rows)[:, np.newaxis]
    source = -TORQUE * np.sin(1.75 * np.pi * y / HEIGHT) * np.ones((1, columns))
    colour = np.add.outer(np.arange(rows), np.arange(columns)) % 2
    # The derivative to the east is one-sided, looking east, which keeps the matrix dominant.
    drift = BETA * h
    middle = 4.0 * FRICTION + drift
    psi = np.zeros((rows, columns))
    for sweep in range(2 * SWEEPS):
        around = FRICTION * (psi[1:-1, 2:] + psi[1:-1, :-2] + psi[2:, 1:-1] + psi[:-2, 1:-1])
        target = (around + drift * psi[1:-1, 2:] - h * h * source[1:-1, 1:-1]) / middle
        now = psi[1:-1, 1:-1]
        chosen = inner[1:-1, 1:-1] & (colour[1:-1, 1:-1] == sweep % 2)
        psi[1:-1, 1:-1] = np.where(chosen, now + 1.5 * (target - now), now)
    return psi


def _velocities(psi: Field) -> tuple[Field, Field]:
    """Speeds (m/s) through the eastern and the northern faces between cells: u = -dpsi/dy, v = dpsi/dx."""
    east = -(psi[1:, 1:-1] - psi[:-1, 1:-1]) / GRID.spacing
    north = (psi[1:-1, 1:] - psi[1:-1, :-1]) / GRID.spacing
    return east, north


def _as_field(mesh: NDArray[np.void], grid: Grid) -> Field:
    """Points of a whole grid, in any order, as a field."""
    assert mesh.dtype == POINT and len(mesh) == grid.rows * grid.columns
    field = np.empty((grid.rows, grid.columns))
    field[mesh["y"], mesh["x"]] = mesh["value"]
    return field


def _bilinear(field: Field, target: Grid) -> Field:
    """A coarse field at the centres of a grid with cells half as large."""
    rows, columns = field.shape
    assert (2 * rows, 2 * columns) == (target.rows, target.columns)
    padded = np.pad(field, 1, mode="edge")
    along = np.empty((2 * rows, columns + 2))
    along[0::2] = 0.25 * padded[:-2] + 0.75 * padded[1:-1]
    along[1::2] = 0.75 * padded[1:-1] + 0.25 * padded[2:]
    fine = np.empty((2 * rows, 2 * columns))
    fine[:, 0::2] = 0.25 * along[:, :-2] + 0.75 * along[:, 1:-1]
    fine[:, 1::2] = 0.75 * along[:, 1:-1] + 0.25 * along[:, 2:]
    return fine
