import csv
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.errors import Doubt, FormatError
from concolor.graph.core import Graph
from concolor.graph.formats import read
from concolor.graph.formats.dimacs import parse, render
from concolor.graph.formats.scan import MAX_NODES

DATA = os.environ.get("CONCOLOR_DATA")
COLOR = Path(DATA or ".") / "color"


def slow_parse(text):
    """The twin: line by line, no cleverness."""
    n, edges = None, []
    for line in text.splitlines():
        match line.split():
            case ["p", _, nodes, _]:
                n = int(nodes)
            case ["e", u, v]:
                edges.append((int(u) - 1, int(v) - 1))
    return Graph.from_edges(n, edges)


@st.composite
def files(draw):
    n = draw(st.integers(1, 2000))
    node = st.integers(1, n)
    edge = st.builds(
        "{2}e{3}{0}{4}{1}{5}".format, node, node, *[st.sampled_from([" ", "\t", "  "])] * 4
    )
    other = st.sampled_from(["", " ", "c hello", "c e 1 2", "n 1 5", "x 3"])
    word = draw(st.sampled_from(["edge", "edges", "col"]))
    lines = [f"p {word} {n} {draw(st.integers(0, 99))}", *draw(st.lists(st.one_of(edge, other)))]
    return "\n".join(draw(st.permutations(lines))) + "\n"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:no edge at all:concolor.errors.Doubt")  # the p line lies
@given(files())
@settings(deadline=None)
def test_matches_the_slow_twin(text):
    fast, slow = parse(text.encode()), slow_parse(text)
    assert fast == slow
    assert (fast.loops, fast.duplicates) == (slow.loops, slow.duplicates)


@pytest.mark.slow
def test_a_file_of_many_blocks_matches_the_slow_twin():
    edges = np.random.default_rng(0).integers(1, 20_000, (60_000, 2)).tolist()
    lines = [f"e {u} {v}" for u, v in edges]
    lines[12_345] = "c between"
    text = "\n".join(["p edge 20000 5", *lines, ""])
    fast, slow = parse(text.encode()), slow_parse(text)
    np.testing.assert_array_equal(fast.edges, slow.edges)


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("e 1 2\n", None, "no line 'p edge"),
        ("c only\n", None, "no line 'p edge"),
        ("p edge 3 1\n\ne 1 4\n", 3, "node 4 is out of range: nodes are 1..3"),
        ("p edge 3 2\ne 1 2\ne 0 3\n", 3, "node 0 is out of range: nodes are 1..3"),
        ("p edge 3 1\ne 0 4\n", 2, "node 0 is out of range: nodes are 1..3"),
        ("p edge 0 1\ne 0 0\n", 2, "node 0 is out of range"),
        ("p edge 3 1\ne 1 2\ne -1 2\n", 3, "expected 'e NODE NODE', got 'e -1 2'"),
        ("p edge 3 1\ne 1 99999999999999999999\n", 2, "99999999999999999999"),
        ("p edge 3 1\ne 1 9999999999\n", 2, "node 9999999999 is out of range"),
        ("p edge 3 1\ne 1\ne 2 3 1\n", 2, "expected 'e NODE NODE', got 'e 1'"),
        ("p edge 3 1\ne 1 2 3\ne 1 2 3 4\n", 3, "expected 'e NODE NODE', got 'e 1 2 3 4'"),
        ("p edge 3 1\ne 1 2 3\ne 1 2 x\n", 3, "a weight must be a finite number, got 'x'"),
        ("p edge 3 1\ne 1 2 nan\n", 2, "finite number, got 'nan'"),
        ("p band 3 1\ne 1 4 2\n", 2, "node 4 is out of range: nodes are 1..3"),
        ("p edge 3 1\ne 1 NaN\n", 2, "'e 1 NaN'"),
        ("p edge 3 1\ne 1 2e0\n", 2, "'e 1 2e0'"),
        ("p edge 3 1\ne1 2\n", 2, "'e1 2'"),
        ("p edge 3 1\nq 1 2\n", 2, "expected a line c, p, e, f or n"),
        ("p edge -3 1\n", 1, "must be a whole number >= 0, got '-3'"),
        ("p edge 3 x\n", 1, "the number of edges must be"),
        ("p edge 999999999999 1\n", 1, f"the limit is 0..{MAX_NODES}"),
        ("p edge 99999999999999999999 1\n", 1, "99999999999999999999"),
        ("p cnf 3 1\n", 1, "expected 'p edge NODES EDGES', got 'p cnf 3 1'"),
        ("p edge 3\n", 1, "expected 'p edge NODES EDGES'"),
        ("p edge 3 1\np edge 3 1\n", 2, "a second p line"),
        ("p edge 9 3\ne 1 2\ne 2 3", 3, "truncated"),
        ("c name 4 x\np edge 3 0\n", 1, "a name for node 4"),
        ("p edge 3 0\nf 1\n", 2, "expected 'f NODE COLOR ...', got 'f 1'"),
        ("p edge 3 0\nf 1 2 0\n", 2, "color 0: lists count colors from 1"),
        ("p edge 3 0\nf 1 -2\n", 2, "a color must be a whole number >= 0, got '-2'"),
        ("p edge 3 0\nf 1 red\n", 2, "got 'red'"),
        ("p edge 3 0\nf 1 2\nf 4 1\n", 3, "node 4 is out of range: nodes are 1..3"),
        ("p edge 3 0\nf 0 1\n", 2, "node 0 is out of range: nodes are 1..3"),
        ("f 1 1\np edge 3 0\nf 1 2\n", 3, "a second list for node 1"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path, content, line, message):
    path = tmp_path / "bad.col"
    path.write_text(content)
    with pytest.raises(FormatError) as caught:
        read(path)
    assert message in str(caught.value)
    assert (caught.value.path, caught.value.line) == (path, line)


