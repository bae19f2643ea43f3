"""A child of two colorings: their largest classes in turn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled


@compiled
def greedy_partition(
    first: NDArray[np.int64], second: NDArray[np.int64], k: int
) -> NDArray[np.int64]:
    """Greedy partition crossover (Galinier and Hao 1999).

    The largest class of the first parent becomes class 0 of the child, and its nodes are taken from
    both; the largest that is left of the second becomes class 1, and so on in turn, k times. Of
    equal classes it is the one with the lowest number.

    Args:
        first, second: Colors ``[n]`` in ``0..k-1``.

    Returns:
        The child ``[n]``; nodes that no class brought along have -1.
    """
    child = np.full(len(first), -1, np.int64)
    sizes = np.zeros((2, k), np.int64)
    for v in range(len(first)):
        sizes[0, first[v]] += 1
        sizes[1, second[v]] += 1
    for turn in range(k):
        giver = turn % 2
        largest = 0
        for c in range(1, k):
            if sizes[giver, c] > sizes[giver, largest]:
                largest = c
        giving = first if giver == 0 else second
        for v in range(len(first)):
            if giving[v] == largest and child[v] < 0:
                child[v] = turn
                sizes[0, first[v]] -= 1
                sizes[1, second[v]] -= 1
    return child
