"""Numbers on edges, from every door to every file."""

import pickle
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import concolor as cc
from concolor.errors import Doubt, FormatError, InputError
from concolor.graph.formats import FORMATS
from concolor.graph.structure import on_arcs
from concolor.graph.weights import weigh


def slow_weights(pairs, weights, repeated, arcs):
    """By a dictionary; None where the two directions disagree."""
    merge = {"sum": sum, "max": max}[repeated]
    found = {}
    for (u, v), weight in zip(pairs, weights, strict=True):
        if u != v:
            found.setdefault((min(u, v), max(u, v)), {}).setdefault(
                u < v if arcs else 0, []
            ).append(weight)
    result = []
    for edge in sorted(found):
        values = {merge(copies) for copies in found[edge].values()}
        if len(values) > 1:
            return None
        result.append(values.pop())
    return result


@st.composite
def listed(draw):
    n = draw(st.integers(1, 6))
    node = st.integers(0, n - 1)
    pairs = draw(st.lists(st.tuples(node, node), max_size=12))
    weights = draw(st.lists(st.integers(1, 3), min_size=len(pairs), max_size=len(pairs)))
    return n, pairs, weights


@given(listed(), st.sampled_from(["sum", "max"]), st.booleans())
def test_edges_weigh_what_a_slow_count_says(given, repeated, arcs):
    n, pairs, weights = given
    expected = slow_weights(pairs, weights, repeated, arcs)
    more = {"weights": weights, "repeated": repeated, "arcs": arcs}
    if expected is None:
        with pytest.raises(InputError, match="in one direction"):
            cc.Graph.from_edges(n, pairs, **more)
        return
    graph = cc.Graph.from_edges(n, pairs, **more)
    assert graph.weights.tolist() == expected and not graph.weights.flags.writeable
    assert graph.weights.shape == (graph.m,)


