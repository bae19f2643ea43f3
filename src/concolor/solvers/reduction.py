"""``Reduction``: the part of a graph that decides whether k colors are enough, and the way back.

Two rules, again and again, in time that is linear in the graph but for a constant. A node with
fewer than k neighbors always finds a free color, so it may be taken away first and colored last
(a set of such nodes that are not adjacent, the independent sets of other solvers, goes at once).
A node u whose neighbors are all neighbors of v, not adjacent to it, may always have the color of v.
What is left falls into components, each of which can be colored apart.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from concolor.goal import Clock
from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import components, csr
from concolor.rules import Rules

LOOKS = 100  # neighbors that domination may look at, for each node and edge
PACE = 100_000_000  # of them in a second, about; it has a tenth of the time that is left


class Reduction:
    """What is left of a graph where k colors, or more, are to be had.

    Any proper coloring of the part extends to one of the graph, with k colors or as many as the
    part has, whichever is more: so ``χ(G) <= k`` where ``χ(part) <= k``, and ``χ(G) = χ(part)``
    elsewhere. Without domination that holds for conflicts, too: the fewest that k colors leave are
    the same in the part. A forbidden color counts as a neighbor, and preset nodes always stay.

    Args:
        graph: What to color.
        k: Number of colors, which are 0..k-1.
        rules: Preset and forbidden ones of these; under rules nothing is dominated.
        dominated: Remove dominated nodes, too: for proper colorings only.
        clock: Says how long may be looked for these.

    Attributes:
        inside: ``[n]``; the nodes of the part.
        removed: The others, in the order in which they were taken away.
    """

    def __init__(
        self,
        graph: Graph,
        k: int,
        rules: Rules,
        *,
        dominated: bool = True,
        clock: Clock | None = None,
    ) -> None:
        from concolor.solvers.kernels import reduction as kernels

        self.whole, self.rules, n = graph, rules, graph.n
        missing = np.where(rules.preset >= 0, k, np.diff(rules.ban_ptr))  # [n]
        self.inside, removed, self._like = np.ones(n, bool), np.empty(n, np.int64), np.full(n, -1)
        work = LOOKS * (n + 2 * graph.m) if dominated and rules.are_none else 0
        if clock is not None and clock.limit is not None:
            work = min(work, int(0.1 * clock.left * PACE))
        count = kernels.reduce(
            *csr(graph), k, graph.degrees + missing, self.inside, removed, self._like, work
        )
        self.removed = removed[:count]

    @cached_property
    def nodes(self) -> IntArray:
        """The nodes of the part, ascending."""
        return np.flatnonzero(self.inside)

    @cached_property
    def graph(self) -> Graph:
        """The part as a graph of its own, its nodes numbered by their places in ``nodes``."""
        return self.whole if len(self.nodes) == self.whole.n else induced(self.whole, self.nodes)

    @cached_property
    def parts(self) -> list[IntArray]:
        """The components of the part, small ones first, as nodes of the graph."""
        return [self.nodes[part] for part in components(self.graph)]

    @property
    def counts(self) -> dict[str, int]:
        """How many nodes each rule removed, and how many are left."""
        dominated = int(np.count_nonzero(self._like >= 0))
        peeled = len(self.removed) - dominated
        return {"peeled": peeled, "dominated": dominated, "left": len(self.nodes)}

    def extended(self, colors: IntArray) -> IntArray:
        """The colors ``[n]``, those of removed nodes replaced: no conflict touches these, but where
        one touches a node that dominates."""
        from concolor.solvers.kernels import reduction as kernels

        found = np.where(self.inside, colors, -1)
        rules = self.rules
        room = (self.whole.degrees + np.diff(rules.ban_ptr)).max(initial=0) + 1
        kernels.restore(
            *csr(self.whole),
            self.removed,
            self._like,
            found,
            rules.ban_ptr,
            rules.bans,
            np.full(room, -1),
        )
        return found

    def lifted(self, colors: IntArray) -> IntArray:
        """The colors ``[n]`` of the graph from those of the part ``[n']``, numbered anew."""
        whole = np.full(self.whole.n, -1)
        whole[self.nodes] = np.unique(colors, return_inverse=True)[1]
        return self.extended(whole)


def induced(graph: Graph, nodes: IntArray) -> Graph:
    """The graph of some nodes, ascending, without names and features, in no time."""
    from concolor.solvers.kernels import reduction as kernels

    parts = kernels.induced(*csr(graph), nodes)
    for array in parts:
        array.setflags(write=False)
    return Graph(*parts, name=f"{graph.name}[{len(nodes)}]")
