"""CWMP (TR-069): auto-configuration servers and the devices that they manage, both roles.

```
def manage(session):                             # an ACS: called for each device that informs
    serial = session.inform.DeviceId.SerialNumber
    values = session.service.GetParameterValues(["Device.DeviceInfo."])

castile.cwmp.serve(manage, "cwmp-1-2.xsd", port=7547)
```

```
cpe = castile.cwmp.Cpe("cwmp-1-2.xsd", "http://acs.example:7547/", {"GetParameterValues": get})
with cpe.inform(**what_it_is) as session:        # a device: it informs, and may ask
    session.service.TransferComplete(...)
session.calls                                    # how often the ACS called, when the block has ended
```

The schemas are those of the Broadband Forum, of as many versions as devices speak.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from . import _castile
from ._client import AsyncClient, Client
from ._errors import Fault
from ._handlers import FreeHandler
from ._options import (
    TLS,
    StrPath,
    Timeouts,
    auth_setting,
    cache_settings,
    header_settings,
    timeout_settings,
    tls_settings,
)
from ._records import Record
from ._serve import Running

__all__ = ["Acs", "AsyncSession", "ConnectionRequests", "Cpe", "CpeSession", "CwmpFault", "Session", "serve"]

log = logging.getLogger("castile.cwmp")


class CwmpFault(Fault):
    """A fault with a code of CWMP: 8000 to 8899 from an ACS, 9000 to 9899 from a device.

    Handlers raise it, and calls raise it for what the other side answers. `parameters` says what is wrong
    with each parameter that could not be set, as `(name, code, text)`.
    """

    def __init__(
        self, fault_code: int, text: str = "", parameters: Iterable[tuple[str, int, str]] = ()
    ) -> None:
        self.fault_code = int(fault_code)
        self.text = text
        self.parameters = [(name, int(code), why) for name, code, why in parameters]
        wrong = [
            {"ParameterName": name, "FaultCode": code, "FaultString": why}
            for name, code, why in self.parameters
        ]
        detail = {"FaultCode": self.fault_code, "FaultString": text, "SetParameterValuesFault": wrong}
        sender = self.fault_code in (8003, 9003, 9005, 9006, 9007, 9008)
        super().__init__("CWMP fault", "Sender" if sender else "Receiver", detail=("Fault", detail))

    def __str__(self) -> str:
        return f"CWMP fault {self.fault_code}: {self.text}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.fault_code, self.text, self.parameters)


def _typed(fault: Fault) -> Exception:
    """A fault that a peer sent, as one of CWMP where it is one."""
    detail = fault.detail
    if fault.name != "Fault" or not isinstance(detail, Record):
        return fault
    entries = getattr(detail, "SetParameterValuesFault", None) or ()
    wrong = [(entry["ParameterName"], entry["FaultCode"], _text(entry)) for entry in entries]
    error = CwmpFault(detail["FaultCode"], _text(detail), wrong)
    error.__cause__ = fault
    return error


def _text(fault: Record) -> str:
    return getattr(fault, "FaultString", None) or ""


class _Said:
    """What a session knows of its device."""

    _conversation: _castile.Conversation
    inform: Record
    """The arguments of the `Inform` that opened the session."""

    @property
    def peer(self) -> tuple[str, int]:
        """Host and port of the device."""
        return self._conversation.peer

    @property
    def principal(self) -> str | None:
        """The user that the device proved to be."""
        return self._conversation.principal

    def said(self) -> list[tuple[str, Record]]:
        """What the device called so far, the `Inform` first: names of methods and their arguments."""
        return self._conversation.said()

    def _begin_session(self, conversation: _castile.Conversation) -> None:
        self._conversation = conversation
        self.inform = conversation.opening()


class Session(_Said, Client):
    """A session with a device while the ACS calls: `session.service.Reboot("key")`."""

    def __init__(self, core: _castile.Client, conversation: _castile.Conversation) -> None:
        self._attach(core)
        self._begin_session(conversation)

    def _typed(self, fault: Fault) -> Exception:
        return _typed(fault)


class AsyncSession(_Said, AsyncClient):
    """The same for handlers that are coroutines: `await session.service.Reboot("key")`."""

    def __init__(self, core: _castile.Client, conversation: _castile.Conversation) -> None:
        self._attach(core)
        self._begin_session(conversation)

    def _typed(self, fault: Fault) -> Exception:
        return _typed(fault)


class Acs(Running):
    """An ACS on a socket. `with` stops it at the end, and so does `stop`."""

    def __init__(self, core: _castile.Acs, scheme: str) -> None:
        super().__init__(core, scheme)
        self._core = core

    @property
    def sessions(self) -> int:
        """Sessions at the moment."""
        return self._core.sessions

    def __repr__(self) -> str:
        return f"<castile.cwmp.Acs at {self.url}>"


def serve(
    handler: Callable[[Any], Any],
    *schemas: StrPath | bytes,
    host: str = "127.0.0.1",
    port: int = 7547,
    methods: Any = None,
    background: bool = False,
    strict: bool = False,
    hold_requests: bool = False,
    users: Mapping[str, str] | None = None,
    digest: bool = True,
    tls: TLS | None = None,
    timeout_device: float = 30.0,
    timeout_session: float = 60.0,
    sessions_max: int = 10_000,
    workers: int | None = None,
    body_bytes_max: int | None = None,
    connections_max: int | None = None,
    catalogs: Sequence[StrPath] = (),
    cache: bool | StrPath = True,
    offline: bool = False,
) -> Acs:
    """Serves an ACS. `handler(session)` is called for each device once it has no more to ask, and the
    session ends when it returns; it may be a coroutine function. It runs on several threads at once.

    `schemas` are the versions of the protocol, the preferred one first. `methods` (a dict of functions, or
    an object with methods) answers what devices call; without it `Inform` and `GetRPCMethods` are
    answered, and notices of completion acknowledged: `session.said()` has them. Inside them
    `castile.current_call().session` is the session.

    `users` are names and passwords of devices, for digest authentication (basic with `digest=False`).
    `hold_requests` has devices ask only after the handler has ended. `timeout_device` is how long a device
    may be silent within a session, `timeout_session` how long the handler may keep it waiting for the next
    call. With `strict=True` what the schema does not allow is refused.

    Blocks until Ctrl-C; with `background=True` it gives the `Acs` at once.
    """
    answers = _Methods(methods if methods is not None else {})
    settings = {
        "strict": strict,
        "hold_requests": hold_requests,
        "users": dict(users) if users is not None else None,
        "digest": digest,
        "timeout_device": timeout_device,
        "timeout_session": timeout_session,
        "sessions_max": sessions_max,
        "workers": workers,
        "body_bytes_max": body_bytes_max,
        "connections_max": connections_max,
        "rows": "objects",
        "catalogs": list(catalogs),
        "offline": offline,
        **tls_settings(tls),
        **cache_settings(cache),
    }
    core = _castile.Acs(list(schemas), (host, port), answers, answers.begin, _program(handler), settings)
    acs = Acs(core, "https" if tls is not None else "http")
    if not background:
        log.info("serving at %s", acs.url)
        acs.wait()
    return acs


def _program(handler: Callable[[Any], Any]) -> Callable[[_castile.Client, _castile.Conversation], None]:
    """What the core calls with each session."""

    async def run(core: _castile.Client, conversation: _castile.Conversation) -> None:
        await handler(AsyncSession(core, conversation))

    def program(core: _castile.Client, conversation: _castile.Conversation) -> None:
        try:
            if inspect.iscoroutinefunction(handler):
                asyncio.run(run(core, conversation))
            else:
                handler(Session(core, conversation))
        except Exception:
            log.exception("a session failed, with %s:%s", *conversation.peer)

    return program


class _Methods(FreeHandler):
    """What either side answers."""

    def begin(self, faces: Sequence[_castile.OperationFace]) -> list[str]:  # type: ignore[override]
        """Takes note of the contract's operations; gives the names of those that have a handler."""
        super().begin(faces)
        return [name for name in self._faces if self._handler(name) is not None]


