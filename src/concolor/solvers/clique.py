"""Maximum cliques of small graphs: a lower bound of χ, and nodes whose colors may be fixed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from concolor.goal import Clock, forced_conflicts
from concolor.graph.core import Graph, IntArray

LARGE = 5000  # nodes; n of them need n^2 / 8 bytes


def largest_cliques(
    graph: Graph, *, clock: Clock | None = None, most: int = 1000, visits: int = 50_000
) -> list[tuple[int, ...]]:
    """Cliques of the largest size found, each ascending; all of them, but ``most`` at most.

    Branch and bound on bit sets: the nodes that could still join a clique are colored greedily, and
    where the colors are too few nothing is searched (Tomita and Seki 2003). Only the number of
    visits or the clock can end it before the size is proved to be the largest; of large graphs,
    only the ``LARGE`` nodes of highest degree are searched.

    >>> from concolor.graph.families import family
    >>> largest_cliques(family("wheel:5"))
    [(0, 1, 2), (0, 1, 4), (0, 2, 3), (0, 3, 4)]
    """
    clock = clock or Clock()
    if graph.n == 0:
        return []
    order = np.argsort(-graph.degrees, kind="stable")[:LARGE]  # bit i stands for node order[i]
    place = np.full(graph.n, -1)
    place[order] = np.arange(len(order))
    near: list[int] = []
    for v in order:
        if clock.is_over:
            return [_grown(graph, int(order[0]))]
        near.append(_bits(place[graph.neighbors(v)], len(order)))

    found: list[list[int]] = [[]]
    path: list[int] = []  # the clique under way
    levels = [_Level.of((1 << len(order)) - 1, near)]
    while levels and visits > 0 and not clock.is_over:
        level = levels[-1]
        least = len(found[0]) + (len(found) >= most)
        if not level.order or len(path) + level.colors[-1] < least:
            levels.pop()
            path = path[:-1]
            continue
        visits -= 1
        candidates = level.next(near)
        path.append(candidates[0])
        if len(path) > len(found[0]):
            found = [path.copy()]
        elif not candidates[1] and len(path) == len(found[0]):
            found.append(path.copy())
        levels.append(_Level.of(candidates[1], near))
    return sorted(tuple(sorted(order[clique].tolist())) for clique in found)


@dataclass
class _Level:
    """The nodes that may join a clique, to be tried from the last to the first."""

    left: int  # as a set of bits
    order: list[int]
    colors: list[int]  # beside them; they ascend

    @classmethod
    def of(cls, candidates: int, near: list[int]) -> _Level:
        order, colors = [], []
        for v, color in _greedy_colors(candidates, near):
            order.append(v)
            colors.append(color)
        return cls(candidates, order, colors)

    def next(self, near: list[int]) -> tuple[int, int]:
        """Take the last away: it, and the others that it is adjacent to."""
        v = self.order.pop()
        self.colors.pop()
        self.left ^= 1 << v
        return v, self.left & near[v]


def _grown(graph: Graph, start: int) -> tuple[int, ...]:
    """A clique in no time: the start, a neighbor, one of both, and so on."""
    clique, common = [start], graph.neighbors(start)
    while len(common):
        clique.append(int(common[0]))
        common = np.intersect1d(common, graph.neighbors(clique[-1]), assume_unique=True)
    return tuple(sorted(clique))


def packed_conflicts(graph: Graph, k: int, *, clock: Clock | None = None) -> int:
    """Conflicts that no k-coloring avoids, counted on cliques that share no edge.

    The largest first, of equal ones those that share least with the others; a hundred at most.

    >>> from concolor.graph.families import family
    >>> packed_conflicts(family("queen:5x5"), 4)  # 5 rows, 5 columns, 2 diagonals of 5 squares
    12
    """
    total, packed = 0, 0
    while packed < 100:
        cliques = np.array(largest_cliques(graph, clock=clock, visits=1000))  # [q, size]
        if cliques.size == 0 or cliques.shape[1] <= k:
            break
        i, j = np.triu_indices(cliques.shape[1], 1)
        edges = cliques[:, i] * graph.n + cliques[:, j]  # [q, pairs], a number for each edge
        _, name, count = np.unique(edges, return_inverse=True, return_counts=True)
        taken: set[int] = set()
        for q in count[name.reshape(edges.shape)].sum(axis=1).argsort(kind="stable"):
            pairs = edges[q].tolist()
            if taken.isdisjoint(pairs):
                taken.update(pairs)
                packed += 1
        total += len(taken) // len(i) * forced_conflicts(cliques.shape[1], k)
        u, v = graph.edges.T
        graph = Graph.from_edges(graph.n, graph.edges[~np.isin(u * graph.n + v, list(taken))])
    return total


def _greedy_colors(candidates: int, near: list[int]) -> Iterator[tuple[int, int]]:
    """Each candidate with its color from 1 on, colors ascending: v and those before it hold no
    clique of more nodes than v's color."""
    color = 0
    while candidates:
        color += 1
        free = candidates
        while free:
            bit = free & -free
            v = bit.bit_length() - 1
            yield v, color
            candidates ^= bit
            free &= ~(near[v] | bit)


def _bits(places: IntArray, size: int) -> int:
    """A set of places ``[p]``, those below 0 left out, as the bits of a number."""
    there = np.zeros(size, bool)
    there[places[places >= 0]] = True
    return int.from_bytes(np.packbits(there, bitorder="little").tobytes(), "little")
