"""The compiled loops of :mod:`concolor.solvers.balance`.

``allowed [n, k]`` says which colors a node may have; ``[0, 0]`` stands for all of them. No move but
those of :func:`cut` and :func:`spill` adds a conflict.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

Ints = NDArray[np.int64]
Allowed = NDArray[np.bool_]


@compiled
def least_full(indptr: Ints, indices: Ints, order: Ints, colors: Ints, sizes: Ints) -> bool:
    """Give the nodes, in order, the free color that fewest have; False where one has none free.

    Args:
        colors: ``[n]``, all -1, filled in place.
        sizes: ``[k]``, all 0, filled in place.
    """
    k = len(sizes)
    seen = np.full(k, -1)
    for v in order:
        for e in range(indptr[v], indptr[v + 1]):
            if colors[indices[e]] >= 0:
                seen[colors[indices[e]]] = v
        best = -1
        for c in range(k):
            if seen[c] != v and (best < 0 or sizes[c] < sizes[best]):
                best = c
        if best < 0:
            return False
        colors[v] = best
        sizes[best] += 1
    return True


@compiled
def level(
    indptr: Ints,
    indices: Ints,
    colors: Ints,
    sizes: Ints,
    allowed: Allowed,
    draws: Ints,
    state: Ints,
    steps: int,
) -> bool:
    """Make the classes more equal, until their sizes differ by at most one or no way is found.

    First every node goes to the smallest class that is free to it and smaller by two. Then nodes
    go along chains of classes. Where there is no chain, two classes exchange a part in which they
    touch, of random nodes and classes, as often as there are draws ``[tries, 2]``; only a proper
    coloring may have any.

    Args:
        state: Whether to look at every node again, and the draws that were used: ``[1, 0]`` at
            first. It can go on from there.
        steps: The most of all these, each in time of ``m + n k``.

    Returns:
        Whether there is a reason to go on.
    """
    while sizes.max() - sizes.min() > 1:
        if steps == 0:
            return True
        steps -= 1
        if state[0] > 0:
            state[0] = even_out(indptr, indices, colors, sizes, allowed)
            continue
        if shift(indptr, indices, colors, sizes, allowed):
            continue
        if state[1] == len(draws):
            break
        v, c = draws[state[1], 0] % len(colors), draws[state[1], 1] % len(sizes)
        state[0] = int(exchange(indptr, indices, colors, sizes, allowed, v, c))
        state[1] += 1
    return False


@compiled
def even_out(indptr: Ints, indices: Ints, colors: Ints, sizes: Ints, allowed: Allowed) -> int:
    """Each node goes to the smallest class without a neighbor of it, if smaller by two: moves."""
    k, moves = len(sizes), 0
    mark = np.full(k, -1)
    for v in range(len(colors)):
        own = colors[v]
        best = own
        for e in range(indptr[v], indptr[v + 1]):
            mark[colors[indices[e]]] = v
        for c in range(k):
            free = mark[c] != v and (len(allowed) == 0 or allowed[v, c])
            if free and sizes[c] < sizes[best]:
                best = c
        if sizes[best] <= sizes[own] - 2:
            colors[v] = best
            sizes[own] -= 1
            sizes[best] += 1
            moves += 1
    return moves


@compiled
def shift(indptr: Ints, indices: Ints, colors: Ints, sizes: Ints, allowed: Allowed) -> bool:
    """One node less in a largest class, one more in a class that is smaller by two or more.

    A node may go to a class in which it has no neighbor, and make room there for one that goes on.
    The shortest such chain is looked for, class by class: ``O(n k + m)``, mostly much less.
    """
    n, k, high = len(colors), len(sizes), sizes.max()
    first = np.zeros(k + 1, np.int64)
    first[1:] = np.cumsum(sizes)
    follow, members = first[:-1].copy(), np.empty(n, np.int64)
    for v in range(n):
        members[follow[colors[v]]] = v
        follow[colors[v]] += 1
    came = np.full(k, -1)  # who goes into the class
    queue, unseen = np.empty(k, np.int64), np.empty(k, np.int64)
    tail, count = 0, 0
    for c in range(k):
        if sizes[c] == high:
            queue[tail] = c
            tail += 1
        else:
            unseen[count] = c
            count += 1
    head, mark = 0, np.full(k, -1)
    while head < tail and count > 0:
        c = queue[head]
        head += 1
        for i in range(first[c], first[c + 1]):
            v = members[i]
            for e in range(indptr[v], indptr[v + 1]):
                mark[colors[indices[e]]] = v
            at = 0
            while at < count:
                to = unseen[at]
                if mark[to] == v or (len(allowed) > 0 and not allowed[v, to]):
                    at += 1
                    continue
                came[to] = v
                if sizes[to] <= high - 2:
                    sizes[to] += 1
                    while came[to] >= 0:
                        v = came[to]
                        colors[v], to = to, colors[v]
                    sizes[to] -= 1
                    return True
                count -= 1
                unseen[at] = unseen[count]
                queue[tail] = to
                tail += 1
    return False


@compiled
def exchange(
    indptr: Ints, indices: Ints, colors: Ints, sizes: Ints, allowed: Allowed, v: int, c: int
) -> bool:
    """Exchange the colors of v's class and of c in the part around v where the two classes touch.

    (Kempe 1879.) Of a proper coloring only. Not done, and False, where it makes the larger of both
    classes larger, or gives a node a color that it may not have.
    """
    own = colors[v]
    if own == c:
        return False
    part = [v]
    colors[v] = c
    gain, at = np.int64(1), 0  # nodes that go from own to c, less those that come back
    fine = len(allowed) == 0 or allowed[v, c]
    while at < len(part):
        w = part[at]
        at += 1
        for e in range(indptr[w], indptr[w + 1]):
            u = indices[e]
            # those of the part have the other color already: a neighbor with the same is outside
            if colors[u] == colors[w]:
                part.append(u)
                gain += 1 if colors[u] == own else -1
                colors[u] = own if colors[u] == c else c
                fine = fine and (len(allowed) == 0 or allowed[u, colors[u]])
    if not fine or max(sizes[own] - gain, sizes[c] + gain) > max(sizes[own], sizes[c]):
        for w in part:
            colors[w] = own if colors[w] == c else c
        return False
    sizes[own] -= gain
    sizes[c] += gain
    return True


@compiled
def cut(
    indptr: Ints, indices: Ints, colors: Ints, sizes: Ints, allowed: Allowed, most: int
) -> bool:
    """Make no class larger than ``most``: nodes that add few conflicts go where there is room.

    Returns:
        Whether that was possible.
    """
    n, k = len(colors), len(sizes)
    near = np.zeros(k, np.int64)
    while sizes.max() > most:
        least, who, where = n, -1, -1
        for v in range(n):
            if sizes[colors[v]] <= most:
                continue
            near[:] = 0
            for e in range(indptr[v], indptr[v + 1]):
                near[colors[indices[e]]] += 1
            for c in range(k):
                may = sizes[c] < most and (len(allowed) == 0 or allowed[v, c])
                if may and near[c] - near[colors[v]] < least:
                    least, who, where = near[c] - near[colors[v]], v, c
        if who < 0:
            return False
        sizes[colors[who]] -= 1
        sizes[where] += 1
        colors[who] = where
    return True


@compiled
def spill(
    indptr: Ints,
    indices: Ints,
    colors: Ints,
    sizes: Ints,
    allowed: Allowed,
    most: int,
    clashes: int,
) -> None:
    """Look at every node once, in time of ``m + n k``: one of a class above ``most`` goes to the
    class with room where it has the fewest neighbors, if they are no more than ``clashes``."""
    k = len(sizes)
    near = np.zeros(k, np.int64)
    for v in range(len(colors)):
        if sizes[colors[v]] <= most:
            continue
        near[:] = 0
        for e in range(indptr[v], indptr[v + 1]):
            near[colors[indices[e]]] += 1
        best = -1
        for c in range(k):
            may = sizes[c] < most and near[c] <= clashes and (len(allowed) == 0 or allowed[v, c])
            if may and (best < 0 or near[c] < near[best]):
                best = c
        if best >= 0:
            sizes[colors[v]] -= 1
            sizes[best] += 1
            colors[v] = best
