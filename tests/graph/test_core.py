import pickle
from dataclasses import dataclass
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from concolor.errors import InputError
from concolor.graph import core
from concolor.graph.core import Graph


@st.composite
def raw_edges(draw):
    """A node count and edges as a careless user has them: loops, copies, both directions."""
    n = draw(st.integers(1, 12))
    node = st.integers(0, n - 1)
    return n, draw(st.lists(st.tuples(node, node), max_size=30))


@pytest.mark.slow
@given(raw_edges())
def test_is_the_simple_graph_of_the_given_edges(raw):
    n, edges = raw
    graph = Graph.from_edges(n, edges)
    simple = {(min(e), max(e)) for e in edges if e[0] != e[1]}

    assert [tuple(edge) for edge in graph.edges.tolist()] == sorted(simple)
    assert (graph.n, graph.m) == (n, len(simple))
    assert graph.loops == sum(u == v for u, v in edges)
    assert graph.duplicates == len(edges) - graph.loops - len(simple)


@pytest.mark.slow
@given(raw_edges())
def test_the_reverse_of_an_arc_is_not_a_copy(raw):
    n, pairs = raw
    graph = Graph.from_edges(n, pairs, arcs=True)
    assert graph == Graph.from_edges(n, pairs)
    assert graph.loops == sum(u == v for u, v in pairs)
    assert graph.duplicates == len(pairs) - graph.loops - len({(u, v) for u, v in pairs if u != v})


@pytest.mark.slow
@given(raw_edges(), st.booleans())
def test_small_and_large_graphs_are_made_alike(raw, arcs):
    n, edges = raw
    u, v = np.array(edges, np.int64).reshape(-1, 2).T
    square, sparse = (make(n, u, v, arcs) for make in (core._from_square, core._from_sparse))
    for one, other in zip(square, sparse, strict=True):
        np.testing.assert_array_equal(one, other, strict=True)


@pytest.mark.slow
@given(raw_edges())
def test_all_views_agree_with_networkx(raw):
    n, edges = raw
    graph = Graph.from_edges(n, edges)
    twin = nx.Graph([edge for edge in edges if edge[0] != edge[1]])
    twin.add_nodes_from(range(n))

    assert graph.degrees.tolist() == [twin.degree[v] for v in range(n)]
    assert graph.density == pytest.approx(nx.density(twin))
    assert [graph.neighbors(v).tolist() for v in range(n)] == [sorted(twin[v]) for v in range(n)]
    assert (graph.adjacency().todense() == nx.to_numpy_array(twin, nodelist=range(n))).all()
    directed = {(u, v) for u, v in twin.edges} | {(v, u) for u, v in twin.edges}
    assert [tuple(pair) for pair in graph.edge_index.T.tolist()] == sorted(directed)


@pytest.mark.slow
@given(raw_edges(), st.randoms(use_true_random=False))
def test_order_and_direction_of_the_edges_do_not_matter(raw, shuffle):
    n, edges = raw
    other = [edge[::-1] for edge in edges]
    shuffle.shuffle(other)

    one, two = Graph.from_edges(n, edges), Graph.from_edges(n, other)
    assert one == two
    assert (one.digest, hash(one)) == (two.digest, hash(two))


@pytest.mark.slow
@given(raw_edges(), st.randoms(use_true_random=False))
def test_subgraph_is_the_induced_one_in_the_given_order(raw, shuffle):
    n, edges = raw
    graph = Graph.from_edges(n, edges, names=[f"v{i}" for i in range(n)], x=np.eye(n))
    nodes = shuffle.sample(range(n), shuffle.randint(0, n))
    part = graph.subgraph(nodes)
    twin = nx.Graph(graph.edges.tolist()).subgraph(nodes)

    place = {node: i for i, node in enumerate(nodes)}
    expected = sorted(tuple(sorted((place[u], place[v]))) for u, v in twin.edges)
    assert [tuple(edge) for edge in part.edges.tolist()] == expected
    assert part.node_names == tuple(f"v{node}" for node in nodes)
    assert (part.x == np.eye(n)[nodes]).all()


@pytest.mark.slow
@given(raw_edges(), st.randoms(use_true_random=False))
def test_relabeling_forth_and_back_gives_the_graph_again(raw, shuffle):
    n, edges = raw
    graph = Graph.from_edges(n, edges)
    order = np.array(shuffle.sample(range(n), n))
    moved = graph.subgraph(order)

    assert moved.subgraph(np.argsort(order)) == graph
    assert (moved.degrees == graph.degrees[order]).all()


