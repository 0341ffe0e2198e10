"""Raw SOAP over HTTP for test_wire.py: schemas of our contract, a recorder, and posting of bytes."""

from __future__ import annotations

import http.client
import socketserver
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar
from urllib.parse import urlsplit

from lxml import etree

HERE = Path(__file__).resolve().parent
XSD = "{http://www.w3.org/2001/XMLSchema}"
ENVELOPE = {
    "1.1": "http://schemas.xmlsoap.org/soap/envelope/",
    "1.2": "http://www.w3.org/2003/05/soap-envelope",
}
MEDIA_TYPE = {"1.1": "text/xml", "1.2": "application/soap+xml"}
NAMES = {"i": "urn:castile:interop", "t": "urn:castile:interop:types", "r": "urn:castile:interop:rpc"}
SECONDS_MAX = 20.0


def schema(contract: str, folder: Path) -> etree.XMLSchema:
    """The schemas inside a WSDL as one validator; libxml2 wants each import to have a place."""
    found = list(etree.parse(HERE / f"{contract}.wsdl").iter(XSD + "schema"))
    places = {one.get("targetNamespace"): folder / f"{contract}-{n}.xsd" for n, one in enumerate(found)}
    for one in found:
        for imported in one.iter(XSD + "import"):
            imported.set("schemaLocation", places[imported.get("namespace")].name)
        places[one.get("targetNamespace")].write_bytes(etree.tostring(one))
    last = found[-1].get("targetNamespace")
    return etree.XMLSchema(etree.parse(places[last]))


@dataclass
class Message:
    """An HTTP message that came in, and its envelope."""

    start: str
    headers: dict[str, str]
    body: bytes

    def envelope(self) -> etree._Element:
        parser = etree.XMLParser(resolve_entities=False, remove_comments=False)
        root = etree.fromstring(self.body, parser)
        assert root.getroottree().docinfo.doctype == "", "SOAP allows no DTD"
        return root

    def body_child(self, version: str) -> etree._Element:
        (body,) = self.envelope().iterfind(f"{{{ENVELOPE[version]}}}Body")
        (child,) = body
        return child

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


@dataclass
class Recorder:
    """An HTTP server that keeps each request and answers every call with `reply`, or else with a fault."""

    requests: list[Message] = field(default_factory=list)
    reply: bytes | None = None

    def __enter__(self) -> Recorder:
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm: ClassVar[bool] = True

            def do_POST(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                message = Message(self.requestline, headers, _body(self))
                recorder.requests.append(message)
                version = "1.2" if message.media_type == MEDIA_TYPE["1.2"] else "1.1"
                reply = recorder.reply or _fault(version)
                self.send_response(200 if recorder.reply else 500)
                self.send_header("Content-Type", f"{MEDIA_TYPE[version]}; charset=utf-8")
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.server.shutdown()
        self.server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/recorder"


def _body(handler: BaseHTTPRequestHandler) -> bytes:
    if handler.headers.get("Expect", "").lower() == "100-continue":
        handler.send_response_only(100)
        handler.end_headers()
    if handler.headers.get("Transfer-Encoding", "").lower() != "chunked":
        return handler.rfile.read(int(handler.headers["Content-Length"]))
    made = b""
    while size := int(handler.rfile.readline().split(b";")[0], 16):
        made += handler.rfile.read(size)
        handler.rfile.readline()
    handler.rfile.readline()
    return made


def _fault(version: str) -> bytes:
    if version == "1.1":
        fault = "<faultcode>e:Server</faultcode><faultstring>recorded</faultstring>"
    else:
        fault = (
            "<e:Code><e:Value>e:Receiver</e:Value></e:Code>"
            '<e:Reason><e:Text xml:lang="en">recorded</e:Text></e:Reason>'
        )
    return envelope(version, f"<e:Fault>{fault}</e:Fault>").encode()


def envelope(version: str, body: str, header: str = "") -> str:
    """An envelope under the prefix e, with the contract's prefixes i, t and r declared."""
    names = "".join(f' xmlns:{prefix}="{uri}"' for prefix, uri in {"e": ENVELOPE[version], **NAMES}.items())
    return f"<e:Envelope{names}>{header}<e:Body>{body}</e:Body></e:Envelope>"


def post(
    url: str, body: bytes, headers: dict[str, str], method: str = "POST", chunked: bool = False
) -> Message:
    """One request on a connection of its own; the status line is `start`."""
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=SECONDS_MAX)
    target = place.path + (f"?{place.query}" if place.query else "")
    if chunked:
        pieces = [body[at : at + 7] for at in range(0, len(body), 7)]
        connection.request(method, target, iter(pieces), headers, encode_chunked=True)
    else:
        connection.request(method, target, body, headers)
    reply = connection.getresponse()
    got = Message(str(reply.status), {k.lower(): v for k, v in reply.getheaders()}, reply.read())
    connection.close()
    return got


def headers(version: str, action: str, charset: str = "utf-8") -> dict[str, str]:
    if version == "1.1":
        return {"Content-Type": f"text/xml; charset={charset}", "SOAPAction": f'"{action}"'}
    return {"Content-Type": f'application/soap+xml; charset={charset}; action="{action}"'}
