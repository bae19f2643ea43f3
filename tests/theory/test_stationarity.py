"""Weights, the Clarke condition, and descent that comes to rest where the condition holds."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.theory import (
    loss,
    neighbor_counts,
    prototype_loss,
    prototype_subgradient,
    stationarity,
    weights,
)
from concolor.theory.sphere import descend, normalized, tangent


def prototypes(seed, k, d):
    return normalized(np.random.default_rng(seed).normal(size=(k, d)))


def slow_weights(graph, colors, q, tau):
    n, k = graph.n, len(q)
    d = [[sum(colors[u] == j for u in graph.neighbors(v)) for j in range(k)] for v in range(n)]

    def e(i, j):
        return math.exp(abs(q[i] @ q[j]) / tau)

    def a(v):
        return math.exp(1 / tau) + sum(d[v][j] * e(colors[v], j) for j in range(k))

    w = np.zeros((k, k))
    for i in range(k):
        for j in set(range(k)) - {i}:
            ours = sum(d[v][j] / a(v) ** 2 for v in range(n) if colors[v] == i)
            theirs = sum(d[u][i] / a(u) ** 2 for u in range(n) if colors[u] == j)
            w[i, j] = math.exp(1 / tau) * e(i, j) / (n * tau) * (ours + theirs)
    return w


@pytest.mark.parametrize("seed", range(4))
def test_weights_match_the_formula(instance, seed):
    graph, colors, _ = instance(seed, k=4)
    q = prototypes(seed, 4, 3)
    fast = weights(neighbor_counts(graph, colors), q, 0.4)
    np.testing.assert_allclose(fast, slow_weights(graph, colors, q, 0.4), rtol=1e-10)


@pytest.mark.parametrize("tau", [0.1, 0.7])
def test_the_prototype_loss_is_the_loss_of_the_collapsed_embedding(instance, tau):
    graph, colors, _ = instance(2, k=4)
    q = prototypes(2, 4, 3)
    whole = loss(graph, colors, q[colors], tau)
    assert prototype_loss(neighbor_counts(graph, colors), q, tau) == pytest.approx(whole, abs=1e-12)


def test_small_temperatures_do_not_overflow(instance):
    graph, colors, _ = instance(2)
    counts, q = neighbor_counts(graph, colors), prototypes(0, 3, 3)
    assert prototype_loss(counts, q, 1e-3) == pytest.approx(-1)
    assert np.isfinite(weights(counts, q, 1e-3)).all()


@pytest.mark.parametrize("tau", [1e-3, 5e-4, 1e-5])
def test_weights_that_underflow_do_not_hide_a_residual(tau):
    """The most parallel pair outweighs the others: what is left is the sine of its angle."""
    counts, q = neighbor_counts(family("turan:9x3"), np.repeat([0, 1, 2], 3)), prototypes(3, 3, 3)
    found = stationarity(counts, q, tau)
    cosine = np.abs(q @ q.T)[np.triu_indices(3, 1)].max()
    assert found.relative == pytest.approx(math.sqrt(1 - cosine**2), rel=1e-4)
    assert not found.is_stationary
    assert (np.abs(found.xi) == 1 - np.eye(3)).all()  # signs are known of weights that are lost
    assert stationarity(counts, np.eye(3), tau).is_stationary


def test_a_pair_of_colors_without_edges_does_not_set_the_unit_of_the_weights():
    """The ends of a path are parallel, so their exponent is 0, far above those of its edges."""
    counts = neighbor_counts(family("path:3"), [0, 1, 2])
    q = normalized(np.array([[1.0, 0], [0.1, 1], [1, 0]]))
    cold, warm = stationarity(counts, q, 1e-4), stationarity(counts, q, 0.1)
    assert cold.scale == 0 < warm.scale
    assert cold.relative == pytest.approx(warm.relative) and not cold.is_stationary


def test_lengths_are_those_of_the_loss_and_the_ratio_is_theirs(instance):
    graph, colors, _ = instance(7, k=4)
    counts, q = neighbor_counts(graph, colors), prototypes(7, 4, 3)
    found = stationarity(counts, q, 0.4)
    assert found.scale == pytest.approx(np.linalg.norm(slow_weights(graph, colors, q, 0.4)))
    assert found.relative == pytest.approx(found.residual / found.scale)


def test_the_subgradient_matches_finite_differences(instance):
    graph, colors, _ = instance(3, k=4)
    counts, q = neighbor_counts(graph, colors), prototypes(5, 4, 3)
    slopes = tangent(q, prototype_subgradient(counts, q, 0.5))
    for i, a in np.ndindex(q.shape):
        step = np.zeros_like(q)
        step[i, a] = 1e-6
        up, down = (prototype_loss(counts, normalized(x), 0.5) for x in (q + step, q - step))
        assert (up - down) / 2e-6 == pytest.approx(slopes[i, a], abs=1e-8)


def test_the_graph_enters_only_through_its_neighbor_counts():
    """A ring of twelve and four triangles, three colors in turn: the same d, the same weights."""
    ring, colors = family("cycle:12"), np.arange(12) % 3
    corners = np.arange(12).reshape(4, 3)
    triangles = Graph.from_edges(
        12, np.concatenate([corners[:, [0, 1]], corners[:, 1:], corners[:, [0, 2]]])
    )
    assert ring != triangles
    q = prototypes(1, 3, 2)
    one, other = (neighbor_counts(g, colors) for g in (ring, triangles))
    np.testing.assert_allclose(weights(one, q, 0.3), weights(other, q, 0.3), rtol=1e-14)
    assert prototype_loss(one, q, 0.3) == pytest.approx(prototype_loss(other, q, 0.3))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_descent_at_rest_is_stationary_and_where_it_began_is_not(instance, seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 6))
    d = int(rng.integers(2, k + 1))  # often too few for orthogonal prototypes
    graph, colors, _ = instance(seed, n=20, k=k)
    counts, start = neighbor_counts(graph, colors), prototypes(seed, k, d)
    *_, rest = descend(
        start, lambda q: prototype_subgradient(counts, q, 0.5), np.geomspace(2, 1e-9, 2000)
    )
    before, after = stationarity(counts, start, 0.5), stationarity(counts, rest, 0.5)
    assert before.residual > 1e-2 * before.scale and not before.is_stationary
    assert after.residual < 1e-9 * after.scale and after.is_stationary
    assert np.abs(after.xi).max() <= 1
    # rest is at kinks, where signs alone would not show it
    signs = np.linalg.norm(tangent(rest, prototype_subgradient(counts, rest, 0.5)))
    assert signs > 1e-2 * after.scale


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), free=st.integers(1, 3))
def test_the_shortest_subgradient_is_the_slope_of_steepest_descent(instance, seed, free):
    """At kinks too: F falls by residual^2 per unit along it, and by no more along any other."""
    graph, colors, _ = instance(seed, k=4, p=0.7)
    counts, q = neighbor_counts(graph, colors), prototypes(seed, 4, 4)
    q[:free] = np.eye(4)[:free]
    q[3] = normalized(q[3] * (np.arange(4) >= free - 1))  # orthogonal to the first free - 1
    found = stationarity(counts, q, 0.5)
    base = prototype_loss(counts, q, 0.5)

    def slope(direction):
        return (prototype_loss(counts, normalized(q + 1e-7 * direction), 0.5) - base) / 1e-7

    assert slope(-found.subgradient) == pytest.approx(-(found.residual**2), abs=1e-7)
    rng = np.random.default_rng(seed)
    for direction in tangent(np.tile(q, (20, 1)), rng.normal(size=(80, 4))).reshape(20, 4, 4):
        assert slope(direction / np.linalg.norm(direction)) >= -found.residual - 1e-6


def test_orthonormal_prototypes_are_stationary_and_a_shift_is_not(instance):
    graph, colors, _ = instance(4)
    counts = neighbor_counts(graph, colors)
    assert stationarity(counts, np.eye(3), 0.2).residual == 0
    tilted = normalized(np.eye(3) + 0.1 * prototypes(0, 3, 3))
    assert not stationarity(counts, tilted, 0.2).is_stationary


def test_a_kink_can_be_stationary_only_if_its_weight_can_hold_the_rest():
    """Three colors in the plane, the third parallel to the first and orthogonal to the second."""
    q = np.array([[1.0, 0], [0, 1], [1, 0]])
    even = neighbor_counts(family("complete:3"), [0, 1, 2])
    assert stationarity(even, q, 0.5).is_stationary
    tilted = normalized(np.array([[1.0, 0], [0, 1], [1, 1]]))
    assert stationarity(even, tilted, 0.5).is_stationary is False


def test_lines_not_vectors_and_names_of_colors_do_not_matter(instance):
    graph, colors, _ = instance(6)
    q = prototypes(6, 3, 2)
    one = stationarity(neighbor_counts(graph, colors), q, 0.3)
    flipped = stationarity(neighbor_counts(graph, colors), q * [[1], [-1], [1]], 0.3)
    renamed = stationarity(neighbor_counts(graph, 5 + 2 * colors), q, 0.3)
    assert one.residual == pytest.approx(flipped.residual) == pytest.approx(renamed.residual)


def test_a_graph_without_edges_is_stationary_everywhere():
    counts = neighbor_counts(Graph.from_edges(3, []), [0, 1, 2])
    assert stationarity(counts, prototypes(0, 3, 2), 0.3).is_stationary


def test_prototypes_of_another_number_of_colors_are_refused(instance):
    graph, colors, _ = instance(0)
    with pytest.raises(InputError, match="prototypes of 3 colors"):
        weights(neighbor_counts(graph, colors), np.eye(4), 0.3)
