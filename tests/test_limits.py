"""Every command looks at the clock, with a clock on which only looks take time."""

import numpy as np
import pytest

import concolor as cc
from concolor.answer import stages
from concolor.goal import Clock, Task
from concolor.graph.cliques import an_edge
from concolor.matrices import KINDS
from concolor.solvers import SOLVERS, greedy
from concolor.solvers.recolor import recolor
from limits import FakeTime

TORCH = ("pi-gnn", "full-gcn")
GRAPH = cc.family("er:120x0.5").but(chi=None)
OLD = np.arange(GRAPH.n) % 20
WEIGHTED = GRAPH.but(weights=1 + np.arange(GRAPH.m) % 3)
RULES = {"preset": {0: 1}, "forbidden": {v: [0, 2] for v in range(5, 50)}}
COMMANDS = {
    **{f"solve {name}": lambda limit, name=name: cc.solve(GRAPH, name, time_limit=limit)
       for name in SOLVERS if name not in TORCH},
    **{f"solve {name} -k 9": lambda limit, name=name: cc.solve(GRAPH, name, k=9, time_limit=limit)
       for name in ("exact", "portfolio", "memetic")},
    "solve --balanced": lambda limit: cc.solve(GRAPH, balanced=True, time_limit=limit),
    "solve --max-class": lambda limit: cc.solve(GRAPH, max_class=9, time_limit=limit),
    "solve --max-class -k": lambda limit: cc.solve(GRAPH, k=14, max_class=9, time_limit=limit),
    "solve --preset --forbid": lambda limit: cc.solve(GRAPH, **RULES, time_limit=limit),
    "solve --preset -k": lambda limit: cc.solve(GRAPH, k=9, **RULES, time_limit=limit),
    "solve --weights": lambda limit: cc.solve(WEIGHTED, k=9, time_limit=limit),
    "solve exact --weights": lambda limit: cc.solve(WEIGHTED, "exact", k=9, time_limit=limit),
    "color": lambda limit: cc.color(GRAPH, time_limit=limit),
    "color --balanced": lambda limit: cc.color(GRAPH, balanced=True, time_limit=limit),
    "color --weights": lambda limit: cc.color(WEIGHTED, k=9, time_limit=limit),
    "pareto --weights": lambda limit: cc.pareto(WEIGHTED, time_limit=limit),
    "frequencies": lambda limit: cc.frequencies(WEIGHTED, time_limit=limit),
    "frequencies --channels": lambda limit: cc.frequencies(
        WEIGHTED, channels=20, time_limit=limit),
    "recolor -k": lambda limit: recolor(GRAPH, OLD, k=9, time_limit=limit),
    "recolor --max-changes": lambda limit: recolor(GRAPH, OLD, max_changes=99, time_limit=limit),
    "pareto": lambda limit: cc.pareto(GRAPH, time_limit=limit),
    "certify": lambda limit: cc.certify(GRAPH, time_limit=limit),
    "recolor": lambda limit: recolor(GRAPH, OLD, time_limit=limit),
    **{f"matrix {kind}": lambda limit, kind=kind: cc.color_matrix(
        cc.to_scipy(GRAPH), kind, time_limit=limit) for kind in KINDS},
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("limit", [0.1, 1.0])
def test_every_stage_of_a_command_looks_at_the_clock(monkeypatch, command, limit):
    """Each look costs a hundredth of a second; none goes on without looking."""
    COMMANDS[command](0.01)  # loads what there is to load
    time = FakeTime(monkeypatch, 0.01)
    COMMANDS[command](limit)
    assert time.now < 1.1 * limit + 0.5


@pytest.mark.slow
def test_training_begins_no_step_that_does_not_fit(monkeypatch):
    graph = cc.family("er:60x0.2")
    recipe = cc.Recipe(hidden=8, epochs=10**6, labels="tabucol")
    cc.Colorer(recipe).fit([graph], time_limit=0.01)
    time = FakeTime(monkeypatch, 0.01)
    trained = cc.Colorer(recipe).fit([graph], time_limit=1.0)
    assert time.now < 1.1 + 0.5
    assert 0 < trained.model.history.steps < 100
    assert trained.model.history.stopped == "time limit"


@pytest.mark.slow
def test_a_step_of_training_that_needs_too_much_is_refused_before_it_is_taken(monkeypatch):
    monkeypatch.setenv("CONCOLOR_MAX_MEMORY", "1M")
    with pytest.raises(cc.errors.OverBudget, match=r"a step of training needs about .* batch_size"):
        cc.Colorer(cc.Recipe()).fit([cc.family("complete:50")])


@pytest.mark.parametrize(("part", "fits"), [(0.5, True), (0.3, False)])
def test_what_fits_is_a_part_of_what_remains(monkeypatch, part, fits):
    monkeypatch.setattr("concolor.goal.perf_counter", lambda: 6.0)
    assert Clock(10.0, started=0.0).fits(2.0, part) is fits
    assert Clock(None, started=0.0).fits(1e9, part)


def watched(monkeypatch, limit, *, estimated, taken):
    """A clock that has seen one stage."""
    monkeypatch.setattr("concolor.goal.perf_counter", now := Settable())
    clock = Clock(limit)
    with clock.watching(estimated):
        now.seconds += taken
    return clock


class Settable:
    """Seconds that pass only when a test says so."""

    seconds = 0.0

    def __call__(self):
        return self.seconds


def test_a_stage_that_took_three_times_its_estimate_makes_all_others_three_times_longer(
    monkeypatch,
):
    clock = watched(monkeypatch, 100.0, estimated=4.0, taken=12.0)
    assert clock.expected(1.0) == pytest.approx(3.0, rel=0.01)
    assert clock.fits(14.0) and not clock.fits(15.0)
    assert clock.share(0.5).expected(1.0) == clock.within(7.0).expected(1.0) == clock.expected(1.0)


def test_a_clock_that_has_seen_little_believes_the_estimates(monkeypatch):
    assert watched(monkeypatch, 100.0, estimated=1.0, taken=0.2).expected(1.0) == 1.0  # faster
    assert watched(monkeypatch, 100.0, estimated=1e-6, taken=1e-5).expected(1.0) < 1.01
    assert Clock(100.0).expected(1.0) == 1.0


def test_without_a_limit_nothing_depends_on_the_machine(monkeypatch):
    clock = watched(monkeypatch, None, estimated=1.0, taken=1000.0)
    assert clock.expected(1.0) == clock.within(10.0).expected(1.0) == 1.0 and clock.fits(1e9)


@pytest.mark.parametrize(("a_look", "made"), [(0.02, "dsatur"), (0.5, "first fit")])
def test_first_fit_shows_whether_there_is_time_for_dsatur(monkeypatch, a_look, made):
    """Estimated at a tenth of a second and at one; 6 seconds are enough, unless all is slower."""
    first = cc.dsatur(GRAPH).colors
    monkeypatch.setattr(greedy, "first_fit_seconds", lambda graph: 0.1)
    monkeypatch.setattr(greedy, "saturated_seconds", lambda graph: 1.0)
    monkeypatch.setattr(greedy, "saturated", lambda graph, rules: "dsatur")
    monkeypatch.setattr(greedy, "fitted", lambda graph, order, rules: first)
    FakeTime(monkeypatch, a_look)
    expected = first if made == "first fit" else "dsatur"
    assert greedy.begun(Task.of(GRAPH, time_limit=6)) is expected
    assert greedy.begun(Task.of(GRAPH)) == "dsatur"


@pytest.mark.parametrize("many", [True, False])
def test_first_fit_shows_how_many_colors_rlf_may_need(monkeypatch, many):
    """A color is estimated at 0.03 s, and there is one second: not enough for each of 120."""
    first = np.arange(GRAPH.n) if many else cc.dsatur(GRAPH).colors
    best = greedy.rlf(GRAPH)
    monkeypatch.setattr(greedy, "fitted", lambda graph, order, rules: first)
    rlf = greedy.solver(lambda graph, rules: best.colors, lambda graph, k: 0.03 * k)
    FakeTime(monkeypatch, 1e-6)
    assert rlf(Task.of(GRAPH, time_limit=1)).coloring.k == (GRAPH.n if many else best.k)


@pytest.mark.parametrize("graph", [GRAPH, WEIGHTED])
def test_rlf_is_estimated_by_colors_of_a_proper_coloring_where_fewer_are_asked_for(
    monkeypatch, graph
):
    asked = []
    monkeypatch.setattr(stages, "rlf_seconds", lambda graph, k: asked.append(k) or 0.0)
    cc.color(graph, k=3, time_limit=0.1)
    assert asked == [cc.dsatur(graph).k]


def test_where_time_is_short_a_proper_coloring_is_the_lightest_there_is():
    found = cc.solve(WEIGHTED, k=GRAPH.n, time_limit=0)
    assert found.coloring.is_proper and found.coloring.weight == 0


def test_a_clique_that_does_not_fit_is_an_edge(monkeypatch):
    monkeypatch.setattr("concolor.goal.quick_seconds", lambda graph: 1.0)
    task = Task.of(cc.family("complete:6").but(chi=None), time_limit=0)
    assert task.clique == an_edge(task.graph) and task.chi_lower == 2


def test_a_clique_that_was_found_stays_known():
    task = Task.of(cc.family("complete:6").but(chi=None))
    assert task.clique is task.but(seed=3).clique
