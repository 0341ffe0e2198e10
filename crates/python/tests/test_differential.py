"""A call is made from the last one like it, and nobody notices but the clock."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import castile
import numpy as np
import pytest


@pytest.fixture(scope="module")
def echo():
    with castile.serve(Echo(), port=0, background=True, cache=False) as server:
        yield server


@castile.service(namespace="urn:echo")
class Echo:
    @castile.operation
    def echo(self, values: np.ndarray[tuple[int], np.dtype[np.float64]], note: str) -> list[float]:
        return values


def test_only_what_changed_is_written(echo):
    client = castile.Client(echo.wsdl_url, cache=False)
    values = np.linspace(0.0, 1.0, 10_000)
    kinds = []
    for change in ("first", "nothing", "value", "note", "length"):
        if change == "value":
            values[5000] = -values[5001]
        if change == "length":
            values = np.delete(values, slice(100, 200))
        note = "longer" if change == "note" else "n"
        np.testing.assert_array_equal(client.service.echo(values, note), values)
        kinds.append(client.last_call.match_kind)
    assert kinds[:2] == ["first-time", "content"]
    assert set(kinds[2:]) <= {"perfect-structural", "partial-structural"}
    figures = client.last_call.differential
    assert figures["values_written"] < 500
    totals = client.differential
    assert totals["content"] == 1
    assert totals["bytes_rewritten"] < totals["bytes_total"] / 2


def test_what_was_encoded_before_stays_as_it_was(echo):
    client = castile.Client(echo.wsdl_url, cache=False)
    values = np.zeros(1000)
    before = client.encode("echo", values, "n")
    copy = bytes(bytearray(before))
    values[500] = 0.5
    after = client.encode("echo", values, "n")
    assert b"0.5" in after
    assert before == copy


def test_the_same_message_is_the_same_object(echo):
    client = castile.Client(echo.wsdl_url, cache=False)
    values = np.linspace(0.0, 1.0, 10_000)
    before = client.encode("echo", values, "n")
    kept = client.differential["memory"]
    assert client.encode("echo", values, "n") is before
    assert client.encode("echo", values.copy(), "n") is before
    values[17] = 2.5
    changed = client.encode("echo", values, "n")
    assert changed is not before
    assert b">2.5" in changed
    assert client.encode("echo", values, "other") is not changed
    # What was given counts as kept; where there is no room nothing is.
    assert kept > len(before) * 2
    small = castile.Differential(budget_bytes=len(before) * 2)
    for differential in (small, False):
        client = castile.Client(echo.wsdl_url, cache=False, differential=differential)
        first = client.encode("echo", values, "n")
        assert client.encode("echo", values, "n") is not first


@pytest.mark.parametrize("pauses", [True, False])
def test_what_changes_each_time_is_not_kept(echo, pauses):
    client = castile.Client(echo.wsdl_url, cache=False, differential=castile.Differential(pauses=pauses))
    random = np.random.default_rng(4)
    for i in range(12):
        values = random.random(10_000)
        np.testing.assert_array_equal(client.service.echo(values, "n"), values)
        figures = client.last_call.differential
        assert figures["paused"] == (pauses and i > 4)
        assert (figures["values_compared"] == 0) == (i == 0 or figures["paused"] > 0)
    # It begins to stay as it was.
    kinds = [client.service.echo(values, "n") is not None and client.last_call.match_kind for _ in range(3)]
    assert kinds[-1] == "content"


def test_an_array_that_several_clients_send_is_written_once(echo):
    sharing = castile.Differential(share=True)
    clients = [castile.Client(echo.wsdl_url, cache=False, differential=sharing) for _ in range(3)]
    values = np.random.default_rng(3).random(10_000)
    for _ in range(2):
        for i, client in enumerate(clients):
            np.testing.assert_array_equal(client.service.echo(values, f"n{i}"), values)
            figures = client.last_call.differential
            assert (figures["values_shared"] == 10_000) == (i > 0)
            assert (figures["values_written"] + figures["values_rewritten"] > 0) == (i == 0)
        values[::3] = -values[::3]


@castile.service(namespace="urn:board")
class Board:
    def __init__(self):
        self.values = np.random.default_rng(5).random(10_000)

    @castile.operation
    def read(self) -> list[float]:
        return self.values


def written(server):
    return server.differential["values_written"] + server.differential["values_rewritten"]


def test_one_changed_reply_for_many_callers_is_written_once():
    board = Board()
    with castile.serve(board, port=0, background=True, cache=False) as server:
        clients = [castile.Client(server.wsdl_url, cache=False) for _ in range(8)]
        for _ in range(3):
            before = written(server)
            clients[0].service.read()
            once = written(server) - before
            assert once > 0
            with ThreadPoolExecutor(8) as threads:
                for reply in threads.map(lambda client: client.service.read(), clients * 5):
                    np.testing.assert_array_equal(reply, board.values)
            assert written(server) - before == once
            board.values = board.values + 0.5


def test_servers_share_when_they_are_told_to():
    board = Board()
    counts = []
    for share in (True, True, None, False):
        differential = castile.Differential(share=share)
        server = castile.serve(board, port=0, background=True, cache=False, differential=differential)
        castile.Client(server.wsdl_url, cache=False).service.read()
        counts.append((written(server), server))
    assert [count for count, _ in counts] == [10_000, 0, 10_000, 10_000]
    for _, server in counts:
        server.stop()


def test_a_memory_mapped_file_is_sent_as_it_is_read(echo, tmp_path):
    path = tmp_path / "values"
    np.random.default_rng(4).random(200_000).tofile(path)
    mapped = np.memmap(path, dtype=np.float64, mode="r+")
    small = castile.Differential(overlay_above=100_000, receive=False)
    client = castile.Client(echo.wsdl_url, cache=False, differential=small)
    for _ in range(2):
        np.testing.assert_array_equal(client.service.echo(mapped, "n"), mapped)
        assert client.differential["memory"] < 100_000
        mapped[::1000] = 0.25


@pytest.mark.parametrize(
    "differential",
    [
        False,
        castile.Differential(pad=False),
        castile.Differential(threads=2, pad=False),
        castile.Differential(share=True),
        castile.Differential(stuffing="max"),
        castile.Differential(stuffing="typical"),
        castile.Differential(pad_between=True),
        castile.Differential(stuffing={"double": 12, "integer": 3}, pad_between=True),
        castile.Differential(stuffing=9, chunk_bytes=512, split_bytes=600, steal_reach=0),
    ],
)
def test_every_setting_sends_the_same_values(echo, differential):
    client = castile.Client(echo.wsdl_url, cache=False, differential=differential)
    rng = np.random.default_rng(3)
    values = rng.random(2000)
    for _ in range(5):
        np.testing.assert_array_equal(client.service.echo(values, "n"), values)
        values[rng.integers(0, 2000, 40)] = rng.integers(0, 9, 40)
        values[rng.integers(0, 2000, 40)] = rng.random(40)


def test_spaces_stand_where_they_are_asked_for(echo):
    def encoded(*values, **settings):
        client = castile.Client(echo.wsdl_url, cache=False, differential=castile.Differential(**settings))
        for value in values:
            message = client.encode("echo", np.full(100, value), "n")
        return message

    assert encoded(0.25, 1.5, rewrite_above=2).count(b">1.5 </") == 100
    assert encoded(0.25, 1.5, rewrite_above=2, rebuild=False).count(b">1.5 </") == 100
    assert encoded(0.25, 1.5, rewrite_above=2, pad_between=True).count(b">1.5</ns1:values> ") == 100
    assert encoded(0.25, stuffing={"double": 6}).count(b">0.25  </") == 100
    assert b"0.25 " not in encoded(0.25, stuffing={"integer": 6})
    assert b"1.5 " not in encoded(0.25, 1.5, pad=False)
    with pytest.raises(ValueError, match="doubles"):
        castile.Client(echo.wsdl_url, differential=castile.Differential(stuffing={"doubles": 6}))
    with pytest.raises(ValueError, match="most"):
        castile.Client(echo.wsdl_url, differential=castile.Differential(stuffing="most"))


def test_exact_widths_give_the_bytes_of_a_first_message(echo):
    client = castile.Client(echo.wsdl_url, cache=False, differential=castile.Differential(pad=False))
    plain = castile.Client(echo.wsdl_url, cache=False, differential=False)
    values = np.linspace(0.0, 1.0, 3000)
    for step in (1.0, 0.123456789, 0.5):
        values[::7] *= step
        assert client.encode("echo", values, "n") == plain.encode("echo", values, "n")


def test_replies_are_read_by_what_was_learned(echo):
    client = castile.Client(echo.wsdl_url, cache=False)
    plain = castile.Client(echo.wsdl_url, cache=False, differential=castile.Differential(receive=False))
    for length in (3, 5, 5, 1000):
        values = np.linspace(-1.0, 1.0, length)
        for each in (client, plain):
            np.testing.assert_array_equal(each.service.echo(values, "n"), values)
    assert client.last_call.reply_match == "followed"
    assert client.receiving["followed"] == 3
    assert client.receiving["learned"] == 1
    assert plain.last_call.reply_match == "plain"
    assert plain.receiving["followed"] == 0


@dataclass
class Vehicle:
    id: str
    line: str | None = None
    delay: int | None = None


@castile.service(namespace="urn:fleet")
class Fleet:
    @castile.operation
    def vehicles(self, parts: int) -> list[Vehicle]:
        late = [(i, parts & 1 and i % 2, parts & 2 and i % 3 == 0) for i in range(60)]
        return [Vehicle(f"v{i}", "7" if line else None, i if delay else None) for i, line, delay in late]


def test_what_is_new_in_a_reply_is_read_by_itself():
    with castile.serve(Fleet(), port=0, background=True, cache=False) as server:
        client = castile.Client(server.wsdl_url, cache=False)
        settings = castile.Differential(parts=False)
        whole = castile.Client(server.wsdl_url, cache=False, differential=settings)
        expected = Fleet()
        for parts in (1, 3, 2, 0, 3):
            replies = [each.service.vehicles(parts) for each in (client, whole)]
            told = [[(v.id, v.line, v.delay) for v in reply] for reply in replies]
            assert told == [[(v.id, v.line, v.delay) for v in expected.vehicles(parts)]] * 2
    assert client.receiving["followed"] == 4
    assert whole.receiving["followed"] < 4


def test_learned_decoding_gives_the_same_objects_and_errors(echo):
    client = castile.Client(echo.wsdl_url, cache=False)
    reply = (
        b"<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>"
        b"<n:echoResponse xmlns:n='urn:echo'>%s</n:echoResponse></e:Body></e:Envelope>"
    )
    item = b"<n:result>%s</n:result>"
    first = client.decode("echo", reply % (item % b"1.5"))
    again = client.decode("echo", reply % ((item % b"2.5") * 2))
    assert [list(first), list(again)] == [[1.5], [2.5, 2.5]]
    with pytest.raises(castile.Error, match="nonsense") as learned:
        client.decode("echo", reply % (item % b"nonsense"))
    fresh = castile.Client(echo.wsdl_url, cache=False)
    with pytest.raises(castile.Error) as plain:
        fresh.decode("echo", reply % (item % b"nonsense"))
    assert str(learned.value) == str(plain.value)


class Answers:
    """Tells who asks by a header of its own."""

    def echo(self, values, note):
        if note != "nobody":
            castile.current_call().principal = note
        return values


@pytest.mark.parametrize(
    ("declared", "kept"),
    [({}, (3, 2)), ({"shared": ["echo"]}, (1, 4)), ({"unshared": ["echo"]}, (0, 0))],
)
def test_whose_replies_are_made_from_whose(declared, kept):
    values = np.linspace(0.0, 1.0, 1000)
    wsdl = castile.wsdl(Echo)
    with castile.serve(Answers(), port=0, wsdl=wsdl, background=True, cache=False, **declared) as server:
        client = castile.Client(server.wsdl_url, cache=False)
        for caller in ("ada", "grace", "nobody", "ada", "nobody"):
            np.testing.assert_array_equal(client.service.echo(values, caller), values)
        stats = server.differential
        assert (stats["first_time"], stats["content"]) == kept


def test_only_operations_that_there_are_can_be_shared():
    with pytest.raises(castile.NoSuchOperation, match="eco"):
        castile.serve(Echo(), port=0, background=True, cache=False, shared=["eco"])


def test_the_same_reply_gives_the_same_array(echo):
    shared = castile.Differential(reuse="shared")
    client = castile.Client(echo.wsdl_url, cache=False, differential=shared)
    values = np.linspace(-1.0, 1.0, 3000)
    client.service.echo(values, "n")
    first = client.service.echo(values, "n")
    again = client.service.echo(values, "n")
    assert again is first
    assert client.last_call.reply_match == "same"
    assert not again.flags.writeable
    values[5] = 7.0
    other = client.service.echo(values, "n")
    assert other is not first
    assert other[5] == 7.0
    values[5] = 8.0
    assert client.service.echo(values, "n")[5] == 8.0
    assert client.last_call.values_kept == 2999
    assert client.receiving["same"] == 2


def test_replies_are_written_into_the_array_of_the_last_one(echo):
    in_place = castile.Differential(reuse="in_place")
    client = castile.Client(echo.wsdl_url, cache=False, differential=in_place)
    values = np.linspace(-1.0, 1.0, 3000)
    first = client.service.echo(values, "n")
    values[5] = 7.0
    again = client.service.echo(values, "n")
    assert again is first
    assert again[5] == 7.0
    values[6] = 8.0
    assert client.service.echo(values, "n") is first
    np.testing.assert_array_equal(first, values)
    assert client.last_call.values_kept == 2999
    shorter = client.service.echo(values[:10], "n")
    assert shorter is not first
    assert len(first) == 3000
    shorter.setflags(write=False)
    other = client.service.echo(values[10:20], "n")
    assert other is not shorter
    np.testing.assert_array_equal(shorter, values[:10])
    with pytest.raises(ValueError, match="in_place"):
        castile.Client(echo.wsdl_url, differential=castile.Differential(reuse="again"))


@pytest.mark.parametrize("reuse", ["shared", "in_place"])
def test_decoding_gives_the_last_array_again_as_a_call_does(echo, reuse):
    client = castile.Client(echo.wsdl_url, cache=False)
    replies = []
    for first in (1.5, 2.5):
        client.service.echo(np.linspace(first, 9.0, 3000), "n")
        replies.append(client.last_call.reply_xml.encode())
    again = castile.Client(echo.wsdl_url, cache=False, differential=castile.Differential(reuse=reuse))
    arrays = [again.decode("echo", replies[n]) for n in (0, 0, 0, 1, 1, 1)]
    same = [b is a for a, b in pairwise(arrays)]
    if reuse == "in_place":
        assert all(same)
        assert arrays[0][0] == 2.5
    else:
        assert same[1:] == [True, False, True, True]
        assert [array[0] for array in arrays] == [1.5] * 3 + [2.5] * 3
        assert not arrays[-1].flags.writeable
    with pytest.raises(castile.Error, match="result"):
        again.decode("echo", replies[0].replace(b"1.5<", b"x<"))
    np.testing.assert_array_equal(again.decode("echo", replies[1]), np.linspace(2.5, 9.0, 3000))


def test_numbers_of_the_last_message_are_not_read_again(echo):
    client = castile.Client(echo.wsdl_url, cache=False)
    without = castile.Client(echo.wsdl_url, cache=False, differential=castile.Differential(keep=False))
    values = np.linspace(-1.0, 1.0, 3000)
    for _ in range(4):
        values[100:110] += 0.25
        for each in (client, without):
            np.testing.assert_array_equal(each.service.echo(values, "n"), values)
    assert client.last_call.values_kept == 2990
    assert without.last_call.values_kept == 0
    assert echo.receiving["followed"] > 0


def test_a_large_reply_is_read_while_it_comes(echo):
    client = castile.Client(echo.wsdl_url, cache=False)
    without = castile.Client(echo.wsdl_url, cache=False, differential=castile.Differential(ahead=False))
    values = np.linspace(-1.0, 1.0, 50_000)
    for _ in range(4):
        values[100:110] += 0.25
        for each in (client, without):
            np.testing.assert_array_equal(each.service.echo(values, "n"), values)
    assert without.last_call.bytes_ahead == 0
    # One that gave spaces to its neighbour has other bytes, too.
    assert 49_980 <= without.last_call.values_kept <= 49_990
    assert client.last_call.bytes_ahead > 0
    assert client.receiving["bytes_ahead"] >= client.last_call.bytes_ahead
    assert echo.receiving["bytes_ahead"] > 0


@pytest.mark.parametrize("reuse", ["fresh", "in_place"])
def test_a_reply_that_is_decoded_is_held_until_the_next(echo, reuse):
    class Derived(bytes):
        pass

    client = castile.Client(echo.wsdl_url, differential=castile.Differential(reuse=reuse), cache=False)
    values = np.linspace(0.0, 1.0, 2000)
    client.service.echo(values, "n")
    reply = client.last_call.reply_xml.encode()
    prefix = reply[: reply.index(b":Body")].rpartition(b"<")[2]
    header = b"<%s:Header><x xmlns='urn:x'>secret</x></%s:Header><%s:Body" % (prefix, prefix, prefix)
    replies = [bytes(bytearray(reply)) for _ in range(3)]
    replies += [Derived(reply), reply.replace(b"<%s:Body" % prefix, header)]
    before = [sys.getrefcount(each) for each in replies]
    for at, held in (0, {0}), (1, {1}), (2, {2}), (3, set()), (4, set()), (4, set()):
        np.testing.assert_array_equal(client.decode("echo", replies[at]), values)
        counts = [sys.getrefcount(each) for each in replies]
        assert {i for i, count in enumerate(counts) if count > before[i]} == held
    with pytest.raises(TypeError):
        client.decode("echo", bytearray(reply))
