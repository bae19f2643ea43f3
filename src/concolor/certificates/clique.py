"""A large clique: its size is a lower bound of θ and of χ that anyone can check by hand."""

from __future__ import annotations

import numpy as np

from concolor.graph.core import Graph, IntArray
from concolor.solvers.clique import largest_cliques
from concolor.solvers.goal import Clock

SMALL = 1000  # nodes up to which the whole graph is searched at once
VISITS = 50_000  # of the branch and bound on the whole graph
VISITS_EACH = 2000  # and on what comes after one node in the order


def largest_clique(graph: Graph, *, clock: Clock | None = None) -> tuple[int, ...]:
    """The nodes of a largest clique, ascending; the search ends early on hard or huge graphs only.

    Small graphs are searched whole. In large ones every clique lies in its first node and that
    node's later neighbors, in the order of core number, then degree: few nodes where the graph is
    sparse, so each such set is searched, unless a core number already rules out a larger clique.

    >>> from concolor.graph.families import family
    >>> len(largest_clique(family("wheel:6")))
    3
    """
    clock = clock or Clock()
    if graph.n <= SMALL:
        found = largest_cliques(graph, clock=clock, most=1, visits=VISITS)
        return found[0] if found else ()
    from concolor.features.structural import core_numbers  # imports numba

    core = core_numbers(graph)
    order = np.lexsort((graph.degrees, core))
    place = np.argsort(order)
    best: tuple[int, ...] = (0,)
    for v in order[::-1].tolist():  # from the core outwards
        if clock.is_over:
            break
        later = graph.neighbors(v)
        later = later[(place[later] > place[v]) & (core[later] >= len(best))]
        if core[v] < len(best) or len(later) < len(best):
            continue
        inside = largest_cliques(_induced(graph, later), clock=clock, most=1, visits=VISITS_EACH)
        if inside and len(inside[0]) >= len(best):
            best = tuple(sorted([v, *later[list(inside[0])].tolist()]))
    return best


def is_clique(graph: Graph, nodes: tuple[int, ...]) -> bool:
    """All nodes are distinct and in the graph, and every pair is an edge."""
    if len(set(nodes)) != len(nodes) or not all(0 <= v < graph.n for v in nodes):
        return False
    return all(np.isin(nodes, np.append(graph.neighbors(v), v)).all() for v in nodes)


def _induced(graph: Graph, nodes: IntArray) -> Graph:
    """``graph.subgraph`` for a few nodes, in time of their neighbors instead of all edges."""
    rows = np.array([np.isin(nodes, graph.neighbors(v)) for v in nodes.tolist()])  # [q, q]
    return Graph.from_edges(len(nodes), np.argwhere(np.triu(rows)))
