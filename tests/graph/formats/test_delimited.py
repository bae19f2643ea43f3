import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.errors import Doubt, FormatError
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
    for rows in (b"0 1 2.5\n1 2 2.50\n", b"0 1 .5\n1 2\n", b"0,1,2\n1,2,2\n"):
        assert parse_edges(rows) == Graph.from_edges(3, [(0, 1), (1, 2)])


@pytest.mark.parametrize(
    "content",
    [b"0 1 2.5\n1 2 -1e3\n", b"0,1,2\n1,2,3\n", b"0 1 .5\n1 2 1\n2\n", b"a b 1\nb c 2\n"],
)
def test_weights_that_differ_are_forgotten_with_a_doubt(content):
    with pytest.warns(Doubt, match="weights of edges are ignored") as caught:
        graph = parse_edges(content)
    assert (graph.n, graph.m, len(caught)) == (3, 2, 1)


COURSES = b"ann,math\nbob,math\nann,art\ncid,art\n"


@pytest.mark.parametrize(
    ("parse", "header"),
    [
        (parse_csv, b"student,course"),
        (parse_csv, b'"Student","Course title"'),
        (parse_edges, b"student,course"),
    ],
)
def test_words_that_never_come_again_are_a_header_with_a_doubt(parse, header):
    with pytest.warns(Doubt, match="tudent' and .* taken for a header.*write 'source,target' abo"):
        graph = parse(header + b"\n" + COURSES)
    assert graph.names == ("ann", "math", "bob", "art", "cid") and graph.m == 4
    kept = parse(b"source,target\n" + header + b"\n" + COURSES)
    assert (kept.n, kept.m) == (7, 5)


def test_a_guessed_header_has_the_separator_of_its_file():
    with pytest.warns(Doubt) as caught:
        assert parse_csv(b"student course\n" + COURSES.replace(b",", b" ")).m == 4
    assert "blanks" in str(caught[0].message)
    assert "'source target' above it" in str(caught[1].message)
    kept = b"source target\nstudent course\n" + COURSES.replace(b",", b" ")
    with pytest.warns(Doubt, match="blanks"):
        assert parse_csv(kept).m == 5


@pytest.mark.parametrize(
    ("parse", "content", "m"),
    [
        (parse_csv, b"ann,math\n" + COURSES, 4),  # both come again
        (parse_csv, b"dan,math\n" + COURSES, 5),  # one comes again
        (parse_csv, b"student,course\nann,math\nbob,math\n", 3),  # too few lines to tell
        (parse_csv, b"a,b\nc,d\ne,f\ng,h\ni,j\n", 5),  # all lines are like this
        (parse_csv, b"a1,b1\nc,d\ne,f\nx,y\ny,z\n", 5),  # half of them are
        (parse_edges, b"dan eve\n" + COURSES.replace(b",", b" "), 5),  # not a table
    ],
)
def test_an_edge_is_not_taken_for_a_header_without_evidence(parse, content, m):
    assert parse(content).m == m


@pytest.mark.parametrize(
    "content",
    [b"0 1\n1 2\n", b"  0   1 \n\n1 2  \n", b"# hi\n0 1 5\n1 2 5\n", b"u v w\n0 1 2\n1 2 2\n"],
)
def test_a_csv_without_separators_has_blanks_with_a_doubt(content):
    with pytest.warns(Doubt, match="no tab, ';' or ',' in it, so blanks") as caught:
        assert parse_csv(content) == Graph.from_edges(3, [(0, 1), (1, 2)])
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (b"new york\nboston\n", ("new york", "boston")),
        (b'"new york"\n"los angeles"\n', ("new york", "los angeles")),
        (b"san juan bay\nnew york city\n", ("san juan bay", "new york city")),
        (b"a b c d\n", ("a b c d",)),
        (b"a\nb\n", ("a", "b")),
    ],
)
def test_a_csv_of_single_nodes_stays_one_with_a_doubt(content, names):
    with pytest.warns(
        Doubt, match=r"no edge at all, only single nodes .*is the separator right"
    ) as caught:
        graph = parse_csv(content)
    assert graph.names == names and graph.m == 0
    line = re.search("'(# concolor: .*)'", str(caught[0].message))[1]
    assert parse_csv(line.encode() + b"\n" + content) == graph  # and no doubt any more
    assert parse_csv(b"source,target\n" + content + b"x,y\n").m == 1


def test_single_nodes_alone_are_a_doubt_in_an_edge_list():
    with pytest.warns(Doubt, match="no edge at all.*'# concolor: 2 nodes, 0 edges, numbered'"):
        assert parse_edges(b"0\n1\n").n == 2
    assert parse_edges(b"# concolor: 2 nodes, 0 edges, numbered\n0\n1\n").n == 2


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
    doubts, slow_doubts = [], []
    fast = delimited.numbers_of(body, separator) if body else None
    if fast is not None:
        slow = delimited._from_text(body, separator, False, slow_doubts.append, None)
        assert delimited._from_numbers(*fast, doubts.append, None) == slow
        assert doubts == slow_doubts
