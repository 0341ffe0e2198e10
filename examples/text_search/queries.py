"""What users ask. A search is `client.service` of one."""

from __future__ import annotations

from typing import Any

#: What a day of users asks for, the frequent first.
QUERIES = [
    "file",
    "regular expression",
    "thread lock",
    "string format",
    "socket connection timeout",
    "xml parser namespace",
    "date",
    "return",
    "exception raised",
    "nothing has these words",
]


def pages(search: Any, query: str, page: int) -> list[Any]:
    """All answers to a query, page after page."""
    answers = [search.search(q=query, start=0, maxResults=page)]
    while answers[-1].endIndex < answers[-1].estimatedTotalResultsCount:
        answers.append(search.search(q=query, start=answers[-1].endIndex, maxResults=page))
    return answers
