"""What the exchanges cost: figures of both sides, put together message by message."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mesh import Field


@dataclass(frozen=True)
class Side:
    """One process's part in the exchanges; arrays in microseconds, one number an exchange."""

    name: str
    sent_bytes: Field
    encode: Field
    decode: Field
    compute: Field

    @property
    def messages(self) -> int:
        """How many messages this side sent."""
        return len(self.sent_bytes)


@dataclass(frozen=True)
class Costs:
    """The client's side, the server's side, and the time that neither spent: bytes on their way.

    `wire` is the client's wait for the reply without what the server says it did meanwhile; it holds
    the kernel, waking the other process, and reading and writing HTTP.
    """

    ocean: Side
    atmosphere: Side
    wire: Field

    def parts(self) -> dict[str, Field]:
        """The cost of each exchange of two messages by kind of work, microseconds; the models left out."""
        return {
            "encoding": self.ocean.encode + self.atmosphere.encode,
            "network": self.wire,
            "decoding": self.ocean.decode + self.atmosphere.decode,
        }

    def shares(self) -> dict[str, float]:
        """The part of each kind of work in all exchanges together; the parts add up to 1."""
        sums = {name: float(np.sum(values)) for name, values in self.parts().items()}
        total = sum(sums.values()) or 1.0
        return {name: value / total for name, value in sums.items()}
