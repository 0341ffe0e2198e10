"""Layers: what adds headers to messages and checks those that come.

```
camera = castile.Client(
    "devicemgmt.wsdl", endpoint="http://192.168.1.7/onvif/device_service",
    layers=[castile.UsernameToken("admin", "secret")],
)
```
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from . import _castile

__all__ = [
    "Addressing",
    "Callbacks",
    "CheckAddressing",
    "CheckSecurity",
    "CheckXRoad",
    "EndpointReference",
    "Timestamp",
    "UsernameToken",
    "XRoad",
    "clock_offset",
]


class UsernameToken:
    """Says who we are in the SOAP header (WS-Security UsernameToken Profile).

    `password` goes as a digest, which has a nonce and the time in it, or as `"text"`, or not at all
    (`"none"`). `clock_offset` are the seconds that the peer's clock is ahead of ours; it may be set
    later, also while the client is in use, and `castile.clock_offset` asks an ONVIF device for it.
    Operations in `without` are called without a token.

    >>> token = UsernameToken("admin", "secret")
    >>> token
    UsernameToken('admin', '***')
    >>> token.clock_offset = -3.5
    >>> token.clock_offset
    -3.5
    """

    def __init__(
        self,
        user: str,
        password: str = "",
        kind: Literal["digest", "text", "none"] = "digest",
        *,
        nonce: bool | None = None,
        created: bool | None = None,
        clock_offset: float = 0.0,
        must_understand: bool = True,
        actor: str | None = None,
        without: Iterable[str] = ("GetSystemDateAndTime",),
    ) -> None:
        if kind not in ("digest", "text", "none"):
            raise ValueError(f"kind is 'digest', 'text' or 'none', not {kind!r}")
        self.user = user
        self._clock = _castile.Clock(round(clock_offset * 1000))
        self._settings = {
            "user": user,
            "password": password,
            "kind": kind,
            "nonce": nonce,
            "created": created,
            "must_understand": must_understand,
            "actor": actor,
            "without": list(without),
            "clock": self._clock,
        }

    @property
    def clock_offset(self) -> float:
        """Seconds that the peer's clock is ahead of ours."""
        return self._clock.offset / 1000

    @clock_offset.setter
    def clock_offset(self, seconds: float) -> None:
        self._clock.set(round(seconds * 1000))

    def __repr__(self) -> str:
        return f"UsernameToken({self.user!r}, '***')"


@dataclass(frozen=True)
class Timestamp:
    """Says when a request was made and for how many seconds it is good, and checks the timestamps of
    replies: `skew_max` seconds may the peer's clock be off, and with `reply_required` a reply must
    have one.
    """

    lifetime: float | None = 300.0
    skew_max: float = 300.0
    reply_required: bool = False


@dataclass(frozen=True)
class CheckSecurity:
    """Checks the WS-Security header of requests: `users` are names and passwords, of which each request
    must prove one; `castile.current_call().principal` tells a handler which.

    A token may be `age_max` seconds old and `skew_max` seconds from the future, and works once:
    `nonces_max` are remembered. With `text=False` only digests are taken. `timestamp` asks for a
    timestamp, `reply_timestamp` adds one to replies. Operations in `without` anyone may call.
    """

    users: Mapping[str, str] | None = field(default=None, repr=False)
    text: bool = True
    timestamp: bool = False
    skew_max: float = 60.0
    age_max: float = 300.0
    nonces_max: int = 100_000
    reply_timestamp: bool = False
    without: Sequence[str] = ()


@dataclass(frozen=True)
class EndpointReference:
    """An address, and header blocks (as XML) that go with every message to it (WS-Addressing)."""

    address: str
    parameters: Sequence[str] = ()


