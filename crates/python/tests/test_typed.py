"""Generated modules: what they say is what comes, for plain code, asyncio and services."""

from __future__ import annotations

import asyncio
import datetime
import importlib
import inspect
import pickle
import subprocess
import sys
import typing
from decimal import Decimal
from pathlib import Path

import castile
import numpy as np
import pytest
from castile import typed
from castile._client import Shared

# Names that Python has for other things, and fields called as their types.
CLASHES = b"""<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t" targetNamespace="urn:t"
 xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"><types>
<x:schema targetNamespace="urn:t" elementFormDefault="qualified">
 <x:complexType name="list"><x:sequence>
  <x:element name="str" type="x:string" minOccurs="0"/><x:element name="class" type="x:int"/>
  <x:element name="list" type="t:list" minOccurs="0" maxOccurs="unbounded"/>
  <x:element name="np" type="x:double" minOccurs="0" maxOccurs="unbounded"/>
  <x:element name="Decimal" type="x:decimal"/><x:element name="unit-price" type="x:integer"/>
  <x:element name="typed" type="x:date" minOccurs="0"/>
 </x:sequence></x:complexType>
 <x:element name="import"><x:complexType><x:sequence><x:element name="from" type="t:list"/>
  <x:element name="self" type="x:string"/></x:sequence></x:complexType></x:element>
 <x:element name="importResponse"><x:complexType><x:sequence><x:element name="list" type="t:list"/>
  </x:sequence></x:complexType></x:element>
</x:schema></types>
<message name="i"><part name="p" element="t:import"/></message>
<message name="o"><part name="p" element="t:importResponse"/></message>
<portType name="P"><operation name="import"><input message="t:i"/><output message="t:o"/></operation>
</portType>
<binding name="B" type="t:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
 <operation name="import"><s:operation soapAction=""/><input><s:body use="literal"/></input>
 <output><s:body use="literal"/></output></operation></binding>
<service name="S"><port name="P" binding="t:B"><s:address location="http://127.0.0.1/"/></port></service>
</definitions>"""


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """A folder with generated modules, from which they can be imported."""
    folder = tmp_path_factory.mktemp("generated")
    root = typing.cast(typing.Any, importlib.import_module("conftest")).ROOT
    castile.generate(root / "examples" / "generated" / "wsdl" / "harbour.wsdl", folder / "harbour.py")
    castile.generate(root / "docs" / "guides" / "files" / "weather.wsdl", folder / "weather.py")
    castile.generate(CLASHES, folder / "clashes.py")
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def harbour(modules):
    return importlib.import_module("harbour")


@pytest.fixture(scope="module")
def service(harbour):
    class Master(harbour.HarbourService):
        def register(self, *, ship):
            assert type(ship) is harbour.Ship
            assert all(isinstance(load, harbour.Load) for load in ship.load)
            if not ship.name:
                raise harbour.fullFault("no berth is free", harbour.full(waiting=3))
            castile.current_call().reply_headers = {"watch": {"officer": "of the port"}}
            return harbour.registerResponse(number=1, ship=ship)

    with castile.serve(Master(), port=0, background=True) as server:
        yield server


@pytest.fixture
def ship(harbour):
    return harbour.Ship(
        name="Esperanza",
        flag="es",
        arrives=datetime.datetime(2030, 6, 1),
        load=[
            harbour.Bulk(label="grain", tonnes=Decimal("1.5")),
            harbour.Container(label="box", id="i1", content=[harbour.Bulk(label="tea", tonnes=Decimal(2))]),
        ],
        choice=[harbour.Ship_choice(note="hi"), harbour.Ship_choice(warning=3)],
    )


def test_calls_give_objects_of_the_module(harbour, service, ship):
    client = harbour.Client(endpoint=service.url)
    reply = client.service.register(
        ship, _headers=harbour.register_request_header(watch=harbour.watch(officer="me"))
    )
    assert type(reply) is harbour.registerResponse
    assert reply.ship == ship
    assert [type(load) for load in reply.ship.load] == [harbour.Bulk, harbour.Container]
    assert reply.ship.note == ["hi"]
    assert reply.ship.any == []
    headers = client.last_call.headers
    assert type(headers) is harbour.register_response_header
    assert headers.watch.officer == "of the port"


