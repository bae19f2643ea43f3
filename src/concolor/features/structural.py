r"""Features read off the graph itself: four statistics, expanded by a fixed basis.

The statistics are degree, local clustering coefficient, core number and PageRank. Each is divided
by its largest value in the graph, which puts it in [0, 1]; one that is zero everywhere stays zero.
(Min-max scaling would blow rounding noise up to [0, 1] where a statistic is constant, as PageRank
is on every regular graph.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concolor.graph.core import Graph
from concolor.graph.structure import core_numbers

FloatArray = NDArray[np.float64]


def structural(graph: Graph, dim: int = 64) -> NDArray[np.float32]:
    r"""Structural features ``[n, dim]``; relabeling the nodes only moves the rows.

    With statistics :math:`s_0, .., s_3 \in [0, 1]`, coordinate ``j`` is
    :math:`T_{\lfloor j/4 \rfloor \bmod 4}(s_{j \bmod 4})` for :math:`T` cycling through
    :math:`s,\ s^2,\ \sin \pi s,\ \cos \pi s`. There are 16 different coordinates; a larger ``dim``
    repeats them, as the paper does.
    """
    s = statistics(graph)
    basis = np.concatenate([s, s**2, np.sin(np.pi * s), np.cos(np.pi * s)], axis=1)
    basis = basis.astype(np.float32)
    return basis[:, np.arange(dim) % basis.shape[1]]


def statistics(graph: Graph) -> FloatArray:
    """Degree, clustering, core number and PageRank ``[n, 4]``, each scaled to [0, 1]."""
    columns = [graph.degrees, clustering(graph), core_numbers(graph), pagerank(graph)]
    raw = np.stack(columns, axis=1).astype(np.float64)
    largest = raw.max(axis=0, initial=0.0)
    return raw / np.where(largest > 0, largest, 1.0)


def clustering(graph: Graph) -> FloatArray:
    r"""Local clustering coefficients ``[n]``: :math:`c_v = 2 t_v / (d_v (d_v - 1))`, 0 if d_v < 2.

    Each of the t_v triangles is found once, from its node of smallest degree: O(m^1.5) at worst.
    """
    from concolor.features.kernels import triangles  # imports numba

    rank = np.empty(graph.n, np.int64)
    rank[np.argsort(graph.degrees, kind="stable")] = np.arange(graph.n)
    source, target = graph.edge_index
    up = rank[source] < rank[target]  # every edge once, from low to high degree
    indptr = np.concatenate([[0], np.cumsum(np.bincount(source[up], minlength=graph.n))])
    closed = triangles(indptr, target[up])
    pairs = np.maximum(graph.degrees * (graph.degrees - 1) / 2, 1.0)
    return np.divide(closed, pairs, dtype=np.float64)


def pagerank(graph: Graph, damping: float = 0.85, tolerance: float = 1e-10) -> FloatArray:
    r"""PageRank ``[n]``, summing to 1, by power iteration to an L1 step below ``tolerance``.

    .. math:: r = \frac{1 - a}{n} + a \Bigl(A D^{-1} r + \frac{1}{n} \sum_{v : d_v = 0} r_v\Bigr)

    The map contracts by ``damping`` = a < 1, so the iteration ends.
    """
    if graph.n == 0:
        return np.empty(0)
    adjacency, isolated = graph.adjacency(), graph.degrees == 0
    share = 1 / np.maximum(graph.degrees, 1)
    rank, step = np.full(graph.n, 1 / graph.n), np.inf
    while step > tolerance:
        spread = adjacency @ (share * rank) + rank[isolated].sum() / graph.n
        update = (1 - damping) / graph.n + damping * spread
        rank, step = update, np.abs(update - rank).sum()
    return rank
