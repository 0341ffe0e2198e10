"""The component that solves: it asks for products until they are what was wanted.

    python solve.py [--url http://127.0.0.1:8080/] [--method cg|jacobi] [--side 50]

Without an address it starts a matrix of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import time

import castile

from matrix_service import Matrix
from methods import METHODS, heat


def main() -> None:
    """Solves one system and says what it took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", help="where the matrix is")
    parser.add_argument("--method", choices=METHODS, default="cg")
    parser.add_argument("--side", type=int, default=50, help="of a matrix of its own")
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        url = arguments.url
        if url is None:
            server = castile.serve(Matrix(arguments.side), port=0, background=True)
            url = stack.enter_context(server).url
        client = castile.Client(f"{url}?wsdl")
        right = heat(client.service.order())
        began = time.perf_counter()
        found = METHODS[arguments.method](client.service, right)
        seconds = time.perf_counter() - began
    print(
        f"{len(right)} unknowns, {found.iterations} iterations, {seconds:.2f} s"
        f"; residual {found.residual:.1e}; hottest point {found.vector.max():.3f}"
    )


if __name__ == "__main__":
    main()
