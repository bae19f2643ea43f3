import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

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


def test_networkx_numbers_stay_themselves_in_any_order():
    graph = from_networkx(nx.MultiGraph([(2, 0), (0, 2), (1, 0)]))
    assert graph == Graph.from_edges(3, [(0, 2), (0, 1)]) and graph.duplicates == 1


def test_other_networkx_nodes_become_names():
    assert from_networkx(nx.Graph([(5, 7)])).names == ("5", "7")
    assert from_networkx(nx.grid_2d_graph(1, 2)).names == ("(0, 0)", "(0, 1)")
    with pytest.raises(InputError, match="twice"):
        from_networkx(nx.Graph([(5, "5")]))


def test_directed_networkx_graphs_are_refused_with_the_way_out():
    with pytest.raises(InputError, match="to_undirected"):
        from_networkx(nx.DiGraph([(0, 1)]))


@given(st.integers(0, 6), st.integers(0, 999))
@settings(deadline=None)
def test_scipy_edges_are_the_nonzero_pairs(n, seed):
    dense = np.random.default_rng(seed).integers(-1, 2, (n, n)) * 0.5
    graph = from_scipy(sp.csr_array(dense))
    expected = [[u, v] for u in range(n) for v in range(u + 1, n) if dense[u, v] or dense[v, u]]
    assert graph.edges.tolist() == expected
    assert from_scipy(to_scipy(graph)) == graph


def test_explicit_zeros_are_no_edges():
    matrix = sp.coo_array(([0.0, 1.0], ([0, 1], [1, 2])), shape=(3, 3))
    assert from_scipy(matrix).edges.tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (sp.csr_array((2, 3)), "square"),
        (sp.csr_array([[0, np.nan], [0, 0]]), "NaN"),
        ("text", "expected a sparse matrix"),
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


def test_what_is_no_pyg_graph_is_refused():
    with pytest.raises(InputError, match="edge_index"):
        from_pyg(object())


def test_names_for_the_rows_of_a_matrix_are_checked():
    matrix = to_scipy(NAMED)
    assert from_scipy(matrix, names=NAMED.names) == NAMED
    assert from_scipy(matrix).names is None
    for names, message in ((["a", "b"], "2 node names for 4 nodes"), (["a"] * 4, "'a' is there")):
        with pytest.raises(InputError, match=message):
            from_scipy(matrix, names=names)
