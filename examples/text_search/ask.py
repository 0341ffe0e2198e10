"""Asks a search service.

    python ask.py [--url http://127.0.0.1:8080/] [--results 5] regular expression

Without an address it starts a service of its own over the documentation in Python's library.
"""

from __future__ import annotations

import argparse
import contextlib

import castile

from index import Index, of_python
from search_service import Search


def main() -> None:
    """Prints what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("words", nargs="+")
    parser.add_argument("--url", help="where the service is")
    parser.add_argument("--results", type=int, default=5)
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        url = arguments.url
        if url is None:
            url = stack.enter_context(castile.serve(Search(Index(of_python())), port=0, background=True)).url
        search = castile.Client(f"{url}?wsdl").service
        answer = search.search(q=" ".join(arguments.words), start=0, maxResults=arguments.results)
    print(
        f"{answer.estimatedTotalResultsCount} pages, {1000 * answer.searchTime:.1f} ms. {answer.searchTips}"
    )
    for found in answer.resultElements:
        print(f"\n{found.title} ({found.directoryCategory.fullViewableName}, {found.cachedSize})")
        print(f"  {' '.join(found.snippet.split())}\n  {found.URL}")


if __name__ == "__main__":
    main()
