"""White space that differential sending may leave: do peers read it as if it were not there?

Each simple type is sent plain, with spaces inside its element, and with white space between elements: to
every server (all types, every.wsdl) and to every client (those of echoScalars, interop.wsdl). What they make
of it is the table in docs/guides/differential-sending.md; CASTILE_INTEROP_WRITE=1 writes that anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

import model
import peers
import pytest
import wire
from conftest import Running
from test_matrix import CONTRACTS

GUIDE = peers.HERE.parent / "docs" / "guides" / "differential-sending.md"
SERVERS = {
    "gsoap": "gSOAP",
    "spyne": "spyne",
    "node-soap": "node-soap",
    "axis": "Axis",
    "cxf": "CXF",
    "metro": "Metro",
}
CLIENTS = {"gsoap": "gSOAP", "zeep": "zeep", "node-soap": "node-soap", "cxf": "CXF", "metro": "Metro"}
EVERY = "urn:castile:interop:every"

# How the element of a value is written.
Kind = Callable[[str, str], str]
KINDS: dict[str, Kind] = {
    "plain": lambda name, text: f"<{name}>{text}</{name}>",
    "inside": lambda name, text: f"<{name}>  {text}   </{name}>",
    "between": lambda name, text: f"\n  <{name}>{text}</{name}>   \n",
}
# What a peer makes of a value of a type, written in one way: one of YES, KEPT, WRONG, REFUSED.
Probe = Callable[[str, Kind], str]
YES, KEPT, WRONG, REFUSED, NONE = "yes", "kept", "wrong", "refused", "-"

# In the order of the table: a value of each type, as nearly all peers write it.
SAMPLES = {
    **dict.fromkeys(
        ("byte", "short", "int", "long", "integer", "nonPositiveInteger", "negativeInteger"), "-5"
    ),
    **dict.fromkeys(("unsignedByte", "unsignedShort", "unsignedInt", "unsignedLong"), "5"),
    **dict.fromkeys(("nonNegativeInteger", "positiveInteger"), "5"),
    **{"decimal": "-1.5", "float": "0.5", "double": "0.5", "boolean": "true"},
    **{"date": "2026-11-20", "time": "12:34:56", "dateTime": "2026-11-20T12:34:56Z", "duration": "P1DT2H"},
    **{"gYear": "2026", "gYearMonth": "2026-11", "gMonth": "--11", "gMonthDay": "--11-20", "gDay": "---20"},
    **{"hexBinary": "0AFF", "base64Binary": "AQID", "anyURI": "urn:x", "QName": "e:name"},
    **dict.fromkeys(("token", "NMTOKEN", "Name", "NCName", "ID"), "a"),
    **{"language": "en", "NMTOKENS": "a b", "string": "a", "normalizedString": "a"},
}
PRESERVED = ("string", "normalizedString")  # white space inside them is part of the value


def verdicts(probe: Probe, types: list[str], kind: str) -> dict[str, str]:
    """What a peer makes of each type; `NONE` where it can't do the type at all."""
    plain = {type_: probe(type_, KINDS["plain"]) for type_ in types}
    return {type_: probe(type_, KINDS[kind]) if plain[type_] == YES else NONE for type_ in types}


# ---- servers: the reply has the value again ----


def server_probe(url: str) -> Probe:
    def probe(type_: str, kind: Kind) -> str:
        element = kind(f"e:{type_}Value", SAMPLES[type_])
        text = (
            f'<S:Envelope xmlns:S="{wire.ENVELOPE["1.1"]}" xmlns:e="{EVERY}"><S:Body>'
            f"<e:echoEvery><e:every>{element}</e:every></e:echoEvery></S:Body></S:Envelope>"
        )
        got = wire.post(url, text.encode(), wire.headers("1.1", f"{EVERY}#echoEvery"))
        if got.start != "200":
            return REFUSED
        found = got.envelope().find(f".//{{*}}{type_}Value")
        text = "" if found is None else found.text or ""
        if value(type_, text) != value(type_, SAMPLES[type_]):
            return WRONG
        return YES if text == text.strip() else KEPT

    return probe


def value(type_: str, text: str) -> Any:
    """What a text means, however it is spelled."""
    text = text.strip()
    try:
        if type_ in ("decimal", "integer", "float", "double"):
            return Decimal(text)
        if type_ == "dateTime":
            return datetime.fromisoformat(text)
    except (ArithmeticError, ValueError):
        return f"no {type_}: {text!r}"
    if type_ in ("date", "time"):
        return text.removesuffix("Z").removesuffix("+00:00").removesuffix(".000")
    if type_ == "QName":
        return text.rpartition(":")[2]
    return text.upper() if type_ == "hexBinary" else text


# ---- clients: what they say of a reply ----

