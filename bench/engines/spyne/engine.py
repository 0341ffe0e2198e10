"""spyne: a server; the contract again in its classes, since it reads no WSDL.

WSGI under the standard library's server, a thread a connection, as spyne's own examples have it.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import spyne
from spyne import Application, ComplexModel, ServiceBase, rpc
from spyne.model import Boolean, ByteArray, Double, Integer32, Unicode
from spyne.protocol.soap import Soap11
from spyne.server.wsgi import WsgiApplication

sys.path.insert(0, str(Path(__file__).parents[2] / "languages/python"))
from engine import Toolkit, Unsupported, main, search_result

NAMESPACES = {"bench": "urn:castile:bench", "files": "urn:castile:bench:files"}


def record(name: str, /, _namespace: str = NAMESPACES["bench"], **fields: Any) -> Any:
    return type(name, (ComplexModel,), {"__namespace__": _namespace, "_type_info": list(fields.items())})


def array(item: Any, namespace: str = NAMESPACES["bench"]) -> Any:
    """What wraps repeated items in our contract."""
    name = item.get_type_name().capitalize()
    return record(
        f"ArrayOf{name}", namespace, item=item.customize(min_occurs=0, max_occurs="unbounded", nillable=False)
    )


# The limit of its own is too short for the sign.
Int = Integer32(max_str_len=11)
Text = Unicode(nillable=False, min_occurs=1, trim=False)
Mio = record("Mio", x=Int, y=Int, value=Double)
Event = record("Event", sequence=Int, time=Double, message=Text)
Attribute = record("Attribute", name=Text, type=Text, value=Text)
AdAttribute = record("ClassAdAttribute", name=Text, type=Text, value=Text)
ClassAd = record("ClassAd", attributes=array(AdAttribute))
Category = record("DirectoryCategory", fullViewableName=Text, specialEncoding=Text)
Element = record(
    "ResultElement",
    summary=Text,
    URL=Text,
    snippet=Text,
    title=Text,
    cachedSize=Text,
    relatedInformationPresent=Boolean,
    hostName=Text,
    directoryCategory=Category,
    directoryTitle=Text,
)
Result = record(
    "GoogleSearchResult",
    documentFiltering=Boolean,
    searchComments=Text,
    estimatedTotalResultsCount=Int,
    estimateIsExact=Boolean,
    resultElements=array(Element),
    searchQuery=Text,
    startIndex=Int,
    endIndex=Int,
    searchTips=Text,
    directoryCategories=array(Category),
    searchTime=Double,
)
File = record("File", NAMESPACES["files"], name=Text, data=ByteArray)

ARRAYS = {
    "Doubles": array(Double),
    "Ints": array(Int),
    "Strings": array(Unicode),
    "Mios": array(Mio),
    "Events": array(Event),
    "Attributes": array(Attribute),
    "ClassAds": array(ClassAd),
}
VALUES = {
    "bench": ARRAYS | {"Bytes": ByteArray, "Packed": ByteArray},
    "files": {"Files": array(File, NAMESPACES["files"])},
}


def size(ending: str, values: Any) -> int:
    if ending in ("Bytes", "Packed"):
        bytes_ = sum(map(len, values or ()))
        return bytes_ if ending == "Bytes" else bytes_ // 8
    return len(values.item or ()) if values is not None else 0


def service(contract: str, google: Any) -> type[ServiceBase]:
    operations: dict[str, Any] = {}
    for ending, type_ in VALUES[contract].items():
        echo, send = echo_and_send(ending)
        operations[echo.__name__] = rpc(type_, _args=["values"], _returns=type_, _out_variable_name="return")(
            echo
        )
        operations[send.__name__] = rpc(type_, _args=["values"], _returns=Int, _out_variable_name="count")(
            send
        )
    if contract == "bench":
        operations |= search_and_void(google)
    return type("Bench", (ServiceBase,), operations)


def echo_and_send(ending: str) -> tuple[Any, Any]:
    def echo(ctx: Any, values: Any) -> Any:
        return values

    def send(ctx: Any, values: Any) -> int:
        return size(ending, values)

    echo.__name__, send.__name__ = f"echo{ending}", f"send{ending}"
    return echo, send


def search_and_void(google: Any) -> dict[str, Any]:
    members = search_result(google)
    elements = [
        Element(**{**row, "directoryCategory": Category(**row["directoryCategory"])})
        for row in members["resultElements"]
    ]
    members["resultElements"] = Result._type_info["resultElements"](item=elements)
    members["directoryCategories"] = Result._type_info["directoryCategories"](item=[])
    found = Result(**members)

    def doGoogleSearch(ctx: Any, *_search: Any) -> Any:
        return found

    def echoVoid(ctx: Any) -> None:
        return None

    names = ["key", "q", "start", "maxResults", "filter", "restrict", "safeSearch", "lr", "ie", "oe"]
    types = [Text, Text, Int, Int, Boolean, Text, Boolean, Text, Text, Text]
    search = rpc(*types, _args=names, _returns=Result, _out_variable_name="return")(doGoogleSearch)
    return {"echoVoid": rpc()(echoVoid), "doGoogleSearch": search}


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128  # of connections that come at once; else the kernel drops those beyond five


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and body are two writes, which else wait 40 ms for each other

    def log_message(self, *_args: Any) -> None:
        pass


class Spyne(Toolkit):
    name = f"spyne {spyne.__version__}, Python {sys.version.split()[0]}"

    def __init__(self) -> None:
        self.server: Server | None = None

    def values(self, kind: str, trace: Any) -> Any:
        return None

    def serve(self, contract: str, google: Any) -> int:
        if contract not in VALUES:
            raise Unsupported(
                "attributes of one local name in two namespaces are one attribute of its objects"
            )
        application = Application(
            [service(contract, google)],
            NAMESPACES[contract],
            name="Bench",
            in_protocol=Soap11(),
            out_protocol=Soap11(),
        )
        wsgi = WsgiApplication(application, max_content_length=1 << 30)  # 2 MB by itself
        self.server = make_server("127.0.0.1", 0, wsgi, Server, Quiet)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self.server.server_port

    def stop(self) -> None:
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()

    def set(self, name: str, value: str) -> None:
        if (name, value) not in {
            ("keepalive", "on"),
            ("keepalive", "off"),
            ("chunk", "0"),
            ("security", "none"),
            ("attachments", "inline"),
        }:
            raise Unsupported(f"no {name}={value}")


main(Spyne())
