"""Elimination of large sparse matrices, refused beforehand where it would fill up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from concolor.certificates.rounding import Array
from concolor.compiled import compiled
from concolor.graph.core import IntArray


@dataclass(frozen=True)
class Eliminated:
    """``A = L D L^T`` of a symmetric A, its rows and columns in another order.

    Attributes:
        order: Of the rows and columns of A ``[n]``.
        lower: L, ones on the diagonal, CSC.
        pivots: The diagonal of D ``[n]``, positive.
        solve: ``A^-1 b`` for ``b [n]``, in the order of A itself.
    """

    order: IntArray
    lower: sp.csc_array
    pivots: Array
    solve: Callable[[Array], Array]


def eliminate(matrix: sp.csr_array, most: float) -> Eliminated | None:
    """Eliminate a symmetric positive definite ``matrix``; None where it is not, or is too dense.

    Args:
        matrix: Symmetric ``[n, n]``, with a full diagonal.
        most: Products of entries in ``L L^T``, at most; counted before anything is computed.
    """
    order = sparse_order(matrix, most)
    if order is None:
        return None
    moved = matrix[order][:, order].tocsc()
    try:
        lu = spla.splu(
            moved, permc_spec="NATURAL", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
    except RuntimeError:  # singular
        return None
    pivots = lu.U.diagonal()
    if not (pivots > 0).all() or (lu.perm_r != lu.perm_c).any():
        return None

    def solve(b: Array) -> Array:
        x = np.empty_like(b)
        x[order] = lu.solve(b[order])
        return x

    return Eliminated(order[np.argsort(lu.perm_r)], sp.csc_array(lu.L), pivots, solve)


EDGES = 100_000  # above, finding an order that keeps the factor sparse takes too long
ORDER = 4e-5  # seconds an edge that finding one takes, about


def sparse_order(matrix: sp.csr_array, most: float) -> IntArray | None:
    """An order of the rows ``[n]`` that keeps L sparse; None where ``L L^T`` is too much work.

    By minimum degree, as an incomplete elimination finds it that drops every new entry.
    """
    n = matrix.shape[0]
    if matrix.nnz > 2 * EDGES + n:
        return None
    pattern = (sp.diags_array(np.diff(matrix.indptr) + 1.0) - abs(matrix.sign())).tocsc()
    found = spla.spilu(
        pattern,
        drop_tol=1.0,
        fill_factor=1.0,
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    order = np.argsort(found.perm_c).astype(np.int64)
    moved = pattern[order][:, order].tocsc()
    longest = int((most * n) ** 0.5)  # entries in all columns, by Cauchy and Schwarz
    counts = _counts(moved.indptr, moved.indices, longest)
    fits = counts.sum() <= longest and (counts.astype(np.float64) ** 2).sum() <= most
    return order if fits else None


@compiled
def _counts(indptr: IntArray, indices: IntArray, most: int) -> IntArray:
    """Entries of every column of L ``[n]``, from the elimination tree (Davis 2006, section 4.1).

    Row k of L has an entry in column i where the tree leads from a neighbor of k through i up to
    k. Counting ends where more than ``most`` are there.
    """
    n = len(indptr) - 1
    parent, above = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    seen, count = np.full(n, -1, np.int64), np.ones(n, np.int64)
    total = n
    for k in range(n):
        for p in range(indptr[k], indptr[k + 1]):
            i = indices[p]
            while i != -1 and i < k:  # to the root of what is known, with short cuts to k
                up = above[i]
                above[i] = k
                if up == -1:
                    parent[i] = k
                i = up
        seen[k] = k
        for p in range(indptr[k], indptr[k + 1]):
            i = indices[p]
            while i < k and seen[i] != k:
                seen[i] = k
                count[i] += 1
                total += 1
                i = parent[i]
        if total > most:
            break
    return count
