"""The compiled loops of structural and spectral features, which import them on first use."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled
from concolor.graph.core import IntArray


@compiled
def triangles(indptr: IntArray, indices: IntArray) -> IntArray:
    """Triangles at every node of an acyclically oriented graph (CSR of out-neighbors)."""
    n = len(indptr) - 1
    count, seen = np.zeros(n, np.int64), np.full(n, -1, np.int64)
    for u in range(n):
        for i in range(indptr[u], indptr[u + 1]):
            seen[indices[i]] = u
        for i in range(indptr[u], indptr[u + 1]):
            v = indices[i]
            for j in range(indptr[v], indptr[v + 1]):
                w = indices[j]
                if seen[w] == u:
                    count[u] += 1
                    count[v] += 1
                    count[w] += 1
    return count


@partial(compiled, fastmath=["contract"])
def three_term(
    indptr: IntArray,
    indices: NDArray[np.int32],
    weight: np.float32,
    own: NDArray[np.float32],
    x: NDArray[np.float32],
    y: NDArray[np.float32],
    first: int,
    last: int,
) -> None:
    """``y <- weight A x + own x - y`` for ``x, y [n, q]``, A the adjacency and ``own [n]``, in the
    rows ``first .. last - 1``.

    One pass over the edges instead of a product and four sums, each of the size of ``x``.
    """
    q = x.shape[1]
    for u in range(first, last):
        for j in range(q):
            y[u, j] = own[u] * x[u, j] - y[u, j]
        for i in range(indptr[u], indptr[u + 1]):
            v = indices[i]
            for j in range(q):
                y[u, j] += weight * x[v, j]
