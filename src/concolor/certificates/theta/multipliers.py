r"""θ of large sparse graphs from both sides, by the method of multipliers on vectors.

.. math:: \vartheta(\bar G) = \min_{y, s} 1 + s \quad \text{with} \quad
          |y_i|^2 \le s, \quad 1 + \langle y_i, y_j \rangle = 0 \text{ on edges}

in as many dimensions as a solution may need (Burer and Monteiro 2003). No ``n x n`` matrix.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from concolor.certificates.rounding import DENSE, Array
from concolor.certificates.spectral import from_multipliers
from concolor.certificates.theta.pairs import Pairs
from concolor.certificates.theta.sides import Sides
from concolor.goal import Clock
from concolor.graph.core import Graph

ROUNDS = 60  # updates of the multipliers, at most
FLOORS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)  # see from_multipliers
FEW_FLOORS = (1e-2, 1e-4)  # where eigenvalues are expensive
LAST_FLOORS = (1e-2,)  # where time is over


def by_multipliers(
    best: Sides, graph: Graph, *, rng: np.random.Generator, clock: Clock
) -> Iterator[Sides]:
    """Better and better sides, beginning from the vectors of ``best``."""
    state = _State(graph, _start(best.z, best.r, graph, rng))
    patience = 1 + graph.n // 200  # eigenvalues are looked at rarely where they are expensive
    floors = FEW_FLOORS if graph.n > DENSE else FLOORS
    for count in range(1, ROUNDS + 1):
        state.step(clock)
        best = best.or_vectors(state.y, graph)
        if clock.is_over or count == ROUNDS or count % patience == 0:
            tried = LAST_FLOORS if clock.is_over else floors
            found = from_multipliers(graph, state.on_edges, state.on_nodes, tried)
            best = best.or_weights(found, graph)
        yield best
        if clock.is_over:
            return


STEPS = 60  # of L-BFGS between two updates of the multipliers
STIFFEST = 16.0  # penalty, in units of 1/n; more would freeze the vectors before θ is reached


class _State:
    """Vectors ``y [n, d]``, level ``s``, and multipliers of the augmented Lagrangian."""

    def __init__(self, graph: Graph, y: Array) -> None:
        self.graph, self.pairs, self.y = graph, Pairs(graph), y
        self.level = float(np.einsum("ij,ij->i", y, y).max())
        self.on_edges = np.zeros(graph.m)  # λ
        self.on_nodes = np.full(graph.n, 1 / graph.n)  # μ
        self.penalty, self.violation = 1.0 / graph.n, math.inf

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

    def _misses(self, y: Array, level: float) -> tuple[Array, Array]:
        """``1 + <y_u, y_v>`` on edges ``[m]`` and ``|y_i|² - s`` on nodes ``[n]``."""
        return 1 + self.pairs.inner(y, y) / 2, np.einsum("ij,ij->i", y, y) - level

    def _lagrangian(self, point: Array) -> tuple[float, Array]:
        r"""``s + Σ λc + ρ/2 Σ c² + (Σ max(0, μ + ρg)² - Σ μ²) / 2ρ`` and its gradient."""
        y, level, rho = point[:-1].reshape(self.y.shape), point[-1], self.penalty
        edges, nodes = self._misses(y, level)
        pull = self.on_edges + rho * edges  # [m]
        push = np.maximum(0.0, self.on_nodes + rho * nodes)  # [n]
        value = level + (self.on_edges + rho / 2 * edges) @ edges
        value += (push @ push - self.on_nodes @ self.on_nodes) / (2 * rho)
        slope = self.pairs.spread(pull, y) + 2 * push[:, None] * y
        return float(value), np.append(slope.ravel(), 1 - push.sum())


WIDEST = 64  # dimensions, at most
ENTRIES = 2**24  # of the vectors gathered on all edges, at most


def _start(z: Array, r: Array, graph: Graph, rng: np.random.Generator) -> Array:
    """``y_i = v_i / <r, v_i> - r`` in as many dimensions as are searched, slightly shaken.

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
