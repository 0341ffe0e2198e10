"""A search engine behind SOAP: a small question, a large nested answer, over a real index of text.

    python search_service.py [--port 8080] [--folder docs/ --pattern '*.md']

The contract is like the one with which a search engine first opened itself to programs. Without a folder it
has the documentation in the modules of Python's own library.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import castile

from index import BadQuery, Index, SearchResult, of_folder, of_python


@castile.service(namespace="urn:example:search")
class Search:
    """Words in, pages out."""

    def __init__(self, index: Index) -> None:
        self._index = index

    @castile.operation(faults=[BadQuery])
    def search(self, q: str, start: int = 0, maxResults: int = 10) -> SearchResult:
        """The pages that have all words of `q`, the best first; `start` of them are left out."""
        return self._index.search(q, start, maxResults)


def main() -> None:
    """Serves until Ctrl-C."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--folder", type=Path, help="whose files are found")
    parser.add_argument("--pattern", default="*.md", help="of the names of these files")
    arguments = parser.parse_args()
    found = of_folder(arguments.folder, arguments.pattern) if arguments.folder else of_python()
    print(f"http://127.0.0.1:{arguments.port}/?wsdl", flush=True)
    castile.serve(Search(Index(found)), port=arguments.port)


if __name__ == "__main__":
    main()
