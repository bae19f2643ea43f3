"""networkx sends its colorings here, and gets what it would have made, or better."""

import inspect
import random
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.algorithms.coloring.equitable_coloring import is_equitable
from networkx.algorithms.coloring.tests import test_coloring as theirs

import concolor as cc
from concolor import networkx_backend as backend

OWN = [name for name in dir(theirs.TestColoring) if name.startswith("test_")]


@pytest.fixture
def calls(monkeypatch):
    """The names of the functions of the backend that were run."""
    seen = []
    for name in ("greedy_color", "equitable_color"):
        run = getattr(backend, name)

        def spy(*args, name=name, run=run, **kwargs):
            seen.append(name)
            return run(*args, **kwargs)

        monkeypatch.setattr(backend, name, spy)
    return seen


@pytest.mark.parametrize("name", OWN)
@pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs:UserWarning")
def test_their_own_tests_pass_through_the_backend(name, calls):
    with nx.config.backend_priority(algos=["concolor"]):
        getattr(theirs.TestColoring(), name)()
    if name in ("test_basic_cases", "test_special_cases", "test_strategy_as_function"):
        assert "greedy_color" in calls
    if name.startswith("test_equitable_color"):
        assert "equitable_color" in calls


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 12))
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    graph = nx.Graph()
    graph.add_nodes_from(f"node {v}" for v in range(n))
    graph.add_edges_from((f"node {u}", f"node {v}") for u, v in draw(st.lists(pairs)) if u != v)
    return graph


@settings(deadline=None)
@given(graphs(), st.sampled_from(sorted(backend.STRATEGIES)))
def test_every_strategy_is_proper_in_the_users_nodes(graph, strategy):
    colors = nx.greedy_color(graph, strategy, backend="concolor")
    assert list(colors) == list(graph)
    assert all(colors[u] != colors[v] for u, v in graph.edges)
    assert set(colors.values()) == set(range(len(set(colors.values()))))


@settings(deadline=None)
@given(graphs())
def test_where_nothing_is_tied_the_colors_are_those_of_networkx(graph):
    assert nx.greedy_color(graph, "largest_first", backend="concolor") == nx.greedy_color(
        graph, "largest_first", backend="networkx"
    )


def test_random_orders_are_those_of_networkx():
    graph = nx.gnp_random_graph(60, 0.2, seed=1)
    random.seed(7)
    ours = nx.greedy_color(graph, "random_sequential", backend="concolor")
    random.seed(7)
    assert ours == nx.greedy_color(graph, "random_sequential", backend="networkx")


@settings(deadline=None)
@given(graphs(), st.integers(0, 3))
def test_equitable_with_more_colors_than_neighbors(graph, more):
    k = max(dict(graph.degree).values()) + 1 + more
    assert is_equitable(graph, nx.equitable_color(graph, k, backend="concolor"), k)


def test_too_few_colors_to_be_equitable_are_refused():
    with pytest.raises(nx.NetworkXAlgorithmError, match="with 6 colors or more, got num_colors=3"):
        nx.equitable_color(nx.star_graph(5), 3, backend="concolor")


@pytest.mark.parametrize(
    ("graph", "options", "why"),
    [
        (nx.path_graph(3), {"strategy": lambda graph, colors: list(graph)}, "the strategy is one"),
        (nx.path_graph(3), {"strategy": "luck"}, "not 'luck'"),
        (nx.path_graph(3), {"interchange": True}, "not interchanged"),
        (nx.DiGraph([(0, 1)]), {}, "directed"),
    ],
)
def test_what_is_not_for_us_is_refused_before_it_is_converted(graph, options, why):
    assert why in str(backend.can_run("greedy_color", (graph,), options))
    with pytest.raises(NotImplementedError):
        nx.greedy_color(graph, backend="concolor", **options)


def test_our_own_graph_is_one_for_networkx():
    graph = cc.family("queen:5x5")
    colors = nx.greedy_color(graph, "DSATUR")
    assert colors == cc.dsatur(graph).by_node()
    assert sorted(nx.degree_centrality(backend.convert_to_nx(graph))) == list(range(25))


def test_all_that_we_have_in_the_users_nodes():
    graph = nx.relabel_nodes(nx.mycielski_graph(4), lambda v: ("exam", v))
    colors = backend.best_color(graph, time_limit=1)
    assert set(colors) == set(graph) and len(set(colors.values())) == 4
    assert backend.best_color(graph, k=2, time_limit=1, preset={("exam", 0): 1})["exam", 0] == 1


def test_networkx_does_not_load_us_before_it_needs_us():
    program = (
        "import sys, networkx as nx\n"
        "assert 'concolor' in nx.utils.backends.backend_info\n"
        "assert 'numpy' not in sys.modules and 'concolor.networkx_backend' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_networkx_knows_what_the_backend_has():
    assert set(nx.utils.backends.backend_info["concolor"]["functions"]) == set(backend.PARAMETERS)
    for name, parameters in backend.PARAMETERS.items():
        there = inspect.signature(getattr(nx, name)).parameters
        assert tuple(there)[: len(parameters)] == parameters


@pytest.mark.parametrize("kind", ["networkx", "scipy", "pyg"])
def test_graphs_of_others_are_taken_as_they_are(kind):
    graph = cc.family("queen:5x5")
    given = getattr(cc, f"to_{kind}")(graph)
    expected = cc.solve(graph, "dsatur").coloring.colors
    np.testing.assert_array_equal(cc.solve(given, "dsatur").coloring.colors, expected)
    assert cc.color(given).k == 5 and cc.pareto(given, k_max=1)[1].conflicts == graph.m
    (answer,) = cc.answers([given], bounds_first=True)
    assert cc.verify(given, cc.certify(given, answer.coloring)).is_proved


def test_what_is_no_graph_is_named():
    with pytest.raises(cc.ConcolorError, match=r"or a PyG Data, got builtins\.list"):
        cc.color([(0, 1)])
