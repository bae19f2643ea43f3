r"""Sums and factorizations whose rounding error is bounded, so that a bound stays a bound.

A sum of ``k`` products in floating point is off by at most ``γ_k Σ|a||b|`` whatever the order of
its terms, ``γ_k = ku / (1 - ku)`` with ``u = 2^-53`` (Higham 2002, section 3.1).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray

from concolor.graph.core import IntArray

Array = NDArray[np.float64]

UNIT = 2.0**-53
TINY = 1e-290  # more than underflow can take away in any sum here
DENSE = 2000  # nodes up to which matrices are dense
WORK = 3e8  # products of entries that we are ready to form with a sparse factor


def gamma(k: int) -> float:
    """``γ_k`` with room to spare: twice the textbook's, so the bound itself may be rounded."""
    return 2 * (k + 4) * UNIT


def dot_rows(a: Array, b: Array) -> tuple[Array, Array]:
    """Inner products of the rows of ``a [m, d]`` and ``b [m, d]``, and how far off they may be."""
    value = np.einsum("ij,ij->i", a, b)
    size = np.einsum("ij,ij->i", np.abs(a), np.abs(b))
    return value, gamma(a.shape[1]) * size + TINY


def dot_ends(z: Array, edges: IntArray) -> tuple[Array, Array]:
    """``<z_u, z_v>`` on every edge ``[m]`` of ``edges [m, 2]``, and how far off they may be."""
    value, error = np.empty(len(edges)), np.empty(len(edges))
    for part in blocks(len(edges), z.shape[1]):
        u, v = edges[part].T
        value[part], error[part] = dot_rows(z[u], z[v])
    return value, error


def scaled(values: Array) -> Array:
    """Divided by the power of two that brings the largest size into ``0.5..1``.

    No digit changes, except in what is pushed below the smallest normal float; beside numbers of
    size 1 that is less than ``TINY``.
    """
    return np.asarray(np.ldexp(values, -int(np.frexp(np.abs(values).max(initial=0.0))[1])))


GATHERED = 2**16  # entries of the rows that are gathered at once: what fits into a cache


def blocks(count: int, width: int) -> Iterator[slice]:
    """Slices of ``count`` rows that hold about ``GATHERED`` entries each, ``width`` in a row."""
    step = max(GATHERED // max(width, 1), 1)
    return (slice(start, start + step) for start in range(0, count, step))


def sum_products(*factors: Array) -> tuple[float, float]:
    """``Σ_i a_i b_i ...`` over arrays ``[m]``, summed exactly, and how far off it may be.

    No factor may be much above 1 in size: then what underflows on the way stays below ``TINY``.
    """
    terms = np.prod(np.stack(factors), axis=0)
    error = gamma(len(factors)) * math.fsum(np.abs(terms)) + TINY * len(terms)
    return math.fsum(terms), error


def at_least(value: float, digits: int = 6) -> str:
    """A lower bound with so many decimals, rounded down: what is printed is a lower bound, too.

    >>> at_least(5**0.5), at_most(5**0.5)
    ('2.236067', '2.236068')
    """
    with localcontext(rounding=ROUND_FLOOR):
        return f"{Decimal(value):.{digits}f}"


def at_most(value: float, digits: int = 6) -> str:
    """An upper bound with so many decimals, rounded up."""
    with localcontext(rounding=ROUND_CEILING):
        return f"{Decimal(value):.{digits}f}"


def defect(matrix: sp.csr_array, *, work: float = WORK) -> float:
    r"""A proved ``δ >= 0`` with ``A + δI`` positive semidefinite; infinity where none is found.

    Any real matrix M has ``M M^T >= 0``, so with ``R = A - M M^T``

    .. math:: \lambda_{\min}(A) \ge -\|R\|_2 \ge -\|R\|_\infty

    M is a computed Cholesky factor, and nothing is assumed about how it was computed: ``R`` is
    formed anew, with the error of forming it added. Dense up to ``DENSE`` rows, sparse above.

    Args:
        matrix: Symmetric ``[n, n]``, exactly.
        work: Products of entries that may be formed with a sparse factor.
    """
    small = matrix.shape[0] <= DENSE
    found = _dense_factor(matrix) if small else _sparse_factor(matrix, work)
    if found is None:
        return math.inf
    target, factor = found
    size = abs(factor)
    ones = np.ones(matrix.shape[0])
    longest = matrix.shape[0] if small else int(np.diff(factor.indptr).max())
    residual = abs(target - factor @ factor.T) @ ones
    error = gamma(longest) * (size @ (size.T @ ones) + abs(target) @ ones)
    worst = float(np.max(residual + error, initial=0.0))
    return worst * (1 + gamma(matrix.shape[0])) + TINY


def _dense_factor(matrix: sp.csr_array) -> tuple[Any, Any] | None:
    dense = matrix.toarray()
    try:
        return dense, scipy.linalg.cholesky(dense, lower=True)
    except scipy.linalg.LinAlgError:
        return None


def _sparse_factor(matrix: sp.csr_array, work: float) -> tuple[Any, Any] | None:
    """The matrix in the order that keeps its factor sparse, and the factor."""
    from concolor.certificates.elimination import eliminate  # imports numba

    found = eliminate(matrix, work)
    if found is None:
        return None
    factor = (found.lower @ sp.diags_array(np.sqrt(found.pivots))).tocsr()
    return matrix[found.order][:, found.order], factor
