"""The compiled loop of the guided decoder. Only what runs it imports this file and so numba."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

Ints = NDArray[np.int64]


@compiled
def color_by_score(
    indptr: Ints,
    indices: Ints,
    order: Ints,
    scores: NDArray[np.float32],
    closed: NDArray[np.bool_],
    colors: Ints,
) -> bool:
    """DSATUR in which a node takes, of the colors that are free to it, the one it scores highest.

    Next is the node to which most colors are closed, ties to the one that comes first in ``order``
    (a permutation of all); a node may stand in the heap several times, the highest counts. Equal
    scores go to the smaller color. Where none of the k colors is free, the first free one beyond
    them is taken. ``O(n k + m log m)``.

    Args:
        indptr, indices: The graph in CSR form.
        scores: ``[n, k]``, k >= 1.
        closed: ``[n, room]`` all False, room >= k; will say which colors neighbors have.
        colors: ``[n]`` all -1, filled in place.

    Returns:
        Whether there was room for all colors; nothing is of use where not.
    """
    (n, k), room = scores.shape, closed.shape[1]
    rank = np.empty(n, np.int64)
    for i in range(n):
        rank[order[i]] = i
    count = np.zeros(n, np.int64)
    heap = [rank[v] for v in range(n)]
    heapify(heap)
    while len(heap) > 0:
        v = order[heappop(heap) % n]
        if colors[v] >= 0:
            continue
        best = -1
        for c in range(k):
            if not closed[v, c] and (best < 0 or scores[v, c] > scores[v, best]):
                best = c
        if best < 0:
            best = k
            while best < room and closed[v, best]:
                best += 1
            if best == room:
                return False
        colors[v] = best
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if colors[u] < 0 and not closed[u, best]:
                closed[u, best] = True
                count[u] += 1
                heappush(heap, rank[u] - count[u] * n)
    return True
