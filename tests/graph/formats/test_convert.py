from collections import Counter

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.formats import (
    from_networkx,
    from_pyg,
    from_scipy,
    to_networkx,
    to_pyg,
    to_scipy,
)
from concolor.rules import Rules

X = np.arange(8, dtype=np.float32).reshape(4, 2)
PLAIN = Graph.from_edges(4, [(0, 3), (1, 3)], name="plain", x=X)
NAMED = Graph.from_edges(4, [(0, 3), (1, 3)], name="named", names=["1", "b c", "0", "é"])


@pytest.mark.parametrize("graph", [PLAIN, NAMED, Graph.from_edges(0, [])])
@pytest.mark.parametrize("convert", ["networkx", "pyg"])
def test_there_and_back(graph, convert):
    there, back = {"networkx": (to_networkx, from_networkx), "pyg": (to_pyg, from_pyg)}[convert]
    assert back(there(graph)) == graph
    assert back(there(graph)).name == graph.name


@pytest.mark.parametrize(
    "graph", [nx.petersen_graph(), nx.les_miserables_graph(), nx.empty_graph(3), nx.null_graph()]
)
def test_networkx_and_back(graph):
    assert nx.utils.graphs_equal(
        nx.Graph(graph.edges), nx.Graph(to_networkx(from_networkx(graph)).edges)
    )
    assert list(to_networkx(from_networkx(graph))) == list(graph)


numbers = st.integers(-3, 9) | st.fractions(0, 3, max_denominator=3) | st.just(float("nan"))
texts = st.text("01ab", max_size=2)
nodes = st.recursive(
    numbers | texts | st.booleans() | st.binary(max_size=1),
    lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=2),
    max_leaves=3,
)


@st.composite
def networkx_graphs(draw):
    """Nodes of every hashable kind in any order, with loops and parallel edges."""
    kind = draw(st.sampled_from([nodes, st.integers(0, 5), texts]))
    graph = draw(st.sampled_from([nx.Graph, nx.MultiGraph]))()
    graph.add_nodes_from(draw(st.lists(kind, max_size=7)))
    there = list(graph)
    if there:
        end = st.sampled_from(there)
        graph.add_edges_from(draw(st.lists(st.tuples(end, end), max_size=9)))
    return graph


def drawn_edges(graph):
    """Edges by node with how often each is there, without loops."""
    return Counter(frozenset(edge) for edge in graph.edges() if len(frozenset(edge)) == 2)


@pytest.mark.slow
@given(networkx_graphs())
@settings(deadline=None)
def test_networkx_nodes_come_back_as_they_were(graph):
    ours = from_networkx(graph)
    back = to_networkx(ours)
    assert list(back) == list(graph)
    assert list(map(type, back)) == list(map(type, graph))
    assert drawn_edges(back) == Counter(set(drawn_edges(graph)))
    assert ours.duplicates == drawn_edges(graph).total() - ours.m
    assert from_networkx(back) == ours and hash(from_networkx(back)) == hash(ours)


@pytest.mark.slow
@given(networkx_graphs(), st.data())
@settings(deadline=None)
def test_networkx_nodes_and_colors_go_together(graph, data):
    ours = from_networkx(graph)
    colors = data.draw(st.lists(st.integers(0, 2), min_size=ours.n, max_size=ours.n))
    coloring = Coloring(ours, np.array(colors, np.int64))
    of = dict(zip(graph, coloring.colors.tolist(), strict=True))
    conflicts = sum(of[u] == of[v] for u, v in map(tuple, drawn_edges(graph)))
    assert coloring.conflicts == conflicts
    assert coloring.by_node() == of and list(coloring.by_node()) == list(graph)
    assert [ours.node(node) for node in graph] == list(range(ours.n))


def test_networkx_numbers_in_another_order_are_names():
    graph = from_networkx(nx.MultiGraph([(2, 0), (0, 2), (1, 0)]))
    assert graph == Graph.from_edges(3, [(0, 1), (2, 1)], names=[2, 0, 1])
    assert graph.duplicates == 1
    assert from_networkx(nx.path_graph(3)).names is None


@pytest.mark.parametrize(
    "nodes", [[5, 7], ["0", "1"], [(0, 0), (0, 1)], [False, True], [0.0, 1.0], [5, "5"]]
)
def test_other_networkx_nodes_are_names(nodes):
    names = from_networkx(nx.Graph([nodes])).names
    assert names == tuple(nodes) and list(map(type, names)) == list(map(type, nodes))


