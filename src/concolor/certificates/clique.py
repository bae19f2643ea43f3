"""A large clique: its size is a lower bound of θ and of χ that anyone can check by hand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from concolor.goal import Clock
from concolor.graph.core import Graph, IntArray
from concolor.solvers.clique import largest_cliques

SMALL = 1000  # nodes up to which the whole graph is searched at once
STARTS = 100  # nodes from which first cliques are grown, at most
GROWTH = 2**24  # edges of the graph times starts, about, so that dense graphs have fewer starts
VISITS = 50_000  # of the branch and bound on the whole graph
VISITS_EACH = 2000  # and on what comes after one node in the order


def largest_clique(
    graph: Graph, *, enough: int | None = None, clock: Clock | None = None
) -> tuple[int, ...]:
    """The nodes of a largest clique, ascending; the search ends early on hard or huge graphs only.

    Args:
        graph: Any graph.
        enough: Nodes at which the search ends, where a coloring shows that no clique has more.
        clock: Ends the search early, with the best so far: one grown node by node at least.

    >>> from concolor.graph.families import family
    >>> len(largest_clique(family("wheel:6")))
    3
    """
    return [(), *larger_cliques(graph, enough=enough, clock=clock)][-1]


def larger_cliques(
    graph: Graph, *, enough: int | None = None, clock: Clock | None = None
) -> Iterator[tuple[int, ...]]:
    """Larger and larger cliques, first grown from the core in no time, then by branch and bound.

    Small graphs are searched whole. In large ones every clique lies in its last node and that
    node's earlier neighbors, in the order of falling core number, then degree: few nodes where the
    graph is sparse, so each such set is searched, unless a core number rules out a larger clique.
    """
    clock, most = clock or Clock(), graph.n if enough is None else enough
    # no clique with v has more than core[v] other nodes
    core = graph.degrees if graph.n <= SMALL else _core_numbers(graph)
    order = np.lexsort((graph.degrees, core))[::-1]
    place = np.argsort(order)
    best: tuple[int, ...] = ()
    for v in order[: min(STARTS, 1 + GROWTH // (graph.m + 1))].tolist():
        if len(best) < min(most, core[v] + 1):
            found = _grown(graph, v, place)
            if len(found) > len(best):
                yield (best := found)
    if graph.n <= SMALL and len(best) < most:
        found = largest_cliques(graph, clock=clock, most=1, visits=VISITS)[0]
        if len(found) > len(best):
            yield found
        return
    for v in order.tolist():
        if len(best) >= most or clock.is_over:
            return
        near = graph.neighbors(v)
        near = near[(place[near] < place[v]) & (core[near] >= len(best))]
        if min(core[v], len(near)) < len(best):
            continue
        inside = largest_cliques(_induced(graph, near), clock=clock, most=1, visits=VISITS_EACH)[0]
        if len(inside) >= len(best):
            yield (best := tuple(sorted([v, *near[list(inside)].tolist()])))


def is_clique(graph: Graph, nodes: tuple[int, ...]) -> bool:
    """All nodes are distinct and in the graph, and every pair is an edge."""
    if len(set(nodes)) != len(nodes) or not all(0 <= v < graph.n for v in nodes):
        return False
    return all(np.isin(nodes, np.append(graph.neighbors(v), v)).all() for v in nodes)


def _core_numbers(graph: Graph) -> IntArray:
    from concolor.graph.structure import core_numbers  # imports numba

    return core_numbers(graph)


def _grown(graph: Graph, v: int, place: IntArray) -> tuple[int, ...]:
    """A clique with v: of the nodes that see every member, the first in the order joins."""
    members, near = [v], graph.neighbors(v)
    while len(near):
        members.append(int(near[place[near].argmin()]))
        near = np.intersect1d(near, graph.neighbors(members[-1]), assume_unique=True)
    return tuple(sorted(members))


def _induced(graph: Graph, nodes: IntArray) -> Graph:
    """``graph.subgraph`` for a few nodes, in time of their neighbors instead of all edges."""
    rows = np.array([np.isin(nodes, graph.neighbors(v)) for v in nodes.tolist()])  # [q, q]
    return Graph.from_edges(len(nodes), np.argwhere(np.triu(rows)))
