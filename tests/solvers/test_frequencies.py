"""Frequencies that must be so far apart."""

import json
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concolor as cc
from concolor.errors import Doubt, InputError
from concolor.solvers.frequencies import _path, _tree, frequencies, narrowest
from concolor.solvers.interference import Interference
from concolor.solvers.kernels import interference as kernels
from shell import concolor
from small_graphs import all_colorings, edge_weighted


def plans(graph, k):
    """Every assignment ``[k^n, n]``, and which edges each violates ``[k^n, m]``."""
    every = all_colorings(graph.n, k)
    u, v = graph.edges.T
    return every, np.abs(every[:, u] - every[:, v]) < graph.weights


def fewest_channels(graph):
    return next(k for k in range(99) if graph.n == 0 or (k and (~plans(graph, k)[1]).all(1).any()))


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(edge_weighted(5, most=3))
def test_the_fewest_channels_are_those_of_all_plans(graph):
    found = frequencies(graph)
    fewest = fewest_channels(graph)
    assert found.hit and found.is_proved and found.used == found.lower == fewest
    assert narrowest(graph, graph.weights.astype(int)) <= max(fewest, 1)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(edge_weighted(5, most=3), st.integers(1, 4), st.data())
def test_the_least_cost_is_that_of_all_plans(graph, k, data):
    costs = data.draw(st.lists(st.integers(1, 5), min_size=graph.m, max_size=graph.m))
    _, violated = plans(graph, k)
    few, light = frequencies(graph, channels=k), frequencies(graph, channels=k, weights=costs)
    assert few.violations == few.lower == violated.sum(axis=1).min() and few.is_proved
    assert light.weight == light.lower == (violated @ np.array(costs, float)).min()
    assert few.used <= k >= light.used and light.is_proved
    u, v = light.violated.T if light.violations else np.empty((2, 0), int)
    colors = light.coloring.colors
    apart = dict(zip(map(tuple, graph.edges.tolist()), graph.weights.tolist(), strict=True))
    pairs = zip(u.tolist(), v.tolist(), strict=True)
    assert all(abs(colors[a] - colors[b]) < apart[a, b] for a, b in pairs)


@settings(deadline=None, max_examples=30)
@given(edge_weighted(4, most=3), st.data())
def test_rules_are_kept(graph, data):
    k = 5
    banned = {v: data.draw(st.sets(st.integers(0, k - 1), max_size=3)) for v in range(graph.n)}
    preset = {0: data.draw(st.sampled_from(sorted(set(range(k)) - banned[0])))} if graph.n else {}
    every, violated = plans(graph, k)
    fine = np.ones(len(every), bool)
    for node in range(graph.n):
        fine &= ~np.isin(every[:, node], list(banned[node]))
        fine &= every[:, node] == preset.get(node, every[:, node])
    found = frequencies(graph, channels=k, preset=preset, forbidden=banned)
    assert found.violations == violated[fine].sum(axis=1).min()
    colors = found.coloring.colors.tolist()
    assert all(colors[v] not in out for v, out in banned.items())
    assert all(colors[v] == c for v, c in preset.items())
    free = frequencies(graph, preset=preset, forbidden=banned)
    assert free.hit and all(free.coloring.colors[v] == c for v, c in preset.items())
    assert all(free.coloring.colors[v] not in out for v, out in banned.items())


def lowest_free(graph, colors, banned, v):
    """By looking at every color from 0 on."""
    near = [
        (colors[b if a == v else a], w)
        for (a, b), w in zip(graph.edges.tolist(), graph.weights, strict=True)
        if v in (a, b)
    ]
    return next(c for c in range(999) if c not in banned[v]
                and all(other < 0 or abs(c - other) >= w for other, w in near))  # fmt: skip


