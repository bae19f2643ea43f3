"""The bound of the absolute loss, its equality conditions, and the sum over graphs."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.theory import (
    attains_bound,
    bound,
    loss,
    lower_bound,
    neighbor_counts,
    population,
    subgradient,
)


def rotation(seed, d):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]


def signs(seed, n):
    return np.random.default_rng(seed).choice([-1.0, 1.0], size=(n, 1))


def slow_loss(graph, colors, z, tau):
    total = 0.0
    for v in range(graph.n):
        same = [w for w in range(graph.n) if colors[w] == colors[v]]
        negatives = sum(math.exp(abs(z[v] @ z[u]) / tau) for u in graph.neighbors(v))
        for w in same:
            positive = math.exp(abs(z[v] @ z[w]) / tau)
            total -= positive / (positive + negatives) / len(same) / graph.n
    return total


@pytest.mark.parametrize("tau", [0.1, 0.5, 2.0])
def test_loss_and_bound_are_the_papers(instance, tau):
    graph, colors, z = instance(0)
    assert loss(graph, colors, z, tau) == pytest.approx(slow_loss(graph, colors, z, tau), abs=1e-12)
    e = math.exp(1 / tau)
    slow = sum(-e / (e + degree) for degree in graph.degrees.tolist()) / graph.n
    assert lower_bound(graph, tau) == pytest.approx(slow, abs=1e-12)


def test_the_subgradient_matches_finite_differences(instance):
    graph, colors, z = instance(1)
    step = np.random.default_rng(1).normal(size=z.shape)
    step -= (step * z).sum(1, keepdims=True) * z
    moved = [np.cos(h) * z + np.sin(h) * step for h in (1e-5, -1e-5)]  # to first order on spheres
    high, low = (loss(graph, colors, x / np.linalg.norm(x, axis=1)[:, None], 0.5) for x in moved)
    slope = (subgradient(graph, colors, z, 0.5) * step).sum()
    assert (high - low) / 2e-5 == pytest.approx(slope, rel=1e-6)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), tau=st.sampled_from([0.05, 0.3, 1.0]), k=st.integers(2, 5))
def test_no_embedding_goes_below_and_orthonormal_prototypes_attain_it(instance, seed, tau, k):
    graph, colors, z = instance(seed, k=k)
    least = lower_bound(graph, tau)
    prototypes = signs(seed, graph.n) * rotation(seed, 5)[colors]
    assert loss(graph, colors, prototypes, tau) == pytest.approx(least, abs=1e-12)
    assert attains_bound(prototypes, graph, colors).holds
    assert loss(graph, colors, z, tau) >= least - 1e-12
    assert loss(graph, colors, z, tau) - least <= attains_bound(z, graph, colors).gap_at_most(tau)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.sampled_from([0.02, 0.2, 1.0]))
def test_equality_fails_exactly_where_the_conditions_do(instance, seed, size):
    """One node moved off: both the conditions and the bound notice, unless nothing binds it."""
    graph, colors, _ = instance(seed)
    z = signs(seed, graph.n) * rotation(seed, 5)[colors]
    rng = np.random.default_rng(seed)
    node = rng.integers(graph.n)
    z[node] += size * rng.normal(size=5)
    z[node] /= np.linalg.norm(z[node])
    missed = loss(graph, colors, z, 0.5) - lower_bound(graph, 0.5) > 1e-9
    assert missed == (not attains_bound(z, graph, colors).holds)


def test_the_bound_on_the_gap_is_nearly_reached_by_an_edge_at_high_temperature():
    graph, z = family("path:2"), np.array([[1, 0], [0.6, 0.8]])
    gap = loss(graph, [0, 1], z, 50) - lower_bound(graph, 50)
    assert 0.99 < gap / attains_bound(z, graph, [0, 1]).gap_at_most(50) <= 1


def test_the_report_matches_all_pairs_and_names_the_worst(instance, monkeypatch):
    graph, colors, z = instance(3, n=30)
    cosines = np.abs(z @ z.T)
    pairs = [p for p in itertools.combinations(range(30), 2) if colors[p[0]] == colors[p[1]]]
    for block in (bound.BLOCK, 7):
        monkeypatch.setattr(bound, "BLOCK", block)
        report = attains_bound(z, graph, colors)
        assert report.within == pytest.approx(min(cosines[p] for p in pairs))
        assert report.across == pytest.approx(max(cosines[u, v] for u, v in graph.edges))
        assert tuple(sorted(report.within_pair)) in pairs
        assert cosines[report.within_pair] == pytest.approx(report.within)
        assert list(report.across_edge) in graph.edges.tolist()
        assert cosines[report.across_edge] == pytest.approx(report.across)


def test_colors_without_an_edge_between_them_may_share_a_line():
    graph = family("path:3")
    z = np.eye(2)[[0, 1, 0]]
    assert attains_bound(z, graph, [0, 1, 2]).holds
    assert loss(graph, [0, 1, 2], z, 0.3) == pytest.approx(lower_bound(graph, 0.3), abs=1e-12)


def test_an_optimal_coloring_makes_all_prototypes_orthogonal():
    """Every two classes of an optimal coloring are joined, so a shared line is a shared edge."""
    graph, colors = family("multipartite:2x2x1"), [0, 0, 1, 1, 2]
    assert neighbor_counts(graph, colors).by_pair(neighbor_counts(graph, colors).count)[0, 2] > 0
    shared = np.eye(2)[[0, 0, 1, 1, 0]]
    assert not attains_bound(shared, graph, colors).holds
    assert loss(graph, colors, shared, 0.3) > lower_bound(graph, 0.3) + 1e-3


def test_a_class_of_isolated_nodes_is_free():
    graph = Graph.from_edges(4, [(0, 1)])
    z = np.eye(4)
    assert attains_bound(z, graph, [0, 1, 2, 2]).holds
    assert loss(graph, [0, 1, 2, 2], z, 0.3) == pytest.approx(lower_bound(graph, 0.3), abs=1e-12)
    # in a class with a neighbor-bound node they are not
    assert attains_bound(z, graph, [0, 1, 0, 1]).within == 0
    assert loss(graph, [0, 1, 0, 1], z, 0.3) > lower_bound(graph, 0.3) + 1e-3
    edgeless = attains_bound(z, Graph.from_edges(4, []), [0, 0, 0, 0])
    assert edgeless.holds and edgeless.across_edge is None and edgeless.within_pair is None


def test_the_population_loss_is_the_mean_of_the_batch_and_splits_by_graph(instance):
    import torch

    from concolor.learning import losses

    parts = [instance(seed, n=n) for seed, n in enumerate((7, 16, 11))]
    whole = population(parts, 0.3)
    offsets = np.cumsum([0, 7, 16])
    edges = [g.edge_index + o for (g, _, _), o in zip(parts, offsets, strict=True)]
    edge_index = torch.tensor(np.concatenate(edges, axis=1))
    batch = torch.tensor(np.repeat(np.arange(3), [7, 16, 11]))
    z = torch.tensor(np.concatenate([z for _, _, z in parts]))
    colors = torch.tensor(np.concatenate([c for _, c, _ in parts]))
    batched = losses.contrastive(z, edge_index, colors, 0.3, absolute=True, batch=batch)
    assert whole.loss == pytest.approx(batched.item(), abs=1e-12)
    least = losses.lower_bound(edge_index, batch, 0.3, absolute=True)
    assert whole.bound == pytest.approx(least, abs=1e-12)
    assert (whole.gaps > 0).all()


def test_graphs_are_minimized_one_by_one(instance):
    """Minimizers of the parts, each in its own frame, make a minimizer of the whole."""
    parts = [instance(seed) for seed in range(3)]
    best = [(g, c, rotation(i, 5)[c]) for i, (g, c, _) in enumerate(parts)]
    weights = [1, 2, 5]
    least = population(best, 0.2, weights=weights)
    assert least.loss == pytest.approx(least.bound, abs=1e-12)
    one_off = population([best[0], parts[1], best[2]], 0.2, weights=weights)
    np.testing.assert_allclose(one_off.gaps[[0, 2]], 0, atol=1e-12)
    assert one_off.loss - one_off.bound == pytest.approx(2 / 8 * one_off.gaps[1])


def test_what_cannot_be_judged_is_refused(instance):
    graph, colors, z = instance(0)
    with pytest.raises(InputError, match="monochromatic"):
        attains_bound(z, graph, np.zeros(graph.n, int))
    with pytest.raises(InputError, match="length 1, row 0 has 2"):
        loss(graph, colors, 2 * z, 0.3)
    with pytest.raises(InputError, match=r"shape \[16, d\]"):
        attains_bound(z[:3], graph, colors)
    with pytest.raises(InputError, match="tau"):
        lower_bound(graph, 0)
    with pytest.raises(InputError, match="no nodes"):
        lower_bound(Graph.from_edges(0, []), 0.3)
    with pytest.raises(InputError, match="weight"):
        population([(graph, colors, z)], 0.3, weights=[1, 2])