@st.composite
def weighed(draw, n=7, *, whole=False):
    n = draw(st.integers(1, n))
    pairs = list(combinations(range(n), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    number = st.integers(1, 9) if whole else st.floats(1e-9, 1e9)
    weights = draw(st.lists(number, min_size=len(edges), max_size=len(edges)))
    names = draw(st.none() | st.just([f"node {v}" for v in range(n)]))
    return cc.Graph.from_edges(n, edges, weights=weights, names=names, name="given")


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=30)
@given(data=st.data())
def test_every_format_gives_them_back(name, data, tmp_path_factory):
    graph = data.draw(weighed(whole=name == "metis"))
    content = FORMATS[name].write(graph)
    assert FORMATS[name].parse(content, lambda doubt: None, "sum").but(name="given") == graph
    blind = FORMATS[name].parse(content, lambda doubt: None)
    assert blind.weights is None and blind == graph.but(weights=None)


TEXTS = {
    "csv": "source,target,weight\na,b,2\nb,c,0.5\na,b,3\n",
    "edges": "0 1 2\n1 2 0.5\n1 0 3\n",
    "dimacs": "p edge 3 3\ne 1 2 2\ne 2 3 0.5\ne 2 1 3\n",
    "mtx": "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 2\n3 2 0.5\n2 1 3\n",
    "json": '{"nodes": [{"id": 0}, {"id": 1}, {"id": 2}], "edges": ['
    '{"source": 0, "target": 1, "weight": 2}, {"source": 1, "target": 2, "weight": 0.5},'
    '{"source": 0, "target": 1, "weight": 3}]}',
}


@pytest.mark.parametrize("name", TEXTS)
def test_copies_add_up_and_say_so_or_the_largest_counts(name, tmp_path):
    path = tmp_path / f"g{FORMATS[name].suffixes[0]}"
    path.write_text(TEXTS[name])
    with pytest.warns(Doubt, match="copies of edges, whose weights add up: 1"):
        assert cc.read(path, weights=True).weights.tolist() == [5, 0.5]
    assert cc.read(path, weights="max").weights.tolist() == [3, 0.5]


@pytest.mark.parametrize(
    ("suffix", "text", "reason"),
    [
        (".csv", "source,target,weight\na,b,2\nb,c\n", r":3: an edge without a weight"),
        (".csv", "source,target\na,b\nb,c\n", r":2: an edge without a weight"),
        (".csv", "source,target,weight\na,b,2\nb,c,-1\n", "edge of b and c has weight -1"),
        (".csv", "source,target,weight\na,b,0\nb,c,1\n", "edge of a and b has weight 0"),
        (".csv", "a,b,nan\nb,c,1\n", "finite number"),
        (".csv", "a,b,much\nb,c,1\nc,d,few\n", "finite number, got 'few'"),
        (".edges", "0 1\n1 2\n", "2 of 2 edges have no weight"),
        (".col", "p edge 3 2\ne 1 2 1\ne 2 3\n", "1 of 2 edges have no weight"),
        (".col", "p edge 3 2\ne 1 2 1\ne 2 3 -4\n", "edge of 2 and 3 has weight -4"),
        (".graph", "3 2\n2\n1 3\n2\n", "4 of 4 edges have no weight"),
        (".graph", "2 1 001\n2 5\n1 6\n", "edge of 1 and 2 weighs 5 in one direction and 6"),
        (".mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", "values"),
        (".json", '{"nodes": [{"id": 0}, {"id": 1}], "edges": [{"source": 0, "target": 1}]}', "we"),
        (
            ".graphml",
            "<graphml><graph><node id='a'/><node id='b'/>\n<edge source='a' target='b'/>"
            "</graph></graphml>",
            "finite number, got ''",
        ),
    ],
)
def test_what_is_no_weight_is_refused_and_without_weights_it_is_read(
    suffix, text, reason, tmp_path
):
    path = tmp_path / f"g{suffix}"
    path.write_text(text)
    with pytest.raises(FormatError, match=reason):
        cc.read(path, weights=True)


def test_the_door_of_read_knows_its_words(tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("a,b,1\n")
    with pytest.raises(InputError, match="weights must be True, False or 'max', got 'min'"):
        cc.read(path, weights="min")


def test_fractions_are_left_out_of_metis_with_a_word(tmp_path):
    graph = cc.Graph.from_edges(2, [(0, 1)], weights=[0.5])
    with pytest.warns(Doubt, match="not whole numbers are left out"):
        cc.write(graph, tmp_path / "g.graph")
    assert cc.read(tmp_path / "g.graph") == graph.but(weights=None)


@given(weighed())
def test_other_libraries_give_them_back(graph):
    assert cc.from_networkx(cc.to_networkx(graph), weights="weight") == graph
    again = cc.from_scipy(cc.to_scipy(graph), weights=True, names=graph.names)
    assert again == graph
    assert cc.from_scipy(cc.to_scipy(graph), names=graph.names) == graph.but(weights=None)
    assert pickle.loads(pickle.dumps(graph)) == graph


def test_parallel_edges_of_networkx_add_up():
    multi = nx.MultiGraph([("a", "b", {"w": 1}), ("a", "b", {"w": 2.5})])
    assert cc.from_networkx(multi, weights="w").weights.tolist() == [3.5]
    with pytest.raises(InputError, match="edge of a and b needs a number as 'weight', got None"):
        cc.from_networkx(multi, weights="weight")
    with pytest.raises(InputError, match="weighs 1 in one direction and 2 in the other"):
        cc.from_scipy(sp.csr_array([[0, 1], [2, 0]]), weights=True)


@given(weighed(), st.data())
def test_parts_keep_them_and_they_are_part_of_what_is_equal(graph, data):
    nodes = data.draw(st.permutations(range(graph.n)))[: data.draw(st.integers(0, graph.n))]
    part = graph.subgraph(nodes)
    matrix = cc.to_scipy(graph).toarray()[np.ix_(nodes, nodes)]
    assert (cc.to_scipy(part).toarray() == matrix).all() if nodes else part.m == 0
    assert graph.but(name="other") == graph and hash(graph.but(weights=None)) == hash(graph)
    if graph.m:
        assert graph != graph.but(weights=None) != graph.but(weights=2 * graph.weights)
        assert graph.digest == graph.but(weights=None).digest
        assert on_arcs(graph, graph.weights).tolist() == cc.to_scipy(graph).data.tolist()


@pytest.mark.parametrize(
    ("weights", "reason"),
    [
        ([1], "one number for each of 2 edges, got int64 \\(1,\\)"),
        (["a", "b"], "one number for each of 2 edges"),
        ([True, False], "one number"),
        ([1, np.inf], "edge of 1 and 2 has weight inf"),
        ([1, np.nan], "has weight nan"),
        ([0, 1], "edge of 0 and 1 has weight 0: weights are finite numbers above 0"),
    ],
)
def test_wrong_weights_are_refused(weights, reason):
    with pytest.raises(InputError, match=reason):
        cc.Graph.from_edges(3, [(0, 1), (1, 2)], weights=weights)
    with pytest.raises(InputError, match=reason):
        cc.family("path:3").but(weights=weights)
    with pytest.raises(InputError, match="unknown way"):
        weigh(2, np.array([[0, 1]]), [1], repeated="min")
