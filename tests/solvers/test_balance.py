"""Classes of limited or nearly equal size."""

import json
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concolor as cc
from concolor.goal import Clock
from concolor.graph.structure import csr
from concolor.solvers.balance import ALL, balanced
from concolor.solvers.kernels.balance import cut, even_out, exchange, level, shift, spill
from concolor.solvers.sat import Question, sized
from shell import concolor
from small_graphs import graphs


def sizes_of(coloring, k=None):
    return np.bincount(coloring.colors, minlength=k or coloring.k)


def all_proper(graph, k):
    """The sizes ``[colorings, k]`` of the classes of every proper coloring with colors 0..k-1."""
    colors = np.indices((k,) * graph.n).reshape(graph.n, k**graph.n).T
    u, v = graph.edges.T
    colors = colors[(colors[:, u] != colors[:, v]).all(axis=1)]
    return (colors[:, :, None] == np.arange(k)).sum(axis=1)


@settings(deadline=None)
@given(graphs(14), st.integers(1, 4))
def test_sizes_differ_by_at_most_one(graph, more):
    k = graph.degrees.max(initial=0) + more
    coloring = balanced(graph, k)
    assert coloring.is_proper
    assert np.ptp(sizes_of(coloring, k)) <= 1


@settings(deadline=None, max_examples=60)
@given(graphs(6), st.integers(1, 4))
def test_the_fewest_colors_under_a_capacity_are_those_of_all_colorings(graph, most):
    fewest = 0
    while not (all_proper(graph, fewest).max(axis=1, initial=0) <= most).any():
        fewest += 1
    found = cc.solve(graph, "exact", max_class=most)
    assert found.coloring.is_proper and found.coloring.k == fewest and found.hit
    assert found.lower <= fewest and sizes_of(found.coloring).max(initial=0) <= most
    if graph.n:
        assert found.lower >= -(-graph.n // most)


@settings(deadline=None, max_examples=60)
@given(graphs(6), st.integers(0, 2))
def test_the_least_spread_is_that_of_all_colorings(graph, more):
    k = cc.solve(graph, "exact").coloring.k + more
    if not 0 < k <= graph.n:
        return
    least = np.ptp(all_proper(graph, k), axis=1).min()
    found = cc.solve(graph, "dsatur" if more else "exact", k=k, balanced=True)
    if found.coloring.is_proper:  # DSATUR may miss k
        assert np.ptp(sizes_of(found.coloring, k)) == least


@settings(deadline=None)
@given(graphs(14), st.integers(1, 4), st.integers(1, 5), st.booleans())
def test_with_at_most_k_colors_a_capacity_is_kept_whatever_it_costs(graph, k, most, even):
    if k * most < graph.n:
        with pytest.raises(cc.ConcolorError, match=f"k={k} classes of at most {most} nodes hold"):
            cc.solve(graph, "dsatur", k=k, max_class=most)
        return
    coloring = cc.solve(graph, "dsatur", k=k, max_class=most, balanced=even).coloring
    assert sizes_of(coloring, k).max(initial=0) <= most and coloring.k <= k


@settings(deadline=None)
@given(graphs(14), st.integers(0, 100), st.integers(1, 6))
def test_every_step_keeps_a_coloring_proper_and_its_sizes_true(graph, seed, most):
    if graph.n == 0:
        return
    colors, rng = cc.dsatur(graph).colors.copy(), np.random.default_rng(seed)
    k = colors.max() + 2
    sizes = np.bincount(colors, minlength=k)
    allowed = rng.random((graph.n, k)) < 0.8
    allowed[np.arange(graph.n), colors] = True

    def steps():
        before = (sizes**2).sum()
        moves = even_out(*csr(graph), colors, sizes, allowed)
        yield (sizes**2).sum() < before if moves else (sizes**2).sum() == before
        before = (sizes**2).sum()
        moved = shift(*csr(graph), colors, sizes, allowed)
        yield (sizes**2).sum() < before if moved else (sizes**2).sum() == before
        largest = sizes.max()
        v, c = rng.integers(graph.n), rng.integers(k)
        exchange(*csr(graph), colors, sizes, allowed, v, c)
        yield sizes.max() <= largest

    for _ in range(5):
        for went_well in steps():
            assert went_well and cc.Coloring(graph, colors).is_proper
            assert allowed[np.arange(graph.n), colors].all()
            np.testing.assert_array_equal(sizes, np.bincount(colors, minlength=k))
    for clashes, may in ((0, allowed), (graph.n, ALL)):
        other, counts = colors.copy(), sizes.copy()
        spill(*csr(graph), other, counts, may, most, clashes)
        np.testing.assert_array_equal(counts, np.bincount(other, minlength=k))
        assert counts.max() <= max(most, sizes.max())
        assert clashes or cc.Coloring(graph, other).is_proper
        assert not clashes or counts.max() <= most or most * k < graph.n
    done = cut(*csr(graph), colors, sizes, allowed, most)
    np.testing.assert_array_equal(sizes, np.bincount(colors, minlength=k))
    assert allowed[np.arange(graph.n), colors].all() and done == (sizes.max() <= most)


@settings(deadline=None, max_examples=60)
@given(graphs(6), st.integers(1, 4), st.integers(0, 2), st.integers(0, 2))
def test_the_formula_knows_sizes(graph, k, low, more):
    if not 0 < graph.n >= low:
        return
    sizes = all_proper(graph, k)
    there = ((low <= sizes) & (sizes <= low + more)).all(axis=1).any()
    clauses = partial(sized, graph.n, k, low, low + more)
    answer = Question(graph, k, more=clauses).ask(Clock())
    assert (answer is not False) == there
    if there:
        sizes = np.bincount(answer, minlength=k)
        assert low <= sizes.min() and sizes.max() <= low + more


def test_without_time_capacities_are_kept_all_the_same():
    graph = cc.family("er:40x0.5", seed=1)
    found = cc.solve(graph, max_class=2, time_limit=0, preset={3: 1}, forbidden={4: [0]})
    assert found.hit and max(map(len, found.coloring.classes)) == 2
    assert found.coloring.colors[3] == 1 and found.coloring.colors[4] != 0
    few = cc.solve(graph, k=10, max_class=4, time_limit=0).coloring
    assert few.k == 10 and max(map(len, few.classes)) == 4


def test_a_star_cannot_be_balanced_with_two_colors_and_still_there_is_an_end():
    star = cc.Graph.from_edges(10, [(0, leaf) for leaf in range(1, 10)])
    colors = cc.dsatur(star).colors.copy()
    sizes, draws = np.bincount(colors), np.random.default_rng(0).integers(0, 99, (50, 2))
    state = np.array([1, 0])
    assert level(*csr(star), colors, sizes, ALL, draws, state, 10) and 0 < state[1] < 50
    assert not level(*csr(star), colors, sizes, ALL, draws, state, 999) and state[1] == 50
    assert sorted(sizes) == [1, 9] and cc.Coloring(star, colors).is_proper
    assert sorted(map(len, cc.color(star, balanced=True).classes)) == [1, 9]
    assert sorted(map(len, cc.color(star, k=4, balanced=True).classes)) == [1, 3, 3, 3]


def test_rules_are_kept():
    graph = cc.family("er:40x0.1")
    preset, forbidden = {0: 3, 1: 5}, {v: [0, 1] for v in range(2, 20)}
    coloring = cc.color(graph, preset=preset, forbidden=forbidden, max_class=6, time_limit=1)
    assert coloring.is_proper and sizes_of(coloring, 9).max() <= 6
    assert coloring.colors[0] == 3 and coloring.colors[1] == 5
    assert not np.isin(coloring.colors[2:20], [0, 1]).any()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"max_class": 0}, "max_class must be a whole number of at least 1, got 0"),
        ({"max_class": 2.5}, "got 2.5"),
        ({"max_class": 1, "preset": {0: 1, 2: 1}}, "color 1 is preset for 2 nodes, more than"),
        ({"max_class": 2, "polish": False}, "the model alone cannot keep sizes"),
    ],
)
def test_what_cannot_be_is_refused(wrong, message):
    with pytest.raises(cc.ConcolorError, match=message):
        cc.color(cc.family("cycle:6"), **wrong)


def test_too_few_colors_are_refused():
    with pytest.raises(cc.ConcolorError, match="k=3 is too few for complete:5 here; 5 are"):
        balanced(cc.family("complete:5"), 3)


def concolor_json(*words):
    code, out, _ = concolor(*words, "--json")
    return code, json.loads(out)


@pytest.mark.parametrize("command", ["color", "solve"])
def test_from_the_shell(command):
    code, found = concolor_json(command, "path:20", "--max-class", "4")
    assert code == 0 and found["k"] == found["lower"] == 5 and found["proved"]
    assert found["class_sizes"] == [4] * 5
    code, found = concolor_json(command, "path:20", "-k", "3", "--balanced")
    assert code == 0 and sorted(found["class_sizes"]) == [6, 7, 7]
    code, out, _ = concolor(command, "path:20", "--balanced")
    assert code == 0 and ("10..10" in out or "[10, 10]" in out)
    code, _, err = concolor(command, "path:20", "-k", "3", "--max-class", "4")
    assert code == 2 and "raise k or max_class" in err
