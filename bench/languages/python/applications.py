"""The applications of the suite (`examples/`), run whole with any toolkit.

What an application does stands in its example, apart from SOAP. A toolkit offers the example's operations
as a service (in a process of its own, `hosted`) and calls them (`Meter` counts). Here is what is run, with
what data, and what must come out: exactly what comes out without any SOAP.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import subprocess
import sys
import time
import types
import typing
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"

Call = Callable[..., Any]


class WrongAnswer(Exception):
    """Through SOAP something else came out."""


@dataclasses.dataclass
class Meter:
    """What the client of a toolkit counts."""

    calls: int = 0
    bytes_out: int = 0
    bytes_in: int = 0
    codec_ns: int = 0
    """Encoding and decoding, on both sides."""


# ---- applications ----


class Application:
    """One application of one size. A service is an object whose methods, the operations, take keywords."""

    folder = ""
    hosts = 1
    """Processes that serve."""

    def __init__(self, size: int) -> None:
        self.size = size
        folder = str(EXAMPLES / self.folder)
        if folder not in sys.path:
            sys.path.append(folder)

    def service(self) -> Any:
        """What a host serves, without SOAP. Its operations take and give what the example's types are."""
        raise NotImplementedError

    def work(self, services: list[Any]) -> Any:
        """All that the client does; gives plain tuples, lists, texts and numbers."""
        raise NotImplementedError

    def answer(self, outcome: Any) -> str:
        """A word for the outcome, which is the same for all toolkits.

        Raises:
            WrongAnswer: it is not what comes out without SOAP.
        """
        if outcome != without_soap(type(self), self.size):
            raise WrongAnswer("what came out is not what comes out without SOAP")
        return hashlib.sha256(repr(outcome).encode()).hexdigest()[:16]


@functools.cache
def without_soap(kind: type[Application], size: int) -> Any:
    """The outcome when services are called as plain objects."""
    application = kind(size)
    return application.work([Direct(application.service()) for _ in range(application.hosts)])


class LinearSolver(Application):
    """`size` unknowns, by conjugate gradients."""

    folder = "linear_solver"

    def service(self) -> Any:
        from plate import Plate

        plate = Plate(round(self.size**0.5))
        return types.SimpleNamespace(multiply=plate.multiply, diagonal=lambda: plate.centre.reshape(-1))

    def work(self, services: list[Any]) -> Any:
        from methods import conjugate_gradients, heat

        found = conjugate_gradients(services[0], heat(round(self.size**0.5) ** 2))
        return found.iterations, found.vector.tobytes()

    def answer(self, outcome: Any) -> str:
        import numpy as np

        from methods import heat
        from plate import Plate

        side = round(self.size**0.5)
        if side <= 50:
            expected = np.linalg.solve(Plate(side).dense(), heat(side**2))
            if not np.allclose(np.frombuffer(outcome[1]), expected, rtol=1e-6):
                raise WrongAnswer("this is not the solution that numpy.linalg.solve finds")
        return super().answer(outcome)


class MetadataCatalog(Application):
    """`size` files are added, questions asked, and some of what was found is described."""

    folder = "metadata_catalog"

    def service(self) -> Any:
        from store import Store

        return Store()

    def work(self, services: list[Any]) -> Any:
        from survey import ask, files, fill

        (catalog,) = services
        count = fill(catalog, list(files(self.size)))
        answers = ask(catalog)
        described = [
            [(a.name, word(a.type), a.value) for a in catalog.describe(name=name)]
            for names in answers
            for name in names[:20]
        ]
        return count, answers, described


class Matchmaking(Application):
    """Two pools of `size` machines each, for five rounds."""

    folder = "matchmaking"
    hosts = 2

    def service(self) -> Any:
        from broker import Broker

        return Broker()

    def work(self, services: list[Any]) -> Any:
        from pools import Pool, run

        found = run(services, [Pool("north", self.size, 1), Pool("south", self.size, 2)], rounds=5)
        left = services[0].query(constraint='MyType == "Machine" && Memory >= 1024')
        return found, [[(a.name, a.type, a.value) for a in ad.attributes] for ad in left]