def test_presets_go_by_the_nodes_of_networkx():
    board = from_networkx(nx.grid_2d_graph(2, 2))
    rules = Rules.of(board, {(1, 0): 3}, {(0, 1): [0, 2]})
    assert rules.preset.tolist() == [-1, -1, 3, -1]
    assert rules.bans[rules.ban_ptr[1] : rules.ban_ptr[2]].tolist() == [0, 2]
    shuffled = from_networkx(nx.Graph([(2, 0), (1, 2)]))
    assert Rules.of(shuffled, {2: 5}).preset.tolist() == [5, -1, -1]


def test_directed_networkx_graphs_are_refused_with_the_way_out():
    with pytest.raises(InputError, match="to_undirected"):
        from_networkx(nx.DiGraph([(0, 1)]))


@pytest.mark.slow
@given(st.integers(0, 6), st.integers(0, 999))
@settings(deadline=None)
def test_scipy_edges_are_the_nonzero_pairs(n, seed):
    dense = np.random.default_rng(seed).integers(-1, 2, (n, n)) * 0.5
    graph = from_scipy(sp.csr_array(dense))
    expected = [[u, v] for u in range(n) for v in range(u + 1, n) if dense[u, v] or dense[v, u]]
    assert graph.edges.tolist() == expected
    assert from_scipy(to_scipy(graph)) == graph


def test_the_two_directions_of_an_edge_are_not_copies():
    clean = Graph.from_edges(4, [(0, 3), (1, 3)])
    assert from_scipy(to_scipy(clean)).duplicates == from_pyg(to_pyg(clean)).duplicates == 0
    data = to_pyg(clean)
    data.edge_index = data.edge_index[:, [0, 0, 1, 2, 2, 2, 3]]
    assert from_pyg(data) == clean and from_pyg(data).duplicates == 3


@pytest.mark.parametrize("kind", ["coo", "csr", "csc", "lil", "dok"])
@pytest.mark.parametrize("value", [0.0, np.nan, np.inf])
def test_what_a_sparse_matrix_stores_is_an_edge_whatever_its_value(kind, value):
    matrix = sp.coo_array(([value, 1.0], ([0, 1], [1, 2])), shape=(3, 3)).asformat(kind)
    assert from_scipy(matrix).edges.tolist() == [[0, 1], [1, 2]]


def test_entries_that_cancel_are_stored_once():
    matrix = sp.coo_array(([1.0, -1.0], ([0, 0], [1, 1])), shape=(2, 2))
    graph = from_scipy(matrix)
    assert (graph.m, graph.duplicates) == (1, 0)


def test_a_dense_array_has_edges_where_it_is_not_0():
    rows = [[0, 1, 0], [0, 0, 0], [0, -2, 0]]
    for dense in (rows, np.array(rows), np.array(rows) * 0.5, np.array(rows) != 0):
        assert from_scipy(dense).edges.tolist() == [[0, 1], [1, 2]]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (sp.csr_array((2, 3)), "square"),
        (np.ones(4), "square"),
        (np.array([[0, np.nan], [0, 0]]), "the array holds NaN or infinity"),
        ([[0, np.inf], [0, 0]], "the array holds NaN or infinity"),
        ("text", "expected a sparse matrix"),
        ([[0, None], [0, 0]], "expected a sparse matrix or numbers, got list"),
        ([[0, 1], [0]], "expected a matrix, got list"),
    ],
)
def test_bad_matrices_are_refused(matrix, message):
    with pytest.raises(InputError, match=message):
        from_scipy(matrix)


def test_pyg_carries_the_features_and_both_directions():
    data = to_pyg(PLAIN.but(x=sp.csr_array(X)))
    assert data.edge_index.tolist() == PLAIN.edge_index.tolist()
    assert data.num_nodes == 4 and data.is_undirected()
    np.testing.assert_array_equal(data.x.numpy(), X)
    np.testing.assert_array_equal(from_pyg(data).x, X)


def test_pyg_edges_in_one_direction_are_enough():
    data = to_pyg(PLAIN)
    data.edge_index = data.edge_index[:, data.edge_index[0] < data.edge_index[1]]
    assert from_pyg(data) == PLAIN


def test_what_is_not_a_pyg_graph_is_refused():
    with pytest.raises(InputError, match="edge_index"):
        from_pyg(object())


def test_names_for_the_rows_of_a_matrix_are_checked():
    matrix = to_scipy(NAMED)
    assert from_scipy(matrix, names=NAMED.names) == NAMED
    assert from_scipy(matrix).names is None
    for names, message in ((["a", "b"], "2 node names for 4 nodes"), (["a"] * 4, "'a' is there")):
        with pytest.raises(InputError, match=message):
            from_scipy(matrix, names=names)
