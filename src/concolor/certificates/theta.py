r"""What an embedding certifies: upper bounds of Lovász's θ of the complement, with their lift.

``ω(G) <= ϑ(Ḡ) <= χ(G)``. Unit vectors that are nearly orthogonal on edges bound ϑ(Ḡ) from above,
hence also the size of cliques. They prove neither that k colors are enough nor that k are needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import softmax

from concolor.certificates.rounding import UNIT, Array, blocks, dot_ends, dot_rows, gamma
from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.goal import Clock
from concolor.graph.core import Graph, IntArray

SHARPNESS = (4.0, 16.0, 64.0, 256.0, 1024.0)  # of the smoothed maximum, annealed
STARTS = 4  # random handles tried beside the principal axis


@dataclass(frozen=True)
class Geometry:
    """How good an embedding is as a certificate; bounds are in floating point.

    Attributes:
        eps: ε, the largest ``|<v_i, v_j>|`` on an edge.
        alpha: α, the smallest ``|<r, v_i>|``.
        delta: δ, the largest distance of a vector to its color's prototype, up to sign; None
            without a coloring, or with more colors than dimensions.
        lemma: ``(1 + Δε) / α²``.
        sharper: ``max_i (1 + Σ_{j∈N(i)} |<v_i, v_j>|) / <r, v_i>²``, never above the lemma's.
        corollary: ``(1 + Δε) / (k^-½ - δ)²``; None where δ is, infinite for ``δ >= k^-½``.
    """

    eps: float
    alpha: float
    delta: float | None
    lemma: float
    sharper: float
    corollary: float | None


def measure(z: Array, r: Array, graph: Graph, coloring: Coloring | None = None) -> Geometry:
    """ε, α, δ and the bounds of vectors ``z [n, d]`` with the handle ``r [d]``, scaled to length 1.

    >>> from concolor.graph.families import family
    >>> z, r = prototypes(Coloring(family("cycle:4"), np.array([0, 1, 0, 1])))
    >>> found = measure(z, r, family("cycle:4"))
    >>> found.eps, round(found.lemma, 9), round(found.sharper, 9)
    (0.0, 2.0, 2.0)
    """
    z = unit_rows(z, graph)
    r = unit_handle(r, z)
    if coloring is not None and coloring.graph.digest != graph.digest:
        raise InputError(f"the coloring is of {coloring.graph}, not of {graph}")
    overlaps = np.abs(_inner(z, graph))
    eps = float(np.max(overlaps, initial=0.0))
    alpha = float(np.min(np.abs(z @ r), initial=1.0))
    blur = 1 + int(graph.degrees.max(initial=0)) * eps
    delta = None if coloring is None else prototype_distance(z, coloring.colors)
    corollary = None
    if coloring is not None and delta is not None:
        margin = coloring.k**-0.5 - delta
        corollary = blur / margin**2 if margin > 0 else math.inf
    return Geometry(
        eps=eps,
        alpha=alpha,
        delta=delta,
        lemma=blur / alpha / alpha if alpha > 0 else math.inf,
        sharper=_reached(1 + _sum_on_nodes(overlaps, graph), z, r),
        corollary=corollary,
    )


def handle_bound(z: Array, r: Array, graph: Graph) -> float:
    """``max_i (1 + Σ_{j∈N(i)} |<v_i, v_j>|) / <r, v_i>²`` in floating point, for unit vectors."""
    return _reached(_blurs(z, graph), z, r)


def handle_bound_safe(z: Array, r: Array, graph: Graph) -> float:
    r"""A number that is proved to be at least the handle bound of these very floats.

    Nothing needs to be of unit length: the lift of any vectors with any handle gives

    .. math:: \vartheta(\bar G) \le |r|^2 \max_i
              \Bigl(|v_i|^2 + \sum_{j \in N(i)} |\langle v_i, v_j \rangle|\Bigr)
              / \langle r, v_i \rangle^2

    Every inner product carries its error, and all is rounded outwards. The square in the quotient
    is never formed: it could underflow where the quotient is of ordinary size.
    """
    inner, error = dot_ends(z, graph.edges)
    overlap = np.abs(inner) + error
    squares, square_error = dot_rows(z, z)
    reach, reach_error = dot_rows(z, np.broadcast_to(r, z.shape))
    length, length_error = dot_rows(r[None], r[None])
    near = np.maximum(np.abs(reach) - reach_error, 0.0)
    blur = squares + square_error + _sum_on_nodes(overlap, graph)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        worst = float(np.max((blur / near) * ((length + length_error) / near), initial=0.0))
    slack = gamma(int(graph.degrees.max(initial=0))) + 16 * UNIT
    return worst * (1 + slack) if math.isfinite(worst) else math.inf


def best_handle(
    z: Array,
    graph: Graph,
    *,
    coloring: Coloring | None = None,
    seed: int = 0,
    clock: Clock | None = None,
) -> Array:
    """A unit ``r [d]`` with a small :func:`handle_bound`, the vectors ``z [n, d]`` being fixed.

    L-BFGS on the logarithm of the bound with its maximum smoothed, from the principal axis of the
    lines, from random directions and, where a coloring is given, from the sum of its prototypes.
    Once the clock is over, the best of what there is.
    """
    z, clock, rng = unit_rows(z, graph), clock or Clock(), np.random.default_rng(seed)
    blurs = _blurs(z, graph)
    starts = [np.linalg.eigh(z.T @ z)[1][:, -1], *rng.normal(size=(STARTS, z.shape[1]))]
    if coloring is not None and coloring.k <= z.shape[1]:
        starts.append(_fitted_prototypes(z, coloring.colors)[0].sum(axis=0))
    handles = [_descend(start, z, np.log(blurs), clock) for start in starts]
    return min(handles, key=lambda r: _reached(blurs, z, r))


def lift(z: Array, graph: Graph) -> sp.csr_array:
    r"""The orthogonal representation ``[n, d + m]`` of the lemma's proof, rows of unit length.

    Edge ``e = (a, b)`` has a coordinate of its own: ``√|s_e|`` at a, ``-sgn(s_e) √|s_e|`` at b,
    with ``s_e = <v_a, v_b>``. It takes away just the inner product that a and b have too much.
    """
    z = unit_rows(z, graph)
    (u, v), s = graph.edges.T, _inner(z, graph)
    root, column = np.sqrt(np.abs(s)), np.arange(graph.m)
    entries = (np.r_[root, -np.sign(s) * root], (np.r_[u, v], np.r_[column, column]))
    extra = sp.coo_array(entries, shape=(graph.n, graph.m))
    rows = sp.hstack([sp.csr_array(z), extra], format="csr")
    scale = 1 / np.sqrt(_blurs(z, graph) - 1 + np.einsum("ij,ij->i", z, z))
    return (sp.diags_array(scale) @ rows).tocsr()


def prototypes(coloring: Coloring) -> tuple[Array, Array]:
    """Orthonormal prototypes ``[n, k]`` of a coloring, and a handle; if proper, ``θ <= k``."""
    _, place = np.unique(coloring.colors, return_inverse=True)
    k = max(coloring.k, 1)
    return np.eye(k)[place], np.full(k, k**-0.5)


def unit_rows(z: Array, graph: Graph) -> Array:
    """``z`` as float64 with rows of length 1; refuses what is no embedding of the graph."""
    rows = np.asarray(z, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[0] != graph.n:
        raise InputError(f"the embedding must have shape [n={graph.n}, d], got {rows.shape}")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths == 0).any():
        raise InputError("every row of the embedding must be finite and not zero")
    return np.asarray(rows / lengths)


def unit_handle(r: Array, z: Array) -> Array:
    """``r`` as float64 of length 1; refuses what is no handle of the rows ``z [n, d]``."""
    handle = np.asarray(r, dtype=np.float64)
    if handle.shape != z.shape[1:]:
        raise InputError(f"the handle must have shape [d={z.shape[1]}], got {handle.shape}")
    length = np.linalg.norm(handle)
    if not (np.isfinite(length) and length > 0):
        raise InputError("the handle must be finite and not zero")
    return np.asarray(handle / length)


def _inner(z: Array, graph: Graph) -> Array:
    """``<v_i, v_j>`` for every edge ``[m]``."""
    found = np.empty(graph.m)
    for part in blocks(graph.m, z.shape[1]):
        u, v = graph.edges[part].T
        found[part] = np.einsum("ij,ij->i", z[u], z[v])
    return found


def _blurs(z: Array, graph: Graph) -> Array:
    """``1 + Σ_{j∈N(i)} |<v_i, v_j>|`` for every node ``[n]``: the squared length after the lift."""
    return 1 + _sum_on_nodes(np.abs(_inner(z, graph)), graph)


def _reached(blurs: Array, z: Array, r: Array) -> float:
    """``max_i blurs_i / <r, v_i>²``."""
    with np.errstate(divide="ignore"):
        return float(np.max(blurs / (z @ r) ** 2, initial=0.0))


def _sum_on_nodes(on_edges: Array, graph: Graph) -> Array:
    u, v = graph.edges.T
    ends = np.bincount(u, on_edges, graph.n) + np.bincount(v, on_edges, graph.n)
    return np.asarray(ends, np.float64)


def _descend(start: Array, z: Array, blurs: Array, clock: Clock) -> Array:
    """Minimize ``max_i blurs_i + log |r|² - 2 log |<r, v_i>|`` with sharper and sharper softmax."""
    r = start / np.linalg.norm(start)
    for sharpness in SHARPNESS:
        if clock.is_over:
            break
        r = minimize(_smoothed, r, (z, blurs, sharpness), "L-BFGS-B", jac=True).x
        r = r / np.linalg.norm(r)
    return np.asarray(r)


def _smoothed(r: Array, z: Array, blurs: Array, sharpness: float) -> tuple[float, Array]:
    reach = z @ r
    reach = np.where(reach < 0, -1.0, 1.0) * np.maximum(np.abs(reach), 1e-12)
    heights = blurs + np.log(r @ r) - 2 * np.log(np.abs(reach))
    top = heights.max(initial=0.0)
    value = top + np.log(np.exp(sharpness * (heights - top)).sum()) / sharpness
    share = softmax(sharpness * heights)
    return float(value), 2 * r / (r @ r) - 2 * z.T @ (share / reach)


def prototype_distance(z: Array, colors: IntArray) -> float | None:
    """δ for prototypes fitted to ``z``, None where the dimensions are too few for them."""
    if len(np.unique(colors)) > z.shape[1]:
        return None
    q, place = _fitted_prototypes(z, colors)
    cosines = np.abs(np.einsum("ij,ij->i", z, q[place]))
    return float(np.sqrt(np.max(2 - 2 * np.minimum(cosines, 1.0), initial=0.0)))


def _fitted_prototypes(z: Array, colors: IntArray) -> tuple[Array, IntArray]:
    """Orthonormal ``q [k, d]`` nearest to the principal axes of the color classes."""
    _, place = np.unique(colors, return_inverse=True)
    order = np.argsort(place, kind="stable")
    ends = np.r_[0, np.cumsum(np.bincount(place))]
    axes = [np.linalg.svd(z[order[a:b]], full_matrices=False)[2][0] for a, b in pairwise(ends)]
    left, _, right = np.linalg.svd(np.array(axes), full_matrices=False)
    return left @ right, place
