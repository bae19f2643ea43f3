"""DSATUR in lines beside a slow twin, and beside the heap."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concolor as cc
from concolor.rules import Rules
from concolor.solvers import greedy
from concolor.solvers.greedy import saturated


@pytest.fixture
def in_lines(monkeypatch):
    """As if every graph were large."""
    monkeypatch.setattr(greedy, "HEAP", 0)
    monkeypatch.setattr(greedy, "LINES", 10**6)


def slow(graph, rules):
    """Most closed colors, then most neighbors without a color, as they were when a node came to the
    end of its line; those who wait longest first."""
    colors, closed, tick = rules.preset.tolist(), [set() for _ in range(graph.n)], graph.n
    for v in range(graph.n):
        closed[v] |= {int(c) for c in rules.bans[rules.ban_ptr[v] : rules.ban_ptr[v + 1]]}
        closed[v] |= {colors[u] for u in graph.neighbors(v) if colors[u] >= 0}

    def free(v):
        return sum(colors[u] < 0 for u in graph.neighbors(v))

    waiting = {v: (len(closed[v]), free(v), -v) for v in range(graph.n) if colors[v] < 0}
    while waiting:
        v = max(waiting, key=waiting.get)
        tick += 1
        if waiting[v][1] != free(v):
            waiting[v] = (len(closed[v]), free(v), -tick)
            continue
        del waiting[v]
        colors[v] = next(c for c in range(graph.n + 99) if c not in closed[v])
        for u in map(int, graph.neighbors(v)):
            if u in waiting and colors[v] not in closed[u]:
                tick += 1
                closed[u].add(colors[v])
                waiting[u] = (len(closed[u]), free(u), -tick)
    return colors


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 14), st.integers(0, 2**16), st.floats(0.05, 0.9), st.booleans())
def test_in_lines_is_the_slow_twin(n, seed, p, ruled):
    graph = cc.family(f"er:{n}x{p:.3f}", seed=seed)
    rules = Rules.of(graph, {0: 2}, {n - 1: [0, 70]}) if ruled and n > 1 else Rules.of(graph)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(greedy, "HEAP", 0)
        patch.setattr(greedy, "LINES", 10**6)
        assert saturated(graph, rules).tolist() == slow(graph, rules)


@pytest.mark.parametrize("n", [32, 33, 64, 65, 100])
def test_more_colors_than_fit_into_a_word_are_found_in_lines_too(in_lines, n):
    graph = cc.family(f"complete:{n}")
    assert sorted(saturated(graph, Rules.of(graph))) == list(range(n))


def test_wishes_are_kept_where_a_color_is_free(in_lines):
    graph = cc.family("path:3")
    wishes = np.float32([[0, 1], [0, 1], [0, 1]])
    assert saturated(graph, Rules.of(graph), wishes).tolist() == [0, 1, 0]


def test_bipartite_graphs_stay_exact_in_lines(in_lines):
    graph = cc.family("grid:20x30")
    assert saturated(graph, Rules.of(graph)).max() == 1


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["er:3000x0.01", "geometric:3000x0.05", "barabasi:3000x6"])
def test_lines_need_about_as_many_colors_as_a_heap(spec):
    graphs = [cc.family(spec, seed=seed) for seed in range(4)]
    heap = sum(cc.dsatur(graph).k for graph in graphs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(greedy, "HEAP", 0)
        patch.setattr(greedy, "LINES", 10**6)
        lines = [cc.dsatur(graph) for graph in graphs]
    assert all(found.is_proper for found in lines)
    assert sum(found.k for found in lines) <= 1.05 * heap


@pytest.mark.slow
def test_a_hub_leaves_a_large_graph_to_the_heap():
    n = 60_000
    star = cc.Graph.from_edges(n, np.c_[np.zeros(n - 1, int), np.arange(1, n)])
    assert cc.dsatur(star).k == 2
