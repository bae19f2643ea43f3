"""Orders of the nodes, against what they promise."""

import numpy as np
import pytest
from hypothesis import given

from concolor.graph.families import family
from concolor.graph.structure import breadth_first, depth_first, triangles
from small_graphs import graphs


def triples(graph, order):
    """Nodes a, b, c in this order where ac is an edge and ab is not, and those between a and b."""
    square = graph.adjacency().toarray() > 0
    for k, c in enumerate(order):
        for j, b in enumerate(order[:k]):
            for i, a in enumerate(order[:j]):
                if square[a, c] and not square[a, b]:
                    yield square, order[:i], order[i + 1 : j], b


@given(graphs(9))
def test_depth_first_leaves_no_neighbor_of_the_last_behind(graph):
    """(Corneil and Krueger 2008.) Between a and b stands a neighbor of b."""
    order = depth_first(graph)
    assert sorted(order) == list(range(graph.n))
    for square, _, between, b in triples(graph, order):
        assert square[between, b].any()


@given(graphs(9))
def test_breadth_first_leaves_no_neighbor_of_the_first_behind(graph):
    """Before a stands a neighbor of b: the same, the other way; each component apart."""
    order = breadth_first(graph)
    assert sorted(order) == list(range(graph.n))
    parts = {frozenset(np.flatnonzero(row)) for row in reachable(graph)}
    for part in parts:
        own = [v for v in order if v in part]
        for square, before, _, b in triples(graph, own):
            assert square[before, b].any()


def reachable(graph):
    square = graph.adjacency().toarray() > 0
    np.fill_diagonal(square, True)
    return np.linalg.matrix_power(square.astype(float), max(graph.n, 1)) > 0


def in_full(graph):
    """The same from all pairs of neighbors of every node."""
    square = graph.adjacency().toarray().astype(bool)
    paths = square.astype(int) @ square  # common neighbors
    d = square.sum(1)
    closed = (paths * square).sum(1)[d > 1] / (d[d > 1] - 1)
    p = square.sum() / (graph.n * (graph.n - 1))
    return (closed.sum() / d[d > 1].sum() - p) / (1 - p), paths[square].mean()


@pytest.mark.parametrize(
    "name", ["geometric:150x0.2", "interval:100x8", "exam:80x300", "er:80x0.5", "watts:60x8x0.1"]
)
def test_triangles_are_what_all_pairs_of_neighbors_tell(name):
    graph = family(name)
    assert triangles(graph, looks=100_000) == pytest.approx(in_full(graph), rel=0.02, abs=0.01)
    assert triangles(graph)[0] == pytest.approx(in_full(graph)[0], abs=0.1)
    assert triangles(graph) == triangles(graph)


@given(graphs(9))
def test_triangles_are_told_of_every_graph(graph):
    closed, of_an_edge = triangles(graph)
    assert closed <= 1 and 0 <= of_an_edge <= max(graph.n - 2, 0)


@pytest.mark.parametrize(
    ("name", "found"), [("complete:5", (0, 3)), ("path:2", (0, 0)), ("grid:1x1", (0, 0))]
)
def test_triangles_where_chance_says_all(name, found):
    assert triangles(family(name)) == found