def test_isolated_nodes_stay_and_the_empty_graph_is_a_graph():
    assert Graph.from_edges(3, []).degrees.tolist() == [0, 0, 0]
    empty = Graph.from_edges(0, [])
    assert (empty.n, empty.m, empty.density, empty.edges.shape) == (0, 0, 0.0, (0, 2))
    assert empty.edge_index.shape == (2, 0)
    assert empty.adjacency().shape == (0, 0)
    assert empty != Graph.from_edges(1, [])


@pytest.mark.parametrize("n", [-1, 2.0, "3", True, None])
def test_refuses_node_counts_that_are_not_whole(n):
    with pytest.raises(InputError, match="number of nodes"):
        Graph.from_edges(n, [])


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(0, 3)], "node 3 is out of range: nodes are 0..2"),
        ([(-1, 0)], "node -1 is out of range"),
        ([(0.0, 1.0)], "whole numbers of shape"),
        ([(0, 1, 2)], "whole numbers of shape"),
        ([0, 1], "whole numbers of shape"),
        ([("0", "1")], "whole numbers of shape"),
    ],
)
def test_refuses_what_cannot_be_edges(edges, message):
    with pytest.raises(InputError, match=message):
        Graph.from_edges(3, edges)


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"names": ["a"]}, "1 node names for 2 nodes"),
        ({"names": ["a", "a"]}, "'a' is there twice"),
        ({"names": [1, 1.0]}, "1 is there twice"),
        ({"names": [(0, []), (1, [])]}, "must be hashable: unhashable type: 'list'; give tuples"),
        ({"x": np.ones((3, 1))}, r"shape \[n=2, f\]"),
        ({"x": np.ones(2)}, r"shape \[n=2, f\]"),
        ({"x": [[1.0], [np.nan]]}, "finite"),
        ({"x": sp.csr_array([[1.0], [np.inf]])}, "finite"),
    ],
)
def test_refuses_names_and_features_that_do_not_fit(extra, message):
    with pytest.raises(InputError, match=message):
        Graph.from_edges(2, [(0, 1)], **extra)


def test_features_are_float32_and_stay_sparse_where_they_came_sparse():
    dense = Graph.from_edges(2, [(0, 1)], x=[[1], [2]])
    assert (dense.x.dtype, dense.x.tolist()) == (np.float32, [[1.0], [2.0]])

    thin = dense.but(x=sp.csr_array(np.eye(2)))
    assert sp.issparse(thin.x)
    assert thin.x.dtype == np.float32
    assert sp.issparse(thin.subgraph([1]).x)
    with pytest.raises(InputError):
        dense.but(x=np.ones((3, 1)))


def test_arrays_cannot_be_written_and_are_not_the_callers():
    features = np.ones((3, 2), np.float32)
    graph = Graph.from_edges(3, [(0, 1)], x=features)
    features[:] = 7
    assert (graph.x == 1).all()
    arrays = ("indptr", "indices", "degrees", "edge_index", "edges", "x")
    for array in (getattr(graph, name) for name in arrays):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    matrix = graph.adjacency()
    matrix.data[:] = 0  # a copy, the graph does not notice
    assert graph.adjacency().sum() == 2


def test_equality_asks_for_edges_and_node_names_only():
    graph = Graph.from_edges(3, [(0, 1)], name="one", x=np.eye(3), chi=2)
    assert graph == Graph.from_edges(3, [(1, 0)], name="two")
    assert graph != Graph.from_edges(4, [(0, 1)])
    assert graph != Graph.from_edges(3, [(0, 2)])
    assert graph != Graph.from_edges(3, [(0, 1)], names=["a", "b", "c"])
    assert graph != "graph"


LISTED = Graph.from_edges(4, [(0, 1), (1, 2)], lists={2: [5, 0, 5], 0: (3,), 3: range(2)})


def test_lists_are_ascending_by_node_and_color():
    assert list(LISTED.lists.items()) == [(0, (3,)), (2, (0, 5)), (3, (0, 1))]
    assert Graph.from_edges(2, [], lists={}).lists is None
    given = {np.int64(1): np.array([2, 1])}
    assert Graph.from_edges(2, [], lists=given).lists == {1: (1, 2)}
    given[0] = [0]  # not ours any more


def test_lists_stay_with_the_graph():
    assert (
        LISTED.but(name="other").lists == pickle.loads(pickle.dumps(LISTED)).lists == LISTED.lists
    )
    assert LISTED.but(lists=None).lists is None
    assert LISTED.but(lists={1: [7]}).lists == {1: (7,)}
    assert LISTED.subgraph([3, 1, 0]).lists == {0: (0, 1), 2: (3,)}
    assert LISTED.subgraph([1]).lists is None


