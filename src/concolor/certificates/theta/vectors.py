"""Vectors on the nodes of a graph: unit rows, their handle, and the prototypes of a coloring."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from concolor.certificates.rounding import Array
from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.core import Graph, IntArray


def unit_rows(z: Array, graph: Graph) -> Array:
    """``z [n, d]`` as float64 with rows of length 1; refuses what does not embed the graph."""
    rows = np.asarray(z, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[0] != graph.n:
        raise InputError(f"the embedding must have shape [n={graph.n}, d], got {rows.shape}")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    wrong = np.flatnonzero(~np.isfinite(lengths) | (lengths == 0))
    if len(wrong):
        raise InputError(
            f"every row of the embedding must be finite and not zero; row {wrong[0]} has length "
            f"{lengths[wrong[0], 0]}"
        )
    return np.asarray(rows / lengths)


def unit_handle(r: Array, z: Array) -> Array:
    """``r [d]`` as float64 of length 1; refuses what is not a handle of ``z [n, d]``."""
    handle = np.asarray(r, dtype=np.float64)
    if handle.shape != z.shape[1:]:
        raise InputError(f"the handle must have shape [d={z.shape[1]}], got {handle.shape}")
    length = np.linalg.norm(handle)
    if not (np.isfinite(length) and length > 0):
        raise InputError(f"the handle must be finite and not zero; its length is {length}")
    return np.asarray(handle / length)


def prototypes(coloring: Coloring) -> tuple[Array, Array]:
    """Orthonormal prototypes ``[n, k]`` of a coloring, and a handle; if proper, ``θ <= k``."""
    _, place = np.unique(coloring.colors, return_inverse=True)
    k = max(coloring.k, 1)
    return np.eye(k)[place], np.full(k, k**-0.5)


def prototype_distance(z: Array, colors: IntArray) -> float | None:
    """δ for prototypes fitted to ``z``, None where the dimensions are too few for them."""
    if len(np.unique(colors)) > z.shape[1]:
        return None
    q, place = fitted_prototypes(z, colors)
    cosines = np.abs(np.einsum("ij,ij->i", z, q[place]))
    return float(np.sqrt(np.max(2 - 2 * np.minimum(cosines, 1.0), initial=0.0)))


def fitted_prototypes(z: Array, colors: IntArray) -> tuple[Array, IntArray]:
    """Orthonormal ``q [k, d]`` nearest to the principal axes of the color classes, and the row of
    q that belongs to each node ``[n]``."""
    _, place = np.unique(colors, return_inverse=True)
    order = np.argsort(place, kind="stable")
    ends = np.r_[0, np.cumsum(np.bincount(place))]
    axes = [np.linalg.svd(z[order[a:b]], full_matrices=False)[2][0] for a, b in pairwise(ends)]
    left, _, right = np.linalg.svd(np.array(axes), full_matrices=False)
    return left @ right, place