SCALARS = CONTRACTS["interop"].operations["echoScalars"]
FIELDS = {
    field.type.name: field
    for field in SCALARS.input.fields[0].type.fields  # type: ignore[union-attr]
}
NEUTRAL = {
    **{"float": "3f000000", "double": "3fe0000000000000", "boolean": True, "base64Binary": "010203"},
    **dict.fromkeys(("byte", "short", "int"), -5),
    **dict.fromkeys(("unsignedByte", "unsignedShort"), 5),
    "hexBinary": "0aff",
}


def neutral(type_: str) -> Any:
    return NEUTRAL.get(type_, SAMPLES[type_])


def client_probe(client: peers.Client, recorder: wire.Recorder) -> Probe:
    arguments = {"scalars": {field.name: neutral(type_) for type_, field in FIELDS.items()}}
    request = {"contract": "interop", "version": "1.1", "operation": SCALARS.name, "action": SCALARS.action}

    def probe(type_: str, kind: Kind) -> str:
        elements = "".join(
            (kind if each == type_ else KINDS["plain"])(f"t:{field.name}", SAMPLES[each])
            for each, field in FIELDS.items()
        )
        body = f"<i:echoScalarsResponse><i:scalars>{elements}</i:scalars></i:echoScalarsResponse>"
        recorder.reply = wire.envelope("1.1", body).encode()
        answer = client.call({**request, "url": recorder.url, "arguments": arguments})
        if "result" not in answer:
            return REFUSED
        field = FIELDS[type_]
        got = model.comparable(field.type, answer["result"]["scalars"].get(field.name, ""))
        wanted = model.comparable(field.type, neutral(type_))
        return YES if got == wanted else KEPT if str(got).strip() == wanted else WRONG

    return probe


# ---- ours ----


@pytest.mark.parametrize("kind", ["inside", "between"])
def test_our_server_reads_it(running: Running, kind: str) -> None:
    types = [type_ for type_ in SAMPLES if kind == "between" or type_ not in PRESERVED]
    url = running.server("castile").url("every", "1.1")
    assert verdicts(server_probe(url), types, kind) == dict.fromkeys(types, YES)


@pytest.mark.parametrize("kind", ["inside", "between"])
@pytest.mark.parametrize("client", [name for name in peers.CLIENTS if peers.is_castile(name)])
def test_our_clients_read_it(running: Running, client: str, kind: str) -> None:
    with wire.Recorder() as recorder:
        probe = client_probe(running.client(client), recorder)
        assert verdicts(probe, list(FIELDS), kind) == dict.fromkeys(FIELDS, YES)


# ---- the table ----


def test_the_guide_says_what_peers_say(running: Running) -> None:
    servers = {name: server_probe(url) for name, url in server_urls(running).items()}
    inside = [type_ for type_ in SAMPLES if type_ not in PRESERVED]
    made = table("As servers", SERVERS, servers, inside, list(SAMPLES))
    with wire.Recorder() as recorder:
        clients = {name: client_probe(running.client(name), recorder) for name in CLIENTS}
        made += "\n" + table("As clients", CLIENTS, clients, list(FIELDS), list(FIELDS))
    text = GUIDE.read_text(encoding="utf-8")
    start, end = "<!-- by interop/test_padding.py -->\n", "<!-- end -->"
    before, rest = text.split(start)
    said, after = rest.split(end)
    if os.environ.get("CASTILE_INTEROP_WRITE") == "1":
        GUIDE.write_text(f"{before}{start}{made}{end}{after}", encoding="utf-8")
        said = made
    assert said == made


def server_urls(running: Running) -> dict[str, str]:
    names = [name for name in SERVERS if name != "axis"]
    urls = {name: running.server(name).url("every", "1.1") for name in names}
    port = running.port(peers.ENCODED_SERVERS["axis"])
    return {**urls, "axis": f"http://127.0.0.1:{port}/axis/services/Every11"}


def table(
    title: str, names: dict[str, str], probes: dict[str, Probe], inside: list[str], between: list[str]
) -> str:
    """A row for all types of which the peers say the same; what stands between elements comes last."""
    rows: dict[tuple[str, ...], list[str]] = {}
    columns = [verdicts(probes[name], inside, "inside") for name in names]
    for type_ in inside:
        rows.setdefault(tuple(column[type_] for column in columns), []).append(type_)
    lines = [f"| {title}, inside | {' | '.join(names.values())} |", "|---" * (len(names) + 1) + "|"]
    lines += [f"| {', '.join(types)} | {' | '.join(said)} |" for said, types in rows.items()]
    columns = [verdicts(probes[name], between, "between") for name in names]
    lines.append(f"| any type, white space between elements | {' | '.join(map(summary, columns))} |")
    return "\n".join(lines) + "\n"


def summary(column: dict[str, str]) -> str:
    """One word for all types, or those that are not read, each with its own."""
    bad = [f"{type_} {said}" for type_, said in column.items() if said not in (YES, NONE)]
    return ", ".join(bad) or YES
