"""Arrow's PyCapsule interface in both directions; the other end is nanoarrow."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import dataclass

import castile
import numpy as np
import pytest
from numpy.typing import NDArray

na = pytest.importorskip("nanoarrow")


@dataclass
class Sample:
    at: int
    value: float
    name: str


@dataclass
class Point:
    x: int
    y: float


@castile.service(namespace="urn:arrow")
class Lab:
    @castile.operation
    def store(self, values: Iterator[NDArray[np.float64]]) -> float:
        return float(sum(batch.sum() for batch in values))

    @castile.operation
    def points(self, points: list[Point]) -> list[Point]:
        return points

    @castile.operation
    def samples(self, samples: list[Sample]) -> list[Sample]:
        return samples

    @castile.operation
    def maybe(self, values: list[float | None]) -> list[float | None]:
        return values

    @castile.operation
    def texts(self, texts: list[str]) -> list[str]:
        return texts

    @castile.operation
    def flags(self, flags: list[bool]) -> list[bool]:
        return flags

    @castile.operation
    def fetch(self, count: int) -> Iterator[NDArray[np.float64]]:
        return (np.arange(n, n + 10_000, dtype=float) for n in range(0, count, 10_000))

    @castile.operation
    def break_off(self) -> Iterator[NDArray[np.float64]]:
        yield np.zeros(200_000)
        raise OSError("the disk is gone")


@pytest.fixture(scope="module")
def client():
    with castile.serve(Lab(), port=0, background=True, cache=False) as server:
        yield castile.Client(server.wsdl_url, cache=False)


def struct(**columns):
    """A record batch."""
    schema = na.struct({name: schema for name, (schema, _) in columns.items()})
    children = [na.c_array(values, schema) for schema, values in columns.values()]
    return na.c_array_from_buffers(schema, len(next(iter(columns.values()))[1]), [None], children=children)


@pytest.mark.parametrize(
    "kind",
    ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"],
)
def test_arrays_of_every_number_are_sent(client, kind):
    values = np.arange(100, dtype=kind)
    assert client.service.store(na.Array(values, getattr(na, kind)())) == values.sum()


def test_streams_are_sent_batch_by_batch(client):
    batches = [na.c_array(np.full(1000, n / 2), na.float64()) for n in range(100)]
    stream = na.ArrayStream(na.c_array_stream(na.Array.from_chunks(batches)))
    assert client.service.store(stream) == sum(n / 2 for n in range(100)) * 1000


def test_record_batches_are_flat_records(client):
    batch = struct(x=(na.int64(), [1, 2, 3]), y=(na.float64(), [0.5, 1.5, 2.5]))
    points = client.service.points(na.Array(batch))
    assert points["x"].tolist() == [1, 2, 3]
    assert points["y"].tolist() == [0.5, 1.5, 2.5]
    batch = struct(at=(na.int32(), [1, 2]), value=(na.float64(), [0.5, 1.5]), name=(na.string(), ["a", "ü<"]))
    assert [sample.name for sample in client.service.samples(na.Array(batch))] == ["a", "ü<"]


def test_what_is_null_is_nil(client):
    values = na.Array([1.5, None, 2.5], na.float64())
    assert list(client.service.maybe(values)) == [1.5, None, 2.5]
    assert client.service.texts(na.Array(["a", "", "ü"], na.large_string())) == ["a", "", "ü"]
    flags = [True, False] * 20
    assert list(client.service.flags(na.Array(flags, na.bool_()))) == flags


def test_slices_begin_where_they_say(client):
    batch = struct(x=(na.int64(), range(20)), y=(na.float64(), range(20)))
    part = na.Array(batch)
    capsules = na.c_array(part)[5:12]
    points = client.service.points(na.Array(capsules))
    assert points["x"].tolist() == list(range(5, 12))


def test_what_has_no_form_is_named(client):
    with pytest.raises(TypeError, match="tdD"):
        client.service.store(na.Array(na.c_array_from_buffers(na.date32(), 1, [None, np.zeros(1, np.int32)])))


def test_batches_come_as_arrow(client):
    stream = client.stream.fetch(100_000)
    batches = na.ArrayStream(stream)
    assert [field.name for field in batches.schema.fields] == ["result"]
    chunks = list(batches)
    assert len(chunks) > 3
    values = [row["result"] for chunk in chunks for row in chunk.to_pylist()]
    assert values == list(range(100_000))
    with pytest.raises(RuntimeError, match="closed"):
        next(stream)


def test_records_and_texts_come_as_arrow(client):
    stream = client.stream.points([Point(n, n / 2) for n in range(1000)])
    rows = na.Array(stream).to_pylist()
    assert rows == [{"x": n, "y": n / 2} for n in range(1000)]
    samples = [Sample(n, n / 4, f"é{n}") for n in range(1000)]
    rows = na.Array(client.stream.samples(samples)).to_pylist()
    assert rows == [{"at": n, "value": n / 4, "name": f"é{n}"} for n in range(1000)]
    rows = na.Array(client.stream.maybe([1.5, None, 2.5])).to_pylist()
    assert [row["result"] for row in rows] == [1.5, None, 2.5]
    flags = [n % 3 == 0 for n in range(1000)]
    assert [row["result"] for row in na.Array(client.stream.flags(flags)).to_pylist()] == flags


def test_what_was_exported_outlives_all_else(client):
    batches = [chunk for chunk in na.ArrayStream(client.stream.fetch(30_000))]
    gc.collect()
    assert batches[0].to_pylist()[:2] == [{"result": 0.0}, {"result": 1.0}]


def test_one_stream_feeds_another(client):
    assert client.service.store(client.stream.fetch(50_000)) == sum(range(50_000))


def test_a_reply_that_breaks_off_is_an_error_of_arrow_too(client):
    with pytest.raises(Exception, match="in the middle"):
        na.ArrayStream(client.stream.break_off()).read_all()


def test_a_stream_that_nobody_reads_is_closed(client):
    capsule = client.stream.fetch(10_000_000).__arrow_c_stream__()
    del capsule
    gc.collect()
    assert client.service.store([1.5]) == 1.5
