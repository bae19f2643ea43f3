"""First fit by two threads that do not look at each other, and what they must do again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled, prefetch

Ints = NDArray[np.int64]
Small = NDArray[np.int32]

SIDE = 1 << 24  # added to the colors that one of the threads gave in this round: SIDE or 2 SIDE


@compiled
def guess(indptr: Ints, indices: Ints, nodes: Ints, colors: Small, side: int, seen: Small) -> None:
    """Give each node the first color that is free, as far as one side knows.

    It knows the colors of earlier rounds and its own. Those of the other side may come at any time
    or not, so they are not looked at: the result does not depend on who is faster.

    Args:
        nodes: Those of this side, in their order.
        colors: ``[n]``; -1 without a color. The new ones are marked by ``side``.
        side: ``SIDE`` or ``2 * SIDE``.
        seen: Zeros, a place for every color that may be the first free one, and one more that
            counts the nodes: a node may come twice.
    """
    now, n = seen[-1], len(nodes)
    for i in range(n):
        if i + 12 < n:  # as first fit does
            prefetch(indptr, nodes[i + 12])
            prefetch(indices, indptr[nodes[i + 8]])
            for e in range(indptr[nodes[i + 4]], indptr[nodes[i + 4] + 1]):
                prefetch(colors, indices[e])
        v = nodes[i]
        now += 1
        for e in range(indptr[v], indptr[v + 1]):
            c = colors[indices[e]]
            if c >= side and c - side < SIDE:
                seen[c - side] = now
            elif 0 <= c < SIDE:
                seen[c] = now
        c = 0
        while seen[c] == now:
            c += 1
        colors[v] = c + side
    seen[-1] = now


@compiled
def clash(
    indptr: Ints, indices: Ints, nodes: Ints, colors: Small, again: NDArray[np.bool_]
) -> None:
    """Say of each node of the second side whether a node of the first has the same color."""
    for i in range(len(nodes)):
        v = nodes[i]
        again[i] = False
        for e in range(indptr[v], indptr[v + 1]):
            if colors[indices[e]] + SIDE == colors[v]:
                again[i] = True
                break


@compiled
def settle(nodes: Ints, colors: Small, again: NDArray[np.bool_], waiting: Ints) -> int:
    """Take the marks off; nodes to color again lose theirs, and are listed: how many they are."""
    count = 0
    for i in range(len(nodes)):
        v = nodes[i]
        if again[i]:
            colors[v] = -1
            waiting[count] = v
            count += 1
        else:
            colors[v] %= SIDE
    return count


@compiled
def touched(indptr: Ints, indices: Ints, bounds: Ints, own: int) -> NDArray[np.uint64]:
    """Of each node of a block, the other blocks that it has neighbors in: bit b for block b.

    Block b has the nodes ``bounds[b]..bounds[b + 1] - 1``.
    """
    first, last = bounds[own], bounds[own + 1]
    found = np.zeros(last - first, np.uint64)
    for v in range(first, last):
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if u < first or u >= last:
                block = np.searchsorted(bounds, u, side="right") - 1
                found[v - first] |= np.uint64(1) << np.uint64(block)
    return found


@compiled
def losers(
    indptr: Ints, indices: Ints, nodes: Ints, colors: Small, seed: int, again: NDArray[np.bool_]
) -> None:
    """Say of each node whether a neighbor of the same color goes before it.

    Who goes before whom is drawn once, by a number that is mixed from node and seed; every block
    comes to the same verdict.
    """
    for i in range(len(nodes)):
        v = nodes[i]
        own = lot(v, seed)
        again[i] = False
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if colors[u] == colors[v]:
                other = lot(u, seed)
                if other < own or (other == own and u < v):
                    again[i] = True
                    break


@compiled
def lot(node: int, seed: int) -> np.uint64:
    """A number that looks drawn: the finalizer of SplitMix64 (Steele, Lea and Flood 2014)."""
    x = np.uint64(node) + np.uint64(seed + 1) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
