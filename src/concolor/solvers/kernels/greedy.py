"""One pass over the nodes: first fit in an order, DSATUR, RLF, and the orders themselves."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from concolor.solvers.kernels import compiled

Ints = NDArray[np.int64]


@compiled
def first_fit(
    indptr: Ints, indices: Ints, order: Ints, colors: Ints, ban_ptr: Ints, bans: Ints
) -> None:
    """Give each node of ``order`` that has no color (-1) the first that is free and not banned.

    Args:
        indptr, indices: The graph in CSR form.
        order: The nodes, or some of them.
        colors: ``[n]``, filled in place.
        ban_ptr, bans: The banned colors of v are ``bans[ban_ptr[v]:ban_ptr[v + 1]]``.
    """
    room = 2 + (np.diff(indptr) + np.diff(ban_ptr)).max() if len(order) else 0
    seen = np.full(room, -1, np.int64)  # seen[c] = v: color c is taken for node v
    for v in order:
        if colors[v] >= 0:
            continue
        for e in range(indptr[v], indptr[v + 1]):
            if 0 <= colors[indices[e]] < room:
                seen[colors[indices[e]]] = v
        for b in range(ban_ptr[v], ban_ptr[v + 1]):
            if bans[b] < room:
                seen[bans[b]] = v
        c = 0
        while seen[c] == v:
            c += 1
        colors[v] = c


@compiled
def saturation(
    indptr: Ints, indices: Ints, order: Ints, colors: Ints, ban_ptr: Ints, bans: Ints
) -> None:
    """DSATUR: as :func:`first_fit`, but next is the node to which most colors are closed.

    Ties go to the node that comes first in ``order`` (a permutation of all). The closed colors of
    a node are bits, 64 in a word; a node may stand in the heap several times, the highest counts.
    """
    n = len(order)
    rank = np.empty(n, np.int64)
    rank[order] = np.arange(n)
    closed = np.zeros((n, 1), np.uint64)
    count = np.zeros(n, np.int64)
    for v in range(n):
        for b in range(ban_ptr[v], ban_ptr[v + 1]):
            closed = _close(closed, count, v, bans[b])
        if colors[v] >= 0:
            for e in range(indptr[v], indptr[v + 1]):
                closed = _close(closed, count, indices[e], colors[v])
    heap = [rank[v] - count[v] * n for v in range(n)]
    heapify(heap)
    while len(heap) > 0:
        v = order[heappop(heap) % n]
        if colors[v] >= 0:
            continue
        c = 0
        while c < 64 * closed.shape[1] and _is_closed(closed, v, c):
            c += 1
        colors[v] = c
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if colors[u] < 0:
                before = count[u]
                closed = _close(closed, count, u, c)
                if count[u] > before:
                    heappush(heap, rank[u] - count[u] * n)


@compiled
def _is_closed(closed: NDArray[np.uint64], v: int, c: int) -> bool:
    return bool((closed[v, c >> 6] >> np.uint64(c & 63)) & np.uint64(1))


@compiled
def _close(closed: NDArray[np.uint64], count: Ints, v: int, c: int) -> NDArray[np.uint64]:
    """Set bit c of node v; returns the table, a wider one where c was beyond it."""
    if c >= 64 * closed.shape[1]:
        wider = np.zeros((closed.shape[0], max(2 * closed.shape[1], (c >> 6) + 1)), np.uint64)
        wider[:, : closed.shape[1]] = closed
        closed = wider
    if not _is_closed(closed, v, c):
        closed[v, c >> 6] |= np.uint64(1) << np.uint64(c & 63)
        count[v] += 1
    return closed


@compiled
def smallest_last(indptr: Ints, indices: Ints) -> Ints:
    """Again and again a node of smallest degree among those left, read backwards: ``[n]``.

    (Matula and Beck 1983, in ``O(n + m)``.) First fit in this order needs at most one color more
    than the degeneracy of the graph.
    """
    n = len(indptr) - 1
    degree = np.diff(indptr)
    order = np.argsort(degree, kind="mergesort")
    where = np.empty(n, np.int64)
    where[order] = np.arange(n)
    first = np.searchsorted(degree[order], np.arange(n + 1))  # where each degree begins
    for i in range(n):
        for e in range(indptr[order[i]], indptr[order[i] + 1]):
            u = indices[e]
            if where[u] > i:  # still there: one degree down, with what is left still sorted
                place = max(first[degree[u]], i + 1)
                other = order[place]
                order[where[u]], where[other] = other, where[u]
                order[place], where[u] = u, place
                first[degree[u]] = place + 1
                degree[u] -= 1
    return order[::-1].copy()


@compiled
def recursive_largest_first(indptr: Ints, indices: Ints) -> Ints:
    """RLF (Leighton 1979): color by color, each class as large as a greedy choice makes it: ``[n]``.

    A class opens with the node of most neighbors that have no color yet. It grows by the node with
    most neighbors among those it excludes, ties to the fewest neighbors without a color. A node may
    stand in the heap several times, the highest counts: ``O(k m log n)``, and no n x n anywhere.
    """
    n = len(indptr) - 1
    colors = np.full(n, -1, np.int64)
    closed_to = np.full(n, -1, np.int64)  # the last class that excludes the node
    rank = np.empty(n, np.int64)
    left = np.arange(n)
    c = 0
    while len(left) > 0:
        degree = np.zeros(len(left), np.int64)  # neighbors without a color
        for i in range(len(left)):
            for e in range(indptr[left[i]], indptr[left[i] + 1]):
                degree[i] += colors[indices[e]] < 0
        left = left[np.argsort(degree, kind="mergesort")]
        rank[left] = np.arange(len(left))
        excluded = np.zeros(n, np.int64)  # neighbors that the class excludes
        v = left[-1]
        heap = [rank[u] for u in left]  # sorted, so a heap
        while True:
            if colors[v] < 0 and closed_to[v] < c:
                colors[v] = c
                for e in range(indptr[v], indptr[v + 1]):
                    u = indices[e]
                    if colors[u] < 0 and closed_to[u] < c:
                        closed_to[u] = c
                        for f in range(indptr[u], indptr[u + 1]):
                            w = indices[f]
                            if colors[w] < 0 and closed_to[w] < c:
                                excluded[w] += 1
                                heappush(heap, rank[w] - excluded[w] * n)
            if len(heap) == 0:
                break
            v = left[heappop(heap) % n]
        left = left[colors[left] < 0]
        c += 1
    return colors


@compiled
def clique(indptr: Ints, indices: Ints, order: Ints, starts: int) -> Ints:
    """A clique that is not contained in a larger one, the best of ``starts`` greedy ones.

    From each of the first nodes of ``order``, the neighbors are tried in that order.
    """
    n = len(indptr) - 1
    rank = np.empty(n, np.int64)
    rank[order] = np.arange(n)
    best = order[:0].copy()
    hits = np.zeros(n, np.int64)  # members of the clique that are neighbors
    for v in order[:starts]:
        near = indices[indptr[v] : indptr[v + 1]]
        if len(near) < len(best):
            continue
        near = near[np.argsort(rank[near])]
        members = [v]
        for u in near:
            if hits[u] == len(members) - 1:
                for e in range(indptr[u], indptr[u + 1]):
                    hits[indices[e]] += 1
                members.append(u)
        for u in members[1:]:
            hits[indices[indptr[u] : indptr[u + 1]]] = 0
        if len(members) > len(best):
            best = np.array(members)
    return best
