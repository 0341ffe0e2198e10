"""The user's own exceptions for declared faults: which class is meant, and how it is filled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ._castile import FaultFace, OperationFace
from ._errors import BadValue, Fault
from ._operations import close_name
from ._records import Record

__all__ = ["OwnFaults"]

_SHOWN_MAX = 10


class OwnFaults:
    """Exception classes by the elements that stand in details, and by the types of these."""

    def __init__(self, classes: Iterable[type[Exception]], faces: Mapping[str, OperationFace]) -> None:
        declared = [fault for face in faces.values() for fault in face.faults]
        self._classes: dict[str, dict[str, type[Exception]]] = {}
        for cls in classes:
            meant = [fault for fault in declared if cls.__name__ in _names(fault)]
            if not meant:
                raise BadValue(_no_fault(cls.__name__, declared))
            for fault in meant:
                self._classes.setdefault(fault.element, {})[fault.type_name] = cls

    def of(self, fault: Fault) -> Exception:
        """The exception of the user's for a fault; the fault itself where there is none."""
        element = fault.details[0][0] if fault.details else ""
        detail = fault.detail
        classes = self._classes.get(element)
        if not classes or not isinstance(detail, Record):
            return fault
        # Of one element several faults may have types of their own.
        only = next(iter(classes.values())) if len(classes) == 1 else None
        cls = classes.get(detail._castile_type, only)
        if cls is None:
            return fault
        fields = zip(detail._castile_fields, detail._castile_attrs, strict=True)
        error = cls(**{attr: detail[name] for name, attr in fields if name in detail})
        error.__cause__ = fault
        return error


def _names(fault: FaultFace) -> tuple[str, str, str]:
    """What a fault is called: by the operation, its type and its element."""
    return fault.name, fault.type_name.rpartition("}")[2], fault.element.rpartition("}")[2]


def _no_fault(name: str, declared: Iterable[FaultFace]) -> str:
    known = sorted({fault.name for fault in declared})
    near = close_name(name, {name for fault in declared for name in _names(fault)})
    if near is not None:
        return f"faults: no operation declares a fault {name}; did you mean {near}?"
    shown = ", ".join(known[:_SHOWN_MAX]) + (", ..." if len(known) > _SHOWN_MAX else "")
    return f"faults: no operation declares a fault {name}; there are {shown or 'none'}"
