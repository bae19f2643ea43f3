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
from concolor.rules import Rules
from concolor.solvers import exact as home
from concolor.solvers import solve
from concolor.solvers.branch_and_price import BranchAndPrice
from concolor.solvers.clique import largest_cliques, packed_conflicts
from concolor.solvers.sat import Question, clauses, counter
from limits import CtrlC, ended_by, press
from small_graphs import fewest_colors, fewest_conflicts, graphs, ruled

optimum = solution_of(home.exact)
exact = coloring_of(home.exact)

SPECS = [
    *(entry.example for entry in FAMILIES.values()),
    *("queen:5", "queen:6", "queen:7", "queen:8", "queen:9", "wheel:13", "kneser:9x3", "cycle:99"),
]
KNOWN = [graph for graph in map(family, SPECS) if graph.chi is not None and graph.n <= 100]


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


def every_coloring(graph, preset, forbidden, top):
    """All colorings in 0..top-1 that keep the rules: numbers of conflicts and of colors."""
    fine = [
        [c for c in range(top) if preset.get(v, c) == c and c not in forbidden.get(v, ())]
        for v in range(graph.n)
    ]
    colors = np.stack([c.ravel() for c in np.meshgrid(*fine)] or [np.zeros(1, int)], axis=1)
    u, v = graph.edges.T
    used = np.bitwise_or.reduce(1 << colors, axis=1)
    return (colors[:, u] == colors[:, v]).sum(axis=1), np.bitwise_count(used)


def keeps(coloring, preset, forbidden):
    right = all(coloring.colors[v] == c for v, c in preset.items())
    return right and all(coloring.colors[v] not in colors for v, colors in forbidden.items())


@pytest.mark.slow
@given(asked=ruled(), k=st.integers(1, 4))
@settings(max_examples=150, deadline=None)
def test_agrees_with_brute_force_on_the_fewest_conflicts_under_rules(asked, k):
    graph, preset, forbidden = asked
    if graph.n == 0 or Rules.of(graph, preset, forbidden).fewest > k:
        return
    found = optimum(graph, k=k, preset=preset, forbidden=forbidden)
    conflicts, _ = every_coloring(graph, preset, forbidden, k)
    assert found.coloring.colors.max() < k and keeps(found.coloring, preset, forbidden)
    assert found.is_proved
    assert found.coloring.conflicts == found.lower == found.upper == conflicts.min()


@pytest.mark.slow
@given(asked=ruled(3), max_mono=st.sampled_from([None, 0.0, 0.1, 0.25, 0.5, 1.0]))
@settings(max_examples=150, deadline=None)
def test_agrees_with_brute_force_on_the_fewest_colors_under_rules(asked, max_mono):
    """Three colors that rules may name, and as many others as there are nodes."""
    graph, preset, forbidden = asked
    if graph.n == 0:
        return
    found = optimum(graph, max_mono=max_mono, preset=preset, forbidden=forbidden)
    conflicts, used = every_coloring(graph, preset, forbidden, 3 + graph.n)
    budget = int((max_mono or 0) * graph.m + 1e-9)
    assert found.coloring.conflicts <= budget and keeps(found.coloring, preset, forbidden)
    assert found.is_proved
    assert found.coloring.k == found.lower == found.upper == used[conflicts <= budget].min()


@pytest.mark.slow
@given(asked=ruled(3), goal=st.sampled_from([{}, {"k": 3}, {"max_mono": 0.2}]), data=st.data())
@settings(max_examples=60, deadline=None)
def test_any_start_is_made_to_keep_the_rules_even_without_time(asked, goal, data):
    graph, preset, forbidden = asked
    if graph.n == 0 or Rules.of(graph, preset, forbidden).fewest > 3:
        return
    colors = data.draw(st.lists(st.integers(0, 5), min_size=graph.n, max_size=graph.n))
    rules = {"preset": preset, "forbidden": forbidden, "start": Coloring(graph, np.array(colors))}
    best, cut = (optimum(graph, time_limit=limit, **goal, **rules) for limit in (None, 0))
    for found in (best, cut):
        assert keeps(found.coloring, preset, forbidden)
        assert found.coloring.colors.max() < goal.get("k", 9)
    assert best.is_proved and cut.lower <= best.lower == best.upper <= cut.upper


def latin(order):
    """The cells of a square, adjacent in rows and columns, and the cyclic Latin square in it."""
    cells = np.arange(order * order).reshape(order, order)
    lines = [*cells, *cells.T]
    edges = [pair for line in lines for pair in combinations(line.tolist(), 2)]
    square = (np.add.outer(np.arange(order), np.arange(order)) % order).ravel()
    return Graph.from_edges(order * order, edges), square


def shown(square, order, seed, share=0.58):
    """Cells of a shuffled square to complete; about this share is the hardest."""
    rng = np.random.default_rng(seed)
    rows, columns, names = (rng.permutation(order) for _ in range(3))
    mixed = names[square.reshape(order, order)[rows][:, columns]].ravel()
    cells = rng.permutation(order * order)[: int(share * order * order)]
    return {int(v): int(mixed[v]) for v in cells}


@pytest.mark.parametrize("order", [8, 12])
def test_latin_squares_are_completed(order):
    graph, square = latin(order)
    preset = shown(square, order, seed=1)
    found = solve(graph, "exact", k=order, preset=preset, time_limit=60)
    assert found.is_proved and found.coloring.is_proper
    assert keeps(found.coloring, preset, {}) and found.coloring.colors.max() < order


