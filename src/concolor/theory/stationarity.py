r"""Stationary prototypes: the loss on collapsed embeddings, its weights, the Clarke condition.

A collapsed embedding puts the nodes of color i at one prototype :math:`q_i`. All formulas here are
those of the paper divided by :math:`e^{1/\tau}`, above and below: nothing overflows at small tau.
Weights are kept as logarithms: they underflow there, and their ratios decide what is stationary.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import lsq_linear

from concolor.graph.core import IntArray
from concolor.theory.counts import Counts
from concolor.theory.sphere import Floats, checked_unit_rows, positive, tangent


def prototype_loss(counts: Counts, q: ArrayLike, tau: float) -> float:
    r"""The absolute loss :math:`F^\star(q)` of the collapsed embedding :math:`h_v = q_{c(v)}`.

    .. math::
        F^\star(q) = \frac1n \sum_v -\frac{e^{1/\tau}}{A_v}, \quad
        A_v = e^{1/\tau} + \sum_{j \ne i} d_{v,j}\, e^{|\langle q_i, q_j \rangle|/\tau}, \ v \in V_i

    Args:
        counts: The :math:`d_{v,j}` of a graph and its coloring; no more of it is needed.
        q: One unit row for each used color ``[k, d]``.
    """
    q, tau = _checked(counts, q), positive(tau)
    return float(-(1 / _denominators(counts, _exponents(q, tau))).mean())


def weights(counts: Counts, q: ArrayLike, tau: float) -> Floats:
    r"""The symmetric :math:`w_{ij} \ge 0` of the stationarity equations, ``[k, k]``.

    .. math::
        w_{ij} = \frac{e^{(1 + |\langle q_i, q_j \rangle|)/\tau}}{n \tau} \Bigl(
            \sum_{v \in V_i} \frac{d_{v,j}}{A_v^2} + \sum_{u \in V_j} \frac{d_{u,i}}{A_u^2} \Bigr)

    It is the derivative of :math:`F^\star` by :math:`|\langle q_i, q_j \rangle|`.
    """
    return np.exp(_log_weights(counts, _checked(counts, q), positive(tau)))


def prototype_subgradient(counts: Counts, q: ArrayLike, tau: float) -> Floats:
    r"""One Clarke subgradient of :math:`F^\star`, ``[k, d]``: rows
    :math:`\sum_{j \ne i} w_{ij}\, \mathrm{sign}\langle q_i, q_j \rangle\, q_j`, with sign 0 = 0.
    """
    q = _checked(counts, q)
    return np.asarray((weights(counts, q, tau) * np.sign(q @ q.T)) @ q)


@dataclass(frozen=True, eq=False)
class Stationarity:
    r"""How close prototypes are to a Clarke-Riemannian stationary point of :math:`F^\star`.

    Attributes:
        residual: The smallest length of the tangential
            :math:`\bigl(P_{q_i^\perp} \sum_j w_{ij} \xi_{ij} q_j\bigr)_i` over all allowed xi; 0
            iff q is stationary.
        scale: Frobenius norm of the weights, what the residual is to be compared with.
        relative: The residual divided by the scale, 0 without edges. It is right also at a tau so
            small that both underflow.
        xi: Symmetric ``[k, k]`` that attains it: in [-1, 1] where neighboring colors are
            orthogonal, else the sign of :math:`\langle q_i, q_j \rangle`; 0 where no edge joins.
        subgradient: The shortest Riemannian subgradient ``[k, d]``; its opposite is the direction
            of steepest descent, with slope ``-residual**2``.
        tol: See :func:`stationarity`.
    """

    residual: float
    scale: float
    relative: float
    xi: Floats
    subgradient: Floats
    tol: float

    @property
    def is_stationary(self) -> bool:
        """The residual is at most ``tol`` of the scale."""
        return self.relative <= self.tol


def stationarity(counts: Counts, q: ArrayLike, tau: float, *, tol: float = 1e-6) -> Stationarity:
    r"""Decide the Clarke condition: are there :math:`\xi_{ij} = \xi_{ji} \in \Xi_{ij}(q)` with

    .. math:: P_{q_i^\perp} \Bigl( \sum_{j \ne i} w_{ij}\, \xi_{ij}\, q_j \Bigr) = 0
        \quad \text{for every } i?

    The residual is linear in xi and the free xi lie in a box: a bounded least-squares problem.
    It decides both directions, since :math:`F^\star` is an increasing smooth function of the
    regular :math:`|\langle q_i, q_j \rangle|`, for which the chain rule is an equality.

    Args:
        tol: Inner products up to this size count as 0; also what the residual may be, relative to
            the scale of the weights.
    """
    q = _checked(counts, q)
    log_w, inner = _log_weights(counts, q, positive(tau)), q @ q.T
    joined = np.isfinite(log_w)
    top = float(log_w.max()) if joined.any() else 0.0
    unit, w = math.exp(top), np.exp(log_w - top)  # the weights are unit * w, the largest w is 1
    i, j = np.argwhere(np.triu(joined, 1)).T
    free = np.abs(inner[i, j]) <= tol
    xi = np.zeros_like(w)
    xi[i, j] = np.where(free, 0, np.sign(inner[i, j]))
    xi += xi.T

    i, j = i[free], j[free]
    if len(i):
        pulls = _pulls(q, w, i, j).reshape(len(i), -1).T
        fixed = tangent(q, (w * xi) @ q)  # [k, d]
        xi[i, j] = xi[j, i] = lsq_linear(pulls, -fixed.ravel(), (-1, 1), method="bvls", tol=1e-15).x
    shortest = tangent(q, (w * xi) @ q)
    length, scale = float(np.linalg.norm(shortest)), float(np.linalg.norm(w))
    return Stationarity(
        residual=unit * length,
        scale=unit * scale,
        relative=length / max(scale, 1.0),  # the scale is above 1, or 0 without edges
        xi=xi,
        subgradient=unit * shortest,
        tol=tol,
    )


def _pulls(q: Floats, w: Floats, i: IntArray, j: IntArray) -> Floats:
    """What one unit of each free xi adds to the tangential residual, ``[f, k, d]``."""
    pair, inner = np.arange(len(i)), np.einsum("fd,fd->f", q[i], q[j])[:, None]
    pulls = np.zeros((len(i), *q.shape))
    pulls[pair, i] = w[i, j, None] * (q[j] - inner * q[i])
    pulls[pair, j] = w[i, j, None] * (q[i] - inner * q[j])
    return pulls


def _checked(counts: Counts, q: ArrayLike) -> Floats:
    return checked_unit_rows(q, counts.k, f"prototypes of {counts.k} colors")


def _exponents(q: Floats, tau: float) -> Floats:
    r""":math:`(|\langle q_i, q_j \rangle| - 1)/\tau`, ``[k, k]``, none of it above 0."""
    return np.asarray(np.minimum(np.abs(q @ q.T) - 1, 0) / tau)


def _denominators(counts: Counts, exponents: Floats) -> Floats:
    r""":math:`A_v e^{-1/\tau}`, ``[n]``."""
    parts = counts.count * np.exp(exponents[counts.group[counts.node], counts.color])
    return np.asarray(1 + np.bincount(counts.node, parts, counts.n))


def _log_weights(counts: Counts, q: Floats, tau: float) -> Floats:
    r""":math:`\log w_{ij}`, ``[k, k]``: minus infinity where no edge joins the colors."""
    exponents = _exponents(q, tau)
    squares = _denominators(counts, exponents)[counts.node] ** 2
    half = counts.by_pair(counts.count / squares)
    with np.errstate(divide="ignore"):
        return np.asarray(exponents + np.log((half + half.T) / (counts.n * tau)))
