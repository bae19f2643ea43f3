r"""The weighted Hoffman bound: edge weights that prove a lower bound of θ and χ.

For every symmetric W that is zero off the edges of G (Hoffman 1970; Lovász 1979, Theorem 6),

.. math:: 1 - \lambda_{\max}(W) / \lambda_{\min}(W) \le \vartheta(\bar G) \le \chi(G)

and the best W attains θ. Weights are arrays ``[m]`` in the order of ``graph.edges``; where they
come from does not matter, the bound needs two eigenvalues.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from concolor.certificates.rounding import DENSE, UNIT, Array, defect, sum_products
from concolor.graph.core import Graph

LARGE = 20_000  # nodes with weights, above which no bound is claimed
SLACKS = (1e-14, 1e-12, 1e-10, 1e-8, 1e-6)  # relative shifts under the smallest eigenvalue


def hoffman(graph: Graph, weights: Array) -> float:
    """``1 - λmax(W) / λmin(W)`` in floating point, with no account of its error; at least 1.

    >>> from concolor.graph.families import family
    >>> round(hoffman(family("petersen"), np.ones(15)), 9)
    2.5
    """
    matrix = weighted(graph, weights)
    if matrix.nnz == 0:
        return 1.0
    low, x = _extremes(matrix)
    return max(1.0, 1 - float(x @ (matrix @ x)) / low) if low < 0 else 1.0


def hoffman_safe(graph: Graph, weights: Array) -> float:
    r"""A number that is proved to be at most ``1 - λmax(W) / λmin(W)`` for these very floats.

    ``λmax`` is at least any Rayleigh quotient, summed with its error; ``-λmin <= c + δ`` where
    ``W + cI`` lacks at most δ to be positive semidefinite, see
    :func:`~concolor.certificates.rounding.defect`. Where nothing can be proved the bound is 1.
    """
    matrix = weighted(graph, weights)
    if matrix.nnz == 0 or not np.isfinite(weights).all() or matrix.shape[0] > LARGE:
        return 1.0
    low, x = _extremes(matrix)
    upper = sp.triu(matrix).tocoo()
    value, error = sum_products(upper.data, x[upper.row], x[upper.col])
    norm, norm_error = sum_products(x, x)
    if not (value > error and low < 0):
        return 1.0
    high = 2 * (value - error) / (norm + norm_error)
    identity = sp.eye_array(matrix.shape[0], format="csr")
    for slack in SLACKS:
        shift = -low * (1 + slack)
        depth = shift + defect(matrix + shift * identity)
        if math.isfinite(depth):
            return max(1.0, (1 + high / depth) * (1 - 16 * UNIT))
    return 1.0


def weighted(graph: Graph, weights: Array) -> sp.csr_array:
    """W as CSR, without the nodes whose weights are all zero: they add eigenvalues 0 only."""
    used = np.flatnonzero(weights)
    nodes, ends = np.unique(graph.edges[used], return_inverse=True)
    u, v = ends.reshape(-1, 2).T
    half = sp.coo_array((weights[used], (u, v)), shape=(len(nodes), len(nodes))).tocsr()
    return (half + half.T).tocsr()


def from_multipliers(graph: Graph, on_edges: Array, on_nodes: Array) -> Array:
    r"""The best of a few ``W = D^{-1/2} Λ D^{-1/2}``, ``D = diag(μ + f / n)``.

    At the optimum of :mod:`~concolor.certificates.polish`, ``diag(μ) + Λ/2 >= 0`` and this W
    attains θ; before it, the floor f keeps nodes with a tiny μ from ruining ``λmin``.

    Args:
        graph: Any graph with edges.
        on_edges: Multipliers λ ``[m]`` of ``1 + <y_u, y_v> = 0``.
        on_nodes: Multipliers μ ``[n]`` of ``|y_i|^2 <= s``; they sum to 1.
    """
    u, v = graph.edges.T
    floors = (1e-2, 1e-4) if graph.n > DENSE else (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
    roots = [1 / np.sqrt(on_nodes + floor / graph.n) for floor in floors]
    choices = [on_edges * root[u] * root[v] for root in roots]
    best = max(choices, key=lambda weights: hoffman(graph, weights))
    return _rounded(best)


def _rounded(weights: Array) -> Array:
    """Largest weight 1, nine decimals: short in a file, and these floats are the witness."""
    return np.asarray(np.round(weights / (np.abs(weights).max() or 1.0), 9) + 0.0)


def _extremes(matrix: sp.csr_array) -> tuple[float, Array]:
    """An estimate of ``λmin``, and an eigenvector of ``λmax`` (zeros where none is found)."""
    n = matrix.shape[0]
    try:
        if n <= DENSE:
            dense = matrix.toarray()
            low = scipy.linalg.eigh(dense, eigvals_only=True, subset_by_index=[0, 0])
            _, vectors = scipy.linalg.eigh(dense, subset_by_index=[n - 1, n - 1])
        else:
            start = np.random.default_rng(0).normal(size=n)  # fixed, so that runs agree
            low = spla.eigsh(matrix, 1, which="SA", v0=start, return_eigenvectors=False, tol=1e-9)
            _, vectors = spla.eigsh(matrix, 1, which="LA", v0=start, tol=1e-9)
    except (scipy.linalg.LinAlgError, spla.ArpackError):
        return 0.0, np.zeros(n)
    return float(low[0]), vectors[:, 0]
