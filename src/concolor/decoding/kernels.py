"""The compiled loops of :func:`~concolor.decoding.cluster.line_means`. Only what runs them imports
this file.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from concolor.compiled import compiled

Floats = NDArray[np.float32]
Clusters = NDArray[np.int32]
ROWS = 256  # points that are looked at together


@partial(compiled, fastmath=["reassoc", "contract", "arcp", "nsz"])
def assign_lines(z: Floats, centers: Floats, clusters: Clusters, moved: Floats) -> float:
    r"""The nearest line for every point, and each line one step nearer to the best of its points.

    ``clusters [n]`` and ``moved [k, d]`` are filled; a center without points stays.

    Returns:
        The cost :math:`\sum_v \min_j 1 - \langle z_v, c_j \rangle^2`.
    """
    n, d, k = len(z), z.shape[1], len(centers)
    across = np.ascontiguousarray(centers.T)
    gram = np.empty((ROWS, k), np.float32)
    moved[:] = 0
    cost = 0.0
    for a in range(0, n, ROWS):
        b = min(a + ROWS, n)
        np.dot(z[a:b], across, gram[: b - a])
        for v in range(a, b):
            near, best = np.float32(-1), 0
            for j in range(k):
                square = gram[v - a, j] * gram[v - a, j]
                if square > near:
                    near, best = square, j
            clusters[v] = best
            cost += float(max(np.float32(1) - near, np.float32(0)))
            pull, point, center = gram[v - a, best], z[v], moved[best]
            for i in range(d):
                center[i] += pull * point[i]
    for j in range(k):
        length = np.float32(0)
        for i in range(d):
            length += moved[j, i] * moved[j, i]
        if length > 0:
            moved[j] /= np.sqrt(length)
        else:
            moved[j] = centers[j]
    return cost


@compiled
def settle_lines(z: Floats, centers: Floats, clusters: Clusters, rounds: int, gain: float) -> float:
    """Assign and move by turns, until a round gains little; the centers are moved in place."""
    moved = np.empty_like(centers)
    cost = assign_lines(z, centers, clusters, moved)
    for _ in range(rounds):
        before = cost
        centers[:] = moved
        cost = assign_lines(z, centers, clusters, moved)
        if cost >= (1 - gain) * before:
            break
    return cost


@partial(compiled, fastmath=["reassoc", "contract", "arcp", "nsz"])
def spread_lines(z: Floats, drawn: NDArray[np.float64], centers: Floats) -> None:
    """Fill ``centers [k, d]`` with rows far apart, each drawn by its distance to those before.

    Args:
        drawn: ``[k]`` in 0..1, one for each.
    """
    n, d = z.shape
    apart = np.ones(n, np.float32)
    for j in range(len(centers)):
        left, chosen = drawn[j] * np.sum(apart), n - 1
        if left > 0:
            for v in range(n):
                left -= apart[v]
                if left < 0:
                    chosen = v
                    break
        else:  # all points are centers already
            chosen = min(int(drawn[j] * n), n - 1)
        last = centers[j]
        last[:] = z[chosen]
        for v in range(n):
            point, g = z[v], np.float32(0)
            for i in range(d):
                g += point[i] * last[i]
            apart[v] = min(apart[v], max(np.float32(1) - g * g, np.float32(0)))


@compiled
def cheapest_lines(
    z: Floats, drawn: NDArray[np.float64], rounds: int, gain: float
) -> tuple[Clusters, Floats]:
    """Clusters ``[n]`` and centers ``[k, d]`` of the cheapest start; ``drawn [starts, k]``."""
    n, k = len(z), drawn.shape[1]
    best = np.inf
    clusters, centers = np.zeros(n, np.int32), np.empty((k, z.shape[1]), np.float32)
    kept, found = clusters.copy(), centers.copy()
    for start in range(len(drawn)):
        spread_lines(z, drawn[start], centers)
        cost = settle_lines(z, centers, clusters, rounds, gain)
        if cost < best:
            best = cost
            kept[:], found[:] = clusters, centers
    return kept, found
