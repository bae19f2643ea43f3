import numpy as np
import pytest

from concolor.certificates.theta.pairs import Pairs
from concolor.graph.core import Graph
from concolor.graph.families import family

SPECS = ["cycle:5", "er:20x0.3", "queen:4x4"]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_both_maps_match_their_formulas(spec, kind):
    graph, rng = family(spec), np.random.default_rng(0)
    a, b = rng.normal(size=(2, graph.n, 7)).astype(kind)
    q = rng.normal(size=graph.m).astype(kind)
    inner, spread = Pairs(graph).inner(a, b), Pairs(graph).spread(q, a)
    slow = np.zeros_like(a)
    for (u, v), weight in zip(graph.edges, q, strict=True):
        slow[u] += weight * a[v]
        slow[v] += weight * a[u]
    tolerance = {"rtol": 1e-4, "atol": 1e-5}
    np.testing.assert_allclose(
        inner, [a[u] @ b[v] + b[u] @ a[v] for u, v in graph.edges], **tolerance
    )
    np.testing.assert_allclose(spread, slow, **tolerance)
    assert inner.dtype == spread.dtype == kind


@pytest.mark.parametrize("spec", SPECS)
def test_each_is_the_adjoint_of_the_other(spec):
    graph, rng = family(spec), np.random.default_rng(1)
    a, b = rng.normal(size=(2, graph.n, 3))
    q = rng.normal(size=graph.m)
    assert q @ Pairs(graph).inner(a, b) == pytest.approx(np.vdot(a, Pairs(graph).spread(q, b)))


def test_nodes_without_edges_stay_empty():
    graph = Graph.from_edges(4, [[0, 1]])
    spread = Pairs(graph).spread(np.ones(1), np.ones((4, 2)))
    np.testing.assert_array_equal(spread, [[1, 1], [1, 1], [0, 0], [0, 0]])
