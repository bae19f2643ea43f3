"""Exact θ of the complement by semidefinite programming, up to a few hundred nodes."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from concolor.errors import ConcolorError
from concolor.graph.core import Graph


def exact_theta(graph: Graph, *, solver: str | None = None, eps: float | None = None) -> float:
    r"""``ϑ(Ḡ)`` to the accuracy of the solver: a number to compare with, not a proof.

    .. math:: \min 1 + s \quad \text{with} \quad Y \succeq 0, \quad Y_{ii} = s, \quad
              Y_{ij} = -1 \text{ on edges}

    Args:
        graph: Small: the program holds an ``n x n`` matrix.
        solver: A solver that cvxpy knows, by default its own choice.
        eps: Tolerance, where the solver is SCS; None is cvxpy's choice.
    """
    try:
        cp = import_module("cvxpy")  # not `import`: types would depend on what is installed
    except ImportError:
        raise ConcolorError(
            "exact theta needs cvxpy, which is not installed: pip install 'concolor[sdp]'"
        ) from None
    if graph.m == 0:
        return float(min(graph.n, 1))
    gram, level = cp.Variable((graph.n, graph.n), PSD=True), cp.Variable()
    u, v = graph.edges.T
    rules = [cp.diag(gram) == level, gram[u, v] == np.full(graph.m, -1.0)]
    settings = {} if eps is None else {"eps": eps}
    cp.Problem(cp.Minimize(1 + level), rules).solve(solver=solver, **settings)
    return float(1 + level.value)
