"""zeep's caches, by name only: Castile keeps compiled contracts on disk by itself."""

from __future__ import annotations

from typing import Any

__all__ = ["Base", "InMemoryCache", "SqliteCache"]


class Base:
    """A cache of documents. The arguments are zeep's, and not used."""

    def __init__(self, path: Any = None, timeout: int = 3600) -> None:
        self.path, self.timeout = path, timeout


class InMemoryCache(Base):
    """Documents in memory."""

    def __init__(self, timeout: int = 3600) -> None:
        super().__init__(None, timeout)


class SqliteCache(Base):
    """Documents in a file."""
