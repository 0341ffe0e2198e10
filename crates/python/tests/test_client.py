"""Clients: faults, headers, hooks, time limits, asyncio, many threads."""

import asyncio
import dataclasses
import inspect
import pickle
import shutil
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import castile
import numpy as np
import pytest
from everything import Everything, NoAccount


def test_faults(client):
    assert client.service.account(7) == 7
    with pytest.raises(castile.Fault) as caught:
        client.service.account(-5)
    fault = caught.value
    assert fault.reason == "There is no such account."
    assert fault.name == "NoAccount"
    assert fault.detail.account == -5
    assert fault.detail.hints == ["look", "again"]
    assert isinstance(fault, castile.Error)
    assert client.last_call.status == 500
    with pytest.raises(castile.Fault, match="Zero: zero") as caught:
        client.service.account(0)
    # SOAP 1.1 has no subcodes: the more telling code is the code.
    assert caught.value.code == "{urn:x}Zero"


def test_faults_as_the_users_own_exceptions(server):
    client = castile.Client(server.wsdl_url, cache=False, faults=[NoAccount])
    with pytest.raises(NoAccount) as caught:
        client.service.account(-5)
    assert caught.value == NoAccount(-5, ["look", "again"])
    assert isinstance(caught.value.__cause__, castile.Fault)


def test_what_a_handler_raises_is_not_told(client, caplog):
    with pytest.raises(castile.Fault, match="failed to answer") as caught:
        client.service.account(1)
    assert "secret" not in str(caught.value) + client.last_call.reply_xml
    assert "a secret" in caplog.text
    with pytest.raises(castile.Fault, match="failed to answer"):
        client.service.bad_reply()
    assert "bad_reply" in caplog.text


def test_faults_can_be_pickled():
    fault = castile.Fault("r", "Sender", detail=("{urn:x}d", {"a": 1}), subcodes=["{urn:x}s"])
    again = pickle.loads(pickle.dumps(fault))
    assert (again.reason, again.code, again.details) == (fault.reason, fault.code, fault.details)
    assert again.subcodes == [castile.QName("urn:x", "s")]


@pytest.mark.parametrize("port", ["EverythingSoap11", "EverythingSoap12"])
def test_both_versions_of_soap(server, port):
    client = castile.Client(server.wsdl_url, cache=False, port=port)
    assert client.service.add(1, 2) == 3
    with pytest.raises(castile.Fault) as caught:
        client.service.account(0)
    assert caught.value.reason == "zero"
    codes = [caught.value.code, *map(str, caught.value.subcodes)]
    assert codes == (["{urn:x}Zero"] if port.endswith("11") else ["Sender", "{urn:x}Zero"])


def test_headers(server, client):
    assert client.service.session(_headers={"Session": "s", "Trace": 7}) == "s 7"
    assert client.service.session() == "None None"
    assert client.last_call.header_blocks[0][0] == "{urn:n}seen"
    assert client.service.session(_headers=[castile.XML('<o:x xmlns:o="urn:o"/>')]) == "None None"
    with pytest.raises(castile.BadValue, match="Sessoin"):
        client.service.session(_headers={"Sessoin": "s"})
    always = castile.Client(server.wsdl_url, cache=False, headers={"Session": "always", "Trace": 1})
    assert always.service.session() == "always 1"
    assert always.service.session(_headers={"Trace": 2}) == "always 2"
    assert always.service.add(1, 2) == 3


def test_hooks(server):
    client = castile.Client(server.wsdl_url, cache=False)
    seen = []

    @client.on_request
    def before(request):
        seen.append(request.operation)
        request.body = request.body.replace(b">1<", b">5<")
        request.add_http_header("X-Test", "yes")

    @client.on_reply
    def after(call):
        seen.append(call.status)

    assert client.service.add(1, 2) == 7
    with pytest.raises(castile.Fault):
        client.service.account(0)
    assert seen == ["add", 200, "account", 500]


def test_last_call(client):
    client.service.add(1, 2)
    call = client.last_call
    assert call.operation == "add"
    assert call.status == 200
    assert "<" in call.request_xml
    assert ">3<" in call.reply_xml
    assert call.request_bytes == len(call.request_xml.encode())
    assert set(call.timings) == {"encode", "connect", "send", "wait", "receive", "decode"}
    assert call.http_headers["content-type"].startswith("text/xml")
    assert "add" in repr(call)


