"""What a contract that nobody here wrote shows of itself before anything is called."""

import inspect
import logging
import subprocess
import sys

import castile
import pytest


@pytest.fixture
def weather_stations(testdata):
    return castile.Client(testdata / "wsdl" / "gowsdl" / "usda-awdb.wsdl", offline=True, cache=False)


@pytest.fixture
def ptz(testdata):
    return testdata / "wsdl" / "onvif-specs" / "ver20" / "ptz" / "wsdl" / "ptz.wsdl"


def test_a_contract_without_an_address_shows_all_but_calls(ptz):
    client = castile.Client(ptz, offline=True, cache=False)
    assert client.endpoint is None
    assert "no address" in repr(client)
    assert "ProfileToken" in client.service.Stop.__doc__
    assert client.types
    assert b"GetServiceCapabilities" in client.encode("GetServiceCapabilities")
    with pytest.raises(castile.BadValue, match=r"no address to call.*endpoint=URL"):
        client.service.GetServiceCapabilities()


def test_a_default_says_what_may_be_left_out(weather_stations):
    get_data = weather_stations.service.getData
    parameters = inspect.signature(get_data).parameters
    empty = inspect.Parameter.empty
    assert parameters["stationTriplets"].default is empty
    assert parameters["beginDate"].default is empty
    optional = [name for name, p in parameters.items() if p.default is not empty]
    assert "stationTriplets: xsd:string, 1 or more" in get_data.__doc__
    for line in get_data.__doc__.partition("Parameters:")[2].partition("\n\n")[0].split("\n")[1:]:
        name = line.split(":")[0].strip()
        assert (name in optional) == ("optional" in line or "any number" in line), line


def test_help_lists_the_values_of_enumerations_and_where_types_are(weather_stations):
    text = weather_stations.service.getData.__doc__
    assert "one of DAILY, MONTHLY" in text
    assert "help(client.type(name))" in text


def test_required_after_optional_is_a_keyword():
    wsdl = castile.wsdl(Mixed).replace(b'name="a" type=', b'name="a" minOccurs="0" type=')
    client = castile.Client(wsdl, cache=False)
    signature = inspect.signature(client.service.mix)
    assert str(signature) == "(a: int = None, *, b: int) -> int"


@castile.service(namespace="urn:mixed")
class Mixed:
    @castile.operation
    def mix(self, a: int, b: int) -> int:
        return a + b


def test_warnings_are_one_line_for_a_contract_and_process(ptz):
    once = f"castile.Client({str(ptz)!r}, offline=True, cache=False)"
    command = [sys.executable, "-c", f"import castile\n{once}\n{once}"]

    def told(level):
        run = subprocess.run(command, env={"CASTILE_LOG": level}, capture_output=True, text=True, check=True)
        return run.stderr.splitlines()

    (line,) = told("warn")
    assert "imported documents are missing" in line
    assert "catalogs=[...]" in line
    assert told("error") == []


def test_each_warning_is_told_to_who_wants_them(ptz, caplog):
    with caplog.at_level(logging.INFO, logger="castile"):
        castile.Client(ptz, offline=True, cache=False)
    told = [r for r in caplog.records if "not quite right" in r.getMessage()]
    assert told
    assert all(r.levelno == logging.INFO for r in told)


class VOMSException(Exception):
    def __init__(self, **parts):
        super().__init__(str(parts))


class Nothing(Exception):
    pass


FAULT = """<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body><S:Fault>
  <faultcode>S:Server</faultcode><faultstring>no</faultstring><detail>{}</detail></S:Fault></S:Body></S:Envelope>"""


def test_own_exceptions_go_by_the_name_of_a_fault_its_type_or_its_element(testdata):
    path = testdata / "wsdl" / "voms-admin" / "glite-security-voms-acl-2.0.2.wsdl"
    client = castile.Client(path, faults=(VOMSException,), offline=True, cache=False)
    operation = next(n for n in client.service if "VOMSException" in client.service[n].__doc__)
    (fault,) = [f for f in client.service[operation].face.faults if f.name == "VOMSException"]
    namespace, _, local = fault.element[1:].rpartition("}")
    detail = f'<f:{local} xmlns:f="{namespace}"/>' if namespace else f"<{local}/>"
    with pytest.raises(VOMSException):
        client.decode(operation, FAULT.format(detail).encode())


def test_an_exception_that_no_fault_is_called_as_is_refused(testdata):
    path = testdata / "wsdl" / "voms-admin" / "glite-security-voms-acl-2.0.2.wsdl"
    with pytest.raises(
        castile.BadValue, match=r"no operation declares a fault Nothing; there are .*VOMSException"
    ):
        castile.Client(path, faults=(Nothing,), offline=True, cache=False)
    close = type("VOMSExeption", (Exception,), {})
    with pytest.raises(castile.BadValue, match="did you mean VOMSException"):
        castile.Client(path, faults=(close,), offline=True, cache=False)
