"""``KCore``: the part of a graph that decides whether k colors are enough."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import components, cores
from concolor.rules import Rules
from concolor.solvers.greedy import fitted


class KCore:
    """The k-core, in components, and the nodes outside, which any coloring of it extends to.

    A node with fewer than k neighbors always finds a free color, so it may be taken away first and
    colored last; those that are left, each with k neighbors or more, are the core.
    """

    def __init__(self, graph: Graph, k: int) -> None:
        self.graph = graph
        self.order, numbers = cores(graph)
        self.inside = numbers >= k

    @cached_property
    def parts(self) -> list[IntArray]:
        """The components of the core, small ones first."""
        return list(components(self.graph, np.flatnonzero(self.inside)))

    def extended(self, colors: IntArray) -> IntArray:
        """The colors ``[n]``, those outside the core replaced: no conflict touches them."""
        bare = np.where(self.inside, colors, -1)
        return fitted(self.graph, self.order, Rules.of(self.graph), bare)
