r"""Orders of columns for first fit, found on the rows, without the graph of columns.

Two columns are neighbors if they share a row; where they share several they count as often, so the
degree of column j is

.. math:: d_j = \sum_{i : A_{ij} \ne 0} (\deg i - 1)

and no order costs more than :math:`O(\sum_i (\deg i)^2)`. A graph is ordered as the pattern that
has its edges as rows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from concolor.graph.core import IntArray
from concolor.matrices.pattern import Pattern, Places

STEP, ENTRY = 5e-9, 3e-7  # seconds, about: of a step, and of all else for an entry
NEAR, FAR = 1_000_000, 6e-7  # entries that are near at hand, and what each of the others adds
DENSE = 64  # a row is dense with this many entries, and with one of so many places


def natural(pattern: Pattern) -> IntArray:
    """The columns as they come ``[n]``."""
    return np.arange(pattern.n)


def largest_first(pattern: Pattern) -> IntArray:
    """The columns by falling degree, equal ones in their own order."""
    return np.argsort(-_degrees(pattern), kind="stable")


def smallest_last(pattern: Pattern) -> IntArray:
    """The column of smallest degree is last, and so on without it (Matula and Beck 1983)."""
    degrees = _degrees(pattern)
    return _peeled(pattern, degrees, natural(pattern))[::-1].copy()


def incidence_degree(pattern: Pattern) -> IntArray:
    """Next is the column with most neighbors before it (Coleman and Moré 1983).

    Of several, one of largest degree is the very first.
    """
    degrees = _degrees(pattern)
    highest = np.full(pattern.n, degrees.max(initial=0))
    return _peeled(pattern, highest, np.argsort(-degrees, kind="stable"))


def dense_rows(pattern: Pattern) -> Places:
    """A number 0, 1, ... for each dense row, -1 for the others ``[m]``.

    A set of n bits for each of them takes no more room than the pattern.
    """
    is_dense = pattern.degrees >= max(DENSE, pattern.n / DENSE)
    return np.where(is_dense, np.cumsum(is_dense) - 1, -1).astype(np.int32)


def pass_seconds(pattern: Pattern) -> float:
    r"""Of an order and a pass of first fit over the columns, about.

    A sparse row is walked over once for each of its entries, :math:`\sum_i (\deg i)^2` steps; for
    each entry of a dense row, its set of colors.
    """
    sparse = dense_rows(pattern) < 0
    walked, dense = pattern.degrees[sparse], int(pattern.degrees[~sparse].sum())
    steps = int(walked @ walked) + dense * pattern.n // 64
    return STEP * steps + entry_seconds(pattern)


def entry_seconds(pattern: Pattern) -> float:
    """Of an order and a pass but for their steps, about; more for each where there are many."""
    return ENTRY * pattern.nnz + FAR * max(pattern.nnz - NEAR, 0)


def _degrees(pattern: Pattern) -> IntArray:
    """Of every column, neighbors counted once for every row that is shared ``[n]``."""
    others = np.repeat(pattern.degrees - 1, pattern.degrees)
    return np.bincount(pattern.indices, others, minlength=pattern.n).astype(np.int64)


def _peeled(pattern: Pattern, key: IntArray, first: IntArray) -> IntArray:
    from concolor.matrices.kernels import columns as kernels

    by_column = pattern.transposed
    return kernels.peeled(
        pattern.indptr,
        pattern.indices,
        by_column.indptr,
        by_column.indices,
        dense_rows(pattern),
        key,
        first,
    )


ORDERS: dict[str, Callable[[Pattern], IntArray]] = {
    "smallest-last": smallest_last,
    "incidence-degree": incidence_degree,
    "largest-first": largest_first,
    "natural": natural,
}
