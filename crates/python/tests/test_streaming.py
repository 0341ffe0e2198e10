"""Messages that are sent while they are made, and read while they come."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import castile
import numpy as np
import pytest
from numpy.typing import NDArray

INTEROP = Path(__file__).parents[3] / "interop" / "interop.wsdl"


@castile.service(namespace="urn:stream")
class Lab:
    @castile.operation
    def store(self, values: list[float]) -> float:
        return float(np.sum(values))

    @castile.operation
    def join(self, texts: list[str]) -> str:
        return "".join(texts)

    @castile.operation
    def fetch(self, count: int) -> list[float]:
        return (np.arange(n, min(n + 50_000, count), dtype=float) for n in range(0, count, 50_000))

    @castile.operation
    def names(self, count: int) -> list[str]:
        return (f"name {n}" for n in range(count))

    @castile.operation
    def break_off(self, count: int) -> list[float]:
        def values():
            yield np.zeros(count)
            raise OSError("the disk is gone")

        return values()

    @castile.operation
    def fail(self) -> list[float]:
        raise castile.Fault("not today")

    @castile.operation
    def total(self, scale: float, values: Iterator[NDArray[np.float64]]) -> tuple[int, float]:
        sizes, total = [], 0.0
        for batch in values:
            assert batch.dtype == np.float64
            sizes.append(len(batch))
            total += batch.sum()
        assert all(size >= 10_000 for size in sizes[:-1])
        return sum(sizes), total * scale

    @castile.operation
    def letters(self, texts: Iterator[str]) -> int:
        return sum(len(text) for text in texts)

    @castile.operation
    def chunks(self, texts: Iterator[list[str]]) -> int:
        return sum(len(text) for batch in texts for text in batch)

    @castile.operation
    def first(self, values: castile.Stream[NDArray[np.float64]]) -> float:
        value = float(next(values)[0])
        if value < 0:
            raise castile.Fault("negative", "Sender")
        if value > 1e6:
            raise RuntimeError("secret")
        return value

    @castile.operation
    def squares(self, values: Iterator[NDArray[np.float64]]) -> Iterator[NDArray[np.float64]]:
        return (batch * batch for batch in values)


@pytest.fixture(scope="module")
def lab():
    with castile.serve(Lab(), port=0, background=True, cache=False) as server:
        yield server


@pytest.fixture
def client(lab):
    return castile.Client(lab.wsdl_url, cache=False)


def test_iterators_are_sent_batch_by_batch(client):
    batches = (np.full(10_000, n / 2) for n in range(40))
    assert client.service.store(batches) == sum(n / 2 for n in range(40)) * 10_000
    assert client.last_call.request_xml == ""
    assert client.service.store(float(n) for n in range(10_000)) == sum(range(10_000))
    assert client.service.store(iter([])) == 0.0
    assert client.service.store(values=(b for b in ([1.5, 2.5], 3.0, np.array([4.0]), (5.0, 6.0)))) == 22.0
    assert client.service.join(t for t in ("a<", "b", "", "c")) == "a<bc"


def test_large_arrays_are_sent_through_the_same_portions(lab):
    small = castile.Differential(overlay_above=1000)
    client = castile.Client(lab.wsdl_url, cache=False, differential=small)
    values = np.arange(100_000) / 8
    assert client.service.store(values) == values.sum()
    assert client.last_call.request_xml == ""
    assert client.service.store([1.0]) == 1.0
    assert client.last_call.request_xml != ""


def test_what_an_iterator_raises_is_raised(client):
    class Own(Exception):
        pass

    def failing():
        yield np.zeros(100_000)
        raise Own("mine")

    with pytest.raises(Own, match="mine"):
        client.service.store(failing())
    with pytest.raises(castile.BadValue, match=r"/store/values"):
        client.service.store(v for v in ([1.0], ["text"]))
    assert client.service.store([1.0]) == 1.0


def test_replies_come_batch_by_batch(client):
    stream = client.stream.fetch(300_000)
    batches = list(stream)
    assert len(batches) > 3
    assert all(isinstance(batch, np.ndarray) for batch in batches)
    np.testing.assert_array_equal(np.concatenate(batches), np.arange(300_000))
    assert stream.items == 300_000
    assert stream.bytes > 300_000 * 15
    assert [n for batch in client.stream.names(25_000) for n in batch] == [f"name {n}" for n in range(25_000)]
    assert list(client.stream.fetch(0)) == []


def test_batches_have_the_size_that_is_asked_for(client):
    sizes = [len(batch) for batch in client.stream.fetch(200_000, _batch=60_000)]
    assert all(size >= 60_000 for size in sizes[:-1])
    assert sum(sizes) == 200_000


def test_a_stream_can_be_left(client):
    with client.stream.fetch(5_000_000) as stream:
        next(stream)
    with pytest.raises(RuntimeError, match="closed"):
        next(stream)
    assert stream.items is None
    assert client.service.store([2.0]) == 2.0


def test_a_fault_is_raised_by_the_call(client):
    with pytest.raises(castile.Fault, match="not today"):
        client.stream.fail()
    with pytest.raises(castile.BadValue, match="no array"):
        client.stream.store([1.0])
    with pytest.raises(castile.BadValue, match="result"):
        client.stream.fetch(5, _array="nothing")


def test_a_reply_that_breaks_off_is_an_error(client):
    with pytest.raises(castile.BadPeer, match="in the middle"):
        for _ in client.stream.break_off(200_000):
            pass
    with pytest.raises(castile.BadPeer, match="in the middle"):
        client.service.break_off(200_000)


def batches(count):
    return (np.arange(n * 10_000, (n + 1) * 10_000) / 4 for n in range(count))


def test_a_handler_reads_an_array_while_it_comes(client):
    # More than a message that is read whole may have.
    total = client.service.total(2.0, batches(500))
    assert total.result1 == 5_000_000
    assert total.result2 == 2 * sum(batch.sum() for batch in batches(500))
    assert client.service.total(1.0, [1.5, 2.5]).result2 == 4.0
    assert client.service.total(1.0, []).result1 == 0
    texts = ["a<", "", "c"] * 20_000
    assert client.service.letters(texts) == client.service.chunks(iter(texts)) == 60_000
    assert client.service.letters([]) == 0


def test_a_handler_need_not_read_all(client):
    for _ in range(3):
        assert client.service.first(n + np.zeros(10_000) for n in range(5, 10_000)) == 5.0
        with pytest.raises(castile.Fault, match="negative"):
            client.service.first(np.full(10_000, -1.0) for _ in range(10_000))
        with pytest.raises(castile.Fault, match="failed to answer"):
            client.service.first(np.full(10_000, 1e7) for _ in range(10_000))
    with pytest.raises(castile.Fault, match="failed to answer"):
        client.service.first([])


def test_small_arrays_can_be_answered_while_they_come(client):
    values = np.arange(1000) / 8
    np.testing.assert_array_equal(client.service.squares(values), values**2)


def test_a_wrong_item_of_a_request_is_told_with_its_place(lab, client, caplog):
    good = client.encode("total", 1.0, [1.5] * 30_000)
    head, tail = good.rsplit(b"1.5", 1)
    reply = post(lab.url, head + b"many" + tail)
    assert b"Client</faultcode>" in reply
    assert b"values[30000]" in reply
    assert post(lab.url, head[: len(head) // 2]).count(b"Client</faultcode>") == 1
    assert "Traceback" not in caplog.text


def post(url, body):
    """What comes back for an envelope."""
    host, port = url.split("/")[2].split(":")
    with socket.create_connection((host, int(port))) as connection:
        head = f"POST / HTTP/1.0\r\nContent-Type: text/xml\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)
        return connection.makefile("rb").read()


def test_a_handler_for_a_wsdl_is_asked_by_its_hints():
    def echo_doubles(value: Iterator[NDArray[np.float64]]) -> list[float]:
        return [float(sum(batch.sum() for batch in value))]

    def echo_strings(value: castile.Stream[list[str]]) -> list[str]:
        return [text for batch in value for text in batch]

    handlers = {"echoDoubles": echo_doubles, "echoStrings": echo_strings}
    with castile.serve(handlers, wsdl=INTEROP, port=0, background=True) as server:
        client = castile.Client(INTEROP, endpoint=server.url)
        assert client.service.echoDoubles(batches(300))[0] == sum(batch.sum() for batch in batches(300))
        assert client.service.echoStrings(["a", "b"]) == ["a", "b"]


def test_another_toolkit_sends_to_a_handler_that_streams(lab):
    zeep = pytest.importorskip("zeep")
    client = zeep.Client(lab.wsdl_url)
    assert client.service.total(0.5, [n / 4 for n in range(30_000)]).result2 == sum(range(30_000)) / 8
    assert client.service.letters(["a<", "", "ü"] * 5000) == 15_000
    with pytest.raises(zeep.exceptions.Fault, match="negative"):
        client.service.first([-1.0] * 30_000)


def test_what_cannot_be_streamed_is_refused_at_once():
    class Bad:
        @castile.operation
        def op(self, values: Iterator[list[float]], scale: float) -> float:
            return 0.0

    with pytest.raises(castile.ContractError, match="last"):
        castile.wsdl(castile.service(Bad))

    class Vague:
        @castile.operation
        def op(self, values: Iterator) -> float:
            return 0.0

    with pytest.raises(castile.ContractError, match="Iterator"):
        castile.wsdl(castile.service(Vague))


def test_a_wrong_item_is_named_with_its_place():
    body = b"<v>1</v>\n" * 200_000 + b"<v>one</v>"
    reply = (
        b"<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>"
        b"<r:fetchResponse xmlns:r='urn:stream'>" + body.replace(b"v>", b"r:result>")
    )
    listener = socket.create_server(("127.0.0.1", 0))

    def answer():
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nConnection: close\r\n\r\n"
            connection.sendall(head + reply)

    thread = threading.Thread(target=answer)
    thread.start()
    client = castile.Client(
        castile.wsdl(Lab), endpoint=f"http://127.0.0.1:{listener.getsockname()[1]}/", cache=False
    )
    with pytest.raises(castile.BadPeer) as raised:
        for _ in client.stream.fetch(1):
            pass
    assert raised.value.path.endswith("[200001]")
    assert raised.value.line == 200_001
    thread.join()
    listener.close()


BARE = Path(__file__).parents[2] / "endpoint" / "tests" / "common" / "bare.wsdl"


class Bare:
    def ask(self, Question):
        if Question == "names":
            return {"id": "7", "body": {"names": {"name": ["a", "b"]}}, "more": 1}
        return {"id": "8", "body": {"events": {"choice": [{"start": 1}, {"stop": 2}]}}}


def test_the_rest_of_one_bare_element_is_what_a_call_gives():
    with castile.serve(Bare(), wsdl=str(BARE), port=0, background=True) as server:
        client = castile.Client(str(BARE), endpoint=server.url)
        with client.stream.ask("names") as batches:
            assert batches.array == "body.names.name"
            assert repr(batches) == "<stream of body.names.name, 0 items so far>"
            assert list(batches) == [["a", "b"]]
            rest = batches.rest()
        whole = client.service.ask("names")
        assert type(rest) is type(whole)
        assert (rest.id, rest.more, rest.body.names.name) == ("7", 1, [])
        with client.stream.ask("events") as batches:
            assert list(batches) == []
            rest = batches.rest()
        assert rest == client.service.ask("events")
        with pytest.raises(castile.Error, match="events cannot be streamed: it stands in or beside"):
            client.stream.ask("events", _array="events")