def test_secrets_are_masked(client):
    client.service.session(
        _headers=[
            castile.XML('<w:UsernameToken xmlns:w="urn:w"><w:Password>hunter2</w:Password></w:UsernameToken>')
        ]
    )
    assert "hunter2" not in client.last_call.request_xml
    assert "***" in client.last_call.request_xml


def test_help_and_completion(client):
    assert "add" in dir(client.service)
    assert "Adds two numbers." in client.service.add.__doc__
    assert list(inspect.signature(client.service.add).parameters) == ["a", "b"]
    assert str(inspect.signature(client.service.doubles)) == "(v: ndarray[double] = None) -> ndarray[double]"
    assert "urn:everything}NoAccount" in client.service.account.__doc__
    assert "operations" in repr(client)
    assert "add" in client.service
    with pytest.raises(AttributeError, match="no operation 'ad'"):
        _ = client.service.ad


def test_one_way(server):
    client = castile.Client(server.wsdl_url, cache=False)
    assert client.service.note("a note") is None
    assert client.last_call.status == 202


def test_encode_and_decode(client):
    sent = client.encode("add", 1, b=2)
    assert b">1<" in sent
    reply = sent.replace(b":add>", b":addResponse>").replace(b":a>", b":result>")
    with pytest.raises(castile.BadPeer) as caught:
        client.decode("add", reply)
    assert caught.value.path.startswith("/Envelope/Body")
    assert caught.value.line == 1
    with pytest.raises(castile.BadPeer):
        client.decode("add", b"not xml")
    with pytest.raises(castile.ContractError, match="nothing"):
        client.encode("nothing")


def test_bad_contracts():
    with pytest.raises(castile.ContractError):
        castile.Client(b"<html/>", cache=False)
    with pytest.raises(castile.ContractError):
        castile.Client("/nowhere/at.all.wsdl", cache=False)


def test_a_peer_that_is_not_there(client):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    gone = castile.Client(castile.wsdl(Everything), endpoint=f"http://127.0.0.1:{port}/", cache=False)
    with pytest.raises(castile.TransportError):
        gone.service.add(1, 2)


def test_a_peer_that_never_answers():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        client = castile.Client(castile.wsdl(Everything), endpoint=url, cache=False)
        started = time.monotonic()
        with pytest.raises(castile.Timeout) as caught:
            client.service.add(1, 2, _timeout=0.2)
        assert isinstance(caught.value, TimeoutError)
        assert time.monotonic() - started < 5


def test_the_lock_is_free_while_bytes_move(client):
    """Another thread computes while this one waits for the server."""
    turns = 0

    def work():
        nonlocal turns
        while not done:
            turns += 1
            time.sleep(0.001)

    done = False
    thread = threading.Thread(target=work)
    thread.start()
    client.service.sleep(0.3)
    done = True
    thread.join()
    assert turns > 20


def test_many_threads(client):
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda i: (client.service.add(i, i), client.last_call.operation), range(200)))
    assert got == [(2 * i, "add") for i in range(200)]


def test_asyncio(server):
    async def main():
        client = await castile.AsyncClient.load(server.wsdl_url, cache=False)
        assert client.last_call is None
        assert await client.service.add(1, 2) == 3
        assert client.last_call.operation == "add"
        many = await asyncio.gather(*(client.service.add(i, i) for i in range(100)))
        assert many == [2 * i for i in range(100)]
        assert np.array_equal(await client.service.doubles(np.arange(10.0)), np.arange(10.0))
        with pytest.raises(castile.Fault, match="zero"):
            await client.service.account(0)
        with pytest.raises(castile.Timeout):
            await client.service.sleep(2.0, _timeout=0.1)
        started = time.monotonic()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.service.sleep(2.0), 0.1)
        assert time.monotonic() - started < 1
        assert await client.service.add(1, 2) == 3
        assert inspect.signature(client.service.add).parameters

    asyncio.run(main())


def test_settings_are_checked(server):
    with pytest.raises(TypeError, match="pair"):
        castile.Client(server.wsdl_url, cache=False, auth="me")
    with pytest.raises(ValueError, match="gzip"):
        castile.Client(server.wsdl_url, cache=False, compress="rar")
    with pytest.raises(ValueError, match="objects"):
        castile.Client(server.wsdl_url, cache=False, rows="both")
    with pytest.raises(TypeError):
        castile.Client(server.wsdl_url, no_such_setting=1)
    assert "hunter2" not in repr(castile.Basic("me", "hunter2"))


