"""From old colors to new ones: what must change, what is in the way, what may go back."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@compiled
def matched(indptr: Ints, indices: Ints, colors: Ints) -> int:
    """How many conflicts share no node, of all in the order of edges; -1 is no color."""
    taken, found = np.zeros(len(colors), np.bool_), 0
    for u in range(len(colors)):
        for e in range(indptr[u], indptr[u + 1]):
            v = indices[e]
            if u < v and not taken[u] and not taken[v] and 0 <= colors[u] == colors[v]:
                taken[u] = taken[v] = True
                found += 1
    return found


@compiled
def uncover(indptr: Ints, indices: Ints, colors: Ints, free: Flags) -> None:
    """Free ends of conflicts, the node with most of them first, until none is left.

    Ties go to the lower number. The heap holds what a node had when it was put there; conflicts
    only become fewer, so the first that is still right is the highest: ``O(m log n)``.

    Args:
        colors: ``[n]``, a color where a node is not free.
        free: ``[n]``, filled up in place.
    """
    n = len(colors)
    count = np.zeros(n, np.int64)
    heap = [np.int64(0) for _ in range(0)]  # empty, of whole numbers
    for v in range(n):
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            count[v] += not free[v] and not free[u] and colors[u] == colors[v]
        if count[v] > 0:
            heappush(heap, v - count[v] * n)
    while len(heap) > 0:
        key = heappop(heap)
        top = key % n
        if count[top] != (top - key) // n:
            if count[top] > 0:
                heappush(heap, top - count[top] * n)
            continue
        free[top] = True
        for e in range(indptr[top], indptr[top + 1]):
            u = indices[e]
            if not free[u] and colors[u] == colors[top]:
                count[u] -= 1


@compiled
def close(
    indptr: Ints, indices: Ints, colors: Ints, free: Flags, nodes: Ints, open_to: Flags
) -> None:
    """Take from ``open_to [len(nodes), k]`` the colors of neighbors that are not free."""
    for row in range(len(nodes)):
        v = nodes[row]
        for e in range(indptr[v], indptr[v + 1]):
            if not free[indices[e]]:
                open_to[row, colors[indices[e]]] = False


@compiled
def troubled(indptr: Ints, indices: Ints, colors: Ints, free: Flags) -> Flags:
    """Free nodes in conflict: ``[n]``."""
    found = np.zeros(len(colors), np.bool_)
    for v in range(len(colors)):
        if free[v]:
            for e in range(indptr[v], indptr[v + 1]):
                found[v] |= colors[indices[e]] == colors[v]
    return found


@compiled
def make_way(
    indptr: Ints, indices: Ints, colors: Ints, free: Flags, nodes: Ints, allowed: Flags
) -> None:
    """Node by node, free the fewest neighbors that have to change for it to have some color.

    Args:
        colors: ``[n]``, the colors of nodes that are not free.
        free: ``[n]``, filled up in place.
        allowed: ``[n, k]``.
    """
    n, k = allowed.shape
    count = np.empty(k, np.int64)
    for v in nodes:
        count[:] = 0
        for e in range(indptr[v], indptr[v + 1]):
            if not free[indices[e]]:
                count[colors[indices[e]]] += 1
        for c in range(k):
            if count[c] == 0 or not allowed[v, c]:
                count[c] = n + 1
        least = np.argmin(count)
        for e in range(indptr[v], indptr[v + 1]):
            if not free[indices[e]] and colors[indices[e]] == least:
                free[indices[e]] = True


@compiled
def go_back(indptr: Ints, indices: Ints, old: Ints, may_stay: Flags, colors: Ints) -> None:
    """Node by node, let each that may have its old color again take it."""
    for v in range(len(colors)):
        if may_stay[v] and colors[v] != old[v]:
            is_free = True
            for e in range(indptr[v], indptr[v + 1]):
                is_free &= colors[indices[e]] != old[v]
            if is_free:
                colors[v] = old[v]
