"""What is taken away from a graph, and that any coloring of the rest extends to it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asked import solution_of
from concolor.coloring import Coloring
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.graph.structure import components, core_numbers
from concolor.rules import Rules
from concolor.solvers.exact import exact
from concolor.solvers.local_search import tabucol
from concolor.solvers.reduction import Reduction
from concolor.solvers.search import Search
from small_graphs import graphs, ruled

solved = solution_of(exact)


def chromatic(graph):
    return solved(graph).coloring.k


@pytest.mark.slow
@given(graph=graphs(), k=st.integers(1, 4))
def test_any_coloring_of_the_core_extends_without_a_new_conflict(graph, k):
    core = Reduction(graph, k, Rules.of(graph), dominated=False)
    inside = np.concatenate([np.empty(0, np.int64), *core.parts])
    whole = core.extended(np.arange(graph.n) % k)
    assert whole.max(initial=0) < k
    assert whole[inside].tolist() == (inside % k).tolist()
    u, v = graph.edges[whole[graph.edges[:, 0]] == whole[graph.edges[:, 1]]].T
    assert np.isin(u, inside).all() and np.isin(v, inside).all()


@pytest.mark.slow
@given(asked=ruled(3), data=st.data())
@settings(max_examples=100, deadline=None)
def test_under_rules_any_coloring_of_the_core_extends_without_a_new_conflict(asked, data):
    graph, preset, forbidden = asked
    k, rules = 3, Rules.of(graph, preset, forbidden)
    fine = [np.flatnonzero(row).tolist() for row in rules.allow(np.arange(k))]
    if not all(fine):
        return
    core = Reduction(graph, k, rules, dominated=False)  # as it is where there are rules
    colors = np.array([data.draw(st.sampled_from(some)) for some in fine], np.int64)
    whole = core.extended(colors)
    inside = np.concatenate([np.empty(0, np.int64), *core.parts])
    assert whole[inside].tolist() == colors[inside].tolist() and set(preset) <= set(inside.tolist())
    assert whole.max(initial=0) < k and rules.accept(whole).all()
    u, v = graph.edges[whole[graph.edges[:, 0]] == whole[graph.edges[:, 1]]].T
    assert np.isin(u, inside).all() and np.isin(v, inside).all()
    degrees = graph.subgraph(np.sort(inside)).degrees + np.diff(rules.ban_ptr)[np.sort(inside)]
    assert (degrees[rules.preset[np.sort(inside)] < 0] >= k).all()  # no more than needed


@pytest.mark.slow
@given(graph=graphs(9), k=st.integers(1, 5))
@settings(max_examples=150, deadline=None)
def test_the_part_decides_chi_and_its_colorings_extend(graph, k):
    """Either k colors are enough for both, or both need the same number."""
    reduction = Reduction(graph, k, Rules.of(graph))
    chi, inside = chromatic(graph), chromatic(reduction.graph)
    assert chi <= k if inside <= k else chi == inside
    found = Coloring(graph, reduction.lifted(solved(reduction.graph).coloring.colors))
    assert found.is_proper and found.k <= max(k, inside)
    assert sum(reduction.counts.values()) == graph.n


@pytest.mark.slow
@given(graph=graphs(9), k=st.integers(1, 4), data=st.data())
@settings(max_examples=100, deadline=None)
def test_nothing_is_left_that_a_rule_would_take(graph, k, data):
    part = Reduction(graph, k, Rules.of(graph)).graph
    assert part.degrees.min(initial=k) >= k
    near = [set(part.neighbors(v).tolist()) for v in range(part.n)]
    for u in range(part.n):
        assert not any(near[u] <= near[v] for v in range(part.n) if v != u and v not in near[u])


@pytest.mark.slow
@given(graph=graphs(9), k=st.integers(1, 4), seed=st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_without_domination_it_is_the_core_whatever_the_nodes_are_called(graph, k, seed):
    order = np.random.default_rng(seed).permutation(graph.n)
    other = Graph.from_edges(graph.n, order[graph.edges])
    for one in (graph, other):
        inside = Reduction(one, k, Rules.of(one), dominated=False).inside
        assert inside.tolist() == (core_numbers(one) >= k).tolist()


@pytest.mark.slow
@given(graph=graphs(9), k=st.integers(1, 4), seed=st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_chi_of_the_part_does_not_depend_on_the_names_of_the_nodes(graph, k, seed):
    order = np.random.default_rng(seed).permutation(graph.n)
    other = Graph.from_edges(graph.n, order[graph.edges])
    one, two = (chromatic(Reduction(g, k, Rules.of(g)).graph) for g in (graph, other))
    assert max(one, k) == max(two, k)


def test_known_graphs():
    def left(spec, k, **options):
        graph = family(spec).but(chi=None)
        return Reduction(graph, k, Rules.of(graph), **options).counts

    assert left("path:9", 2)["left"] == 0
    assert left("bipartite:4x5", 2, dominated=False) == {"peeled": 0, "dominated": 0, "left": 9}
    assert left("bipartite:4x5", 2)["left"] == 0  # twins go, until two are left
    assert left("cycle:7", 2) == {"peeled": 0, "dominated": 0, "left": 7}
    assert left("myciel:4", 4)["left"] == 23  # critical: nothing can go
    assert left("complete:6", 6)["left"] == 0
    assert left("complete:6", 5)["left"] == 6


def test_graphs_that_are_hardly_there():
    for graph in (Graph.from_edges(0, []), Graph.from_edges(3, [])):
        reduction = Reduction(graph, 1, Rules.of(graph))
        assert reduction.graph.n == 0 and reduction.parts == []
        assert reduction.lifted(np.empty(0, np.int64)).tolist() == [0] * graph.n


def test_components_are_listed_small_ones_first():
    graph = Graph.from_edges(7, [(0, 3), (3, 6), (1, 4)])
    assert [part.tolist() for part in components(graph)] == [[2], [5], [1, 4], [0, 3, 6]]


def tailed(copies=2):
    """Boards of 6 x 6 queens that are not joined, each with a long tail."""
    board = family("queen:6x6")
    edges, n = [], 0
    for _ in range(copies):
        edges += (board.edges + n).tolist()
        edges += [(v, v + 1) for v in range(n + board.n - 1, n + board.n + 300)]
        n += board.n + 301
    return Graph.from_edges(n, edges)


@pytest.mark.slow
def test_a_descent_searches_each_component_of_what_is_left_and_reports_the_whole(monkeypatch):
    graph, searched, told = tailed(), [], []
    inside = Search.on

    def noted(search, part, k):
        searched.append((part.n, k))
        return inside(search, part, k)

    monkeypatch.setattr(Search, "on", noted)
    start = Coloring(graph, np.arange(graph.n) % 50)  # no edge joins nodes 50 apart
    assert start.is_proper
    found = solution_of(tabucol)(graph, start=start, progress=told.append, time_limit=0.5)
    assert found.coloring.is_proper and found.coloring.k <= 8
    assert searched and all(n == 36 and k >= 7 - 1 for n, k in searched)
    assert all(progress.best.graph is graph for progress in told)


@pytest.mark.slow
def test_the_exact_solver_proves_what_domination_leaves():
    graph = tailed().but(chi=None)
    found = solved(graph)
    assert (found.coloring.k, found.is_proved, found.coloring.is_proper) == (7, True, True)
