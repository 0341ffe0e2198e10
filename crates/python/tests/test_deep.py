"""Messages that nest deeper than the default limit, in threads with little stack."""

import threading

import castile
import pytest
from everything import Everything

LEVELS = 20_000

WSDL = castile.wsdl(Everything, "http://127.0.0.1/")


@pytest.fixture
def small_threads():
    before = threading.stack_size(256 << 10)
    yield
    threading.stack_size(before)


def in_thread(run):
    outcome = []
    thread = threading.Thread(target=lambda: outcome.append(run()))
    thread.start()
    thread.join()
    return outcome[0]


def serving(**limits):
    return castile.serve({"tree": lambda v: v}, wsdl=WSDL, port=0, background=True, **limits)


def chain(client, levels):
    tree = client.type("Tree")(0)
    for value in range(1, levels):
        tree = client.type("Tree")(value, [tree])
    return tree


def test_with_a_raised_limit_a_call_goes_as_deep_both_ways(small_threads):
    with serving(depth_max=3 * LEVELS) as server:
        client = castile.Client(WSDL, endpoint=server.url, cache=False, depth_max=3 * LEVELS)
        sent = chain(client, LEVELS)
        assert in_thread(lambda: client.service.tree(sent)) == sent


def test_the_default_limit_is_named_both_ways():
    with serving() as server:
        client = castile.Client(WSDL, endpoint=server.url, cache=False)
        with pytest.raises(castile.Error, match="depth_max = 256"):
            client.service.tree(chain(client, 300))
        generous = castile.Client(WSDL, endpoint=server.url, cache=False, depth_max=1000)
        with pytest.raises(castile.Fault, match="depth_max"):
            generous.service.tree(chain(generous, 300))
