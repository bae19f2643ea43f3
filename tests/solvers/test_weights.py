"""Edges with weights: the least weight in conflict with k colors."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concolor as cc
from concolor.errors import InputError
from concolor.goal import Clock, Goal, Task
from concolor.solvers.interference import Interference, allowed_colors, placed, quieten
from concolor.solvers.weights import Lightest, lightest, proved_lightest
from shell import concolor
from small_graphs import all_colorings, edge_weighted


def lightest_of_all(graph, k, preset=None, forbidden=None):
    """Every coloring, one by one."""
    colors = all_colorings(graph.n, k)
    for node, color in (preset or {}).items():
        colors = colors[colors[:, node] == color]
    for node, banned in (forbidden or {}).items():
        colors = colors[~np.isin(colors[:, node], list(banned))]
    u, v = graph.edges.T
    return ((colors[:, u] == colors[:, v]) @ graph.weights).min()


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(edge_weighted(), st.integers(1, 4))
def test_the_least_weight_is_that_of_all_colorings(graph, k):
    least = lightest_of_all(graph, k)
    found = cc.solve(graph, "exact", k=k)
    assert found.is_proved and found.lower == found.upper == found.coloring.weight == least
    assert found.coloring.k <= k and found.hit == (least == 0)
    searched = cc.solve(graph, "tabucol", k=k)
    assert searched.coloring.weight == least and searched.lower <= least


@settings(deadline=None, max_examples=40)
@given(edge_weighted(5), st.data())
def test_rules_are_kept_and_nothing_that_keeps_them_is_lighter(graph, data):
    k, color = 3, st.integers(0, 2)
    preset = {}
    for v in range(graph.n):
        c = data.draw(st.none() | color)
        if c is not None and c not in {preset.get(u) for u in graph.neighbors(v).tolist()}:
            preset[v] = c
    banned = {v: {data.draw(color)} - {preset.get(v)} for v in range(graph.n)}
    least = lightest_of_all(graph, k, preset, banned)
    for method in ("exact", "tabucol"):
        found = cc.solve(graph, method, k=k, preset=preset, forbidden=banned)
        assert found.coloring.weight == least >= found.lower
        assert all(found.coloring.colors[v] == c for v, c in preset.items())
        assert all(found.coloring.colors[v] not in out for v, out in banned.items())


@settings(deadline=None, max_examples=60)
@given(edge_weighted(7), st.integers(1, 4), st.floats(0.001, 1000))
def test_bounds_are_true_whatever_the_unit(graph, k, unit):
    graph = graph.but(weights=graph.weights * unit)
    search = Lightest(Task.of(graph, k=k, weighted=True))
    least = lightest_of_all(graph, k)
    assert search.lower <= least * (1 + 1e-12)
    search.begin()
    search.search([search.best.colors], Clock(), patience=2000)
    assert math.isclose(search.best.weight, least)


@given(edge_weighted(), st.data())
def test_a_coloring_weighs_its_conflicts(graph, data):
    colors = data.draw(st.lists(st.integers(0, 2), min_size=graph.n, max_size=graph.n))
    coloring = cc.Coloring(graph, np.array(colors, int))
    pairs = zip(graph.edges.tolist(), graph.weights.tolist(), strict=True)
    assert coloring.weight == sum(w for (u, v), w in pairs if colors[u] == colors[v])
    assert cc.Coloring(graph.but(weights=None), coloring.colors).weight is None


@given(edge_weighted(), st.integers(1, 3), st.data())
def test_no_node_gains_where_all_are_placed(graph, k, data):
    noise = Interference(graph, graph.weights, np.ones(graph.m, int))
    color = st.integers(-1, k - 1)
    start = np.array(data.draw(st.lists(color, min_size=graph.n, max_size=graph.n)), int)
    colors = placed(noise, start, np.ones((1, k), bool), Clock())
    for v in range(graph.n):
        for c in range(k):
            other = colors.copy()
            other[v] = c
            assert noise.cost(other) >= noise.cost(colors)


@pytest.fixture(scope="module")
def random():
    rng = np.random.default_rng(1)
    graph = cc.family("er:40x0.4", seed=1)
    return graph.but(weights=rng.integers(1, 50, graph.m))


def test_the_search_repeats_by_its_seed_and_keeps_its_books(random):
    noise = Interference(random, random.weights, np.ones(random.m, int))
    runs = []
    for _ in range(2):
        kept = []
        allowed = allowed_colors(Goal.of(random, k=3).rules, 3)
        starts = [np.full(random.n, -1)] * 2
        quieten(noise, starts, allowed, kept.append, seed=5, clock=Clock(), patience=3000)
        runs.append(kept)
    costs = [noise.cost(colors) for colors in runs[0]]
    assert costs[-1] == min(costs) < costs[0]
    assert np.array_equal(runs[0][-1], runs[1][-1])


def test_permuted_nodes_and_scaled_weights_weigh_the_same(random):
    best = lightest(Task.of(random, k=4, weighted=True), patience=20_000).coloring.weight
    order = np.random.default_rng(0).permutation(random.n)
    other = random.subgraph(order)
    assert lightest(Task.of(other, k=4, weighted=True), patience=20_000).coloring.weight == best
    third = random.but(weights=random.weights / 3)
    found = lightest(Task.of(third, k=4, weighted=True), patience=20_000).coloring.weight
    assert math.isclose(found, best / 3)


@pytest.mark.slow
def test_color_is_no_worse_than_the_search_alone_and_blind_to_nothing(random):
    found = next(cc.answers([random], k=3, time_limit=2))
    blind = cc.color(random.but(weights=None), k=3, time_limit=1)
    alone = cc.solve(random, "tabucol", k=3).coloring.weight
    assert found.solution.goal.minimized == "weight"
    assert found.coloring.weight <= alone
    assert found.coloring.weight < cc.Coloring(random, blind.colors).weight
    assert found.solution.lower <= found.coloring.weight


def test_pareto_goes_down_by_weight(random):
    curve = cc.pareto(random, patience=3000)
    weights = [found.weight for found in curve.values()]
    assert weights == sorted(weights, reverse=True) and weights[-1] == 0
    assert weights[0] == random.weights.sum() and list(curve) == list(range(1, len(curve) + 1))


def test_without_k_weights_do_not_matter(random):
    found = cc.solve(random)
    assert found.coloring.is_proper and found.coloring.weight == 0
    assert found.goal.minimized == "k"


def test_too_large_for_a_table_is_placed_all_the_same(random, monkeypatch):
    monkeypatch.setattr("concolor.solvers.interference.ENTRIES", 10)
    found = cc.solve(random, k=3).coloring
    assert 0 < found.weight < random.weights.sum() / 3


def test_a_proof_cut_by_time_claims_nothing(random):
    found = proved_lightest(
        Task.of(random, k=3, weighted=True, time_limit=0.2),
    )
    assert found.lower < found.coloring.weight and not found.is_proved


@pytest.mark.parametrize(
    ("method", "more", "reason"),
    [
        ("rlf", {"k": 3}, "rlf does not know the weights of .*portfolio, tabucol, exact"),
        ("tabucol", {"k": 3, "max_class": 20}, "together with max_class"),
        ("tabucol", {"k": 3, "balanced": True}, "together with max_class"),
        ("tabucol", {"max_mono": 0.1}, "max_mono=0.1 counts edges"),
    ],
)
def test_what_cannot_be_asked_with_weights_is_refused(random, method, more, reason):
    with pytest.raises(InputError, match=reason):
        cc.solve(random, method, **more)


@pytest.fixture
def wifi(tmp_path):
    path = tmp_path / "wifi.csv"
    path.write_text(
        "source,target,weight\nhall,desk,5\ndesk,cafe,3.5\nhall,cafe,4\nhall,roof,9\n"
        "desk,roof,9\ncafe,roof,9\n"
    )
    return path


def test_the_shell_colors_by_weight_and_names_nodes(wifi, tmp_path):
    code, out, err = concolor(
        "color", wifi, "-k", 3, "--weights", "--json", "-o", tmp_path / "out.csv"
    )
    found = json.loads(out)
    assert code == 1 and found["weight"] == 3.5 == found["lower"] == found["upper"]
    assert (found["minimized"], found["proved"], found["conflicts"]) == ("weight", True, 1)
    rows = dict(line.split(",") for line in (tmp_path / "out.csv").read_text().split()[1:])
    assert rows["desk"] == rows["cafe"] and len(set(rows.values())) == 3
    _, out, err = concolor("color", wifi, "-k", 3, "--weights")
    assert "weight" in out and "1 conflicts of weight 3.5 are left" in err
    curve = json.loads(concolor("pareto", wifi, "--weights", "--json")[1])["curve"]
    assert [row["weight"] for row in curve] == [39.5, 12.5, 3.5, 0]
    _, out, _ = concolor("solve", wifi, "-k", 2, "--weights", "--method", "exact", "--json")
    assert json.loads(out)["weight"] == 12.5
    report = tmp_path / "r.html"
    concolor("color", wifi, "-k", 3, "--weights", "--report", report)
    assert "in conflict, of all edges together" in report.read_text()


def test_the_shell_refuses_what_has_no_weights(tmp_path, wifi):
    bare = tmp_path / "bare.csv"
    bare.write_text("source,target\na,b\n")
    for words in (("queen:5x5",), (bare,), (f"line:{wifi}",)):
        code, _, err = concolor("color", *words, "-k", 3, "--weights", "-o", tmp_path / "x.csv")
        assert code == 2 and "weight" in err
    assert not (tmp_path / "x.csv").exists()
