"""What is said of wrong faults, handlers and names; derived types in dicts."""

import gc
import pickle
import re

import castile
import numpy as np
import pytest
from castile._mask import mask

WEATHER = "docs/guides/files/weather.wsdl"


@pytest.fixture
def weather(pytestconfig):
    from conftest import ROOT

    return ROOT / WEATHER


def forecast_fault(weather, fault):
    """What a caller gets when the handler raises the fault."""

    def forecast(place, days):
        raise fault

    with castile.serve({"Forecast": forecast}, wsdl=weather, port=0, background=True, cache=False) as server:
        client = castile.Client(weather, endpoint=server.url, cache=False)
        with pytest.raises(castile.Fault) as caught:
            client.service.Forecast(place="x", days=1)
        assert client.last_call is not None
    return caught.value


@pytest.mark.parametrize(
    "detail", [("UnknownPlace", {"nope": 1}), ("{urn:x}other", {"a": 1}), ("x", object())]
)
def test_a_detail_that_does_not_fit_is_left_out_and_logged(weather, caplog, detail):
    got = forecast_fault(weather, castile.Fault("sorry", "Sender", detail=detail))
    assert (got.reason, got.code, got.details) == ("sorry", "Sender", [])
    assert any(r.name == "castile.server" and "Forecast" in r.message for r in caplog.records)


def test_who_makes_a_service_is_told_what_is_wrong_with_it(weather, caplog):
    wrong_detail = castile.Fault("sorry", "Sender", detail=("UnknownPlace", {"nope": 1}))
    wrong_results = [ValueError("three"), {"place": "x", "days": 3}, {"place": "a\1", "day": []}]
    given = iter([wrong_detail, *wrong_results] * 2)

    def forecast(place, days):
        value = next(given)
        if isinstance(value, Exception):
            raise value
        return value

    for debug in (True, False):
        with castile.serve(
            {"Forecast": forecast}, wsdl=weather, port=0, background=True, cache=False, debug=debug
        ) as server:
            client = castile.Client(weather, endpoint=server.url, cache=False)
            for words in ('fault is wrong: .*"nope"', "ValueError: three", 'no "days"', r"U\+0001"):
                with pytest.raises(castile.Fault) as caught:
                    client.service.Forecast(place="x", days=1)
                told = re.search(words, caught.value.reason)
                assert bool(told) == debug, caught.value.reason
    assert len([r for r in caplog.records if r.name == "castile.server"]) == 8


def test_a_setting_of_a_call_without_its_underscore_is_told(weather):
    client = castile.Client(weather, cache=False)
    with pytest.raises(castile.BadValue, match=r'no "timeout".*did you mean _timeout=...\?') as caught:
        client.service.Forecast(place="x", days=1, timeout=5)
    assert caught.value.path == "/Envelope/Body/Forecast"
    with pytest.raises(castile.BadValue, match=r"did you mean _headers=...\?"):
        client.service.Forecast("x", 1, headers={})
    with pytest.raises(castile.BadValue) as caught:
        client.service.Forecast("x", "many")
    assert "did you mean" not in str(caught.value)


def test_a_declared_fault_needs_no_namespace(weather):
    got = forecast_fault(weather, castile.Fault("no", "Sender", detail=("UnknownPlace", {"place": "x"})))
    assert got.name == "UnknownPlace"
    assert got.detail.place == "x"


def test_an_undeclared_detail_is_xml(weather):
    got = forecast_fault(weather, castile.Fault("no", detail=castile.XML('<a xmlns="urn:a">1</a>')))
    assert got.details[0][0] == "{urn:a}a"


def test_the_detail_of_a_fault_keeps_the_type_of_what_is_in_it():
    from conftest import ROOT

    contract = ROOT / "interop" / "shapes.wsdl"
    ring = {"@type": "Ring", "name": "r", "radius": 2.0, "hole": 1.0}

    def fail(shape, text=None):
        raise castile.Fault("no", detail=("ShapeFault", {"shape": ring if shape.name == "dict" else shape}))

    with castile.serve({"failShape": fail}, wsdl=contract, port=0, background=True, cache=False) as server:
        client = castile.Client(contract, endpoint=server.url, port="Shapes11", cache=False)
        for sent in ({"@type": "Circle", "name": "c", "radius": 0.5}, {"name": "dict"}):
            with pytest.raises(castile.Fault) as caught:
                client.service.failShape(shape=sent)
            got = caught.value.detail.shape
            wanted = ring if sent["name"] == "dict" else sent
            assert castile.type_name(got) == f"{{urn:castile:interop:shapes}}{wanted['@type']}"
            assert got.radius == wanted["radius"]


def test_arguments_of_a_fault_are_checked():
    with pytest.raises(ValueError, match="reason comes first"):
        castile.Fault("Sender", "bad login")
    with pytest.raises(TypeError, match="pair"):
        castile.Fault("no", detail={"a": 1})
    with pytest.raises(TypeError, match="pair"):
        castile.Fault("no", detail="text")
    fault = castile.Fault("no", "{urn:x}own", detail=("a", 1), node="n")
    assert pickle.loads(pickle.dumps(fault)).__dict__ == fault.__dict__


