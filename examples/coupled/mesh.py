"""The mesh interface: the points at which two models meet, and the coast that shapes the basin.

A mesh interface object is one point: its column, its row, and the value there. Each model has a grid
of its own; what crosses the interface is always a flat array of such points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: Memory layout of a mesh interface object: 16 bytes, no gaps.
POINT = np.dtype([("x", np.int32), ("y", np.int32), ("value", np.float64)])

#: The basin, in metres: as wide and as high as the North Atlantic.
WIDTH, HEIGHT = 6.0e6, 4.5e6

#: The latitudes of its southern and northern walls, in degrees.
SOUTH, NORTH = 10.0, 60.0


@dataclass(frozen=True)
class Grid:
    """A grid of `columns` by `rows` square cells over the basin; fields have the shape (rows, columns)."""

    columns: int
    rows: int

    @property
    def spacing(self) -> float:
        """The side of a cell, in metres."""
        return WIDTH / self.columns

    def centres(self) -> tuple[Field, Field]:
        """The cells' centres as fractions of the basin's width and height, each of the grid's shape."""
        x = (np.arange(self.columns) + 0.5) / self.columns
        y = (np.arange(self.rows) + 0.5) / self.rows
        across, along = np.meshgrid(x, y)
        return across, along

    def latitude(self) -> Field:
        """The latitude of each row, in degrees."""
        return SOUTH + (NORTH - SOUTH) * (np.arange(self.rows) + 0.5) / self.rows


def wet(grid: Grid) -> Mask:
    """True where a cell is sea: a basin between two ragged coasts, with an island off the western one."""
    x, y = grid.centres()
    west = 0.07 + 0.04 * np.sin(5.0 * y + 0.4) + 0.08 * y**2 + 0.010 * np.sin(23.0 * y)
    east = 0.95 - 0.09 * np.sin(3.6 * y - 0.5) ** 2 + 0.012 * np.sin(19.0 * y + 1.0)
    south = 0.03 + 0.02 * np.sin(7.0 * x)
    north = 0.97 - 0.07 * np.cos(9.0 * x) ** 2
    shore = 1.0 + 0.25 * np.sin(40.0 * x + 20.0 * y)
    island = ((x - 0.45) / 0.05) ** 2 + ((y - 0.80) / 0.06) ** 2 < shore
    sea: Mask = (x > west) & (x < east) & (y > south) & (y < north) & ~island
    return sea


def points(columns: NDArray[np.int32], rows: NDArray[np.int32], values: Field) -> NDArray[np.void]:
    """Mesh interface objects from three arrays of one length."""
    mesh = np.empty(len(values), dtype=POINT)
    mesh["x"], mesh["y"], mesh["value"] = columns, rows, values
    return mesh
