"""Greedy coloring in blocks of nodes, each held by a worker of its own (Bozdağ et al. 2008).

The nodes are cut into ranges with about equally many arcs. In a round every block gives some of its
nodes, by falling degree, the first color that is free as far as it knows; then blocks tell each
other the colors of nodes that have neighbors there. Where neighbors chose the same color in the
same round, a lot that all can compute says which of them chooses again. Nothing depends on who is
faster: the colors are decided by the graph, the seed and the number of blocks.

A proper coloring becomes better by recoloring (Culberson 1992; in parallel Sarıyüce, Saule and
Çatalyürek 2012): class after class, in another order, takes the first free colors. There are never
more colors than before, and never a conflict, since neighbors are in different classes.

A block holds a color for every node of the graph and maps the CSR folder, of which it reads its own
rows only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from concolor.graph.core import Graph, IntArray

ROUNDS = 32  # in which nodes are colored for the first time: fewer mean more conflicts
MOST = 64  # blocks: of every node one number says which of them it touches

News: TypeAlias = tuple[NDArray[np.int32], NDArray[Any]]  # places in a block, and their colors


@dataclass(frozen=True)
class Round:
    """What a round of all blocks took.

    Attributes:
        colored: Nodes that got a color.
        conflicts: Nodes that lost one that they had got in the round before.
        bytes: Sent between blocks: places and colors of nodes with neighbors elsewhere.
    """

    colored: int
    conflicts: int
    bytes: int

    def to_dict(self) -> dict[str, int]:
        """Its numbers by name."""
        return {**asdict(self), "recolored": self.conflicts}


class Crew(Protocol):
    """Those who hold the blocks: in this process, in others, or on other machines."""

    def each(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """What a method of every :class:`Block` returns, each with arguments of its own (or with
        none, where there are no arguments at all)."""


class Block:
    """One range of nodes, and what is known of the others.

    Args:
        source: A graph, or the CSR folder that it is in.
        bounds: Where blocks begin, and the number of nodes ``[blocks + 1]``.
        own: Which of them this is.
        seed: Decides the lots.
        most: The largest degree of the graph.
    """

    def __init__(
        self, source: Graph | str | Path, bounds: IntArray, own: int, seed: int, most: int
    ) -> None:
        from concolor.graph.formats import read
        from concolor.graph.structure import csr
        from concolor.solvers.kernels.speculative import touched

        self.graph = source if isinstance(source, Graph) else read(source)
        self.indptr, self.indices = csr(self.graph)
        self.bounds, self.own, self.seed = bounds, own, seed
        self.first, self.last = int(bounds[own]), int(bounds[own + 1])
        degrees = np.diff(self.indptr[self.first : self.last + 1])
        self.order = self.first + np.argsort(-degrees, kind="stable")
        self.touched = touched(self.indptr, self.indices, bounds, own)
        self.seen = np.zeros(most + 2, np.int32)
        self.colors = np.full(self.graph.n, -1, np.int32)
        self.now, self.done = self.order[:0], 0  # nodes of the last round; those of the order

    def guess(self, news: list[tuple[int, News]]) -> tuple[int, int, dict[int, News]]:
        """One round: nodes colored, nodes that lost their color, and the news for other blocks."""
        from concolor.solvers.kernels.speculative import losers

        self.hear(news)
        again = np.zeros(len(self.now), bool)
        losers(self.indptr, self.indices, self.now, self.colors, self.seed, again)
        waiting = self.now[again]
        self.colors[waiting] = -1
        size = -(-len(self.order) // ROUNDS)
        fresh = self.order[self.done : self.done + max(size - len(waiting), 0)]
        self.done += len(fresh)
        told = self._color(np.concatenate([waiting, fresh]))
        return len(self.now), len(waiting), told

    def hear(self, news: list[tuple[int, News]]) -> None:
        """Take the colors of nodes of other blocks."""
        for block, (places, colors) in news:
            self.colors[self.bounds[block] + places] = colors

    def _color(self, nodes: IntArray) -> dict[int, News]:
        from concolor.solvers.kernels.speculative import guess

        guess(self.indptr, self.indices, nodes, self.colors, 0, self.seen)
        self.now = nodes
        return self._told(nodes)

    def _told(self, nodes: IntArray) -> dict[int, News]:
        """For each block the colors of those nodes that it has neighbors of."""
        places, colors = (nodes - self.first).astype(np.int32), self.colors[nodes]
        colors = colors.astype(np.min_scalar_type(int(colors.max(initial=0))))
        told = {}
        for block in range(len(self.bounds) - 1):
            there = (self.touched[places] >> np.uint64(block)) & np.uint64(1) != 0
            if there.any():
                told[block] = (places[there], colors[there])
        return told

    def begin(self) -> None:
        """Forget all colors, to take them anew class by class."""
        own = self.colors[self.first : self.last]
        self.order = self.first + np.argsort(own, kind="stable")
        self.ends = np.r_[0, np.cumsum(np.bincount(own))]
        self.colors[:] = -1

    def recolor(
        self, chosen: int, news: list[tuple[int, News]]
    ) -> tuple[int, int, dict[int, News]]:
        """The first free color for a class of the coloring before: a round without conflicts."""
        self.hear(news)
        begin, end = self.ends[[min(c, len(self.ends) - 1) for c in (chosen, chosen + 1)]]
        nodes = self.order[begin:end]
        return len(nodes), 0, self._color(nodes)

    def result(self) -> NDArray[np.int32]:
        """The colors of the own nodes."""
        return self.colors[self.first : self.last]


def cut(graph: Graph, blocks: int) -> IntArray:
    """Where ranges of nodes with about equally many arcs begin, and the last ends: ``[b + 1]``."""
    goals = len(graph.indices) * np.arange(1, blocks) // blocks
    bounds: IntArray = np.r_[0, np.searchsorted(graph.indptr[:-1], goals), graph.n].astype(np.int64)
    return bounds


def color_in_blocks(crew: Crew, told: Callable[[Round], None]) -> None:
    """Round after round, until every node of every block has a color that no neighbor has."""
    news: Sequence[list[tuple[int, News]]] = [[] for _ in crew.each("result", ())]
    while True:
        found = crew.each("guess", [(heard,) for heard in news])
        news, now = _passed_on(found)
        if now.colored == 0:
            return
        told(now)


def recolor_in_blocks(crew: Crew, order: Sequence[int], told: Callable[[Round], None]) -> None:
    """All classes in the given order take the first free colors."""
    news: Sequence[list[tuple[int, News]]] = [[] for _ in crew.each("begin", ())]
    for chosen in order:
        found = crew.each("recolor", [(chosen, heard) for heard in news])
        news, now = _passed_on(found)
        told(now)
    crew.each("hear", [(heard,) for heard in news])


def class_order(sizes: IntArray, turn: int, rng: np.random.Generator) -> list[int]:
    """The classes in the order in which they are to be recolored: backwards, by falling size, or
    as drawn, in turn (Culberson 1992)."""
    ways = (
        np.arange(len(sizes))[::-1],
        np.argsort(-sizes, kind="stable"),
        rng.permutation(len(sizes)),
    )
    return [int(c) for c in ways[turn % 3] if sizes[c]]


def _passed_on(
    found: Sequence[tuple[int, int, dict[int, News]]],
) -> tuple[list[list[tuple[int, News]]], Round]:
    """The news by those whom they are for, and what the round took."""
    news: list[list[tuple[int, News]]] = [[] for _ in found]
    for block, (_, _, told) in enumerate(found):
        for other, message in told.items():
            news[other].append((block, message))
    sent = sum(part.nbytes for heard in news for _, message in heard for part in message)
    return news, Round(sum(a for a, _, _ in found), sum(b for _, b, _ in found), sent)
