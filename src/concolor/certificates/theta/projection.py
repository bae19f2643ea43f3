r"""θ of graphs with up to a thousand nodes from both sides, by projections onto a cone.

With ``X = tI + K``, K zero on edges and diagonal, and Z its multiplier (Lovász 1979),

.. math:: \vartheta(\bar G) = \min_{t, K} t \;\text{ with }\; Y = X - J \succeq 0
          \;=\; \max_Z \langle J, Z \rangle \;\text{ with }\; Z \succeq 0, \;
          \mathrm{tr} Z = 1, \; Z_{ij} = 0 \text{ off the edges}

The boundary point method (Povh, Rendl and Wiegele 2006) alternates between X, in closed form, and
(Y, Z), the two halves of one spectrum. Z soon gives good edge weights. ``Y = (<y_i, y_j>)`` is only
nearly -1 on edges, and a bound adds up what all edges of a node miss; so Newton's method makes the
vectors meet all conditions, at a level slightly above.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TypeAlias

import numpy as np
import scipy.linalg
import scipy.sparse.linalg as spla
from numpy.typing import NDArray

from concolor.certificates.rounding import Array
from concolor.certificates.spectral import from_multipliers
from concolor.certificates.theta.pairs import Pairs
from concolor.certificates.theta.sides import Sides
from concolor.goal import Clock
from concolor.graph.core import Graph

Single: TypeAlias = NDArray[np.float32]

ROUNDS = 400  # projections, at most
FIRST, REST = 10, 5  # projections before the first look at the sides, and between looks at least
AIM = 0.9  # of the gap: the level that Newton's method is to reach
SPARE, SHAKE = 16, 10.0  # dimensions to move in, and how far they are shaken per gap


def by_projection(
    best: Sides, graph: Graph, *, gap: float, rng: np.random.Generator, clock: Clock
) -> Iterator[Sides]:
    """Better and better sides; the vectors of ``best`` are to be beaten, not begun from."""
    pairs, state = Pairs(graph), _BoundaryPoint(graph, best.lower)
    search = Clock(None if clock.limit is None else 0.7 * clock.left)  # and the rest for Newton
    after = FIRST
    for count in range(1, ROUNDS + 1):
        state.step()
        is_last = search.is_over or count == ROUNDS
        if count < after and not is_last:
            continue
        after = count + max(REST, count // 5)
        state.rebalance()
        weights = from_multipliers(graph, *state.multipliers, floors=(state.error,))
        best = best.or_weights(weights, graph)
        level = max(best.lower * (1 + AIM * gap), state.theta if is_last else 0.0) - 1
        if level + 1 >= state.theta:
            shake = SHAKE * gap * math.sqrt(level / SPARE) * rng.normal(size=(graph.n, SPARE))
            y = np.c_[state.vectors, shake.astype(np.float32)]
            with np.errstate(all="ignore"):  # a step that diverges is not kept
                y = _corrected(y, level, pairs, enough=best.lower * (1 + gap), clock=clock)
            best = best.or_vectors(y.astype(np.float64), graph)
        yield best
        if is_last:
            return


RELAXATION = 1.8  # of the step, below 2
BALANCE, STRETCH = 4.0, 1.5  # the penalty follows the larger of two errors


class _BoundaryPoint:
    """X - J, Y and Z ``[n, n]``, in single precision: what they prove is measured in double.

    Z is kept divided by the penalty σ, which begins at ``1 / 4nθ``, about as large as Z beside Y;
    Y begins at zero, Z at the one of equal edge weights.
    """

    def __init__(self, graph: Graph, theta: float) -> None:
        self.graph, self.sigma = graph, 1 / (4 * graph.n * theta)
        self.edges = graph.adjacency().toarray().astype(np.float32)
        one = np.eye(graph.n, dtype=np.float32)
        self.free = 1 - self.edges - one
        low = scipy.linalg.eigvalsh(self.edges, subset_by_index=[0, 0])[0]
        self.x, self.y = np.zeros_like(one), np.zeros_like(one)
        self.z = (one - self.edges / low) / np.float32(self.sigma * graph.n)

    def step(self) -> None:
        """X in closed form, then Y and Z from the spectrum of ``X - J - Z/σ`` (over-relaxed)."""
        self.x = self.y + self.z
        trace = float(self.x.trace()) / self.graph.n  # J and the trace of Z are put in by hand
        self.level = 1 + trace - 1 / (self.sigma * self.graph.n)
        self.x *= self.free
        self.x -= self.edges
        np.fill_diagonal(self.x, self.level - 1)
        mixed = RELAXATION * self.x
        mixed += (1 - RELAXATION) * self.y
        mixed -= self.z
        self.values, self.axes = scipy.linalg.eigh(mixed, driver="evd", check_finite=False)
        self.last, above = self.y, self.values > 0
        if 2 * above.sum() < len(above):  # the half with fewer dimensions is multiplied out
            rows = self.axes[:, above] * np.sqrt(self.values[above])
            self.y = rows @ rows.T
            self.z = self.y - mixed
        else:
            rows = self.axes[:, ~above] * np.sqrt(-self.values[~above])
            self.z = rows @ rows.T
            self.y = mixed + self.z

    def rebalance(self) -> None:
        """Let the penalty follow the larger of the errors of Y and Z."""
        ahead = self.error / (_size(self.y - self.last) / _size(self.z))
        stretch = STRETCH if ahead > BALANCE else 1 / STRETCH if ahead < 1 / BALANCE else 1.0
        self.sigma *= stretch
        self.z /= np.float32(stretch)

    @property
    def error(self) -> float:
        """How far X - J and Y are apart."""
        return _size(self.x - self.y) / _size(self.y)

    @property
    def theta(self) -> float:
        """An estimate of θ: the larger of t and ``<J, Z>``."""
        trace = max(float(self.z.trace()), 1e-30)
        return max(self.level, 1 + float(np.vdot(self.edges, self.z)) / trace)

    @property
    def multipliers(self) -> tuple[Array, Array]:
        """λ = 2 Z on edges ``[m]`` and μ = Z on nodes ``[n]``, as of trace 1."""
        u, v = self.graph.edges.T
        nodes = np.maximum(self.z.diagonal().astype(np.float64), 0.0)
        total = max(nodes.sum(), 1e-30)
        return 2 * self.z[u, v].astype(np.float64) / total, nodes / total

    @property
    def vectors(self) -> Single:
        """Rows ``y [n, d]`` with ``Y = (<y_i, y_j>)``, in no more dimensions than may be needed."""
        width = math.isqrt(2 * (self.graph.n + self.graph.m)) + 2
        rows = self.axes * np.sqrt(np.maximum(self.values, 0.0))  # values ascend
        return np.asarray(rows[:, -min(width, int((self.values > 0).sum())) or None :])


def _size(matrix: Single) -> float:
    return max(float(np.linalg.norm(matrix)), 1e-30)


STEPS = 16  # of Newton's method, at most
NEARLY = 0.9  # of the level: longer rows are held at it, shorter ones are free


def _corrected(y: Single, level: float, pairs: Pairs, *, enough: float, clock: Clock) -> Single:
    r"""Newton's method on ``1 + <y_u, y_v> = 0`` and, for long rows, ``|y_i|^2 = level``.

    There are fewer equations than unknowns, and of all steps the shortest is taken: it is
    ``(Q + diag(q)) y`` with Q on the edges, found by conjugate gradients on ``(Q, q) [m + n]``.
    The best rows on the way are returned, at once where they bound θ by ``enough``.
    """
    n, ones, best, least = len(y), np.ones((len(y), 1), np.float32), y, math.inf
    for _ in range(STEPS):
        misses, squares = 1 + pairs.inner(y, y) / 2, np.einsum("ij,ij->i", y, y)
        bound = float((1 + squares + pairs.spread(np.abs(misses), ones)[:, 0]).max())
        if bound < least:
            best, least = y, bound
        if least <= enough or not math.isfinite(bound) or clock.is_over:
            break
        held = squares > NEARLY * level

        def step(q: Single, y: Single = y, held: Single = held) -> Single:
            return np.asarray(pairs.spread(q[:-n], y) + (held * q[-n:])[:, None] * y)

        def normal(q: Single, y: Single = y, held: Single = held) -> Single:
            moved = step(q)
            along = held * np.einsum("ij,ij->i", moved, y)
            return np.asarray(np.r_[pairs.inner(moved, y), along])

        target = np.r_[-misses, held * (np.float32(level) - squares) / 2]
        y = y + step(_solution(normal, target, clock))
    return best


def _solution(times: Callable[[Single], Single], target: Single, clock: Clock) -> Single:
    """An x with ``times(x)`` near ``target``, for a symmetric positive semidefinite map."""
    x = np.zeros_like(target)

    def watch(reached: Single) -> None:
        nonlocal x
        x = reached
        if clock.is_over:  # one step may take a second
            raise StopIteration

    matrix = spla.LinearOperator((len(x), len(x)), matvec=times, dtype=x.dtype)
    with suppress(StopIteration):
        x, _ = spla.cg(matrix, target, rtol=0.1, atol=0.0, maxiter=200, callback=watch)
    return x
