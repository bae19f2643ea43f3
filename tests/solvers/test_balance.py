"""Classes of nearly equal size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concolor as cc
from concolor.graph.structure import csr
from concolor.solvers.balance import balanced
from concolor.solvers.kernels.balance import exchange, level, shift


@st.composite
def graphs(draw):
    n = draw(st.integers(0, 14))
    node = st.integers(0, max(n - 1, 0))
    return cc.Graph.from_edges(n, draw(st.lists(st.tuples(node, node), max_size=40)) if n else [])


@settings(deadline=None)
@given(graphs(), st.integers(1, 4))
def test_sizes_differ_by_at_most_one(graph, more):
    k = graph.degrees.max(initial=0) + more
    coloring = balanced(graph, k)
    assert coloring.is_proper
    assert np.ptp(np.bincount(coloring.colors, minlength=k)) <= 1


@settings(deadline=None)
@given(graphs(), st.integers(0, 100))
def test_every_step_keeps_a_coloring_proper_and_its_sizes_true(graph, seed):
    colors = cc.dsatur(graph).colors.copy()
    if graph.n == 0:
        return
    sizes, rng = np.bincount(colors), np.random.default_rng(seed)
    for _ in range(10):
        spread = (sizes**2).sum()
        moved = shift(*csr(graph), colors, sizes)
        assert (sizes**2).sum() < spread if moved else (sizes**2).sum() == spread
        largest = sizes.max()
        exchange(*csr(graph), colors, sizes, rng.integers(graph.n), rng.integers(len(sizes)))
        assert sizes.max() <= largest
        assert cc.Coloring(graph, colors).is_proper
        np.testing.assert_array_equal(sizes, np.bincount(colors, minlength=len(sizes)))


def test_a_star_cannot_be_balanced_with_two_colors_and_still_there_is_an_end():
    star = cc.Graph.from_edges(10, [(0, leaf) for leaf in range(1, 10)])
    colors = cc.dsatur(star).colors.copy()
    sizes, draws = np.bincount(colors), np.random.default_rng(0).integers(0, 99, (50, 2))
    level(*csr(star), colors, sizes, draws)
    assert sorted(sizes) == [1, 9] and cc.Coloring(star, colors).is_proper


def test_too_few_colors_are_refused():
    with pytest.raises(cc.ConcolorError, match="k=3 is too few for complete:5 here; 5 are"):
        balanced(cc.family("complete:5"), 3)
