import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.sweeps import choose_k


@st.composite
def colorings(draw):
    n = draw(st.integers(1, 9))
    node = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=20))
    colors = draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    return Coloring(Graph.from_edges(n, edges), np.array(colors))


@given(colorings())
def test_counts_match_a_loop_over_the_edges(coloring):
    colors = coloring.colors.tolist()
    bad = [(u, v) for u, v in coloring.graph.edges.tolist() if colors[u] == colors[v]]
    assert coloring.conflicting_edges.tolist() == [list(edge) for edge in bad]
    assert coloring.conflicts == len(bad)
    assert coloring.mono == (len(bad) / coloring.graph.m if coloring.graph.m else 0)
    assert coloring.is_proper == (not bad)
    assert coloring.k == len(set(colors))


@given(colorings())
def test_classes_part_the_nodes_by_color(coloring):
    classes = coloring.classes
    assert sorted(np.concatenate(classes).tolist()) == list(range(coloring.graph.n))
    assert [len(set(coloring.colors[nodes])) for nodes in classes] == [1] * coloring.k


def test_colors_are_checked_and_our_own():
    square = family("cycle:4")
    for bad in ([0, 1, 0], [0, 1, 0, -1], [0.5, 1, 0, 1], [[0, 1, 0, 1]]):
        with pytest.raises(InputError, match="colors"):
            Coloring(square, np.array(bad))
    mine = np.array([0, 1, 0, 1])
    coloring = Coloring(square, mine)
    mine[0] = 1
    assert coloring.is_proper
    with pytest.raises(ValueError, match="read-only"):
        coloring.colors[0] = 1


def test_saved_colorings_can_be_read(tmp_path):
    named = Graph.from_edges(3, [(0, 1)], name="g", names=["a b", 'c"d', "e,f"])
    coloring = Coloring(named, np.array([0, 1, 0]))
    coloring.save(tmp_path / "c.json")
    assert json.loads((tmp_path / "c.json").read_text())["colors"] == [0, 1, 0]
    coloring.save(tmp_path / "c.csv")
    assert (tmp_path / "c.csv").read_text().splitlines()[2] == '"c""d",1'
    coloring.save(tmp_path / "c.sol")
    assert (tmp_path / "c.sol").read_text().splitlines() == [
        "c g",
        "s col 2",
        "l 1 1",
        "l 2 2",
        "l 3 1",
    ]
    with pytest.raises(InputError, match=r"\.csv or \.sol"):
        coloring.save(tmp_path / "c.xml")


def test_a_solution_names_no_color_above_the_number_in_its_head(tmp_path):
    Coloring(family("path:3"), np.array([7, 1, 7])).save(tmp_path / "c.sol")
    _, head, *lines = (tmp_path / "c.sol").read_text().splitlines()
    assert (head, lines) == ("s col 8", ["l 1 8", "l 2 2", "l 3 8"])
    Coloring(Graph.from_edges(0, []), np.array([], int)).save(tmp_path / "none.sol")
    assert "s col 0" in (tmp_path / "none.sol").read_text()


def test_the_smallest_k_within_the_threshold_is_chosen_else_the_lowest_mono():
    curve = {1: 10, 2: 4, 3: 1, 4: 1, 5: 2}
    assert choose_k(curve, 10, 0.4) == (2, True)
    assert choose_k(curve, 10, 0.1) == (3, True)
    assert choose_k(curve, 10, 0.05) == (3, False)
    assert choose_k({1: 0}, 0, 0.0) == (1, True)
