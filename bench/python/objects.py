"""Structs in Python: Castile beside zeep, in one process and one run.

    python bench/python/objects.py            # needs castile and zeep in one environment
    python bench/python/objects.py --gsoap interop/build/gsoap/best/memory      # gSOAP's structs in C++, too

10,000 mesh interface objects (int, int, double) and 10,000 events (int, double, string) are encoded into a
request's envelope and decoded from a reply's, in memory. Candidates take turns; what is printed are
medians and their ratios. Before anything is timed, both sides' bytes are decoded by both and compared:
a wrong answer ends the run.

What flatters or hurts somebody: zeep's figures include what it cannot do without, building and parsing an
lxml tree, as Castile's include its writer and reader. zeep is given its own objects, Castile its own objects,
dicts, or NumPy arrays, as the line says. Garbage collection is left as Python has it. gSOAP's program
measures itself, with values of its own of the same kind, and takes its turn between the kinds.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import castile
import numpy as np
import zeep
import zeep.helpers
from lxml import etree

WSDL = Path(__file__).resolve().parents[2] / "interop" / "interop.wsdl"
ENDPOINT = "http://127.0.0.1:9/"
TYPES = "{urn:castile:interop:types}"
Action = Callable[[], Any]


class Reply:
    """What zeep's transport would hand to its decoder."""

    status_code = 200
    encoding = "utf-8"

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.headers = {"Content-Type": "text/xml; charset=utf-8"}


class Zeep:
    """zeep without a network."""

    def __init__(self) -> None:
        self.client = zeep.Client(str(WSDL))
        self.binding = self.client.service._binding

    def encode(self, operation: str, values: dict[str, Any]) -> bytes:
        """The bytes of a request."""
        envelope = self.client.create_message(self.client.service, operation, **values)
        return etree.tostring(envelope)

    def decode(self, operation: str, reply: bytes) -> Any:
        """The value of a reply."""
        found = self.binding.get(operation)
        return self.binding.process_reply(self.client, found, Reply(reply))


def mios(count: int) -> list[dict[str, Any]]:
    """Mesh interface objects."""
    dice = random.Random(1)
    return [
        {"x": dice.randrange(100_000), "y": dice.randrange(100_000), "value": dice.random()}
        for _ in range(count)
    ]


def events(count: int) -> list[dict[str, Any]]:
    """Events whose texts are 16 letters long."""
    dice = random.Random(2)
    letters = "abcdefghijklmnopqrstuvwxyz"
    return [
        {"id": dice.randrange(100_000), "value": dice.random(), "text": "".join(dice.choices(letters, k=16))}
        for _ in range(count)
    ]


