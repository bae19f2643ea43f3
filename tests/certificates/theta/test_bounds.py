import tracemalloc
from dataclasses import asdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from concolor.certificates.rounding import UNIT
from concolor.certificates.theta.bounds import handle_bound, handle_bound_safe, lift, measure
from concolor.certificates.theta.handle import best_handle
from concolor.certificates.theta.vectors import prototypes
from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers.greedy import dsatur

SPECS = ["cycle:5", "petersen", "queen:4x4", "wheel:6", "er:20x0.3"]


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
def test_the_bounds_match_their_formulas(spec, near_prototypes):
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


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("noise", [0.0, 0.2, 5.0])
def test_the_lift_is_orthogonal_and_attains_the_sharper_bound(spec, noise, near_prototypes):
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


def exact_bound(z, r, graph):
    """The bound of ``handle_bound_safe`` in rational numbers."""
    rows = [[Fraction(float(x)) for x in row] for row in z]
    handle = [Fraction(float(x)) for x in r]

    def dot(a, b):
        return sum(x * y for x, y in zip(a, b, strict=True))

    return max(
        (dot(rows[i], rows[i]) + sum(abs(dot(rows[i], rows[j])) for j in graph.neighbors(i)))
        * dot(handle, handle)
        / dot(rows[i], handle) ** 2
        for i in range(graph.n)
    )


SCALES = st.sampled_from([1e-300, 1e-140, 1e-80, 1e-78, 1e-5, 1.0, 1e5, 1e80, 1e140, 1e300])


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), scale=SCALES, stretch=SCALES)
@example(seed=161371, scale=1e-140, stretch=1e-140)  # a handle almost orthogonal to a tiny vector
@settings(max_examples=60, deadline=None)
def test_the_safe_bound_is_above_the_exact_one_and_close(seed, scale, stretch):
    """Also where products would underflow or overflow, but the bound does not."""
    graph = family("petersen")
    rng = np.random.default_rng(seed)
    z, r = scale * rng.normal(size=(10, 4)), stretch * rng.normal(size=4)
    exact, found = exact_bound(z, r, graph), handle_bound_safe(z, r, graph)
    assert exact <= Fraction(found)
    assert found == pytest.approx(float(exact), rel=1e-6)


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), lengths=st.lists(SCALES, min_size=5, max_size=5), scale=SCALES)
@settings(max_examples=60, deadline=None)
def test_the_safe_bound_holds_for_vectors_of_all_lengths(seed, lengths, scale):
    """What scaling pushes below the smallest float must not make the bound too small."""
    graph, rng = family("cycle:5"), np.random.default_rng(seed)
    z, r = np.array(lengths)[:, None] * rng.normal(size=(5, 3)), scale * rng.normal(size=3)
    with np.errstate(all="ignore"):
        found = handle_bound_safe(z, r, graph)
    assert found == np.inf or exact_bound(z, r, graph) <= Fraction(found)


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), tilt=st.sampled_from([1e-12, 1e-8, 1e-4]))
@settings(max_examples=40, deadline=None)
def test_the_safe_bound_knows_what_cancels(seed, tilt):
    """A handle almost orthogonal to a vector."""
    graph, rng = family("petersen"), np.random.default_rng(seed)
    z, r = rng.normal(size=(10, 4)), rng.normal(size=4)
    z[0] += (tilt - (z[0] @ r) / (r @ r)) * r
    exact, found = exact_bound(z, r, graph), handle_bound_safe(z, r, graph)
    assert exact <= Fraction(found)


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), long=st.sampled_from([1e4, 1e8, 1e12]))
@settings(max_examples=40, deadline=None)
def test_the_safe_bound_knows_what_a_long_neighbor_hides(seed, long):
    """``<v_0, v_1>`` is all rounding error, and more than ``|v_0|²`` can hide."""
    graph, rng = family("path:2"), np.random.default_rng(seed)
    z = np.linalg.qr(rng.normal(size=(8, 8)))[0][:2] * [[1.0], [long]]
    r = z[0] + 2**0.5 * z[1] / long  # so that v_0 decides
    found = Fraction(handle_bound_safe(z, r, graph))
    assert exact_bound(z, r, graph) <= found


LOST = np.r_[1.0, np.full(5000, (0.9 * UNIT) ** 0.5)]  # squares that a sum from 1 on forgets


@pytest.mark.parametrize("rows_are_long", [False, True])
def test_the_safe_bound_holds_in_many_dimensions(rows_are_long):
    graph, axis = Graph.from_edges(1, []), np.eye(1, len(LOST))[0]
    z, r = (LOST, axis) if rows_are_long else (axis, LOST)
    assert exact_bound(z[None], r, graph) <= Fraction(handle_bound_safe(z[None], r, graph))


@pytest.mark.slow
def test_the_safe_bound_holds_with_many_neighbors():
    """Overlaps ``1, u, u, ...`` of the hub, which a sum from 1 on forgets."""
    graph = family("bipartite:1x3000")
    z = np.r_[[[1.0, 0.0], [1.0, 1.0]], np.tile([0.9 * UNIT, 1.0], (2999, 1))]
    r = np.array([1.0, 5.0])
    assert exact_bound(z, r, graph) <= Fraction(handle_bound_safe(z, r, graph))


@pytest.mark.parametrize("bad", [np.inf, np.nan, 0.0])
def test_numbers_without_measure_bound_nothing(bad):
    graph = family("cycle:5")
    z, r = prototypes(dsatur(graph))
    with np.errstate(all="ignore"):
        assert handle_bound_safe(np.full_like(z, bad), r, graph) == np.inf
        assert handle_bound_safe(z, np.full_like(r, bad), graph) == np.inf


def test_a_handle_that_misses_a_vector_bounds_nothing():
    graph = family("path:2")
    assert handle_bound(np.eye(2), np.array([1.0, 0.0]), graph) == np.inf
    assert handle_bound_safe(np.eye(2), np.array([1.0, 0.0]), graph) == np.inf


@pytest.mark.slow
@pytest.mark.parametrize("bound", [handle_bound, handle_bound_safe, measure])
def test_memory_grows_with_the_edges_and_not_with_their_vectors(bound):
    """Gathered at once, the vectors of all edges would take 100 MB and more."""
    graph = family("complete:300")
    z, r = prototypes(dsatur(graph))
    tracemalloc.start()
    try:
        bound(z, r, graph)
        assert tracemalloc.get_traced_memory()[1] < 3e7
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("spec", SPECS)
def test_lengths_do_not_count(spec, near_prototypes):
    """Longer vectors or handles show no less than those of length 1."""
    graph = family(spec)
    z, r = near_prototypes(graph)
    one, other = (measure(*pair, graph, dsatur(graph)) for pair in ((z, r), (3 * z, 10 * r)))
    for key, value in asdict(one).items():
        assert asdict(other)[key] == pytest.approx(value)
    np.testing.assert_allclose(lift(7 * z, graph).toarray(), lift(z, graph).toarray(), atol=1e-15)


def test_the_coloring_of_another_graph_is_refused():
    graph = family("cycle:5")
    with pytest.raises(InputError, match="not of"):
        measure(*prototypes(dsatur(graph)), graph, dsatur(family("cycle:7")))


def test_graphs_without_edges():
    graph = Graph.from_edges(3, [])
    found = measure(*prototypes(Coloring(graph, np.zeros(3, np.int64))), graph)
    assert found.sharper == found.lemma == 1
