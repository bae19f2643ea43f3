"""Cliques of sparse graphs of any size: the lower bound of χ that everything else begins with.

In the order of falling core number every clique is its last node and some of that node's earlier
neighbors, of which there are no more than the degeneracy: few in a sparse graph, so each such set
is searched by branch and bound, and only where core numbers leave room for a larger clique.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Protocol

import numpy as np

from concolor.graph.core import Graph
from concolor.graph.structure import cores, csr, greedy_clique

STARTS = 200  # nodes from which cliques are grown
GROWTH = 2**24  # edges times starts, about, so that dense graphs have fewer starts
VISITS = 20_000  # branches of the search among the earlier neighbors of one node
SLICE = 20_000_000  # neighbors and branches between two looks at the clock: some 50 milliseconds
QUICK = 1000  # neighbors and branches for each node and edge, for a bound at once
AT_ONCE = 500_000_000  # and in all: about half a second


class Ends(Protocol):
    """What says that time is over: a clock."""

    @property
    def is_over(self) -> bool:
        """The time is over."""


def larger_cliques(
    graph: Graph,
    *,
    enough: int | None = None,
    clock: Ends | None = None,
    visits: int = VISITS,
    work: float = math.inf,
) -> Iterator[tuple[int, ...]]:
    """Larger and larger cliques, each ascending: one grown in no time, then by branch and bound.

    The last is a largest of the graph, unless the clock, the work or the visits ended the search.

    Args:
        graph: Any graph.
        enough: Nodes at which the search ends, where a coloring shows that no clique has more.
        clock: Ends the search early.
        visits: Branches for the neighbors of one node, at most.
        work: Neighbors and branches to look at in all, about.

    >>> from concolor.graph.families import family
    >>> [len(found) for found in larger_cliques(family("wheel:6"))]
    [3]
    """
    from concolor.graph import clique_kernels as kernels

    if graph.n == 0:
        return
    order, core = cores(graph)
    best = greedy_clique(graph, order, starts=min(STARTS, 1 + GROWTH // (graph.m + 1)))
    yield best
    most, begin = graph.n if enough is None else enough, 0
    most = min(most, int(core.max()) + 1)
    if len(best) >= most or (clock is not None and clock.is_over):
        return
    ptr, near, _ = kernels.earlier_neighbors(*csr(graph), order)
    core = core[order]
    while begin < graph.n and len(best) < most and work > 0:
        if clock is not None and clock.is_over:
            return
        given = int(min(work, SLICE))
        begin, found, left = kernels.next_clique(ptr, near, core, begin, len(best), visits, given)
        work -= given - left
        if len(found):
            yield (best := tuple(np.sort(order[found]).tolist()))


def largest_clique(
    graph: Graph, *, enough: int | None = None, clock: Ends | None = None
) -> tuple[int, ...]:
    """The last of :func:`larger_cliques`: the nodes of a largest clique, ascending.

    >>> from concolor.graph.families import family
    >>> len(largest_clique(family("wheel:6")))
    3
    """
    return [(), *larger_cliques(graph, enough=enough, clock=clock)][-1]


def quick_clique(graph: Graph, *, clock: Ends | None = None) -> tuple[int, ...]:
    """The last of :func:`larger_cliques` after work that is linear in the size of the graph, and
    never takes long."""
    size = graph.n + 2 * graph.m
    work = min(QUICK * size, AT_ONCE + 20 * size)
    return [(), *larger_cliques(graph, visits=100, work=work, clock=clock)][-1]


def quick_seconds(graph: Graph) -> float:
    """How long the first of :func:`larger_cliques` takes, about: the cores of the graph."""
    return 6e-7 * graph.n + 6e-8 * graph.m


def an_edge(graph: Graph) -> tuple[int, ...]:
    """The clique that takes no time at all: the ends of an edge, or a node where there is none.

    >>> from concolor.graph.families import family
    >>> an_edge(family("path:3"))
    (0, 1)
    """
    if graph.m == 0:
        return (0,) * min(graph.n, 1)
    v = int(graph.degrees.argmax())
    return tuple(sorted((v, int(graph.neighbors(v)[0]))))
