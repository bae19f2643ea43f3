import os
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.formats import read
from concolor.solvers.null import null, null_sweep


def graph_of(twin):
    twin = nx.convert_node_labels_to_integers(twin)
    return Graph.from_edges(len(twin), list(twin.edges))


def queen(side):
    squares = [(row, column) for row in range(side) for column in range(side)]
    twin = nx.Graph()
    twin.add_nodes_from(squares)
    for a, b in squares:
        for c, d in squares:
            if (a, b) < (c, d) and (a == c or b == d or abs(a - c) == abs(b - d)):
                twin.add_edge((a, b), (c, d))
    return twin


@pytest.mark.slow
@given(n=st.integers(0, 30), k=st.integers(1, 12), seed=st.integers(0, 5))
def test_class_sizes_differ_by_at_most_one(n, k, seed):
    sizes = np.bincount(null(Graph.from_edges(n, []), k, seed=seed).colors, minlength=k)
    assert len(sizes) == k
    assert sizes.max() - sizes.min() <= 1


def test_more_tries_are_never_worse_and_the_seed_decides():
    graph = graph_of(nx.petersen_graph())
    conflicts = [null(graph, 3, seed=1, tries=tries).conflicts for tries in (1, 3, 10, 40)]
    assert conflicts == sorted(conflicts, reverse=True)
    assert conflicts[-1] < conflicts[0]
    np.testing.assert_array_equal(null(graph, 3, seed=1).colors, null(graph, 3, seed=1).colors)
    assert not np.array_equal(null(graph, 3, seed=1).colors, null(graph, 3, seed=2).colors)


def test_about_one_edge_in_k_stays_monochromatic():
    graph = graph_of(nx.gnm_random_graph(300, 3000, seed=0))
    for k in (2, 5, 10):
        assert null(graph, k).mono == pytest.approx(1 / k, abs=0.03)


def test_sweep_ends_at_the_first_k_under_the_threshold():
    graph = graph_of(nx.gnm_random_graph(60, 400, seed=0))
    k, coloring, hit = null_sweep(graph, k_max=60, max_mono=0.1, seed=3)
    assert hit
    assert coloring.mono <= 0.1
    assert coloring.k == k
    assert all(null(graph, fewer, seed=3).mono > 0.1 for fewer in range(1, k))


def test_sweep_that_misses_gives_the_smallest_k_of_the_lowest_mono():
    graph = graph_of(nx.complete_graph(12))
    k, coloring, hit = null_sweep(graph, k_max=5)
    curve = {tried: null(graph, tried).conflicts for tried in range(1, 6)}
    assert not hit
    assert coloring.conflicts == min(curve.values())
    assert k == min(tried for tried in curve if curve[tried] == coloring.conflicts)


def test_the_cap_is_never_above_n_and_edgeless_graphs_need_one_color():
    assert null_sweep(graph_of(nx.complete_graph(4)), k_max=50)[0] == 4
    assert null_sweep(Graph.from_edges(3, []), k_max=5)[0::2] == (1, True)
    assert null_sweep(Graph.from_edges(0, []), k_max=5)[0::2] == (0, True)


@pytest.mark.slow
def test_queen_graphs_show_nothing_under_the_loose_threshold():
    """No learning at all gives three quarters of what a proper greedy coloring needs."""
    rho = []
    for side in (16, 20):
        greedy = nx.greedy_color(queen(side), "saturation_largest_first")
        rho.append(null_sweep(graph_of(queen(side)), k_max=32)[0] / (max(greedy.values()) + 1))
    assert np.mean(rho) == pytest.approx(0.75, abs=0.05)


@pytest.mark.skipif("CONCOLOR_DATA" not in os.environ, reason="CONCOLOR_DATA is not set")
def test_david_needs_a_quarter_more_than_its_chromatic_number():
    david = read(Path(os.environ["CONCOLOR_DATA"]) / "color" / "david.col")
    rho = [null_sweep(david, k_max=32, seed=seed)[0] / 11 for seed in range(10)]
    assert np.mean(rho) == pytest.approx(1.27, abs=0.1)


def test_impossible_numbers_are_refused():
    graph = graph_of(nx.cycle_graph(4))
    with pytest.raises(InputError, match="k=0"):
        null(graph, 0)
    with pytest.raises(InputError, match="tries=0"):
        null(graph, 2, tries=0)
    with pytest.raises(InputError, match="k_max must be at least 1, got 0"):
        null_sweep(graph, k_max=0)
