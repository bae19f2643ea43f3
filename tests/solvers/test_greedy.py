import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concolor.graph.core import Graph
from concolor.graph.families import FAMILIES, family
from concolor.solvers.greedy import chi_ref, dsatur, largest_first

GREEDY = [dsatur, largest_first]


@st.composite
def graphs(draw):
    n = draw(st.integers(0, 14))
    node = st.integers(0, max(n - 1, 0))
    return Graph.from_edges(n, draw(st.lists(st.tuples(node, node), max_size=40)) if n else [])


@pytest.mark.parametrize("method", GREEDY)
@given(graph=graphs())
def test_is_proper_contiguous_and_no_more_than_degree_plus_one(method, graph):
    coloring = method(graph)

    assert coloring.is_proper
    assert np.unique(coloring.colors).tolist() == list(range(coloring.k))
    assert coloring.k <= graph.degrees.max(initial=-1) + 1


@pytest.mark.parametrize("method", GREEDY)
@given(graph=graphs())
def test_no_node_could_take_a_lower_color(method, graph):
    """Greedy means: below its own color, a node sees every color."""
    colors = method(graph).colors
    for node, color in enumerate(colors):
        assert set(range(color)) <= set(colors[graph.neighbors(node)].tolist())


@given(st.integers(1, 8), st.integers(1, 8), st.data())
def test_dsatur_is_exact_on_bipartite_graphs(a, b, data):
    pair = st.tuples(st.integers(0, a - 1), st.integers(a, a + b - 1))
    graph = Graph.from_edges(a + b, data.draw(st.lists(pair, max_size=40)))
    assert dsatur(graph).k == (2 if graph.m else 1)


@pytest.mark.parametrize("spec", [entry.example for entry in FAMILIES.values()])
def test_never_below_the_chromatic_number(spec):
    graph = family(spec)
    for method in GREEDY:
        assert method(graph).is_proper
        assert method(graph).k >= (graph.chi or 1)


@pytest.mark.parametrize(
    "spec", ["complete:9", "cycle:31", "wheel:12", "turan:13x4", "hypercube:6"]
)
def test_dsatur_is_exact_on_easy_graphs(spec):
    graph = family(spec)
    assert dsatur(graph).k == graph.chi


@pytest.mark.parametrize("method", GREEDY)
def test_the_same_graph_gets_the_same_colors(method):
    one, two = (method(family("er:200x0.2", seed=5)).colors for _ in range(2))
    assert one.tolist() == two.tolist()


@pytest.mark.parametrize("method", GREEDY)
def test_graphs_without_edges(method):
    assert method(Graph.from_edges(0, [])).k == 0
    assert method(Graph.from_edges(4, [])).colors.tolist() == [0, 0, 0, 0]


def test_reference_is_exact_where_known_and_says_so():
    graph = family("myciel:5")
    assert chi_ref(graph) == (6, "exact")
    assert chi_ref(graph.but(chi=None)) == (dsatur(graph).k, "dsatur")
