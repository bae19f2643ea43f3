"""Orders of the nodes, against what they promise."""

import numpy as np
from hypothesis import given

from concolor.graph.structure import breadth_first, depth_first
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
