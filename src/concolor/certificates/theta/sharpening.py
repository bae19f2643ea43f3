r"""Vectors and weights learned on one graph: θ from both sides at once.

With ``v_i`` scaled to ``<r, v_i> = 1``, that is ``x_i = (1, y_i)``, the sharper bound says
``max_i 1 + |y_i|² + Σ_{j∈N(i)} |1 + <y_i, y_j>|``: the exact penalty of

.. math:: \vartheta(\bar G) = \min_{y, s} 1 + s \quad \text{with} \quad
          |y_i|^2 \le s, \quad 1 + \langle y_i, y_j \rangle = 0 \text{ on edges}

(Lovász 1979; Karger, Motwani and Sudan 1998). Plain descent on a maximum of absolute values is
slow. Both methods used instead keep multipliers, and these are the other side: weights on the
edges, ascending to the best W of the Hoffman bound.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np

from concolor.certificates.rounding import Array
from concolor.certificates.spectral import hoffman
from concolor.certificates.theta.bounds import handle_bound
from concolor.certificates.theta.sides import Sides
from concolor.certificates.theta.vectors import unit_handle, unit_rows
from concolor.goal import Clock
from concolor.graph.core import Graph

GAP = 1e-3  # relative distance of the two sides at which they are sharp enough
PROJECTED = 1000  # nodes up to which a spectrum is affordable at every step


def sharpen(
    z: Array,
    r: Array,
    graph: Graph,
    *,
    weights: Array | None = None,
    gap: float = GAP,
    projected: int = PROJECTED,
    seed: int = 0,
    clock: Clock | None = None,
) -> Sides:
    """Improve vectors ``z [n, d]`` and handle ``r [d]`` until both sides of θ nearly meet.

    Args:
        z: The vectors to begin from, scaled to length 1; up to ``projected`` nodes only to be
            beaten (the problem is convex there). A graph without edges leaves them as they are.
        r: Their handle, scaled to length 1.
        graph: The graph they embed.
        weights: Edge weights ``[m]`` to begin from, where better ones than equal ones are known.
        gap: Done where ``upper <= lower (1 + gap)``.
        projected: Nodes up to which :mod:`~concolor.certificates.theta.projection` is the method;
            above it is :mod:`~concolor.certificates.theta.multipliers`.
        seed: Of the small shake that gets the vectors out of symmetric positions.
        clock: Ends the search early, with the best so far.

    >>> from concolor.coloring import Coloring
    >>> from concolor.certificates.theta.vectors import prototypes
    >>> from concolor.graph.families import family
    >>> g = family("cycle:5")
    >>> found = sharpen(*prototypes(Coloring(g, np.array([0, 1, 0, 1, 2]))), g)
    >>> found.lower <= 5**0.5 <= found.upper < 2.24
    True
    """
    z = unit_rows(z, graph)
    r, plain = unit_handle(r, z), np.ones(graph.m)
    best = Sides(z, r, handle_bound(z, r, graph), plain, hoffman(graph, plain))
    if weights is not None:
        best = best.or_weights(weights, graph)
    clock = clock or Clock()
    steps = sharper_sides(best, graph, gap=gap, projected=projected, seed=seed, clock=clock)
    return deque(steps, maxlen=1)[0]


def sharper_sides(
    best: Sides,
    graph: Graph,
    *,
    gap: float = GAP,
    projected: int = PROJECTED,
    seed: int = 0,
    clock: Clock,
) -> Iterator[Sides]:
    """Both sides, sharper and sharper from ``best`` on, until they nearly meet or time is over."""
    yield best
    if graph.m == 0 or clock.is_over or best.upper <= best.lower * (1 + gap):
        return
    from concolor.certificates.theta.multipliers import (
        by_multipliers,
    )  # imports numba, as the other
    from concolor.certificates.theta.projection import by_projection

    rng = np.random.default_rng(seed)
    if graph.n <= projected:
        steps = by_projection(best, graph, gap=gap, rng=rng, clock=clock)
    else:
        steps = by_multipliers(best, graph, rng=rng, clock=clock)
    for best in steps:
        yield best
        if best.upper <= best.lower * (1 + gap):
            return
