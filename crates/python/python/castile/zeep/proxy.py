"""Services and operations that can be called."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from .. import _castile
from .._client import exchange_async
from .._errors import Error as CoreError
from .._errors import Fault as CoreFault
from . import _trees, exceptions, plugins, xsd
from ._values import unwrapped
from .transports import Response
from .wsdl import Binding, Operation
from .wsse.compose import checks_replies

__all__ = ["AsyncServiceProxy", "OperationProxy", "ServiceProxy"]


class ServiceProxy:
    """The operations of a binding at an address, as attributes and items."""

    def __init__(self, client: Any, binding: Binding, **binding_options: Any) -> None:
        self._client = client
        self._binding = binding
        self._binding_options = binding_options
        self._operations = {name: self._operation(name) for name in binding.all()}
        self._made: tuple[Any, _castile.Client] | None = None

    def _operation(self, name: str) -> Any:
        return OperationProxy(self, name)

    def __getattr__(self, key: str) -> Any:
        if key.startswith("__"):
            raise AttributeError(key)
        return self[key]

    def __getitem__(self, key: str) -> Any:
        try:
            return self._operations[key]
        except KeyError:
            raise AttributeError(f"Service has no operation {key!r}") from None

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return iter(self._operations.items())

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._operations]

    def _core(self) -> _castile.Client:
        """The core for the settings of now: scripts change a session, or an address, at any time."""
        address = self._binding_options.get("address")
        key = (address, self._client.settings.strict, *self._client.transport._key())
        if self._made is None or self._made[0] != key:
            settings = self._client._core_settings(address)
            try:
                self._made = (key, self._binding._core.beside({**self._port(), **settings}))
            except CoreError as error:
                exceptions.raise_for(error)
        return self._made[1]

    def _port(self) -> dict[str, str]:
        for service in self._client.wsdl.services.values():
            for port in service.ports.values():
                if port.binding is self._binding:
                    return {"service": service.name, "port": port.name}
        return {}


class AsyncServiceProxy(ServiceProxy):
    """The same, to be awaited."""

    def _operation(self, name: str) -> Any:
        return AsyncOperationProxy(self, name)


class OperationProxy:
    """An operation that is called."""

    def __init__(self, service: ServiceProxy, name: str) -> None:
        self._proxy, self._op_name = service, name

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        """The operation's signature."""
        return str(self._proxy._binding.get(self._op_name))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The value that comes back."""
        call = Call(self._proxy, self._op_name)
        request = call.prepare(args, kwargs)
        return call.receive(*call.exchange(request))


class AsyncOperationProxy(OperationProxy):
    """An operation that is called and awaited."""

    async def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The value that comes back."""
        call = Call(self._proxy, self._op_name)
        request = call.prepare(args, kwargs)
        return call.receive(*await call.exchange_async(request))


