"""NumPy arrays in every form, there and back."""

import array

import castile
import numpy as np
import pytest
from everything import MIO
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

BY_DTYPE = {
    "float64": "doubles",
    "float32": "floats",
    "int32": "ints",
    "int64": "longs",
    "uint64": "ulongs",
    "int16": "shorts",
    "uint8": "ubytes",
    "bool": "bools",
}


def round_trip(client, name, value):
    """Through the codec, without the network."""
    sent = client.encode(name, value).decode()
    wrapper = {"bools": "bools"}.get(name, name)
    answer = sent.replace(f":{wrapper}>", f":{wrapper}Response>").replace(
        f":{wrapper} ", f":{wrapper}Response "
    )
    answer = answer.replace(f":{wrapper}/>", f":{wrapper}Response/>")
    answer = answer.replace(":v>", ":result>").replace(":v/>", ":result/>")
    return client.decode(name, answer.encode())


def bits(a):
    """The bytes of an array, every NaN the quiet one."""
    a = np.array(a)
    if a.dtype.kind == "f":
        a[np.isnan(a)] = np.nan
    return a.tobytes()


@pytest.mark.parametrize("dtype", BY_DTYPE)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_dtype_comes_back_bit_for_bit(client, dtype, data):
    value = data.draw(hnp.arrays(dtype, st.integers(0, 40)))
    got = round_trip(client, BY_DTYPE[dtype], value)
    assert got.dtype == value.dtype
    assert bits(got) == bits(value)


@pytest.mark.parametrize("dtype", BY_DTYPE)
def test_over_the_network(client, dtype):
    value = np.arange(1000).astype(dtype)
    got = client.service[BY_DTYPE[dtype]](value)
    assert got.dtype == value.dtype
    assert np.array_equal(got, value)
    assert got.flags.writeable


