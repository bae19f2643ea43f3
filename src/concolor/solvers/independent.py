"""Independent sets of small graphs: the heaviest one, heavy ones, and all of a size."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from concolor.goal import Clock
from concolor.graph.core import Graph, IntArray
from concolor.solvers.kernels.independent import (
    BEST,
    FOUND,
    SIZE,
    VISITS,
    Bits,
    Branching,
    Listing,
    grown,
    heaviest,
    list_sets,
)

Truth: TypeAlias = NDArray[np.bool_]
SLICE = 20_000  # visits between two looks at the clock, some hundredths of a second


@dataclass(frozen=True, eq=False)
class Heaviest:
    """What a search for a heavy independent set found.

    Attributes:
        nodes: ``[n]``, True for those of the heaviest set found; none where none beats the
            weight that was to be beaten.
        weight: Of that set, or what was to be beaten.
        is_proved: No set is heavier.
        visits: Of the branch and bound.
    """

    nodes: Truth
    weight: int
    is_proved: bool
    visits: int


class Sets:
    """The independent sets of a graph of some hundred nodes.

    Args:
        adjacency: ``[n, n]``, symmetric, nothing on the diagonal.
    """

    def __init__(self, adjacency: Truth) -> None:
        self.adjacency = adjacency
        # branching on nodes with many neighbors leaves few others; the last ones are branched on
        self.order = np.argsort(adjacency.sum(axis=1), kind="stable")
        self.near = packed(adjacency[np.ix_(self.order, self.order)])

    @classmethod
    def of(cls, graph: Graph) -> Sets:
        """The sets of a graph, whose adjacency has ``n^2`` bytes."""
        return cls(graph.adjacency().toarray().astype(bool))

    @property
    def n(self) -> int:
        """Nodes of the graph."""
        return len(self.adjacency)

    def heaviest(
        self,
        weights: IntArray,
        *,
        beat: int = 0,
        clock: Clock | None = None,
        visits: int = 1_000_000,
    ) -> Heaviest:
        r"""A heaviest independent set, :math:`\max_S \sum_{v \in S} w_v`, by branch and bound.

        The bound is a cover by weighted cliques (Babel 1994): whole numbers, so it is exact.

        Args:
            weights: ``[n]``, not negative, with a sum below 2^62.
            beat: Only heavier sets are looked for.
            clock: Ends the search early, with the best so far.
            visits: So do these, after about a second.
        """
        clock, n, words = clock or Clock(), self.n, self.near.shape[1]
        w = weights[self.order].astype(np.int64)
        alive = np.zeros((n + 2, words), np.uint64)
        alive[:1] = packed((w > 0)[None])
        tables = [np.empty((n + 2, n), np.int64) for _ in range(2)]
        rows = [np.zeros(size, np.int64) for size in (n + 2, n + 2, n + 2, n, n, 4)]
        state = Branching(self.near, w, alive, *tables, *rows)
        state.left[0], state.counts[BEST] = -1, beat
        is_proved = False
        while not is_proved and state.counts[VISITS] < visits and not clock.is_over:
            is_proved = heaviest(state, SLICE)
        nodes = np.zeros(n, bool)
        nodes[self.order[state.best[: state.counts[SIZE]]]] = True
        return Heaviest(nodes, int(state.counts[BEST]), is_proved, int(state.counts[VISITS]))

    def greedy(self, weights: IntArray) -> Truth:
        """A maximal set from every node, heavy nodes first ``-> [n, n]``."""
        w = weights[self.order]
        return self._nodes(grown(self.near, np.argsort(-w, kind="stable")))

    def maximal(self, nodes: Truth) -> Truth:
        """An independent set ``[n]``, made maximal."""
        grown, free = nodes.copy(), ~(self.adjacency[nodes].any(axis=0) | nodes)
        while free.any():
            v = int(free.argmax())
            grown[v], free = True, free & ~self.adjacency[v]
            free[v] = False
        return grown

    def all_of(self, size: int, *, most: int, clock: Clock | None = None) -> Truth | None:
        """All maximal sets of ``size`` nodes or more; None where they are more than ``most``.

        None as well where the clock ends the listing.
        """
        clock, n, words = clock or Clock(), self.n, self.near.shape[1]
        alive, done, branch = (np.zeros((n + 2, words), np.uint64) for _ in range(3))
        alive[:1] = branch[:1] = packed(np.ones((1, n), bool))
        sets, counts = np.zeros((most + 1, words), np.uint64), np.zeros(2, np.int64)
        state = Listing(self.near, alive, done, branch, np.zeros(n + 2, np.int64), sets, counts)
        while not clock.is_over and counts[FOUND] <= most:
            if list_sets(state, size, SLICE):
                return self._nodes(sets[: counts[FOUND]])
        return None

    def _nodes(self, sets: Bits) -> Truth:
        """Bit sets ``[count, words]``, in our order, as rows ``[count, n]`` of the graph's."""
        bits = np.unpackbits(sets.view(np.uint8), axis=1, bitorder="little")
        rows = np.empty((len(sets), self.n), bool)
        rows[:, self.order] = bits[:, : self.n]
        return rows


def packed(rows: Truth) -> Bits:
    """Rows ``[r, n]`` as bit sets ``[r, words]``, the first node in the lowest bit."""
    padded = np.zeros((len(rows), -(-max(rows.shape[1], 1) // 64) * 64), np.uint8)
    padded[:, : rows.shape[1]] = rows
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


@cache
def warm_up() -> None:
    """Compile, or load what was compiled, on a graph that takes no time: before a clock starts."""
    sets, ones = Sets(np.zeros((1, 1), bool)), np.ones(1, np.int64)
    sets.heaviest(ones)
    sets.greedy(ones)
    sets.all_of(1, most=1)
