"""Castile: call and serve SOAP from a WSDL, with arrays of numbers as NumPy arrays.

```
client = castile.Client("service.wsdl")
values = client.service.echoDoubles(np.linspace(0, 1, 100_000))
```

A service is a class with type hints:

```
@castile.service(namespace="urn:calc")
class Calculator:
    @castile.operation
    def add(self, a: int, b: int) -> int:
        return a + b

castile.serve(Calculator(), port=8080)
```
"""

from . import _log as _log  # levels first: what is loaded next may tell something
from ._castile import VERSION as __version__
from ._castile import Call, DateTime, Duration, Request, Stream
from ._client import AsyncClient, Client
from ._dicts import asdict
from ._errors import (
    BadPeer,
    BadValue,
    ContractError,
    Error,
    Fault,
    LimitError,
    NoSuchOperation,
    NoSuchType,
    SecurityError,
    Timeout,
    TransportError,
)
from ._generate import generate
from ._layers import (
    Addressing,
    Callbacks,
    CheckAddressing,
    CheckSecurity,
    CheckXRoad,
    EndpointReference,
    Timestamp,
    UsernameToken,
    XRoad,
    clock_offset,
)
from ._options import TLS, Basic, Bearer, Differential, Digest, Timeouts
from ._records import SKIP, XML, QName, Record, present, type_name
from ._serve import Server, ServerCall, current_call, serve
from ._service import operation, service, wsdl
from ._streams import AsyncStream
from ._tracked import Hinted, Tracked, hinted, tracked

__all__ = [
    "SKIP",
    "TLS",
    "XML",
    "Addressing",
    "AsyncClient",
    "AsyncStream",
    "BadPeer",
    "BadValue",
    "Basic",
    "Bearer",
    "Call",
    "Callbacks",
    "CheckAddressing",
    "CheckSecurity",
    "CheckXRoad",
    "Client",
    "ContractError",
    "DateTime",
    "Differential",
    "Digest",
    "Duration",
    "EndpointReference",
    "Error",
    "Fault",
    "Hinted",
    "LimitError",
    "NoSuchOperation",
    "NoSuchType",
    "QName",
    "Record",
    "Request",
    "SecurityError",
    "Server",
    "ServerCall",
    "Stream",
    "Timeout",
    "Timeouts",
    "Timestamp",
    "Tracked",
    "TransportError",
    "UsernameToken",
    "XRoad",
    "__version__",
    "asdict",
    "clock_offset",
    "current_call",
    "generate",
    "hinted",
    "operation",
    "present",
    "serve",
    "service",
    "tracked",
    "type_name",
    "wsdl",
]
