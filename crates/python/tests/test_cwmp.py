"""CWMP: an ACS and devices, both in Python, over loopback."""

from __future__ import annotations

import asyncio
import hashlib
import pickle
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import castile
import pytest
from castile import cwmp

SCHEMA = Path(__file__).parents[3] / "docs" / "guides" / "files" / "device.xsd"
INFORM = {
    "DeviceId": {"Manufacturer": "Castile", "OUI": "00AABB", "ProductClass": "Gate", "SerialNumber": "17"},
    "Event": [{"EventCode": "1 BOOT", "CommandKey": ""}],
    "MaxEnvelopes": 1,
    "CurrentTime": "2026-05-01T12:00:00Z",
    "RetryCount": 0,
    "ParameterList": [{"Name": "Device.Up", "Value": 3}],
}


class Gate:
    """The methods of a device."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {"Device.Mode": "day"}

    def GetParameterValues(self, ParameterNames: Any) -> list[dict[str, Any]]:
        unknown = [name for name in ParameterNames if name not in self.values]
        if unknown:
            raise cwmp.CwmpFault(9005, f"no parameter {unknown[0]}")
        return [{"Name": name, "Value": self.values[name]} for name in ParameterNames]

    def SetParameterValues(self, ParameterList: Any, ParameterKey: str) -> int:
        wrong = [(p.Name, 9008, "not writable") for p in ParameterList if p.Name != "Device.Mode"]
        if wrong:
            raise cwmp.CwmpFault(9003, "Invalid arguments", wrong)
        self.values |= {p.Name: p.Value for p in ParameterList}
        return 0


@pytest.fixture
def serve() -> Iterator[Callable[..., cwmp.Acs]]:
    running: list[cwmp.Acs] = []

    def start(handler: Callable[[Any], Any], **settings: Any) -> cwmp.Acs:
        acs = cwmp.serve(handler, SCHEMA, port=0, background=True, cache=False, **settings)
        running.append(acs)
        return acs

    yield start
    for acs in running:
        acs.stop()


def device(acs: cwmp.Acs, methods: Any = None, **settings: Any) -> cwmp.Cpe:
    return cwmp.Cpe(SCHEMA, acs.url, Gate() if methods is None else methods, cache=False, **settings)


def test_the_acs_calls_inside_its_replies(serve: Callable[..., cwmp.Acs]) -> None:
    seen: list[Any] = []

    def manage(session: cwmp.Session) -> None:
        seen.append(session.inform.DeviceId.SerialNumber)
        seen.append([name for name, _ in session.said()])
        seen.append(sorted(session.service.GetRPCMethods()))
        session.service.SetParameterValues([{"Name": "Device.Mode", "Value": "night"}], "k")
        seen.append([(p.Name, p.Value) for p in session.service.GetParameterValues(["Device.Mode"])])
        with pytest.raises(cwmp.CwmpFault) as raised:
            session.service.GetParameterValues(["Device.No"])
        seen.append((raised.value.fault_code, raised.value.text))
        with pytest.raises(cwmp.CwmpFault) as raised:
            session.service.SetParameterValues(
                ParameterList=[{"Name": "Device.X", "Value": "1"}], ParameterKey=""
            )
        seen.append(raised.value.parameters)
        with pytest.raises(cwmp.CwmpFault, match="9000"):
            session.service.Reboot("now")
        seen.append("end")

    acs = serve(manage)
    with device(acs).inform(**INFORM) as session:
        session.service.TransferComplete("k")
        with pytest.raises(cwmp.CwmpFault, match="8000"):
            session.service.Reboot("k")
    assert session.calls == 6
    assert seen == [
        "17",
        ["Inform", "TransferComplete", "Reboot"],
        ["GetParameterValues", "GetRPCMethods", "SetParameterValues"],
        [("Device.Mode", "night")],
        (9005, "no parameter Device.No"),
        [("Device.X", 9008, "not writable")],
        "end",
    ]


def test_a_coroutine_may_be_the_handler(serve: Callable[..., cwmp.Acs]) -> None:
    seen: list[Any] = []

    async def manage(session: cwmp.AsyncSession) -> None:
        await asyncio.sleep(0)
        seen.append(await session.service.GetParameterValues(["Device.Mode"]))

    with device(serve(manage)).inform(**INFORM):
        pass
    assert [p.Value for p in seen[0]] == ["day"]


def test_methods_that_devices_call_know_their_session(serve: Callable[..., cwmp.Acs]) -> None:
    seen: list[Any] = []

    def transferred(CommandKey: str) -> None:
        session = castile.current_call().session
        assert session is not None
        seen.append((CommandKey, session.opening().DeviceId.SerialNumber, session.peer[0], session.principal))

    acs = serve(lambda session: None, methods={"TransferComplete": transferred}, users={"gate": "secret"})
    with device(acs, auth=castile.Digest("gate", "secret")).inform(**INFORM) as session:
        session.service.TransferComplete("k")
    assert seen == [("k", "17", "127.0.0.1", "gate")]
    assert acs.sessions == 0
    with pytest.raises(castile.Error):
        device(acs, auth=castile.Digest("gate", "wrong")).inform(**INFORM)


def test_basic_authentication(serve: Callable[..., cwmp.Acs]) -> None:
    acs = serve(lambda session: None, users={"gate": "secret"}, digest=False)
    with device(acs, auth=("gate", "secret")).inform(**INFORM) as session:
        pass
    assert session.calls == 0


def test_requests_are_held_back(serve: Callable[..., cwmp.Acs]) -> None:
    acs = serve(lambda session: session.service.GetRPCMethods(), hold_requests=True)
    session = device(acs).inform(**INFORM)
    assert session.held
    assert session.finish() == 1
    assert not session.held
    session.service.TransferComplete("late")
    assert session.finish() == 0


def test_a_handler_that_fails_ends_the_session(
    serve: Callable[..., cwmp.Acs], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(session: cwmp.Session) -> None:
        raise RuntimeError("nobody tells the device this")

    with device(serve(fail)).inform(**INFORM) as session:
        pass
    assert session.calls == 0
    assert "a session failed" in caplog.text


def test_a_device_that_leaves_is_an_error_of_the_call(serve: Callable[..., cwmp.Acs]) -> None:
    failed: list[str] = []
    done = threading.Event()

    def manage(session: cwmp.Session) -> None:
        try:
            session.service.GetRPCMethods()
        except castile.Error as error:
            failed.append(str(error))
        done.set()

    acs = serve(manage, timeout_device=0.2)
    opened = urllib.request.Request(
        acs.url, device(acs, {})._core.client().encode("Inform", (), INFORM, None)
    )
    opened.add_header("Content-Type", "text/xml")
    with urllib.request.urlopen(opened) as reply:
        cookie = reply.headers["Set-Cookie"].partition(";")[0]
    turn = urllib.request.Request(acs.url, b"", {"Cookie": cookie})
    with urllib.request.urlopen(turn) as reply:
        assert b"GetRPCMethods" in reply.read()
    assert done.wait(10)
    assert "did not answer in time" in failed[0]


def answer(challenge: str, path: str, user: str, password: str) -> str:
    """The Authorization of RFC 7616 with MD5, which is what ACSs speak."""
    said = dict(re.findall(r'(\w+)="?([^",]+)"?', challenge))

    def digest(text: str) -> str:
        return hashlib.md5(text.encode()).hexdigest()

    secret = digest(f"{user}:{said['realm']}:{password}")
    response = digest(f"{secret}:{said['nonce']}:00000001:c:auth:" + digest(f"GET:{path}"))
    return (
        f'Digest username="{user}", realm="{said["realm"]}", nonce="{said["nonce"]}", uri="{path}", '
        f'algorithm=MD5, qop=auth, nc=00000001, cnonce="c", response="{response}"'
    )


def test_a_connection_request_proves_who_asks() -> None:
    wanted = threading.Event()

    def ask(authorization: str | None = None) -> urllib.error.HTTPError | int:
        request = urllib.request.Request(requests.url)
        if authorization is not None:
            request.add_header("Authorization", authorization)
        try:
            with urllib.request.urlopen(request) as reply:
                return int(reply.status)
        except urllib.error.HTTPError as error:
            error.close()
            return error

    with cwmp.ConnectionRequests(wanted.set, user="acs", password="secret", path="/x") as requests:

        def prove(password: str) -> int:
            refused = ask()
            assert not isinstance(refused, int) and refused.code == 401
            challenges = refused.headers.get_all("WWW-Authenticate") or []
            md5 = next(c for c in challenges if "MD5" in c)
            answered = ask(answer(md5, "/x", "acs", password))
            return answered if isinstance(answered, int) else answered.code

        assert prove("wrong") == 401
        assert not wanted.is_set()
        assert prove("secret") == 200
        assert wanted.wait(5)
        assert prove("secret") == 503, "one a second"


def test_a_fault_can_be_pickled() -> None:
    fault = cwmp.CwmpFault(9003, "no", [("a", 9005, "b")])
    again = pickle.loads(pickle.dumps(fault))
    assert (again.fault_code, again.text, again.parameters) == (9003, "no", [("a", 9005, "b")])


def test_a_contract_of_something_else_is_refused() -> None:
    other = SCHEMA.read_bytes().replace(b"urn:dslforum-org:cwmp-1-2", b"urn:other")
    with pytest.raises(castile.Error, match="no contract of CWMP"):
        cwmp.Cpe(other, "http://127.0.0.1:1/", cache=False)
