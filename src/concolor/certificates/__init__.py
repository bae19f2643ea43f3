"""Bounds with witnesses: cliques, edge weights, vectors, and a verifier that trusts none of them.

``ω(G) <= ϑ(Ḡ) <= χ(G)``; :func:`certify` bounds both θ and χ from both sides. No torch here.
"""

from concolor.certificates.certificate import Certificate, Vectors
from concolor.certificates.search import certify, certify_many
from concolor.certificates.spectral import hoffman
from concolor.certificates.theta import (
    Geometry,
    Sides,
    best_handle,
    exact_theta,
    lift,
    measure,
    prototypes,
    sharpen,
)
from concolor.certificates.verify import Refused, Verified, verify
from concolor.graph.cliques import largest_clique

__all__ = [
    "Certificate",
    "Geometry",
    "Refused",
    "Sides",
    "Vectors",
    "Verified",
    "best_handle",
    "certify",
    "certify_many",
    "exact_theta",
    "hoffman",
    "largest_clique",
    "lift",
    "measure",
    "prototypes",
    "sharpen",
    "verify",
]
