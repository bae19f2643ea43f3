"""``KCore``: the part of a graph that decides whether k colors are enough."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse.csgraph as csgraph

from concolor.goal import Clock
from concolor.graph.core import Graph, IntArray


class KCore:
    """The k-core, in components, and the nodes outside, which any coloring of it extends to.

    A node with fewer than k neighbors always finds a free color, so it may be taken away first and
    colored last; those that are left, each with k neighbors or more, are the core.
    """

    def __init__(self, graph: Graph, k: int, clock: Clock) -> None:
        self.graph, self.k = graph, k
        degrees, inside = graph.degrees.copy(), np.ones(graph.n, bool)
        self.peeled: list[IntArray] = []
        leaving = np.flatnonzero(degrees < k)
        while len(leaving) and not clock.is_over:
            inside[leaving] = False
            self.peeled.append(leaving)
            touched = _neighbors(graph, leaving)
            np.subtract.at(degrees, touched, 1)
            leaving = np.unique(touched[inside[touched] & (degrees[touched] < k)])
        self.is_complete = not len(leaving)
        self.parts = list(_components(graph, np.flatnonzero(inside))) if self.is_complete else []

    def extended(self, colors: IntArray) -> IntArray:
        """The colors ``[n]``, those outside the core replaced: no conflict touches them."""
        colors = colors.copy()
        outside = np.concatenate([np.empty(0, np.int64), *reversed(self.peeled)])
        colors[outside] = self.k  # none yet
        for v in outside:
            taken = np.zeros(self.k + 1, bool)
            taken[colors[self.graph.neighbors(v)]] = True
            colors[v] = taken.argmin()
        return colors


def _neighbors(graph: Graph, nodes: IntArray) -> IntArray:
    """The neighbors of all nodes in one array, repeated where several share one."""
    counts = graph.degrees[nodes]
    starts = np.repeat(graph.indptr[nodes] - (np.cumsum(counts) - counts), counts)
    found: IntArray = graph.indices[starts + np.arange(counts.sum())]
    return found


def _components(graph: Graph, nodes: IntArray) -> Iterator[IntArray]:
    """The connected components of the graph that the nodes induce, small ones first."""
    if len(nodes) == 0:
        return
    induced = graph.subgraph(nodes).adjacency()
    count, member = csgraph.connected_components(induced, directed=False)
    parts = [nodes[member == part] for part in range(count)]
    yield from sorted(parts, key=len)
