import os
import sys
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Minisat22

from asked import coloring_of, solution_of
from concolor.coloring import Coloring, count_conflicts
from concolor.errors import ConcolorError, InputError, Interrupted
from concolor.goal import Clock, Goal
from concolor.graph.core import Graph
from concolor.graph.datasets import dataset
from concolor.graph.families import FAMILIES, family
from concolor.solvers import exact as home
from concolor.solvers.clique import largest_cliques, packed_conflicts
from concolor.solvers.kcore import KCore
from concolor.solvers.sat import Question, clauses, counter
from limits import CtrlC, ended_by

optimum = solution_of(home.exact)
exact = coloring_of(home.exact)

SPECS = [
    *(entry.example for entry in FAMILIES.values()),
    *("queen:5", "queen:6", "queen:7", "queen:8", "queen:9", "wheel:13", "kneser:9x3", "cycle:99"),
]
KNOWN = [graph for graph in map(family, SPECS) if graph.chi is not None and graph.n <= 100]


@st.composite
def graphs(draw, n=7):
    n = draw(st.integers(0, n))
    pairs = list(combinations(range(n), 2))
    return Graph.from_edges(n, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [])


def fewest_conflicts(graph, k):
    """Every coloring, one by one."""
    every = product(range(k), repeat=graph.n)
    return min(count_conflicts(graph, np.array(colors, np.int64)) for colors in every)


def fewest_colors(graph, budget=0):
    ks = range(1, graph.n + 1)
    return next((k for k in ks if fewest_conflicts(graph, k) <= budget), 0)


@pytest.mark.slow
@pytest.mark.parametrize("graph", KNOWN, ids=lambda graph: graph.name)
def test_proves_the_chromatic_number_of_every_small_family(graph):
    found = optimum(graph.but(chi=None), time_limit=30)

    assert found.is_proved
    assert found.coloring.is_proper
    assert found.coloring.k == found.lower == graph.chi
    assert exact(graph.but(chi=None), time_limit=30).k == graph.chi


@pytest.mark.slow
@given(graph=graphs())
@settings(max_examples=60, deadline=None)
def test_agrees_with_brute_force_on_the_chromatic_number(graph):
    found = optimum(graph)

    assert found.is_proved and found.coloring.is_proper
    assert found.coloring.k == fewest_colors(graph)
    assert found.lower == found.coloring.k


@pytest.mark.slow
@given(graph=graphs(6), k=st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_agrees_with_brute_force_on_the_fewest_conflicts(graph, k):
    found = optimum(graph, k=k)
    assert found.coloring.k <= k
    assert found.is_proved
    assert found.coloring.conflicts == found.lower == found.upper == fewest_conflicts(graph, k)


@pytest.mark.slow
@given(graph=graphs(6), max_mono=st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]))
@settings(max_examples=60, deadline=None)
def test_agrees_with_brute_force_on_the_fewest_colors_in_a_budget(graph, max_mono):
    found = optimum(graph, max_mono=max_mono)
    fewest = fewest_colors(graph, budget=int(max_mono * graph.m + 1e-9))
    assert found.coloring.mono <= max_mono
    assert found.is_proved
    assert found.coloring.k == found.lower == found.upper == fewest


@pytest.mark.parametrize(
    ("spec", "k", "conflicts"),
    [("complete:9", 4, 6), ("queen:6", 5, 14), ("myciel:4", 4, 1), ("kneser:7x2", 4, 3)],
)
def test_conflicts_that_are_known(spec, k, conflicts):
    found = exact(family(spec).but(chi=None), k=k, time_limit=20)
    assert (found.k, found.conflicts) == (k, conflicts)


def test_components_are_minimized_apart():
    """Ten disjoint K5 with 4 colors: a proof for all at once would be a pigeonhole problem."""
    one = family("complete:5").edges
    graph = Graph.from_edges(50, np.concatenate([one + 5 * copy for copy in range(10)]))
    found = optimum(graph, k=4, time_limit=20)
    assert found.coloring.conflicts == found.lower == 10


