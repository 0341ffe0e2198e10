"""Layers, through Python on both sides, with zeep's headers as the measure where it is installed."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
import time
from collections.abc import Iterator
from typing import Any

import castile
import pytest


@castile.service(namespace="urn:layers")
class Service:
    @castile.operation
    def echo(self, text: str) -> str:
        return text

    @castile.operation
    def who(self) -> str:
        return castile.current_call().principal or "nobody"

    @castile.operation
    def fail(self) -> str:
        raise castile.Fault("as asked", "Sender", headers=["<w xmlns='urn:why'>42</w>"])


USERS = {"jo": "secret", "jürgen": "pässwörd"}


@pytest.fixture(scope="module")
def guarded() -> Iterator[castile.Server]:
    layers = [castile.CheckSecurity(USERS, reply_timestamp=True)]
    with castile.serve(Service, port=0, background=True, layers=layers) as server:
        yield server


def client(server: castile.Server, *layers: Any, **settings: Any) -> castile.Client:
    # The WSDL needs no token: GET is not a call.
    return castile.Client(server.wsdl_url, cache=False, layers=layers, proxy="", **settings)


@pytest.mark.parametrize("kind", ["digest", "text"])
@pytest.mark.parametrize("user", USERS)
def test_a_token_names_the_caller(guarded: castile.Server, user: str, kind: Any) -> None:
    caller = client(guarded, castile.UsernameToken(user, USERS[user], kind), castile.Timestamp())
    assert caller.service.who() == user
    call = caller.last_call
    assert call is not None
    assert USERS[user] not in call.request_xml
    assert "***" in call.request_xml and "Timestamp" in call.request_xml
    assert call.request_xml.count("<wsse:Security ") == 1
    assert "Timestamp" in call.reply_xml


def test_what_is_wrong_is_refused(guarded: castile.Server) -> None:
    wrong = (castile.UsernameToken("jo", "Secret"),)
    for layers, code in [((), "InvalidSecurity"), (wrong, "FailedAuthentication")]:
        with pytest.raises(castile.Fault) as caught:
            client(guarded, *layers).service.who()
        assert caught.value.code.rpartition("}")[2] in ("Sender", code)
        assert any(s.localname == code for s in caught.value.subcodes) or code in caught.value.code


def test_a_digest_is_computed_as_the_profile_says(guarded: castile.Server) -> None:
    token = castile.UsernameToken("jo", "secret", clock_offset=-3600)
    xml = client(guarded, token).encode("who").decode()

    def part(name: str) -> str:
        found = re.search(rf"<\w+:{name}[^>]*>([^<]*)<", xml)
        assert found
        return found[1]

    nonce, created = base64.b64decode(part("Nonce")), part("Created")
    digest = hashlib.sha1(nonce + created.encode() + b"secret").digest()
    assert base64.b64decode(part("Password")) == digest
    assert len(nonce) == 16
    there = time.strptime(created.split(".")[0].rstrip("Z"), "%Y-%m-%dT%H:%M:%S")
    assert abs(time.mktime(time.gmtime()) - time.mktime(there) - 3600) < 60


def test_a_message_works_once(guarded: castile.Server) -> None:
    caller = client(guarded, castile.UsernameToken("jo", "secret"))
    kept = caller.encode("who")

    @caller.on_request
    def again(request: castile.Request) -> None:
        request.body = kept

    assert caller.service.who() == "jo"
    with pytest.raises(castile.Fault, match="before"):
        caller.service.who()


def test_the_clock_can_be_set_while_in_use(guarded: castile.Server) -> None:
    token = castile.UsernameToken("jo", "secret")
    caller = client(guarded, token)
    assert caller.service.who() == "jo"
    token.clock_offset = 7200
    with pytest.raises(castile.Fault, match="future"):
        caller.service.who()
    token.clock_offset = 0
    assert caller.service.who() == "jo"


@pytest.mark.parametrize("version", ["1.0", "2004/08"])
def test_addressing(version: Any) -> None:
    with castile.serve(
        Service, port=0, background=True, layers=[castile.CheckAddressing(required=True)]
    ) as server:
        layer = castile.Addressing(version=version, reply_required=True, must_understand=True)
        caller = client(server, layer)
        assert caller.service.echo("x") == "x"
        call = caller.last_call
        assert call is not None
        sent = re.search(r"MessageID[^>]*>([^<]+)<", call.request_xml)
        assert sent and f"{sent[1]}</a:RelatesTo>" in call.reply_xml
        with pytest.raises(castile.Fault) as caught:
            caller.service.fail()
        assert any("42" in block for block in caught.value.headers)
        assert any("RelatesTo" in block for block in caught.value.headers)
        with pytest.raises(castile.Fault, match="required"):
            client(server).service.echo("x")


def test_replies_come_to_a_listener() -> None:
    check = castile.CheckAddressing(reply_hosts=["127.0.0.1"])
    with (
        castile.serve(Service, port=0, background=True, layers=[check]) as server,
        castile.Callbacks() as callbacks,
    ):
        layer = castile.Addressing(callbacks=callbacks)
        caller = client(server, layer, timeout=20)
        assert [caller.service.echo(str(i)) for i in range(3)] == ["0", "1", "2"]
        with pytest.raises(castile.Fault, match="as asked"):
            caller.service.fail()
        waiting = castile.AsyncClient(server.wsdl_url, cache=False, layers=[layer], proxy="", timeout=20)

        async def several() -> list[Any]:
            return await asyncio.gather(*(waiting.service.echo(str(i)) for i in range(5)))

        assert asyncio.run(several()) == ["0", "1", "2", "3", "4"]


def test_replies_elsewhere_are_refused_unless_allowed() -> None:
    with castile.serve(Service, port=0, background=True, layers=[castile.CheckAddressing()]) as server:
        caller = client(server, castile.Addressing(reply_to="http://127.0.0.1:9/"))
        with pytest.raises(castile.Fault, match="over the connection only"):
            caller.service.echo("x")


def test_settings_that_are_wrong() -> None:
    with pytest.raises(TypeError, match="client's layers"):
        castile.Client("x.wsdl", layers=["x"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="server's layers"):
        castile.serve(Service, port=0, layers=["x"])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="kind"):
        castile.UsernameToken("a", "b", "what")  # type: ignore[arg-type]
    assert "secret" not in repr(castile.UsernameToken("jo", "secret"))
    assert "secret" not in repr(castile.CheckSecurity(USERS))


@pytest.mark.parametrize("digest", [True, False])
def test_zeep_is_let_in(guarded: castile.Server, digest: bool) -> None:
    zeep = pytest.importorskip("zeep", reason="SKIPPED: zeep is not installed")
    from zeep.wsse.username import UsernameToken

    token = UsernameToken("jo", "secret", use_digest=digest)
    caller = zeep.Client(guarded.wsdl_url, wsse=token)
    assert caller.service.who() == "jo"
    wrong = zeep.Client(guarded.wsdl_url, wsse=UsernameToken("jo", "x", use_digest=digest))
    with pytest.raises(zeep.exceptions.Fault, match="authenticated"):
        wrong.service.who()


def test_zeep_speaks_addressing() -> None:
    zeep = pytest.importorskip("zeep", reason="SKIPPED: zeep is not installed")
    from zeep.wsa import WsAddressingPlugin

    with castile.serve(
        Service, port=0, background=True, layers=[castile.CheckAddressing(required=True)]
    ) as server:
        caller = zeep.Client(server.wsdl_url, plugins=[WsAddressingPlugin()])
        assert caller.service.echo("x") == "x"


def test_x_road() -> None:
    layer = castile.XRoad("EE/GOV/1/office", "EE/COM/2", "EE37702211234", service_version="v1")
    with castile.serve(Service, port=0, background=True, layers=[castile.CheckXRoad()]) as server:
        caller = client(server, layer)
        assert caller.service.echo("x") == "x"
        call = caller.last_call
        assert call is not None
        assert ">echo</i:serviceCode>" in call.request_xml
        assert "protocolVersion" in call.reply_xml
        assert call.attachments == []
        with pytest.raises(castile.Fault, match="client is required"):
            client(server).service.echo("x")
    with pytest.raises(ValueError, match="INSTANCE/CLASS/CODE"):
        castile.Client("x.wsdl", layers=[castile.XRoad("EE", "EE/COM/2", "")])
