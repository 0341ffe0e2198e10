"""The demo: its models, its service, its picture."""

import re
from collections.abc import Iterator

import castile
import numpy as np
import pytest

import picture
from atmosphere import Atmosphere
from costs import Costs, Side
from coupling import TOLERANCE, Direct, Run, couple, first_difference
from demo import WSDL, Remote
from mesh import wet
from ocean import GRID, Ocean
from server import Coupler


@pytest.fixture(scope="module")
def run() -> Run:
    return couple(Direct())


def test_the_models_converge_in_some_hundred_exchanges(run: Run):
    assert run.converged
    assert 100 < run.steps < 500
    assert run.ocean_residual[-1] < TOLERANCE < run.ocean_residual[0]


def test_the_end_is_an_ocean(run: Run):
    sea = run.ocean.temperature[run.ocean.sea]
    assert 0.0 < sea.min() < sea.max() < 32.0
    assert 10_000 <= len(sea) == np.count_nonzero(wet(GRID)) <= 100_000
    # The western boundary current brings warm water north: warmer there than in the middle of the basin.
    row = run.ocean.temperature[80][run.ocean.sea[80]]
    assert row[0] > row[len(row) // 2]


def test_the_same_run_twice_agrees_bit_for_bit(run: Run):
    assert first_difference(couple(Direct()), run) is None


def test_one_bit_in_one_message_is_noticed(run: Run):
    class Wrong(Direct):
        def exchange(self, step, surface, residual):
            flux, mismatch = super().exchange(step, surface, residual)
            if step == 17:
                flux["value"][99] = np.nextafter(flux["value"][99], np.inf)
            return flux, mismatch

    found = first_difference(couple(Wrong()), run)
    assert found is not None and "step 17" in found


def test_points_may_come_in_any_order():
    first, second = Atmosphere(), Atmosphere()
    surface = Ocean().surface()
    shuffled = np.random.default_rng(7).permutation(surface)
    flux, _ = first.respond(surface, GRID.columns, GRID.rows)
    other, _ = second.respond(shuffled, GRID.columns, GRID.rows)
    np.testing.assert_allclose(flux["value"], other["value"], rtol=1e-12, atol=1e-9)


def test_the_picture_is_one_file_that_needs_no_network(run: Run, tmp_path):
    ones = np.ones(run.steps)
    ocean = Side("ocean", 3e6 * ones, 2e3 * ones, 1e3 * ones, ones)
    atmosphere = Side("atmosphere", 1e6 * ones, 1e3 * ones, 2e3 * ones, ones)
    costs = Costs(ocean, atmosphere, wire=2e3 * ones)
    assert sum(costs.shares().values()) == pytest.approx(1.0)
    picture.write(tmp_path / "demo.html", run, costs, seconds=1.0)
    page = (tmp_path / "demo.html").read_text(encoding="utf-8")
    assert page.count("<svg") == page.count("</svg>") == 3
    loaded = re.findall(r"""(?:src|href)="([^"#]*)""", page)
    assert all(address.startswith("data:") for address in loaded if address), loaded
    assert "#0101" not in page and "<script" not in page


@pytest.fixture
def remote() -> Iterator[Remote]:
    coupler = Coupler()
    with castile.serve(coupler, port=0, wsdl=WSDL, background=True) as server:
        coupler.server = server
        yield Remote(server.url)


def test_the_first_steps_over_soap_agree_with_those_in_one_process(remote: Remote):
    steps = 4
    over_soap = couple(remote, steps_max=steps)
    assert first_difference(over_soap, couple(Direct(), steps_max=steps)) is None
    costs = remote.costs(np.array(over_soap.computing))
    assert costs.ocean.messages == costs.atmosphere.messages == steps
    for figures in (costs.ocean.encode, costs.ocean.decode, costs.atmosphere.encode, costs.atmosphere.decode):
        assert np.all(figures > 0.0)
    assert np.all(costs.wire > 0.0)


def test_a_step_out_of_order_is_the_declared_fault(remote: Remote):
    assert remote.client.service.Describe().grid.columns == 120
    with pytest.raises(castile.Fault) as caught:
        remote.exchange(5, Ocean().surface(), np.zeros(3))
    assert (caught.value.name, caught.value.detail.expected, caught.value.detail.got) == ("OutOfStep", 1, 5)
