import sys
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from concolor.goal import Clock
from concolor.graph.core import Graph
from concolor.graph.families import family
from concolor.solvers.fractional import as_fractions, fractional_bounds
from concolor.solvers.greedy import dsatur
from concolor.solvers.master import highs
from small_graphs import independent_sets, weighted


def mycielski(times):
    """χ_f of myciel:t is a + 1/a of the one before (Larsen, Propp and Ullman 1995)."""
    value = Fraction(2)
    for _ in range(times - 1):
        value += 1 / value
    return value


KNOWN = [
    *((f"cycle:{2 * k + 1}", 2 + Fraction(1, k)) for k in (1, 2, 5, 12)),
    *((f"kneser:{n}x{k}", Fraction(n, k)) for n, k in ((5, 2), (6, 2), (7, 2), (7, 3))),
    *((f"myciel:{t}", mycielski(t)) for t in (2, 3, 4)),
    *(("petersen", Fraction(5, 2)), ("complete:6", Fraction(6)), ("path:5", Fraction(2))),
]


def last(graph, **options):
    return [*fractional_bounds(graph, **options)][-1]


@pytest.mark.parametrize(("spec", "value"), KNOWN)
def test_fractional_chromatic_numbers_that_are_known(spec, value):
    found = last(family(spec), rounded=False)
    assert found.value == value
    assert found.lower == -(-value // 1)


@pytest.mark.slow
@given(asked=weighted(7))
@settings(max_examples=50, deadline=None)
def test_agrees_with_the_program_on_all_independent_sets(asked):
    graph, _ = asked
    every = [s for s in independent_sets(graph) if s]
    cover = np.array([[v in s for s in every] for v in range(graph.n)], float)
    slow = linprog(np.ones(len(every)), A_ub=-cover, b_ub=-np.ones(graph.n)).fun
    bounds = [*fractional_bounds(graph, [dsatur(graph)], rounded=False)]
    assert float(bounds[-1].value) == pytest.approx(slow, abs=1e-4)
    for bound in bounds:
        assert bound.heaviest >= max(int(bound.weights[list(s)].sum()) for s in every)
        assert float(bound.value) <= slow + 1e-9
    values = [bound.value for bound in bounds]
    assert values == sorted(values)


def test_only_the_core_above_the_bound_has_weights():
    edges = [*combinations(range(5), 2), (4, 5), (5, 6)]
    found = last(Graph.from_edges(7, edges), above=3)
    assert found.weights[5:].tolist() == [0, 0] and found.lower == 5
    assert [*fractional_bounds(Graph.from_edges(7, edges), above=5)] == []


def test_it_ends_where_the_bound_is_enough_or_the_fraction_is_all_that_could_grow():
    graph = family("er:40x0.5")
    exact, enough, rounded = last(graph, rounded=False), last(graph, enough=5), last(graph)
    assert 5 <= enough.lower <= exact.lower == rounded.lower
    assert enough.value <= exact.value and rounded.value <= exact.value


@pytest.mark.parametrize("graph", [Graph.from_edges(0, []), family("path:700")])
def test_graphs_without_nodes_or_with_too_many_have_no_bounds(graph):
    assert [*fractional_bounds(graph)] == []


def test_once_time_is_over_there_are_no_bounds():
    assert [*fractional_bounds(family("petersen"), clock=Clock(0))] == []


def test_without_highs_a_warning_says_what_to_install(monkeypatch):
    highs.cache_clear()
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.warns(UserWarning, match=r"pip install 'concolor\[exact\]'"):
        assert [*fractional_bounds(family("petersen"))] == []
    highs.cache_clear()


@given(st.lists(st.integers(0, 12), min_size=1, max_size=6), st.integers(1, 60))
def test_prices_with_a_common_denominator_are_recognized(numerators, denominator):
    whole = as_fractions(np.array(numerators) / denominator)
    if not any(numerators):
        assert whole is None
        return
    shared = np.gcd.reduce([*numerators, denominator])
    assert whole.tolist() == [x // shared for x in numerators]
