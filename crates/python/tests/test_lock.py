"""Big arrays are written and read while other threads run, and are what they are otherwise."""

import threading

import castile
import numpy as np
import pytest
from everything import MIO

BIG = 100_000


def reply(request: bytes, name: str) -> bytes:
    """The reply that has what a request has."""
    text = request.replace(f":{name}".encode(), f":{name}Response".encode())
    return text.replace(b":v>", b":result>")


def arrays():
    dice = np.random.default_rng(1)
    mios = np.zeros(BIG, MIO)
    mios["x"], mios["y"], mios["value"] = dice.integers(0, 99, BIG), -1, dice.random(BIG)
    return [
        ("doubles", dice.random(BIG)),
        ("floats", dice.random(BIG).astype(np.float32)),
        ("ints", dice.integers(-(2**31), 2**31, BIG).astype(np.int32)),
        ("longs", dice.integers(-(2**63), 2**63 - 1, BIG)),
        ("ulongs", dice.integers(0, 2**64 - 1, BIG, np.uint64)),
        ("shorts", dice.integers(-(2**15), 2**15, BIG).astype(np.int16)),
        ("ubytes", dice.integers(0, 256, BIG).astype(np.uint8)),
        ("bools", dice.integers(0, 2, BIG).astype(bool)),
        ("mios", mios),
        ("mios", mios.view(np.recarray)),
    ]


@pytest.mark.parametrize(("name", "array"), arrays(), ids=lambda v: v if isinstance(v, str) else "")
def test_big_arrays_are_written_as_small_ones(client, name, array):
    request = client.encode(name, array)
    # A stride, and a field of objects, take the other way.
    spread = np.repeat(array, 2)[::2]
    assert client.encode(name, spread) == request
    assert client.encode(name, v=array) == request
    got = client.decode(name, reply(request, name))
    assert np.array_equal(got, array)
    assert got.dtype == array.dtype
    assert np.array_equal(client.service[name](array), array)


def test_what_cannot_be_written_is_refused_the_same_way(client):
    array = np.full(BIG, 2**40)
    with pytest.raises(castile.BadValue) as big:
        client.encode("ints", array)
    with pytest.raises(castile.BadValue) as small:
        client.encode("ints", array[:9])
    assert big.value.path == small.value.path
    with pytest.raises(castile.BadValue, match="w"):
        client.encode("doubles", w=np.zeros(BIG))
    masked = np.ma.masked_array(np.zeros(BIG), mask=np.arange(BIG) == 5)
    with pytest.raises(castile.BadValue, match="nil"):
        client.encode("doubles", masked)


def test_bytes_of_an_array_are_binary(client):
    array = np.arange(200_000, dtype=np.uint8)
    assert client.decode("bytes", reply(client.encode("bytes", array), "bytes")) == array.tobytes()


def test_an_array_that_changes_meanwhile_is_sent_as_it_was_at_some_time(client):
    """Each request has only values that the array had; none is torn."""
    array = np.zeros(BIG)
    done = threading.Event()

    def change():
        while not done.is_set():
            array[:] = 1.5
            array[:] = 0.0

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(20):
            got = client.decode("doubles", reply(client.encode("doubles", array), "doubles"))
            assert set(np.unique(got)) <= {0.0, 1.5}
    finally:
        done.set()
        thread.join()


def test_many_threads_at_once(client):
    """Of threads at once one patches the last message and others write theirs anew.

    Their bytes may differ in padding, and so only what they say is compared.
    """
    arrays = [np.random.default_rng(seed).random(BIG) for seed in range(4)]
    wrong = []

    def work(array):
        for _ in range(5):
            got = client.decode("doubles", reply(client.encode("doubles", array), "doubles"))
            if not np.array_equal(got, array):
                wrong.append(got)

    threads = [threading.Thread(target=work, args=(array,)) for array in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