def test_counts_on_the_p_line_are_not_believed():
    for m in (0, 1, 2, 4, 10**12):
        assert parse(f"p col 3 {m}\ne 1 2\ne 2 1\ne 3 3\n".encode()).m == 1


def test_no_edges_and_no_nodes_are_fine():
    assert parse(b"p edge 4 0\n").n == 4
    assert parse(b"p edge 0 0\n").n == 0


def test_a_node_without_a_name_goes_by_its_number():
    assert parse(b"c name 2 Valjean\np edge 3 0\n").names == ("1", "Valjean", "3")


def doubts_of(content):
    found = []
    graph = parse(content, found.append)
    return graph, found


@pytest.mark.parametrize(
    ("demands", "ignored"), [(b"", "but distances are"), (b"n 1 3\n", "distances and demands are")]
)
def test_bandwidth_instances_are_plain_graphs_with_a_doubt(tmp_path, demands, ignored):
    path = tmp_path / "geom.col"
    path.write_bytes(b"c hi\np band 3 4\ne   1   1  10\ne  1  2  3\ne 2 3   1\n" + demands)
    with pytest.warns(Doubt, match=f"^{path}: 'p band' asks for a distance.*{ignored} ignored"):
        graph = read(path)
    assert graph == Graph.from_edges(3, [(0, 1), (1, 2)])
    assert (graph.loops, graph.duplicates, graph.first) == (1, 0, 1)


@pytest.mark.parametrize(
    "edges", [b"e 1 2 7\ne 2 3 7\n", b"e 1 2 .5\n\te 2 3 -1e3\n", b"e 1 2\ne 2 3 4\n"]
)
def test_weights_are_ignored_with_a_doubt(edges):
    for word in (b"edge", b"col"):
        with pytest.warns(Doubt, match="weights of edges are ignored"):
            graph = parse(b"p " + word + b" 3 2\n" + edges)
        assert graph == Graph.from_edges(3, [(0, 1), (1, 2)])


def test_nodes_may_be_counted_from_0_with_a_doubt(tmp_path):
    path = tmp_path / "zero.col"
    path.write_text("c name 2 last\np edge 3 2\ne 0 1\ne 2 1\nf 2 1 3\n")
    with pytest.warns(Doubt, match=f"^{path}: an edge names node 0 and none names node 3"):
        graph = read(path)
    assert graph.names == ("0", "1", "last") and graph.lists == {2: (0, 2)}
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    plain, doubts = doubts_of(b"p edge 4 1\ne 0 1\n")
    assert plain.node_names == ("0", "1", "2", "3") and len(doubts) == 1
    assert doubts_of(b"p edge 4 1\ne 1 2\n")[1] == []


def test_lists_are_the_colors_from_1_that_a_node_may_have():
    content = b"p edges 4 2\ne 1 2\ne 2 3\nf 3 2 1 2 \n f 1 4\n"
    graph, doubts = doubts_of(content)
    assert graph.lists == {0: (3,), 2: (0, 1)} and doubts == []
    assert render(graph) == b"p edge 4 2\nf 1 4\nf 3 1 2\ne 1 2\ne 2 3\n"
    assert parse(render(graph)) == graph


def test_a_file_of_ours_that_is_cut_within_its_lists_is_refused():
    graph = Graph.from_edges(3, [(0, 1)], lists={0: [10, 11], 2: [1]})
    content = render(graph)
    for size in range(content.index(b"f") + 1, len(content) - 1):
        if content[size - 1 : size] != b"\n":  # else the p line just counts wrongly
            with pytest.raises(FormatError):
                parse(content[:size])


def test_no_edge_where_some_are_declared_is_a_doubt():
    with pytest.warns(Doubt, match="no edge at all where 5 are declared; declare 0"):
        assert parse(b"p edge 4 5\ne 1 1\n").m == 0


@pytest.mark.skipif(DATA is None, reason="CONCOLOR_DATA is not set")
def test_the_color_instances_have_their_known_sizes():
    with open(COLOR / "known.csv") as file:
        known = {row["name"]: (int(row["n"]), int(row["m"])) for row in csv.DictReader(file)}
    found = {graph.name: (graph.n, graph.m) for graph in map(read, COLOR.glob("*.col"))}
    assert found and found == {name: known[name] for name in found}


@pytest.mark.skipif(DATA is None, reason="CONCOLOR_DATA is not set")
def test_the_loop_of_homer_is_removed_and_counted():
    graph = read(COLOR / "homer.col")
    assert (graph.m, graph.loops, graph.duplicates) == (1628, 2, 1628)
