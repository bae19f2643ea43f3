import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.errors import Doubt, FormatError
from concolor.graph.core import Graph
from concolor.graph.formats.metis import parse, render

TRIANGLE_AND_ONE = Graph.from_edges(4, [(0, 1), (0, 2), (1, 2)])


def test_the_manual_way_of_writing():
    assert render(TRIANGLE_AND_ONE) == b"4 3\n2 3\n1 3\n1 2\n\n"
    assert parse(b"% hi\n4 3\n2 3\n% in between\n1 3\n1 2\n\n") == TRIANGLE_AND_ONE


@given(st.integers(0, 1), st.integers(0, 1), st.integers(0, 1), st.integers(1, 3))
@settings(deadline=None)
def test_weights_are_skipped(sizes, weights, edge_weights, constraints):
    skip, lines = sizes + weights * constraints, []
    for v in range(TRIANGLE_AND_ONE.n):
        pairs = [[u + 1] + [77] * edge_weights for u in TRIANGLE_AND_ONE.neighbors(v)]
        numbers = [[55] * skip, *pairs]
        lines.append(" ".join(str(x) for part in numbers for x in part))
    text = "\n".join([f"4 3 {sizes}{weights}{edge_weights} {constraints}", *lines, ""])
    assert parse(text.encode()) == TRIANGLE_AND_ONE


def test_weights_of_edges_that_differ_are_ignored_with_a_doubt():
    content = b"4 3 011\n9 2 5 3 5\n8 1 5 3 %d\n7 1 5 2 5\n6\n"
    assert parse(content % 5) == TRIANGLE_AND_ONE
    with pytest.warns(Doubt, match="weights of edges are ignored"):
        assert parse(content % 6) == TRIANGLE_AND_ONE


def test_loops_alone_are_a_doubt_and_no_edges_are_not():
    assert parse(b"2 0\n\n\n").n == 2
    with pytest.warns(Doubt, match="no edge at all"):
        assert parse(b"2 1\n1\n2\n").loops == 2


def test_only_a_repeated_neighbor_is_a_copy():
    assert parse(render(TRIANGLE_AND_ONE)).duplicates == 0
    graph = parse(b"3 3\n2 2 3\n1 1\n1\n")
    assert (graph.edges.tolist(), graph.duplicates) == ([[0, 1], [0, 2]], 2)


@pytest.mark.slow
def test_a_large_file():
    ends = np.random.default_rng(0).integers(0, 20_000, (80_000, 2))
    graph = Graph.from_edges(20_000, ends)
    assert parse(render(graph)) == graph


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"3\n", 1, "expected 'NODES EDGES"),
        (b"2 1 7\n2\n1\n", 1, "expected 'NODES EDGES"),
        (b"x 1\n", 1, "must be a whole number >= 0, got 'x'"),
        (b"99999999999 1\n", 1, "the limit is"),
        (b"2 1\n2\n", 1, "a line for each of 2 nodes"),
        (b"2 1\n2\n1\n1\n", 1, "a line for each of 2 nodes"),
        (b"2 1\n2\n3\n", 3, "node 3 is out of range"),
        (b"2 1\n2\n0\n", 3, "node 0 is out of range"),
        (b"2 1\n2\n1.5\n", 3, "got '1.5'"),
        (b"2 2\n2\n1\n", 1, "2 edges need 4 neighbors, found 2"),
        (b"2 1 1\n2 5\n1\n", 3, "2 numbers a neighbor"),
        (b"2 1 10\n5 2\n\n", 3, "1 weights"),
    ],
)
def test_mistakes_are_named_with_their_line(content, line, message):
    with pytest.raises(FormatError) as caught:
        parse(content)
    assert message in str(caught.value)
    assert caught.value.line == line
