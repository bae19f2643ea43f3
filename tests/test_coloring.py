import json
import operator

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from concolor import coloring
from concolor.coloring import Coloring, count_conflicts
from concolor.errors import FormatError, InputError
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


@pytest.mark.parametrize("shift", [0, 10**12])
def test_a_compiled_loop_counts_the_same(monkeypatch, shift):
    graph = family("er:60x0.3")
    colors = np.arange(graph.n) % 5 + shift
    few = count_conflicts(graph, colors)
    monkeypatch.setattr(coloring, "MANY", 0)
    assert count_conflicts(graph, colors) == few > 0


@pytest.mark.slow
@given(colorings())
def test_counts_match_a_loop_over_the_edges(coloring):
    colors = coloring.colors.tolist()
    bad = [(u, v) for u, v in coloring.graph.edges.tolist() if colors[u] == colors[v]]
    assert coloring.conflicting_edges.tolist() == [list(edge) for edge in bad]
    assert coloring.conflicts == len(bad)
    assert coloring.mono == (len(bad) / coloring.graph.m if coloring.graph.m else 0)
    assert coloring.is_proper == (not bad)
    assert coloring.k == len(set(colors))


@pytest.mark.slow
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


def test_a_graph_name_of_two_lines_does_not_break_the_solution(tmp_path):
    coloring = Coloring(family("path:3").but(name="two\nlines"), np.array([0, 1, 0]))
    coloring.save(tmp_path / "c.sol")
    assert Coloring.load(coloring.graph, tmp_path / "c.sol") == coloring


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["json", "csv", "sol"])
@given(
    coloring=colorings(), names=st.lists(st.text(min_size=1), min_size=9, max_size=9, unique=True)
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_what_is_saved_is_loaded_or_its_names_are_refused(suffix, coloring, names, tmp_path):
    path = tmp_path / f"c.{suffix}"
    for given_names in (None, names[: coloring.graph.n]):
        saved = Coloring(coloring.graph.but(names=given_names), coloring.colors)
        try:
            saved.save(path)
        except InputError as problem:
            assert suffix == "csv" and "control characters" in str(problem)
        else:
            assert Coloring.load(saved.graph, path) == saved


def test_a_table_of_colors_needs_names_with_different_texts(tmp_path):
    coloring = Coloring(Graph.from_edges(2, [(0, 1)], names=[1, "1"]), np.array([0, 1]))
    for act in (coloring.save, lambda path: Coloring.load(coloring.graph, path)):
        with pytest.raises(InputError, match="1 and '1' are the same text"):
            act(tmp_path / "c.csv")
    coloring.save(tmp_path / "c.sol")  # by number
    assert Coloring.load(coloring.graph, tmp_path / "c.sol") == coloring


def test_lines_of_colors_come_in_any_order(tmp_path):
    graph, saved = family("path:3"), tmp_path / "c.sol"
    saved.write_text("c by hand\n\ns col 3\nl 3 1\nl 1 2\nl 2 9\n")
    assert Coloring.load(graph, saved).colors.tolist() == [1, 8, 0]
    saved = tmp_path / "c.csv"
    saved.write_bytes(b"node,color\r\n2,0\r\n0,1\r\n1,8\r\n")
    assert Coloring.load(graph, saved).colors.tolist() == [1, 8, 0]


@pytest.mark.parametrize(
    ("name", "content", "line", "message"),
    [
        ("a.json", '{"colors": [0, 1, 0.5]}', None, "whole numbers >= 0, got 0.5"),
        ("a.json", '{"colors": [0, 1, true]}', None, "got true"),
        ("a.json", '{"colors": [0, 1, -1]}', None, "got -1"),
        ("a.json", '{"colors": [0, 1]}', None, r"\(2,\) colors for the 3 nodes"),
        ("a.json", "{}", None, 'expected an object with a "colors" list'),
        ("a.json", "[0, 1, 0]", None, "unexpected JSON list"),
        ("a.csv", "0,0\n1,1\n2,0\n", 1, "expected the first line node,color"),
        ("a.csv", "node,color\n0,0\n7,1\n", 3, "a node that has no color yet .* got '7 1'"),
        ("a.csv", "node,color\n0,0\n0,0\n", 3, "has no color yet .* got '0 0'"),
        ("a.csv", "node,color\n0,red\n", 2, "got '0 red'"),
        ("a.csv", "node,color\n1,0\n", None, "no color for node 0 and 1 others"),
        ("a.sol", "s col 2\nl 1 0\n", 2, "its color >= 1, got '1 0'"),
        ("a.sol", "p edge 3 2\n", 1, "got 'p edge 3 2'"),
        ("a.sol", "l 1 1\nl 2 2\n", None, "no color for node 3 and 0 others"),
    ],
)
def test_files_that_do_not_color_the_graph_are_refused(name, content, line, message, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(FormatError, match=message) as caught:
        Coloring.load(family("path:3"), tmp_path / name)
    assert (caught.value.path, caught.value.line) == (tmp_path / name, line)


def test_colors_by_node():
    edge = Graph.from_edges(2, [(0, 1)])
    assert Coloring(edge, np.array([3, 1])).by_node() == {0: 3, 1: 1}
    colors = Coloring(edge.but(names=[(0, 1), "a"]), np.array([3, 1])).by_node()
    assert colors == {(0, 1): 3, "a": 1}
    assert {type(color) for color in colors.values()} == {int}
    assert Coloring(edge.but(first=1), np.array([3, 1])).by_node() == {0: 3, 1: 1}


@pytest.mark.slow
@given(colorings(), colorings())
def test_colorings_are_equal_where_graphs_and_colors_are(one, other):
    copy = Coloring(Graph.from_edges(one.graph.n, one.graph.edges), one.colors.astype(np.int8))
    assert copy == one and hash(copy) == hash(one)
    same = one.graph == other.graph and one.colors.tolist() == other.colors.tolist()
    assert (one == other) == same
    named = one.graph.but(names=[f"v{v}" for v in range(one.graph.n)])
    assert Coloring(named, one.colors) != one
    assert Coloring(one.graph, one.colors + 1) != one
    assert operator.ne(one, one.colors.tolist())


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
