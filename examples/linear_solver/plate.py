"""The steady flow of heat through a square plate of uneven conductivity, as a matrix of five bands."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


class Plate:
    """The matrix by its bands."""

    def __init__(self, side: int, seed: int = 2005) -> None:
        if side < 2:
            raise ValueError("a plate has at least two points a side")
        random = np.random.default_rng(seed)
        self.side = side
        # How well heat flows from each point to its right and its lower neighbour; the edge has some, too.
        self.right = random.uniform(0.1, 10.0, (side, side + 1))
        self.down = random.uniform(0.1, 10.0, (side + 1, side))
        self.centre = self.right[:, :-1] + self.right[:, 1:] + self.down[:-1] + self.down[1:]

    def multiply(self, vector: Vector) -> Vector:
        """The matrix times a vector of side * side numbers, row after row of the plate."""
        points = vector.reshape(self.side, self.side)
        product = self.centre * points
        product[:, 1:] -= self.right[:, 1:-1] * points[:, :-1]
        product[:, :-1] -= self.right[:, 1:-1] * points[:, 1:]
        product[1:] -= self.down[1:-1] * points[:-1]
        product[:-1] -= self.down[1:-1] * points[1:]
        return product.reshape(-1)

    def dense(self) -> NDArray[np.float64]:
        """The whole matrix: for checks, and for small plates."""
        return np.column_stack([self.multiply(unit) for unit in np.eye(self.side**2)])
