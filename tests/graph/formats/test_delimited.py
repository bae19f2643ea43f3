import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.errors import FormatError
from concolor.graph.core import Graph
from concolor.graph.formats import delimited
from concolor.graph.formats.delimited import parse_csv, parse_edges


def edges_by_label(graph):
    return {frozenset((graph.node_names[u], graph.node_names[v])) for u, v in graph.edges.tolist()}


def test_whole_numbers_without_gaps_are_numbers():
    graph = parse_edges(b"# a comment\n2 0\n\n% another\n1 2\n3\n")
    assert graph == Graph.from_edges(4, [(2, 0), (1, 2)])


def test_other_whole_numbers_are_names_sorted_by_value():
    graph = parse_edges(b"30 7\n7 100\n")
    assert graph.names == ("7", "30", "100")
    assert edges_by_label(graph) == {frozenset(("30", "7")), frozenset(("7", "100"))}


def test_other_names_come_in_order_of_appearance():
    assert parse_edges(b'b "a a"\n"say ""hi""" b\n').names == ("b", "a a", 'say "hi"')
    assert parse_edges(b"007 8\n").names == ("007", "8")
    assert parse_edges(b"99999999999999999999 8\n").names == ("99999999999999999999", "8")


@pytest.mark.parametrize("separator", [",", ";", "\t", " , ", ";  "])
def test_csv_takes_three_separators(separator):
    rows = [["0", "1"], ["2", "1"]]
    text = "\n".join(separator.join(row) for row in rows)
    assert parse_csv(text.encode()) == Graph.from_edges(3, [(0, 1), (2, 1)])


@pytest.mark.parametrize(
    "content", [b"0,1\n1,2\n", b"0;1\n1;2", b"0\t1\n1 2\n", b"  0   1 \n1 \t 2\n"]
)
def test_an_edge_list_may_use_any_separator(content):
    assert parse_edges(content) == Graph.from_edges(3, [(0, 1), (1, 2)])


@pytest.mark.parametrize(
    "header", ["source,target", "Source,Target,Weight", '"from","to"', "u,v", "a_1,a_2,w"]
)
def test_a_header_is_skipped(header):
    weight = ",1.5" if header.count(",") == 2 else ""
    text = f"{header}\n0,1{weight}\n1,2{weight}\n"
    assert parse_csv(text.encode()) == Graph.from_edges(3, [(0, 1), (1, 2)])


def test_names_alone_are_not_a_header():
    assert parse_csv(b"alice,bob\nbob,carol\n").names == ("alice", "bob", "carol")
    assert parse_csv(b"alice,bob\n").names == ("alice", "bob")
    assert parse_csv(b"source,target\nalice,bob\n").names == ("alice", "bob")


def test_finite_weights_are_forgotten():
    for rows in (b"0 1 2.5\n1 2 -1e3\n", b"0 1 .5\n1 2\n", b"0,1,2\n1,2,3\n"):
        assert parse_edges(rows) == Graph.from_edges(3, [(0, 1), (1, 2)])


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"0 1 nan\n", 1, "a weight must be a finite number, got 'nan'"),
        (b"alice bob nan\nbob carol 1\n", 1, "finite"),
        (b"0 1 1\n1 2 1e999\n", 2, "finite number, got '1e999'"),
        (b"0 1 1\n1 2 x\n", 2, "finite number, got 'x'"),
        (b"0 1\n1 -2\n", 2, "node -2 is negative"),
        (b"0 1 2 3\n", 1, "expected 'u', 'u v' or 'u v weight'"),
        (b'0 1\n"a 1\n', 2, "quotes that do not close"),
        (b"0,1\n,1\n", 2, "expected 'u'"),
        (b"0,1\n1,,2\n", 2, "expected 'u'"),
        (b"a b\n\xff\xfe c\n", 2, "not UTF-8"),
        (b"a b\nb\x00 c\n", 2, "control character"),
        (b"# nothing\n", None, "neither an edge nor a node"),
        (b"# concolor: 3 nodes, 2 edges, numbered\n0 1\n2\n", None, "promises 3 nodes and 2 edges"),
    ],
)
def test_mistakes_are_named_with_their_line(content, line, message):
    with pytest.raises(FormatError) as caught:
        parse_edges(content)
    assert message in str(caught.value)
    assert caught.value.line == line


cells = st.sampled_from(
    ["0", "1", "2", "3", "03", "12", "a", "", " ", '"0"', "1.5", "123456789", "-1"]
)
rows = st.lists(st.lists(cells, min_size=1, max_size=3), min_size=1, max_size=5)


@pytest.mark.slow
@given(rows, st.sampled_from([",", ";", " ", "\t"]))
@settings(deadline=None)
def test_the_fast_way_agrees_with_the_slow_way(rows, separator):
    data = "".join(separator.join(row) + "\n" for row in rows).encode()
    body = data.replace(b"\n\n", b"\n").lstrip(b"\n")
    fast = delimited._numbers(body, separator) if body else None
    if fast is not None:
        assert delimited._from_numbers(*fast) == delimited._from_text(body, separator, False)
