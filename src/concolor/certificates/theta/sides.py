"""``Sides``: both sides of θ as the search knows them, each with its witness."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from concolor.certificates.rounding import Array
from concolor.certificates.spectral import hoffman
from concolor.certificates.theta.bounds import handle_bound
from concolor.graph.core import Graph


@dataclass(frozen=True)
class Sides:
    """``lower <= ϑ(Ḡ) <= upper`` with witnesses; both bounds in floating point, not yet proved.

    Attributes:
        z: Unit rows ``[n, d]``.
        r: Their handle ``[d]``.
        upper: Their handle bound.
        weights: Edge weights ``[m]`` for the Hoffman bound.
        lower: Their Hoffman bound.
    """

    z: Array
    r: Array
    upper: float
    weights: Array
    lower: float

    def or_vectors(self, y: Array, graph: Graph) -> Sides:
        """With ``x_i = (1, y_i)``, ``y [n, d]``, and the handle ``e_0``, if these prove more."""
        x = np.c_[np.ones(graph.n), y]
        z = x / np.linalg.norm(x, axis=1, keepdims=True)
        r = np.eye(1, z.shape[1])[0]
        upper = handle_bound(z, r, graph)
        return replace(self, z=z, r=r, upper=upper) if upper < self.upper else self

    def or_weights(self, weights: Array, graph: Graph) -> Sides:
        """With these edge weights ``[m]``, if they prove more."""
        lower = hoffman(graph, weights)
        return replace(self, weights=weights, lower=lower) if lower > self.lower else self