def test_declared_faults_are_exceptions_of_the_module(harbour, service, ship):
    client = harbour.Client(endpoint=service.url)
    ship.name = ""
    with pytest.raises(harbour.fullFault, match="no berth is free") as caught:
        client.service.register(ship)
    assert caught.value.detail == harbour.full(waiting=3)
    assert isinstance(caught.value, castile.Fault)
    assert pickle.loads(pickle.dumps(caught.value)).detail.waiting == 3
    with pytest.raises(castile.Fault, match="survey is not implemented"):
        client.service.survey()


def test_await(harbour, service, ship):
    client = harbour.AsyncClient(endpoint=service.url)
    assert asyncio.run(client.service.register(ship)).number == 1


def test_arrays(harbour):
    class Master(harbour.HarbourService):
        async def survey(self, *, sounding, tide):
            assert isinstance(sounding, np.recarray)
            return harbour.surveyResponse(sounding=sounding, mean=float(tide.mean()))

    with castile.serve(Master(), port=0, background=True) as server:
        client = harbour.Client(endpoint=server.url)
        soundings = np.array([(1, True, 10.0, 0.5)], dtype=harbour.SoundingRow)
        one = harbour.Sounding(x=1, valid=True, depth=10.0, error=0.5)
        for given in (soundings, [one]):
            reply = client.service.survey(given, tide=[1.0, 2.0])
            assert reply.mean == 1.5
            assert reply.sounding.dtype == harbour.SoundingRow
            assert reply.sounding.depth[0] == 10.0


def test_objects_are_copied_and_pickled_as_any_class(harbour, ship):
    back = pickle.loads(pickle.dumps(ship))
    assert back == ship
    assert type(back) is harbour.Ship
    assert type(back.load[1].content[0]) is harbour.Bulk
    assert harbour.Ship.__module__ == "harbour"
    assert repr(back.load[0]) == "Bulk(label='grain', tonnes=Decimal('1.5'))"
    assert castile.asdict(back)["flag"] == "es"
    # Without the module the same type is another class, and equal.
    assert castile.Client(modules_wsdl(harbour)).type("Bulk")(label="a", tonnes=1) == harbour.Bulk(
        label="a", tonnes=1
    )


def modules_wsdl(module):
    return module._types.contract


def test_methods_take_what_operations_take(harbour):
    client = harbour.Client()
    for name in client.service:
        face = list(inspect.signature(getattr(client.service, name)).parameters)
        for protocol in (harbour.HarbourOperations, harbour.AsyncHarbourOperations):
            said = list(inspect.signature(getattr(protocol, name)).parameters)
            assert [n for n in said if n not in ("self", "_headers", "_call")] == face
        handled = list(inspect.signature(getattr(harbour.HarbourService, name)).parameters)
        assert handled == ["self", *face]


def test_names_that_clash(modules):
    clashes = importlib.import_module("clashes")

    class Mine(clashes.PService):
        def import_(this, *, from_, **rest):
            return from_

    one = clashes.list_(class_=1, Decimal=Decimal(2), unit_price=10**30, np=np.array([1.0]))
    one.list = [clashes.list_(class_=2, Decimal=Decimal(0), unit_price=3)]
    with castile.serve(Mine(), port=0, background=True) as server:
        reply = clashes.Client(endpoint=server.url).service.import_(one, self="me")
    assert reply == one
    assert type(reply.list[0]) is clashes.list_
    hints = typing.get_type_hints(clashes.list_)
    assert hints["list"] == list[clashes.list_]
    assert hints["str"] == str | None
    assert hints["typed"] == typed.AnyDate | None


