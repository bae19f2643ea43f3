from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.certificates.theta import (
    best_handle,
    handle_bound,
    handle_bound_safe,
    lift,
    measure,
    prototypes,
    unit_rows,
)
from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers.greedy import dsatur

SPECS = ["cycle:5", "petersen", "queen:4x4", "wheel:6", "er:20x0.3"]


def near_prototypes(graph, noise=0.1, seed=0):
    z, r = prototypes(dsatur(graph))
    return unit_rows(z + noise * np.random.default_rng(seed).normal(size=z.shape), graph), r


def slow_bounds(z, r, graph):
    """The lemma's and the sharper bound, node by node and edge by edge."""
    eps = max(abs(z[u] @ z[v]) for u, v in graph.edges)
    alpha = min(abs(r @ row) for row in z)
    sharper = max(
        (1 + sum(abs(z[i] @ z[j]) for j in graph.neighbors(i))) / (r @ z[i]) ** 2
        for i in range(graph.n)
    )
    return (1 + max(graph.degrees) * eps) / alpha**2, sharper


@pytest.mark.parametrize("spec", SPECS)
def test_the_bounds_match_their_formulas(spec):
    graph = family(spec)
    z, r = near_prototypes(graph)
    found = measure(z, r, graph, dsatur(graph))
    lemma, sharper = slow_bounds(z, r, graph)
    assert found.lemma == pytest.approx(lemma)
    assert found.sharper == pytest.approx(sharper)
    assert found.sharper <= found.lemma
    assert found.delta is not None and found.corollary is not None
    margin = dsatur(graph).k ** -0.5 - found.delta
    if margin > 0:
        assert found.corollary == pytest.approx((1 + max(graph.degrees) * found.eps) / margin**2)
    best = best_handle(z, graph, coloring=dsatur(graph))  # beginning from the corollary's handle
    assert handle_bound(z, best, graph) <= found.corollary


@pytest.mark.parametrize("spec", SPECS)
def test_prototypes_of_a_proper_coloring_show_k(spec):
    coloring = dsatur(family(spec))
    z, r = prototypes(coloring)
    found = measure(z, r, coloring.graph, coloring)
    assert found.eps == 0 and found.delta == pytest.approx(0, abs=1e-7)
    for bound in (found.lemma, found.sharper, found.corollary):
        assert bound == pytest.approx(coloring.k)


def test_delta_ignores_rotation_and_signs():
    coloring = dsatur(family("queen:4x4"))
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.normal(size=(9, 9)))[0][: coloring.k]
    z = prototypes(coloring)[0] @ turn * rng.choice([-1, 1], size=(16, 1))
    r = best_handle(z, coloring.graph)
    assert measure(z, r, coloring.graph, coloring).delta == pytest.approx(0, abs=1e-7)
    assert handle_bound(z, r, coloring.graph) == pytest.approx(coloring.k, rel=1e-2)


def test_delta_needs_a_dimension_for_every_color():
    coloring = Coloring(family("complete:3"), np.arange(3))
    z = unit_rows(np.random.default_rng(0).normal(size=(3, 2)), coloring.graph)
    found = measure(z, np.array([1.0, 0.0]), coloring.graph, coloring)
    assert found.delta is None and found.corollary is None


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("noise", [0.0, 0.2, 5.0])
def test_the_lift_is_orthogonal_on_edges_and_attains_the_sharper_bound(spec, noise):
    graph = family(spec)
    z, r = near_prototypes(graph, noise)
    rows = lift(z, graph)
    assert rows.shape == (graph.n, z.shape[1] + graph.m)
    assert rows.nnz <= z.size + 2 * graph.m

    gram = (rows @ rows.T).toarray()
    u, v = graph.edges.T
    np.testing.assert_allclose(gram[u, v], 0, atol=1e-15)
    np.testing.assert_allclose(np.diag(gram), 1)
    reach = rows[:, : z.shape[1]] @ r
    assert (1 / reach**2).max() == pytest.approx(handle_bound(z, r, graph))


@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1e-5, 1.0, 1e5]))
@settings(max_examples=25, deadline=None)
def test_the_safe_bound_is_above_the_exact_one_and_close(seed, scale):
    graph = family("petersen")
    rng = np.random.default_rng(seed)
    z, r = scale * rng.normal(size=(10, 4)), rng.normal(size=4)
    rows = [[Fraction(float(x)) for x in row] for row in z]
    handle = [Fraction(float(x)) for x in r]

    def dot(a, b):
        return sum(x * y for x, y in zip(a, b, strict=True))

    exact = max(
        (dot(rows[i], rows[i]) + sum(abs(dot(rows[i], rows[j])) for j in graph.neighbors(i)))
        * dot(handle, handle)
        / dot(rows[i], handle) ** 2
        for i in range(10)
    )
    found = handle_bound_safe(z, r, graph)
    assert exact <= Fraction(found)
    assert found == pytest.approx(float(exact), rel=1e-6)


def test_a_handle_that_misses_a_vector_bounds_nothing():
    graph = family("path:2")
    assert handle_bound(np.eye(2), np.array([1.0, 0.0]), graph) == np.inf
    assert handle_bound_safe(np.eye(2), np.array([1.0, 0.0]), graph) == np.inf


@pytest.mark.parametrize("spec", SPECS)
def test_the_best_handle_beats_the_obvious_ones(spec):
    graph = family(spec)
    z, r = near_prototypes(graph, noise=0.2)
    found = best_handle(z, graph, coloring=dsatur(graph))
    assert np.linalg.norm(found) == pytest.approx(1)
    rng = np.random.default_rng(1)
    rivals = [r, *(row / np.linalg.norm(row) for row in rng.normal(size=(200, z.shape[1])))]
    best = min(handle_bound(z, rival, graph) for rival in rivals)
    assert handle_bound(z, found, graph) <= best * (1 + 1e-3)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_no_vectors_show_less_than_theta(seed):
    graph = family("cycle:5")
    rng = np.random.default_rng(seed)
    z = unit_rows(rng.normal(size=(5, 3)), graph)
    assert handle_bound_safe(z, best_handle(z, graph), graph) >= 5**0.5


def test_wrong_embeddings_are_refused():
    graph = family("cycle:5")
    for bad in (np.ones((4, 2)), np.ones(5), np.zeros((5, 2)), np.full((5, 2), np.nan)):
        with pytest.raises(InputError):
            unit_rows(bad, graph)


def test_graphs_without_edges():
    graph = Graph.from_edges(3, [])
    found = measure(*prototypes(Coloring(graph, np.zeros(3, np.int64))), graph)
    assert found.sharper == found.lemma == 1