@pytest.mark.parametrize("compress", [None, "gzip", "zstd"])
def test_compression(compress):
    with castile.serve(
        Everything(), port=0, background=True, cache=False, compress_reply_above=100
    ) as server:
        client = castile.Client(server.wsdl_url, cache=False, compress=compress)
        value = np.arange(10000.0)
        assert np.array_equal(client.service.doubles(value), value)


def test_users_of_a_server():
    with castile.serve(Everything(), port=0, background=True, cache=False, users={"me": "right"}) as server:
        wsdl = castile.wsdl(Everything)
        good = castile.Client(wsdl, endpoint=server.url, cache=False, auth=("me", "right"))
        assert good.service.add(1, 2) == 3
        bad = castile.Client(wsdl, endpoint=server.url, cache=False, auth=castile.Basic("me", "wrong"))
        with pytest.raises(castile.Error):
            bad.service.add(1, 2)


def test_a_contract_written_by_others(interop):
    """WSDL-first: a class with methods named like the operations."""

    class Echo:
        def __getattr__(self, name):
            if name.startswith("echo"):
                return lambda **values: next(iter(values.values()), None) if len(values) < 2 else values
            raise AttributeError(name)

    with castile.serve(Echo(), port=0, wsdl=interop, background=True, cache=False) as server:
        client = castile.Client(server.wsdl_url, cache=False)
        x = np.linspace(0, 1, 100)
        assert np.array_equal(client.service.echoDoubles(x), x)
        assert client.service.echoVoid() is None
        with pytest.raises(castile.Fault, match="not implemented"):
            missing = next(name for name in client.service if not name.startswith("echo"))
            client.service[missing](code=1, reason="r")


def test_functions_by_name(interop):
    with castile.serve(
        {"echoVoid": lambda: None}, port=0, wsdl=interop, background=True, cache=False
    ) as server:
        client = castile.Client(server.wsdl_url, cache=False)
        assert client.service.echoVoid() is None


def test_a_dataclass_stays_one(client):
    @dataclasses.dataclass
    class Mine:
        x: float
        y: float = 3.0

    assert client.service.point(Mine(1.0)).y == 3.0