class Callbacks:
    """Listens for replies that do not come back over the connection of their request. Give it to
    `Addressing(callbacks=...)`; several clients may share one.

    Port 0 takes a free one. `public_url` is the address that peers are told, when it is not the one
    that is listened on.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0, *, public_url: str | None = None) -> None:
        self._core = _castile.Listener(host, port, public_url)

    @property
    def url(self) -> str:
        """The address that peers are told."""
        return self._core.url

    def stop(self) -> None:
        """Stops listening."""
        self._core.stop()

    def __enter__(self) -> Callbacks:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<castile.Callbacks at {self.url}>"


Target: TypeAlias = "str | EndpointReference | None"


@dataclass(frozen=True)
class Addressing:
    """WS-Addressing: each request has an action, an id, and the address it is for, and a reply must
    relate to it.

    `version` is `"1.0"` or `"2004/08"`. `to` stands in the header instead of the endpoint; `reply_to`
    and `fault_to` say where answers go, `callbacks` listens for them. With `must_understand` a peer that
    does not know WS-Addressing refuses the message; with `reply_required` a reply must say to which
    request it belongs.
    """

    version: Literal["1.0", "2004/08"] = "1.0"
    to: Target = None
    sender: Target = None
    reply_to: Target = None
    fault_to: Target = None
    callbacks: Callbacks | None = None
    must_understand: bool = False
    reply_required: bool = False


@dataclass(frozen=True)
class CheckAddressing:
    """WS-Addressing of a server: replies relate to their requests, and go where the caller wants them.

    With `required` a request without addressing headers is refused. Replies go back over the
    connection unless `reply_hosts` has the `host` or `host:port` that the caller names; `"*"` allows
    any, so that a caller can make the server send anywhere.
    """

    required: bool = False
    reply_hosts: Sequence[str] = ()


@dataclass(frozen=True)
class XRoad:
    """The headers of X-Road (message protocol 4.0) on every call: `client` calls `service`, each
    `"INSTANCE/CLASS/CODE"` or `"INSTANCE/CLASS/CODE/SUBSYSTEM"`, in the name of `user_id`.

    The code of the service is the operation's name unless `service_code` says otherwise. A reply must
    have the id of its request. Parts beside its envelope are in `client.last_call.attachments`.
    """

    client: str
    service: str
    user_id: str
    service_version: str | None = None
    service_code: str | None = None
    issue: str | None = None


@dataclass(frozen=True)
class CheckXRoad:
    """The headers of X-Road on a server: requests must have them, and replies repeat them."""


Layer: TypeAlias = "UsernameToken | Timestamp | Addressing | XRoad"
ServerLayer: TypeAlias = "CheckSecurity | CheckAddressing | CheckXRoad"


def clock_offset(client: Any) -> float:
    """The seconds that the clock of an ONVIF device is ahead of ours: calls its
    `GetSystemDateAndTime`, which needs no token.

    ```
    token = castile.UsernameToken("admin", "secret")
    camera = castile.Client("devicemgmt.wsdl", endpoint=url, layers=[token])
    token.clock_offset = castile.clock_offset(camera)
    ```
    """
    before = datetime.now(UTC)
    told = client.service.GetSystemDateAndTime()
    after = datetime.now(UTC)
    utc = told.UTCDateTime
    if utc is None:
        raise ValueError("the device does not tell its time in UTC")
    day, time = utc.Date, utc.Time
    there = datetime(day.Year, day.Month, day.Day, time.Hour, time.Minute, time.Second, tzinfo=UTC)
    return (there - (before + (after - before) / 2)).total_seconds()


def client_layers(layers: Layer | Iterable[Layer]) -> list[tuple[str, dict[str, Any]]]:
    """The layers as the core takes them: token and timestamp share one header block."""
    security: dict[str, Any] = {}
    others = []
    for layer in layers if isinstance(layers, Iterable) else (layers,):
        match layer:
            case UsernameToken():
                security.update(layer._settings)
            case Timestamp(lifetime, skew_max, reply_required):
                security.update(
                    timestamp=True, lifetime=lifetime, skew_max=skew_max, reply_timestamp=reply_required
                )
            case Addressing():
                others.append(("addressing", _addressing(layer)))
            case XRoad():
                others.append(("xroad", dict(vars(layer))))
            case _:
                raise TypeError(
                    f"a client's layers are UsernameToken, Timestamp, Addressing and XRoad, not {layer!r}"
                )
    return [*others, ("security", security)] if security else others


def server_layers(layers: ServerLayer | Iterable[ServerLayer]) -> list[tuple[str, dict[str, Any]]]:
    """The layers as the core takes them."""
    made: list[tuple[str, dict[str, Any]]] = []
    for layer in layers if isinstance(layers, Iterable) else (layers,):
        match layer:
            case CheckSecurity():
                users = None if layer.users is None else dict(layer.users)
                made.append(("security", vars(layer) | {"users": users, "without": list(layer.without)}))
            case CheckAddressing(required, hosts):
                made.append(("addressing", {"required": required, "reply_hosts": list(hosts) or None}))
            case CheckXRoad():
                made.append(("xroad", {}))
            case _:
                raise TypeError(
                    f"a server's layers are CheckSecurity, CheckAddressing and CheckXRoad, not {layer!r}"
                )
    return made


def _addressing(layer: Addressing) -> dict[str, Any]:
    settings: dict[str, Any] = dict(vars(layer))
    for name in ("to", "sender", "reply_to", "fault_to"):
        settings[name] = _reference(settings[name])
    settings["callbacks"] = layer.callbacks._core if layer.callbacks else None
    return settings


def _reference(target: Target) -> tuple[str, list[str]] | None:
    match target:
        case None:
            return None
        case EndpointReference(address, parameters):
            return (address, [str(block) for block in parameters])
        case _:
            return (target, [])