@pytest.mark.parametrize("k", [None, 1, 3])
def test_graphs_that_are_hardly_there(k):
    assert exact(Graph.from_edges(0, []), k=k).k == 0
    assert exact(Graph.from_edges(1, []), k=k).k == 1
    assert exact(Graph.from_edges(4, []), k=k).k == 1
    assert exact(family("complete:4"), k=9).is_proper
    assert optimum(Graph.from_edges(0, [])).is_proved


def test_the_lower_bound_is_honest_when_time_ends():
    graph = family("queen:8").but(chi=None)
    for limit in (0.0, 0.01, 0.05):
        found = optimum(graph, time_limit=limit)
        assert found.lower <= 9 <= found.coloring.k
        assert found.coloring.is_proper
        assert found.is_proved == (found.lower == found.coloring.k)


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 2, 4, 8])
def test_the_bound_of_the_conflicts_is_honest_when_time_ends(k):
    graph = family("myciel:4").but(chi=None)
    fewest = exact(graph, k=k).conflicts
    for limit in (0.0, 0.01, 0.05):
        found = optimum(graph, k=k, time_limit=limit)
        assert found.lower <= fewest <= found.upper == found.coloring.conflicts
        assert found.is_proved == (found.lower == found.upper)


@pytest.mark.slow
def test_a_search_that_must_stop_does_not_call_its_answer_proved():
    """150 nodes, 12 colors: to be proved in no short time, whatever the goal is."""
    graph = family("er:150x0.5").but(chi=None)
    for goal in ({}, {"k": 12}, {"max_mono": 0.01}):
        found = optimum(graph, time_limit=0.3, **goal)
        assert found.lower < found.upper and not found.is_proved
        assert found.goal.key(found.coloring) == Goal.of(graph, **goal).key(found.coloring)


@pytest.mark.slow
@pytest.mark.parametrize("goal", [{}, {"k": 5}, {"max_mono": 0.02}])
def test_the_time_limit_holds_inside_a_long_call_of_the_solver(goal):
    graph = family("er:120x0.5").but(chi=None)
    with ended_by(0.6):
        found = exact(graph, time_limit=0.6, **goal)
    assert found.k <= goal.get("k", found.k)
    assert found.mono <= goal.get("max_mono", 0) or "k" in goal


@pytest.mark.slow
@pytest.mark.parametrize("goal", [{}, {"k": 6}])
def test_an_interrupt_leaves_the_best_so_far(goal):
    graph = family("myciel:6").but(chi=None)
    press = CtrlC()
    with ended_by(0), pytest.raises(Interrupted) as stop:
        exact(graph, progress=press, **goal)
    found = stop.value.best.coloring
    assert press.pressed
    assert found.is_proper == (not goal)
    assert found.k == goal.get("k", 7)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_coloring():
    graph = family("queen:7x9").but(chi=None)
    one, two = (exact(graph, k=8, seed=3, time_limit=None).colors for _ in range(2))
    assert one.tolist() == two.tolist()


@pytest.mark.slow
def test_a_better_start_is_kept_and_a_wrong_one_refused():
    graph = family("myciel:6").but(chi=None)
    best = exact(graph, time_limit=2)
    kept = optimum(graph, time_limit=0, start=best)
    assert kept.coloring.k == best.k

    with pytest.raises(InputError, match="the start colors"):
        exact(graph, start=Coloring(family("cycle:5"), [0, 1, 0, 1, 2]))
    with pytest.raises(InputError, match="not both"):
        exact(graph, k=3, max_mono=0.1)


def test_a_start_with_strange_color_names():
    graph = family("queen:5")
    assert exact(graph, k=4, start=Coloring(graph, np.arange(25) % 4 * 40)).conflicts == 12


def test_progress_tells_the_best_so_far():
    seen = []
    found = exact(family("queen:6").but(chi=None), time_limit=5, progress=seen.append)
    assert seen[-1].best.k == found.k == 7
    assert [step.seconds for step in seen] == sorted(step.seconds for step in seen)


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pysat.solvers", None)
    with pytest.raises(ConcolorError, match=r"pip install 'concolor\[exact\]'"):
        exact(family("cycle:5"))


