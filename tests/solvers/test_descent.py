"""The way down, part by part, for every kind of goal and under rules."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.coloring import Coloring
from concolor.errors import Interrupted
from concolor.goal import Goal, Task
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers import solve
from concolor.solvers.descent import attempt, go_down, stay
from concolor.solvers.local_search import tabu, tabucol
from concolor.solvers.search import Search
from limits import ended_by
from timetables import FIXED, SLOTS, timetable

EXAMS = timetable()
HARD = {"k": 22, "preset": {**FIXED, 96: 21}}
GOALS = [{}, {"k": 4}, {"max_mono": 0.3}]


@st.composite
def tasks(draw, top=4):
    """Any small graph, goal and rules, with colors below ``top``."""
    n = draw(st.integers(1, 8))
    node, color = st.integers(0, n - 1), st.integers(0, top - 1)
    graph = Graph.from_edges(n, draw(st.lists(st.tuples(node, node), max_size=24)))
    preset = {}
    for v, c in draw(st.dictionaries(node, color, max_size=3)).items():
        if c not in {preset.get(u) for u in graph.neighbors(v).tolist()}:
            preset[v] = c
    banned = draw(st.dictionaries(node, st.sets(color, max_size=top - 1), max_size=4))
    forbidden = {v: colors - {preset.get(v)} for v, colors in banned.items()}
    return Task.of(graph, preset=preset, forbidden=forbidden, **draw(st.sampled_from(GOALS)))


def is_allowed(goal, coloring):
    return goal.has_room(coloring.colors) and bool(goal.rules.accept(coloring.colors).all())


@pytest.mark.slow
@given(task=tasks(), data=st.data())
@settings(deadline=None, max_examples=150)
def test_whatever_is_offered_and_tried_the_best_is_allowed(task, data):
    search, goal, n = Search(task), task.goal, task.graph.n
    for _ in range(data.draw(st.integers(1, 3))):
        colors = np.array(data.draw(st.lists(st.integers(0, 6), min_size=n, max_size=n)))
        search.offer(colors)
        assert search.best is None or is_allowed(goal, search.best)
        before = search.best
        attempt(search, colors, data.draw(st.sampled_from([stay, tabu(20)])))
        assert search.best is None or is_allowed(goal, search.best)
        assert before is None or goal.key(search.best) <= goal.key(before)
    attempt(search, np.arange(n), stay)
    go_down(search, tabu(50))
    assert is_allowed(goal, search.best)
    assert goal.k is not None or search.best.conflicts <= goal.budget


@pytest.mark.slow
@given(task=tasks(), seed=st.integers(0, 3))
@settings(deadline=None, max_examples=100)
def test_what_is_found_without_k_is_found_with_it(task, seed):
    graph, rules = task.graph, task.goal.rules
    free = tabucol(Task(graph, Goal(rules), seed), patience=100).coloring
    k = int(free.colors.max()) + 1
    found = tabucol(Task(graph, Goal(rules, k), seed), patience=100).coloring
    assert found.is_proper and found.colors.max() < k and rules.accept(found.colors).all()


def test_a_timetable_with_fixed_exams_needs_no_more_slots_with_k_than_without():
    for k in (None, SLOTS):
        found = solve(EXAMS, k=k, preset=FIXED).coloring
        assert found.is_proper and found.k <= SLOTS and found.colors.max() == SLOTS - 1
        assert all(found.colors[v] == c for v, c in FIXED.items())


@pytest.mark.parametrize("goal", GOALS)
def test_go_down_goes_on_from_what_was_offered(goal):
    graph = family("queen:7x7").but(chi=None)
    search = Search(Task.of(graph, **goal))
    attempt(search, np.arange(49) % 10, stay)
    before = search.best
    go_down(search, tabu(100_000))
    assert search.goal.key(search.best) < search.goal.key(before)
    assert goal or search.best.k == 7


def test_a_coloring_with_too_many_colors_or_against_the_rules_is_no_answer():
    graph = family("path:4")
    search = Search(Task.of(graph, k=2))
    search.offer(np.array([0, 1, 2, 1]))
    assert search.best is None
    search = Search(Task.of(graph, preset={0: 3}))
    search.offer(np.array([0, 1, 0, 1]))
    assert search.best is None
    attempt(search, np.array([0, 1, 0, 1]), stay)  # the class of node 0 is called 3
    assert search.best.colors.tolist() == [3, 0, 3, 0]


@pytest.mark.parametrize("limit", [0, 0.3])
def test_under_rules_a_time_limit_leaves_an_allowed_coloring(limit):
    seen = []
    with ended_by(limit):
        found = solve(EXAMS, "tabucol", time_limit=limit, progress=seen.append, **HARD)
    for coloring in (found.coloring, *(progress.best for progress in seen)):
        assert is_allowed(found.goal, coloring)
    assert [step.steps for step in seen] == sorted(step.steps for step in seen)
    assert found.coloring.conflicts > 0 and bool(seen) == bool(limit)


@pytest.mark.parametrize("when", [1, 4])
def test_under_rules_an_interrupt_leaves_an_allowed_coloring(when):
    seen = []

    def interrupt(progress):
        seen.append(progress)
        if len(seen) == when:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stop:
        solve(EXAMS, "tabucol", progress=interrupt, **HARD)
    assert is_allowed(stop.value.best.goal, stop.value.best.coloring)
    assert stop.value.best.coloring.conflicts <= seen[-1].best.conflicts


def test_a_start_whose_names_do_not_fit_the_rules_is_renamed():
    graph = family("queen:7x7")
    good = solve(graph).coloring
    preset = {v: (int(good.colors[v]) + 3) % 7 for v in range(0, 49, 5)}
    search = Search(Task.of(graph, k=7, preset=preset))
    attempt(search, good.colors, stay)
    assert search.best.is_proper
    assert Coloring(graph, search.best.colors * 7 + good.colors).k == 7  # the same classes
