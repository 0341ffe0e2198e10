"""A service that echoes values of every type that hints can describe."""

import dataclasses
import datetime as dt
import enum
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import castile
import numpy as np
import numpy.typing as npt

MIO = np.dtype([("x", np.int32), ("y", np.int32), ("value", np.float64)])
Mios = Annotated[np.ndarray, MIO, "Mio"]


class Color(enum.Enum):
    """Colors."""

    RED = "red"
    DEEP_BLUE = "deep blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 7


@dataclasses.dataclass
class Point:
    """A place."""

    x: float
    y: float = 0.0
    label: str | None = None


@dataclasses.dataclass
class Shape:
    name: str


@dataclasses.dataclass
class Circle(Shape):
    center: Point
    radius: float


@dataclasses.dataclass
class Tree:
    value: int
    children: list["Tree"] = dataclasses.field(default_factory=list)


class Pair(NamedTuple):
    left: int
    right: str = "r"


class Options(TypedDict):
    deep: bool
    from_: str


@dataclasses.dataclass
class NoAccount(Exception):
    """There is no such account."""

    account: int
    hints: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Event:
    seq: int
    time: float
    name: str


@castile.service(namespace="urn:everything", name="Everything")
class Everything:
    """Echoes."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    @castile.operation
    def void(self) -> None:
        pass

    @castile.operation
    def add(self, a: int, b: int = 10) -> int:
        """Adds two numbers."""
        return a + b

    @castile.operation(name="bool")
    def bool_(self, v: bool) -> bool:
        assert isinstance(v, bool)
        return v

    @castile.operation(name="int")
    def int_(self, v: int) -> int:
        assert type(v) is int
        return v

    @castile.operation(name="float")
    def float_(self, v: float) -> float:
        assert type(v) is float
        return v

    @castile.operation(name="str")
    def str_(self, v: str) -> str:
        assert type(v) is str
        return v

    @castile.operation(name="bytes")
    def bytes_(self, v: bytes) -> bytes:
        assert type(v) is bytes
        return v

    @castile.operation
    def decimal(self, v: Decimal) -> Decimal:
        assert type(v) is Decimal
        return v

    @castile.operation
    def datetime(self, v: dt.datetime) -> dt.datetime:
        return v

    @castile.operation
    def date(self, v: dt.date) -> dt.date:
        return v

    @castile.operation
    def time(self, v: dt.time) -> dt.time:
        return v

    @castile.operation
    def duration(self, v: dt.timedelta) -> dt.timedelta:
        return v

    @castile.operation
    def qname(self, v: castile.QName) -> castile.QName:
        assert type(v) is castile.QName
        return v

    @castile.operation
    def optional(self, v: str | None) -> str | None:
        return v

    @castile.operation
    def strs(self, v: list[str]) -> list[str]:
        assert type(v) is list
        return v

    @castile.operation
    def nested(self, v: list[list[float]]) -> list[list[float]]:
        assert all(type(x) is list for x in v), v
        return v

    @castile.operation
    def maybes(self, v: list[int | None]) -> list[int | None]:
        return v

    @castile.operation
    def doubles(self, v: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        assert v.dtype == np.float64
        return v

    @castile.operation
    def floats(self, v: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        assert v.dtype == np.float32
        return v

    @castile.operation
    def ints(self, v: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        assert v.dtype == np.int32
        return v

    @castile.operation
    def longs(self, v: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return v

    @castile.operation
    def ulongs(self, v: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
        return v

    @castile.operation
    def shorts(self, v: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
        return v

    @castile.operation
    def ubytes(self, v: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        return v

    @castile.operation
    def bools(self, v: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        return v

    @castile.operation
    def mios(self, v: Mios) -> Mios:
        assert v.dtype == MIO, v.dtype
        return v

    @castile.operation
    def events(self, v: list[Event]) -> list[Event]:
        assert all(type(e) is Event for e in v)
        return v

    @castile.operation
    def point(self, v: Point) -> Point:
        assert type(v) is Point
        return v

    @castile.operation
    def shape(self, v: Shape) -> Shape:
        assert isinstance(v, Shape)
        return v

    @castile.operation
    def tree(self, v: Tree) -> Tree:
        assert type(v) is Tree
        return v

    @castile.operation
    def pair(self, v: Pair) -> Pair:
        assert type(v) is Pair
        return v

    @castile.operation
    def options(self, v: Options) -> Options:
        return v

    @castile.operation
    def color(self, v: Color) -> Color:
        assert type(v) is Color
        return v

    @castile.operation
    def level(self, v: Level) -> Level:
        assert type(v) is Level
        return v

    @castile.operation
    def literal(self, v: Literal["up", "down"]) -> str:
        return v

    @castile.operation
    def anything(self, v: Any) -> Any:
        return v

    @castile.operation
    def several(self, v: int) -> tuple[int, str]:
        return v, str(v)

    @castile.operation
    async def later(self, v: int) -> int:
        return v + 1

    @castile.operation(one_way=True)
    def note(self, text: str) -> None:
        self.notes.append(text)

    @castile.operation(faults=[NoAccount])
    def account(self, number: int) -> int:
        if number < 0:
            raise NoAccount(number, ["look", "again"])
        if number == 0:
            raise castile.Fault("zero", code="Sender", subcodes=["{urn:x}Zero"])
        if number == 1:
            raise RuntimeError("a secret")
        return number

    @castile.operation(headers={"Session": str, "Trace": int})
    def session(self) -> str:
        call = castile.current_call()
        call.reply_headers = [castile.XML('<n:seen xmlns:n="urn:n">yes</n:seen>')]
        return f"{call.headers.get('Session')} {call.headers.get('Trace')}"

    @castile.operation
    def sleep(self, seconds: float) -> None:
        import time

        time.sleep(seconds)

    @castile.operation
    def bad_reply(self) -> int:
        return "not a number"
