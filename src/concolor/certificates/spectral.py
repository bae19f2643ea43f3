r"""The weighted Hoffman bound: edge weights that prove a lower bound of θ and χ.

For every symmetric W that is zero off the edges of G (Hoffman 1970; Lovász 1979, Theorem 6),

.. math:: 1 - \lambda_{\max}(W) / \lambda_{\min}(W) \le \vartheta(\bar G) \le \chi(G)

and the best W attains θ. Weights are arrays ``[m]`` in the order of ``graph.edges``; where they
come from does not matter, the bound needs two eigenvalues.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from numpy.typing import ArrayLike

from concolor.certificates.rounding import DENSE, UNIT, WORK, Array, defect, scaled, sum_products
from concolor.errors import InputError
from concolor.graph.core import Graph

ROUGH = 1e-4  # relative error of estimated eigenvalues of large matrices


def hoffman(graph: Graph, weights: ArrayLike) -> float:
    """``1 - λmax(W) / λmin(W)`` in floating point, with no account of its error; at least 1.

    Args:
        graph: Any graph.
        weights: On its edges ``[m]``, finite.

    >>> from concolor.graph.families import family
    >>> round(hoffman(family("petersen"), np.ones(15)), 9)
    2.5
    """
    matrix = weighted(graph, _on_edges(weights, graph))
    if matrix.nnz == 0:
        return 1.0
    low, high = _range(matrix)
    return max(1.0, 1 - high / low) if low < 0 else 1.0


SLACKS = (1e-13, 1e-11, 1e-9, 1e-7)  # relative shifts under the smallest eigenvalue


def hoffman_safe(graph: Graph, weights: Array, *, work: float = WORK) -> float:
    r"""A number that is proved to be at most ``1 - λmax(W) / λmin(W)`` for these very floats.

    ``λmax`` is at least any Rayleigh quotient, summed with its error; ``-λmin <= c + δ`` where
    ``W + cI`` lacks at most δ to be positive semidefinite, see
    :func:`~concolor.certificates.rounding.defect`. Where nothing can be proved the bound is 1.

    Args:
        graph: Any graph.
        weights: On its edges ``[m]``.
        work: Products of entries that may be formed where W is large and sparse.
    """
    if not (np.isfinite(weights).all() and weights.any()):
        return 1.0
    matrix = weighted(graph, scaled(weights))
    low, x = _extremes(matrix, work)
    upper = sp.triu(matrix).tocoo()
    value, error = sum_products(upper.data, x[upper.row], x[upper.col])
    norm, norm_error = sum_products(x, x)
    if not (value > error and low < 0):
        return 1.0
    high = 2 * (value - error) / (norm + norm_error)
    identity = sp.eye_array(matrix.shape[0], format="csr")
    for slack in SLACKS:
        shift = -low * (1 + slack)
        depth = shift + defect(matrix + shift * identity, work=work)
        if math.isfinite(depth):
            return max(1.0, (1 + high / depth) * (1 - 16 * UNIT))
    return 1.0


def weighted(graph: Graph, weights: Array) -> sp.csr_array:
    """W as CSR, without the nodes whose weights are all zero: they add eigenvalues 0 only."""
    used = np.flatnonzero(weights)
    inside = np.zeros(graph.n, bool)
    inside[graph.edges[used]] = True
    place, size = np.cumsum(inside) - 1, int(inside.sum())
    u, v = place[graph.edges[used]].T
    half = sp.coo_array((weights[used], (u, v)), shape=(size, size)).tocsr()
    return (half + half.T).tocsr()


def from_multipliers(
    graph: Graph, on_edges: Array, on_nodes: Array, floors: Sequence[float]
) -> Array:
    r"""The best of a few ``W = D^{-1/2} Λ D^{-1/2}``, ``D = diag(μ + f / n)``.

    At the optimum of :mod:`~concolor.certificates.theta.sharpening`, ``diag(μ) + Λ/2 >= 0`` and
    this W attains θ; before it, the floor f keeps nodes with a tiny μ from ruining ``λmin``.

    Args:
        graph: Any graph with edges.
        on_edges: Multipliers λ ``[m]`` of ``1 + <y_u, y_v> = 0``.
        on_nodes: Multipliers μ ``[n]`` of ``|y_i|^2 <= s``; they sum to 1.
        floors: What is tried for f.
    """
    u, v = graph.edges.T
    roots = [1 / np.sqrt(on_nodes + floor / graph.n) for floor in floors]
    choices = [_rounded(on_edges * root[u] * root[v]) for root in roots]
    if len(choices) == 1:
        return choices[0]
    return max(choices, key=lambda weights: hoffman(graph, weights))


def _on_edges(weights: ArrayLike, graph: Graph) -> Array:
    """Weights as float64 ``[m]``; refuses anything but a finite number for every edge."""
    found = np.asarray(weights, dtype=np.float64)
    if found.shape != (graph.m,):
        raise InputError(f"the weights must have shape [m={graph.m}], got {found.shape}")
    if not np.isfinite(found).all():
        raise InputError(f"the weights must be finite, got {found[~np.isfinite(found)][0]}")
    return found


def _rounded(weights: Array) -> Array:
    """Largest weight 1, nine decimals: short in a file, and these floats are the witness."""
    return np.asarray(np.round(weights / (np.abs(weights).max() or 1.0), 9) + 0.0)


def _range(matrix: sp.csr_array) -> tuple[float, float]:
    """Estimates of ``λmin`` and ``λmax``, good to ``ROUGH`` on large matrices."""
    if matrix.shape[0] <= DENSE:
        values = scipy.linalg.eigvalsh(matrix.toarray())
        return float(values[0]), float(values[-1])
    return -_roughly_largest(-matrix), _roughly_largest(matrix)


def _extremes(matrix: sp.csr_array, work: float) -> tuple[float, Array]:
    """An estimate of ``λmin``, and an eigenvector of ``λmax``; zeros where none is found."""
    n = matrix.shape[0]
    if n > DENSE:
        low = -_largest(-matrix, work)[0]
        return low, _largest(matrix, work)[1] if low < 0 else np.zeros(n)
    try:
        dense = matrix.toarray()
        low = scipy.linalg.eigh(dense, eigvals_only=True, subset_by_index=[0, 0])
        _, vectors = scipy.linalg.eigh(dense, subset_by_index=[n - 1, n - 1])
    except scipy.linalg.LinAlgError:
        return 0.0, np.zeros(n)
    return float(low[0]), vectors[:, 0]


def _roughly_largest(matrix: sp.csr_array) -> float:
    """The largest eigenvalue of a large sparse matrix by Lanczos, 0 where it does not converge."""
    start = np.random.default_rng(0).normal(size=matrix.shape[0])  # fixed, so that runs agree
    try:
        found = spla.eigsh(matrix, 1, which="LA", v0=start, tol=ROUGH, return_eigenvectors=False)
    except spla.ArpackError:
        return 0.0
    return float(found[0])


def _largest(matrix: sp.csr_array, work: float) -> tuple[float, Array]:
    """The largest eigenvalue and its vector, precisely: Lanczos on ``(cI - W)^-1``, c close above.

    Neighboring eigenvalues of long cycles agree in many digits; the inverse tells them apart.
    """
    from concolor.certificates.elimination import eliminate  # imports numba

    n, nothing = matrix.shape[0], (0.0, np.zeros(matrix.shape[0]))
    shift = (1 + 10 * ROUGH) * _roughly_largest(matrix)
    found = eliminate((shift * sp.eye_array(n) - matrix).tocsr(), work) if shift > 0 else None
    if found is None:
        return nothing
    inverse = spla.LinearOperator((n, n), lambda b: -found.solve(b), dtype=np.float64)
    start = np.random.default_rng(0).normal(size=n)
    try:
        values, vectors = spla.eigsh(matrix, 1, sigma=shift, OPinv=inverse, v0=start, tol=1e-9)
    except spla.ArpackError:
        return nothing
    return float(values[0]), vectors[:, 0]
