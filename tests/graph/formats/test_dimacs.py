import csv
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.errors import FormatError
from concolor.graph.core import Graph
from concolor.graph.formats import read
from concolor.graph.formats.dimacs import parse
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
        ("p edge 3 1\ne 0 1\n", 2, "node 0 is out of range"),
        ("p edge 3 1\ne 1 2\ne -1 2\n", 3, "expected 'e NODE NODE', got 'e -1 2'"),
        ("p edge 3 1\ne 1 99999999999999999999\n", 2, "99999999999999999999"),
        ("p edge 3 1\ne 1 9999999999\n", 2, "node 9999999999 is out of range"),
        ("p edge 3 1\ne 1\ne 2 3 1\n", 2, "expected 'e NODE NODE', got 'e 1'"),
        ("p edge 3 1\ne 1 2 3\n", 2, "expected 'e NODE NODE'"),
        ("p edge 3 1\ne 1 NaN\n", 2, "'e 1 NaN'"),
        ("p edge 3 1\ne 1 2e0\n", 2, "'e 1 2e0'"),
        ("p edge 3 1\ne1 2\n", 2, "'e1 2'"),
        ("p edge 3 1\nq 1 2\n", 2, "expected a line c, p, e or n"),
        ("p edge -3 1\n", 1, "must be a whole number >= 0, got '-3'"),
        ("p edge 3 x\n", 1, "the number of edges must be"),
        ("p edge 999999999999 1\n", 1, f"the limit is 0..{MAX_NODES}"),
        ("p edge 99999999999999999999 1\n", 1, "99999999999999999999"),
        ("p cnf 3 1\n", 1, "expected 'p edge NODES EDGES', got 'p cnf 3 1'"),
        ("p edge 3\n", 1, "expected 'p edge NODES EDGES'"),
        ("p edge 3 1\np edge 3 1\n", 2, "a second p line"),
        ("p edge 9 3\ne 1 2\ne 2 3", 3, "truncated"),
        ("c name 4 x\np edge 3 0\n", 1, "a name for node 4"),
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
