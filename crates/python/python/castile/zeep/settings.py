"""zeep's settings."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Settings"]


@dataclass
class Settings:
    """How messages are made and read.

    `strict` checks values as the schema says; `raw_response` gives the reply as it came;
    `extra_http_headers` go with every request; with `force_https` the ports of a WSDL that came by TLS are
    called by TLS. The other names are zeep's and change nothing: DTDs and entities are always refused, and
    the order of elements is read tolerantly unless `strict`.

    As a context, `with client.settings(raw_response=True):` changes settings for this thread and block.
    """

    strict: bool = True
    raw_response: bool = False
    force_https: bool = True
    extra_http_headers: Any = None
    xml_huge_tree: bool = False
    forbid_dtd: bool = False
    forbid_entities: bool = True
    forbid_external: bool = False
    xsd_ignore_sequence_order: bool = False
    _here: threading.local = field(default_factory=threading.local, repr=False, compare=False)

    @contextmanager
    def __call__(self, **options: Any) -> Iterator[None]:
        """Other settings in this block."""
        for name in options:
            if name.startswith("_") or not hasattr(type(self), name):
                raise AttributeError(f"Settings has no {name!r}")
        before = dict(self._here.__dict__)
        self._here.__dict__.update(options)
        try:
            yield
        finally:
            self._here.__dict__.clear()
            self._here.__dict__.update(before)

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_"):
            here = object.__getattribute__(self, "_here").__dict__
            if name in here:
                return here[name]
        return object.__getattribute__(self, name)
