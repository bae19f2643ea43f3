r"""Colorability by branch and price: two nodes have the same color, or they have not.

The fractional chromatic number of a graph is above k, or it is branched on two nodes that are not
adjacent (Zykov 1949; Mehrotra and Trick 1996): contracted they have one color, joined by an edge
they have two. Either raises the bound, and a bound above k, in whole numbers, ends a branch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from concolor.goal import Clock
from concolor.graph.core import Graph, IntArray
from concolor.solvers.fractional import SCALE, first_columns, heavy
from concolor.solvers.independent import Sets, Truth
from concolor.solvers.master import Master, Point

CLOSE = 0.01  # how well the value of a branch is known before it is branched on
CHEAP = 0.15  # sets whose nodes cost so much less than 1 are not handed on
REACH = 1.5  # what neighbors count, all nodes of the graph being 1, where two nodes are chosen


@dataclass(frozen=True, eq=False)
class Branch:
    """A graph with some nodes contracted and some edges added.

    Attributes:
        adjacency: ``[p, p]``.
        member: ``[n]``, the place of every node of the graph that was asked about.
        columns: ``[c, p]``, some independent sets, which cover all.
    """

    adjacency: Truth
    member: IntArray
    columns: Truth

    def contracted(self, u: int, v: int) -> Branch:
        """The two are one, adjacent to what either was adjacent to."""
        kept = np.delete(np.arange(len(self.adjacency)), v)
        near, columns = self.adjacency.copy(), self.columns.copy()
        near[u] |= near[v]
        near[:, u] |= near[:, v]
        columns[:, u] &= columns[:, v]
        place = np.cumsum(np.isin(np.arange(len(near)), kept)) - 1
        place[v] = place[u]
        return Branch(near[np.ix_(kept, kept)], place[self.member], columns[:, kept])

    def joined(self, u: int, v: int) -> Branch:
        """The two are adjacent; a set with both becomes two sets."""
        near, columns = self.adjacency.copy(), self.columns.copy()
        near[u, v] = near[v, u] = True
        both = columns[:, u] & columns[:, v]
        others = columns[both]
        columns[both, u], others[:, v] = False, False
        return Branch(near, self.member, np.concatenate([columns, others]))


class BranchAndPrice:
    """Does the graph have a proper k-coloring? Asked again, it goes on where it stopped.

    Args:
        graph: What to color, some hundred nodes at most.
        k: Number of colors.
        classes: Independent sets to begin with, ``[n]`` each.
    """

    def __init__(self, graph: Graph, k: int, classes: list[Truth]) -> None:
        self.k, sets = k, Sets.of(graph)
        columns = first_columns(sets, classes)
        self.open = [Branch(sets.adjacency, np.arange(graph.n), columns)]

    def ask(self, clock: Clock, *, patience: int) -> IntArray | bool | None:
        """Colors ``[n]``; False where there are none; None where time or patience ran out.

        Args:
            clock: When to give up.
            patience: Branches that may be visited.
        """
        for _ in range(patience):
            if not self.open:
                return False
            found = relaxed(self.open[-1], self.k, clock)
            if found is None:
                return None
            branch = self.open.pop()
            if found is False:
                continue
            point, columns = found
            colors = _colors(columns, point.shares, self.k)
            if colors is not None:
                return colors[branch.member]
            branch = Branch(
                branch.adjacency, branch.member, columns[columns @ point.prices > 1 - CHEAP]
            )
            u, v = _pair(branch.adjacency, _together(columns, point.shares))
            self.open += [branch.joined(u, v), branch.contracted(u, v)]
        return None


def relaxed(branch: Branch, k: int, clock: Clock) -> tuple[Point, Truth] | Literal[False] | None:
    """False where the fractional chromatic number is above k; None where time ended.

    Else an optimum that is known well enough, with the sets that it has shares of.
    """
    sets = Sets(branch.adjacency)
    master = Master(np.concatenate([branch.columns, _singles(sets, branch.columns)]))
    while (point := master.solve(clock)) is not None:
        w = np.floor(point.prices * SCALE).astype(np.int64)
        new = heavy(sets, w, SCALE)
        if len(new) == 0:
            top = sets.heaviest(w, beat=SCALE, clock=clock)
            if not top.is_proved:
                return None
            if int(w.sum()) > k * top.weight:
                return False
            if w.sum() / top.weight > point.value - CLOSE and point.value <= k + CLOSE:
                return point, master.columns
            new = sets.maximal(top.nodes)[None] if top.nodes.any() else new
        if not master.add(new):
            return point, master.columns
    return None


def _singles(sets: Sets, columns: Truth) -> Truth:
    """A maximal set around each node that none of the others covers ``[c, p]``."""
    alone = np.eye(sets.n, dtype=bool)[~columns.any(axis=0)]
    return np.array([sets.maximal(one) for one in alone], bool).reshape(-1, sets.n)


def _colors(columns: Truth, shares: NDArray[np.float64], k: int) -> IntArray | None:
    """Colors ``[p]`` where the sets with more than half a share are k or fewer and cover all."""
    chosen = columns[shares > 0.5]
    if len(chosen) > k or not chosen.any(axis=0).all():
        return None
    colors: IntArray = chosen.argmax(axis=0)
    return colors


def _together(columns: Truth, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much of the shares has both of two nodes ``[p, p]``."""
    taken = shares > 1e-9
    some = columns[taken].astype(np.float64)
    together: NDArray[np.float64] = (some.T * shares[taken]) @ some
    return together


def _pair(adjacency: Truth, together: NDArray[np.float64]) -> tuple[int, int]:
    """Two nodes, not adjacent, that are about half together and have many neighbors, few of them
    common: their contraction is adjacent to much of the graph."""
    near, degrees = adjacency.astype(np.float32), adjacency.sum(axis=1)
    reach = np.add.outer(degrees, degrees) - near @ near
    score = np.abs(together - 0.5) - REACH * reach / len(near)
    score[adjacency] = np.inf
    np.fill_diagonal(score, np.inf)
    u, v = np.unravel_index(int(score.argmin()), score.shape)
    return int(min(u, v)), int(max(u, v))
