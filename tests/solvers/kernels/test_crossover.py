"""Greedy partition crossover beside a slow twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.solvers.kernels.crossover import greedy_partition


@st.composite
def parents(draw):
    n, k = draw(st.integers(1, 15)), draw(st.integers(1, 6))
    colors = st.lists(st.integers(0, k - 1), min_size=n, max_size=n)
    return np.array(draw(colors)), np.array(draw(colors)), k


def slow_twin(first, second, k):
    left = [[set(np.flatnonzero(p == c).tolist()) for c in range(k)] for p in (first, second)]
    child = np.full(len(first), -1)
    for turn in range(k):
        largest = set(max(left[turn % 2], key=len))
        child[sorted(largest)] = turn
        left = [[nodes - largest for nodes in parent] for parent in left]
    return child


@pytest.mark.slow
@given(parents())
@settings(deadline=None)
def test_the_largest_classes_go_over_in_turn(drawn):
    first, second, k = drawn
    assert greedy_partition(first, second, k).tolist() == slow_twin(first, second, k).tolist()


@pytest.mark.slow
@given(parents())
@settings(deadline=None)
def test_every_class_of_the_child_is_part_of_one_of_its_giver_and_the_rest_is_marked(drawn):
    first, second, k = drawn
    child = greedy_partition(first, second, k)
    assert child.min() >= -1 and child.max() < k
    for turn in range(k):
        giver = (first, second)[turn % 2]
        assert len(np.unique(giver[child == turn])) <= 1
    assert (child == 0).sum() == np.bincount(first).max()  # all of the largest
    if k == 1:
        assert (child == 0).all()


def test_a_child_of_twins_is_their_twin():
    parent = np.array([0, 1, 2, 0, 1, 0])
    child = greedy_partition(parent, (parent + 1) % 3, 3)
    assert child.tolist() == [0, 1, 2, 0, 1, 0]


def test_a_child_has_something_of_both():
    """Largest of the first: {0, 1, 2}; then what is left of the second: {3, 4}; node 5 is lost."""
    first, second = np.array([0, 0, 0, 1, 2, 2]), np.array([0, 1, 1, 2, 2, 1])
    assert greedy_partition(first, second, 2 + 1).tolist() == [0, 0, 0, 1, 1, 2]
    assert greedy_partition(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), 2).tolist() == [
        *(0, 0, 1, 1)
    ]
    lost = greedy_partition(np.array([0, 0, 0, 1, 1]), np.array([0, 1, 1, 0, 1]), 2)
    assert lost.tolist() == [0, 0, 0, 1, -1]
