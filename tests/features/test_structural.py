import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.features.structural import (
    clustering,
    core_numbers,
    pagerank,
    statistics,
    structural,
)
from concolor.graph.core import Graph

NAMED = {
    "empty": nx.empty_graph(0),
    "single": nx.empty_graph(1),
    "edgeless": nx.empty_graph(5),
    "complete": nx.complete_graph(6),
    "star": nx.star_graph(9),
    "petersen": nx.petersen_graph(),
    "lollipop": nx.lollipop_graph(5, 4),
    "two parts": nx.disjoint_union(nx.complete_graph(4), nx.path_graph(5)),
    "karate": nx.karate_club_graph(),
}


def of(twin: nx.Graph) -> Graph:
    return Graph.from_edges(twin.number_of_nodes(), [(u, v) for u, v in twin.edges])


def in_order(values: dict[int, float]) -> np.ndarray:
    return np.array([values[v] for v in sorted(values)], dtype=float)


@pytest.mark.parametrize("name", NAMED)
def test_statistics_are_those_of_networkx(name):
    twin = NAMED[name]
    graph = of(twin)

    np.testing.assert_allclose(clustering(graph), in_order(nx.clustering(twin)), atol=1e-12)
    np.testing.assert_array_equal(core_numbers(graph), in_order(nx.core_number(twin)))
    expected = in_order(nx.pagerank(twin, tol=1e-12, max_iter=1000, weight=None))
    np.testing.assert_allclose(pagerank(graph), expected, atol=1e-9)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 25), p=st.floats(0, 1), seed=st.integers(0, 2**31))
def test_statistics_are_those_of_networkx_on_random_graphs(n, p, seed):
    twin = nx.gnp_random_graph(n, p, seed=seed)
    graph = of(twin)

    np.testing.assert_allclose(clustering(graph), in_order(nx.clustering(twin)), atol=1e-12)
    np.testing.assert_array_equal(core_numbers(graph), in_order(nx.core_number(twin)))
    assert pagerank(graph).sum() == pytest.approx(1)


@pytest.mark.parametrize("name", NAMED)
def test_statistics_fill_the_unit_interval(name):
    scaled = statistics(of(NAMED[name]))

    assert scaled.shape == (len(NAMED[name]), 4)
    assert np.isfinite(scaled).all()
    assert ((scaled >= 0) & (scaled <= 1)).all()
    assert set(scaled.max(axis=0, initial=0)) <= {0.0, 1.0}


def test_a_regular_graph_has_constant_features():
    rows = structural(of(nx.petersen_graph()), 16)
    np.testing.assert_allclose(rows, np.broadcast_to(rows[0], rows.shape), atol=1e-6)


@pytest.mark.parametrize("dim", [1, 3, 6, 16, 32, 64])
def test_coordinates_cycle_over_transforms_then_statistics(dim):
    graph = of(NAMED["lollipop"])
    base = statistics(graph)
    transforms = [
        lambda s: s,
        lambda s: s * s,
        lambda s: np.sin(np.pi * s),
        lambda s: np.cos(np.pi * s),
    ]

    rows = structural(graph, dim)

    assert rows.shape == (graph.n, dim)
    assert rows.dtype == np.float32
    for j in range(dim):
        expected = transforms[(j // 4) % 4](base[:, j % 4])
        np.testing.assert_allclose(rows[:, j], expected, atol=1e-6)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_relabeling_the_nodes_moves_the_rows(seed):
    order = np.random.default_rng(seed).permutation(34)
    graph = of(NAMED["karate"])

    np.testing.assert_allclose(
        structural(graph.subgraph(order)), structural(graph)[order], atol=1e-6
    )
