"""Who fits whom: the ads of one pool."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from classad import Ad, BadExpression, holds, match, parse, rank


@dataclass
class Attribute:
    """One attribute of an ad; `type` is string, int, double, boolean or expression."""

    name: str
    type: str
    value: str


@dataclass
class ClassAd:
    """What a machine or a job says of itself; it has at least the texts MyType (Machine or Job) and Name."""

    attributes: list[Attribute]


@dataclass
class Match:
    """A job and the machine that it is given."""

    job: str
    machine: str
    rank: float


@dataclass
class BadAd(Exception):
    """An ad without name or type, or with a value that cannot be read."""

    name: str
    reason: str


@dataclass
class BadConstraint(Exception):
    """A text that is no expression."""

    reason: str


class Broker:
    """The ads of one pool. An ad replaces the last one of the same type and name."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ads: dict[tuple[str, str], tuple[Ad, ClassAd]] = {}

    def advertise(self, ads: list[ClassAd]) -> int:
        """Takes ads, all or none; gives how many the pool has now."""
        made = [(opened(ad), ad) for ad in ads]
        with self._lock:
            self._ads.update({key: (ad, said) for (key, ad), said in made})
            return len(self._ads)

    def withdraw(self, type: str, names: list[str]) -> int:
        """Takes ads back; gives how many there were."""
        with self._lock:
            return sum(self._ads.pop((type, name), None) is not None for name in names)

    def query(self, constraint: str) -> list[ClassAd]:
        """The ads for which the constraint holds, by type and name."""
        try:
            parse(constraint)
        except BadExpression as error:
            raise BadConstraint(str(error)) from None
        with self._lock:
            return [said for _, (ad, said) in self._sorted() if holds(constraint, ad)]

    def negotiate(self) -> list[Match]:
        """Gives each job, by name, the free machine that it likes best, of equals the first by name.

        Both then leave the pool.
        """
        with self._lock:
            free = self._of("Machine")
            jobs = self._of("Job")
            matches = []
            for job, wants in jobs:
                fitting = [
                    (rank(wants, ad), -place) for place, (_, ad) in enumerate(free) if match(wants, ad)
                ]
                if fitting:
                    liking, place = max(fitting)
                    machine, _ = free.pop(-place)
                    matches.append(Match(job, machine, liking))
            for found in matches:
                del self._ads["Job", found.job], self._ads["Machine", found.machine]
        return matches

    def _of(self, type_: str) -> list[tuple[str, Ad]]:
        """Names and ads of one type, by name."""
        return [(key[1], ad) for key, (ad, _) in self._sorted() if key[0] == type_]

    def _sorted(self) -> list[tuple[tuple[str, str], tuple[Ad, ClassAd]]]:
        """All ads by type and name."""
        return sorted(self._ads.items(), key=lambda pair: pair[0])


def opened(said: ClassAd) -> tuple[tuple[str, str], Ad]:
    """The ad of a message, and what it is found by."""
    values = {a.name: (a.type, a.value) for a in said.attributes}
    name = values.get("Name", ("", ""))[1]
    try:
        ad = Ad(values)
    except BadExpression as error:
        raise BadAd(name, str(error)) from None
    kind = ad.get("MyType")
    if kind not in ("Machine", "Job") or not name:
        raise BadAd(name, "MyType must be Machine or Job, and Name a text")
    return (str(kind), name), ad