class TextSearch(Application):
    """Some questions to an index of Python's library; answers of `size` results each."""

    folder = "text_search"
    modules = 60

    def service(self) -> Any:
        from index import Index, of_python

        return Index(of_python(self.modules))

    def work(self, services: list[Any]) -> Any:
        from queries import QUERIES, pages

        answers = [answer for query in QUERIES for answer in pages(services[0], query, self.size)]
        return [self.plain(answer) for answer in answers]

    def plain(self, answer: Any) -> Any:
        """All of an answer but its time."""
        from index import ResultElement, SearchResult

        own = [f.name for f in dataclasses.fields(SearchResult) if f.name != "searchTime"]
        values = {name: getattr(answer, name) for name in own}
        elements = [
            [getattr(e, f.name) for f in dataclasses.fields(ResultElement) if f.name != "directoryCategory"]
            + category(e.directoryCategory)
            for e in values.pop("resultElements") or []
        ]
        categories = [category(c) for c in values.pop("directoryCategories") or []]
        return [*(value or 0 for value in values.values()), elements, categories]


APPLICATIONS: dict[str, type[Application]] = {
    "linear-solver": LinearSolver,
    "metadata-catalog": MetadataCatalog,
    "matchmaking": Matchmaking,
    "text-search": TextSearch,
}


def category(found: Any) -> list[str]:
    return [found.fullViewableName, found.specialEncoding or ""]


def word(value: Any) -> Any:
    """The text of a member of an enumeration."""
    return value.value if isinstance(value, Enum) else value


class Direct:
    """A service that is called without SOAP, as if with it: arguments may be dicts."""

    def __init__(self, service: Any) -> None:
        self.service = service

    def __getattr__(self, operation: str) -> Call:
        method = getattr(self.service, operation)
        hints = typing.get_type_hints(method)
        return lambda **arguments: method(**{n: made(hints.get(n), v) for n, v in arguments.items()})


def made(hint: Any, value: Any) -> Any:
    """A value of the example's types, from dicts or from a toolkit's objects with the same members."""
    if typing.get_origin(hint) is list:
        return [made(typing.get_args(hint)[0], item) for item in value or ()]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(str(value))  # spyne has objects of its own for them
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        hints = typing.get_type_hints(hint)
        members = value if isinstance(value, dict) else {name: getattr(value, name) for name in hints}
        return hint(**{name: made(hints[name], members[name]) for name in hints})
    return value


# ---- running ----


def run(application: Application, hosts: list[list[str]], client: Callable[[str, Meter], Any]) -> list[Any]:
    """Runs an application that the commands `hosts` serve; gives the words of the answer to `run`."""
    meter = Meter()
    with contextlib.ExitStack() as stack:
        served = [stack.enter_context(hosted(command)) for command in hosts]
        services = [client(url, meter) for url, _ in served]
        start = time.monotonic_ns()
        outcome = application.work(services)
        end = time.monotonic_ns()
        meter.codec_ns += sum(ended() for _, ended in served)
    answer = application.answer(outcome)
    return [f"{start},{end}", meter.calls, meter.bytes_out, meter.bytes_in, meter.codec_ns, answer]


@contextlib.contextmanager
def hosted(command: list[str]) -> Iterator[tuple[str, Callable[[], int]]]:
    """A process that serves: its address, and what ends it and tells how long it encoded and decoded, ns."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdin and process.stdout
            url = process.stdout.readline().strip()
            if not url:
                raise ChildProcessError(f"{command} served nothing")

            def ended() -> int:
                assert process.stdin and process.stdout
                process.stdin.close()
                return int(process.stdout.readline())

            yield url, ended
        finally:
            process.kill()


def host(url: str, codec_ns: Callable[[], int]) -> None:
    """The other side of `hosted`: to be called when the service runs."""
    print(url, flush=True)
    sys.stdin.read()
    print(codec_ns(), flush=True)
