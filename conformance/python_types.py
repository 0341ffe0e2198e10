"""What a generated Python client decodes is what the annotations say: for every module in a folder and the
samples beside it (see `src/python.rs`). Prints what differs and exits with 1 if anything does.
"""

from __future__ import annotations

import datetime
import importlib
import inspect
import sys
import types
import typing
from pathlib import Path

import castile
import numpy as np
from castile import typed

SHOWN_MAX = 40


class Wrong(Exception):
    """A value that its annotation does not allow."""


class Checker:
    """Compares values with annotations; those of a class are looked up once."""

    def __init__(self) -> None:
        self.hints: dict[type, dict[str, object]] = {}
        self.values = 0

    def check(self, value, hint, path):
        self.values += 1
        if hint is typing.Any:
            return
        if not self.is_of(value, hint, path):
            kind = f"{type(value).__module__}.{type(value).__name__}"
            raise Wrong(f"{path}: {value!r:.80} ({kind}) is no {hint}")

    def is_of(self, value, hint, path):
        origin, args = typing.get_origin(hint), typing.get_args(hint)
        if origin in (typing.Union, types.UnionType):
            return self.is_of_one(value, args, path)
        if origin is typing.Literal:
            return type(value) is str and value in args
        if origin is np.recarray:
            return isinstance(value, np.recarray)
        if origin is np.ndarray:
            (dtype,) = typing.get_args(args[1])
            return type(value) is np.ndarray and (dtype is typing.Any or value.dtype == np.dtype(dtype))
        if origin is list:
            if type(value) is not list:
                return False
            for n, item in enumerate(value):
                self.check(item, args[0], f"{path}[{n}]")
            return True
        if origin is dict:
            return type(value) is dict and all(type(k) is str and type(v) is str for k, v in value.items())
        if hint is None or hint is type(None):
            return value is None
        if hint is datetime.date:
            return type(value) is datetime.date
        if not isinstance(value, hint) or (isinstance(value, bool) and hint is int):
            return False
        if isinstance(value, castile.Record) and hint not in (castile.Record, castile.typed.ArrayRecord):
            self.record(value, path)
        return True

    def is_of_one(self, value, hints, path):
        """The class decides first: what is wrong inside a record shall be told."""
        for hint in hints:
            try:
                if self.is_of(value, hint, path):
                    return True
            except Wrong:
                if isinstance(value, castile.Record) and isinstance(hint, type) and isinstance(value, hint):
                    raise
        return False

    def record(self, value, path):
        cls = type(value)
        if cls not in self.hints:
            if not cls._castile_importable:
                raise Wrong(f"{path}: {cls} is not of the module")
            self.hints[cls] = typing.get_type_hints(cls)
        hints = self.hints[cls]
        for attr in cls._castile_attrs:
            self.check(getattr(value, attr), hints[attr], f"{path}.{attr}")


def samples(file):
    with file.open("rb") as stream:
        while head := stream.readline():
            wsdl, operation, kind, length = head.decode().rstrip("\n").split("\t")
            yield wsdl, operation, kind, stream.read(int(length))


def given(value):
    """The parameters of a request and those of the method say the same."""
    return [name for name in inspect.signature(value).parameters if name not in ("self", "_headers", "_call")]


class Module:
    """One generated module."""

    def __init__(self, name, checker):
        self.module = importlib.import_module(name)
        self.checker = checker
        self.client = self.module.Client(endpoint="http://127.0.0.1/", cache=False)
        (base,) = self.module.Client.__orig_bases__
        self.operations = vars(typing.get_args(base)[0])
        self.results = {}

    def sample(self, operation, kind, data):
        attr = castile._names.attribute_names((operation,))[0]
        method = self.operations[attr]
        if kind == "fault":
            return self.fault(operation, data)
        face = getattr(self.client.service, attr)
        named = list(inspect.signature(face).parameters)
        if sorted(given(method)) != sorted(named):
            raise Wrong(f"{operation}: takes {named}, says {given(method)}")
        if operation not in self.results:
            self.results[operation] = typing.get_type_hints(method)["return"]
        value = self.client.decode(operation, data)
        self.checker.check(value, self.results[operation], operation)

    def fault(self, operation, data):
        try:
            self.client.decode(operation, data)
        except typed.Fault as fault:
            (base,) = type(fault).__orig_bases__
            hint = typing.get_args(base)[0]
            if isinstance(hint, typing.ForwardRef):
                hint = hint.__forward_arg__
            self.checker.check(fault.detail, hint, f"{operation} fault")
        except castile.Fault as fault:
            raise Wrong(f"{operation}: {fault!r} is not typed") from None


def main(folder):
    sys.path.insert(0, str(folder))
    checker = Checker()
    wrong, total, modules, refused = [], 0, 0, 0
    for file in sorted(folder.glob("m*.samples")):
        modules += 1
        module = None
        for wsdl, operation, kind, data in samples(file):
            if kind == "request":
                continue
            total += 1
            try:
                module = module or Module(file.stem, checker)
                module.sample(operation, kind, data)
            except castile.Error:
                refused += 1  # Whether we read what we write is another program's question.
            except Exception as error:
                wrong.append(f"{wsdl} ({file.stem}) {operation} {kind}: {type(error).__name__}: {error}")
        if module is None:
            importlib.import_module(file.stem)
    # Of each operation the first.
    first = {tuple(line.split(": ")[0].split()[:3]): line for line in reversed(wrong)}
    for line in sorted(first.values())[:SHOWN_MAX]:
        print(f"DIFFERS {line}")
    print(
        f"{modules} generated Python modules: {total} messages, {checker.values} values compared with "
        f"annotations; {len(wrong)} messages differ, {refused} are not read"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
