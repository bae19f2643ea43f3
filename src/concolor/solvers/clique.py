"""Maximum cliques of small graphs: a lower bound of χ, and nodes whose colors may be fixed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from concolor.goal import Clock, forced_conflicts
from concolor.graph.core import Graph

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
    near = [_bits(place[graph.neighbors(v)].tolist()) for v in order]

    found: list[list[int]] = [[]]
    stack: list[tuple[list[int], int, int]] = [([], (1 << len(order)) - 1, len(order))]
    while stack and visits > 0 and not clock.is_over:
        visits -= 1
        clique, candidates, bound = stack.pop()
        if bound < len(found[0]) + (len(found) >= most):
            continue
        if len(clique) > len(found[0]):
            found = [clique]
        elif not candidates and len(clique) == len(found[0]):
            found.append(clique)
        earlier = 0
        for v, colors in _greedy_colors(candidates, near):
            stack.append(([*clique, v], earlier & near[v], len(clique) + colors))
            earlier |= 1 << v
    return sorted(tuple(sorted(order[clique].tolist())) for clique in found)


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


def _bits(places: Iterable[int]) -> int:
    return sum(1 << place for place in places if place >= 0)
