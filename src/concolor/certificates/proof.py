"""What the search found joins the certificate once it is proved, rounding errors included."""

from __future__ import annotations

import math
from dataclasses import replace

from concolor.certificates.certificate import MARGIN, Certificate, Vectors
from concolor.certificates.rounding import DENSE, WORK, Array
from concolor.certificates.spectral import ROUGH, hoffman_safe
from concolor.certificates.theta.bounds import measure
from concolor.certificates.theta.sides import Sides

PACE = 3e7  # products of entries of a sparse factor in a second, at least
VECTOR_PACE = 2e8  # products of entries of vectors in a second, at least


def with_embedding(found: Certificate, z: Array, r: Array) -> Certificate:
    """How unit rows ``z [n, d]`` with the handle ``r [d]`` measure up, and what they prove.

    A handle that misses one of them proves nothing; then they are measured only.
    """
    raw = Vectors.of("embedding", z, r, found.graph)
    return replace(
        found,
        vectors=(raw,) if math.isfinite(raw.bound) else (),
        embedding=measure(z, r, found.graph, found.coloring),
    )


def with_weights(found: Certificate, sides: Sides, seconds: float = math.inf) -> Certificate:
    """The lower side, where its weights prove more than the clique in about so many seconds."""
    graph, size = found.graph, len(found.clique)
    error = 2 * ROUGH if graph.n > DENSE else 0.0  # of the estimate that the search made
    if sides.lower <= size * (1 - error):
        return found
    work = min(WORK, PACE * seconds)
    bound = hoffman_safe(graph, sides.weights, work=work) * (1 - MARGIN)
    return replace(found, weights=sides.weights, hoffman=bound) if bound > size else found


def with_vectors(found: Certificate, sides: Sides, seconds: float = math.inf) -> Certificate:
    """The upper side, where its vectors prove more than is known, in about so many seconds."""
    known, products = found.theta_upper, found.graph.m * sides.z.shape[1]
    if sides.upper >= known or products > VECTOR_PACE * seconds:
        return found
    made = Vectors.of("sharpened", sides.z, sides.r, found.graph)
    return replace(found, vectors=(*found.vectors, made)) if made.bound < known else found
