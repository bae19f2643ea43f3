"""Edge colorings and colorings by distance, against networkx and against all colorings."""

from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concolor as cc
from concolor.graph.transform import MOST
from shell import concolor
from small_graphs import graphs


@given(graphs(8))
def test_edges_are_adjacent_where_they_meet(graph):
    line = cc.line_graph(graph)
    assert line.n == graph.m and line.duplicates == 0
    for i, j in combinations(range(line.n), 2):
        meet = bool(set(line.names[i]) & set(line.names[j]))
        assert meet == (j in line.neighbors(i))


@given(graphs(8), st.integers(1, 5))
def test_nodes_are_adjacent_up_to_a_distance(graph, d):
    far = dict(nx.all_pairs_shortest_path_length(cc.to_networkx(graph), cutoff=d))
    found = cc.power(graph, d)
    for u, v in combinations(range(graph.n), 2):
        assert (v in far[u]) == (v in found.neighbors(u))


@settings(deadline=None)
@given(graphs(5))
def test_the_fewest_colors_of_edges_are_those_of_all_colorings(graph):
    pairs = graph.edges.tolist()
    meeting = [(i, j) for i, j in combinations(range(graph.m), 2) if set(pairs[i]) & set(pairs[j])]
    for k in range(graph.m + 1):
        colorings = product(range(k), repeat=graph.m)
        if any(all(c[i] != c[j] for i, j in meeting) for c in colorings):
            break
    colors = cc.color(cc.line_graph(graph)).by_node()
    assert len(set(colors.values())) == k
    assert all((u, v) in colors for u, v in pairs)  # an edge is found by its two ends


@pytest.mark.parametrize(
    ("spec", "fewest"), [("petersen", 4), ("complete:6", 5), ("complete:7", 7), ("cycle:5", 3)]
)
def test_known_chromatic_indices(spec, fewest):
    assert cc.solve(cc.line_graph(cc.family(spec)), "exact").coloring.k == fewest


def test_names_lists_and_features_come_along():
    graph = cc.Graph.from_edges(3, [(0, 1), (1, 2)], names="abc", x=np.eye(3), lists={0: [1]})
    square = cc.power(graph, 2)
    assert square.names == ("a", "b", "c") and square.lists == {0: (1,)} and square.m == 3
    assert np.array_equal(square.x, np.eye(3))


@pytest.mark.parametrize("d", [0, -1, 1.5, True, "2"])
def test_a_distance_is_a_whole_number(d):
    with pytest.raises(cc.ConcolorError, match="whole number of at least 1, got"):
        cc.power(cc.family("path:3"), d)


def test_what_would_not_fit_is_refused_before_it_is_made():
    leaves = int(MOST**0.5) + 1
    star = cc.Graph.from_edges(leaves + 1, [(0, leaf) for leaf in range(1, leaves + 1)])
    for make in (cc.line_graph, lambda graph: cc.power(graph, 2)):
        with pytest.raises(cc.ConcolorError, match=f"largest degree is {leaves}"):
            make(star)


def test_a_word_before_the_graph_asks_for_it(tmp_path):
    file = tmp_path / "p.col"
    file.write_text("p edge 3 2\ne 1 2\ne 2 3\n")
    out = tmp_path / "colors.csv"
    code, printed, err = concolor("color", f"line:{file}", "-o", out)
    assert code == 0 and "line:p" in printed, err
    assert out.read_text() == "node,color\n1-2,0\n2-3,1\n"
    code, printed, _ = concolor("solve", "power2:line:complete:5", "--json")
    assert code == 0 and '"k": 10' in printed  # no two of ten edges are far apart
    assert concolor("info", "power0:petersen")[0] == 2
