"""One pass over the nodes: first fit in an order, DSATUR, RLF, independent sets."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled, prefetch

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
    room, n = len(seen), len(order)
    for i in range(n):
        if i + 12 < n:  # what comes next is fetched meanwhile: in a large graph all is far apart
            prefetch(indptr, order[i + 12])
            prefetch(indices, indptr[order[i + 8]])
            for e in range(indptr[order[i + 4]], indptr[order[i + 4] + 1]):
                prefetch(colors, indices[e])
        v = order[i]
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
    indptr: Ints,
    indices: Ints,
    scores: NDArray[np.float32],
    colors: Ints,
    ban_ptr: Ints,
    bans: Ints,
    closed: Bits,
) -> bool:
    """DSATUR (Brélaz 1979): next is the node to which most colors are closed.

    Ties go to the node with most neighbors that have no color yet, and then as a binary heap
    leaves them: the heap, filled and moved as here, breaks them exactly as rustworkx does. Of the
    first k colors a node takes the free one that it scores highest (equal scores: the smaller);
    where none of them is free, or k is 0, the first free one beyond. ``O(n k + m log n)``.

    Args:
        scores: ``[n, k]``; ``[n, 0]`` for plain DSATUR.
        colors: ``[n]``, the preset ones or -1, filled in place.
        closed: ``[n, w]`` zeros; bit ``c % 64`` of word ``c // 64`` will say that c is closed.

    Returns:
        Whether ``w`` was wide enough for all colors; nothing is of use where not.
    """
    (n, k), room = scores.shape, 64 * closed.shape[1]
    key = np.zeros(n, np.int64)  # closed colors times n, plus neighbors without a color
    heap, where = np.empty(n, np.int64), np.full(n, -1)
    size = 0
    for v in range(n):
        for b in range(ban_ptr[v], ban_ptr[v + 1]):
            key[v] += n * close(closed, v, bans[b])
        for e in range(indptr[v], indptr[v + 1]):
            c = colors[indices[e]]
            key[v] += 1 if c < 0 else n * close(closed, v, c)
    for v in range(n):
        if colors[v] < 0:
            size += 1
            rise(key, heap, where, v, size - 1)
    while size > 0:
        v = heap[0]
        size -= 1
        if size > 0:
            sink(key, heap, where, heap[size], 0, size)
        best = -1
        for c in range(k):
            if not is_closed(closed, v, c) and (best < 0 or scores[v, c] > scores[v, best]):
                best = c
        if best < 0:
            best = k
            while best < room and is_closed(closed, v, best):
                best += 1
            if best == room:
                return False
        colors[v] = best
        for e in range(indptr[v + 1] - 1, indptr[v] - 1, -1):
            u = indices[e]
            if colors[u] < 0:
                key[u] += n * close(closed, u, best) - 1
                place = rise(key, heap, where, u, where[u])
                sink(key, heap, where, u, place, size)
    return True


@compiled
def rise(key: Ints, heap: Ints, where: Ints, v: int, place: int) -> int:
    """Put v at a place of the heap, or above it where its key is larger; returns where it is."""
    while place > 0 and key[heap[(place - 1) // 2]] < key[v]:
        heap[place] = heap[(place - 1) // 2]
        where[heap[place]] = place
        place = (place - 1) // 2
    heap[place], where[v] = v, place
    return place


@compiled
def sink(key: Ints, heap: Ints, where: Ints, v: int, place: int, size: int) -> None:
    """Put v at a place of the heap, or below it where its key is smaller."""
    while True:
        child = 2 * place + 1
        if child + 1 < size and key[heap[child + 1]] > key[heap[child]]:
            child += 1
        if child >= size or key[heap[child]] <= key[v]:
            break
        heap[place] = heap[child]
        where[heap[place]] = place
        place = child
    heap[place], where[v] = v, place


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
def recursive_largest_first(indptr: Ints, indices: Ints, dense: bool) -> Ints:
    """RLF (Leighton 1979): color by color, each class as large as it gets: ``[n]``.

    A class opens with the node of most neighbors that have no color yet. It grows by the node with
    most neighbors among those it excludes, ties to the fewest neighbors without a color. No n x n
    anywhere.

    Args:
        dense: How the next node is found, the same one either way. In a dense graph few nodes are
            left after each choice, and all are looked at: ``O(k m)``. In a sparse one they stand in
            a heap, some several times, of which the highest counts: ``O(k m log n)``.
    """
    n = len(indptr) - 1
    colors = np.full(n, -1, np.int64)
    closed_to = np.full(n, -1, np.int64)  # the last class that excludes the node
    rank = np.empty(n, np.int64)
    excluded = np.empty(n, np.int64)  # neighbors that the class excludes
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
        excluded[:] = 0
        free = left.copy()
        count = len(left)  # of those in free that may still join
        heap = [rank[u] for u in left[: 0 if dense else count]]  # sorted, so a heap
        v = left[-1]
        while True:
            if colors[v] < 0 and closed_to[v] < c:
                colors[v] = c
                for e in range(indptr[v], indptr[v + 1]):
                    u = indices[e]
                    if colors[u] < 0 and closed_to[u] < c:
                        closed_to[u] = c
                        for f in range(indptr[u], indptr[u + 1]):
                            w = indices[f]
                            if dense:
                                excluded[w] += 1
                            elif colors[w] < 0 and closed_to[w] < c:
                                excluded[w] += 1
                                heappush(heap, rank[w] - excluded[w] * n)
            if dense:
                still, best = 0, -1
                for i in range(count):
                    u = free[i]
                    if colors[u] < 0 and closed_to[u] < c:
                        free[still] = u
                        still += 1
                        if best < 0 or excluded[u] > excluded[best]:
                            best = u  # free is in the order of rank, so ties are right
                count = still
                if best < 0:
                    break
                v = best
            else:
                if len(heap) == 0:
                    break
                v = left[heappop(heap) % n]
        left = left[colors[left] < 0]
        c += 1
    return colors


@compiled
def independent_sets(indptr: Ints, indices: Ints) -> Ints:
    """Color by color, each class joined by the node with fewest neighbors that may join: ``[n]``.

    Ties go to the lower number. ``O(k m log n)``.
    """
    n = len(indptr) - 1
    colors = np.full(n, -1, np.int64)
    closed_to = np.full(n, -1, np.int64)  # the last class that excludes the node
    degree = np.zeros(n, np.int64)  # neighbors that may join
    left, c = n, 0
    while left > 0:
        heap = [np.int64(0) for _ in range(0)]  # empty, of whole numbers
        for u in range(n):
            if colors[u] < 0:
                degree[u] = 0
                for e in range(indptr[u], indptr[u + 1]):
                    degree[u] += colors[indices[e]] < 0
                heappush(heap, degree[u] * n + u)
        while len(heap) > 0:
            key = heappop(heap)
            v, free = key % n, key // n
            if colors[v] >= 0 or closed_to[v] == c or degree[v] != free:
                continue
            colors[v] = c
            left -= 1
            for e in range(indptr[v], indptr[v + 1]):
                out = indices[e]
                if colors[out] < 0 and closed_to[out] < c:
                    closed_to[out] = c
                    for f in range(indptr[out], indptr[out + 1]):
                        w = indices[f]
                        if colors[w] < 0 and closed_to[w] < c:
                            degree[w] -= 1
                            heappush(heap, degree[w] * n + w)
        c += 1
    return colors