class Call:
    """One call, in steps."""

    def __init__(self, service: ServiceProxy, name: str) -> None:
        self.client = service._client
        self.operation: Operation = service._binding.get(name)
        self.options = service._binding_options
        self.core = service._core()
        self.http: dict[str, str] = {}

    def prepare(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _castile.Request:
        """The request after all plugins."""
        kwargs = dict(kwargs)
        headers = self._merged(kwargs.pop("_soapheaders", None))
        try:
            request = self.core.prepare(self.operation.name, args, kwargs, self._header(headers))
        except CoreError as error:
            exceptions.raise_for(error)
        self.http = {**self.client.transport._fields(), **(self.client.settings.extra_http_headers or {})}
        self._egress(request)
        for name, value in self.http.items():
            request.add_http_header(name, value)
        return request

    def exchange(self, request: _castile.Request) -> tuple[_castile.Answer | None, Any]:
        """What came: an answer of the core, or what a transport of the script's own gave."""
        transport = self.client.transport
        if not transport._is_derived():
            answer = self._exchange(request)
            return answer, _response(answer)
        address = self.options.get("address") or self.core.endpoint
        headers = {"SOAPAction": f'"{self.operation.soapaction}"', **self.http}

        def send(_address: str, message: bytes, fields: dict[str, str]) -> Response:
            request.body = message
            for name, value in fields.items():
                if name.lower() not in ("soapaction", "content-type") and self.http.get(name) != value:
                    request.add_http_header(name, value)
            return _response(self._exchange(request))

        return None, transport._post(address, request.body, headers, send)

    async def exchange_async(self, request: _castile.Request) -> tuple[_castile.Answer, Response]:
        """What came, awaited."""
        try:
            answer = await exchange_async(self.core, request, self.client.transport.operation_timeout)
        except CoreError as error:
            exceptions.raise_for(error)
        return answer, _response(answer)

    def receive(self, answer: _castile.Answer | None, response: Any) -> Any:
        """The value."""
        if self.client.settings.raw_response:
            return response
        body, status = response.content, response.status_code
        try:
            if self.client.plugins or any(map(checks_replies, self._tokens())):
                body = self._ingress(body, response.headers)
            elif answer is not None:
                value, is_fault, call = self.core.receive(answer, whole=True)
                if is_fault:
                    raise exceptions.fault(value, body)
                return self._result(value, call.headers)
            if not body and status < 300:
                return None
            value, headers = self.core.decode_whole(self.operation.name, body)
        except CoreFault as fault:
            raise exceptions.fault(fault, body) from None
        except exceptions.Error:
            raise
        except CoreError as error:
            exceptions.raise_for(error, status, body)
        return self._result(value, headers)

    def _exchange(self, request: _castile.Request) -> _castile.Answer:
        try:
            return self.core.exchange(request, self.client.transport.operation_timeout)
        except CoreError as error:
            exceptions.raise_for(error)

    def _result(self, value: Any, headers: Any) -> Any:
        face = self.operation.face
        # Of a bare message the element's value is the body; where several stand there they all are.
        body = value[next(iter(value))] if face.bare and value is not None and len(value) == 1 else value
        return Envelope(headers, body) if face.has_reply_headers else unwrapped(body)

    def _merged(self, given: Any) -> Any:
        default = self.client._default_soapheaders
        if not default or not given:
            return given or default
        if type(default) is not type(given):
            raise ValueError("Incompatible soapheaders definition")
        merged = copy.copy(default)
        if isinstance(merged, list):
            merged.extend(given)
        else:
            merged.update(given)
        return merged

    def _header(self, headers: Any) -> Any:
        if headers is None:
            return None
        if isinstance(headers, dict):
            return {self._header_name(name): value for name, value in headers.items()}
        if isinstance(headers, (list, tuple)):
            xml = [xsd.as_xml(one) if isinstance(one, xsd.ElementValue) else one for one in headers]
            return {_castile.HEADER_ANY: [_trees.element(one) if _is_tree(one) else one for one in xml]}
        raise ValueError("Invalid value given to _soapheaders")

    def _header_name(self, name: str) -> str:
        """zeep goes by the names of the message's parts, Castile by those of the elements."""
        known = [face.name for face in self.operation.face.headers]
        if name in known:
            return name
        for part, element in self.client._header_parts(name):
            if part == name and element in known:
                return str(element)
        return known[0] if len(known) == 1 else name

    def _egress(self, request: _castile.Request) -> None:
        """Lets plugins and tokens change the request."""
        tokens = self._tokens()
        if not self.client.plugins and not tokens:
            return
        headers = {"SOAPAction": f'"{self.operation.soapaction}"', "Content-Type": "text/xml; charset=utf-8"}
        standard = dict(headers)
        envelope = _trees.parse(request.body)
        envelope, headers = plugins.apply_egress(
            self.client.plugins, envelope, headers, self.operation, self.options
        )
        for token in tokens:
            envelope, headers = token.apply(envelope, headers)
        request.body = _trees.text(envelope)
        self.http.update((name, value) for name, value in headers.items() if standard.get(name) != value)

    def _tokens(self) -> list[Any]:
        tokens = self.client.wsse or []
        return list(tokens) if isinstance(tokens, (list, tuple)) else [tokens]

    def _ingress(self, body: bytes, headers: Any) -> bytes:
        """Lets tokens check the reply, and plugins see and change it."""
        try:
            tree = _trees.parse(body)
        except SyntaxError:
            return body
        for token in self._tokens():
            if checks_replies(token):
                token.verify(tree)
        before = _trees.text(tree)
        changed, _ = plugins.apply_ingress(self.client.plugins, tree, headers, self.operation)
        after = _trees.text(changed)
        return body if after == before else after


class Envelope:
    """A reply with headers: `header` and `body`."""

    def __init__(self, header: Any, body: Any) -> None:
        self.header, self.body = header, body

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __repr__(self) -> str:
        return f"{{'header': {self.header!r}, 'body': {self.body!r}}}"


def _response(answer: _castile.Answer) -> Response:
    return Response(answer.status, Fields(answer.http_headers), answer.body)


class Fields(dict[str, str]):
    """Header fields of HTTP, found whatever the case of their names."""

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())

    def get(self, name: str, default: Any = None) -> Any:
        """The value, or the default."""
        return super().get(name.lower(), default)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and super().__contains__(name.lower())


def _is_tree(value: Any) -> bool:
    return hasattr(value, "tag") and hasattr(value, "iter")
