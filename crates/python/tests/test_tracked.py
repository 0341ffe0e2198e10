"""Arrays that know what of them changed: every way to write marks what it writes."""

from __future__ import annotations

import castile
import numpy as np
import pytest

PARTICLE = np.dtype([("id", np.int32), ("mass", np.float64)])


@castile.service(namespace="urn:lab")
class Lab:
    @castile.operation
    def store(self, values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> int:
        return len(values)


@pytest.fixture(scope="module")
def lab():
    with castile.serve(Lab(), port=0, background=True, cache=False) as server:
        yield server


@pytest.fixture
def client(lab):
    exact = castile.Differential(pad=False, verify=True)
    return castile.Client(lab.wsdl_url, cache=False, differential=exact)


@pytest.fixture
def plain(lab):
    return castile.Client(lab.wsdl_url, cache=False, differential=False)


def add_in_place(t):
    t += 1.5


def add_to_part(t):
    t[100:200] *= 2.0


def write_through_part(t):
    part = t[10:900:7]
    part[3:5] = 9.0


def add_at(t):
    np.add.at(t, [5, 5, 700], 1.0)


def sqrt_out(t):
    np.sqrt(np.arange(len(t), dtype=float), out=t)


@pytest.mark.parametrize(
    "write",
    [
        lambda t: t.__setitem__(7, 0.5),
        lambda t: t.__setitem__(-1, 0.5),
        lambda t: t.__setitem__(np.int64(70), 0.5),
        lambda t: t.__setitem__(slice(30, 500, 3), 0.25),
        lambda t: t.__setitem__(slice(500, 30, -3), 0.25),
        lambda t: t.__setitem__([1, 999, 400], 3.0),
        lambda t: t.__setitem__(np.array([5, -5]), [1.0, 2.0]),
        lambda t: t.__setitem__(np.arange(1000) % 313 == 0, 8.0),
        lambda t: t.__setitem__(..., 4.0),
        lambda t: t.__setitem__((3,), 4.0),
        lambda t: t.fill(2.0),
        add_in_place,
        add_to_part,
        write_through_part,
        add_at,
        sqrt_out,
    ],
)
def test_what_is_written_is_sent(client, plain, write):
    array = np.linspace(0.0, 1.0, 1000)
    tracked = castile.tracked(array)
    client.encode("store", tracked)
    before = array.copy()
    write(tracked)
    assert (array != before).any(), "the array itself is written to"
    assert client.encode("store", tracked) == plain.encode("store", array)


def test_nothing_written_is_nothing_compared(client):
    tracked = castile.tracked(np.linspace(0.0, 1.0, 100_000))
    client.service.store(tracked)
    client.service.store(tracked)
    figures = client.last_call.differential
    assert client.last_call.match_kind == "content"
    assert figures["values_compared"] == 0
    tracked[50_000] = 0.125
    client.service.store(tracked)
    figures = client.last_call.differential
    assert figures["values_rewritten"] == 1
    assert 0 < figures["values_compared"] < 2_000


def test_two_clients_see_each_change_once_each(lab, plain):
    clients = [castile.Client(lab.wsdl_url, cache=False) for _ in range(2)]
    tracked = castile.tracked(np.linspace(0.0, 1.0, 1000))
    for i in range(6):
        tracked[i * 100] = i + 0.5
        if i % 3:
            clients[i % 2].service.store(tracked)
    for client in clients:
        client.service.store(tracked)
        text = client.last_call.request_xml
        assert all(f"{i}.5<" in text or f"{i}.5 " in text for i in range(6))


def test_a_part_is_an_array_of_its_own(client, plain):
    array = np.linspace(0.0, 1.0, 1000)
    tracked = castile.tracked(array)
    for part in (tracked, tracked[::-1], tracked, tracked[100:300], tracked[400:600]):
        assert client.encode("store", part) == plain.encode("store", np.asarray(part))


def test_it_computes_like_the_array():
    array = np.linspace(0.0, 1.0, 100)
    tracked = castile.tracked(array)
    np.testing.assert_array_equal(tracked * 2 + tracked[::-1], array * 2 + array[::-1])
    assert (tracked.shape, tracked.size, tracked.ndim, len(tracked)) == ((100,), 100, 1, 100)
    assert tracked.dtype == np.float64
    assert list(tracked) == list(array)
    assert np.sum(tracked) == np.sum(array)
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(tracked)[0] = 1.0


def test_records_are_tracked_by_field():
    particles = castile.tracked(np.zeros(100, PARTICLE))
    particles["mass"][7] = 1.5
    particles[8] = (3, 2.5)
    assert np.asarray(particles)["mass"][7] == 1.5
    copy = particles[8]
    copy["mass"] = 9.0
    assert np.asarray(particles)["mass"][8] == 2.5


def test_hints_are_taken_at_their_word(lab, plain):
    client = castile.Client(lab.wsdl_url, cache=False, differential=castile.Differential(pad=False))
    array = np.linspace(0.0, 1.0, 1000)
    hinted = castile.hinted(array)
    client.encode("store", hinted)
    for where in (7, slice(100, 200), [1, 2, 999], array > 0.9):
        array[where] += 0.5
        hinted.changed(where)
        assert client.encode("store", hinted) == plain.encode("store", array)
    array[500] = 77.0
    stale = client.encode("store", hinted)
    assert b">77<" not in stale


def test_what_was_not_told_is_found_by_verify(client):
    array = np.linspace(0.0, 1.0, 1000)
    hinted = castile.hinted(array)
    client.encode("store", hinted)
    array[640] = 77.0
    hinted.changed(0)
    with pytest.raises(castile.BadValue, match=r"not marked.*\[641\]"):
        client.encode("store", hinted)
    hinted.changed(640)
    assert b">77<" in client.encode("store", hinted)


@pytest.mark.parametrize("make", [castile.tracked, castile.hinted])
def test_other_shapes_are_refused(make):
    with pytest.raises(ValueError, match="2 dimensions"):
        make(np.zeros((2, 2)))


def test_what_cannot_be_written_is_not_tracked():
    array = np.zeros(5)
    array.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        castile.tracked(array)
