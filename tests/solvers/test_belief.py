"""Messages against a slow twin, on trees, and where a coloring is hidden."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concolor as cc
from asked import coloring_of
from concolor.goal import Clock
from concolor.graph.structure import twins
from concolor.solvers.belief import ROUNDS, Talk, belief, believed
from concolor.solvers.kernels.belief import FLOOR, pass_messages

SOLVE = coloring_of(belief)


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 9))
    pairs = [(u, v) for v in range(n) for u in range(v)]
    return cc.Graph.from_edges(
        n, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    )


@given(graphs())
def test_the_way_back_of_an_arc(graph):
    source = np.repeat(np.arange(graph.n), graph.degrees)
    back = twins(graph)
    np.testing.assert_array_equal(source[back], graph.indices)
    np.testing.assert_array_equal(graph.indices[back], source)


def slowly(graph, messages, beliefs, order, pull):
    """The formula, node by node and pair by pair; messages by ``(from, to)``."""
    messages, beliefs = dict(messages), beliefs.copy()
    for v in order:
        near = graph.indices[graph.indptr[v] : graph.indptr[v + 1]]
        heard = {u: np.maximum(1 - messages[u, v], FLOOR) for u in near}
        own = beliefs[v] ** pull * np.prod([heard[u] for u in near], axis=0)
        beliefs[v] = own / own.sum()
        for u in near:
            told = beliefs[v] / heard[u]
            messages[v, u] = told / told.sum()
    return messages, beliefs


@settings(deadline=None)  # the first example compiles
@given(graphs(), st.sampled_from([0.0, 0.3]), st.integers(0, 5))
def test_a_round_is_the_formula(graph, pull, seed):
    rng, k = np.random.default_rng(seed), 3
    source = np.repeat(np.arange(graph.n), graph.degrees)
    arcs = list(zip(source, graph.indices, strict=True))
    messages = rng.dirichlet(np.ones(k), len(arcs)).astype(np.float32)
    beliefs = rng.dirichlet(np.ones(k), graph.n).astype(np.float32)
    order = rng.permutation(graph.n)
    given_messages = dict(zip(arcs, messages.astype(float), strict=True))
    expected, believing = slowly(graph, given_messages, beliefs.astype(float), order, pull)
    indptr, before = graph.indptr.copy(), beliefs.copy()
    change = pass_messages(indptr, twins(graph), messages, beliefs, order, pull)
    np.testing.assert_allclose(beliefs, believing, rtol=1e-4, atol=1e-6)
    for e, arc in enumerate(arcs):
        np.testing.assert_allclose(messages[e], expected[arc], rtol=1e-4, atol=1e-6)
    assert change == pytest.approx(np.abs(beliefs - before).sum() / graph.n, abs=1e-4)


def test_thousands_of_neighbors_leave_a_belief():
    star = cc.family("bipartite:1x5000")
    talk = Talk(star, 3, np.zeros(star.n, np.int64), 0)
    talk.goes_on([0.0] * 5, Clock())
    assert np.isfinite(talk.beliefs).all()
    np.testing.assert_allclose(talk.beliefs.sum(axis=1), 1, rtol=1e-5)


def test_on_a_tree_all_colors_are_alike_whatever_the_hint():
    tree = cc.Graph.from_edges(63, [((v - 1) // 2, v) for v in range(1, 63)])
    talk = Talk(tree, 4, np.arange(63) % 4, 0)
    talk.goes_on([0.0] * ROUNDS, Clock())
    np.testing.assert_allclose(talk.beliefs, 1 / 4, atol=1e-2)


def hidden_graph(n, k, degree, seed=0):
    """A random graph of that mean degree across k equal classes, and the classes."""
    rng = np.random.default_rng(seed)
    classes = rng.permutation(n) % k
    pairs = np.sort(rng.integers(0, n, (round(n * degree / 2 * k / (k - 1)), 2)), axis=1)
    pairs = np.unique(pairs[classes[pairs[:, 0]] != classes[pairs[:, 1]]], axis=0)
    return cc.Graph.from_edges(n, pairs), classes


def test_a_hidden_coloring_is_found_that_tabu_search_does_not_come_near():
    graph, _ = hidden_graph(3000, 5, 20)
    found = believed(graph, 5)
    assert cc.Coloring(graph, found).conflicts <= graph.m / 1000
    tabu = cc.solve(graph, k=5, start=cc.Coloring(graph, cc.dsatur(graph).colors), time_limit=0.5)
    assert tabu.coloring.conflicts > graph.m / 100
    assert SOLVE(graph, k=5).conflicts == 0


def test_the_hint_says_which_color_is_which():
    graph, classes = hidden_graph(1500, 4, 14)
    doubtful = np.where(np.random.default_rng(1).random(1500) < 0.5, classes, 3 - classes)
    assert np.mean(believed(graph, 4, hint=doubtful) == doubtful) == pytest.approx(0.5, abs=0.1)
    leaning = np.where(np.random.default_rng(1).random(1500) < 0.5, classes, 0)
    assert np.mean(believed(graph, 4, hint=leaning) == classes) > 0.9


def test_a_hint_of_more_colors_is_taken_as_far_as_it_goes():
    graph, classes = hidden_graph(600, 3, 9)
    found = believed(graph, 3, hint=np.where(np.arange(600) % 5 == 0, 7, classes))
    assert np.mean(found == classes) > 0.9


def test_the_number_of_colors_is_found():
    graph, _ = hidden_graph(1000, 4, 14)
    found = SOLVE(graph)
    assert found.is_proper and found.k == 4 < cc.dsatur(graph).k


@pytest.mark.parametrize(
    ("name", "chi"), [("petersen", 3), ("cycle:7", 3), ("complete:6", 6), ("path:5", 2)]
)
def test_known_graphs(name, chi):
    found = SOLVE(cc.family(name))
    assert found.is_proper and found.k == chi


@pytest.mark.parametrize("n", [0, 1, 4])
def test_graphs_without_edges(n):
    assert SOLVE(cc.Graph.from_edges(n, [])).k == min(n, 1)
    assert SOLVE(cc.Graph.from_edges(n, []), k=2).is_proper


def test_the_same_seed_gives_the_same_beliefs():
    graph, _ = hidden_graph(400, 3, 6)
    one, same = believed(graph, 3, seed=5), believed(graph, 3, seed=5)
    np.testing.assert_array_equal(one, same)


def test_no_time_still_gives_colors():
    graph, _ = hidden_graph(400, 3, 6)
    found = believed(graph, 3, clock=Clock(0.0))
    assert found.shape == (400,) and found.min() >= 0 and found.max() < 3