def test_lists_are_part_of_the_problem_and_not_of_the_structure():
    bare = LISTED.but(lists=None)
    assert bare != LISTED and LISTED.but(lists={0: [3]}) != LISTED
    assert bare.but(lists=LISTED.lists) == LISTED
    assert hash(LISTED) == hash(bare.but(lists=LISTED.lists))
    assert LISTED.digest == bare.digest
    assert repr(LISTED) == "Graph('graph', n=4, m=2, lists=3)"


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ({4: [0]}, r"node 4 is out of range, nodes are 0\.\.3"),
        ({-1: [0]}, "node -1"),
        ({1: []}, "node 1 has no color"),
        ({1: [2, -3]}, "node 1 has color -3"),
        ({1: [0.5]}, r"whole numbers, got 1: \[0.5\]"),
        ({1: 2}, "whole numbers, got 1: 2"),
        ({"a": [2]}, "a node number and its colors"),
    ],
)
def test_lists_that_make_no_sense_are_refused(lists, message):
    for make in (LISTED.but, lambda lists: Graph.from_edges(4, [], lists=lists)):
        with pytest.raises(InputError, match=message):
            make(lists=lists)


@pytest.mark.parametrize("nodes", [[-1], [0, 4]])
def test_subgraph_refuses_nodes_that_are_not_there(nodes):
    with pytest.raises(InputError, match=r"is not in 0\.\.3"):
        Graph.from_edges(4, [(0, 1)]).subgraph(nodes)


def test_sparse_features_are_our_own():
    given = sp.csr_array(np.eye(2, dtype=np.float32))
    graph = Graph.from_edges(2, [(0, 1)], x=given)
    given.data[:] = 7
    assert graph.x.data.tolist() == [1, 1]
    with pytest.raises(ValueError, match="read-only"):
        graph.x.data[0] = 2


def test_subgraph_refuses_repeated_nodes():
    with pytest.raises(InputError, match="distinct"):
        Graph.from_edges(3, [(0, 1)]).subgraph([0, 0])


def test_labels_are_names_or_numbers():
    assert Graph.from_edges(2, []).node_names == ("0", "1")
    assert Graph.from_edges(2, [], names=["a", "b"]).node_names == ("a", "b")


def test_labels_count_as_the_source_does_and_whole_numbers_from_0():
    graph = Graph.from_edges(3, [(0, 1), (1, 2)], first=1)
    assert graph.node_names == ("1", "2", "3")
    assert [graph.node(label) for label in graph.node_names] == [graph.node(v) for v in range(3)]
    assert (
        graph.but(name="other").node_names
        == graph.subgraph([2, 0, 1]).node_names
        == graph.node_names
    )


def test_where_counting_begins_does_not_belong_to_the_graph():
    one, zero = (Graph.from_edges(3, [(0, 1)], first=first) for first in (1, 0))
    assert one == zero
    assert (hash(one), one.digest) == (hash(zero), zero.digest)


@pytest.mark.parametrize("names", [["0", "1", "2"], ["2", "3", "1"]])
def test_names_win_over_numbers(names):
    assert Graph.from_edges(3, [], names=names, first=1).node_names == tuple(names)


@pytest.mark.slow
@given(
    st.integers(0, 12),
    st.integers(0, 2),
    st.integers(-3, 15).map(str) | st.text("0123 _+٣", max_size=3),
)
def test_text_is_a_node_just_where_it_is_a_label(n, first, text):
    graph = Graph.from_edges(n, [], first=first)
    if text in graph.node_names:
        assert graph.node(text) == graph.node_names.index(text)
    else:
        with pytest.raises(InputError, match="has no node named"):
            graph.node(text)


def test_nodes_of_a_large_numbered_graph_are_found_without_writing_all_numbers(monkeypatch):
    graph = Graph.from_edges(10**6, [], first=1)
    monkeypatch.setattr(
        Graph, "node_names", property(lambda self: pytest.fail("a million strings"))
    )
    assert graph.node("1000000") == 10**6 - 1
    for wrong in ("0", "1000001", "9" * 5000):
        with pytest.raises(InputError, match=r"its nodes are numbered, 1\.\.1000000$"):
            graph.node(wrong)


