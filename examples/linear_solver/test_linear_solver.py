"""The solver against numpy.linalg.solve, through SOAP."""

import castile
import numpy as np
import pytest

from matrix_service import Matrix
from methods import METHODS, NotConverged, conjugate_gradients, heat
from plate import Plate


@pytest.fixture(scope="module")
def remote():
    with castile.serve(Matrix(side=12), port=0, background=True) as server:
        yield castile.Client(server.wsdl_url, cache=False).service


@pytest.mark.parametrize("method", METHODS)
def test_what_is_found_is_what_numpy_finds(remote, method):
    right = heat(remote.order())
    found = METHODS[method](remote, right)
    expected = np.linalg.solve(Plate(12).dense(), right)
    np.testing.assert_allclose(found.vector, expected, rtol=1e-7)
    assert found.residual < 1e-9
    assert 10 < found.iterations < 5000


def test_soap_changes_no_bit(remote):
    right = heat(remote.order())
    there, here = conjugate_gradients(remote, right), conjugate_gradients(Matrix(12), right)
    assert there.iterations == here.iterations
    assert there.vector.tobytes() == here.vector.tobytes()


def test_the_matrix_is_symmetric_with_heavy_diagonal():
    matrix = Plate(5).dense()
    np.testing.assert_array_equal(matrix, matrix.T)
    diagonal = np.diag(matrix)
    assert (np.abs(matrix).sum(axis=1) - diagonal <= diagonal).all()


def test_a_vector_that_does_not_fit_is_a_declared_fault(remote):
    with pytest.raises(castile.Fault) as caught:
        remote.multiply(vector=np.ones(3))
    assert caught.value.name == "WrongLength"
    assert (caught.value.detail.expected, caught.value.detail.got) == (144, 3)


def test_a_solver_that_is_stopped_early_says_so(remote):
    with pytest.raises(NotConverged, match="after 2 iterations"):
        conjugate_gradients(remote, heat(remote.order()), iterations_max=2)
