"""Greedy colorings, the reference of every table; DSATUR is also where training labels come from.

Ties are broken differently in every library, which changes a color here and there. Ours is
rustworkx; networkx, which the paper names, now and then differs from it by a color, and takes far
longer on large graphs.
"""

from __future__ import annotations

import numpy as np
import rustworkx as rx
from numpy.typing import ArrayLike

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import by_degree, core_order, csr
from concolor.rules import Forbidden, Preset, Rules


def dsatur(
    graph: Graph, *, preset: Preset | None = None, forbidden: Forbidden | None = None
) -> Coloring:
    """First free color for the node whose neighbors show most colors, ties to high degree.

    (Brélaz 1979.) Proper, deterministic, exact on bipartite graphs where nothing is preset. Preset
    and forbidden colors are honored, by loops of our own whose ties may differ from rustworkx's.

    >>> from concolor.graph.families import family
    >>> dsatur(family("wheel:12")).k
    4
    """
    rules = Rules.of(graph, preset, forbidden)
    if rules.are_none:
        return _rustworkx(graph, rx.ColoringStrategy.Saturation)
    return Coloring(graph, saturated(graph, rules))


def largest_first(
    graph: Graph, *, preset: Preset | None = None, forbidden: Forbidden | None = None
) -> Coloring:
    """First free color for the nodes by falling degree (Welsh and Powell 1967)."""
    rules = Rules.of(graph, preset, forbidden)
    if rules.are_none:
        return _rustworkx(graph, rx.ColoringStrategy.Degree)
    return Coloring(graph, fitted(graph, by_degree(graph), rules))


def smallest_last(
    graph: Graph, *, preset: Preset | None = None, forbidden: Forbidden | None = None
) -> Coloring:
    """First free color for the nodes, those that were last removed by smallest degree first.

    (Matula and Beck 1983.) At most one color more than the degeneracy of the graph, ``O(n + m)``.
    """
    rules = Rules.of(graph, preset, forbidden)
    return Coloring(graph, fitted(graph, core_order(graph), rules))


def rlf(graph: Graph) -> Coloring:
    """Recursive largest first (Leighton 1979): color by color, each class as large as it gets.

    Slower than DSATUR, and often a color or more better on dense graphs.
    """
    from concolor.solvers.kernels import greedy as kernels

    return Coloring(graph, kernels.recursive_largest_first(*csr(graph)))


def greedy(
    graph: Graph,
    order: ArrayLike,
    *,
    preset: Preset | None = None,
    forbidden: Forbidden | None = None,
) -> Coloring:
    """First free color for the nodes in a given order, after the preset ones; compiled.

    >>> from concolor.graph.families import family
    >>> greedy(family("path:4"), [0, 3, 1, 2]).colors.tolist()
    [0, 1, 2, 0]
    """
    nodes = np.asarray(order)
    if not np.array_equal(np.sort(nodes), np.arange(graph.n)):
        raise InputError(f"the order must name each of the {graph.n} nodes of {graph.name} once")
    rules = Rules.of(graph, preset, forbidden)
    return Coloring(graph, fitted(graph, nodes.astype(np.int64), rules))


def chi_ref(graph: Graph) -> tuple[int, str]:
    """What ``rho = k / chi_ref`` divides by, and its source.

    The chromatic number, ``"exact"``, where it is known; else the colors of DSATUR, ``"dsatur"``.
    """
    if graph.chi is not None:
        return graph.chi, "exact"
    return dsatur(graph).k, "dsatur"


def fitted(graph: Graph, order: IntArray, rules: Rules, colors: IntArray | None = None) -> IntArray:
    """First fit for the nodes that ``colors`` leaves at -1 (all but the preset, if not given)."""
    from concolor.solvers.kernels import greedy as kernels

    colors = rules.preset.copy() if colors is None else colors.copy()
    room = (graph.degrees + np.diff(rules.ban_ptr)).max(initial=0) + 1
    seen = np.full(room, -1)
    kernels.first_fit(*csr(graph), order, colors, rules.ban_ptr, rules.bans, seen)
    return colors


def saturated(graph: Graph, rules: Rules) -> IntArray:
    """The colors of DSATUR by loops of our own, some five times faster than rustworkx."""
    from concolor.solvers.kernels import greedy as kernels

    words = int(max(rules.preset.max(initial=0), rules.bans.max(initial=0))) // 64 + 1
    order, (indptr, indices) = by_degree(graph), csr(graph)
    while True:  # few graphs need more than 64 colors, and for them twice is not much
        colors, closed = rules.preset.copy(), np.zeros((graph.n, words), np.uint64)
        if kernels.saturation(indptr, indices, order, colors, rules.ban_ptr, rules.bans, closed):
            return colors
        words *= 2


def _rustworkx(graph: Graph, strategy: rx.ColoringStrategy) -> Coloring:
    twin = rx.PyGraph(multigraph=False, node_count_hint=graph.n, edge_count_hint=graph.m)
    twin.add_nodes_from(range(graph.n))  # isolated nodes are in no edge
    u, v = graph.edges.T.tolist()
    twin.extend_from_edge_list(list(zip(u, v, strict=True)))
    # the stubs of rustworkx call its enum an int
    colors = rx.graph_greedy_color(twin, strategy=strategy)  # type: ignore[arg-type]
    found = np.fromiter((colors[node] for node in range(graph.n)), np.int64, graph.n)
    return Coloring(graph, found)
