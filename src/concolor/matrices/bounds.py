"""Products that are certainly needed, counted on the densest parts of a pattern.

Whatever a recovery does, a sum of products gives one entry. So where entries are many and sums few,
more colors are needed: for the whole matrix, and for each of its cores.
"""

from __future__ import annotations

import numpy as np

from concolor.graph.cliques import quick_clique
from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import core_numbers, core_order
from concolor.matrices.pattern import Pattern

LEVELS = 8  # cores that are looked at where a bound needs the degrees inside


def bidirectional_bound(pattern: Pattern) -> int:
    r"""Rows I and columns J have :math:`p |I| + q |J|` sums with p + q colors, so

    .. math:: p + q \ge |A_{IJ}| / \max(|I|, |J|)

    for every submatrix; those looked at are the first lines of the order by cores.
    """
    graph = pattern.bipartite
    if not graph.m:
        return 0
    order = core_order(graph)
    rows = np.cumsum(order < pattern.m)
    sizes = np.maximum(rows, np.arange(1, graph.n + 1) - rows)
    return int((-(-_inner_edges(graph, order) // sizes)).max())


def symmetric_bound(pattern: Pattern, direct: bool) -> int:
    r"""Entries of rows and columns I on and above the diagonal, for every I:

    .. math:: k \ge (|E_I| + |D_I|) / |I|

    and what :func:`star_bound` or :func:`acyclic_bound` say of the nodes whose diagonal entry is in
    the pattern: these have different colors from their neighbors.
    """
    graph, has_diagonal = pattern.adjacency, pattern.has_diagonal
    if not graph.n:
        return 0
    order = core_order(graph)
    entries = _inner_edges(graph, order) + np.cumsum(has_diagonal[order])
    counted = int((-(-entries // np.arange(1, graph.n + 1))).max())
    full = graph if has_diagonal.all() else graph.subgraph(np.flatnonzero(has_diagonal))
    return max(counted, star_bound(full) if direct else acyclic_bound(full))


def acyclic_bound(graph: Graph) -> int:
    r"""A clique, or too many edges: k classes make :math:`\binom k2` forests, so with n nodes

    .. math:: m \le \sum_{a < b} (n_a + n_b - 1) = (k - 1) n - \binom k2

    for the graph of every set of nodes; those looked at are the first of the order by cores.
    """
    if not graph.n:
        return 0
    m = _inner_edges(graph, core_order(graph))
    n = np.arange(1, graph.n + 1)
    k = len(quick_clique(graph))
    while len(n):
        many = m > (k - 1) * n - k * (k - 1) // 2
        many &= k < n  # n nodes need no more than n colors
        m, n, k = m[many], n[many], k + bool(many.any())
    return k


def star_bound(graph: Graph) -> int:
    r"""As :func:`acyclic_bound`, and each edge leads from a leaf of its star to the center.

    A node is a leaf in at most k - 1 stars, one for each other color, and a node with k or more
    neighbors is a center for one color at least, so

    .. math:: m \le \sum_v \begin{cases} d_v & d_v < k \\ k - 2 & d_v \ge k \end{cases}

    for every core of the graph. (For regular graphs: Fertin, Raspaud and Reed 2004.)
    """
    k = acyclic_bound(graph)
    core = core_numbers(graph) if graph.n else np.zeros(0, np.int64)
    levels = np.unique(core)
    for level in levels[np.linspace(0, len(levels) - 1, LEVELS, dtype=int)] if len(levels) else ():
        inside = core >= level
        source, target = graph.edge_index
        kept = inside[source] & inside[target]
        degrees = np.bincount(source[kept], minlength=graph.n)
        edges = int(degrees.sum()) // 2
        while edges > np.where(degrees < k, degrees, k - 2).sum():
            k += 1
    return k


def _inner_edges(graph: Graph, order: IntArray) -> IntArray:
    """How many edges the first 1, 2, ..., n nodes of an order have among them ``[n]``."""
    place = np.empty(graph.n, np.int64)
    place[order] = np.arange(graph.n)
    later = place[graph.edges].max(axis=1, initial=0)
    return np.cumsum(np.bincount(later, minlength=graph.n))
