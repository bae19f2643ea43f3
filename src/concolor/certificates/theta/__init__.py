"""Lovász's θ of the complement, from both sides: vectors from above, edge weights from below.

``ω(G) <= ϑ(Ḡ) <= χ(G)``. Only the two methods that sharpen the sides load numba, when they run.
"""

from concolor.certificates.theta.bounds import (
    Geometry,
    handle_bound,
    handle_bound_safe,
    lift,
    measure,
)
from concolor.certificates.theta.handle import best_handle
from concolor.certificates.theta.sdp import exact_theta
from concolor.certificates.theta.sharpening import sharpen, sharper_sides
from concolor.certificates.theta.sides import Sides
from concolor.certificates.theta.vectors import prototype_distance, prototypes, unit_rows

__all__ = [
    "Geometry",
    "Sides",
    "best_handle",
    "exact_theta",
    "handle_bound",
    "handle_bound_safe",
    "lift",
    "measure",
    "prototype_distance",
    "prototypes",
    "sharpen",
    "sharper_sides",
    "unit_rows",
]
