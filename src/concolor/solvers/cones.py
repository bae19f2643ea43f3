r"""Cones: a bound of χ from nodes that stand in for others, as in the graphs of Mycielski.

Let w be a node and V nodes without it, and let each v of V be adjacent to w, or have a *deputy*: a
neighbor u of w that is adjacent to all neighbors of v in V. Then

.. math:: \chi(G) \ge \chi(G[V]) + 1.

In a coloring of G give every v in V that has w's color the color of its deputy. That color is not
w's, no neighbor of v in V has it, and two nodes that were recolored are not adjacent, since both
had one color: G[V] is properly colored without the color of w (Mycielski 1955).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concolor.goal import Clock
from concolor.graph.core import Graph, IntArray

LARGE = 400  # nodes; above, looking at every apex takes too long


@dataclass(frozen=True)
class Cone:
    """One step: χ of the nodes is less than χ of the graph.

    Attributes:
        apex: The node w.
        nodes: V, ascending.
        deputies: Beside them, u for every v; the apex where v is adjacent to it.
    """

    apex: int
    nodes: tuple[int, ...]
    deputies: tuple[int, ...]


def cones(graph: Graph, *, clock: Clock | None = None) -> tuple[Cone, ...]:
    """Cones inside each other, each with as many edges as possible, down to a single edge or none.

    Of a Mycielski graph these are the graphs it was made from; of most others they show little.

    >>> from concolor.graph.families import family
    >>> [len(cone.nodes) for cone in cones(family("myciel:3"))]  # in the Grötzsch graph a pentagon
    [5, 2, 1]
    """
    clock, found, nodes = clock or Clock(), [], np.arange(graph.n)
    if graph.n > LARGE:
        return ()
    near = graph.adjacency().toarray().astype(bool)
    while near[np.ix_(nodes, nodes)].any() and not clock.is_over:
        best, edges = Cone(0, (), ()), -1
        for w in nodes.tolist():
            for cone in _cones(near, nodes, w, max(edges, 0)):
                inside = int(near[np.ix_(cone.nodes, cone.nodes)].sum())
                if inside > edges:
                    best, edges = cone, inside
        found.append(best)
        nodes = np.array(best.nodes)
    return tuple(found)


def _cones(near: NDArray[np.bool_], inside: IntArray, apex: int, least: int) -> Iterator[Cone]:
    """The neighbors of the apex, which need no deputies; and the others, less those that have none.

    Where such a node is left out, others may find a deputy, so it is one after the other, until
    the entries of the adjacency matrix that are left are ``least`` or fewer.
    """
    deputies = inside[near[apex, inside]]
    if len(deputies) == 0:
        return
    yield Cone(apex, tuple(deputies.tolist()), (apex,) * len(deputies))
    nodes = inside[~near[apex, inside] & (inside != apex)]
    while len(nodes):
        own = near[np.ix_(nodes, nodes)].astype(np.float32)
        if own.sum() <= least:
            return
        missed = own @ (~near[np.ix_(nodes, deputies)]).astype(np.float32)  # [nodes, deputies]
        fewest = missed.min(axis=1)
        if not fewest.any():
            yield Cone(apex, tuple(nodes.tolist()), tuple(deputies[missed.argmin(axis=1)].tolist()))
            return
        nodes = np.delete(nodes, fewest.argmax())


def is_cone(graph: Graph, cone: Cone) -> bool:
    """Every node has a deputy as it must, by the neighbors of each alone."""
    inside = set(cone.nodes)
    if not inside or cone.apex in inside or len(cone.nodes) != len(cone.deputies):
        return False
    near = {v: set(graph.neighbors(v).tolist()) for v in {cone.apex, *inside, *cone.deputies}}
    return all(
        v in near[cone.apex]
        if u == cone.apex
        else u in near[cone.apex] and near[v] & inside <= near[u]
        for v, u in zip(cone.nodes, cone.deputies, strict=True)
    )
