"""The compiled loops of :mod:`concolor.solvers.balance`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

Ints = NDArray[np.int64]


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
def level(indptr: Ints, indices: Ints, colors: Ints, sizes: Ints, draws: Ints) -> None:
    """Make the classes of a proper coloring more equal, until their sizes differ by at most one.

    Where no chain of moves does it, two classes exchange a part in which they touch, of random
    nodes and classes; it gives up when the draws ``[tries, 2]`` are used up.
    """
    used = 0
    while sizes.max() - sizes.min() > 1:
        if shift(indptr, indices, colors, sizes):
            continue
        if used == len(draws):
            break
        v, c = draws[used, 0] % len(colors), draws[used, 1] % len(sizes)
        exchange(indptr, indices, colors, sizes, v, c)
        used += 1


@compiled
def shift(indptr: Ints, indices: Ints, colors: Ints, sizes: Ints) -> bool:
    """One node less in a largest class, one more in a class that is smaller by two or more.

    A node may go to a class in which it has no neighbor, and make room there for one that goes on.
    The shortest such chain is looked for, class by class: ``O(n + m + k^2)``, mostly much less.
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
                if mark[to] == v:
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
def exchange(indptr: Ints, indices: Ints, colors: Ints, sizes: Ints, v: int, c: int) -> None:
    """Exchange the colors of v's class and of c in the part around v where the two classes touch.

    (Kempe 1879.) Not done where it makes the larger of both classes larger.
    """
    own = colors[v]
    if own == c:
        return
    part = [v]
    colors[v] = c
    gain, at = np.int64(1), 0  # nodes that go from own to c, less those that come back
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
    if max(sizes[own] - gain, sizes[c] + gain) > max(sizes[own], sizes[c]):
        for w in part:
            colors[w] = own if colors[w] == c else c
        return
    sizes[own] -= gain
    sizes[c] += gain
