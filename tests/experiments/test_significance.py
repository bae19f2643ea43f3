"""Welch's test and the correction for many rows, against the obvious."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_ind

from concolor.experiments.significance import LEVEL, adjusted, welch


@given(st.integers(0, 10**6), st.floats(0, 2))
def test_welch_from_means_is_welch_from_the_values(seed, apart):
    random = np.random.default_rng(seed)
    one, other = random.normal(0, 1, 10), random.normal(apart, 2, 7)
    stats = (other.mean(), other.std(ddof=1), 7)
    found = welch(one.mean(), one.std(ddof=1), 10, stats)
    assert found == pytest.approx(ttest_ind(one, other, equal_var=False).pvalue)


def test_without_spread_there_is_no_chance():
    assert welch(1.0, 0.0, 10, (1.0, 0.0, 10)) == 1.0
    assert welch(1.0, 0.0, 10, (1.1, 0.0, 10)) == 0.0
    assert 0 < welch(1.0, 0.0, 10, (1.1, 0.2, 10)) < 1


def slowly_adjusted(p):
    """The smallest level at which each would be among those that are called different."""
    found = []
    for value in p:
        levels = [len(p) / sum(q <= at for q in p) * at for at in p if at >= value]
        found.append(min(1.0, *levels) if len(levels) > 1 else min(1.0, levels[0]))
    return found


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_the_correction_is_that_of_benjamini_and_hochberg(p):
    assert adjusted(p) == pytest.approx(slowly_adjusted(p))


def test_few_of_many_equal_rows_are_called_different():
    random = np.random.default_rng(0)
    p = random.uniform(size=1000)
    assert (p <= LEVEL).sum() > 30 and (adjusted(p) <= LEVEL).sum() == 0
    assert len(adjusted([])) == 0
