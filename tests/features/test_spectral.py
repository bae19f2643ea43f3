"""The lowest eigenvectors of the Bethe Hessian, beside dense linear algebra."""

import sys

import numpy as np
import pytest

from concolor.features.random import gaussian
from concolor.features.spectral import bethe_hessian, lowest_vectors, spectral, spectral_random
from concolor.graph.core import Graph
from concolor.graph.families import family

home = sys.modules["concolor.features.spectral"]  # the function has its name
NAMES = ["planted:300x4x0.05", "petersen", "cycle:30", "geometric:120x0.15", "complete:6"]


def dense(graph):
    """The formula, entry by entry."""
    c = 2 * graph.m / graph.n
    found = np.zeros((graph.n, graph.n))
    for v in range(graph.n):
        found[v, v] = c - 1 + len(graph.neighbors(v))
        for u in graph.neighbors(v):
            found[v, u] = np.sqrt(c)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_matrix_is_its_formula(name):
    graph = family(name)
    np.testing.assert_allclose(bethe_hessian(graph).toarray(), dense(graph), rtol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_the_vectors_are_the_lowest(name):
    graph = family(name)
    values, vectors = lowest_vectors(graph, 4)
    expected = np.linalg.eigvalsh(dense(graph))[:4]
    np.testing.assert_allclose(values, expected, atol=0.05 * np.abs(expected).max() + 0.02)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-4)
    np.testing.assert_allclose(
        np.einsum("nq,nq->q", vectors, dense(graph) @ vectors), values, atol=1e-2
    )


@pytest.mark.parametrize("q", [8, 16, 24, 40])
def test_a_step_of_the_filter_is_its_formula_wherever_the_rows_lie(q):
    graph, rng = family("planted:300x4x0.05"), np.random.default_rng(0)
    x, y = rng.standard_normal((2, graph.n, q), dtype=np.float32)
    expected = 0.3 * (dense(graph) - 2 * np.eye(graph.n)) @ x - y
    for begin in (0, 16):  # bytes beyond a line of the cache
        memory = np.empty(x.nbytes + 128, np.uint8)
        begin += -memory.ctypes.data % 64
        moved = memory[begin : begin + x.nbytes].view(np.float32).reshape(x.shape)
        moved[:], found = x, y.copy()
        with home._stepper(graph, q) as step:
            step(moved, found, 0.3, 2.0)
        np.testing.assert_allclose(found, expected, atol=1e-3)


def test_rows_of_a_block_begin_with_a_line_of_the_cache():
    block = np.random.default_rng(0).random((7, 16), np.float32)
    copy = home._aligned(block)
    assert copy.ctypes.data % 64 == 0
    np.testing.assert_array_equal(copy, block)


def test_a_hidden_coloring_is_seen():
    """Rows of one class are far more parallel than rows of two."""
    rng, n, k = np.random.default_rng(0), 2000, 4
    classes = rng.permutation(np.arange(n) % k)
    pairs = rng.integers(0, n, (40_000, 2))
    graph = Graph.from_edges(n, pairs[classes[pairs[:, 0]] != classes[pairs[:, 1]]])
    values, vectors = lowest_vectors(graph, 6)
    assert np.count_nonzero(values < 0) == k - 1
    rows = vectors[:, : k - 1] / np.linalg.norm(vectors[:, : k - 1], axis=1, keepdims=True)
    middles = np.stack([rows[classes == c].mean(axis=0) for c in range(k)])
    assert (np.argmax(rows @ middles.T, axis=1) == classes).mean() > 0.9


def test_graphs_with_few_nodes_or_no_edges():
    for graph in (Graph.from_edges(0, []), Graph.from_edges(3, []), family("path:3")):
        values, vectors = lowest_vectors(graph, 8)
        assert values.shape == (8,) and vectors.shape == (graph.n, 8)
        assert np.isfinite(spectral(graph, 8)).all()


def test_the_seed_draws_signs_and_changes_no_product_of_rows():
    graph = family("planted:300x4x0.05")
    one, two = (spectral(graph, 6, seed) for seed in (0, 1))
    assert not np.allclose(one, two)
    np.testing.assert_allclose(np.abs(one), np.abs(two))
    np.testing.assert_allclose(one @ one.T, two @ two.T, atol=1e-4)
    np.testing.assert_allclose((one**2).mean(axis=0), 1, atol=1e-4)


def test_half_of_the_columns_are_random():
    graph = family("planted:300x4x0.05")
    rows = spectral_random(graph, 16, seed=2)
    np.testing.assert_array_equal(rows[:, :8], spectral(graph, 8, seed=2))
    np.testing.assert_array_equal(rows[:, 8:], gaussian(graph, 8, seed=2))


def test_vectors_are_computed_once_for_a_graph(monkeypatch):
    calls = []
    real = lowest_vectors
    monkeypatch.setattr(home, "lowest_vectors", lambda *args: calls.append(args) or real(*args))
    graph = family("er:50:0.1", seed=77)
    for seed in range(3):
        spectral(graph, 5, seed)
    assert len(calls) == 1


def test_threads_do_not_change_the_vectors(monkeypatch):
    graph = family("er:700x0.02")
    alone = lowest_vectors(graph, 5)
    monkeypatch.setattr(home, "worth", lambda work: 3)
    for one, three in zip(alone, lowest_vectors(graph, 5), strict=True):
        np.testing.assert_array_equal(one, three)
