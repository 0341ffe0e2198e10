"""The protocol (../../PROTOCOL.md) for engines in Python: a toolkit derives from `Toolkit` and calls `main`.

A *trace* is what a trace file holds: a list of numbers or texts, bytes, or a list of tuples, one a record.
"""

from __future__ import annotations

import os
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

WSDL = Path(os.environ.get("BENCH_WSDL", Path(__file__).resolve().parents[2] / "workloads/wsdl"))

# The fields of a record, and the kind of what operations take that end so.
FIELDS = {
    "mios": (("x", int), ("y", int), ("value", float)),
    "events": (("sequence", int), ("time", float), ("message", str)),
    "attributes": (("name", str), ("type", str), ("value", str)),
    "nested": tuple((name, str) for name in ("a_id", "b_id", "a_kind", "b_kind", "a_name", "b_name")),
    "files": (("name", str), ("data", bytes.fromhex)),
    "google": (
        ("summary", str),
        ("URL", str),
        ("snippet", str),
        ("title", str),
        ("cachedSize", str),
        ("relatedInformationPresent", lambda text: text == "true"),
        ("hostName", str),
        ("fullViewableName", str),
        ("specialEncoding", str),
        ("directoryTitle", str),
    ),
}
KINDS = (
    "doubles",
    "ints",
    "strings",
    "bytes",
    "packed",
    "mios",
    "events",
    "attributes",
    "classads",
    "nested",
    "ring",
    "files",
)
KIND_OF = {kind if kind != "classads" else "classAds": kind for kind in KINDS}


class Unsupported(Exception):
    """The toolkit, or its engine, cannot do this."""


class Toolkit:
    """One toolkit. What it leaves out is answered `unsupported`."""

    name = "toolkit and version"

    def values(self, kind: str, trace: Any) -> Any:
        """What a call is handed, made of a trace."""
        return trace

    def caller(self, operation: str, url: str) -> Callable[[Any], Any]:
        """A function that calls the operation with such values and gives its result."""
        raise Unsupported("no client")

    def trace(self, kind: str, result: Any) -> Any:
        """The trace of a result."""
        return result

    def serve(self, contract: str, google: Any) -> int:
        """Starts a server of a contract; `google` is the trace that answers a search. Gives its port."""
        raise Unsupported("no server")

    def stop(self) -> None:
        raise Unsupported("the server ends with the engine")

    def set(self, name: str, value: str) -> None:
        raise Unsupported(f"no setting {name}={value}")

    def run(self, application: str, size: int) -> list[Any]:
        """Runs an application whole; gives the words of the answer (`applications.run`)."""
        raise Unsupported("no program for the applications")

    def reset(self) -> None:
        """Forgets connections and all that earlier calls left."""


def kind_of(operation: str) -> str:
    """What an operation echoes or takes: `echoMios` -> `mios`."""
    if operation == "doGoogleSearch":
        return "google"
    name = operation.removeprefix("echo").removeprefix("send")
    return KIND_OF.get(name[:1].lower() + name[1:], "")


# ---- trace files ----


def read_trace(kind: str, path: str) -> Any:
    lines = Path(path).read_text("utf-8").split("\n")[:-1]
    if kind == "doubles":
        return [float(line) for line in lines]
    if kind == "ints":
        return [int(line) for line in lines]
    if kind in ("strings", "ring"):
        seen: dict[str, str] = {}
        return [seen.setdefault(line, line) for line in lines]
    if kind == "bytes":
        return bytes.fromhex(lines[0]) if lines else b""
    if kind == "packed":
        return struct.pack(f"<{len(lines)}d", *map(float, lines))
    rows = (line.split("\t") for line in lines)
    if kind == "classads":
        return [list(zip(row[::3], row[1::3], row[2::3], strict=True)) for row in rows]
    converters = [convert for _, convert in FIELDS[kind]]
    return [tuple(convert(text) for convert, text in zip(converters, row, strict=True)) for row in rows]


def write_trace(kind: str, trace: Any, path: str) -> int:
    if kind == "bytes":
        lines = [trace.hex()]
    elif kind == "packed":
        lines = [repr(value) for (value,) in struct.iter_unpack("<d", trace)]
    elif kind in FIELDS:
        lines = ["\t".join(map(written, row)) for row in trace]
    elif kind == "classads":
        lines = ["\t".join(text for attribute in ad for text in attribute) for ad in trace]
    else:
        lines = [written(value) for value in trace]
    Path(path).write_text("".join(line + "\n" for line in lines), "utf-8")
    return len(lines)


def written(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, str) else repr(value)


