"""An index of text: documents in, the pages that have all words out. It is SQLite's FTS5."""

from __future__ import annotations

import ast
import re
import sqlite3
import sysconfig
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

#: Results in one answer, at most.
RESULTS_MAX = 1000


@dataclass
class Document:
    """What is found."""

    url: str
    title: str
    category: str
    text: str


@dataclass
class DirectoryCategory:
    """Where in a directory a page stands."""

    fullViewableName: str
    specialEncoding: str


@dataclass
class ResultElement:
    """One page that was found."""

    summary: str
    URL: str
    snippet: str
    title: str
    cachedSize: str
    relatedInformationPresent: bool
    hostName: str
    directoryCategory: DirectoryCategory
    directoryTitle: str


@dataclass
class SearchResult:
    """The answer: some of the results, and how many there are."""

    documentFiltering: bool
    searchComments: str
    estimatedTotalResultsCount: int
    estimateIsExact: bool
    resultElements: list[ResultElement]
    searchQuery: str
    startIndex: int
    endIndex: int
    searchTips: str
    directoryCategories: list[DirectoryCategory]
    searchTime: float


@dataclass
class BadQuery(Exception):
    """There is no word in it, or it asks for results that cannot be."""

    query: str
    reason: str


class Index:
    """Documents and their words; any number of threads may ask."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._lock = threading.Lock()
        self._base = sqlite3.connect(":memory:", check_same_thread=False)
        self._base.execute(
            "CREATE VIRTUAL TABLE page USING fts5 (url UNINDEXED, title, category UNINDEXED, text)"
        )
        rows = ((d.url, d.title, d.category, d.text) for d in documents)
        self._base.executemany("INSERT INTO page VALUES (?, ?, ?, ?)", rows)

    def size(self) -> int:
        """How many pages the index has."""
        with self._lock:
            return int(self._base.execute("SELECT count(*) FROM page").fetchone()[0])

    def search(self, q: str, start: int = 0, maxResults: int = 10) -> SearchResult:
        """The pages that have all words of `q`, the best first; `start` of them are left out."""
        began = time.perf_counter()
        words = re.findall(r"\w+", q)
        if not words:
            raise BadQuery(q, "it has no word")
        if start < 0 or not 0 < maxResults <= RESULTS_MAX:
            raise BadQuery(q, f"from 0 on, and 1 to {RESULTS_MAX} results")
        wanted = " AND ".join(f'"{word}"' for word in words)
        with self._lock:
            (total,) = self._base.execute("SELECT count(*) FROM page WHERE page MATCH ?", [wanted]).fetchone()
            rows = self._base.execute(
                "SELECT url, title, category, snippet(page, 3, '<b>', '</b>', ' ... ', 24), text"
                " FROM page WHERE page MATCH ? ORDER BY bm25(page), rowid LIMIT ? OFFSET ?",
                [wanted, maxResults, start],
            ).fetchall()
        elements = [element(*row) for row in rows]
        return SearchResult(
            documentFiltering=False,
            searchComments="",
            estimatedTotalResultsCount=total,
            estimateIsExact=True,
            resultElements=elements,
            searchQuery=q,
            startIndex=start + 1 if elements else 0,
            endIndex=start + len(elements),
            searchTips="" if total else "Fewer words find more.",
            directoryCategories=[
                DirectoryCategory(name, "")
                for name in sorted({e.directoryCategory.fullViewableName for e in elements})
            ],
            searchTime=time.perf_counter() - began,
        )


def element(url: str, title: str, category: str, snippet: str, text: str) -> ResultElement:
    """A page as the answer shows it."""
    return ResultElement(
        summary=text.strip().partition("\n")[0],
        URL=url,
        snippet=snippet,
        title=title,
        cachedSize=f"{max(len(text) // 1024, 1)}k",
        relatedInformationPresent=True,
        hostName=url.split("/")[2] if "://" in url else "",
        directoryCategory=DirectoryCategory(category, ""),
        directoryTitle=title,
    )


# ---- documents ----


def of_folder(folder: Path, pattern: str) -> Iterator[Document]:
    """A page for each file."""
    for path in sorted(folder.rglob(pattern)):
        text = path.read_text("utf-8", errors="replace")
        yield Document(path.resolve().as_uri(), path.stem, str(path.parent.relative_to(folder)), text)


def of_python(modules_max: int | None = None) -> Iterator[Document]:
    """A page for each module, class and function of Python's library that has documentation."""
    library = Path(sysconfig.get_path("stdlib"))
    for path in sorted(library.glob("*.py"))[:modules_max]:
        yield from of_module(path.stem, ast.parse(path.read_text("utf-8")))


def of_module(name: str, tree: ast.Module) -> Iterator[Document]:
    """The pages of one module."""
    named = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes: list[tuple[str, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]] = [
        (name, tree)
    ]
    for full_name, node in nodes:
        nodes += [(f"{full_name}.{inner.name}", inner) for inner in node.body if isinstance(inner, named)]
        text = printable(ast.get_docstring(node) or "")
        if text:
            kind = type(node).__name__.removesuffix("Def").removeprefix("Async").lower()
            yield Document(f"https://docs.example.org/{name}#{full_name}", full_name, f"Python/{kind}", text)


def printable(text: str) -> str:
    """Without the control characters that XML cannot have."""
    return re.sub(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", " ", text)
