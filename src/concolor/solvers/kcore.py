"""``KCore``: the part of a graph that decides whether k colors are enough."""

from __future__ import annotations

from functools import cached_property
from itertools import combinations

import numpy as np

from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import components, cores
from concolor.rules import Rules
from concolor.solvers.greedy import fitted


class KCore:
    """The k-core, in components, and the nodes outside, which any coloring of it extends to.

    A node with fewer than k neighbors always finds a free color, so it may be taken away first and
    colored last; those that are left, each with k neighbors or more, are the core. A forbidden
    color counts as a neighbor, and preset nodes always stay.

    Args:
        graph: What to color.
        k: Number of colors, which are 0..k-1.
        rules: Preset and forbidden ones of these.
    """

    def __init__(self, graph: Graph, k: int, rules: Rules) -> None:
        self.graph, self.rules = graph, rules
        anchored = graph if rules.are_none else _anchored(graph, k, rules)
        order, numbers = cores(anchored)
        self.order, self.inside = order[order < graph.n], numbers[: graph.n] >= k

    @cached_property
    def parts(self) -> list[IntArray]:
        """The components of the core, small ones first."""
        return list(components(self.graph, np.flatnonzero(self.inside)))

    def extended(self, colors: IntArray) -> IntArray:
        """The colors ``[n]``, those outside the core replaced: no conflict touches them."""
        bare = np.where(self.inside, colors, -1)
        return fitted(self.graph, self.order, self.rules, bare)


def _anchored(graph: Graph, k: int, rules: Rules) -> Graph:
    """The graph with k + 1 more nodes, which are a core of their own.

    A node has an edge to one of them for every color it must not have; to k where it is preset.
    """
    missing = np.where(rules.preset >= 0, k, np.diff(rules.ban_ptr))  # [n]
    nodes = np.repeat(np.arange(graph.n), missing)
    rank = np.arange(len(nodes)) - np.repeat(np.cumsum(missing) - missing, missing)
    anchors = np.array(list(combinations(range(k + 1), 2)))  # [pairs, 2]
    edges = [graph.edges, np.stack([nodes, graph.n + rank], axis=1), graph.n + anchors]
    return Graph.from_edges(graph.n + k + 1, np.concatenate(edges))
