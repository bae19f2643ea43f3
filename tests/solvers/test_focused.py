"""The search without a table: what it keeps in step, what it finds, and where it takes over."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concolor as cc
from asked import coloring_of, solution_of
from concolor.coloring import count_conflicts
from concolor.errors import InputError, Interrupted
from concolor.goal import Task
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers import focused as module
from concolor.solvers import search as searches
from concolor.solvers.focused import focused, walking
from concolor.solvers.kernels.walk import BEST, CONFLICTS, LISTED, walk
from concolor.solvers.local_search import tabucol
from concolor.solvers.search import Search
from limits import CtrlC, ended_by

color = coloring_of(focused)


def begun(graph, k, seed=0, colors=None):
    search = Search(Task.of(graph, seed=seed))
    colors = np.full(graph.n, -1) if colors is None else colors
    return search.walk(np.arange(k), colors, search.draws[0])


@pytest.mark.slow
@given(
    seed=st.integers(0, 10**6),
    k=st.integers(2, 6),
    noise=st.sampled_from([0.0, 0.1, 0.6]),
    work=st.integers(1, 20_000),
)
@settings(max_examples=80, deadline=None)
def test_all_that_is_kept_in_step_is_what_a_count_from_nothing_gives(seed, k, noise, work):
    graph = family("er:30x0.3", seed=seed)
    state = begun(graph, k, seed)
    for _ in range(3):
        walk(state, 0, 10**9, noise, work)
        colors = state.colors.astype(np.int64)
        clashes = [int((colors[graph.neighbors(v)] == colors[v]).sum()) for v in range(graph.n)]
        assert state.clashes.tolist() == clashes
        assert state.counts[CONFLICTS] == count_conflicts(graph, colors)
        listed = state.listed[: state.counts[LISTED]]
        assert sorted(listed.tolist()) == np.flatnonzero(clashes).tolist()
        assert state.counts[BEST] == count_conflicts(graph, state.best.astype(np.int64))
        assert state.counts[BEST] <= state.counts[CONFLICTS]


@pytest.mark.slow
def test_without_noise_conflicts_never_grow():
    state, seen = begun(family("er:200x0.1"), 4), []
    for _ in range(50):
        walk(state, 0, 10**9, 0.0, 500)
        seen.append(int(state.counts[CONFLICTS]))
    assert seen == sorted(seen, reverse=True) and seen[-1] < seen[0]


@pytest.mark.slow
def test_the_slices_of_a_walk_make_the_same_moves_as_the_walk():
    graph = family("er:300x0.05")
    one, many = begun(graph, 4), begun(graph, 4)
    walk(one, 0, 3000, 0.1, 10**9)
    while walk(many, 0, 3000, 0.1, 700):
        pass
    assert one.colors.tolist() == many.colors.tolist()
    assert one.best.tolist() == many.best.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["queen:7x7", "cycle:9", "grid:9x9", "complete:6", "path:1"])
def test_easy_graphs_are_colored_best(spec):
    graph = family(spec)
    assert color(graph).k == graph.chi and color(graph).is_proper


@pytest.mark.slow
def test_it_finds_what_tabu_search_misses_on_a_large_random_graph():
    graph = family("er:20000x0.0003")  # mean degree 6
    assert cc.dsatur(graph).k == 4 or color(graph).k < cc.dsatur(graph).k
    assert color(family("er:4000x0.0017")).k == 4 < cc.dsatur(family("er:4000x0.0017")).k


@pytest.mark.slow
def test_the_same_seed_gives_the_same_coloring_with_one_thread_and_with_two():
    graph = family("er:2000x0.004")
    one, two = (focused(Task.of(graph, seed=5), threads=threads) for threads in (1, 2))
    assert one.coloring == two.coloring


def test_k_colors_with_few_conflicts_and_graphs_that_are_hardly_there():
    graph = family("queen:6x6")
    found = color(graph, k=4)
    assert found.k <= 4 and found.conflicts <= cc.null(graph, 4).conflicts
    assert color(graph, k=1).k == 1
    assert color(Graph.from_edges(0, [])).k == 0
    assert color(Graph.from_edges(3, [])).k == 1


def test_rules_are_refused():
    with pytest.raises(InputError, match="focused does not understand preset"):
        cc.solve(family("path:3"), "focused", preset={0: 1})


@pytest.mark.slow
def test_a_time_limit_and_ctrl_c_end_it_with_the_best():
    graph = family("er:3000x0.01").but(chi=None)
    with ended_by(0.3):
        found = solution_of(focused)(graph, time_limit=0.3)
    assert found.coloring.is_proper
    with pytest.raises(Interrupted) as stop:
        solution_of(focused)(graph, time_limit=120.0, progress=CtrlC())
    assert stop.value.best.coloring.is_proper


@pytest.mark.parametrize("method", ["tabucol", "weighted", "portfolio", "discrete-color"])
def test_where_a_table_would_be_too_large_there_is_none(method, monkeypatch):
    monkeypatch.setattr(searches, "ENTRIES", 100)
    monkeypatch.setattr(Search, "_state", lambda *_: pytest.fail("a table was made"))
    monkeypatch.setattr("concolor.solvers.portfolio.LARGE", 100)
    found = cc.solve(family("queen:8x8").but(chi=None), method, time_limit=0.3)
    assert found.coloring.is_proper
    assert cc.solve(family("queen:8x8"), "dsatur", k=5).coloring.k <= 5


@pytest.mark.slow
def test_walks_begin_from_the_colors_they_are_given():
    graph = family("planted:500x4x0.2", seed=1)
    best = tabucol(Task.of(graph)).coloring
    search = Search(Task.of(graph))
    found = walking(10)(search, [(np.arange(best.k), best.colors)], 0)
    assert found[0] == 0 and found[1].tolist() == best.colors.tolist()
    assert len(module.NOISES) == 2
