"""The bytes that Castile sends, and the awkward but legal bytes that it must take.

CASTILE_INTEROP_FOREIGN=1 asks the same of the foreign peers, which shows that it isn't too much.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import peers
import pytest
import wire
from cases import Case, cases
from conftest import Running
from lxml import etree
from test_matrix import CONTRACTS, LEDGER, request_of
from wire import ENVELOPE, MEDIA_TYPE, NAMES, Message, Recorder, envelope, headers, post

FOREIGN = os.environ.get("CASTILE_INTEROP_FOREIGN") == "1"
INTEROP = CONTRACTS["interop"]
OURS = {name: peer for name, peer in peers.SERVERS.items() if peers.is_castile(name)}
SERVICES = [name for name in OURS if name != "castile-cli"]  # the command's server is a mock
RAW = json.loads((peers.HERE / "wire.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> dict[str, etree.XMLSchema]:
    folder = tmp_path_factory.mktemp("schema")
    return {name: wire.schema(name, Path(folder)) for name in CONTRACTS}


def parameters(role: dict[str, Any], raws: list[dict[str, Any]]) -> list[Any]:
    """Each peer of a role (Castile alone, unless foreign ones are asked for) x version x raw case."""
    return [
        pytest.param(
            peer, version, raw, marks=_known(peer, version, raw["id"]), id=f"{peer}-{raw['id']}-{version}"
        )
        for peer in role
        for version in INTEROP.versions
        for raw in raws
        if FOREIGN or peers.is_castile(peer)
    ]


def _known(peer: str, version: str, name: str) -> list[pytest.MarkDecorator]:
    """The ledger's rows for one peer and raw bytes: those whose other side is called `wire`."""
    pairs = (("wire", peer), (peer, "wire"))
    rows = [
        r
        for r in LEDGER
        if "wire" in (r.client, r.server) and any(r.covers(*p, version, name) for p in pairs)
    ]
    reason = "; ".join(row.reason for row in rows)
    if any(row.outcome == "skip" for row in rows):
        return [pytest.mark.skip(reason=reason)]
    return [pytest.mark.xfail(reason=reason, strict=True)] if rows else []


# ---- what a client sends ----


def _requests() -> list[Any]:
    return [
        pytest.param(
            client, version, case, marks=_known(client, version, case.id), id=f"{client}-{case.id}-{version}"
        )
        for client in peers.CLIENTS
        for case in cases()
        for version in CONTRACTS[case.contract].versions
        if FOREIGN or peers.is_castile(client)
    ]


@pytest.mark.parametrize(("client", "version", "case"), _requests())
def test_request(
    running: Running, schemas: dict[str, etree.XMLSchema], client: str, version: str, case: Case
) -> None:
    with Recorder() as recorder:
        arguments = {**case.arguments, "key": "k"} if case.steps == "one-way" else case.arguments
        request = request_of(recorder.url, version, case, arguments)
        running.client(client).call(request)
    (sent,) = recorder.requests
    assert sent.start == "POST /recorder HTTP/1.1"
    check_http(sent, version, request["action"])
    root = sent.envelope()
    assert root.tag == f"{{{ENVELOPE[version]}}}Envelope"
    assert not root.xpath("//processing-instruction()"), "SOAP allows no processing instructions"
    if case.contract == "rpc":
        check_rpc(sent.body_child(version), case.operation)
    else:
        valid(schemas[case.contract], sent.body_child(version))
    if case.header:
        (token,) = root.find(f"{{{ENVELOPE[version]}}}Header")
        valid(schemas["interop"], token)


def check_http(sent: Message, version: str, action: str) -> None:
    assert sent.media_type == MEDIA_TYPE[version]
    kind = sent.headers["content-type"]
    assert re.search(r'charset="?utf-8"?', kind, re.IGNORECASE), kind
    if version == "1.1":
        assert sent.headers["soapaction"] == f'"{action}"'
    elif "action=" in kind:
        assert f'action="{action}"' in kind


def check_rpc(wrapper: etree._Element, operation: str) -> None:
    """WS-I Basic Profile 1.1: the wrapper is in the operation's namespace, the accessors in none."""
    assert wrapper.tag == f"{{{NAMES['r']}}}{operation}"
    parts = [f.name for f in CONTRACTS["rpc"].operations[operation].input.fields]
    assert [child.tag for child in wrapper] == parts


