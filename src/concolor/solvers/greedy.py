"""Greedy colorings, the reference of every table; DSATUR is also where training labels come from.

Ties are broken differently in every library, which changes a color here and there. Ours is
rustworkx; networkx, which the paper names, differs from it by one color on 4 of the 750 subgraphs
of Cora, CiteSeer and PubMed, and takes seconds where this takes milliseconds.
"""

from __future__ import annotations

import numpy as np
import rustworkx as rx

from concolor.coloring import Coloring
from concolor.graph.core import Graph


def dsatur(graph: Graph) -> Coloring:
    """First free color for the node whose neighbors show most colors, ties to high degree.

    (Brélaz 1979.) Proper, deterministic, exact on bipartite graphs.

    >>> from concolor.graph.families import family
    >>> dsatur(family("wheel:12")).k
    4
    """
    return _greedy(graph, rx.ColoringStrategy.Saturation)


def largest_first(graph: Graph) -> Coloring:
    """First free color for the nodes by falling degree (Welsh and Powell 1967)."""
    return _greedy(graph, rx.ColoringStrategy.Degree)


def chi_ref(graph: Graph) -> tuple[int, str]:
    """What ``rho = k / chi_ref`` divides by, and its source.

    The chromatic number, ``"exact"``, where it is known; else the colors of DSATUR, ``"dsatur"``.
    """
    if graph.chi is not None:
        return graph.chi, "exact"
    return dsatur(graph).k, "dsatur"


def _greedy(graph: Graph, strategy: rx.ColoringStrategy) -> Coloring:
    twin = rx.PyGraph(multigraph=False, node_count_hint=graph.n, edge_count_hint=graph.m)
    twin.add_nodes_from(range(graph.n))  # isolated nodes are in no edge
    u, v = graph.edges.T.tolist()
    twin.extend_from_edge_list(list(zip(u, v, strict=True)))
    # the stubs of rustworkx call its enum an int
    colors = rx.graph_greedy_color(twin, strategy=strategy)  # type: ignore[arg-type]
    found = np.fromiter((colors[node] for node in range(graph.n)), np.int64, graph.n)
    return Coloring(graph, found)