def test_names_that_are_just_the_numbers_are_dropped():
    for plain in ([0, 1], range(2), np.arange(2)):
        assert Graph.from_edges(2, [(0, 1)], names=plain).names is None
    for names in (["0", "1"], [1, 0], [1, 2], [False, True], [0.0, 1.0]):
        found = Graph.from_edges(2, [(0, 1)], names=names).names
        assert found == tuple(names) and list(map(type, found)) == list(map(type, names))


def test_names_from_an_array_are_plain_objects():
    names = Graph.from_edges(2, [(0, 1)], names=np.array([7, 5])).names
    assert names == (7, 5) and {type(name) for name in names} == {int}


@pytest.mark.slow
@given(
    st.integers(0, 6),
    st.lists(st.integers(-1, 7) | st.text("01", max_size=1) | st.tuples(st.integers(0, 1))),
)
def test_a_name_is_its_node_before_anything_else(given, names):
    """The twin tries the three ways of the docstring one after the other."""
    names = list(dict.fromkeys(names))
    graph = Graph.from_edges(len(names), [], names=names)
    numbered = names == list(range(len(names)))
    for asked in (given, str(given), (given,), f"({given},)"):
        texts = [place for place, name in enumerate(names) if str(name) == asked]
        if asked in names:
            expected = names.index(asked)
        elif isinstance(asked, str) and len(texts) == 1:
            (expected,) = texts
        elif isinstance(asked, int) and not any(isinstance(name, int) for name in names):
            expected = asked if asked < len(names) else None
        else:
            expected = None
        assert numbered == (graph.names is None)
        if expected is not None:
            assert graph.node(asked) == expected
        else:
            with pytest.raises(InputError):
                graph.node(asked)


def test_numbers_among_the_names_are_never_places():
    graph = Graph.from_edges(3, [], name="g", names=[2, "art", 7])
    assert [graph.node(2), graph.node(np.int64(7)), graph.node("7")] == [0, 2, 2]
    for wrong in (0, 1):
        with pytest.raises(InputError, match=f"g has no node {wrong}: .* never a place"):
            graph.node(wrong)


def test_a_text_that_two_names_share_is_refused():
    graph = Graph.from_edges(3, [], name="g", names=[(1,), Fraction(1, 2), Word("1/2")])
    assert graph.node("(1,)") == 0
    with pytest.raises(
        InputError, match=r"several nodes that read '1/2', such as Fraction\(1, 2\)"
    ):
        graph.node("1/2")
    assert Graph.from_edges(2, [], names=[1, "1"]).node("1") == 1


@dataclass(frozen=True)
class Word:
    """A node of the user's own kind."""

    text: str

    def __str__(self):
        return self.text


def test_own_objects_are_names_and_their_text_is_shown():
    graph = Graph.from_edges(2, [(0, 1)], names=[Word("a"), frozenset({1})])
    assert graph.node_names == ("a", "frozenset({1})")
    assert [graph.node(Word("a")), graph.node("a"), graph.node(frozenset({1}))] == [0, 0, 1]
    assert graph == Graph.from_edges(2, [(1, 0)], names=[Word("a"), frozenset({1})])
    assert hash(graph) == hash(Graph.from_edges(2, [(1, 0)], names=[Word("a"), frozenset({1})]))
    assert graph != Graph.from_edges(2, [(1, 0)], names=["a", "frozenset({1})"])
    assert graph.subgraph([1]).names == (frozenset({1}),)


def test_a_node_is_found_by_number_and_by_name():
    named = Graph.from_edges(3, [], name="rooms", names=["math", "2", "1"])
    assert [named.node(name) for name in named.node_names] == [0, 1, 2]
    assert [named.node(v) for v in (0, 1, np.int32(2))] == [0, 1, 2]
    plain = Graph.from_edges(3, [])
    assert plain.node("2") == plain.node(2) == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("moth", r"rooms has no node named 'moth'; did you mean 'math'\? .*node_names"),
        ("0", "no node named '0'; graph.node_names .* whole numbers in Python count nodes from 0"),
        (7, r"node 7 is out of range, nodes are 0\.\.2; for the one named so give text, '7'"),
        (3, r"node 3 is out of range, nodes are 0\.\.2$"),
        (-1, "node -1"),
        (True, "whole number or a name, as it is or as text, got True"),
        ([0], r"got \[0\]"),
        (1.0, "got 1.0"),
        ((0, 1), r"got \(0, 1\)"),
    ],
)
def test_what_is_not_a_node_is_refused_with_the_way_out(given, message):
    with pytest.raises(InputError, match=message):
        Graph.from_edges(3, [], name="rooms", names=["math", "2", "7"]).node(given)