LAYOUTS = {
    "every second": lambda a: np.repeat(a, 2)[::2],
    "backwards": lambda a: a[::-1].copy()[::-1],
    "big-endian": lambda a: a.astype(a.dtype.newbyteorder(">")),
    "little-endian": lambda a: a.astype(a.dtype.newbyteorder("<")),
    "a column of a matrix": lambda a: np.stack([a, a], axis=1)[:, 0],
    "n by 1": lambda a: a.reshape(-1, 1),
    "1 by n": lambda a: a.reshape(1, -1),
    "read-only": lambda a: np.frombuffer(a.tobytes(), a.dtype),
    "misaligned": lambda a: np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(a.dtype),
    "a field of rows": lambda a: np.array(
        list(zip(a, a, strict=True)),
        dtype=[("p", "i1"), ("q", a.dtype)] if a.dtype.itemsize == 1 else [("p", a.dtype), ("q", a.dtype)],
    )["q"],
    "masked, nothing hidden": lambda a: np.ma.masked_array(a, mask=False),
    "a list": lambda a: a.tolist(),
    "a tuple": lambda a: tuple(a.tolist()),
    "an iterator": lambda a: iter(a.tolist()),
    "objects": lambda a: a.astype(object),
    "a list of NumPy scalars": list,
    "a memoryview": lambda a: memoryview(np.ascontiguousarray(a)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", BY_DTYPE)
def test_every_layout(client, dtype, layout):
    value = np.array([0, 1, 1, 0, 1]).astype(dtype)
    got = round_trip(client, BY_DTYPE[dtype], LAYOUTS[layout](value))
    assert got.dtype == value.dtype
    assert np.array_equal(got, value)


@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_short_arrays(client, layout, size):
    value = np.arange(size, dtype=np.float64)
    got = round_trip(client, "doubles", LAYOUTS[layout](value))
    assert np.array_equal(got, value)
    assert got.dtype == np.float64


CONVERTED = [
    ("doubles", np.array([1, 2**52], np.int64)),
    ("doubles", np.array([0.5, np.inf], np.float16)),
    ("doubles", np.array([0.1], np.float32)),
    ("doubles", np.array([1, 2], np.longdouble)),
    ("floats", np.array([0.5, 1e10], np.float64)[:1]),
    ("ints", np.array([1, -5], np.int64)),
    ("ints", np.array([1.0, -5.0])),
    ("longs", np.array([1, 2], np.uint64)),
    ("ulongs", np.array([1, 2], np.int8)),
    ("bools", np.array([0, 1], np.int32)),
    ("strs", np.array(["a", "bc"])),
    ("strs", np.array(["a", "bc"], object)),
]


@pytest.mark.parametrize(("name", "value"), CONVERTED)
def test_other_dtypes_where_no_value_changes(client, name, value):
    got = round_trip(client, name, value)
    assert np.array_equal(np.asarray(got), value)


REFUSED = [
    ("doubles", np.array([2**53 + 1], np.int64), "double"),
    ("doubles", np.array([1j]), "complex"),
    ("doubles", np.ones((2, 3)), "shape"),
    ("doubles", np.array([1 + np.longdouble(2) ** -60]), "float64"),
    ("doubles", np.array(["x"]), "v"),
    ("floats", np.array([1.0, 0.1]), "value 2"),
    ("ints", np.array([2**31], np.int64), "range"),
    ("ints", np.array([0.5]), "v"),
    ("ulongs", np.array([-1]), "range"),
    ("doubles", np.ma.masked_array([1.0, 2.0], mask=[False, True]), "nil"),
    ("doubles", [1.0, None], "nil"),
    ("mios", np.zeros(2, [("x", "i4"), ("y", "i4"), ("wrong", "f8")]), "wrong|value"),
]


@pytest.mark.parametrize(("name", "value", "message"), REFUSED)
def test_what_would_change_is_refused(client, name, value, message):
    with pytest.raises(castile.BadValue, match=message):
        client.encode(name, value)


def test_masked_values_are_nil_where_nil_may_be(client):
    value = np.ma.masked_array([1, 2, 3], mask=[False, True, False])
    assert client.service.maybes(value) == [1, None, 3]


def test_array_array(client):
    assert np.array_equal(round_trip(client, "doubles", array.array("d", [1.5, 2.5])), [1.5, 2.5])
    assert np.array_equal(round_trip(client, "ints", array.array("i", [1, 2])), [1, 2])


def mios(n=50):
    value = np.zeros(n, MIO)
    value["x"] = np.arange(n)
    value["y"] = -np.arange(n)
    value["value"] = np.linspace(0, 1, n)
    return value


def test_flat_structs_come_as_a_structured_array(client):
    value = mios()
    got = client.service.mios(value)
    assert got.dtype == MIO
    assert isinstance(got, np.recarray)
    assert np.array_equal(got, value)
    assert got[3].value == value[3]["value"]
    assert np.array_equal(got.x, value["x"])
    assert np.array_equal(client.service.mios(got), value)
    assert client.service.mios(value[:0]).dtype == MIO


def test_flat_structs_as_objects(objects):
    value = mios()
    got = objects.service.mios(value)
    assert isinstance(got, list)
    assert got[3] == objects.type("Mio")(3, -3, value[3]["value"])
    assert objects.service.mios(got) == got
    assert objects.service.mios([]) == []


STRUCTURED = {
    "aligned": lambda a: a.astype(np.dtype([("x", "i4"), ("y", "i4"), ("value", "f8")], align=True)),
    "padded": lambda a: a.astype(
        {"names": ["x", "y", "value"], "formats": ["i4", "i4", "f8"], "offsets": [1, 9, 20], "itemsize": 40}
    ),
    "other order": lambda a: np.rec.fromarrays([a["value"], a["y"], a["x"]], names="value,y,x"),
    "other dtypes": lambda a: a.astype([("x", "i8"), ("y", "i2"), ("value", "f4")]),
    "big-endian": lambda a: a.astype([("x", ">i4"), ("y", ">i4"), ("value", ">f8")]),
    "strided": lambda a: np.repeat(a, 3)[::3],
    "backwards": lambda a: a[::-1].copy()[::-1],
    "rows of a list": list,
    "dicts": lambda a: [dict(zip(a.dtype.names, row.tolist(), strict=True)) for row in a],
    "n by 1": lambda a: a.reshape(-1, 1),
}


@pytest.mark.parametrize("layout", STRUCTURED)
def test_structured_arrays_in_every_layout(client, layout):
    value = mios(5)
    value["value"] = [0, 0.5, 1, 2, 4]
    got = client.service.mios(STRUCTURED[layout](value))
    assert np.array_equal(got, value)


def test_structured_arrays_for_structs_with_text(client):
    value = np.array([(1, 0.5, "a"), (2, 1.5, "é")], [("seq", "i8"), ("time", "f8"), ("name", "U5")])
    got = client.service.events(value)
    assert [(e.seq, e.time, e.name) for e in got] == value.tolist()


def test_pandas(client):
    pd = pytest.importorskip("pandas")
    series = pd.Series([1.5, 2.5], index=[7, 9])
    assert np.array_equal(client.service.doubles(series), [1.5, 2.5])
    assert client.service.maybes(pd.Series([1, None], dtype="Int64")) == [1, None]
    frame = pd.DataFrame({"x": [1, 2], "y": [3, 4], "value": [0.5, 1.5]})
    assert client.service.mios(frame)[1].tolist() == (2, 4, 1.5)
    frame = pd.DataFrame({"seq": [1], "time": [0.5], "name": ["n"]})
    assert client.service.events(frame)[0].name == "n"
    when = pd.Timestamp("2020-01-01T00:00:00.000000001")
    with pytest.raises(castile.BadValue, match="nanoseconds"):
        client.service.datetime(when)


def test_a_result_is_one_allocation_that_outlives_everything(client):
    got = client.service.doubles(np.arange(1000.0))
    assert got.flags.owndata or got.base is not None
    copy = got.copy()
    for _ in range(10):
        client.service.doubles(np.zeros(1000))
    assert np.array_equal(got, copy)


def test_digits(server):
    short = castile.Client(server.wsdl_url, digits=3, cache=False)
    assert np.array_equal(short.service.doubles(np.array([1 / 3, 2e10 / 3])), [0.333, 6.67e9])
