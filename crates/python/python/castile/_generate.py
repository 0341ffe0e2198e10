"""Source of Python for a contract."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from . import _castile
from ._options import StrPath, cache_settings

__all__ = ["generate"]


def generate(
    wsdl: StrPath | bytes,
    file: StrPath,
    *,
    catalogs: Iterable[StrPath] = (),
    cache: bool | StrPath = True,
    offline: bool = False,
) -> Path:
    """Writes a module with typed classes, clients and a base class for services: what `castile generate
    python` does.

    `file` is the module to write; beside it goes the contract, under the same name with `.contract`.
    """
    source = Path(file)
    beside = source.with_suffix(".contract")
    settings = {"catalogs": list(catalogs), "offline": offline, **cache_settings(cache)}
    text, contract = _castile.generate(wsdl, beside.name, settings)
    beside.write_bytes(contract)
    source.write_text(text, encoding="utf-8")
    return source
