"""Files of data and what is known of them, in SQLite."""

from __future__ import annotations

import datetime
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class Type(Enum):
    """What a value is, and so how it compares."""

    STRING = "string"
    INT = "int"
    DOUBLE = "double"
    DATE = "date"


class Comparison(Enum):
    """How a value stands to the one that is asked for."""

    EQUAL = "equal"
    LESS = "less"
    GREATER = "greater"
    LIKE = "like"


@dataclass
class Attribute:
    """One thing that is known of a file."""

    name: str
    type: Type
    value: str


@dataclass
class File:
    """A file by its logical name."""

    name: str
    attributes: list[Attribute]


@dataclass
class Condition:
    """What an attribute of a file must be."""

    name: str
    type: Type
    comparison: Comparison
    value: str


@dataclass
class AlreadyThere(Exception):
    """A file of this name was added before."""

    name: str


@dataclass
class NoSuchFile(Exception):
    """No file has this name."""

    name: str


@dataclass
class BadValue(Exception):
    """A value is not of its type."""

    name: str
    type: Type
    value: str


# What SQLite stores: numbers as numbers, so that 9 is less than 10. Dates are ISO 8601 and compare as texts.
STORED: dict[Type, Callable[[str], str | int | float]] = {
    Type.STRING: str,
    Type.INT: int,
    Type.DOUBLE: float,
    Type.DATE: lambda text: datetime.date.fromisoformat(text).isoformat(),
}
OPERATOR = {
    Comparison.EQUAL: "=",
    Comparison.LESS: "<",
    Comparison.GREATER: ">",
    Comparison.LIKE: "LIKE",
}
SCHEMA = """
CREATE TABLE IF NOT EXISTS file (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS attribute (
    file INTEGER NOT NULL REFERENCES file (id),
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    value NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS by_value ON attribute (name, type, value);
CREATE INDEX IF NOT EXISTS by_file ON attribute (file);
"""


def stored(name: str, type_: Type, value: str) -> str | int | float:
    """The value as SQLite stores it."""
    try:
        number = STORED[type_](value)
        if isinstance(number, int) and not -(2**63) <= number < 2**63:
            raise ValueError("more than SQLite's 64 bits")
    except ValueError:
        raise BadValue(name, type_, value) from None
    return number


class Store:
    """The database; any number of threads may use it."""

    def __init__(self, database: str = ":memory:") -> None:
        self._lock = threading.Lock()
        self._base = sqlite3.connect(database, check_same_thread=False)
        self._base.executescript(SCHEMA)

    def add(self, files: list[File]) -> int:
        """Adds files, all or none; gives how many files there are now."""
        rows = [
            [(a.name, a.type.value, stored(a.name, a.type, a.value), a.value) for a in f.attributes]
            for f in files
        ]
        with self._lock, self._base:  # commits, or takes everything back
            for file, attributes in zip(files, rows, strict=True):
                try:
                    number = self._base.execute("INSERT INTO file (name) VALUES (?)", [file.name]).lastrowid
                except sqlite3.IntegrityError:
                    raise AlreadyThere(file.name) from None
                self._base.executemany(
                    "INSERT INTO attribute VALUES (?, ?, ?, ?, ?)", [(number, *row) for row in attributes]
                )
            (count,) = self._base.execute("SELECT count(*) FROM file").fetchone()
        return int(count)

    def find(self, conditions: list[Condition]) -> list[str]:
        """Names of the files for which all conditions hold, in alphabetical order."""
        query, values = "SELECT name FROM file", []
        for index, wanted in enumerate(conditions):
            query += " AND" if index else " WHERE"
            query += (
                " id IN (SELECT file FROM attribute WHERE name = ? AND type = ?"
                f" AND value {OPERATOR[wanted.comparison]} ?)"
            )
            values += [wanted.name, wanted.type.value, stored(wanted.name, wanted.type, wanted.value)]
        with self._lock:
            return [name for (name,) in self._base.execute(f"{query} ORDER BY name", values)]

    def describe(self, name: str) -> list[Attribute]:
        """All attributes of a file, in the order in which they were added."""
        with self._lock:
            found = self._base.execute("SELECT id FROM file WHERE name = ?", [name]).fetchone()
            if found is None:
                raise NoSuchFile(name)
            rows = self._base.execute(
                "SELECT name, type, text FROM attribute WHERE file = ? ORDER BY rowid", found
            ).fetchall()
        return [Attribute(attribute, Type(type_), text) for attribute, type_, text in rows]
