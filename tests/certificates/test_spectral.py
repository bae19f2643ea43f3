import math
from fractions import Fraction

import mpmath  # comes with torch, by way of sympy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.certificates import rounding, spectral
from concolor.certificates.spectral import hoffman, hoffman_safe, weighted
from concolor.errors import InputError
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


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1e-6, 1.0, 1e9]))
@settings(max_examples=25, deadline=None)
def test_the_safe_bound_is_below_the_exact_one_and_close(seed, scale):
    graph = family("petersen")
    weights = scale * np.random.default_rng(seed).normal(size=graph.m)
    exact = exact_hoffman(graph, weights)
    assert hoffman_safe(graph, weights) <= exact
    assert hoffman_safe(graph, weights) == pytest.approx(float(exact), rel=1e-10)
    assert hoffman(graph, weights) == pytest.approx(float(exact), rel=1e-10)


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), off=st.sampled_from([-1e-3, -1e-9, -1e-13, 1e-9]))
@settings(max_examples=25, deadline=None)
def test_the_safe_bound_does_not_rely_on_good_eigenvalues(seed, off):
    graph, rng = family("petersen"), np.random.default_rng(seed)
    weights = rng.normal(size=graph.m)
    weights /= 2 * np.abs(weights).max()  # which no power of two would change
    low, x = spectral._extremes(weighted(graph, weights), 0)
    with pytest.MonkeyPatch.context() as patch:
        wrong = low * (1 + off), x + 1e-4 * rng.normal(size=10)
        patch.setattr(spectral, "_extremes", lambda matrix, work: wrong)
        assert 1 <= hoffman_safe(graph, weights) <= exact_hoffman(graph, weights)


@pytest.mark.slow
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


@pytest.mark.slow
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


def test_weights_that_are_none_are_refused():
    graph = family("cycle:5")
    for wrong in (np.ones(3), np.ones(6), np.ones((5, 1)), 1.0):
        with pytest.raises(InputError, match=r"shape \[m=5\]"):
            hoffman(graph, wrong)
    for bad in (np.nan, np.inf):
        with pytest.raises(InputError, match=f"must be finite, got {bad}"):
            hoffman(graph, [1, 1, bad, 1, 1])


def test_a_list_of_weights_is_as_good_as_an_array():
    assert hoffman(family("cycle:5"), [1, 1, 1, 1, 1]) == pytest.approx(math.sqrt(5))


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
    assert hoffman_safe(graph, np.ones(graph.m), work=600) == 1


@pytest.mark.slow
@given(
    seed=st.integers(0, 10**6),
    sizes=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    scale=st.sampled_from([1e-320, 1e-200, 1.0, 1e200, 1e308]),
)
@settings(max_examples=60, deadline=None)
def test_bipartite_graphs_attain_two_and_never_more(seed, sizes, scale):
    """Their spectra are symmetric, whatever the weights: the exact bound is 2."""
    graph = family(f"bipartite:{sizes[0]}x{sizes[1]}")
    rng = np.random.default_rng(seed)
    weights = rng.uniform(-1, 1, graph.m) * rng.choice([1e-9, 1e-3, 1.0], graph.m)
    weights[0] = 1.0
    assert 2 - 1e-9 < hoffman_safe(graph, weights * scale) <= 2


@pytest.mark.slow
@given(seed=st.integers(0, 10**6))
@settings(max_examples=80, deadline=None)
def test_the_rayleigh_quotient_is_rounded_down(seed):
    """With ``λmin`` as if it were known to be -1, the bound is 1 + the quotient, or less."""
    graph, rng = family("complete:6"), np.random.default_rng(seed)
    weights, x = rng.normal(size=graph.m), rng.normal(size=graph.n)
    weights /= 2 * np.abs(weights).max()  # which no power of two would change
    exact = (
        2
        * sum(
            Fraction(w) * Fraction(x[u]) * Fraction(x[v])
            for w, (u, v) in zip(weights.tolist(), graph.edges.tolist(), strict=True)
        )
        / sum(Fraction(value) ** 2 for value in x.tolist())
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spectral, "_extremes", lambda matrix, work: (-1.0, x))
        patch.setattr(spectral, "defect", lambda matrix, work: 0.0)
        patch.setattr(spectral, "SLACKS", (0.0,))
        found = Fraction(hoffman_safe(graph, weights))
    assert found <= 1 + max(exact, 0)
    assert float(1 + exact - found) < 1e-13 or found == 1


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), tilt=st.sampled_from([-1e-9, -1e-12, 1e-12, 1e-9]))
@settings(max_examples=60, deadline=None)
def test_a_rayleigh_quotient_that_cancels_is_rounded_down(seed, tilt):
    """Beside a small ``λmin``, so that nothing else is lost."""
    graph, rng = family("complete:5"), np.random.default_rng(seed)
    weights, x = rng.uniform(0.1, 0.9, graph.m), rng.normal(size=graph.n)
    matrix = weighted(graph, weights).toarray()
    x[0] = -(x[1:] @ matrix[1:, 1:] @ x[1:]) / (2 * matrix[0, 1:] @ x[1:])  # quotient 0
    x[0] *= 1 + tilt
    w, y = (
        [[Fraction(v) for v in row] for row in matrix.tolist()],
        [Fraction(v) for v in x.tolist()],
    )
    form = sum(w[i][j] * y[i] * y[j] for i in range(5) for j in range(5))
    exact = form / sum(value**2 for value in y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spectral, "_extremes", lambda matrix, work: (-(2.0**-40), x))
        patch.setattr(spectral, "defect", lambda matrix, work: 0.0)
        patch.setattr(spectral, "SLACKS", (0.0,))
        scale = 2.0 ** -int(np.frexp(weights.max())[1])
        found = Fraction(hoffman_safe(graph, weights))
    assert found <= 1 + max(exact, 0) * Fraction(scale) * 2**40


@pytest.mark.parametrize("lack", [0.0, 0.25, 3.0])
def test_what_lacks_to_be_semidefinite_counts(monkeypatch, lack):
    monkeypatch.setattr(spectral, "defect", lambda matrix, work: lack)
    found = hoffman_safe(family("path:2"), np.full(1, 0.5))
    assert found == pytest.approx(1 + 0.5 / (0.5 + lack))


@pytest.mark.slow
def test_the_long_odd_cycle_needs_three():
    """Its bound is 2 + 2e-7: the eigenvalues of a sparse W must be told apart in many digits."""
    graph = family("cycle:5001")
    theta = 1 + 1 / math.cos(math.pi / 5001)
    assert 2 < theta - 1e-9 < hoffman_safe(graph, np.ones(graph.m)) <= theta


@pytest.mark.slow
def test_what_fills_up_is_not_proved():
    graph = family("er:3000x0.004", seed=1)
    assert hoffman_safe(graph, np.ones(graph.m), work=1e6) == 1
