"""Take nodes away that any coloring of the others extends to, and give them back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]

PEELED = -1  # in like: the node gets a free color; >= 0: that of this node


@compiled
def reduce(
    indptr: Ints,
    indices: Ints,
    k: int,
    degree: Ints,
    inside: Truths,
    removed: Ints,
    like: Ints,
    work: int,
) -> int:
    """Remove nodes of degree below k and nodes that others dominate, until there are none.

    Args:
        indptr, indices: The graph in CSR form, neighbors ascending.
        k: Colors.
        degree: ``[n]``; neighbors that are inside, and colors that a node must not have. In step.
        inside: ``[n]``, all true; false for what is removed.
        removed: ``[n]``; the removed nodes in their order, in the first places.
        like: ``[n]``; for a removed node :data:`PEELED`, or the node whose color it may have.
        work: Neighbors to look at for domination, about; 0 for none of it.

    Returns:
        How many are removed.
    """
    n, count, low = len(degree), 0, 0
    ring, waiting = np.empty(n, np.int64), np.full(n, work > 0)  # to be looked at, and is it there
    first, queued = 0, n if work > 0 else 0
    for v in range(n):
        ring[v] = v
        if degree[v] < k:  # into removed at once: those from low on still have to tell neighbors
            inside[v] = False
            removed[count], like[v] = v, PEELED
            count += 1
    while True:
        while low < count:
            v = removed[low]
            low += 1
            for e in range(indptr[v], indptr[v + 1]):
                u = indices[e]
                if not inside[u]:
                    continue
                degree[u] -= 1
                if degree[u] < k:
                    inside[u] = False
                    removed[count], like[u] = u, PEELED
                    count += 1
                elif work > 0 and not waiting[u]:
                    waiting[u] = True
                    ring[(first + queued) % n] = u
                    queued += 1
        if queued == 0 or work <= 0:
            return count
        u = ring[first]
        first, queued = (first + 1) % n, queued - 1
        waiting[u] = False
        if inside[u]:
            other, looked = dominator(indptr, indices, degree, inside, u)
            work -= looked
            if other >= 0:
                inside[u] = False
                removed[count], like[u] = u, other
                count += 1


@compiled
def dominator(indptr: Ints, indices: Ints, degree: Ints, inside: Truths, u: int) -> tuple[int, int]:
    """A node that all neighbors of u are neighbors of, or -1; and how much was looked at.

    It is a neighbor of every neighbor of u, so it is looked for around the one that has fewest.
    """
    hub = -1
    for e in range(indptr[u], indptr[u + 1]):
        w = indices[e]
        if inside[w] and (hub < 0 or indptr[w + 1] - indptr[w] < indptr[hub + 1] - indptr[hub]):
            hub = w
    looked = indptr[u + 1] - indptr[u]
    if hub < 0:
        return -1, looked
    for e in range(indptr[hub], indptr[hub + 1]):
        v = indices[e]
        looked += 1
        if not inside[v] or v == u or degree[v] < degree[u]:
            continue
        covers = True
        for f in range(indptr[u], indptr[u + 1]):
            looked += 1
            if inside[indices[f]] and not is_neighbor(indptr, indices, v, indices[f]):
                covers = False
                break
        if covers:
            return v, looked
    return -1, looked


@compiled
def is_neighbor(indptr: Ints, indices: Ints, v: int, x: int) -> bool:
    """Whether v and x are adjacent, by halves."""
    low, high = indptr[v], indptr[v + 1]
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < x:
            low = middle + 1
        else:
            high = middle
    return bool(low < indptr[v + 1] and indices[low] == x)


@compiled
def restore(
    indptr: Ints,
    indices: Ints,
    removed: Ints,
    like: Ints,
    colors: Ints,
    ban_ptr: Ints,
    bans: Ints,
    seen: Ints,
) -> None:
    """Color the removed nodes, the last first: like another, or with the first that is free.

    Args:
        removed, like: See :func:`reduce`.
        colors: ``[n]``, -1 for the removed, filled in place.
        ban_ptr, bans, seen: As in :func:`~concolor.solvers.kernels.greedy.first_fit`.
    """
    room = len(seen)
    for i in range(len(removed) - 1, -1, -1):
        v = removed[i]
        if like[v] >= 0:
            colors[v] = colors[like[v]]
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
def induced(indptr: Ints, indices: Ints, nodes: Ints) -> tuple[Ints, Ints]:
    """The CSR form of the graph that ascending nodes induce, in time of their degrees."""
    place = np.full(len(indptr) - 1, -1, np.int64)
    most = 0
    for i in range(len(nodes)):
        place[nodes[i]] = i
        most += indptr[nodes[i] + 1] - indptr[nodes[i]]
    ptr, near, filled = np.zeros(len(nodes) + 1, np.int64), np.empty(most, np.int64), 0
    for i in range(len(nodes)):
        for e in range(indptr[nodes[i]], indptr[nodes[i] + 1]):
            if place[indices[e]] >= 0:
                near[filled] = place[indices[e]]
                filled += 1
        ptr[i + 1] = filled
    return ptr, near[:filled].copy()
