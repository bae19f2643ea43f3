"""From vectors on nodes to numbers on edges and back: every step of both methods needs that."""

from __future__ import annotations

from functools import partial
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from concolor.compiled import compiled
from concolor.graph.core import Graph, IntArray

Rows: TypeAlias = NDArray[Any]


class Pairs:
    """Two linear maps of one graph, each the adjoint of the other; no ``n x n`` matrix.

    Rows are ``[n, d]``, numbers on edges ``[m]`` in the order of ``graph.edges``; all of one
    precision, single or double.
    """

    def __init__(self, graph: Graph) -> None:
        self._edges = graph.edges
        ends = np.r_[0, np.cumsum(np.bincount(graph.edges[:, 0], minlength=graph.n))]
        parts = (np.empty(graph.m), graph.edges[:, 1], ends)
        self._above = sp.csr_array(parts, shape=(graph.n, graph.n))  # the diagonal
        self._below = sp.csc_array(parts, shape=(graph.n, graph.n))

    def inner(self, a: Rows, b: Rows) -> Rows:
        """``<a_u, b_v> + <b_u, a_v>`` on every edge uv."""
        return np.asarray(_inner(self._edges, a, b))

    def spread(self, on_edges: Rows, rows: Rows) -> Rows:
        """``Σ_{j ∈ N(i)} q_ij y_j`` at every node i."""
        self._above.data = self._below.data = on_edges
        return np.asarray(self._above @ rows + self._below @ rows)


@partial(compiled, fastmath=("reassoc", "contract"))  # to vectorize
def _inner(edges: IntArray, a: Rows, b: Rows) -> Rows:
    """Gathering the rows of all edges first would take several times as long."""
    found = np.zeros(len(edges), a.dtype)
    for e in range(len(edges)):
        u, v = edges[e]
        total = found[e]
        for k in range(a.shape[1]):
            total += a[u, k] * b[v, k] + b[u, k] * a[v, k]
        found[e] = total
    return found
