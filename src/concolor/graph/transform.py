"""Other problems as colorings of another graph, whose names let the answer be read back.

Edges that meet need different colors: color the :func:`line_graph`. Nodes up to a distance of each
other do: color the :func:`power`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from concolor.errors import InputError
from concolor.graph.core import Graph

MOST = 200_000_000  # pairs of nodes that a product may come across: some gigabytes


class Edge(NamedTuple):
    """The two ends of an edge as the name of a node; it equals the plain pair."""

    u: Hashable
    v: Hashable

    def __str__(self) -> str:
        return f"{self.u}-{self.v}"


def line_graph(graph: Graph) -> Graph:
    """The graph of the edges ``[m]``, adjacent where they share an end.

    A node is named by the ends of its edge, so ``color(line_graph(g)).by_node()`` answers
    ``{(u, v): color}``. (Vizing 1964: χ' is the largest degree or one more.)

    >>> line_graph(Graph.from_edges(3, [(0, 1), (1, 2)], names=["math", "art", "music"])).names
    (Edge(u='math', v='art'), Edge(u='art', v='music'))
    """
    _affordable(graph, int((graph.degrees**2).sum()), "the line graph")
    m, ends = graph.m, graph.edges.ravel()
    places = np.arange(m).repeat(2), ends
    incidence = sp.csr_array((np.ones(2 * m, bool), places), shape=(m, graph.n))
    nodes = range(graph.n) if graph.names is None else graph.names
    names = [Edge(nodes[u], nodes[v]) for u, v in graph.edges.tolist()]
    return _of_pattern(incidence @ incidence.T, f"line:{graph.name}", names)


def power(graph: Graph, d: int) -> Graph:
    """The graph with an edge wherever two nodes are at a distance of 1 to ``d``, names kept.

    >>> power(Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)]), 2).edges.tolist()
    [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]
    """
    if isinstance(d, bool) or not isinstance(d, (int, np.integer)) or d < 1:
        raise InputError(f"the distance must be a whole number of at least 1, got {d!r}")
    near = sp.csr_array(graph.adjacency() + sp.eye_array(graph.n), dtype=bool)
    reached, what = near, f"the graph of distances up to {d}"
    for _ in range(d - 1):
        steps = (graph.degrees + 1)[reached.indices].sum()
        _affordable(graph, int(steps), what)
        before, reached = reached.nnz, reached @ near
        if reached.nnz == before:
            break  # whole components are near already
    return _of_pattern(reached, f"power{d}:{graph.name}", graph.names).but(
        first=graph.first, x=graph.x, lists=graph.lists
    )


def _of_pattern(near: sp.csr_array, name: str, names: Iterable[Hashable] | None) -> Graph:
    """The graph of a symmetric pattern whose diagonal is full."""
    places = near.tocoo()
    apart = places.row < places.col
    pairs = np.stack([places.row[apart], places.col[apart]], axis=1)
    return Graph.from_edges(near.shape[0], pairs, name=name, names=names)


def _affordable(graph: Graph, pairs: int, what: str) -> None:
    if pairs > MOST:
        raise InputError(
            f"{what} of {graph.name} would come across {pairs:.2g} pairs, more than {MOST:.0g}: "
            f"its largest degree is {graph.degrees.max()}"
        )


def transformed(word: str, graph: Graph) -> Graph:
    """What ``line`` or ``power2``, ``power3``, ... make of a graph.

    >>> transformed("power2", Graph.from_edges(3, [(0, 1), (1, 2)])).m
    3
    """
    return line_graph(graph) if word == "line" else power(graph, int(word.removeprefix("power")))
