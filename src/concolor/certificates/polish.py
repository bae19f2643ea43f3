r"""Vectors and weights learned on one graph: θ from both sides at once.

With ``v_i`` scaled to ``<r, v_i> = 1``, that is ``x_i = (1, y_i)``, the sharper bound says
``max_i 1 + |y_i|² + Σ_{j∈N(i)} |1 + <y_i, y_j>|``: the exact penalty of

.. math:: \vartheta(\bar G) = \min_{y, s} 1 + s \quad \text{with} \quad
          |y_i|^2 \le s, \quad 1 + \langle y_i, y_j \rangle = 0 \text{ on edges}

(Lovász 1979; Karger, Motwani and Sudan 1998), in as many dimensions as a solution may need
(Burer and Monteiro 2003). Plain descent on a maximum of absolute values is slow; the method of
multipliers replaces both by smooth terms, and its multipliers are the other side: weights on the
edges, ascending to the best W of the Hoffman bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.optimize import OptimizeResult, minimize

from concolor.certificates.rounding import Array
from concolor.certificates.spectral import from_multipliers, hoffman
from concolor.certificates.theta import handle_bound
from concolor.graph.core import Graph
from concolor.solvers.goal import Clock

GAP = 2e-3  # relative distance of the two sides that ends the polish
ROUNDS = 60  # updates of the multipliers, at most
STEPS = 60  # of L-BFGS between them
STIFFEST = 16.0  # penalty, in units of 1/n; more would freeze the vectors before θ is reached
WIDEST = 64  # dimensions, at most
ENTRIES = 2**24  # of the vectors gathered on all edges, at most


@dataclass(frozen=True)
class Polished:
    """What a polish ends with.

    Attributes:
        z: Unit rows ``[n, d']``; the given ones where nothing better was found.
        r: Their handle ``[d']``.
        upper: Their handle bound, in floating point.
        weights: Edge weights ``[m]`` for the Hoffman bound.
        lower: Their Hoffman bound, in floating point.
    """

    z: Array
    r: Array
    upper: float
    weights: Array
    lower: float


def polish(
    z: Array,
    r: Array,
    graph: Graph,
    *,
    gap: float = GAP,
    seed: int = 0,
    clock: Clock | None = None,
) -> Polished:
    """Improve unit rows ``z [n, d]`` and handle ``r [d]`` until both sides of θ nearly meet.

    Args:
        z: The vectors to begin from; a graph without edges leaves them as they are.
        r: Their handle.
        graph: The graph they embed.
        gap: Done where ``upper <= lower (1 + gap)``.
        seed: Of the small shake that gets the vectors out of symmetric positions.
        clock: Ends the polish early, with the best so far.

    >>> from concolor.coloring import Coloring
    >>> from concolor.certificates.theta import prototypes
    >>> from concolor.graph.families import family
    >>> g = family("cycle:5")
    >>> found = polish(*prototypes(Coloring(g, np.array([0, 1, 0, 1, 2]))), g)
    >>> found.lower <= 5**0.5 <= found.upper < 2.24
    True
    """
    clock = clock or Clock()
    plain = np.ones(graph.m)
    best = Polished(z, r, handle_bound(z, r, graph), plain, hoffman(graph, plain))
    if graph.m == 0:
        return best
    state = _State(graph, _start(z, r, graph, np.random.default_rng(seed)))
    patience = 1 + graph.n // 200  # eigenvalues are looked at rarely where they are expensive
    for count in range(1, ROUNDS + 1):
        state.step(clock)
        best = _better(best, state.vectors, graph)
        last = clock.is_over or count == ROUNDS
        if last or count % patience == 0:
            best = _heavier(best, from_multipliers(graph, state.on_edges, state.on_nodes), graph)
        if last or best.upper <= best.lower * (1 + gap):
            break
    return best


class _State:
    """Vectors ``y [n, d]``, level ``s``, and multipliers of the augmented Lagrangian."""

    def __init__(self, graph: Graph, y: Array) -> None:
        self.graph, self.y = graph, y
        self.level = float(np.einsum("ij,ij->i", y, y).max())
        self.on_edges = np.zeros(graph.m)  # λ
        self.on_nodes = np.full(graph.n, 1 / graph.n)  # μ
        self.penalty, self.violation = 1.0 / graph.n, math.inf
        u, v = graph.edges.T
        self._half = sp.csr_array((np.arange(graph.m), (u, v)), shape=(graph.n, graph.n))

    def step(self, clock: Clock) -> None:
        """Minimize over vectors and level, then move the multipliers (and the penalty)."""

        def watch(intermediate_result: OptimizeResult) -> None:
            if clock.is_over:
                raise StopIteration

        options = {"maxiter": STEPS, "maxcor": 6, "ftol": 1e-13, "gtol": 1e-9}
        start = np.append(self.y.ravel(), self.level)
        found = minimize(
            self._lagrangian, start, jac=True, method="L-BFGS-B", callback=watch, options=options
        )
        self.y, self.level = found.x[:-1].reshape(self.y.shape), float(found.x[-1])
        edges, nodes = self._misses(self.y, self.level)
        active = np.maximum(nodes, -self.on_nodes / self.penalty)
        self.on_edges = self.on_edges + self.penalty * edges
        self.on_nodes = self.on_nodes + self.penalty * active
        violation = math.hypot(np.linalg.norm(edges), np.linalg.norm(active))
        if violation > self.violation / 2 and self.penalty * self.graph.n < STIFFEST:
            self.penalty *= 2
        self.violation = violation

    @property
    def vectors(self) -> Array:
        """``x_i = (1, y_i)``, scaled to unit length: ``[n, 1 + d]``; their handle is ``e_0``."""
        x = np.c_[np.ones(self.graph.n), self.y]
        return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True))

    def _misses(self, y: Array, level: float) -> tuple[Array, Array]:
        """``1 + <y_u, y_v>`` on edges ``[m]`` and ``|y_i|² - s`` on nodes ``[n]``."""
        u, v = self.graph.edges.T
        return 1 + np.einsum("ij,ij->i", y[u], y[v]), np.einsum("ij,ij->i", y, y) - level

    def _lagrangian(self, point: Array) -> tuple[float, Array]:
        r"""``s + Σ λc + ρ/2 Σ c² + (Σ max(0, μ + ρg)² - Σ μ²) / 2ρ`` and its gradient."""
        y, level, rho = point[:-1].reshape(self.y.shape), point[-1], self.penalty
        edges, nodes = self._misses(y, level)
        pull = self.on_edges + rho * edges  # [m]
        push = np.maximum(0.0, self.on_nodes + rho * nodes)  # [n]
        value = level + (self.on_edges + rho / 2 * edges) @ edges
        value += (push @ push - self.on_nodes @ self.on_nodes) / (2 * rho)
        half = sp.csr_array((pull, self._half.indices, self._half.indptr), self._half.shape)
        slope = half @ y + half.T @ y + 2 * push[:, None] * y
        return float(value), np.append(slope.ravel(), 1 - push.sum())


def _start(z: Array, r: Array, graph: Graph, rng: np.random.Generator) -> Array:
    """``y_i = v_i / <r, v_i> - r`` in the dimensions of the polish, slightly shaken.

    No row need be longer than ``√Δ``, since ``θ <= Δ + 1``; what is, is a vector that the handle
    hardly reaches.
    """
    width = min(graph.n, WIDEST, math.isqrt(2 * (graph.n + graph.m)) + 2, 4 + ENTRIES // graph.m)
    reach = z @ r
    reach = np.where(reach < 0, -1.0, 1.0) * np.maximum(np.abs(reach), 1e-9)
    y = z / reach[:, None] - r
    lengths = np.linalg.norm(y, axis=1, keepdims=True)
    y = y * np.minimum(1.0, math.sqrt(graph.degrees.max()) / np.maximum(lengths, 1e-300))
    if y.shape[1] > width:
        y = y @ np.linalg.eigh(y.T @ y)[1][:, -width:]
    y = np.pad(y, ((0, 0), (0, width - y.shape[1])))
    return np.asarray(y + 0.1 / math.sqrt(width) * rng.normal(size=y.shape))


def _better(best: Polished, z: Array, graph: Graph) -> Polished:
    r = np.eye(1, z.shape[1])[0]
    upper = handle_bound(z, r, graph)
    return Polished(z, r, upper, best.weights, best.lower) if upper < best.upper else best


def _heavier(best: Polished, weights: Array, graph: Graph) -> Polished:
    lower = hoffman(graph, weights)
    return Polished(best.z, best.r, best.upper, weights, lower) if lower > best.lower else best
