"""Greedy passes beside their slow twins, color by color."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.graph.structure import csr
from concolor.matrices import orders
from concolor.matrices.column import first_fit
from concolor.matrices.kernels import bicolored
from concolor.matrices.pattern import Pattern, incidence
from slow_matrices import first_fit as slowly
from slow_matrices import is_acyclic, is_column, is_star
from small_patterns import patterns

JUDGES = {"star": is_star, "acyclic": is_acyclic}


def known(there, colors):
    """The columns that have a color."""
    return is_column(there[:, colors >= 0], colors[colors >= 0])


@pytest.mark.slow
@pytest.mark.parametrize("dense", [64, 1])  # no row is dense, every row is
@given(patterns(most=8), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=60)
def test_columns_get_the_first_color_that_fits(dense, there, random):
    order = list(range(there.shape[1]))
    random.shuffle(order)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(orders, "DENSE", dense)
        found = first_fit(Pattern.of(there), np.array(order))
    assert found.tolist() == slowly(len(order), order, lambda c: known(there, c)).tolist()


def test_a_dense_row_of_many_columns_has_as_many_colors():
    there = np.zeros((3, 400), int)
    there[0], there[1, ::7], there[2, :90] = 1, 1, 1
    pattern = Pattern.of(there)
    assert (orders.dense_rows(pattern) >= 0).tolist() == [True, False, True]
    order = np.random.default_rng(0).permutation(400)
    assert first_fit(pattern, order)[order].tolist() == list(range(400))


@pytest.mark.slow
@given(st.integers(0, 999))
@settings(deadline=None, max_examples=20)
def test_sets_of_colors_give_what_walking_gives(seed):
    rng = np.random.default_rng(seed)
    pattern = Pattern.of(rng.random((40, 200)) < 10.0 ** rng.uniform(-2, 0, (40, 1)))
    order = rng.permutation(200)
    with pytest.MonkeyPatch.context() as patch:
        found = first_fit(pattern, order)
        patch.setattr(orders, "DENSE", 1000)
        assert (first_fit(pattern, order) == found).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", JUDGES)
@given(st.data())
@settings(deadline=None, max_examples=60)
def test_nodes_get_their_wish_or_the_first_color_that_leaves_stars_or_trees(kind, data):
    there = data.draw(patterns(most=7, symmetric=True, full=True))
    graph = Pattern.of(there).adjacency
    order = np.array(data.draw(st.permutations(range(graph.n))))
    wishes = st.lists(st.integers(-1, graph.n - 1), min_size=graph.n, max_size=graph.n)
    wish = np.array(data.draw(st.one_of(st.just([-1] * graph.n), wishes)), np.int32)
    found = getattr(bicolored, kind)(*csr(graph), order, np.zeros(graph.n, bool), wish, True)
    slow = slowly(graph.n, order, lambda c: JUDGES[kind](there, c), wish)
    assert found.tolist() == slow.tolist()


@pytest.mark.slow
@given(patterns(most=8))
@settings(deadline=None, max_examples=60)
def test_orders_are_what_they_are_called(there):
    """The key of every choice is the best there is, counted anew."""
    pattern = Pattern.of(there)
    shared = there.T @ there * (1 - np.eye(pattern.n, dtype=int))  # rows that two columns share
    degrees = shared.sum(axis=0)
    assert orders.natural(pattern).tolist() == list(range(pattern.n))
    assert (np.diff(degrees[orders.largest_first(pattern)]) <= 0).all()
    last = orders.smallest_last(pattern)
    first = orders.incidence_degree(pattern)
    assert sorted(last) == sorted(first) == list(range(pattern.n))
    for place in range(pattern.n):
        left = shared[np.ix_(last[: place + 1], last[: place + 1])].sum(axis=0)
        assert left[place] == left.min()
        before = shared[first[:place]].sum(axis=0)
        assert before[first[place]] == before[first[place:]].max()


def test_the_orders_of_a_graph_are_those_of_its_edges_as_rows():
    path = Pattern.of(np.eye(5) + np.eye(5, k=1) + np.eye(5, k=-1)).adjacency
    assert incidence(path).degrees.tolist() == [2, 2, 2, 2]
    assert orders.largest_first(incidence(path)).tolist() == [1, 2, 3, 0, 4]
