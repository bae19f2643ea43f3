import numpy as np
import pytest

from concolor.certificates.theta.bounds import lift, measure
from concolor.certificates.theta.handle import best_handle
from concolor.certificates.theta.vectors import (
    fitted_prototypes,
    prototype_distance,
    prototypes,
    unit_rows,
)
from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.families import family
from concolor.solvers.greedy import dsatur


def test_wrong_embeddings_are_refused():
    graph = family("cycle:5")
    for bad in (np.ones((4, 2)), np.ones(5), np.zeros((5, 2)), np.full((5, 2), np.nan)):
        for door in (unit_rows, best_handle, lift):
            with pytest.raises(InputError):
                door(bad, graph)
        with pytest.raises(InputError):
            measure(bad, np.ones(2), graph)


def test_the_row_that_is_wrong_is_named():
    rows = np.ones((5, 2))
    rows[3] = 0
    with pytest.raises(InputError, match=r"row 3 has length 0\.0"):
        unit_rows(rows, family("cycle:5"))


@pytest.mark.parametrize(
    "handle", [np.ones(4), np.ones((1, 3)), np.zeros(3), np.array([1.0, np.nan, 1.0]), 1.0]
)
def test_wrong_handles_are_refused(handle):
    graph = family("cycle:5")
    with pytest.raises(InputError, match="the handle must"):
        measure(prototypes(dsatur(graph))[0], handle, graph)


def test_delta_needs_a_dimension_for_every_color():
    coloring = Coloring(family("complete:3"), np.arange(3))
    z = unit_rows(np.random.default_rng(0).normal(size=(3, 2)), coloring.graph)
    found = measure(z, np.array([1.0, 0.0]), coloring.graph, coloring)
    assert found.delta is None and found.corollary is None


def test_fitted_prototypes_are_orthonormal_and_delta_is_their_largest_distance():
    graph = family("queen:4x4")
    coloring = dsatur(graph)
    z = unit_rows(np.random.default_rng(0).normal(size=(16, 9)), graph)
    q, place = fitted_prototypes(z, coloring.colors)
    np.testing.assert_allclose(q @ q.T, np.eye(coloring.k), atol=1e-12)
    slow = max(
        min(np.linalg.norm(z[v] - q[place[v]]), np.linalg.norm(z[v] + q[place[v]]))
        for v in range(16)
    )
    assert prototype_distance(z, coloring.colors) == pytest.approx(slow)