class CpeSession(Client):
    """A session that a device opened: `with` passes the turn at its end, and so does `finish`."""

    def __init__(self, core: _castile.Cpe) -> None:
        self._cpe = core
        self._attach(core.client())
        self.calls = 0
        """How often the ACS called."""

    @property
    def held(self) -> bool:
        """Whether the ACS holds requests back: then it wants to call first, and `finish` lets it."""
        return self._cpe.held

    def finish(self) -> int:
        """Passes the turn and answers what the ACS calls until it has no more to ask; gives how many calls
        there were."""
        calls = self._cpe.finish()
        self.calls += calls
        return calls

    def _typed(self, fault: Fault) -> Exception:
        return _typed(fault)

    def __enter__(self) -> CpeSession:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        if error is None:
            self.finish()


class Cpe:
    """A device. `methods` is a dict of functions, or an object with methods, that the ACS may call; each
    takes the arguments by name. `GetRPCMethods` is answered without one."""

    def __init__(
        self,
        schema: StrPath | bytes,
        acs: str,
        methods: Any = None,
        *,
        auth: Any = None,
        tls: TLS | None = None,
        timeout: float | Timeouts | None = None,
        http_headers: Mapping[str, str] | None = None,
        strict: bool = False,
        session_timeout: int | None = None,
        versions: str | None = None,
        catalogs: Sequence[StrPath] = (),
        cache: bool | StrPath = True,
        offline: bool = False,
        proxy: str | None = None,
    ) -> None:
        """`acs` is its URL, `auth` user and password, or `castile.Digest`. `session_timeout` and `versions`
        are what the device tells the ACS of itself (CWMP 1.3 and 1.4)."""
        answers = _Methods(methods if methods is not None else {})
        settings = {
            "endpoint": acs,
            "auth": auth_setting(auth),
            "http_headers": header_settings(http_headers),
            "strict": strict,
            "session_timeout": session_timeout,
            "versions": versions,
            "rows": "objects",
            "catalogs": list(catalogs),
            "offline": offline,
            "proxy": proxy,
            **tls_settings(tls),
            **timeout_settings(timeout),
            **cache_settings(cache),
        }
        self._core = _castile.Cpe(schema, answers, answers.begin, settings)

    def inform(self, *args: Any, **kwargs: Any) -> CpeSession:
        """Opens a session: calls `Inform` with these arguments. One session at a time."""
        session = CpeSession(self._core)
        session.service.Inform(*args, **kwargs)
        return session


class ConnectionRequests:
    """Where an ACS asks a device to open a session, by digest authentication. `wanted()` is called for each
    request, on another thread. `with` stops it at the end, and so does `stop`."""

    def __init__(
        self,
        wanted: Callable[[], object],
        *,
        user: str,
        password: str,
        path: str = "/",
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self._core = _castile.ConnectionRequests(host, port, path, user, password, wanted)
        self._path = path

    @property
    def url(self) -> str:
        """What the device tells the ACS as its `ConnectionRequestURL`."""
        host, port = self._core.address
        return f"http://{f'[{host}]' if ':' in host else host}:{port}{self._path}"

    def stop(self) -> None:
        """Listens no longer."""
        self._core.stop()

    def __enter__(self) -> ConnectionRequests:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
