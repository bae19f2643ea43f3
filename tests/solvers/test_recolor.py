"""Few changes where a graph changed a little."""

import json

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concolor as cc
from concolor.coloring import earlier_colors
from concolor.goal import Task
from concolor.graph.structure import csr
from concolor.solvers.kernels import recolor as kernels
from concolor.solvers.recolor import CLAUSES, _Change, old_colors, recolor
from shell import concolor
from small_graphs import graphs


def fewest(graph, old, k):
    """The fewest changes of all proper colorings with colors 0..k-1; None where there are none."""
    colors = np.indices((k,) * graph.n).reshape(graph.n, k**graph.n).T
    u, v = graph.edges.T
    colors = colors[(colors[:, u] != colors[:, v]).all(axis=1)]
    return ((old >= 0) & (colors != old)).sum(axis=1).min() if len(colors) else None


@settings(deadline=None, max_examples=80)
@given(graphs(6), st.integers(1, 4), st.data())
def test_the_fewest_changes_are_those_of_all_colorings(graph, k, data):
    old = np.array(data.draw(st.lists(st.integers(-1, 4), min_size=graph.n, max_size=graph.n)))
    least, found = fewest(graph, old, k), recolor(graph, old, k=k)
    assert found.is_impossible == (least is None)
    assert found.coloring.k <= k
    if least is None:
        assert not found.coloring.is_proper
        return
    assert found.coloring.is_proper and found.changes == found.lower == least and found.is_proved


@settings(deadline=None, max_examples=80)
@given(graphs(5), st.data())
def test_what_is_proved_under_rules_is_true(graph, data):
    """Nodes whose old color is forbidden change in any case, and are counted once."""
    k, n = 3, graph.n
    old = np.array(data.draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n)), int)
    banned = [data.draw(st.sets(st.integers(0, 2), max_size=2)) for _ in range(n)]
    colors = np.indices((k,) * n).reshape(n, k**n).T
    u, v = graph.edges.T
    fine = (colors[:, u] != colors[:, v]).all(axis=1)
    for node in range(n):
        fine &= ~np.isin(colors[:, node], list(banned[node]))
    found = recolor(graph, old, k=k, forbidden=dict(enumerate(banned)))
    if not fine.any():
        assert not found.coloring.is_proper
        return
    least = ((old >= 0) & (colors[fine] != old)).sum(axis=1).min()
    assert found.coloring.is_proper and found.changes == found.lower == least


@settings(deadline=None, max_examples=40)
@given(graphs(9), st.integers(0, 5), st.data())
def test_fewest_colors_within_a_number_of_changes(graph, most, data):
    old = cc.dsatur(graph).colors + data.draw(st.integers(0, 2))
    found = recolor(graph, old, max_changes=most)
    assert found.coloring.is_proper and found.changes <= most
    assert found.coloring.k <= len(np.unique(old))


@settings(deadline=None, max_examples=100)
@given(graphs(9), st.data())
def test_compiled_loops_are_plain_ones(graph, data):
    def drawn(low, high):
        return np.array(data.draw(st.lists(st.integers(low, high), min_size=n, max_size=n)), int)

    n, k, parts = graph.n, 3, csr(graph)
    colors, edges = drawn(-1, k - 1), graph.edges.tolist()
    taken = set()
    for u, v in edges:
        if 0 <= colors[u] == colors[v] and not {u, v} & taken:
            taken |= {u, v}
    assert kernels.matched(*parts, colors) == len(taken) // 2
    free = colors < 0
    slow = free.copy()
    while bad := [e for e in edges if not slow[e].any() and colors[e[0]] == colors[e[1]]]:
        slow[np.bincount(np.ravel(bad)).argmax()] = True
    kernels.uncover(*parts, colors, free)
    assert free.tolist() == slow.tolist()
    nodes, allowed = np.flatnonzero(free), np.ones((n, k), bool)
    allowed[np.arange(n), drawn(0, k - 1)] = False
    open_to, some = allowed[nodes], drawn(0, k - 1)
    kernels.close(*parts, colors, free, nodes, open_to)
    for row, v in enumerate(nodes):
        near = {int(colors[u]) for u in graph.neighbors(v) if not free[u]}
        assert open_to[row].tolist() == [bool(allowed[v, c]) and c not in near for c in range(k)]
    in_conflict = [bool(free[v] and (some[graph.neighbors(v)] == some[v]).any()) for v in range(n)]
    assert kernels.troubled(*parts, some, free).tolist() == in_conflict
    for v in nodes:
        fixed = [int(u) for u in graph.neighbors(v) if not slow[u]]
        count = [sum(colors[u] == c for u in fixed) for c in range(k)]
        cost = [count[c] if count[c] and allowed[v, c] else n + 1 for c in range(k)]
        slow[[u for u in fixed if colors[u] == cost.index(min(cost))]] = True
    kernels.make_way(*parts, colors, free, nodes, allowed)
    assert free.tolist() == slow.tolist()
    old, may_stay, back = drawn(0, k - 1), drawn(0, 1) == 1, some.copy()
    for v in range(n):
        if may_stay[v] and not (back[graph.neighbors(v)] == old[v]).any():
            back[v] = old[v]
    kernels.go_back(*parts, old, may_stay, some)
    assert some.tolist() == back.tolist()


def test_without_time_old_colors_stay_where_they_are_in_no_conflict():
    graph = cc.family("er:60x0.5", seed=1)
    old = cc.dsatur(graph).colors.copy()
    old[:6] = 0
    found = recolor(graph, old, time_limit=0)
    ends = graph.edges[old[graph.edges[:, 0]] == old[graph.edges[:, 1]]]
    assert found.coloring.is_proper and 0 < found.changes <= len(ends)
    k = recolor(graph, old, k=9, time_limit=0).coloring
    assert k.k <= 9 and not k.is_proper


