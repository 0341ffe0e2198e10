"""Messages that are sent while they are made, and read while they come."""

from __future__ import annotations

import socket
import threading

import castile
import numpy as np
import pytest


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
