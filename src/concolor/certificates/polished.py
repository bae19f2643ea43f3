"""``Polished``: both sides of θ as a polish knows them, each with its witness."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from concolor.certificates.rounding import Array
from concolor.certificates.spectral import hoffman
from concolor.certificates.theta import handle_bound
from concolor.graph.core import Graph


@dataclass(frozen=True)
class Polished:
    """What a polish ends with; bounds are in floating point.

    Attributes:
        z: Unit rows ``[n, d']``; the given ones where nothing better was found.
        r: Their handle ``[d']``.
        upper: Their handle bound.
        weights: Edge weights ``[m]`` for the Hoffman bound.
        lower: Their Hoffman bound.
    """

    z: Array
    r: Array
    upper: float
    weights: Array
    lower: float

    def or_vectors(self, y: Array, graph: Graph) -> Polished:
        """With ``x_i = (1, y_i)``, ``y [n, d]``, and the handle ``e_0``, if these prove more."""
        x = np.c_[np.ones(graph.n), y]
        z = x / np.linalg.norm(x, axis=1, keepdims=True)
        r = np.eye(1, z.shape[1])[0]
        upper = handle_bound(z, r, graph)
        return replace(self, z=z, r=r, upper=upper) if upper < self.upper else self

    def or_weights(self, weights: Array, graph: Graph) -> Polished:
        """With these edge weights ``[m]``, if they prove more."""
        lower = hoffman(graph, weights)
        return replace(self, weights=weights, lower=lower) if lower > self.lower else self
