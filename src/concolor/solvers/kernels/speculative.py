"""First fit by two threads that do not look at each other, and what they must do again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

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
    now = seen[-1]
    for v in nodes:
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