def test_the_last_call_is_not_that_of_an_earlier_one(weather):
    client = None
    with castile.serve({"Smooth": lambda value: value}, wsdl=weather, port=0, background=True) as server:
        client = castile.Client(weather, endpoint=server.url)
        client.service.Smooth([1.0])
        assert client.last_call is not None
    with pytest.raises(castile.TransportError):
        client.service.Smooth([1.0])
    assert client.last_call is None


def test_a_server_that_is_not_kept_serves_on(weather):
    found = castile.serve({"Smooth": lambda value: value}, wsdl=weather, port=0, background=True).url
    gc.collect()
    assert castile.Client(weather, endpoint=found).service.Smooth([1.0]).tolist() == [1.0]


def refused(weather, handler, error, match):
    with pytest.raises(error, match=match):
        castile.serve(handler, wsdl=weather, port=0, background=True).stop()


def test_handlers_are_checked_at_start(weather):
    class Misspelt:
        def smooth(self, value): ...

    class Helper:
        def Smooth(self, value): ...

        def smooth_all(self): ...

        def unrelated(self): ...

    refused(weather, {"Smoth": lambda value: value}, castile.NoSuchOperation, "did you mean 'Smooth'")
    refused(weather, {"x": lambda value: value}, castile.ContractError, "Forecast, Smooth")
    refused(weather, Misspelt(), castile.NoSuchOperation, "Smooth")
    refused(weather, {"Smooth": lambda v: v}, TypeError, "Smooth.*'value'")
    refused(weather, {"Smooth": lambda value, more: value}, TypeError, "Smooth.*'more'")
    refused(weather, {"Smooth": 1}, TypeError, "Smooth")
    castile.serve(Helper(), wsdl=weather, port=0, background=True).stop()
    castile.serve({"Smooth": lambda **all: 1}, wsdl=weather, port=0, background=True).stop()


def test_an_unknown_operation(client):
    for error in (AttributeError, castile.ContractError, castile.NoSuchOperation):
        with pytest.raises(error, match="did you mean 'doubles'"):
            client.service.doubels  # noqa: B018
    with pytest.raises(castile.NoSuchOperation):
        client.service["nope"]
    with pytest.raises(castile.NoSuchOperation):
        client.encode("nope")
    assert not hasattr(client.service, "nope")


def test_an_array_hint_needs_a_dtype():
    with pytest.raises(castile.ContractError, match=r"NDArray\[np.float64\]"):

        @castile.service
        class Bare:
            @castile.operation
            def go(self, v: np.ndarray) -> None: ...

        castile.wsdl(Bare)


def test_only_texts_are_masked():
    assert mask("<passwordExpired>true</passwordExpired>") == "<passwordExpired>true</passwordExpired>"
    assert mask("<password>true blue</password>") == "<password>***</password>"


def test_a_dict_says_its_type(client):
    sent = client.encode("shape", {"@type": "Circle", "name": "c", "center": {"x": 0, "y": 0}, "radius": 2.0})
    assert b"xsi:type=" in sent
    full = client.type("Circle")._castile_type
    assert (
        client.encode("shape", {"@type": full, "name": "c", "center": {"x": 0, "y": 0}, "radius": 2.0})
        == sent
    )
    with pytest.raises(castile.BadValue, match=r"Circel.*Circle"):
        client.encode("shape", {"@type": "Circel", "name": "c"})
    with pytest.raises(castile.BadValue, match="Point"):
        client.encode("shape", {"@type": "Point", "name": "c"})


def test_repeated_groups_are_shown():
    from test_shapes import WSDL

    repeated = WSDL.replace(b'<x:choice minOccurs="0">', b'<x:choice minOccurs="0" maxOccurs="unbounded">')
    client = castile.Client(repeated, cache=False)
    assert "choice: a list of records of left, right" in client.type("Thing").__doc__
    with pytest.raises(castile.BadValue, match=r'choice .*left, right.*: \[{"left": ...}, {"right": ...}\]'):
        client.encode("echo", {"left": 1, "right": 2})
    with pytest.raises(castile.BadValue, match=r'a record for each: \[{"left": ...}, {"right": ...}\]'):
        client.encode("echo", {"choice": [{"left": 1, "right": 2}]})
    with pytest.raises(castile.BadValue, match=r"choice .*left, right"):
        client.encode("echo", {"left": 1, "choice": [{"right": 2}]})
    assert client.encode("echo", {"left": [1, 2]}) == client.encode(
        "echo", {"choice": [{"left": 1}, {"left": 2}]}
    )
    assert client.encode("echo", {"left": 1}) == client.encode("echo", {"choice": [{"left": 1}]})
    sent = client.encode("echo", {"choice": [{"left": 1}, {"right": 2}, {"left": 3}]})
    assert sent.count(b"left>") == 4


def test_the_dotted_codes_of_soap_1_1_are_sent(weather):
    fault = castile.Fault("bad key", "Client.Authentication")
    assert (fault.code, [code.local for code in fault.subcodes]) == ("Sender", ["Client.Authentication"])
    got = forecast_fault(weather, fault)
    assert (got.code, got.subcodes, got.reason) == (fault.code, fault.subcodes, fault.reason)
    assert castile.Fault("busy", "Server.Busy.Now").code == "Receiver"
    with pytest.raises(ValueError, match="no code of a fault"):
        castile.Fault("no", "Peer.X")