def test_ctrl_c_interrupts_a_call():
    """In a process of its own, which gets the signal while it waits for a server that never answers."""
    code = (
        "import castile, signal, socket, threading, os, time\n"
        "from everything import Everything\n"
        "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()\n"
        "url = f'http://127.0.0.1:{s.getsockname()[1]}/'\n"
        "client = castile.Client(castile.wsdl(Everything), endpoint=url, cache=False)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have us ignore it\n"
        "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "began = time.monotonic()\n"
        "try:\n"
        "    client.service.add(1, 2)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', time.monotonic() - began < 3)\n"
    )
    here = str(Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", code], cwd=here, capture_output=True, text=True, timeout=30)
    assert done.stdout.strip() == "interrupted True", done.stderr


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    if shutil.which("openssl") is None:
        pytest.skip("SKIPPED: there is no openssl to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    (folder / "ext").write_text("basicConstraints=CA:FALSE\nsubjectAltName=DNS:localhost,IP:127.0.0.1\n")
    steps = [
        "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=root -keyout ca.key -out ca.pem",
        "req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout key.pem -out csr.pem",
        "x509 -req -in csr.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out cert.pem",
    ]
    for step in steps:
        subprocess.run(["openssl", *step.split()], cwd=folder, check=True, capture_output=True)
    return castile.TLS(ca=folder / "ca.pem", cert=folder / "cert.pem", key=folder / "key.pem")


def test_tls(certificate):
    own = castile.TLS(cert=certificate.cert, key=certificate.key)
    with castile.serve(Everything(), port=0, background=True, cache=False, tls=own) as server:
        assert server.url.startswith("https://")
        wsdl = castile.wsdl(Everything)
        trusting = castile.Client(wsdl, endpoint=server.url, cache=False, tls=castile.TLS(ca=certificate.ca))
        assert trusting.service.add(1, 2) == 3
        strict = castile.Client(wsdl, endpoint=server.url, cache=False)
        with pytest.raises(castile.SecurityError):
            strict.service.add(1, 2)
        careless = castile.Client(wsdl, endpoint=server.url, cache=False, tls=castile.TLS(verify=False))
        assert careless.service.add(1, 2) == 3


def test_client_certificates(certificate):
    with castile.serve(Everything(), port=0, background=True, cache=False, tls=certificate) as server:
        wsdl = castile.wsdl(Everything)
        known = castile.Client(wsdl, endpoint=server.url, cache=False, tls=certificate)
        assert known.service.add(1, 2) == 3
        unknown = castile.Client(wsdl, endpoint=server.url, cache=False, tls=castile.TLS(ca=certificate.ca))
        with pytest.raises(castile.Error):
            unknown.service.add(1, 2)


def test_a_server_that_wants_to_know_who_calls(tmp_path):
    wsdl = Path(__file__).parents[3] / "docs" / "guides" / "files" / "weather.wsdl"

    class Weather:
        def Smooth(self, value):
            return value

    for digest in (False, True):
        settings = {"users": {"jo": "secret"}, "digest": digest}
        with castile.serve(Weather(), wsdl=wsdl, port=0, background=True, cache=False, **settings) as server:
            for auth in (None, ("jo", "guess"), castile.Digest("jo", "guess")):
                client = castile.Client(wsdl, endpoint=server.url, auth=auth, cache=False)
                with pytest.raises(castile.SecurityError, match=r"credentials|authentication") as caught:
                    client.service.Smooth([1.0])
                assert "guess" not in str(caught.value)
            right = castile.Digest("jo", "secret") if digest else ("jo", "secret")
            client = castile.Client(wsdl, endpoint=server.url, auth=right, cache=False)
            assert client.service.Smooth([1.0]).tolist() == [1.0]


@pytest.mark.parametrize(
    "settings",
    [
        {"wsdl": "http://jo:secret@127.0.0.1:9/?wsdl"},
        {"endpoint": "http://jo:secret@127.0.0.1:9/"},
        {"endpoint": "http://jo:secret@:9/"},
        {"endpoint": "ftp://jo:secret@h/"},
        {"endpoint": "http://192.0.2.1/", "proxy": "jo:secret@127.0.0.1:9/", "timeout": 1.0},
    ],
)
def test_errors_tell_no_secrets_of_addresses(settings):
    wsdl = settings.pop("wsdl", Path(__file__).parents[3] / "docs" / "guides" / "files" / "weather.wsdl")
    with pytest.raises(castile.Error) as caught:
        castile.Client(wsdl, cache=False, **settings).service.Smooth([1.0])
    assert "secret" not in f"{caught.value} {caught.value!r}"


def test_a_client_closes_at_the_end_of_a_with_and_may_be_used_again(server):
    with castile.Client(server.wsdl_url, cache=False) as client:
        client.service.add(2, 3)
        first = client.last_call
    assert first is not None and first.timings["connect"] > 0
    client.service.add(2, 3)
    second = client.last_call
    assert second is not None and second.timings["connect"] > 0
    client.service.add(2, 3)
    third = client.last_call
    assert third is not None and third.timings["connect"] == 0


def test_an_async_client_closes_at_the_end_of_a_with(server):
    async def main():
        async with await castile.AsyncClient.load(server.wsdl_url, cache=False) as client:
            return await client.service.add(2, 3)

    assert asyncio.run(main()) == 5


def test_mistakes_with_a_client_are_told_apart(server):
    client = castile.Client(server.wsdl_url, cache=False)
    with pytest.raises(AttributeError, match=r"called as client\.service\.add\(\.\.\.\)"):
        client.add(2, 3)
    with pytest.raises(AttributeError, match=r"no attribute 'nothing'$"):
        _ = client.nothing
    with pytest.raises(TypeError, match=r"^Client\(\) got an unexpected keyword argument 'end_point'"):
        castile.Client(server.wsdl_url, end_point="x")
    with pytest.raises(LookupError, match=r"client\.types lists them"):
        client.type("Nothing")


def test_one_layer_needs_no_list(server):
    client = castile.Client(server.wsdl_url, cache=False, layers=castile.Addressing())
    assert client.service.add(2, 3) == 5
    assert b"MessageID" in client.encode("add", 2, 3)


@pytest.mark.parametrize("direct", [0, 1])
def test_connections_may_have_a_thread_to_themselves(direct):
    class Where:
        @castile.operation
        def thread(self) -> str:
            task = f"/proc/self/task/{threading.get_native_id()}/comm"
            return Path(task).read_text() if Path(task).exists() else "direct" * direct

    service = castile.service(namespace="urn:where")(Where)
    with (
        castile.serve(service, port=0, background=True, direct=direct) as server,
        castile.Client(server.wsdl_url, cache=False) as client,
    ):
        names = {client.service.thread() for _ in range(3)}
    assert all(("direct" in name) == bool(direct) for name in names), names
