import math

import mpmath  # comes with torch, by way of sympy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.certificates import rounding, spectral
from concolor.certificates.spectral import hoffman, hoffman_safe, weighted
from concolor.graph.core import Graph
from concolor.graph.families import family


def exact_hoffman(graph, weights):
    """Two eigenvalues with fifty digits."""
    with mpmath.workdps(50):
        matrix = mpmath.zeros(graph.n)
        for (u, v), weight in zip(graph.edges.tolist(), weights, strict=True):
            matrix[u, v] = matrix[v, u] = mpmath.mpf(float(weight))
        values = list(mpmath.eigsy(matrix, eigvals_only=True))
        return 1 - max(values) / min(values)


@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1e-6, 1.0, 1e9]))
@settings(max_examples=25, deadline=None)
def test_the_safe_bound_is_below_the_exact_one_and_close(seed, scale):
    graph = family("petersen")
    weights = scale * np.random.default_rng(seed).normal(size=graph.m)
    exact = exact_hoffman(graph, weights)
    assert hoffman_safe(graph, weights) <= exact
    assert hoffman_safe(graph, weights) == pytest.approx(float(exact), rel=1e-10)
    assert hoffman(graph, weights) == pytest.approx(float(exact), rel=1e-10)


@given(seed=st.integers(0, 10**6), off=st.sampled_from([-1e-3, -1e-9, -1e-13, 1e-9]))
@settings(max_examples=25, deadline=None)
def test_the_safe_bound_does_not_rely_on_good_eigenvalues(seed, off):
    graph, rng = family("petersen"), np.random.default_rng(seed)
    weights = rng.normal(size=graph.m)
    low, x = spectral._extremes(weighted(graph, weights))
    with pytest.MonkeyPatch.context() as patch:
        wrong = low * (1 + off), x + 1e-4 * rng.normal(size=10)
        patch.setattr(spectral, "_extremes", lambda matrix: wrong)
        assert 1 <= hoffman_safe(graph, weights) <= exact_hoffman(graph, weights)


@pytest.mark.parametrize(
    ("spec", "theta"),
    [
        ("cycle:5", math.sqrt(5)),
        ("cycle:7", 1 + 1 / math.cos(math.pi / 7)),
        ("cycle:1001", 1 + 1 / math.cos(math.pi / 1001)),
        ("petersen", 2.5),
        ("kneser:7x2", 3.5),
        ("complete:6", 6),
        ("bipartite:3x7", 2),
    ],
)
def test_equal_weights_attain_theta_on_edge_transitive_graphs(spec, theta):
    graph = family(spec)
    found = hoffman_safe(graph, np.ones(graph.m))
    assert theta - 1e-10 < found <= theta * (1 + 1e-15)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_no_weights_show_more_than_theta(seed):
    weights = np.random.default_rng(seed).normal(loc=1, size=5)
    assert hoffman_safe(family("cycle:5"), weights) <= math.sqrt(5)


def test_scaling_the_weights_changes_nothing():
    graph = family("queen:4x4")
    weights = np.random.default_rng(0).random(graph.m)
    assert hoffman(graph, 7 * weights) == pytest.approx(hoffman(graph, weights))


def test_weights_that_show_nothing_give_one():
    graph = family("cycle:5")
    assert hoffman(graph, np.zeros(5)) == hoffman_safe(graph, np.zeros(5)) == 1
    assert hoffman_safe(graph, np.array([1, 1, np.nan, 1, 1])) == 1
    assert hoffman_safe(Graph.from_edges(3, []), np.zeros(0)) == 1


def test_nodes_without_weight_are_left_out():
    graph = family("path:6")
    assert weighted(graph, np.array([0, 1.0, 2.0, 0, 0])).shape == (3, 3)
    np.testing.assert_array_equal(
        weighted(graph, np.ones(5)).toarray(), graph.adjacency().toarray()
    )


def test_large_graphs_go_by_lanczos_and_a_sparse_factor(monkeypatch):
    ring = family("cycle:5").edges
    graph = Graph.from_edges(600, np.concatenate([ring + 5 * copy for copy in range(120)]))
    monkeypatch.setattr(rounding, "DENSE", 100)
    monkeypatch.setattr(spectral, "DENSE", 100)
    assert hoffman(graph, np.ones(graph.m)) == pytest.approx(math.sqrt(5))
    assert math.sqrt(5) - 1e-6 < hoffman_safe(graph, np.ones(graph.m)) <= math.sqrt(5)
    monkeypatch.setattr(spectral, "LARGE", 100)
    assert hoffman_safe(graph, np.ones(graph.m)) == 1
