"""Receiving in Python: replies like the last one, read as usual, compared, shared, or written in place.

    python bench/python/receiving.py

An array of 100,000 doubles of which nothing, 1 %, 25 % or all changed since the last reply, at random
places, with equal and with changing widths; and the request and the response of a web search (1 KB; ten
results of nested strings), other in every value each time. From bytes to Python values (`client.decode`), in
memory, two replies in turn (eight searches), medians of thread time; ways take turns. Before anything is
timed all ways must give the same values.

The bytes are made by Castile's own server, the search's by a document/literal contract with the fields of
the paper's.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import castile
import numpy as np
from numpy.typing import NDArray

COUNT = 100_000
ENDPOINT = "http://127.0.0.1:9/"

WAYS = {
    "plain": castile.Differential(receive=False),
    "fresh": castile.Differential(),
    "shared": castile.Differential(reuse="shared"),
    "in_place": castile.Differential(reuse="in_place"),
}


@dataclass
class Search:
    """The search request."""

    key: str
    q: str
    start: int
    max_results: int
    filter: bool
    restrict: str
    safe_search: bool
    lr: str
    ie: str
    oe: str


@dataclass
class Category:
    """Where a result is listed."""

    full_viewable_name: str
    special_encoding: str


@dataclass
class Result:
    """One result."""

    cached_size: str
    host_name: str
    snippet: str
    directory_category: Category
    related_information_present: bool
    directory_title: str
    summary: str
    url: str
    title: str


@dataclass
class Found:
    """The search response."""

    document_filtering: bool
    estimated_total_results_count: int
    search_time: float
    result_elements: list[Result]
    end_index: int
    search_tips: str
    search_comments: str
    start_index: int
    estimate_is_exact: bool
    search_query: str


@castile.service(namespace="urn:receiving")
class Lab:
    """Answers with what it holds."""

    values: NDArray[np.float64]
    rng = random.Random(3)

    @castile.operation
    def doubles(self) -> NDArray[np.float64]:
        """The array."""
        return self.values

    @castile.operation
    def search(self) -> Search:
        """What a search asks."""
        rng = self.rng
        key = f"{rng.getrandbits(128):032x}"
        asked = (rng.randrange(1000), rng.randrange(10), rng.random() < 0.5)
        return Search(key, self.words(), *asked, "", rng.random() < 0.5, "lang_en", "latin1", "latin1")

    @castile.operation
    def found(self) -> Found:
        """What a search finds."""
        rng = self.rng
        results = [self.result() for _ in range(10)]
        counts = (rng.random() < 0.5, rng.randrange(1 << 20), rng.random())
        tail = (rng.randrange(10), rng.random() < 0.5, self.words())
        return Found(*counts, results, 10 + rng.randrange(90), "", self.words(), *tail)

    def result(self) -> Result:
        """One result."""
        size = f"{10 + self.rng.randrange(90)}k"
        category = Category(self.words(), "")
        url = f"http://example.org/{self.rng.randrange(1 << 30)}"
        said = (self.words(), self.words() * 5, category, self.rng.random() < 0.5)
        return Result(size, *said, self.words(), self.words(), url, self.words())

    def words(self) -> str:
        """A few words, others each time."""
        return f"some words and the number {self.rng.randrange(1 << 30)}"


def changed(values: NDArray[np.float64], percent: int, equal: bool, seed: int) -> NDArray[np.float64]:
    """The same values but for some, of 17 digits or of 1 to 17."""
    rng = np.random.default_rng(seed)
    out = values.copy()
    places = rng.random(COUNT) * 100 < percent
    digits = 17 if equal else 0
    fresh = [number(rng, digits or int(rng.integers(1, 18))) for _ in range(int(places.sum()))]
    out[places] = fresh
    return out


def number(rng: np.random.Generator, digits: int) -> float:
    """A number below 1 that is written with so many digits, or one or two fewer."""
    return float("0." + "".join(str(d) for d in rng.integers(1, 10, digits)))


def replies(wsdl: bytes, url: str, operation: str, states: Sequence[Callable[[], None]]) -> list[bytes]:
    """What a server answers in each of these states."""
    found = []
    with castile.Client(wsdl, endpoint=url) as client:
        for state in states:
            state()
            getattr(client.service, operation)()
            assert client.last_call is not None
            found.append(client.last_call.reply_xml.encode())
    return found


def same(a: Any, b: Any) -> bool:
    """Whether two results are equal."""
    return np.array_equal(a, b) if isinstance(a, np.ndarray) else repr(a) == repr(b)


def row(name: str, wsdl: bytes, operation: str, messages: list[bytes], rounds: int) -> None:
    """Times each way, in turn, and prints a line."""
    clients = {way: castile.Client(wsdl, endpoint=ENDPOINT, differential=d) for way, d in WAYS.items()}
    for message in messages * 2:
        results = [client.decode(operation, message) for client in clients.values()]
        assert all(same(results[0], result) for result in results[1:]), name
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way, client in clients.items():
            for message in messages:
                began = time.thread_time_ns()
                result = client.decode(operation, message)
                times[way].append((time.thread_time_ns() - began) / 1e3)
                del result
    medians = {way: statistics.median(taken) for way, taken in times.items()}
    shown = "".join(f"{medians[way]:10.1f}" for way in WAYS)
    gains = "".join(f"{medians['plain'] / medians[way]:9.2f}" for way in list(WAYS)[1:])
    print(f"{name:28}{len(messages[0]):10}{shown}{gains}", flush=True)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    lab = Lab()
    rng = np.random.default_rng(1)
    first = np.array([number(rng, 17) for _ in range(COUNT)])
    lab.values = first
    wsdl = castile.wsdl(Lab)
    head = "".join(f"{way + ' us':>10}" for way in WAYS) + "".join(f"{way:>9}" for way in list(WAYS)[1:])
    print(f"{'':28}{'bytes':>10}{head}")
    with castile.serve(lab, port=0, background=True) as server:
        kinds = [(p, e) for p in (0, 1, 25, 100) for e in (True, False) if p or e]
        for percent, equal in kinds:
            arrays = [first, changed(first, percent, equal, percent)]
            states = [partial(setattr, lab, "values", array) for array in arrays]
            messages = replies(wsdl, server.url, "doubles", states)
            widths = "equal" if equal else "changing"
            row(f"{percent} % changed, {widths} widths", wsdl, "doubles", messages, rounds)
        for operation in ("search", "found"):
            messages = replies(wsdl, server.url, operation, [lambda: None] * 8)
            row(f"{operation}, all values", wsdl, operation, messages, rounds * 10)


if __name__ == "__main__":
    main()
