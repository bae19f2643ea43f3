"""The best handle of given vectors: the direction ``r`` in which they bound θ most tightly."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from concolor.certificates.rounding import Array
from concolor.certificates.theta.bounds import blurs, reached
from concolor.certificates.theta.vectors import fitted_prototypes, unit_rows
from concolor.coloring import Coloring
from concolor.goal import Clock
from concolor.graph.core import Graph


def best_handle(
    z: Array,
    graph: Graph,
    *,
    coloring: Coloring | None = None,
    starts: int = 4,
    seed: int = 0,
    clock: Clock | None = None,
) -> Array:
    """A unit ``r [d]`` with a small handle bound, the vectors ``z [n, d]`` being fixed.

    L-BFGS on the logarithm of :func:`~concolor.certificates.theta.bounds.handle_bound` with its
    maximum smoothed, from the principal axis of the lines, from random directions and, where a
    coloring is given, from the sum of its prototypes.

    Args:
        z: The vectors, scaled to length 1.
        graph: The graph they embed.
        coloring: Its prototypes are one more start, where the dimensions are enough for them.
        starts: Random directions to begin from.
        seed: Of the random directions.
        clock: Once it is over, the best of what there is.
    """
    z, clock, rng = unit_rows(z, graph), clock or Clock(), np.random.default_rng(seed)
    blurred = blurs(z, graph)
    directions = [np.linalg.eigh(z.T @ z)[1][:, -1], *rng.normal(size=(starts, z.shape[1]))]
    if coloring is not None and coloring.k <= z.shape[1]:
        directions.append(fitted_prototypes(z, coloring.colors)[0].sum(axis=0))
    handles = [_descend(start, z, np.log(blurred), clock) for start in directions]
    return min(handles, key=lambda r: reached(blurred, z, r))


def _descend(start: Array, z: Array, heights: Array, clock: Clock) -> Array:
    """Minimize ``max_i heights_i + log |r|² - 2 log |<r, v_i>|``, the maximum smoothed less and
    less."""
    r = start / np.linalg.norm(start)
    for sharpness in (4.0, 16.0, 64.0, 256.0, 1024.0):
        if clock.is_over:
            break
        r = minimize(_smoothed, r, (z, heights, sharpness), "L-BFGS-B", jac=True).x
        r = r / np.linalg.norm(r)
    return np.asarray(r)


def _smoothed(r: Array, z: Array, heights: Array, sharpness: float) -> tuple[float, Array]:
    """``log Σ_i exp(s h_i) / s`` with ``h_i = heights_i + log |r|² - 2 log |<r, v_i>|``, and its
    gradient ``[d]``."""
    reach = z @ r
    reach = np.where(reach < 0, -1.0, 1.0) * np.maximum(np.abs(reach), 1e-12)
    heights = heights + np.log(r @ r) - 2 * np.log(np.abs(reach))
    top = heights.max(initial=0.0)
    value = top + np.log(np.exp(sharpness * (heights - top)).sum()) / sharpness
    share = softmax(sharpness * heights)
    return float(value), 2 * r / (r @ r) - 2 * z.T @ (share / reach)