def test_a_square_that_has_no_completion_is_proved_to_have_none():
    """The first row shows all colors but 8 beside its last cell, the column below it shows 8."""
    graph, square = latin(9)
    rows = [v for row in (0, 7, 8) for v in range(9 * row, 9 * row + 8)]
    preset = {**{v: int(square[v]) for v in rows}, 8 + 9 * 4: 8}
    found = solve(graph, "exact", k=9, preset=preset, time_limit=60)
    assert found.is_proved and found.lower == found.coloring.conflicts == 2 and not found.hit
    free = solve(graph, "exact", preset=preset, time_limit=60)
    assert free.is_proved and free.coloring.k == 10 and free.coloring.colors.max() == 9


def test_presets_may_cost_colors_and_leave_gaps_where_they_must():
    found = optimum(family("path:3"), preset={0: 4, 2: 1})
    assert found.coloring.colors.tolist() == [4, 0, 1] and found.is_proved and found.lower == 3
    found = optimum(family("path:3"), preset={0: 7}, forbidden={1: [0, 1], 2: [7]})
    assert found.coloring.colors.tolist() == [7, 2, 0] and found.is_proved and found.lower == 3


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


@pytest.mark.parametrize(
    ("limit", "spec", "k", "lower", "proved"),
    [
        (2000, "planted:100x3x0.1", 3, 0, True),  # small enough for no conflicts, not for fewer
        (4000, "queen:6x6", 6, 1, False),  # the same, and the answer is no
        (1000, "queen:6x6", 6, 0, False),  # too large for both: it ends, though it has all the time
    ],
)
def test_a_formula_that_is_too_large_leaves_the_other_to_be_asked(
    limit, spec, k, lower, proved, monkeypatch
):
    monkeypatch.setattr("concolor.solvers.sat.LIMIT", limit)
    found = optimum(family(spec).but(chi=None), k=k, begin=False)
    assert (found.lower, found.is_proved) == (lower, proved)
    assert (found.coloring.conflicts == 0) == proved


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
@pytest.mark.parametrize(("spec", "goal"), [("er:150x0.5", {}), ("myciel:6", {"k": 6})])
def test_an_interrupt_leaves_the_best_so_far(spec, goal):
    graph = family(spec).but(chi=None)
    press = CtrlC()
    with ended_by(0), pytest.raises(Interrupted) as stop:
        exact(graph, progress=press, **goal)
    found = stop.value.best.coloring
    assert press.pressed
    assert found.is_proper == (not goal)
    assert found.k <= goal.get("k", graph.n)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "name", "lower"),
    [(home, "cones", 8), (home, "fractional_bounds", 8), (BranchAndPrice, "ask", 11)],
)
def test_ctrl_c_amid_the_bounds_leaves_what_was_proved(monkeypatch, place, name, lower):
    graph = family("er:70x0.5").but(chi=None)  # a clique of 8 nodes, at least 11 by fractions
    press(monkeypatch, place, name, lambda *args, **options: True)
    with ended_by(0), pytest.raises(Interrupted) as stop:
        exact(graph)
    found = stop.value.best
    assert found.coloring.is_proper and lower <= found.lower <= found.coloring.k


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "chi"), [("myciel:6", 7), ("myciel:7", 8), ("er:125x0.9", 44), ("er:125x0.1", 5)]
)
def test_cones_and_fractions_prove_what_clauses_do_not(spec, chi):
    """χ of the random graphs is what this solver proved before; the coloring shows half of it."""
    found = optimum(family(spec).but(chi=None), time_limit=120)
    assert found.is_proved and found.coloring.is_proper and found.lower == chi


def test_rules_know_nothing_of_tilings_and_prices():
    """Rows of a board with eleven colors may be preset so that none is left."""
    graph = family("queen:5").but(chi=None)
    preset = {0: 0, 1: 1, 5: 3, 6: 4, 12: 5}
    found = optimum(graph, preset=preset)
    conflicts = optimum(graph, preset={0: 0, 7: 1}, k=5)
    assert found.is_proved and keeps(found.coloring, preset, {}) and found.lower >= 6
    assert conflicts.is_proved and conflicts.coloring.colors.max() < 5


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


@pytest.mark.slow
@given(asked=ruled(3), soft=st.booleans())
@settings(max_examples=60, deadline=None)
def test_clauses_under_rules_leave_one_of_the_colorings_that_are_alike(asked, soft):
    """Two are alike where they differ by a permutation of colors that the same nodes may have."""
    graph, preset, forbidden = asked
    if graph.n == 0:
        return
    k, solver = 4, Minisat22()
    allowed = Rules.of(graph, preset, forbidden).allow(np.arange(k))
    for block in clauses(graph, k, largest_cliques(graph), allowed=allowed, soft=soft):
        solver.append_formula(block)
    kind = [tuple(column) for column in allowed.T.tolist()]
    every, kept = set(), []
    for colors in product(range(k), repeat=graph.n):
        fine = all(allowed[v, c] for v, c in enumerate(colors))
        alike = frozenset((kind[c], _nodes(colors, c)) for c in set(colors))
        if fine and (soft or count_conflicts(graph, np.array(colors)) == 0):
            every.add(alike)
        if solver.solve([1 + v * k + c for v, c in enumerate(colors)]):
            kept.append(alike)
    assert set(kept) == every and len(kept) == len(every)


def _nodes(colors, c):
    return tuple(v for v, other in enumerate(colors) if other == c)


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
def test_a_question_goes_on_where_it_stopped():
    question, clock = Question(family("myciel:5"), 5), Clock()
    answers = [question.ask(clock, patience=300) for _ in range(2)]
    assert answers == [None, None]
    assert question.ask(clock) is False


@pytest.mark.skipif(not os.environ.get("CONCOLOR_DATA"), reason="CONCOLOR_DATA is not set")
def test_cora_subgraphs_are_proved():
    for graph in dataset("cora-subgraphs").splits["heldout"]:
        assert optimum(graph, time_limit=60).is_proved