@pytest.mark.parametrize("saturated", [False, True])
@settings(deadline=None, max_examples=60)
@given(edge_weighted(7, most=70), st.data())
def test_a_greedy_plan_is_that_of_plain_loops(saturated, graph, data):
    n = graph.n
    colors = data.draw(st.lists(st.integers(-1, 9).map(lambda c: c // 5), min_size=n, max_size=n))
    banned = [sorted(data.draw(st.sets(st.integers(0, 6)))) for _ in range(n)]
    order = data.draw(st.permutations(range(n)))
    bans = (
        np.array([c for colors in banned for c in colors], int),
        np.r_[0, np.cumsum([len(b) for b in banned])].astype(int),
    )
    noise = Interference(graph, np.ones(graph.m), graph.weights.astype(int))
    indptr, indices, _, reach = noise.arcs
    given, found = (indptr, indices, reach), np.array(colors, int)
    if saturated:
        closed = np.zeros((n, 20), np.uint64)
        assert kernels.saturated_fit(*given, found, *bans, np.array(order, int), closed)
    else:
        kernels.first_fit(*given, found, *bans, np.array(order, int))
    while any(color < 0 for color in colors):
        left = [v for v in order if colors[v] < 0]
        low = {v: lowest_free(graph, colors, banned, v) for v in left}
        v = max(left, key=low.__getitem__) if saturated else left[0]
        colors[v] = low[v]
    assert found.tolist() == colors


def test_a_table_that_is_too_narrow_says_so():
    noise = Interference(cc.family("complete:3"), np.ones(3), np.full(3, 40))
    indptr, indices, _, reach = noise.arcs
    bans = np.empty(0, int), np.zeros(4, int)
    for words, is_enough in ((1, False), (2, True)):
        closed, found = np.zeros((3, words), np.uint64), np.full(3, -1)
        given = (indptr, indices, reach, found, *bans, np.arange(3), closed)
        assert kernels.saturated_fit(*given) is is_enough
    assert found.tolist() == [0, 40, 80]


@given(st.integers(1, 6), st.data())
def test_a_path_through_a_clique_is_the_shortest_and_a_tree_is_no_longer(q, data):
    square = np.zeros((q, q), int)
    for i in range(q):
        for j in range(i):
            square[i, j] = square[j, i] = data.draw(st.integers(1, 9))
    each = [sum(square[a, b] for a, b in pairwise(p)) for p in permutations(range(q))]
    assert _path(square) == min(each) >= _tree(square)


def test_a_separation_of_one_is_a_coloring():
    graph = cc.family("queen:6x6")
    plan = frequencies(graph.but(weights=np.ones(graph.m)), time_limit=2)
    assert plan.hit and plan.used == 7 and plan.coloring.is_proper


@pytest.mark.slow
def test_the_same_seed_gives_the_same_plan_and_more_channels_never_hurt(monkeypatch):
    monkeypatch.setattr("concolor.solvers.frequencies.PATIENCE", 3000)
    monkeypatch.setattr("concolor.solvers.maxsat.CLAUSES", 0)
    rng = np.random.default_rng(3)
    graph = cc.family("geometric:60x0.25", seed=3)
    graph = graph.but(weights=rng.integers(1, 5, graph.m))
    one, other = (frequencies(graph, channels=12, seed=4) for _ in range(2))
    assert one.coloring == other.coloring and one.violations > 0
    assert frequencies(graph, channels=20, seed=4).violations <= one.violations
    cut = frequencies(graph, time_limit=0.05)
    assert cut.hit and cut.lower <= cut.used


@pytest.mark.parametrize(
    ("weights", "more", "reason"),
    [
        (None, {}, "has no separations"),
        ([1.5, 1], {}, "edge of 0 and 1 has separation 1.5: separations are whole"),
        ([3, 1], {"preset": {0: 0, 1: 2}}, "preset to 0 and 2, but must be 3 apart"),
        ([3, 1], {"weights": [1]}, "one number for each of 2 edges"),
        ([3, 1], {"channels": 0}, "k must be"),
    ],
)
def test_what_cannot_be_planned_is_refused(weights, more, reason):
    with pytest.raises(InputError, match=reason):
        frequencies(cc.family("path:3").but(weights=weights), **more)


@pytest.fixture
def masts(tmp_path):
    path = tmp_path / "masts.csv"
    path.write_text("source,target,d\nAlder,Birch,3\nBirch,Cedar,2\nAlder,Cedar,1\nAlder,Birch,1\n")
    return path


def test_the_shell_plans_by_name(masts, tmp_path):
    code, out, _ = concolor("frequencies", masts, "--json", "-o", tmp_path / "plan.csv")
    found = json.loads(out)
    assert code == 0 and (found["channels"], found["span"]) == (4, 3)
    assert found["proved"] and found["violations"] == 0 and found["minimized"] == "channels"
    rows = dict(line.split(",") for line in (tmp_path / "plan.csv").read_text().split()[1:])
    assert abs(int(rows["Alder"]) - int(rows["Birch"])) >= 3
    costs = tmp_path / "costs.csv"
    costs.write_text("source,target,w\nBirch,Alder,9\nCedar,Birch,4\nCedar,Alder,0.5\n")
    code, out, _ = concolor("frequencies", masts, "--channels", 3, "--weights", costs, "--json")
    found = json.loads(out)
    assert code == 1 and found["weight"] == 9 == found["lower"]
    code, out, err = concolor("frequencies", masts, "--channels", 3)
    assert code == 1 and "too near: " in out and "1 pairs are too near" in err
    costs.write_text("source,target,w\nBirch,Alder,9\n")
    code, _, err = concolor("frequencies", masts, "--weights", costs)
    assert code == 2 and "no weight for the edge of Alder and Cedar" in err


def test_bandwidth_files_keep_their_distances(tmp_path):
    path = tmp_path / "g.col"
    path.write_text("p band 3 3\nn 1 2\ne 1 2 4\ne 2 3 2\ne 1 1 5\n")
    with pytest.warns(Doubt, match="demands of 'p band' are ignored"):
        graph = cc.read(path, weights="max")
    assert graph.weights.tolist() == [4, 2] and frequencies(graph).used == 5