def valid(schema: etree.XMLSchema, element: etree._Element) -> None:
    copy = etree.fromstring(etree.tostring(element, with_tail=False))
    for name in copy.attrib:
        if name.startswith("{http://schemas.xmlsoap.org/soap/envelope/}") or "soap-envelope" in name:
            del copy.attrib[name]  # mustUnderstand, role: SOAP's own, on header blocks
    assert schema.validate(copy), schema.error_log.last_error


# ---- what a server must take ----


@pytest.mark.parametrize(("server", "version", "raw"), parameters(peers.SERVERS, RAW["taken"]))
def test_body(
    running: Running, schemas: dict[str, etree.XMLSchema], server: str, version: str, raw: dict[str, Any]
) -> None:
    got = ask(running, server, version, envelope(version, raw["body"]).encode())
    check_values(schemas, got, version, raw["reply"])


def ask(running: Running, server: str, version: str, body: bytes, **options: Any) -> Message:
    """Posts an envelope; its SOAP action follows from the operation that it seems to name."""
    found = re.search(rb"echo\w+|fail\w+|notify|useSession|nothing", body.replace(b"\0", b""))
    action = f"urn:castile:interop#{found[0].decode() if found else ''}"
    lines = options.pop("lines", None) or headers(version, action)
    return post(running.server(server).url("interop", version), body, lines, **options)


def check_values(schemas: dict[str, etree.XMLSchema], got: Message, version: str, wanted: list[Any]) -> None:
    assert got.start == "200", got.body[:500]
    assert got.media_type == MEDIA_TYPE[version]
    reply = got.body_child(version)
    valid(schemas["interop"], reply)
    texts = [value.text or "" for value in reply]
    if "Strings" in reply.tag:
        assert texts == wanted
    else:
        assert [float(text) for text in texts] == [float(value) for value in wanted]


TWO = "<i:echoStrings><i:value>a</i:value><i:value>b</i:value></i:echoStrings>"


# name -> how the envelope of TWO becomes bytes and HTTP headers
def _framed(name: str, version: str) -> tuple[bytes, dict[str, Any]]:
    text = envelope(version, TWO)
    action = "urn:castile:interop#echoStrings"
    if name == "utf-16":
        return ('<?xml version="1.0" encoding="UTF-16"?>' + text).encode("utf-16"), {
            "lines": headers(version, action, "utf-16")
        }
    if name == "bom":
        return b"\xef\xbb\xbf" + text.encode(), {}
    if name == "declaration":
        return b"<?xml version='1.0' encoding='utf-8' standalone='yes'?>\n" + text.encode(), {}
    if name == "trailing":
        return text.encode() + b"\r\n<!-- done -->\n", {}
    if name == "chunked":
        return text.encode(), {"chunked": True}
    if name == "charset-quoted":
        return text.encode(), {"lines": headers(version, action, '"UTF-8"')}
    if name == "no-charset":
        kind = MEDIA_TYPE[version] + (f'; action="{action}"' if version == "1.2" else "")
        return text.encode(), {"lines": {"Content-Type": kind, "SOAPAction": f'"{action}"'}}
    if name == "no-action":
        lines = {"Content-Type": f"{MEDIA_TYPE[version]}; charset=utf-8"}
        return text.encode(), {"lines": lines | ({"SOAPAction": '""'} if version == "1.1" else {})}
    if name == "empty-header":
        return envelope(version, TWO, "<e:Header/>").encode(), {}
    if name == "unknown-header":
        block = '<e:Header><x:extra xmlns:x="urn:unknown">1</x:extra></e:Header>'
        return envelope(version, TWO, block).encode(), {}
    raise AssertionError(name)


FRAMES = [
    {"id": name}
    for name in [
        "utf-16",
        "bom",
        "declaration",
        "trailing",
        "chunked",
        "charset-quoted",
        "no-charset",
        "no-action",
        "empty-header",
        "unknown-header",
    ]
]


@pytest.mark.parametrize(("server", "version", "raw"), parameters(peers.SERVERS, FRAMES))
def test_frame(
    running: Running, schemas: dict[str, etree.XMLSchema], server: str, version: str, raw: dict[str, Any]
) -> None:
    body, options = _framed(raw["id"], version)
    got = ask(running, server, version, body, **options)
    check_values(schemas, got, version, ["a", "b"])


# ---- what a server must refuse, and how ----


