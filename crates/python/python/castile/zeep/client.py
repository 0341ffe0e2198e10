"""zeep's clients."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any
from xml.etree import ElementTree

from .. import _castile
from .._errors import Error as CoreError
from . import _trees, exceptions
from .plugins import Plugin
from .proxy import AsyncServiceProxy, Call, ServiceProxy
from .settings import Settings
from .transports import AsyncTransport, Transport
from .wsdl import Document
from .xsd import Element

__all__ = ["AsyncClient", "CachingClient", "Client"]

WSDL = "{http://schemas.xmlsoap.org/wsdl/}"


class Client:
    """A client of the services that a WSDL describes."""

    _transport_class: type[Transport] = Transport
    _proxy_class: type[ServiceProxy] = ServiceProxy

    def __init__(
        self,
        wsdl: Any,
        wsse: Any = None,
        transport: Transport | None = None,
        service_name: str | None = None,
        port_name: str | None = None,
        plugins: list[Plugin] | None = None,
        settings: Settings | None = None,
    ) -> None:
        if not wsdl:
            raise ValueError("No URL given for the wsdl")
        self.settings = settings if settings is not None else Settings()
        self.transport = transport if transport is not None else self._transport_class()
        self.wsse = wsse
        self.plugins: list[Plugin] = plugins if plugins is not None else []
        self._service_name, self._port_name = service_name, port_name
        self._default_soapheaders: Any = None
        self._service: ServiceProxy | None = None
        self._parts: list[tuple[str, str]] | None = None
        self.wsdl = wsdl if isinstance(wsdl, Document) else self._load(wsdl)

    @property
    def service(self) -> ServiceProxy:
        """The operations of the chosen port, else of the first."""
        if self._service is None:
            self._service = self.bind(self._service_name, self._port_name)
        if self._service is None:
            raise ValueError("There is no default service defined: the WSDL has no services.")
        return self._service

    @property
    def namespaces(self) -> dict[str, str]:
        """Prefixes and their namespaces."""
        return self.wsdl.types.prefix_map

    def bind(self, service_name: str | None = None, port_name: str | None = None) -> Any:
        """The operations of a port."""
        services = self.wsdl.services
        if not services:
            return None
        service = services.get(service_name) if service_name else next(iter(services.values()))
        if service is None:
            raise ValueError("Service not found")
        port = service.ports.get(port_name) if port_name else next(iter(service.ports.values()), None)
        if port is None:
            raise ValueError("Port not found")
        return self._proxy_class(self, port.binding, **port.binding_options)

    def create_service(self, binding_name: Any, address: str) -> Any:
        """The operations of a binding at another address."""
        binding = self.wsdl.bindings.get(str(getattr(binding_name, "text", binding_name)))
        if binding is None:
            known = ", ".join(self.wsdl.bindings)
            raise ValueError(f"No binding found with the given QName. Available bindings are: {known}")
        return self._proxy_class(self, binding, address=address)

    def create_message(self, service: ServiceProxy, operation_name: str, *args: Any, **kwargs: Any) -> Any:
        """The tree of a request, without sending it."""
        return _trees.parse(Call(service, operation_name).prepare(args, kwargs).body)

    def get_type(self, name: Any) -> Any:
        """A type by its name, `prefix:local` or `{namespace}local`."""
        return self.wsdl.types.get_type(name)

    def get_element(self, name: Any) -> Element:
        """A global element by its name, `prefix:local` or `{namespace}local`."""
        return self.wsdl.types.get_element(name)

    def type_factory(self, namespace: str) -> Factory:
        """The types of a namespace, or of a prefix, as attributes."""
        known = self.wsdl.types
        uri = namespace if namespace in known.namespaces else known.get_ns_prefix(namespace)
        return Factory(self, uri)

    def set_ns_prefix(self, prefix: str, namespace: str) -> None:
        """Gives a namespace a prefix of one's own."""
        self.wsdl.types.set_ns_prefix(prefix, namespace)

    def set_default_soapheaders(self, headers: Any) -> None:
        """Header blocks that go with every call."""
        self._default_soapheaders = headers

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        self.transport.close()

    def _load(self, wsdl: Any) -> Document:
        if hasattr(wsdl, "read"):
            wsdl = wsdl.read()
        if isinstance(wsdl, str) and wsdl.startswith("file://"):
            wsdl = wsdl.removeprefix("file://")
        if isinstance(wsdl, str) and "://" not in wsdl:
            wsdl = os.path.expanduser(wsdl)
        # Documents are loaded for contracts without addresses too.
        settings = self._core_settings("http://address.invalid/", load=True)
        try:
            return Document(wsdl, _castile.Client(wsdl, settings), settings, self.settings.force_https)
        except CoreError as error:
            if not isinstance(wsdl, bytes) and "://" not in str(wsdl) and not Path(wsdl).exists():
                raise FileNotFoundError(2, "No such file or directory", str(wsdl)) from error
            exceptions.raise_for(error)

    def _core_settings(self, address: str | None, load: bool = False) -> dict[str, Any]:
        return {
            "endpoint": address,
            "strict": self.settings.strict,
            "rows": "objects",
            "arrays": "lists",
            "zeep": True,
            **self.transport._settings(load),
        }

    def _header_parts(self, _name: str) -> list[tuple[str, str]]:
        """The parts of the WSDL's messages with the local names of their elements."""
        if self._parts is None:
            self._parts = _parts_of(self.wsdl.location)
        return self._parts


class AsyncClient(Client):
    """The same for asyncio: operations are awaited."""

    _transport_class = AsyncTransport
    _proxy_class = AsyncServiceProxy

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        trace: TracebackType | None = None,
    ) -> None:
        self.transport.close()


class CachingClient(Client):
    """The same: compiled contracts are always kept."""


class Factory:
    """The types of a namespace."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client, self._namespace = client, namespace

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Any:
        return self._client.get_type(f"{{{self._namespace}}}{name}")


def _parts_of(location: Any) -> list[tuple[str, str]]:
    """Of the WSDL itself, when it is a file or bytes: imported ones are not looked into."""
    try:
        document = location if isinstance(location, bytes) else Path(location).read_bytes()
        root = ElementTree.fromstring(document)
    except (OSError, ElementTree.ParseError):
        return []
    parts = root.iter(f"{WSDL}part")
    return [(part.get("name", ""), part.get("element", "").rpartition(":")[2]) for part in parts]