@pytest.mark.parametrize("exactly", [True, False])
def test_an_edge_more_moves_a_node_or_two(exactly, monkeypatch):
    if not exactly:
        monkeypatch.setattr("concolor.solvers.recolor.CLAUSES", 0)
    graph = cc.family("er:60x0.1", seed=1)
    old = cc.color(graph)
    u, v = next(
        (u, v)
        for u in range(60)
        for v in range(u)
        if old.colors[u] == old.colors[v] and u not in graph.neighbors(v)
    )
    more = cc.Graph.from_edges(60, [*graph.edges.tolist(), (u, v)])
    found = recolor(more, old, k=old.k + 1)
    assert found.coloring.is_proper and found.changes == 1


def test_large_graphs_keep_nearly_all():
    graph = cc.family("er:3000x0.003", seed=2)
    assert graph.n * 25 > CLAUSES / 10
    old = cc.dsatur(graph)
    rng = np.random.default_rng(0)
    more = cc.Graph.from_edges(
        3000, [*graph.edges.tolist(), *rng.integers(0, 3000, (50, 2)).tolist()]
    )
    wrong = cc.Coloring(more, old.colors).conflicts
    found = recolor(more, old)
    assert wrong > 3 and found.coloring.is_proper and found.coloring.k == old.k
    assert found.lower <= found.changes <= 3 * wrong


def test_nodes_are_found_by_name_and_new_ones_are_free():
    before = cc.from_networkx(nx.path_graph(["a", "b", "c"]))
    after = nx.cycle_graph(["d", "c", "a", "b"])
    found = recolor(after, cc.Coloring(before, [0, 1, 0]))
    assert found.old.tolist() == [-1, 0, 0, 1]
    assert found.changes == found.lower == 1 and found.coloring.k == 2
    assert recolor(after, {"a": 5, "b": 7}).coloring.by_node()["a"] == 5


def test_rules_come_first():
    graph = cc.family("path:4")
    found = recolor(graph, [0, 1, 0, 1], preset={0: 1}, k=3)
    assert found.coloring.colors[0] == 1 and found.coloring.is_proper
    assert found.changes == found.lower == 2
    assert recolor(graph, [0, 1, 0, 1], forbidden={3: [1]}, k=3).coloring.colors.tolist() == [
        *(0, 1, 0, 2)
    ]


@pytest.mark.parametrize(
    ("old", "options", "message"),
    [
        ([0] * 9, {}, "where nodes were removed, give them by name"),
        ([0.5] * 3, {}, "old colors must be whole numbers"),
        ([0, 1, 0], {"max_changes": -1}, "max_changes must be at least 0"),
    ],
)
def test_what_cannot_be_used_is_refused(old, options, message):
    with pytest.raises(cc.ConcolorError, match=message):
        recolor(cc.family("path:3"), old, **options)


def test_an_empty_graph_and_no_old_colors():
    assert recolor(cc.Graph.from_edges(0, []), []).changes == 0
    assert old_colors(cc.family("path:3"), []).tolist() == [-1, -1, -1]
    assert recolor(cc.family("path:3"), []).coloring.k == 2


def test_from_the_shell(tmp_path):
    old, new, out = tmp_path / "old.csv", tmp_path / "new.csv", tmp_path / "out.csv"
    new.write_text("source,target\nmath,art\nart,music\nmusic,math\nmusic,sports\n")
    old.write_text("node,color\nmath,0\nart,1\nmusic,0\ngone,4\n")
    code, printed, _ = concolor("recolor", new, "--near", old, "-o", out, "--json")
    found = json.loads(printed)
    assert code == 0 and found["changes"] == 1 and found["proved"] and found["new"] == 1
    assert found["changed"] in (["math"], ["music"]) and found["k"] == 3
    assert out.read_text().startswith("node,color\n")
    code, printed, err = concolor("recolor", new, "--near", old, "-k", 2)
    assert code == 1 and "goal not reached: 1 conflicts" in err and "fewest_changes" in printed
    assert "proved: 2 colors are too few" in err
    code, _, err = concolor("recolor", new, "--near", old, "--max-changes", 0)
    assert code == 1 and "1 changes" in err


def test_old_files_by_place(tmp_path):
    graph, old = cc.family("path:4"), cc.Coloring(cc.family("path:3"), [0, 1, 0])
    for kind in ("sol", "json"):
        old.save(tmp_path / f"old.{kind}")
        assert earlier_colors(graph, tmp_path / f"old.{kind}").tolist() == [0, 1, 0, -1]
        with pytest.raises(cc.ConcolorError, match=r"only a \.csv file with names tells which"):
            earlier_colors(cc.family("path:2"), tmp_path / f"old.{kind}")
    (tmp_path / "bad.csv").write_text("node,color\n0,red\n")
    with pytest.raises(cc.ConcolorError, match="expected a node that has no color yet"):
        earlier_colors(graph, tmp_path / "bad.csv")


def test_the_exact_step_counts_a_node_that_must_change_once():
    task = Task.of(cc.family("path:3"), k=3, forbidden={0: [0]})
    change = _Change(task, np.array([0, 1, 0]), 3)
    change.now = np.array([1, 2, 0])  # proper, with a change more than the first node needs
    change.ask()
    assert change.now.tolist() == [2, 1, 0] and change.lower == 1
