"""The atmosphere: an energy balance of the air column, carried by the winds, solved exactly each time.

    C U(y) dA/dx - C K lap A + (B + E) A  =  E T_surface + S(y)

A is the air's temperature, U the wind (trades in the south, westerlies in the north), B what the air
radiates to space and E what it exchanges with the surface. Air goes round the globe, so x is periodic:
a Fourier transform along each row leaves one tridiagonal system per wave number, factored once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mesh import POINT, Field, Grid, points

#: A number for each row and each wave along it.
Waves = NDArray[np.complex128]

GRID = Grid(columns=120, rows=90)

CAPACITY = 1.0e7  # J/m2/K, of the whole column of air
DIFFUSION = 1.2e6  # m2/s, by weather
RADIATION = 2.2  # W/m2/K, lost to space
EXCHANGE = 26.0  # W/m2/K, sensible heat and net long waves between surface and air
EVAPORATION = 70.0  # W/m2 that the sea loses as vapour at 15 degrees Celsius
RELAXATION = 0.8  # the part of a new flux that is believed at once


class Atmosphere:
    """The state of the atmosphere: air temperature (degrees Celsius) and the flux into the sea (W/m2)."""

    def __init__(self) -> None:
        self.temperature: Field = np.zeros((GRID.rows, GRID.columns))
        self.flux: Field = np.zeros((GRID.rows, GRID.columns))
        self._rows, self._columns = (index.astype(np.int32) for index in np.indices(self.flux.shape))
        self._land = _land_temperature()
        self._heating = _heating()
        self._lower, self._upper, self._pivot = _factors()

    def respond(self, surface: NDArray[np.void], columns: int, rows: int) -> tuple[NDArray[np.void], Field]:
        """The answer to a sea surface temperature given at points of a grid of `columns` by `rows`.

        Returns the relaxed heat flux into the sea at every point of this grid, and the residual: how far
        the flux still was from what the new surface asks for.
        """
        below, wetness = self._mean_below(surface, columns, rows)
        mixed = wetness * below + (1.0 - wetness) * self._land
        self.temperature = self._solve(EXCHANGE * mixed + self._heating)
        vapour = EVAPORATION * np.exp(0.062 * (below - 15.0))
        wanted = np.where(wetness > 0.0, EXCHANGE * (self.temperature - below) - vapour, 0.0)
        residual: Field = wanted - self.flux
        self.flux = self.flux + RELAXATION * residual
        flat = self.flux.ravel()
        return points(self._columns.ravel(), self._rows.ravel(), flat), residual.ravel()

    def _mean_below(self, surface: NDArray[np.void], columns: int, rows: int) -> tuple[Field, Field]:
        """The mean sea temperature under each cell, and the part of the cell that is sea.

        Cells over land alone take the land's temperature.
        """
        assert surface.dtype == POINT
        cell = (surface["y"] * GRID.rows // rows) * GRID.columns + surface["x"] * GRID.columns // columns
        count = np.bincount(cell, minlength=GRID.rows * GRID.columns)
        total = np.bincount(cell, weights=surface["value"], minlength=GRID.rows * GRID.columns)
        mean = np.where(count > 0, total / np.maximum(count, 1), self._land.ravel())
        wetness = count * (GRID.rows * GRID.columns) / (rows * columns)
        return mean.reshape(self.flux.shape), wetness.reshape(self.flux.shape)

    def _solve(self, forcing: Field) -> Field:
        """The air temperature that balances `forcing` (W/m2): forward and backward over the rows."""
        waves = np.fft.rfft(forcing, axis=1)
        for row in range(1, GRID.rows):
            waves[row] -= self._lower[row] * waves[row - 1]
        waves[-1] /= self._pivot[-1]
        for row in range(GRID.rows - 2, -1, -1):
            waves[row] = (waves[row] - self._upper * waves[row + 1]) / self._pivot[row]
        solved: Field = np.fft.irfft(waves, n=GRID.columns, axis=1)
        return solved


def _factors() -> tuple[Waves, float, Waves]:
    """Thomas factors of the tridiagonal systems: lower ratios, the upper entry, pivots by row and wave."""
    h = GRID.spacing
    wave = 2.0 * np.pi * np.fft.rfftfreq(GRID.columns, d=h)
    mixing = CAPACITY * DIFFUSION / h**2
    y = (np.arange(GRID.rows) + 0.5) / GRID.rows
    wind = -7.0 * np.cos(1.25 * np.pi * y)  # m/s to the east: trades below, westerlies above
    neighbours = np.full(GRID.rows, 2.0)
    neighbours[[0, -1]] = 1.0  # no heat through the southern and northern walls
    along = RADIATION + EXCHANGE + CAPACITY * DIFFUSION * wave**2
    middle: Waves = np.asarray(along, dtype=np.complex128) + mixing * neighbours[:, np.newaxis]
    middle += 1j * CAPACITY * wind[:, np.newaxis] * wave
    lower: Waves = np.zeros_like(middle)
    pivot = middle.copy()
    for row in range(1, GRID.rows):
        lower[row] = -mixing / pivot[row - 1]
        pivot[row] = middle[row] + lower[row] * mixing
    return lower, -mixing, pivot


def _land_temperature() -> Field:
    """The temperature of land, in degrees Celsius, by latitude."""
    land = 27.0 - 0.55 * (GRID.latitude() - 10.0)
    return np.repeat(land[:, np.newaxis], GRID.columns, axis=1)


def _heating() -> Field:
    """Sunlight in the air and heat from condensing vapour, in W/m2, by latitude."""
    warm = 62.0 * np.cos(np.radians(GRID.latitude())) ** 2 - 14.0
    return np.repeat(warm[:, np.newaxis], GRID.columns, axis=1)
