"""Settings of clients and servers, as small classes and as the flat dict that the core reads."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

__all__ = ["TLS", "Basic", "Bearer", "Differential", "Digest", "Timeouts"]

StrPath: TypeAlias = "str | os.PathLike[str]"


@dataclass(frozen=True)
class Basic:
    """HTTP basic authentication (RFC 7617), sent with the first request."""

    user: str
    password: str = field(repr=False)


@dataclass(frozen=True)
class Digest:
    """HTTP digest authentication (RFC 7616)."""

    user: str
    password: str = field(repr=False)


@dataclass(frozen=True)
class Bearer:
    """A bearer token (RFC 6750)."""

    token: str = field(repr=False)


@dataclass(frozen=True)
class TLS:
    """Whom to trust, and who we are. Everything may be left out.

    `ca` is a PEM file, or several, with roots to trust beside the system's (or instead of them,
    with `system_roots=False`); `cert` and `key` are PEM files of a client's (or a server's) own
    certificate. `verify=False` is for tests only: anyone on the way can then read and change every
    message.
    """

    ca: StrPath | Iterable[StrPath] = ()
    cert: StrPath | None = None
    key: StrPath | None = None
    system_roots: bool = True
    verify: bool = True


@dataclass(frozen=True)
class Timeouts:
    """Limits in seconds; `None` keeps the default: 10 s to connect, 300 s of silence, no limit
    on a whole call.
    """

    connect: float | None = None
    read: float | None = None
    call: float | None = None


@dataclass(frozen=True)
class Differential:
    """How a message is made, and read, from the last one like it. `None` keeps a default.

    `enabled=False` turns both off, `receive=False` only the reading. `keep=False` keeps no values of
    received messages, `keep_bytes` is what they may take together; `ahead=False` reads no array before its
    message has come, and `parts=False` reads a message that has something new from its start, and not only
    what is new. With `reuse="shared"` a reply that is one array and the same as the last gives the same array
    again, which is read-only; with `reuse="in_place"` one of the same length is written into the array that
    the last call gave, which so changes for everybody who holds it (clients).

    `pad=False` keeps values at their exact width, for peers that cannot read `<v>1.5  </v>`;
    `pad_between=True` puts the spaces behind the closing tag, which then moves.
    `stuffing` gives every number so many characters from the start, or so many by type
    (`{"double": 18, "integer": 6}`), or `"max"`, the most that its type can take, so that none ever has to
    be moved, or `"typical"`, what most of its array took so far. Arrays of fewer than `values_min` values and
    texts of fewer than `text_bytes_min` bytes are written anew each time. `chunk_bytes`,
    `split_bytes` and `reserve_bytes` cut the memory of an array, `steal_reach` says how many
    neighbours a growing number may take spaces from, and `slack_bytes` how many spaces every eighth
    number behind gets when one found none to take. Of a chunk what changed is put where it was, or, with
    `pad=False`, what stayed is copied and what changed written between, or all is written anew, whichever is
    cheapest as measured when the first client or server starts: `rebuild=False` is never the second, and
    `rewrite_above` says for which part changed it is the last, and else the first.
    `one_pass=False` moves what lies behind a number once for each that grows, `pauses=False` goes on
    comparing and keeping arrays and texts of which hardly anything stays from message to message,
    `budget_bytes` is what all messages together may keep, and `spare_bytes` what the whole process may
    keep of memory that messages needed no longer, for the next.
    `verify` compares also what is tracked or hinted, and refuses a message of which a value changed
    without a mark: for tests.
    An array that takes more than `overlay_above` bytes is not kept, but sent while it is written.
    `structures_max` is how many shapes of one operation's messages are kept beside each other.
    With `share=True` clients of this process that have it write an array that several of them send, in any
    operation, only once; so do the servers that have it, for callers who are told the same. By default each
    server does so for its own operations, and no client; `share=False` is never.
    `threads` processors share the work on arrays of a megabyte and more.
    """

    enabled: bool = True
    receive: bool = True
    keep: bool = True
    keep_bytes: int | None = None
    ahead: bool = True
    parts: bool = True
    reuse: Literal["fresh", "shared", "in_place"] = "fresh"
    pad: bool | None = None
    pad_between: bool = False
    stuffing: int | Literal["max", "typical"] | dict[Literal["double", "float", "integer"], int] | None = None
    values_min: int | None = None
    text_bytes_min: int | None = None
    chunk_bytes: int | None = None
    split_bytes: int | None = None
    reserve_bytes: int | None = None
    steal_reach: int | None = None
    slack_bytes: int | None = None
    rebuild: bool = True
    rewrite_above: float | None = None
    one_pass: bool = True
    pauses: bool = True
    verify: bool = False
    budget_bytes: int | None = None
    spare_bytes: int | None = None
    overlay_above: int | None = None
    structures_max: int | None = None
    share: bool | None = None
    threads: int | None = None


Auth: TypeAlias = "tuple[str, str] | Basic | Digest | Bearer | None"
Rows: TypeAlias = Literal["numpy", "objects"]
Arrays: TypeAlias = Literal["numpy", "lists"]


def auth_setting(auth: Auth) -> tuple[str, str, str] | None:
    """How we say who we are: a pair is user and password of basic authentication."""
    match auth:
        case None:
            return None
        case Bearer(token):
            return ("bearer", token, "")
        case Digest(user, password):
            return ("digest", user, password)
        case Basic(user, password) | (user, password):
            return ("basic", user, password)
    raise TypeError(f"auth is a pair of user and password, Basic, Digest or Bearer, not {auth!r}")


def tls_settings(tls: TLS | None) -> dict[str, Any]:
    """The parts of a TLS setting."""
    if tls is None:
        return {}
    files = [tls.ca] if isinstance(tls.ca, (str, os.PathLike)) else list(tls.ca)
    return {
        "tls_ca_files": [os.fspath(file) for file in files],
        "tls_cert_pem": Path(tls.cert).read_bytes() if tls.cert is not None else None,
        "tls_key_pem": Path(tls.key).read_bytes() if tls.key is not None else None,
        "tls_system_roots": tls.system_roots,
        "tls_verify": tls.verify,
    }


def timeout_settings(timeout: float | Timeouts | None) -> dict[str, Any]:
    """The parts of a timeout: one number limits the whole call."""
    limits = timeout if isinstance(timeout, Timeouts) else Timeouts(call=timeout)
    return {"timeout_connect": limits.connect, "timeout_read": limits.read, "timeout_call": limits.call}


STUFFED_TYPES = ("double", "float", "integer")


def differential_settings(differential: bool | Differential) -> dict[str, Any]:
    """How messages are made from the last ones; a bool says whether at all."""
    if isinstance(differential, bool):
        differential = Differential(enabled=differential)
    settings = asdict(differential)
    match settings["stuffing"]:
        case str(name):
            settings |= {"stuffing": None, "stuffing_name": name}
        case dict(widths):
            if unknown := widths.keys() - STUFFED_TYPES:
                raise ValueError(f"stuffing has widths of {', '.join(STUFFED_TYPES)}, not {sorted(unknown)}")
            settings |= {"stuffing": None, "stuffing_types": tuple(widths.get(t, 0) for t in STUFFED_TYPES)}
    return {f"differential_{name}": value for name, value in settings.items()}


def cache_settings(cache: bool | StrPath) -> dict[str, Any]:
    """Where compiled contracts are kept: a folder, the usual place (`True`), nowhere (`False`)."""
    if isinstance(cache, bool):
        return {"cache_off": not cache}
    return {"cache_at": os.fspath(cache)}


def header_settings(headers: Mapping[str, str] | None) -> list[tuple[str, str]]:
    """Header fields of HTTP."""
    return list((headers or {}).items())
