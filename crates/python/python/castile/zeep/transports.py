"""zeep's transports: how Castile connects, and what a script may put in its place."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

from .._options import TLS, Basic, Bearer, Digest, Timeouts, auth_setting, timeout_settings, tls_settings
from . import _trees

__all__ = ["AsyncTransport", "Response", "Session", "Transport"]


Sender: TypeAlias = "Callable[[str, bytes, dict[str, str]], Response]"


class Session:
    """What is read of a `requests.Session`, which may be given in its place."""

    def __init__(self) -> None:
        self.auth: Any = None
        self.verify: bool | str = True
        self.cert: Any = None
        self.headers: dict[str, str] = {}
        self.proxies: dict[str, str] = {}

    def close(self) -> None:
        """Does nothing: connections belong to the client."""


class Response:
    """A reply as it came."""

    encoding = "utf-8"

    def __init__(self, status_code: int, headers: Mapping[str, str], content: bytes) -> None:
        self.status_code = status_code
        self.headers = headers
        self.content = content

    @property
    def ok(self) -> bool:
        """Whether the status is no error."""
        return self.status_code < 400

    @property
    def text(self) -> str:
        """The reply as text."""
        return self.content.decode(self.encoding, "replace")

    def __repr__(self) -> str:
        return f"<Response [{self.status_code}]>"


class Transport:
    """How to connect: `timeout` seconds to load documents, `operation_timeout` seconds for calls.

    `session` is a `requests.Session` or a `Session`: its `auth`, `verify`, `cert`, `headers` and `proxies`
    count, also when they change later. A derived class may define `post(address, message, headers)` or
    `post_xml(address, envelope, headers)`, which give something that has `status_code`, `headers` and
    `content`, such as what the methods that they override give.
    """

    def __init__(
        self,
        cache: Any = None,
        timeout: float | None = 300,
        operation_timeout: float | None = None,
        session: Any = None,
    ) -> None:
        self.cache = cache
        self.load_timeout = timeout
        self.operation_timeout = operation_timeout
        self.session = session if session is not None else Session()
        self._here = threading.local()

    @contextmanager
    def settings(self, timeout: float | None = None) -> Iterator[None]:
        """Another time limit for calls in this block."""
        before = self.operation_timeout
        self.operation_timeout = timeout
        try:
            yield
        finally:
            self.operation_timeout = before

    def close(self) -> None:
        """Closes the session."""
        self.session.close()

    def post(self, address: str, message: bytes, headers: dict[str, str]) -> Any:
        """Sends a request and gives the reply. Only of use inside a call, for a derived class."""
        send = getattr(self._here, "send", None)
        if send is None:
            raise RuntimeError("a transport sends only while an operation is called")
        return send(address, message, headers)

    def post_xml(self, address: str, envelope: Any, headers: dict[str, str]) -> Any:
        """The same for a tree."""
        return self.post(address, _trees.text(envelope), headers)

    def _is_derived(self) -> bool:
        """Whether a derived class has its own way to send."""
        own = type(self)
        return own.post is not Transport.post or own.post_xml is not Transport.post_xml

    def _post(self, address: str, message: bytes, headers: dict[str, str], send: Sender) -> Any:
        """Sends by the methods of a derived class; `send` is what theirs may end with."""
        self._here.send = send
        try:
            if type(self).post_xml is not Transport.post_xml:
                return self.post_xml(address, _trees.parse(message), headers)
            return self.post(address, message, headers)
        finally:
            del self._here.send

    def _key(self) -> tuple[Any, ...]:
        """What the settings come from."""
        session = self.session
        auth = session.auth
        pair = getattr(auth, "username", None), getattr(auth, "password", None)
        proxies = tuple(dict(session.proxies or {}).items())
        return (auth if isinstance(auth, tuple) else pair, session.verify, session.cert, proxies)

    def _settings(self, load: bool = False) -> dict[str, Any]:
        """The settings of Castile's core."""
        session = self.session
        verify, cert = session.verify, session.cert
        cert, key = cert if isinstance(cert, tuple) else (cert, None)
        tls = TLS(
            ca=verify if isinstance(verify, str) else (),
            cert=cert,
            key=key or cert,
            verify=verify is not False,
        )
        limit = self.load_timeout if load else None
        return {
            "auth": auth_setting(_auth(session.auth)),
            "proxy": _proxy(session.proxies),
            **tls_settings(tls),
            **timeout_settings(Timeouts(read=limit)),
        }

    def _fields(self) -> dict[str, str]:
        """The session's own header fields of HTTP; those that every session of `requests` has are ours."""
        usual = {"user-agent", "accept-encoding", "accept", "connection"}
        return {
            name: value for name, value in dict(self.session.headers).items() if name.lower() not in usual
        }


class AsyncTransport(Transport):
    """The same for asyncio. `client` and `wsdl_client`, which are httpx's, are not used."""

    def __init__(
        self,
        client: Any = None,
        wsdl_client: Any = None,
        cache: Any = None,
        timeout: float | None = 300,
        operation_timeout: float | None = None,
        verify_ssl: bool = True,
        proxy: str | None = None,
    ) -> None:
        super().__init__(cache, timeout, operation_timeout)
        self.client, self.wsdl_client = client, wsdl_client
        self.session.verify = verify_ssl
        if proxy is not None:
            self.session.proxies = {"https": proxy, "http": proxy}

    async def aclose(self) -> None:
        """Closes the session."""
        self.close()


def _auth(auth: Any) -> Any:
    """User and password as `requests` and its relatives hold them."""
    if auth is None or isinstance(auth, (tuple, Basic, Digest, Bearer)):
        return auth
    user, password = getattr(auth, "username", None), getattr(auth, "password", None)
    if user is None or password is None:
        raise TypeError(f"auth is a pair of user and password, or has both, not {auth!r}")
    return Digest(user, password) if "Digest" in type(auth).__name__ else Basic(user, password)


def _proxy(proxies: Mapping[str, str] | None) -> str | None:
    for scheme in ("https", "http", "all"):
        if proxies and scheme in proxies:
            return proxies[scheme]
    return None
