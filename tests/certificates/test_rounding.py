from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from concolor.certificates import rounding
from concolor.certificates.rounding import (
    UNIT,
    at_least,
    at_most,
    defect,
    dot_ends,
    dot_rows,
    gamma,
    sum_products,
)
from concolor.graph.families import family


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


@pytest.mark.slow
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


@pytest.mark.parametrize("k", [0, 1, 2, 17, 2000, 10**6])
def test_gamma_is_twice_the_textbook(k):
    u = Fraction(1, 2**53)
    assert Fraction(UNIT) == u
    assert 2 * k * u / (1 - k * u) <= Fraction(gamma(k)) <= 2 * (k + 5) * u


@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1e-170, 1e-155, 1e-80, 1.0, 1e80]))
@settings(max_examples=60, deadline=None)
def test_sums_that_cancel_or_underflow_are_held_too(seed, scale):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 1, 8)) * scale
    a[0, 4:], b[0, 4:] = a[0, :4], -b[0, :4] * (1 + rng.choice([0, UNIT, 4 * UNIT], 4))
    exact = sum(x * y for x, y in zip(fractions(a[0]), fractions(b[0]), strict=True))
    value, error = (float(part[0]) for part in dot_rows(a, b))
    assert abs(Fraction(value) - exact) <= Fraction(error)
    factors = np.minimum(np.abs(a[0]), 1.0), np.clip(b[0], -1, 1)
    exact = sum(x * y for x, y in zip(*map(fractions, factors), strict=True))
    value, error = sum_products(*factors)
    assert abs(Fraction(value) - exact) <= Fraction(error)


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1e-150, 1.0, 1e100]))
@settings(max_examples=60, deadline=None)
def test_the_defect_is_above_the_exact_norm_of_the_residual(seed, scale):
    """Whatever the factor is; here often one whose product rounds to the very matrix."""
    rng = np.random.default_rng(seed)
    factor = np.tril(rng.normal(size=(4, 4))) * scale
    matrix = factor @ factor.T if seed % 2 else np.tril(factor) + np.tril(factor, -1).T
    rows = [fractions(row) for row in factor]
    gram = [[sum(x * y for x, y in zip(a, b, strict=True)) for b in rows] for a in rows]
    exact = max(
        sum(abs(Fraction(float(matrix[i, j])) - gram[i][j]) for j in range(4)) for i in range(4)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounding, "_dense_factor", lambda matrix: (matrix.toarray(), factor))
        found = defect(sp.csr_array(matrix))
    assert (
        exact
        <= Fraction(found)
        <= exact
        + Fraction(200 * UNIT)
        * Fraction(float(np.abs(matrix).sum() + (np.abs(factor) @ np.abs(factor.T)).sum()))
        + Fraction(1e-280)
    )


@given(x=st.floats(0.5, 2), y=st.floats(0.5, 2))
@settings(max_examples=60, deadline=None)
def test_a_matrix_that_only_rounding_makes_semidefinite_has_a_defect(x, y):
    factor = np.array([[x, 0.0], [y, 0.0]])
    matrix = factor @ factor.T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounding, "_dense_factor", lambda matrix: (matrix.toarray(), factor))
        found = Fraction(defect(sp.csr_array(matrix)))
    rows = [fractions(row) for row in matrix]
    rows[0][0] += found
    rows[1][1] += found
    assert is_semidefinite(rows)


@given(value=st.floats(0, 1e300), digits=st.integers(0, 9))
def test_printed_bounds_stay_on_their_side_and_close(value, digits):
    low, high = at_least(value, digits), at_most(value, digits)
    assert (
        Fraction(low)
        <= Fraction(value)
        <= Fraction(high)
        <= Fraction(low) + Fraction(1, 10**digits)
    )
    assert len(low.partition(".")[2]) == len(high.partition(".")[2]) == digits


@pytest.mark.parametrize("gathered", [1, 50, 2**16])
def test_blocks_of_edges_give_what_all_edges_at_once_give(monkeypatch, gathered):
    monkeypatch.setattr(rounding, "GATHERED", gathered)
    graph, z = family("er:40x0.3"), np.random.default_rng(0).normal(size=(40, 7))
    u, v = graph.edges.T
    for found, expected in zip(dot_ends(z, graph.edges), dot_rows(z[u], z[v]), strict=True):
        np.testing.assert_array_equal(found, expected)
