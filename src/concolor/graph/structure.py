"""What the structure of a graph tells every room: orders of the nodes, cores, a clique; once each.

The loops are compiled (:mod:`concolor.graph.kernels`) and loaded on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.csgraph as csgraph
from numpy.typing import NDArray

from concolor.graph.core import Graph, IntArray


def by_degree(graph: Graph) -> IntArray:
    """The nodes by falling degree ``[n]``, equal ones in their own order."""
    return np.argsort(-graph.degrees, kind="stable")


def core_order(graph: Graph) -> IntArray:
    """The nodes from the densest core outwards ``[n]``: smallest degree last, again and again.

    (Matula and Beck 1983.) Every node has at most as many neighbors before it as the degeneracy of
    the graph, so first fit in this order needs at most one color more: ``O(n + m)``.
    """
    return cores(graph)[0]


def breadth_first(graph: Graph) -> IntArray:
    """The nodes ``[n]``, component by component or mixed, each after one of its neighbors, those
    near the first of their component first.

    >>> breadth_first(Graph.from_edges(4, [(0, 2), (2, 1), (0, 3)])).tolist()
    [0, 2, 3, 1]
    """
    return _from_roots(graph, csgraph.breadth_first_order)


def depth_first(graph: Graph) -> IntArray:
    """The nodes ``[n]``, component by component, each after the last one that has a neighbor left.

    >>> depth_first(Graph.from_edges(4, [(0, 2), (2, 1), (0, 3)])).tolist()
    [0, 2, 1, 3]
    """
    return _from_roots(graph, csgraph.depth_first_order)


def _from_roots(graph: Graph, order: Callable[..., IntArray]) -> IntArray:
    """All components in one walk, from a node beside the graph that sees the first of each."""
    _, member = csgraph.connected_components(graph.adjacency(), directed=False)
    roots = np.unique(member, return_index=True)[1]
    indptr = np.append(graph.indptr, len(graph.indices) + len(roots))
    indices = np.concatenate([graph.indices, roots])
    arcs = sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(graph.n + 1,) * 2)
    return order(arcs, graph.n, return_predecessors=False)[1:].astype(np.int64)


def core_numbers(graph: Graph) -> IntArray:
    """Core numbers ``[n]``: the largest k such that v is in a subgraph with all degrees >= k.

    >>> core_numbers(Graph.from_edges(4, [(0, 1), (1, 2), (2, 0), (2, 3)])).tolist()
    [2, 2, 2, 1]
    """
    return cores(graph)[1]


def cores(graph: Graph) -> tuple[IntArray, IntArray]:
    """:func:`core_order` and :func:`core_numbers` by one peeling."""
    from concolor.graph import kernels

    order, where, first = (part.astype(np.int32) for part in arrange(graph.degrees))
    state = np.stack([where, graph.degrees], axis=1, dtype=np.int32, casting="same_kind")
    kernels.smallest_last(*csr(graph), order, state, first)
    core = np.empty(graph.n, np.int64)
    core[order] = np.maximum.accumulate(state[order, 1])
    return order[::-1].astype(np.int64), core


def greedy_clique(
    graph: Graph, order: IntArray | None = None, *, starts: int = 200
) -> tuple[int, ...]:
    """The nodes of a clique that no larger one contains, ascending: a lower bound of χ at once.

    From each of the first nodes of the order, the common neighbor that comes first in the order
    joins, until there is none; the largest of all is returned. ``O(degree)`` for each member.

    Args:
        graph: Any graph.
        order: All nodes, promising ones first; by default :func:`core_order`.
        starts: Nodes from which a clique is grown.

    >>> greedy_clique(Graph.from_edges(4, [(0, 1), (1, 2), (2, 0), (2, 3)]))
    (0, 1, 2)
    """
    from concolor.graph import kernels

    order = core_order(graph) if order is None else order
    return tuple(np.sort(kernels.grown_clique(*csr(graph), order, starts)).tolist())


def components(graph: Graph) -> list[IntArray]:
    """The nodes of each connected component, ascending; small components first."""
    if graph.n == 0:
        return []
    _, member = csgraph.connected_components(graph.adjacency(), directed=False)
    ends = np.cumsum(np.bincount(member))
    return sorted(np.split(np.argsort(member, kind="stable"), ends[:-1]), key=len)


def triangles(graph: Graph, *, looks: int = 512) -> tuple[float, float]:
    r"""How often two neighbors of a node are neighbors, beyond chance, and triangles of an edge.

    With c the part of the pairs of neighbors that are, each node taken as often as it has
    neighbors, and the density p of the graph, the first is :math:`(c - p) / (1 - p)`: near 0 in
    random graphs, 1 in cliques that touch no other, about a half where intervals or disks overlap.
    The second is the mean number of triangles that an edge is in.

    Args:
        looks: How many pairs are looked at, drawn by a fixed seed: the cost does not grow with the
            graph, and the standard error of the first is about 0.03.

    >>> cliques = Graph.from_edges(8, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)])
    >>> triangles(cliques)
    (1.0, 1.0)
    """
    p = 2 * graph.m / max(graph.n * (graph.n - 1), 1)
    if not 0 < p < 1:
        return 0.0, p * max(graph.n - 2, 0)
    rng = np.random.default_rng(0)
    at = rng.integers(len(graph.indices), size=looks)  # an edge, seen from one of its ends
    node = np.searchsorted(graph.indptr, at, side="right") - 1
    begin, others = graph.indptr[node], graph.indptr[node + 1] - graph.indptr[node] - 1
    other = begin + (at - begin + 1 + rng.integers(np.maximum(others, 1))) % (others + 1)
    closed = _adjacent(graph, graph.indices[at], graph.indices[other])
    part = closed[others > 0].mean() if others.any() else p
    return float((part - p) / (1 - p)), float((closed * others).mean())


def _adjacent(graph: Graph, u: IntArray, v: IntArray) -> NDArray[np.bool_]:
    """Whether ``u[i] v[i]`` is an edge: by halves, in the rows of all u at once."""
    low, high = graph.indptr[u], graph.indptr[u + 1]
    end = high
    while (low < high).any():
        middle = (low + high) // 2
        before = (low < high) & (graph.indices[np.minimum(middle, end - 1)] < v)
        low, high = np.where(before, middle + 1, low), np.where(before, high, middle)
    found: NDArray[np.bool_] = (low < end) & (graph.indices[np.minimum(low, end - 1)] == v)
    return found


def csr(graph: Graph) -> tuple[IntArray, IntArray]:
    """``indptr`` and ``indices``, read-only always: compiled code is made anew for any other kind,
    and a graph that was pickled has forgotten that its arrays are."""
    views = graph.indptr.view(), graph.indices.view()
    for view in views:
        view.setflags(write=False)
    return views


def twins(graph: Graph) -> NDArray[np.int32]:
    """Of every arc of the CSR form the place of the one in the other direction: ``[2m]``."""
    from concolor.graph import kernels

    return kernels.twins(*csr(graph))


def on_arcs(graph: Graph, values: NDArray[Any]) -> NDArray[Any]:
    """Values of edges ``[m]`` on every arc of the CSR form: ``[2m]``; at once where all are equal.

    >>> from concolor.graph.families import family
    >>> on_arcs(family("path:3"), np.array([5, 7])).tolist()
    [5, 5, 7, 7]
    """
    from concolor.graph import kernels

    if len(values) and (values == values[0]).all():
        return np.full(2 * len(values), values[0])
    return np.asarray(values[kernels.edge_numbers(*csr(graph))])


def arrange(values: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Nodes by rising value, for loops that keep them so while values change by one.

    Args:
        values: ``[n]``, in ``0..n-1``.

    Returns:
        The nodes in order ``[n]``, the place of each node ``[n]``, and where each value begins
        ``[n + 1]``.
    """
    n = len(values)
    order = np.argsort(values, kind="stable")
    where = np.empty(n, np.int64)
    where[order] = np.arange(n)
    return order, where, np.searchsorted(values[order], np.arange(n + 1))