def measure(actions: dict[str, Action], rounds: int) -> dict[str, list[float]]:
    """Seconds of this thread of each action; slow ones take fewer turns."""
    seconds: dict[str, list[float]] = {name: [] for name in actions}
    for name, action in actions.items():
        turns = rounds if not name.startswith("zeep") else max(3, rounds // 10)
        action()
        for _ in range(turns):
            started = time.thread_time()
            action()
            seconds[name].append(time.thread_time() - started)
    return seconds


def compare(kind: str, values: list[dict[str, Any]], rounds: int) -> dict[str, list[float]]:
    """Seconds of all candidates for one kind of struct, after their answers were compared."""
    plural, type_name = {"mio": ("echoMios", "Mio"), "event": ("echoEvents", "Event")}[kind]
    other = Zeep()
    # Each message is written anew: what is made from the last one has a line of its own.
    arrays = castile.Client(WSDL, endpoint=ENDPOINT, cache=False, differential=False)
    objects = castile.Client(WSDL, endpoint=ENDPOINT, cache=False, differential=False, rows="objects")
    again = castile.Client(WSDL, endpoint=ENDPOINT, cache=False)
    castile_type, zeep_type = objects.type(TYPES + type_name), other.client.get_type(TYPES + type_name)
    typed = [castile_type(**value) for value in values]
    theirs = [zeep_type(**value) for value in values]

    request = objects.encode(plural, typed)
    reply = request.replace(f"{plural}>".encode(), f"{plural}Response>".encode())
    reply = reply.replace(f"{plural} ".encode(), f"{plural}Response ".encode())
    got, expected = objects.decode(plural, reply), other.decode(plural, reply)
    if castile.asdict(got) != values or zeep.helpers.serialize_object(expected, dict) != values:
        raise SystemExit(f"wrong answer: {kind}")
    if content(request) != content(other.encode(plural, {kind: theirs})):
        raise SystemExit(f"wrong request: {kind}")

    actions: dict[str, Action] = {
        "decode into objects": lambda: objects.decode(plural, reply),
        "encode objects": lambda: objects.encode(plural, typed),
        "encode dicts": lambda: objects.encode(plural, values),
    }
    if kind == "mio":
        array = arrays.decode(plural, reply)
        if not isinstance(array, np.ndarray) or array["value"].tolist() != [v["value"] for v in values]:
            raise SystemExit("wrong answer: array")
        actions["decode into NumPy"] = lambda: arrays.decode(plural, reply)
        actions["encode NumPy"] = lambda: arrays.encode(plural, array)
        actions["encode NumPy again"] = lambda: again.encode(plural, array)
    actions["zeep decode"] = lambda: other.decode(plural, reply)
    actions["zeep encode"] = lambda: other.encode(plural, {kind: theirs})
    return measure(actions, rounds)


def gsoap(program: str, count: int) -> dict[str, tuple[float, float]]:
    """Nanoseconds that gSOAP needs to write and to read a struct, by kind."""
    output = subprocess.run([program, str(count)], check=True, capture_output=True, text=True).stdout
    lines = [line.split() for line in output.splitlines()]
    return {name.removesuffix("s").lower(): (float(write), float(read)) for name, write, read in lines}


def content(envelope: bytes) -> list[tuple[str, float | str]]:
    """The elements of a body with their values, whatever their prefixes and forms of numbers."""
    return [
        (str(element.tag), value(element.text or ""))
        for element in etree.fromstring(envelope).iter()
        if "envelope" not in str(element.tag)
    ]


def value(text: str) -> float | str:
    """A number, or text without the space around it."""
    try:
        return float(text)
    except ValueError:
        return text.strip()


def main() -> None:
    """Prints the table, or JSON."""
    parser = argparse.ArgumentParser(description="Castile's structs in Python beside zeep's")
    parser.add_argument("--count", type=int, default=10_000, help="structs a message")
    parser.add_argument("--rounds", type=int, default=50, help="turns of Castile; zeep takes a tenth")
    parser.add_argument("--gsoap", help="gSOAP's measurement in memory, to run as well")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures: dict[str, dict[str, float]] = {}
    for kind, values in (("mio", mios(options.count)), ("event", events(options.count))):
        seconds = compare(kind, values, options.rounds)
        figures[kind] = {
            name: statistics.median(found) / options.count * 1e9 for name, found in seconds.items()
        }
        if options.gsoap:
            write, read = gsoap(options.gsoap, options.count)[kind]
            figures[kind] |= {"gSOAP encode": write, "gSOAP decode": read}
    if options.json:
        print(json.dumps(figures, indent=1))
        return
    others = ["zeep", "gSOAP"] if options.gsoap else ["zeep"]
    named = ", ".join(others)
    print(f"{options.count} structs: ns each (median), times faster than {named} (zeep {zeep.__version__})")
    for kind, row in figures.items():
        for name, nanoseconds in row.items():
            way = "decode" if "decode" in name else "encode"
            times = "".join(f"  {row[f'{other} {way}'] / nanoseconds:6.1f}" for other in others)
            print(f"  {kind:6} {name:20} {nanoseconds:9.0f}{times}")


if __name__ == "__main__":
    main()