@pytest.mark.parametrize(("server", "version", "raw"), parameters(OURS, RAW["refused"]))
def test_refused(running: Running, server: str, version: str, raw: dict[str, Any]) -> None:
    header = f"<e:Header>{raw['header']}</e:Header>" if "header" in raw else ""
    text = raw.get("prolog", "") + envelope(version, raw["body"], header)
    text = text.replace(ENVELOPE[version], raw.get("envelope", ENVELOPE[version]))
    got = ask(running, server, version, text.encode()[: -raw["cut"] if "cut" in raw else None])
    check_fault(got, version, raw["codes"][INTEROP.versions.index(version)])


def check_fault(got: Message, version: str, code: str) -> None:
    """SOAP 1.1 clause 6.2 wants status 500; SOAP 1.2 part 2 table 20 wants 400 for Sender, else 500."""
    if code == "VersionMismatch":
        version = "1.1" if got.media_type == MEDIA_TYPE["1.1"] else "1.2"
    fault = got.body_child(version)
    assert fault.tag == f"{{{ENVELOPE[version]}}}Fault"
    value = fault.findtext("faultcode") if version == "1.1" else fault.findtext("{*}Code/{*}Value")
    prefix, _, local = (value or "").strip().rpartition(":")
    assert (fault.nsmap.get(prefix or None), local) == (ENVELOPE[version], code)
    assert got.start == ("400" if code == "Sender" else "500")
    assert b"Traceback" not in got.body
    if version == "1.1":
        assert [child.tag for child in fault][:2] == ["faultcode", "faultstring"]
    else:
        names = [etree.QName(child).localname for child in fault]
        assert names[:2] == ["Code", "Reason"]
        assert fault.find("{*}Reason/{*}Text").get("{http://www.w3.org/XML/1998/namespace}lang")


@pytest.mark.parametrize("server", SERVICES)
def test_declared_fault_is_valid(running: Running, server: str, schemas: dict[str, etree.XMLSchema]) -> None:
    body = "<i:failDeclared><i:code>1</i:code><i:reason>r</i:reason><i:path>p</i:path></i:failDeclared>"
    for version in INTEROP.versions:
        got = ask(running, server, version, envelope(version, body).encode())
        check_fault(got, version, "Server" if version == "1.1" else "Receiver")
        fault = got.body_child(version)
        detail = fault.find("detail") if version == "1.1" else fault.find("{*}Detail")
        (entry,) = detail
        assert entry.tag == f"{{{NAMES['i']}}}ServiceFault"
        valid(schemas["interop"], entry)


@pytest.mark.parametrize("server", OURS)
def test_one_way_has_no_envelope(running: Running, server: str) -> None:
    body = "<i:notify><i:key>raw</i:key><i:text>t</i:text><i:value>1</i:value></i:notify>"
    for version in INTEROP.versions:
        got = ask(running, server, version, envelope(version, body).encode())
        assert (got.start, got.body) == ("202", b"")


@pytest.mark.parametrize("server", SERVICES)
def test_reply_header_is_valid(running: Running, server: str, schemas: dict[str, etree.XMLSchema]) -> None:
    block = "<i:SessionToken><i:token>t</i:token><i:sequence>1</i:sequence></i:SessionToken>"
    body = "<i:useSession><i:text>x</i:text></i:useSession>"
    for version in INTEROP.versions:
        text = envelope(version, body, f"<e:Header>{block}</e:Header>")
        got = ask(running, server, version, text.encode())
        (state,) = got.envelope().find(f"{{{ENVELOPE[version]}}}Header")
        assert state.tag == f"{{{NAMES['i']}}}SessionState"
        valid(schemas["interop"], state)


@pytest.mark.parametrize("server", OURS)
def test_wsdl_is_served(running: Running, server: str) -> None:
    got = post(running.server(server).url("interop", "1.1") + "?wsdl", b"", {}, method="GET")
    assert got.start == "200"
    document = etree.fromstring(got.body)
    assert document.get("targetNamespace") == NAMES["i"]
    places = document.xpath("//*[local-name() = 'address']/@location")
    port = running.server(server).ports["interop"]
    assert places and all(f":{port}/" in place for place in places), places


@pytest.mark.parametrize("server", OURS)
def test_wrong_content_type(running: Running, server: str) -> None:
    lines = {"Content-Type": "application/json"}
    got = ask(running, server, "1.1", envelope("1.1", TWO).encode(), lines=lines)
    assert got.start == "415"
