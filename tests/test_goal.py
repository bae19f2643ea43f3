import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.goal import Clock, Goal, Task, forced_conflicts
from concolor.graph.families import family


@pytest.mark.slow
@given(st.integers(0, 500), st.floats(0, 1))
def test_the_budget_is_the_largest_number_of_conflicts_within_max_mono(m, max_mono):
    graph = family(f"path:{m + 1}")
    budget = Goal.of(graph, max_mono=max_mono).budget
    allowed = [b for b in range(m + 1) if b == 0 or b / m <= max_mono]
    assert budget == max(allowed)


def test_more_conflicts_never_pay_for_fewer_colors_beyond_the_budget():
    graph = family("cycle:5")
    proper = Coloring(graph, [0, 1, 0, 1, 2])
    two = Coloring(graph, [0, 1, 0, 1, 0])

    assert Goal.of(graph).better(two, proper) is proper
    assert Goal.of(graph, max_mono=0.2).better(proper, two) is two
    assert Goal.of(graph, k=2).better(proper, two) is two
    assert Goal.of(graph, k=3).better(two, proper) is proper


def test_of_two_equal_colorings_the_first_stays():
    graph = family("path:2")
    one, two = Coloring(graph, [0, 1]), Coloring(graph, [1, 0])
    assert Goal.of(graph).better(one, two) is one
    assert Goal.of(graph).better(two, one) is two


@pytest.mark.parametrize(
    ("k", "max_mono", "word"),
    [
        (3, 0.1, "not both"),
        (0, None, "k must"),
        (2.5, None, "k must"),
        (True, None, "k must"),
        (None, 1.5, "1.5"),
    ],
)
def test_a_goal_that_makes_no_sense_is_refused(k, max_mono, word):
    with pytest.raises(InputError, match=word):
        Goal.of(family("path:2"), k=k, max_mono=max_mono)


@pytest.mark.parametrize("spec", ["complete:5", "wheel:6", "cycle:5", "myciel:2", "icosahedral"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_coloring_has_fewer_than_the_forced_conflicts(spec, k):
    """All colorings of the small ones; a sample of the others, which have no fewer."""
    graph = family(spec)
    rng = np.random.default_rng(0)
    tried = (
        product(range(k), repeat=graph.n) if graph.n < 8 else rng.integers(k, size=(500, graph.n))
    )
    fewest = min(Coloring(graph, np.array(colors)).conflicts for colors in tried)
    assert forced_conflicts(graph.chi, k) <= fewest


@given(st.integers(0, 30), st.integers(1, 30))
def test_forced_conflicts_are_those_of_a_balanced_split_of_a_complete_graph(lower, k):
    parts = [len(range(i, lower, k)) for i in range(k)]
    assert forced_conflicts(lower, k) == sum(len(list(combinations(range(p), 2))) for p in parts)


@pytest.mark.slow
@given(st.integers(0, 12), st.integers(0, 20), st.integers(1, 6))
def test_a_bound_of_chi_bounds_what_is_minimized(lower, budget, k):
    graph = family("complete:12")
    goal = Goal.of(graph, max_mono=budget / graph.m)
    assert goal.budget == budget
    enough = [few for few in range(1, 13) if forced_conflicts(lower, few) <= budget]
    assert goal.bound(lower) == (min(enough) if lower else 0)
    assert Goal.of(graph, k=k).bound(lower) == forced_conflicts(lower, k)


def test_a_task_refuses_what_does_not_belong_to_it():
    graph = family("path:2")
    with pytest.raises(InputError, match="the seed must be a whole number >= 0, got -1"):
        Task.of(graph, seed=-1)
    with pytest.raises(InputError, match="the start colors"):
        Task.of(graph, start=Coloring(family("path:3"), [0, 1, 0]))


def test_a_share_of_a_clock_is_a_part_of_what_is_left():
    assert Clock().share(0.5).limit is None
    assert 29 < Clock(60).share(0.5).limit <= 30


def test_a_clock_without_a_limit_never_ends_and_a_limit_must_be_a_time():
    assert not Clock().is_over and Clock().left == math.inf
    assert Clock(0).is_over and Clock(0).left == 0
    assert not Clock(60).is_over and 59 < Clock(60).left <= 60
    for wrong in (-1, math.nan):
        with pytest.raises(InputError, match="time_limit"):
            Clock(wrong)


def test_lists_say_how_many_colors_there_are():
    graph = family("cycle:5").but(lists={0: [1], 3: [2, 6]})
    goal = Goal.of(graph)
    assert (goal.k, goal.budget, goal.max_mono) == (7, 0, None)
    assert Goal.of(graph, k=3).k == 3
    with pytest.raises(InputError, match=r"lists of colors, so it takes k .*not max_mono=0.1"):
        Goal.of(graph, max_mono=0.1)
    assert Goal.of(graph.but(lists=None), max_mono=0.1).k is None
