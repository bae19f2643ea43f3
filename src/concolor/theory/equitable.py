"""Equitable colorings, and the collapsed manifold that descent does not leave under them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import ArrayLike

from concolor.errors import InputError
from concolor.graph.core import Graph, IntArray
from concolor.theory.bound import subgradient
from concolor.theory.counts import Counts, neighbor_counts
from concolor.theory.sphere import checked_unit_rows, descend
from concolor.theory.stationarity import prototype_subgradient


def equitable(counts: Counts) -> IntArray | None:
    r"""The matrix :math:`r_{ij}` ``[k, k]`` of an equitable coloring, None for any other.

    Equitable: every node of :math:`V_i` has exactly :math:`r_{ij}` neighbors in :math:`V_j`.
    By Cauchy-Schwarz that is :math:`|V_i| \sum_{v \in V_i} d_{v,j}^2 = (\sum_{v \in V_i}
    d_{v,j})^2`, in whole numbers.

    >>> from concolor.graph.families import family
    >>> from concolor.theory import neighbor_counts
    >>> equitable(neighbor_counts(family("bipartite:2x3"), [0, 0, 1, 1, 1])).tolist()
    [[0, 3], [2, 0]]
    >>> equitable(neighbor_counts(family("path:4"), [0, 1, 0, 1])) is None
    True
    """
    size = counts.sizes[:, None]
    total = counts.by_pair(counts.count).astype(np.int64)
    squares = counts.by_pair(counts.count**2).astype(np.int64)
    return total // size if (size * squares == total**2).all() else None


@dataclass(frozen=True)
class Invariance:
    r"""What projected subgradient descent on all nodes did to a collapsed start.

    Attributes:
        equitable: Whether the coloring is; then both numbers below are rounding errors.
        drift: The largest distance, over all steps, of a node from the first node of its color.
        mismatch: The largest distance, over all steps, of a node from the prototype that descends
            on :math:`F^\star` alone (:math:`\Phi^\star` of the paper where equitable).
    """

    equitable: bool
    drift: float
    mismatch: float


def invariance(
    graph: Graph, colors: ArrayLike, q: ArrayLike, tau: float, *, step: float, steps: int
) -> Invariance:
    r"""Descend from the collapsed embedding :math:`h_v = q_{c(v)}` and see whether it stays so.

    Beside it the prototypes descend on :math:`F^\star` with steps :math:`\eta / |V_i|`: the
    gradient by :math:`q_i` is the sum of those of the :math:`|V_i|` nodes at it, so a step
    :math:`\eta` of the nodes is a step in the metric that the collapsed manifold inherits. (The
    paper says "exactly descent for Phi", which holds in this metric; in the plain one only
    where all classes are of one size, up to a factor of time.)

    Args:
        q: One unit row for each used color ``[k, d]``.
        step: The step size :math:`\eta` of every node.
        steps: How many steps, at least 1.
    """
    if steps < 1 or not step > 0:
        raise InputError(f"descent needs a positive step and steps >= 1, got {step} and {steps}")
    counts = neighbor_counts(graph, colors)
    q = checked_unit_rows(q, counts.k, f"prototypes of {counts.k} colors")
    nodes = descend(
        q[counts.group], lambda z: subgradient(graph, colors, z, tau), repeat(step, steps)
    )
    own_steps = repeat(step / counts.sizes[:, None], steps)
    prototypes = descend(q, lambda p: prototype_subgradient(counts, p, tau), own_steps)
    _, first = np.unique(counts.group, return_index=True)
    drift = mismatch = 0.0
    for z, p in zip(nodes, prototypes, strict=True):
        apart = np.linalg.norm(z - z[first][counts.group], axis=1).max()
        drift = max(drift, float(apart))
        mismatch = max(mismatch, float(np.linalg.norm(z - p[counts.group], axis=1).max()))
    return Invariance(equitable(counts) is not None, drift, mismatch)
