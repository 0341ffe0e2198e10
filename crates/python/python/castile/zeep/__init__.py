"""The calls of zeep that scripts use, over Castile: change `import zeep` to `from castile import zeep`.

```
from castile import zeep

client = zeep.Client("service.wsdl")
client.service.add(2, 3)
```

What is here behaves as zeep 4.3 does; the guide "coming from zeep" says what is not. Trees, which
plugins see, are lxml's where it is installed, else those of `xml.etree`.
"""

from . import cache, exceptions, helpers, plugins, settings, transports, wsa, wsse, xsd
from .client import AsyncClient, CachingClient, Client
from .plugins import Plugin
from .settings import Settings
from .transports import AsyncTransport, Transport
from .xsd import AnyObject

__all__ = [
    "AnyObject",
    "AsyncClient",
    "AsyncTransport",
    "CachingClient",
    "Client",
    "Plugin",
    "Settings",
    "Transport",
    "cache",
    "exceptions",
    "helpers",
    "plugins",
    "settings",
    "transports",
    "wsa",
    "wsse",
    "xsd",
]
