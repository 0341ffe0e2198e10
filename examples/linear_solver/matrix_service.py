"""The component that holds the matrix: it multiplies vectors that others send.

    python matrix_service.py [--port 8080] [--side 50]

The matrix is that of a plate (`plate.py`) with `side` points along each side. Nobody else sees it.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import castile
import numpy as np
from numpy.typing import NDArray

from plate import Plate


@dataclass
class WrongLength(Exception):
    """A vector that does not fit the matrix."""

    expected: int
    got: int


@castile.service(namespace="urn:example:linear-systems")
class Matrix:
    """A square matrix that is used without being seen."""

    def __init__(self, side: int) -> None:
        self._plate = Plate(side)

    @castile.operation
    def order(self) -> int:
        """How many rows and columns it has."""
        return self._plate.side**2

    @castile.operation
    def diagonal(self) -> NDArray[np.float64]:
        """The numbers on its diagonal."""
        return self._plate.centre.reshape(-1)

    @castile.operation(faults=[WrongLength])
    def multiply(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        """The matrix times a vector."""
        if len(vector) != self.order():
            raise WrongLength(self.order(), len(vector))
        return self._plate.multiply(vector)


def main() -> None:
    """Serves until Ctrl-C."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--side", type=int, default=50, help="points along a side of the plate")
    arguments = parser.parse_args()
    print(f"http://127.0.0.1:{arguments.port}/?wsdl", flush=True)
    castile.serve(Matrix(arguments.side), port=arguments.port)


if __name__ == "__main__":
    main()
