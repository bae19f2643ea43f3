"""The compiled loops of :mod:`concolor.graph.cliques`. Only what runs them imports this file."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

Ints = NDArray[np.int64]
Small = NDArray[np.int32]
Bits = NDArray[np.uint64]


@compiled
def earlier_neighbors(indptr: Ints, indices: Ints, order: Ints) -> tuple[Ints, Small, Small]:
    """The graph with every node as its place in ``order``, and every edge at its later end only.

    Returns:
        The earlier neighbors of place i are ``near[ptr[i]:ptr[i + 1]]``; with them the place of
        every node ``[n]``.
    """
    n = len(order)
    place = np.empty(n, np.int32)
    for i in range(n):
        place[order[i]] = i
    ptr, near = np.zeros(n + 1, np.int64), np.empty(len(indices) // 2, np.int32)
    filled = 0
    for i in range(n):
        v = order[i]
        for e in range(indptr[v], indptr[v + 1]):
            if place[indices[e]] < i:
                near[filled] = place[indices[e]]
                filled += 1
        ptr[i + 1] = filled
    return ptr, near, place


@compiled
def next_clique(
    ptr: Ints, near: Small, core: Ints, begin: int, least: int, visits: int, work: int
) -> tuple[int, Small, int]:
    """Search place by place, from ``begin`` on, until a clique has more than ``least`` nodes.

    Every clique is one place and some of its earlier neighbors, which are few in a sparse graph.
    Those with too few neighbors among the others are left out; what remains is searched by branch
    and bound.

    Args:
        ptr, near: The earlier neighbors of every place, see :func:`earlier_neighbors`.
        core: ``[n]``, falling: no clique that ends at place i has more than ``core[i]`` others.
        begin: The first place to search.
        least: Nodes of the largest clique so far, at least 1.
        visits: Branches for each place, at most.
        work: Neighbors and branches to look at, about, before the search pauses.

    Returns:
        The place to go on from (n: there is nothing left), the clique (empty: none is larger), and
        the work that is left.
    """
    n = len(ptr) - 1
    widest = 0
    for i in range(begin, n):
        widest = max(widest, ptr[i + 1] - ptr[i])
    local, degree = np.full(n, -1, np.int32), np.zeros(widest, np.int32)
    there = np.empty(widest, np.int32)
    i = begin
    while i < n and work > 0:
        if core[i] < least:
            return n, there[:0], work
        count, looks = gather(ptr, near, i, least, local, degree, there)
        work -= 4 * (ptr[i + 1] - ptr[i]) + 4 + looks
        if count >= least:
            rows = adjacent(ptr, near, there[:count], local)
            found, used = inside(rows, least, visits)
            work -= looks + count * rows.shape[1] + used
            for j in range(count):
                local[there[j]] = -1
            if len(found) >= least:
                clique = np.empty(len(found) + 1, np.int32)
                clique[0] = i
                for j in range(len(found)):
                    clique[j + 1] = there[found[j]]
                return i + 1, clique, work
        i += 1
    return i, there[:0], work


@compiled
def gather(
    ptr: Ints, near: Small, i: int, least: int, local: Small, degree: Small, there: Small
) -> tuple[int, int]:
    """The earlier neighbors of i that may be in a clique of ``least`` of them: into ``there``.

    Each has ``least - 1`` neighbors or more among the others. ``local`` says where they stand, and
    is -1 for all where they are too few.

    Returns:
        How many they are, and how many of their neighbors were looked at.
    """
    count, looks = 0, 0
    for e in range(ptr[i], ptr[i + 1]):
        there[count] = near[e]
        count += 1
    before = count + 1
    while least <= count < before:
        before = count
        for j in range(count):
            local[there[j]] = j
            degree[j] = 0
        for j in range(count):
            looks += ptr[there[j] + 1] - ptr[there[j]]
            for e in range(ptr[there[j]], ptr[there[j] + 1]):
                other = local[near[e]]
                if other >= 0:
                    degree[j] += 1
                    degree[other] += 1
        for j in range(count):
            local[there[j]] = -1
        count = 0
        for j in range(before):
            if degree[j] >= least - 1:
                there[count] = there[j]
                count += 1
    if count >= least:
        for j in range(count):
            local[there[j]] = j
    return count, looks


@compiled
def adjacent(ptr: Ints, near: Small, there: Small, local: Small) -> Bits:
    """Bit j of row i says that ``there[i]`` and ``there[j]`` are neighbors: ``[c, w]``."""
    rows = np.zeros((len(there), (len(there) + 63) // 64), np.uint64)
    for i in range(len(there)):
        for e in range(ptr[there[i]], ptr[there[i] + 1]):
            j = local[near[e]]
            if j >= 0:
                rows[i, j >> 6] |= np.uint64(1) << np.uint64(j & 63)
                rows[j, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
    return rows


@compiled
def inside(rows: Bits, least: int, visits: int) -> tuple[Small, int]:
    """A clique of at least ``least`` nodes, the largest where the visits are enough; else none.

    Branch and bound on bit sets: the nodes that could still join are colored greedily, and where
    the colors are too few nothing is searched (San Segundo et al. 2011).

    Returns:
        The clique, and the words of bit sets that were looked at.
    """
    count, words = rows.shape
    best, members = least - 1, np.empty(0, np.int32)
    everything = np.zeros(words, np.uint64)
    for j in range(count):
        everything[j >> 6] |= np.uint64(1) << np.uint64(j & 63)
    first, colors = np.empty(count, np.int32), np.empty(count, np.int32)
    branches = classes(rows, everything, best, first, colors)
    deepest = colors[branches - 1] + 1 if branches else 1
    left = np.zeros((deepest + 1, words), np.uint64)  # at each depth those that may still join
    order = np.empty((deepest + 1, count), np.int32)  # and those of them to try, the last first
    bound = np.empty((deepest + 1, count), np.int32)  # with what a clique may gain, at most
    to_try = np.zeros(deepest + 1, np.int64)
    chosen = np.empty(deepest + 1, np.int32)
    left[0], order[0], bound[0], to_try[0] = everything, first, colors, branches
    depth, used, looks = 0, 0, count * words
    while depth >= 0 and used < visits:
        last = to_try[depth] - 1
        if last < 0 or depth + bound[depth, last] <= best:
            depth -= 1
            continue
        used += 1
        to_try[depth] = last
        v = order[depth, last]
        chosen[depth] = v
        some = 0
        for w in range(words):
            left[depth + 1, w] = left[depth, w] & rows[v, w]
            some += count_bits(left[depth + 1, w])
        looks += (some + 1) * words
        left[depth, v >> 6] &= ~(np.uint64(1) << np.uint64(v & 63))
        depth += 1
        if depth > best:
            best, members = depth, chosen[:depth].copy()
        if some == 0:
            depth -= 1
        else:
            to_try[depth] = classes(rows, left[depth], best - depth, order[depth], bound[depth])
    return members, looks


@compiled
def classes(rows: Bits, those: Bits, enough: int, order: Small, bound: Small) -> int:
    """Color some nodes greedily, class by class, and list those with a color above ``enough``.

    A node and those before it hold no clique of more nodes than its color, counted from 1.

    Returns:
        How many are listed in ``order``, with their colors in ``bound``.
    """
    words, listed, color = len(those), 0, 0
    left, free = those.copy(), np.empty_like(those)
    some = True
    while some:
        color += 1
        free[:] = left
        some = False
        for w in range(words):
            while free[w] != 0:
                bit = free[w] & (~free[w] + np.uint64(1))
                v = 64 * w + count_bits(bit - np.uint64(1))
                left[w] ^= bit
                free[w] ^= bit
                for x in range(w, words):
                    free[x] &= ~rows[v, x]
                if color > enough:
                    order[listed], bound[listed] = v, color
                    listed += 1
            some = some or left[w] != 0
    return listed


@compiled
def count_bits(x: np.uint64) -> int:
    """How many bits are set (the usual sums of halves)."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((x * np.uint64(0x0101010101010101)) >> np.uint64(56))
