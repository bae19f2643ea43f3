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
        one, other: Of every unknown ``[u]``, a sum, -1 for none.
        place: Where every sum stands among the products ``[sums]``; those of no entry are left out.
        entry: The unknown of every entry of the pattern ``[nnz]``.
    """

    one: IntArray
    other: IntArray
    place: IntArray
    entry: IntArray

    @classmethod
    def of(
        cls, pattern: Pattern, columns: IntArray | None, rows: IntArray | None, *, symmetric: bool
    ) -> Sums:
        """Sums by the colors of columns ``[n]`` and of rows ``[m]``, -1 or None for no color.

        In a symmetric matrix ``A_ij`` and ``A_ji`` are one unknown.
        """
        m, n = pattern.shape
        p = 0 if columns is None else int(columns.max(initial=-1)) + 1
        one = other = np.full(pattern.nnz, -1)
        place = np.arange(0)
        if columns is not None:
            one, line, color = _numbered(pattern, columns)
            place = line * p + color
        if rows is not None:
            number, line, color = _numbered(pattern.transposed, rows)
            other = np.empty(pattern.nnz, np.int64)
            other[pattern.in_columns] = np.where(number < 0, -1, len(place) + number)
            place = np.concatenate([place, m * p + color * n + line])
        entry = np.arange(pattern.nnz)
        if symmetric:
            i, j, mirror = pattern.rows, pattern.indices, pattern.in_columns
            upper = i <= j
            other = np.where(i == j, -1, one[mirror])
            entry[upper] = np.arange(np.count_nonzero(upper))
            entry[~upper] = entry[mirror][~upper]
            one, other = one[upper], other[upper]
        return cls(one, other, place, entry)

    @cached_property
    def alone(self) -> IntArray:
        """Of every unknown ``[u]``, a sum in which it is alone, -1 where there is none."""
        both = np.concatenate([self.one, self.other])
        sizes = np.append(np.bincount(both[both >= 0], minlength=len(self.place)), 0)  # of -1: 0
        return np.where(
            sizes[self.one] == 1, self.one, np.where(sizes[self.other] == 1, self.other, -1)
        )

    @cached_property
    def eliminated(self) -> tuple[IntArray, IntArray]:
        """Unknowns one after the other, each with the sum that then gives it."""
        from concolor.matrices.kernels import substitution as kernels

        return kernels.eliminated(self.one, self.other, len(self.place))

    def is_solved(self, *, direct: bool) -> bool:
        """Every unknown can be found."""
        if direct:
            return bool((self.alone >= 0).all())
        return len(self.eliminated[0]) == len(self.one)

    def read_from(self, *, direct: bool) -> IntArray:
        """The place among the products that gives every entry of the pattern ``[nnz]``."""
        by = self.alone
        if not direct:
            unknowns, sums = self.eliminated
            by = np.full(len(self.one), -1)
            by[unknowns] = sums
        return self.place[by[self.entry]]

    def values(self, products: NDArray[Any], *, direct: bool) -> NDArray[Any]:
        """The entries ``[nnz]`` from all products, one after the other."""
        if direct:
            return products[self.place[self.alone[self.entry]]]
        from concolor.matrices.kernels import substitution as kernels

        kind = np.complex128 if np.iscomplexobj(products) else np.float64
        sums = products[self.place].astype(kind)
        return kernels.substituted(self.one, self.other, *self.eliminated, sums)[self.entry]


def _numbered(pattern: Pattern, colors: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """The sums of entries of one line and one color, numbered as they come.

    Args:
        colors: Of every column ``[n]``, -1 for none.

    Returns:
        Of every entry ``[nnz]`` its sum, -1 for none; of every sum its line and its color.
    """
    from concolor.matrices.kernels import substitution as kernels

    return kernels.numbered(pattern.indptr, pattern.indices, colors)