def records(kind: str, trace: Any) -> list[dict[str, Any]]:
    """A record's fields by name."""
    names = [name for name, _ in FIELDS[kind]]
    return [dict(zip(names, row, strict=True)) for row in trace]


# ---- a search ----

SEARCH = {
    "key": "0000",
    "q": "grid computing",
    "start": 0,
    "maxResults": 1,
    "filter": True,
    "restrict": "",
    "safeSearch": False,
    "lr": "",
    "ie": "",
    "oe": "",
}


def search_result(google: Any) -> dict[str, Any]:
    """The result's members, its arrays as lists of dicts."""
    elements = []
    for row in records("google", google):
        category = {name: row.pop(name) for name in ("fullViewableName", "specialEncoding")}
        elements.append({**row, "directoryCategory": category})
    return {
        "documentFiltering": False,
        "searchComments": "",
        "estimatedTotalResultsCount": 3220000,
        "estimateIsExact": False,
        "resultElements": elements,
        "searchQuery": "grid computing",
        "startIndex": 1,
        "endIndex": len(elements),
        "searchTips": "",
        "directoryCategories": [],
        "searchTime": 0.194871,
    }


def search_trace(elements: Any) -> Any:
    """The trace of result elements, which are objects with attributes."""
    return [
        (
            e.summary,
            e.URL,
            e.snippet,
            e.title,
            e.cachedSize,
            e.relatedInformationPresent,
            e.hostName,
            e.directoryCategory.fullViewableName,
            e.directoryCategory.specialEncoding,
            e.directoryTitle,
        )
        for e in elements
    ]


# ---- the protocol ----


class Session:
    """What the harness told so far."""

    def __init__(self, toolkit: Toolkit) -> None:
        self.toolkit = toolkit
        self.sets: list[Any] = []
        self.google: Any = []
        self.last: tuple[str, Any] | None = None

    def answer(self, command: str, *words: str) -> str:
        method = getattr(self, f"on_{command}", None)
        if method is None:
            raise Unsupported(f"no command {command}")
        return " ".join(["ok", *(str(word) for word in method(*words) or ())])

    def on_hello(self) -> list[Any]:
        return [1, self.toolkit.name]

    def on_load(self, kind: str, path: str) -> list[Any]:
        trace = read_trace(kind, path)
        if kind == "google":
            self.google = trace
            SEARCH["maxResults"] = len(trace)
        else:
            self.sets.append(self.toolkit.values(kind, trace))
        return [1 if kind == "bytes" else len(trace) // 8 if kind == "packed" else len(trace)]

    def on_clear(self) -> None:
        self.sets, self.google = [], []
        SEARCH["maxResults"] = 1

    def on_set(self, name: str, value: str) -> None:
        self.toolkit.set(name, value)

    def on_serve(self, contract: str) -> list[Any]:
        return [self.toolkit.serve(contract, self.google)]

    def on_stop(self) -> None:
        self.toolkit.stop()

    def on_call(self, operation: str, url: str, count: str) -> list[str]:
        call = self.toolkit.caller(operation, url)
        no_values = operation in ("echoVoid", "doGoogleSearch")
        sets = [None] if no_values else self.sets
        now = time.monotonic_ns
        samples = []
        result = None
        for index in range(int(count)):
            values = sets[index % len(sets)]
            start = now()
            result = call(values)
            samples.append(f"{start},{now()}")
        self.last = (operation, result)
        return samples

    def on_run(self, application: str, size: str) -> list[Any]:
        return self.toolkit.run(application, int(size))

    def on_dump(self, path: str) -> list[int]:
        if self.last is None:
            raise ValueError("no call yet")
        operation, result = self.last
        if operation == "echoVoid":
            return [write_trace("strings", [], path)]
        if operation.startswith("send"):
            return [write_trace("ints", [int(result)], path)]
        kind = kind_of(operation)
        return [write_trace(kind, self.toolkit.trace(kind, result), path)]

    def on_reset(self) -> None:
        self.toolkit.reset()


def main(toolkit: Toolkit) -> None:
    session = Session(toolkit)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a toolkit prints is no answer
    for line in sys.stdin:
        words = line.split()
        if words == ["quit"]:
            answers.write("ok\n")
            break
        try:
            said = session.answer(*words)
        except Unsupported as why:
            said = f"unsupported {why}"
        except Exception as problem:  # whatever it is, the harness must hear of it
            said = f"error {type(problem).__name__}: {problem}".replace("\n", " ")
        answers.write(said + "\n")
        answers.flush()
    answers.flush()
    os._exit(0)
