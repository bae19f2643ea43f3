r"""From products back to the matrix: which sum gives which entry.

The products are :math:`B = A S` ``[m, p]`` and :math:`C = R^T A` ``[q, n]``, one after the other as
one list of sums. Every unknown entry stands in two sums at most, so the sums are the nodes and the
unknowns the edges of a graph (an unknown in one sum only leads to the ground).

- *Direct*: one of the two holds nothing else. That is what column, row, star and star bicolorings
  promise.
- *Substitution*: the graph is a forest, so some sum holds one unknown; take that from the other
  sum, and so on. That is what acyclic colorings and bicolorings promise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concolor.graph.core import IntArray
from concolor.matrices.pattern import Pattern


@dataclass(frozen=True, eq=False)
class Sums:
    """The sums in which the unknowns stand.

    Attributes:
        one, other: Of every unknown ``[u]``, a number of a sum, -1 for none.
        count: How many sums there are.
        entry: The unknown of every entry of the pattern ``[nnz]``.
    """

    one: IntArray
    other: IntArray
    count: int
    entry: IntArray

    @classmethod
    def of(
        cls, pattern: Pattern, columns: IntArray | None, rows: IntArray | None, *, symmetric: bool
    ) -> Sums:
        """Sums by the colors of columns ``[n]`` and of rows ``[m]``, -1 or None for no color.

        In a symmetric matrix ``A_ij`` and ``A_ji`` are one unknown.
        """
        (m, n), i, j = pattern.shape, pattern.rows.astype(np.int64), pattern.indices
        p = 0 if columns is None else int(columns.max(initial=-1)) + 1
        q = 0 if rows is None else int(rows.max(initial=-1)) + 1
        c = np.full(pattern.nnz, -1) if columns is None else columns[j]
        r = np.full(pattern.nnz, -1) if rows is None else rows[i]
        one = np.where(c < 0, -1, i * p + c)
        if symmetric:
            upper, unknown = i <= j, np.empty(pattern.nnz, np.int64)
            unknown[upper] = np.arange(np.count_nonzero(upper))
            mirror = np.argsort(j, kind="stable")  # entry e of the transposed one, row by row
            unknown[~upper] = unknown[mirror][~upper]
            other = np.where(i == j, -1, one[mirror])
            return cls(one[upper], other[upper], m * p, unknown)
        other = np.where(r < 0, -1, m * p + r * n + j)
        return cls(one, other, m * p + q * n, np.arange(pattern.nnz))

    @cached_property
    def alone(self) -> IntArray:
        """Of every unknown ``[u]``, a sum in which it is alone, -1 where there is none."""
        both = np.concatenate([self.one, self.other])
        sizes = np.append(np.bincount(both[both >= 0], minlength=self.count), 0)  # of -1: 0
        return np.where(
            sizes[self.one] == 1, self.one, np.where(sizes[self.other] == 1, self.other, -1)
        )

    @cached_property
    def eliminated(self) -> tuple[IntArray, IntArray]:
        """Unknowns one after the other, each with the sum that then gives it."""
        from concolor.matrices.kernels import substitution as kernels

        return kernels.eliminated(self.one, self.other, self.count)

    def is_solved(self, *, direct: bool) -> bool:
        """Every unknown can be found."""
        if direct:
            return bool((self.alone >= 0).all())
        return len(self.eliminated[0]) == len(self.one)

    def read_from(self, *, direct: bool) -> IntArray:
        """The sum that gives every entry of the pattern ``[nnz]``."""
        by = self.alone
        if not direct:
            unknowns, sums = self.eliminated
            by = np.full(len(self.one), -1)
            by[unknowns] = sums
        return by[self.entry]

    def values(self, sums: NDArray[Any], *, direct: bool) -> NDArray[Any]:
        """The entries ``[nnz]`` from all sums ``[count]``."""
        if direct:
            return sums[self.alone[self.entry]]
        from concolor.matrices.kernels import substitution as kernels

        kind = np.complex128 if np.iscomplexobj(sums) else np.float64
        found = kernels.substituted(self.one, self.other, *self.eliminated, sums.astype(kind))
        return found[self.entry]
