"""The compiled loops of :mod:`concolor.graph.structure`. Only what runs them imports this file."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled, prefetch

Ints = NDArray[np.int64]
Small = NDArray[np.int32]


# rustworkx takes a list of tuples and gives a dict: 25 times slower on 600,000 edges
@compiled
def smallest_last(indptr: Ints, indices: Ints, order: Small, state: Small, first: Small) -> None:
    """Sort ``order`` so that each node has the smallest degree among those that follow it.

    (Matula and Beck 1983, in ``O(n + m)``.) Degrees are counted among the nodes that follow; the
    largest so far along the order is the core number of the node (Batagelj and Zaversnik 2003).

    Args:
        order: The nodes by degree, see :func:`~concolor.graph.structure.arrange`.
        state: ``[n, 2]``, what is asked of a node side by side: where it stands, and its degree,
            which becomes that among the nodes that follow.
        first: Where each degree begins.
    """
    n = len(order)
    for i in range(n):
        if i + 12 < n:  # what comes next, as far as one can tell: the waits overlap
            prefetch(indptr, order[i + 12])
            prefetch(indices, indptr[order[i + 8]])
            for e in range(indptr[order[i + 4]], indptr[order[i + 4] + 1]):
                prefetch(state, indices[e])
        for e in range(indptr[order[i]], indptr[order[i] + 1]):
            u = indices[e]
            here = state[u, 0]
            if here > i:  # still there: one degree down, with what is left still sorted
                degree = state[u, 1]
                place = max(first[degree], i + 1)
                other = order[place]
                order[here], state[other, 0] = other, here
                order[place], state[u, 0] = u, place
                first[degree] = place + 1
                state[u, 1] = degree - 1


@compiled
def monochromatic(indptr: Ints, indices: Ints, colors: Small) -> int:
    """Edges whose ends have the same color; neighbors must ascend, and the lower ones count."""
    both = 0
    for v in range(len(indptr) - 1):
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if u > v:
                break
            both += colors[u] == colors[v]
    return both


@compiled
def twins(indptr: Ints, indices: Ints) -> NDArray[np.int32]:
    """Of every arc the place of the one in the other direction; neighbors must ascend."""
    found, following = np.empty(len(indices), np.int32), indptr[:-1].copy()
    for u in range(len(indptr) - 1):
        for e in range(indptr[u], indptr[u + 1]):
            v = indices[e]
            found[e] = following[v]
            following[v] += 1
    return found


@compiled
def edge_numbers(indptr: Ints, indices: Ints) -> NDArray[np.int32]:
    """Of every arc the number of its edge, in the order of edges; neighbors must ascend."""
    found, following, e = np.empty(len(indices), np.int32), indptr[:-1].copy(), 0
    for u in range(len(indptr) - 1):
        for arc in range(indptr[u], indptr[u + 1]):
            v = indices[arc]
            if u < v:
                found[arc] = found[following[v]] = e  # arcs to lower nodes come first
                following[v] += 1
                e += 1
    return found


@compiled
def grown_clique(indptr: Ints, indices: Ints, order: Ints, starts: int) -> Ints:
    """The largest of some cliques, none of which is contained in a larger one: its nodes.

    From each of the first ``starts`` nodes of ``order``, the common neighbor that comes first in
    the order joins, until there is none: ``O(degree)`` for each member.
    """
    n, best = len(order), np.empty(0, np.int64)
    rank = np.empty(n, np.int64)
    for i in range(n):
        rank[order[i]] = i
    hits = np.zeros(n, np.int64)  # how many members are neighbors
    members = np.empty(n, np.int64)
    for i in range(min(starts, n)):
        start, last, size = order[i], order[i], 0
        while last >= 0:
            members[size] = last
            size += 1
            for e in range(indptr[last], indptr[last + 1]):
                hits[indices[e]] += 1
            last = -1
            for e in range(indptr[start], indptr[start + 1]):
                u = indices[e]
                if hits[u] == size and (last < 0 or rank[u] < rank[last]):
                    last = u
        for j in range(size):
            for e in range(indptr[members[j]], indptr[members[j] + 1]):
                hits[indices[e]] = 0
        if size > len(best):
            best = members[:size].copy()
    return best


@compiled
def wrong_row(indptr: Ints, indices: Ints) -> int:
    """The first node whose neighbors are not other nodes, ascending, each with it as a neighbor.

    -1 where there is none. Nodes come in order, so that the neighbors of each are met in order,
    too: one place for every node says how far its row has been met.
    """
    n = len(indptr) - 1
    following = indptr[:-1].copy()
    for v in range(n):
        last = -1
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if u <= last or u >= n or u == v:
                return v
            last = u
            if following[u] >= indptr[u + 1] or indices[following[u]] != v:
                return v
            following[u] += 1
    return -1
