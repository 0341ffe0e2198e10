"""Ways to solve a linear system with a matrix that can only be multiplied with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from plate import Vector


class Remote(Protocol):
    """What a solver needs of a matrix; `client.service` has it, and so has a `Matrix` without any SOAP."""

    def diagonal(self) -> Vector:
        """The numbers on the diagonal."""

    def multiply(self, vector: Vector) -> Vector:
        """The matrix times a vector."""


@dataclass
class Solution:
    """What a solver found."""

    vector: Vector
    iterations: int
    residual: float
    """Length of right side - matrix * vector, as a part of the right side's length."""


class NotConverged(Exception):
    """The residual is still too large after all the iterations that were allowed."""


def conjugate_gradients(
    matrix: Remote, right: Vector, tolerance: float = 1e-10, iterations_max: int = 10_000
) -> Solution:
    """Conjugate gradients, preconditioned by the diagonal: for symmetric positive definite matrices."""
    diagonal = matrix.diagonal()
    enough = tolerance * float(np.linalg.norm(right))
    solution = np.zeros_like(right)
    residual = right.copy()
    direction = residual / diagonal
    weight = float(residual @ direction)
    for iteration in range(1, iterations_max + 1):
        product = matrix.multiply(vector=direction)
        step = weight / float(direction @ product)
        solution += step * direction
        residual -= step * product
        if np.linalg.norm(residual) <= enough:
            return finished(matrix, right, solution, iteration)
        scaled = residual / diagonal
        weight, before = float(residual @ scaled), weight
        direction = scaled + (weight / before) * direction
    raise NotConverged(f"{np.linalg.norm(residual):.2e} after {iterations_max} iterations, not {enough:.2e}")


def jacobi(
    matrix: Remote, right: Vector, tolerance: float = 1e-10, iterations_max: int = 100_000
) -> Solution:
    """Jacobi's method: slow, and needs nothing but a heavy diagonal."""
    diagonal = matrix.diagonal()
    enough = tolerance * float(np.linalg.norm(right))
    solution = right / diagonal
    for iteration in range(1, iterations_max + 1):
        residual = right - matrix.multiply(vector=solution)
        if np.linalg.norm(residual) <= enough:
            return finished(matrix, right, solution, iteration)
        solution += residual / diagonal
    raise NotConverged(f"{np.linalg.norm(residual):.2e} after {iterations_max} iterations, not {enough:.2e}")


METHODS = {"cg": conjugate_gradients, "jacobi": jacobi}


def finished(matrix: Remote, right: Vector, solution: Vector, iterations: int) -> Solution:
    """With the true residual, since the one that was carried along has rounding errors."""
    rest = right - matrix.multiply(vector=solution)
    return Solution(solution, iterations, float(np.linalg.norm(rest) / np.linalg.norm(right)))


def heat(order: int, seed: int = 1873) -> Vector:
    """Heat that flows into each point of the plate."""
    return np.random.default_rng(seed).uniform(0.0, 1.0, order)
