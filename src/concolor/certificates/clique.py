"""A large clique: its size is a lower bound of θ and of χ that anyone can check by hand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from concolor.goal import Clock
from concolor.graph.core import Graph
from concolor.graph.structure import core_numbers, greedy_clique
from concolor.solvers.clique import largest_cliques


def largest_clique(
    graph: Graph, *, enough: int | None = None, whole: int = 1000, clock: Clock | None = None
) -> tuple[int, ...]:
    """The nodes of a largest clique, ascending; the search ends early on hard or huge graphs only.

    Args:
        graph: Any graph.
        enough: Nodes at which the search ends, where a coloring shows that no clique has more.
        whole: Nodes up to which the graph is searched as a whole, see :func:`larger_cliques`.
        clock: Ends the search early, with the best so far: one grown node by node at least.

    >>> from concolor.graph.families import family
    >>> len(largest_clique(family("wheel:6")))
    3
    """
    return [(), *larger_cliques(graph, enough=enough, whole=whole, clock=clock)][-1]


GROWTH = 2**24  # edges of the graph times starts, about, so that dense graphs have fewer starts
VISITS = 50_000  # of the branch and bound on the whole graph
VISITS_EACH = 2000  # and on what comes before one node in the order


def larger_cliques(
    graph: Graph, *, enough: int | None = None, whole: int = 1000, clock: Clock | None = None
) -> Iterator[tuple[int, ...]]:
    """Larger and larger cliques: one grown from the core in no time, then by branch and bound.

    Small graphs are searched as a whole. In large ones every clique lies in its last node and that
    node's earlier neighbors, in the order of falling core number, then degree: few nodes where the
    graph is sparse, so each such set is searched, unless a core number rules out a larger clique.
    The arguments are those of :func:`largest_clique`.
    """
    clock, most = clock or Clock(), graph.n if enough is None else enough
    core = core_numbers(graph)  # no clique with v has more than core[v] other nodes
    order = np.lexsort((graph.degrees, core))[::-1].copy()
    best = greedy_clique(graph, order, starts=min(100, 1 + GROWTH // (graph.m + 1)))
    if best:
        yield best
    if graph.n <= whole and len(best) < most:
        found = largest_cliques(graph, clock=clock, most=1, visits=VISITS)[0]
        if len(found) > len(best):
            yield found
        return
    place, adjacency = np.argsort(order), graph.adjacency()
    for v in order.tolist():
        if len(best) >= most or clock.is_over:
            return
        near = graph.neighbors(v)
        near = near[(place[near] < place[v]) & (core[near] >= len(best))]
        if min(core[v], len(near)) < len(best):
            continue
        pairs = np.argwhere(np.triu(adjacency[near][:, near].toarray()))
        earlier = Graph.from_edges(len(near), pairs)
        inside = largest_cliques(earlier, clock=clock, most=1, visits=VISITS_EACH)[0]
        if len(inside) >= len(best):
            yield (best := tuple(sorted([v, *near[list(inside)].tolist()])))


def is_clique(graph: Graph, nodes: tuple[int, ...]) -> bool:
    """All nodes are distinct and in the graph, and every pair is an edge."""
    if len(set(nodes)) != len(nodes) or not all(0 <= v < graph.n for v in nodes):
        return False
    return all(np.isin(nodes, np.append(graph.neighbors(v), v)).all() for v in nodes)
