from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.certificates import rounding
from concolor.certificates.rounding import defect, dot_rows, sum_products


def fractions(array):
    return [Fraction(float(value)) for value in array]


def is_semidefinite(rows):
    """Elimination in rational numbers, without pivots: exact, and slow."""
    rows = [list(row) for row in rows]
    for i, row in enumerate(rows):
        if row[i] < 0 or (row[i] == 0 and any(row[i + 1 :])):
            return False
        for below in rows[i + 1 :]:
            factor = below[i] / row[i] if row[i] else Fraction(0)
            for j in range(i, len(rows)):
                below[j] -= factor * row[j]
    return True


def symmetric(seed, n=6):
    rng = np.random.default_rng(seed)
    half = np.triu(rng.normal(size=(n, n)) * rng.choice([1e-3, 1.0, 1e3], size=(n, n)), 1)
    return half + half.T


@given(seed=st.integers(0, 10**6), shift=st.sampled_from([0.0, 1e-15, 1e-12, 1e-3]))
@settings(max_examples=40, deadline=None)
def test_the_matrix_with_its_defect_is_semidefinite_exactly(seed, shift):
    weights = symmetric(seed)
    low = -np.linalg.eigvalsh(weights)[0]
    matrix = weights + low * (1 + shift) * np.eye(6)
    found = defect(sp.csr_array(matrix))
    if np.isfinite(found):
        rows = [fractions(row) for row in matrix]
        for i in range(6):
            rows[i][i] += Fraction(found)
        assert is_semidefinite(rows)
        assert found < 1e-11 * low


@given(seed=st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_a_wrong_factor_makes_the_defect_large_but_never_false(seed):
    weights, factor = symmetric(seed), np.random.default_rng(seed).normal(size=(6, 6))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounding, "_dense_factor", lambda matrix: (matrix.toarray(), factor))
        assert defect(sp.csr_array(weights)) >= -np.linalg.eigvalsh(weights)[0]


@pytest.mark.parametrize("dense", [0, 100])
def test_an_indefinite_matrix_has_no_small_defect(monkeypatch, dense):
    monkeypatch.setattr(rounding, "DENSE", dense)
    assert defect(sp.csr_array(np.array([[1.0, 2.0], [2.0, 1.0]]))) >= 1


def test_sparse_and_dense_factors_agree(monkeypatch):
    ring = sp.diags_array([np.ones(39), np.ones(39)], offsets=[1, -1], shape=(40, 40)).tolil()
    ring[0, 39] = ring[39, 0] = 1
    matrix = (ring + 2.1 * sp.eye_array(40)).tocsr()
    dense = defect(matrix)
    monkeypatch.setattr(rounding, "DENSE", 0)
    assert 0 < defect(matrix) < 1e-12
    assert 0 < dense < 1e-12


@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_sums_hold_the_exact_value_within_their_error(seed):
    a, b = np.random.default_rng(seed).normal(size=(2, 3, 9)) * 10.0 ** np.arange(-4, 5)
    for row, other, value, error in zip(a, b, *dot_rows(a, b), strict=True):
        exact = sum(x * y for x, y in zip(fractions(row), fractions(other), strict=True))
        assert abs(Fraction(float(value)) - exact) <= Fraction(float(error))
    value, error = sum_products(a[0], b[0], b[1])
    triples = zip(fractions(a[0]), fractions(b[0]), fractions(b[1]), strict=True)
    assert abs(Fraction(value) - sum(x * y * z for x, y, z in triples)) <= Fraction(error)
