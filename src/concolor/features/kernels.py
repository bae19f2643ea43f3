"""The compiled loop of :mod:`concolor.features.structural`, which imports it on first use."""

from __future__ import annotations

import numpy as np

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
