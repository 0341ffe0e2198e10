"""A metadata catalog: files of data and what is known of them, kept in SQLite.

    python catalog_service.py [--port 8080] [--database catalog.db]

Each file has attributes, tuples of name, type and value; who looks for data asks by attributes, as with the
Metadata Catalog Service of computational grids.
"""

from __future__ import annotations

import argparse

import castile

from store import AlreadyThere, Attribute, BadValue, Condition, File, NoSuchFile, Store


@castile.service(namespace="urn:example:metadata-catalog")
class Catalog:
    """Files and their attributes."""

    def __init__(self, database: str = ":memory:") -> None:
        self._store = Store(database)

    @castile.operation(faults=[AlreadyThere, BadValue])
    def add(self, files: list[File]) -> int:
        """Adds files, all or none; gives how many files there are now."""
        return self._store.add(files)

    @castile.operation(faults=[BadValue])
    def find(self, conditions: list[Condition]) -> list[str]:
        """Names of the files for which all conditions hold, in alphabetical order."""
        return self._store.find(conditions)

    @castile.operation(faults=[NoSuchFile])
    def describe(self, name: str) -> list[Attribute]:
        """All attributes of a file, in the order in which they were added."""
        return self._store.describe(name)


def main() -> None:
    """Serves until Ctrl-C."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--database", default=":memory:", help="a file that outlives the server")
    arguments = parser.parse_args()
    print(f"http://127.0.0.1:{arguments.port}/?wsdl", flush=True)
    castile.serve(Catalog(arguments.database), port=arguments.port)


if __name__ == "__main__":
    main()
