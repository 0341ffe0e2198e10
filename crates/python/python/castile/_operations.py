"""What users see of an operation: its signature and its help."""

from __future__ import annotations

import difflib
import inspect
import textwrap
from collections.abc import Iterable
from typing import Any

from ._castile import OperationFace, ParameterFace
from ._names import attribute_names

_PYTHON = {
    "boolean": "bool",
    "float": "float",
    "double": "float",
    "decimal": "Decimal",
    "dateTime": "datetime",
    "date": "date",
    "time": "time",
    "duration": "timedelta",
    "base64Binary": "bytes",
    "hexBinary": "bytes",
    "QName": "QName",
    "anyType": "Any",
}
_INTEGERS = {
    "integer",
    "nonPositiveInteger",
    "negativeInteger",
    "nonNegativeInteger",
    "positiveInteger",
    "long",
    "int",
    "short",
    "byte",
    "unsignedLong",
    "unsignedInt",
    "unsignedShort",
    "unsignedByte",
}
_ARRAYS = (_INTEGERS | {"boolean", "float", "double"}) - {
    "integer",
    "nonPositiveInteger",
    "negativeInteger",
    "nonNegativeInteger",
    "positiveInteger",
}


class _Shown(str):
    """A type as signatures show it: without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def signature(face: OperationFace) -> inspect.Signature:
    """The call's parameters, as `inspect.signature` and completion show them."""
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    faces = face.parameters
    names = attribute_names(tuple(p.name for p in faces))
    parameters: list[inspect.Parameter] = []
    for name, parameter in zip(names, faces, strict=True):
        default = inspect.Parameter.empty if parameter.required else None
        # After one that may be left out a signature can have one that must be given only by its name.
        if parameter.required and parameters and parameters[-1].default is None:
            kind = inspect.Parameter.KEYWORD_ONLY
        parameters.append(
            inspect.Parameter(name, kind, default=default, annotation=_Shown(python_type(parameter)))
        )
    return inspect.Signature(parameters, return_annotation=_returns(face.results))


def help_text(face: OperationFace) -> str:
    """The operation's help."""
    names = attribute_names(tuple(p.name for p in face.parameters))
    lines = [f"{face.name}{signature(face)}"]
    if face.doc:
        lines += ["", *textwrap.wrap(face.doc, 100)]
    if face.parameters:
        lines += ["", "Parameters:", *(_line(n, p) for n, p in zip(names, face.parameters, strict=True))]
    if face.results:
        lines += ["", "Returns:", *(_line(p.name, p) for p in face.results)]
    if face.headers:
        lines += ["", "Headers:", *(_line(p.name, p) for p in face.headers)]
    if face.faults:
        lines += ["", "Faults:", *(f"  {f.name}: {f.type_name}, element {f.element}" for f in face.faults)]
    if face.one_way:
        lines += ["", "One-way: nothing comes back."]
    parts = [*face.parameters, *face.results, *face.headers]
    if any(p.type_name.startswith("{") for p in parts):
        lines += [
            "",
            "client.types lists types with classes; help(client.type(name)) says what is in one.",
        ]
    if face.unsupported:
        lines += ["", f"Cannot be called: {face.unsupported}"]
    return "\n".join(lines)


_SHOWN_MAX = 20
_VALUES_MAX = 8


def no_operation(name: str, known: Iterable[str]) -> str:
    """What is said of a name that no operation has.

    >>> no_operation("ad", ["add", "sub"])
    "there is no operation 'ad'; did you mean 'add'?"
    >>> no_operation("x", ["add", "sub"])
    "there is no operation 'x'; there are add, sub"
    """
    names = sorted(known)
    near = close_name(name, names)
    if near is not None:
        return f"there is no operation {name!r}; did you mean {near!r}?"
    shown = ", ".join(names[:_SHOWN_MAX]) + (", ..." if len(names) > _SHOWN_MAX else "")
    return f"there is no operation {name!r}; there are {shown or 'none'}"


def close_name(name: str, known: Iterable[str]) -> str | None:
    """The name that was probably meant: letters of another case, or few other letters."""
    lower = {n.lower(): n for n in known}
    near = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.75)
    return lower[near[0]] if near else None


def python_type(parameter: ParameterFace) -> str:
    """What a value of a parameter is in Python, for help."""
    label = parameter.type_name
    if not label.startswith("xsd:"):
        plain = label.rpartition("}")[2]
    else:
        local = label.removeprefix("xsd:")
        if parameter.many and local in _ARRAYS:
            return f"ndarray[{local}]"
        plain = "int" if local in _INTEGERS else _PYTHON.get(local, "str")
    return f"list[{plain}]" if parameter.many else plain


def _returns(results: Iterable[ParameterFace]) -> str | None:
    results = list(results)
    match results:
        case []:
            return None
        case [only]:
            return _Shown(python_type(only))
        case _:
            return _Shown("Record")


def _line(name: str, parameter: ParameterFace) -> str:
    marks: list[Any] = [parameter.type_name]
    if parameter.many:
        marks.append("1 or more" if parameter.required else "any number")
    elif not parameter.required:
        marks.append("optional")
    if parameter.values:
        marks.append(_one_of(parameter.values))
    text = f"    {name}: {', '.join(marks)}"
    return f"{text}. {parameter.doc}" if parameter.doc else text


def _one_of(values: list[str]) -> str:
    """The texts of an enumeration, the first few.

    >>> _one_of(["BEGIN", "END"])
    'one of BEGIN, END'
    >>> _one_of([str(i) for i in range(10)])
    'one of 0, 1, 2, 3, 4, 5, 6, 7, ... (10 in all)'
    """
    more = f", ... ({len(values)} in all)" if len(values) > _VALUES_MAX else ""
    return f"one of {', '.join(values[:_VALUES_MAX])}{more}"
