"""Equitable colorings are found, and descent keeps collapsed embeddings collapsed under them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.theory import equitable, invariance, neighbor_counts, prototype_loss, quotient
from concolor.theory.sphere import normalized


def biregular(a, b, r, s):
    """a nodes of degree r against b nodes of degree s, a r = b s, round-robin."""
    ends = np.arange(a * r)
    return Graph.from_edges(a + b, np.stack([ends // r, a + ends % b], axis=1))


def parity(d):
    return np.array([v.bit_count() % 2 for v in range(2**d)])


def blown_up(seed, edges, k, size):
    """A quotient graph on k colors, each of its edges an r-regular bipartite graph, r random."""
    rng = np.random.default_rng(seed)
    joined = []
    for i, j in edges:
        shuffle = rng.permutation(size)
        for shift in range(rng.integers(1, size + 1)):
            joined.append(
                np.stack([i * size + np.arange(size), j * size + np.roll(shuffle, shift)], axis=1)
            )
    return Graph.from_edges(k * size, np.concatenate(joined)), np.repeat(np.arange(k), size)


EQUITABLE = {
    "complete k-partite": (
        family("multipartite:1x2x3"),
        np.repeat([0, 1, 2], [1, 2, 3]),
        [[0, 2, 3], [1, 0, 3], [1, 2, 0]],
    ),
    "turan": (
        family("turan:8x4"),
        np.repeat(np.arange(4), 2),
        (2 * (1 - np.eye(4, dtype=int))).tolist(),
    ),
    "biregular": (biregular(6, 4, 2, 3), np.repeat([0, 1], [6, 4]), [[0, 2], [3, 0]]),
    "hypercube": (family("hypercube:4"), parity(4), [[0, 4], [4, 0]]),
    "even cycle": (family("cycle:10"), np.arange(10) % 2, [[0, 2], [2, 0]]),
}
OTHERS = {
    "path": (family("path:4"), np.array([0, 1, 0, 1])),
    "odd cycle": (family("cycle:5"), np.array([0, 1, 0, 1, 2])),
    "square with a hat": (
        Graph.from_edges(5, [(0, 1), (1, 2), (2, 3), (3, 0), (4, 0), (4, 1)]),
        np.array([0, 1, 0, 1, 2]),
    ),
    "edge and node": (Graph.from_edges(3, [(0, 1)]), np.array([0, 1, 0])),
}


@pytest.mark.parametrize("name", EQUITABLE)
def test_the_families_of_the_paper_are_equitable(name):
    graph, colors, r = EQUITABLE[name]
    found = equitable(neighbor_counts(graph, colors))
    assert found.tolist() == r


@pytest.mark.parametrize("name", OTHERS)
def test_others_are_not(name):
    graph, colors = OTHERS[name]
    assert equitable(neighbor_counts(graph, colors)) is None


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), p=st.sampled_from([0.2, 0.6, 1.0]))
def test_detection_agrees_with_counting_by_hand(instance, seed, p):
    graph, colors, _ = instance(seed, n=6, p=p)
    rows = {
        i: {tuple(int(sum(colors[graph.neighbors(v)] == j)) for j in range(3)) for v in nodes}
        for i, nodes in ((i, np.flatnonzero(colors == i)) for i in range(3))
    }
    found = equitable(neighbor_counts(graph, colors))
    if all(len(each) == 1 for each in rows.values()):
        assert found.tolist() == [list(rows[i].pop()) for i in range(3)]
    else:
        assert found is None


def start(k, seed=0, d=3):
    return normalized(np.random.default_rng(seed).normal(size=(k, d)))


@pytest.mark.parametrize("name", EQUITABLE)
def test_descent_stays_collapsed_and_follows_the_prototypes(name):
    graph, colors, r = EQUITABLE[name]
    result = invariance(graph, colors, start(len(r)), 0.5, step=0.5, steps=25)
    assert result.equitable
    assert result.drift < 1e-9
    assert result.mismatch < 1e-9


@pytest.mark.parametrize("name", OTHERS)
def test_without_equitability_descent_tears_classes_apart(name):
    graph, colors = OTHERS[name]
    result = invariance(graph, colors, start(colors.max() + 1), 0.5, step=0.5, steps=25)
    assert not result.equitable
    assert result.drift > 1e-3
    assert result.mismatch > 1e-4


@pytest.mark.parametrize("seed", range(5))
def test_blown_up_quotients_are_equitable_and_invariant(seed):
    edges = [(0, 1), (1, 2), (2, 0), (2, 3)]
    graph, colors = blown_up(seed, edges, 4, 3)
    r = equitable(neighbor_counts(graph, colors))
    assert sorted(map(tuple, quotient(graph, colors).edges)) == sorted(
        tuple(sorted(edge)) for edge in edges
    )
    assert (r == r.T).all() and ((r > 0).sum() == 2 * len(edges))
    result = invariance(graph, colors, start(4, seed), 0.5, step=0.5, steps=25)
    assert result.drift < 1e-9 and result.mismatch < 1e-9


def test_phi_of_the_paper_is_the_prototype_loss():
    graph, colors, r = EQUITABLE["complete k-partite"]
    q, tau, sizes, e = start(3), 0.4, [1, 2, 3], math.exp(1 / 0.4)
    phi = sum(
        -size / 6 * e / (e + sum(r[i][j] * math.exp(abs(q[i] @ q[j]) / tau) for j in range(3)))
        for i, size in enumerate(sizes)
    )
    assert prototype_loss(neighbor_counts(graph, colors), q, tau) == pytest.approx(phi, abs=1e-14)


def test_descent_needs_steps():
    graph, colors, _ = EQUITABLE["even cycle"]
    with pytest.raises(InputError, match="positive step"):
        invariance(graph, colors, np.eye(2), 0.5, step=0.0, steps=3)