@pytest.mark.slow
@given(graph=graphs(6))
@settings(max_examples=60, deadline=None)
def test_cliques_are_all_of_the_largest_ones(graph):
    def is_clique(nodes):
        return all(v in graph.neighbors(u) for u, v in combinations(nodes, 2))

    subsets = [s for size in range(7) for s in combinations(range(graph.n), size) if is_clique(s)]
    size = max(map(len, subsets))
    expected = sorted(s for s in subsets if len(s) == size) if graph.n else []
    assert largest_cliques(graph) == expected


@pytest.mark.slow
@given(graph=graphs(6), k=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_packed_cliques_never_promise_too_much(graph, k):
    assert packed_conflicts(graph, k) <= fewest_conflicts(graph, k)


@pytest.mark.slow
@given(graph=graphs(6), k=st.integers(1, 3), soft=st.booleans())
@settings(max_examples=60, deadline=None)
def test_clauses_hold_exactly_for_colorings_numbered_as_they_come_up(graph, k, soft):
    """Fixing x, the formula is satisfiable exactly for one naming of every k-coloring."""
    if graph.n == 0:
        return
    solver = Minisat22()
    cliques = largest_cliques(graph)
    for block in clauses(graph, k, cliques, soft=soft):
        solver.append_formula(block)
    allowed = set()
    for colors in product(range(k), repeat=graph.n):
        chosen = [1 + v * k + c for v, c in enumerate(colors)]
        if solver.solve(chosen):
            allowed.add(colors)
    colorings = [
        colors
        for colors in product(range(k), repeat=graph.n)
        if soft or count_conflicts(graph, np.array(colors)) == 0
    ]
    partitions = {_partition(colors) for colors in colorings}
    assert {_partition(colors) for colors in allowed} == partitions
    assert len(allowed) == len(partitions)


def _partition(colors):
    return frozenset(frozenset(np.flatnonzero(np.array(colors) == c).tolist()) for c in set(colors))


@pytest.mark.parametrize(("size", "most"), [(1, 1), (5, 2), (6, 6), (7, 3)])
def test_the_counter_counts(size, most):
    blocks, solver = counter(np.arange(1, size + 1), most), Minisat22()
    try:
        while True:
            solver.append_formula(next(blocks))
    except StopIteration as end:
        more_than = end.value
    for signs in product([1, -1], repeat=size):
        chosen = [sign * (i + 1) for i, sign in enumerate(signs)]
        for bound, literal in enumerate(more_than):
            assert solver.solve([*chosen, -literal]) == (signs.count(1) <= bound)


@pytest.mark.slow
@given(graph=graphs(), k=st.integers(1, 4))
def test_any_coloring_of_the_core_extends_without_a_new_conflict(graph, k):
    core = KCore(graph, k)
    inside = np.concatenate([np.empty(0, np.int64), *core.parts])
    whole = core.extended(np.arange(graph.n) % k)
    assert whole.max(initial=0) < k
    assert whole[inside].tolist() == (inside % k).tolist()
    u, v = graph.edges[whole[graph.edges[:, 0]] == whole[graph.edges[:, 1]]].T
    assert np.isin(u, inside).all() and np.isin(v, inside).all()


@pytest.mark.slow
def test_a_question_goes_on_where_it_stopped():
    question, clock = Question(family("myciel:5"), 5), Clock()
    answers = [question.ask(clock, patience=300) for _ in range(2)]
    assert answers == [None, None]
    assert question.ask(clock) is False


@pytest.mark.skipif(not os.environ.get("CONCOLOR_DATA"), reason="CONCOLOR_DATA is not set")
def test_cora_subgraphs_are_proved():
    for graph in dataset("cora-subgraphs").splits["heldout"]:
        assert optimum(graph, time_limit=60).is_proved
