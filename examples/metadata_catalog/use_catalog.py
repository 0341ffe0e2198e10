"""Fills a metadata catalog and asks it.

    python use_catalog.py [--url http://127.0.0.1:8080/] [--files 1000]

Without an address it starts a catalog of its own, in memory.
"""

from __future__ import annotations

import argparse
import contextlib
import time

import castile

from catalog_service import Catalog
from survey import QUESTIONS, ask, files, fill


def main() -> None:
    """Fills, asks, and prints what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", help="where the catalog is")
    parser.add_argument("--files", type=int, default=1000)
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        url = arguments.url
        if url is None:
            url = stack.enter_context(castile.serve(Catalog(), port=0, background=True)).url
        catalog = castile.Client(f"{url}?wsdl").service
        began = time.perf_counter()
        try:
            there = fill(catalog, list(files(arguments.files)))
            print(f"{there} files in {time.perf_counter() - began:.2f} s")
        except castile.Fault as fault:
            if fault.name != "AlreadyThere":
                raise
            print(f"{fault.detail.name} is there already, so nothing was added")
        for question, names in zip(QUESTIONS, ask(catalog), strict=True):
            words = " and ".join(f"{c['name']} {c['comparison']} {c['value']}" for c in question)
            print(f"{len(names):5} files with {words}")
            for name in names[:1]:
                values = ", ".join(f"{a.name} {a.value}" for a in catalog.describe(name=name)[:4])
                print(f"      {name}: {values}, ...")


if __name__ == "__main__":
    main()
