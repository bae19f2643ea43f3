r"""What an embedding certifies: upper bounds of Lovász's θ of the complement, with their lift.

``ω(G) <= ϑ(Ḡ) <= χ(G)``. Unit vectors that are nearly orthogonal on edges bound ϑ(Ḡ) from above,
hence also the size of cliques. They prove neither that k colors are enough nor that k are needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from concolor.certificates.rounding import UNIT, Array, blocks, dot_ends, dot_rows, gamma, scaled
from concolor.certificates.theta.vectors import prototype_distance, unit_handle, unit_rows
from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.core import Graph


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

    >>> from concolor.certificates.theta.vectors import prototypes
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
        sharper=reached(1 + _sum_on_nodes(overlaps, graph), z, r),
        corollary=corollary,
    )


def handle_bound(z: Array, r: Array, graph: Graph) -> float:
    """``max_i (1 + Σ_{j∈N(i)} |<v_i, v_j>|) / <r, v_i>²`` in floating point, for unit vectors."""
    return reached(blurs(z, graph), z, r)


def handle_bound_safe(z: Array, r: Array, graph: Graph) -> float:
    r"""A number that is proved to be at least the handle bound of these very floats.

    Nothing needs to be of unit length: the lift of any vectors with any handle gives

    .. math:: \vartheta(\bar G) \le |r|^2 \max_i
              \Bigl(|v_i|^2 + \sum_{j \in N(i)} |\langle v_i, v_j \rangle|\Bigr)
              / \langle r, v_i \rangle^2

    Every inner product carries its error, and all is rounded outwards. Lengths cancel, so vectors
    and handle are scaled first; still the square in the quotient is never formed: it could
    underflow where one vector is much shorter than another.

    Args:
        z: Vectors ``[n, d]``.
        r: Handle ``[d]``.
        graph: The graph they embed.
    """
    z, r = scaled(z), scaled(r)
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
    scale = 1 / np.sqrt(blurs(z, graph) - 1 + np.einsum("ij,ij->i", z, z))
    return (sp.diags_array(scale) @ rows).tocsr()


def _inner(z: Array, graph: Graph) -> Array:
    """``<v_i, v_j>`` for every edge ``[m]``."""
    found = np.empty(graph.m)
    for part in blocks(graph.m, z.shape[1]):
        u, v = graph.edges[part].T
        found[part] = np.einsum("ij,ij->i", z[u], z[v])
    return found


def blurs(z: Array, graph: Graph) -> Array:
    """``1 + Σ_{j∈N(i)} |<v_i, v_j>|`` for every node ``[n]``: the squared length after the lift."""
    return 1 + _sum_on_nodes(np.abs(_inner(z, graph)), graph)


def reached(blurred: Array, z: Array, r: Array) -> float:
    """``max_i b_i / <r, v_i>²`` for ``b [n]`` as :func:`blurs` gives it."""
    with np.errstate(divide="ignore"):
        return float(np.max(blurred / (z @ r) ** 2, initial=0.0))


def _sum_on_nodes(on_edges: Array, graph: Graph) -> Array:
    """``Σ_{e∋i} q_e`` for every node ``[n]``, from ``q [m]``."""
    u, v = graph.edges.T
    ends = np.bincount(u, on_edges, graph.n) + np.bincount(v, on_edges, graph.n)
    return np.asarray(ends, np.float64)
