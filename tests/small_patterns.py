"""Small patterns of every kind for hypothesis."""

import numpy as np
from hypothesis import strategies as st

from concolor.matrices import KINDS

CASES = [(kind, method) for kind in KINDS for method in KINDS[kind].methods]
SYMMETRIC = [case for case in CASES if KINDS[case[0]].is_symmetric]


@st.composite
def patterns(draw, most=6, symmetric=False, full=None):
    """0/1 arrays; ``full``: with the whole diagonal, or as it comes (None)."""
    m = draw(st.integers(1, most))
    n = m if symmetric else draw(st.integers(1, most))
    cells = draw(st.lists(st.booleans(), min_size=m * n, max_size=m * n))
    there = np.array(cells).reshape(m, n).astype(int)
    if symmetric:
        there = np.maximum(there, there.T)
        if full:
            np.fill_diagonal(there, 1)
    return there


def with_values(there, seed=0, symmetric=False):
    """Whole numbers at the entries, so that no sum is rounded."""
    values = np.random.default_rng(seed).integers(1, 100, there.shape)
    if symmetric:
        values = np.triu(values) + np.triu(values, 1).T
    return (there * values).astype(float)