def test_settings_are_those_of_a_plain_client():
    plain = Shared.__init__.__annotations__
    said = {name: hint.__forward_arg__ for name, hint in typed.Settings.__annotations__.items()}
    assert plain.keys() - said.keys() == {"wsdl", "rows", "arrays", "return"}
    assert all(plain[name] == hint for name, hint in said.items())


def mypy(folder, text):
    file = folder / "program.py"
    file.write_text(text)
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", file.name, "clashes.py"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    return run.stdout.splitlines()


def test_checkers_understand_it(modules):
    pytest.importorskip("mypy")
    said = mypy(
        modules,
        """
from harbour import AsyncClient, Bulk, Client, HarbourService, Load, Ship, fullFault, registerResponse

client = Client(timeout=3.0)
reply = client.service.register(ship=Ship(name="x", flag="es"), _timeout=1.0)
reveal_type(reply.number)
reveal_type(reply.ship.note)
for load in reply.ship.load:
    if isinstance(load, Bulk):
        reveal_type(load.tonnes)
reveal_type(client.service.survey(tide=[1.0]).sounding)

async def later() -> int:
    return (await AsyncClient().service.register(Ship(name="x", flag="no"))).number

class Master(HarbourService):
    async def register(self, *, ship: Ship) -> registerResponse:
        return registerResponse(number=1, ship=ship)

try:
    client.service.register(Ship(name="x", flag="fr"))
    client.service.registr()
    client.service.survey(tide="high")
    Ship(nam="x", flag="es")
    client.service.register(Load(label="x"))
    Client(timeout="long")
except fullFault as fault:
    reveal_type(fault.detail.waiting)
""",
    )
    errors = [line.partition("error: ")[2].partition("  [")[0] for line in said if "error:" in line]
    notes = [line.partition('Revealed type is "')[2].rstrip('"') for line in said if "Revealed" in line]
    names = [note.replace("builtins.", "").rpartition(".")[2] for note in notes]
    assert names[0] == "int"
    assert names[1] == "list[str]"
    assert names[2] == "Decimal"
    assert "recarray" in notes[3]
    assert names[4] == "int"
    assert len(errors) == 6, said
    for error, part in zip(errors, ("flag", "registr", "tide", "nam", "Ship", "timeout"), strict=True):
        assert part in error, errors


def test_formatters_leave_it_alone(modules):
    pytest.importorskip("ruff")
    for command in (["check"], ["format", "--check"]):
        run = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--isolated", "harbour.py", "weather.py", "clashes.py"],
            cwd=modules,
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stdout + run.stderr


def test_a_contract_of_another_version_is_read_anew(harbour, tmp_path):
    """The documents travel with the contract."""
    contract = tmp_path / "old.contract"
    contract.write_bytes(harbour._types.contract.read_bytes())
    assert castile.Client(contract).service.register is not None
    with pytest.raises(castile.ContractError):
        (tmp_path / "bad.contract").write_bytes(b"nothing")
        castile.Client(tmp_path / "bad.contract")


@pytest.mark.parametrize(
    "wsdl",
    [
        "wsdl/ews-php/services.wsdl",
        "wsdl/onvif-specs/ver10/device/wsdl/devicemgmt.wsdl",
        "wsdl/voms-admin/glite-security-voms-admin-2.0.2.wsdl",
    ],
)
def test_foreign_contracts(testdata, modules, wsdl):
    """Every annotation of every class says something at run time too."""
    name = Path(wsdl).stem.replace("-", "_").replace(".", "_")
    castile.generate(testdata / wsdl, modules / f"{name}.py", offline=True)
    module = importlib.import_module(name)
    classes = [cls for cls in module._types._classes.values() if cls.__module__ == name]
    assert classes
    for cls in classes:
        assert typing.get_type_hints(cls).keys() >= set(cls._castile_attrs), cls
    operations = module.Client.__orig_bases__[0].__args__[0]
    for operation in module.Client(endpoint="http://127.0.0.1/").service:
        assert typing.get_type_hints(getattr(operations, operation))["return"] is not None, operation
