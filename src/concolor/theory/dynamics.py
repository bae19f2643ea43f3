r"""Without unit norms: prototypes that grow like :math:`\sqrt{\log t}` and turn to a max margin.

Prototypes ``w [k, d]`` of an equitable coloring, free to grow, with :math:`r_{ij} > 0` on the
active pairs. Pairs are ordered: (i, j) and (j, i) have margins of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import nnls

from concolor.errors import InputError
from concolor.graph.core import IntArray
from concolor.theory.counts import Counts
from concolor.theory.equitable import equitable
from concolor.theory.sphere import Floats, positive


def margins(w: Floats, pairs: IntArray) -> Floats:
    r""":math:`m_{ij}(w) = |w_i|^2 - |\langle w_i, w_j \rangle|` of every pair ``[p]``.

    Args:
        w: Prototypes ``[k, d]``, any lengths.
        pairs: Ordered pairs of colors ``[p, 2]``.
    """
    a, b = w[pairs[:, 0]], w[pairs[:, 1]]
    return np.asarray((a * a).sum(1) - np.abs((a * b).sum(1)))


def margin_loss(counts: Counts, w: ArrayLike, tau: float) -> float:
    r"""The loss of free prototypes of an equitable coloring:

    .. math:: \Psi(w) = \sum_i \frac{|V_i|}{n}
        \Bigl[ -\frac{1}{1 + \sum_{j \ne i} r_{ij}\, e^{-m_{ij}(w)/\tau}} \Bigr]
    """
    return _Problem.of(counts, tau).loss(_free_rows(w, counts.k))


@dataclass(frozen=True, eq=False)
class Dynamics:
    r"""A run of :func:`max_margin`, looked at at some times.

    Attributes:
        log_time: log t ``[s]``, from 0 on.
        rho: The norm :math:`\rho(t) = |w(t)|` ``[s]``.
        mu: The margins :math:`\mu_{ij}(\bar w) = m_{ij}(w) / \rho^2` ``[s, p]``.
        pairs: The active ordered pairs ``[p, 2]``.
        w: The prototypes at the end ``[k, d]``.
        tau: The temperature.
    """

    log_time: Floats
    rho: Floats
    mu: Floats
    pairs: IntArray
    w: Floats
    tau: float

    @property
    def margin(self) -> Floats:
        """The smallest margin at every time ``[s]``: what the dynamics maximizes."""
        return np.asarray(self.mu.min(axis=1))

    @property
    def separated(self) -> bool:
        """Whether all margins ended up positive; where not, the theorem does not apply."""
        return bool(self.margin[-1] > 0)

    @property
    def growth(self) -> float:
        r"""The slope of :math:`\rho^2` over log t in the second half of log time.

        The tail :math:`e^{-\rho^2 \mu/\tau}` is of order 1/t, so it tends to :math:`\tau / \mu`.
        """
        late = self.log_time >= self.log_time[-1] / 2
        return float(np.polyfit(self.log_time[late], self.rho[late] ** 2, 1)[0])


def max_margin(
    counts: Counts,
    w: ArrayLike,
    tau: float,
    *,
    step: float = 0.02,
    steps: int = 5000,
    samples: int = 200,
) -> Dynamics:
    r"""Gradient descent on :math:`\Psi` from time 1 on, with steps that grow with time.

    The step at time t is :math:`\varepsilon t`, the same step in log t all along, so that times
    come into reach at which :math:`\sqrt{\log t}` can be told from a constant; it is
    shortened where it would be longer than :math:`\varepsilon |w|`. Tails and their products
    with t are kept as logarithms: nothing underflows, however late, or overflows, however negative
    the margins.

    Separability is an assumption of the theorem and not a consequence: with fewer dimensions than
    colors a prototype can be caught at 0, where its margins stay (see ``separated``), and
    log t then hardly moves.

    Args:
        counts: Of an equitable coloring with at least one edge.
        w: Start ``[k, d]``, any lengths but all 0.
        step: :math:`\varepsilon`.
        steps: How many; log t at the end is at most ``steps * log(1 + step)``.
        samples: How many of them are looked at.
    """
    if not 0 < step < 1 or not 2 <= samples <= steps:
        raise InputError(
            f"dynamics needs 0 < step < 1 and 2 <= samples <= steps, got step {step}, "
            f"samples {samples}, steps {steps}"
        )
    problem, w = _Problem.of(counts, tau), _free_rows(w, counts.k)
    seen = set(np.linspace(0, steps, samples).round().astype(int).tolist())
    log_time, at, rho, mu = 0.0, [], [], []
    for number in range(steps + 1):
        length = float(np.linalg.norm(w))
        if number in seen:
            at.append(log_time)
            rho.append(length)
            mu.append(margins(w, problem.pairs) / length**2)
        move = problem.gradient(w, log_scale=log_time)  # t times the gradient
        part = step * min(1.0, length / max(float(np.linalg.norm(move)), 1e-300))
        if number < steps:
            w = w - part * move
            log_time += float(np.log1p(part))
    return Dynamics(np.array(at), np.array(rho), np.array(mu), problem.pairs, w, problem.tau)


def kkt_residual(w: ArrayLike, pairs: IntArray, *, tol: float) -> float:
    r"""How far ``w [k, d]`` is from a stationary point of
    :math:`\max_{|w| = 1} \min_{(i,j)} \mu_{ij}(w)`: 0 iff it is one.

    That is the length of the shortest convex combination of the tangential gradients of the
    smallest margins. At a kink :math:`\langle w_i, w_j \rangle = 0` both gradients take part.

    Args:
        pairs: Active ordered pairs ``[p, 2]``.
        tol: Margins up to ``tol`` above the smallest count as smallest, inner products up to
            ``tol`` as 0, for w scaled to norm 1.
    """
    rows = _free_rows(w)
    unit = np.asarray(rows / np.linalg.norm(rows))
    mu = margins(unit, pairs)
    gradients = _margin_gradients(unit, pairs[mu <= mu.min() + tol], tol)  # [g, k d]
    flat = unit.ravel()
    slopes = gradients - np.outer(gradients @ flat, flat)
    heavy = 1e4  # holds the sum of the multipliers at 1, up to 1e-8
    left = np.vstack([slopes.T, np.full(len(slopes), heavy)])
    multipliers, _ = nnls(left, np.append(np.zeros(len(flat)), heavy))
    return float(np.linalg.norm(multipliers @ slopes) / multipliers.sum())


def _margin_gradients(w: Floats, pairs: IntArray, tol: float) -> Floats:
    """The gradients of the margins of the pairs, both of them at kinks, ``[g, k d]``."""
    i, j = pairs.T
    inner = (w[i] * w[j]).sum(1)
    kink = np.abs(inner) <= tol
    sign = np.concatenate([np.where(kink, 1, np.sign(inner)), -np.ones(kink.sum())])[:, None]
    i, j = np.concatenate([i, i[kink]]), np.concatenate([j, j[kink]])
    gradients, row = np.zeros((len(i), *w.shape)), np.arange(len(i))
    gradients[row, i] = 2 * w[i] - sign * w[j]
    gradients[row, j] = -sign * w[i]
    return gradients.reshape(len(i), -1)


@dataclass(frozen=True, eq=False)
class _Problem:
    """The active pairs ``[p, 2]`` with r ``[p]``, the shares ``|V_i| / n [k]``, and tau."""

    pairs: IntArray
    r: IntArray
    share: Floats
    tau: float

    @classmethod
    def of(cls, counts: Counts, tau: float) -> _Problem:
        r = equitable(counts)
        if r is None or not r.any():
            raise InputError(
                "the max-margin dynamics is about equitable colorings of graphs with edges; this "
                + ("graph has no edges" if r is not None else "coloring is not equitable")
            )
        pairs = np.argwhere(r > 0)
        return cls(pairs, r[tuple(pairs.T)], counts.sizes / counts.n, positive(tau))

    def log_tails(self, w: Floats) -> Floats:
        """``log(r_ij) - m_ij / tau`` of every pair ``[p]``."""
        return np.asarray(np.log(self.r) - margins(w, self.pairs) / self.tau)

    def log_sums(self, log_tails: Floats) -> Floats:
        """``log(1 + Gamma_i)``, with ``Gamma_i`` the sum of the tails of color i, ``[k]``."""
        sums = np.zeros(len(self.share))
        np.logaddexp.at(sums, self.pairs[:, 0], log_tails)
        return sums

    def loss(self, w: Floats) -> float:
        return float(-(self.share * np.exp(-self.log_sums(self.log_tails(w)))).sum())

    def gradient(self, w: Floats, log_scale: float = 0.0) -> Floats:
        """``exp(log_scale)`` times the gradient ``[k, d]``, with sign 0 at kinks."""
        i, j = self.pairs.T
        tails = self.log_tails(w)
        slopes = np.exp(log_scale + tails - 2 * self.log_sums(tails)[i])  # t tail / (1 + Gamma)^2
        force = self.share[i] * slopes / self.tau
        cross = np.zeros((len(w), len(w)))
        cross[i, j] = force * np.sign((w[i] * w[j]).sum(1))
        own = np.bincount(i, force, len(w))[:, None]
        return np.asarray((cross + cross.T) @ w - 2 * own * w)


def _free_rows(w: ArrayLike, k: int | None = None) -> Floats:
    w = np.asarray(w, np.float64)
    fits = w.ndim == 2 and k in (None, len(w))
    if not fits or not np.isfinite(w).all() or not w.any():
        raise InputError(
            f"prototypes must be finite, not all 0, with shape [{k or 'k'}, d], got {w.shape}"
        )
    return w
