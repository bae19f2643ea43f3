"""One pass over the nodes: first fit in an order, DSATUR, RLF, and the orders themselves."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

Ints = NDArray[np.int64]
Bits = NDArray[np.uint64]


@compiled
def first_fit(
    indptr: Ints, indices: Ints, order: Ints, colors: Ints, ban_ptr: Ints, bans: Ints, seen: Ints
) -> None:
    """Give each node of ``order`` that has no color (-1) the first that is free and not banned.

    Args:
        indptr, indices: The graph in CSR form.
        order: The nodes, or some of them.
        colors: ``[n]``, filled in place.
        ban_ptr, bans: The banned colors of v are ``bans[ban_ptr[v]:ban_ptr[v + 1]]``.
        seen: All -1, with a place for every color that may be the first free one; becomes v at the
            colors that are taken for node v.
    """
    room = len(seen)
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
    indptr: Ints, indices: Ints, order: Ints, colors: Ints, ban_ptr: Ints, bans: Ints, closed: Bits
) -> bool:
    """DSATUR: as :func:`first_fit`, but next is the node to which most colors are closed.

    Ties go to the node that comes first in ``order`` (a permutation of all); a node may stand in
    the heap several times, the highest counts.

    Args:
        closed: ``[n, w]`` zeros; bit ``c % 64`` of word ``c // 64`` will say that c is closed.

    Returns:
        Whether ``w`` was wide enough for all colors; nothing is of use where not.
    """
    n = len(order)
    rank = np.empty(n, np.int64)
    for i in range(n):
        rank[order[i]] = i
    count = np.zeros(n, np.int64)
    for v in range(n):
        for b in range(ban_ptr[v], ban_ptr[v + 1]):
            count[v] += close(closed, v, bans[b])
        if colors[v] >= 0:
            for e in range(indptr[v], indptr[v + 1]):
                count[indices[e]] += close(closed, indices[e], colors[v])
    heap = [rank[v] - count[v] * n for v in range(n)]
    heapify(heap)
    while len(heap) > 0:
        v = order[heappop(heap) % n]
        if colors[v] >= 0:
            continue
        c = 0
        while c < 64 * closed.shape[1] and is_closed(closed, v, c):
            c += 1
        if c == 64 * closed.shape[1]:
            return False
        colors[v] = c
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if colors[u] < 0 and close(closed, u, c):
                count[u] += 1
                heappush(heap, rank[u] - count[u] * n)
    return True


@compiled
def is_closed(closed: Bits, v: int, c: int) -> bool:
    """Whether bit c of node v is set."""
    return bool((closed[v, c >> 6] >> np.uint64(c & 63)) & np.uint64(1))


@compiled
def close(closed: Bits, v: int, c: int) -> bool:
    """Set bit c of node v; was it not set before?"""
    if is_closed(closed, v, c):
        return False
    closed[v, c >> 6] |= np.uint64(1) << np.uint64(c & 63)
    return True


@compiled
def recursive_largest_first(indptr: Ints, indices: Ints) -> Ints:
    """RLF (Leighton 1979): color by color, each class as large as it gets: ``[n]``.

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
        for i in range(len(left)):
            rank[left[i]] = i
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
