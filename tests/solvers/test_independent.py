import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.goal import Clock
from concolor.graph.families import family
from concolor.solvers.independent import Sets, packed
from small_graphs import independent_sets, weighted


def maximal_sets(graph):
    every = set(independent_sets(graph))
    return {s for s in every if not any(s | {v} in every for v in range(graph.n) if v not in s)}


def as_sets(rows):
    return [frozenset(np.flatnonzero(row).tolist()) for row in rows]


@pytest.mark.slow
@given(asked=weighted(), beat=st.integers(0, 12))
@settings(max_examples=80, deadline=None)
def test_the_heaviest_set_is_that_of_brute_force(asked, beat):
    graph, weights = asked
    found = Sets.of(graph).heaviest(weights, beat=beat)
    best = max(int(weights[list(s)].sum()) for s in independent_sets(graph))
    assert found.is_proved and found.weight == max(best, beat)
    if best > beat:
        nodes = frozenset(np.flatnonzero(found.nodes).tolist())
        assert nodes in set(independent_sets(graph)) and weights[list(nodes)].sum() == best
    else:
        assert not found.nodes.any()


@pytest.mark.slow
@given(asked=weighted(), size=st.integers(0, 4))
@settings(max_examples=60, deadline=None)
def test_all_maximal_sets_of_a_size_are_listed_once(asked, size):
    graph, weights = asked
    sets, every = Sets.of(graph), maximal_sets(graph)
    listed = as_sets(sets.all_of(size, most=1000))
    assert len(listed) == len(set(listed))
    assert set(listed) == {s for s in every if len(s) >= size}
    assert set(as_sets(sets.greedy(weights))) <= every


def test_every_way_to_place_the_queens_is_listed():
    """What is known since 1850: https://oeis.org/A000170."""
    for side, ways in ((6, 4), (8, 92), (9, 352)):
        assert len(Sets.of(family(f"queen:{side}")).all_of(side, most=1000)) == ways


def test_a_listing_that_is_too_long_or_late_is_none():
    sets = Sets.of(family("queen:8"))
    assert sets.all_of(8, most=91) is None
    assert sets.all_of(8, most=92, clock=Clock(0)) is None


def test_more_nodes_than_a_word_has_bits():
    graph = family("cycle:201")
    found = Sets.of(graph).heaviest(np.ones(201, np.int64))
    assert found.is_proved and found.weight == 100 == found.nodes.sum()
    assert not found.nodes[graph.edges].all(axis=1).any()


def test_time_and_visits_end_the_search_without_a_proof():
    sets, ones = Sets.of(family("er:200x0.05")), np.ones(200, np.int64)
    assert not sets.heaviest(ones, clock=Clock(0)).is_proved
    assert not sets.heaviest(ones, visits=1).is_proved


def test_bits_are_where_they_belong():
    row = np.zeros((1, 70), bool)
    row[0, [0, 3, 64]] = True
    assert packed(row).tolist() == [[0b1001, 1]]
