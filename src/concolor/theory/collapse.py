"""How collapsed an embedding is: spread of the classes, orthogonality of edges, prototypes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from concolor.certificates.theta import prototype_distance
from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.core import Graph, IntArray
from concolor.theory.counts import quotient
from concolor.theory.sphere import Floats, checked_unit_rows


@dataclass(frozen=True, eq=False)
class Collapse:
    r"""The geometry of an embedding, seen through a coloring. Row i is the i-th used color.

    Attributes:
        colors: The used colors ``[k]``, ascending.
        prototypes: The line of each color as a unit vector ``[k, d]``: the principal direction of
            its nodes, with its largest coordinate positive.
        distances: :math:`\min_\pm |z_v \mp q_{c(v)}|` of every node ``[n]``.
        spread: The largest distance in each color ``[k]``.
        orthonormal_delta: The largest distance of a node from its line once the prototypes are
            replaced by the nearest orthonormal ones: ``Geometry.delta``, the one of the
            near-prototype certificate. None where there are more colors than dimensions.
        edge_cosines: :math:`|\langle z_u, z_v \rangle|` of every edge ``[m]``, as ``graph.edges``.
        quotient: The color-quotient graph; conflicts of the coloring are its counted loops.
    """

    colors: IntArray
    prototypes: Floats
    distances: Floats
    spread: Floats
    orthonormal_delta: float | None
    edge_cosines: Floats
    quotient: Graph

    @property
    def gram(self) -> Floats:
        """Inner products of the prototypes ``[k, k]``: the identity where they are orthonormal."""
        return np.asarray(self.prototypes @ self.prototypes.T)

    @property
    def delta(self) -> float:
        """The largest distance of a node from the line of its color."""
        return float(self.distances.max())

    @property
    def eps(self) -> float:
        """The largest ``|cos|`` on an edge, 0 without edges."""
        return float(self.edge_cosines.max(initial=0))


def collapse(graph: Graph, colors: ArrayLike, z: ArrayLike) -> Collapse:
    """Measure the collapse of unit rows ``z [n, d]`` under any coloring, proper or not.

    >>> from concolor.graph.families import family
    >>> report = collapse(family("path:3"), [0, 1, 0], [[1, 0], [0, 1], [-1, 0]])
    >>> report.delta, report.eps, report.quotient.m
    (0.0, 0.0, 1)
    """
    coloring = Coloring(graph, np.asarray(colors))
    if graph.n == 0:
        raise InputError(f"{graph} has no nodes, so no embedding of it can collapse")
    z = checked_unit_rows(z, graph.n, f"an embedding of {graph}")
    used, group = np.unique(coloring.colors, return_inverse=True)
    prototypes = np.stack([_line(z[nodes]) for nodes in coloring.classes])
    distances = _distances(z, prototypes[group])
    spread = np.zeros(len(used))
    np.maximum.at(spread, group, distances)
    u, v = graph.edges.T
    return Collapse(
        colors=used,
        prototypes=prototypes,
        distances=distances,
        spread=spread,
        orthonormal_delta=prototype_distance(z, coloring.colors),
        edge_cosines=np.abs(np.einsum("md,md->m", z[u], z[v])),
        quotient=quotient(graph, coloring.colors),
    )


def _line(z: Floats) -> Floats:
    """The unit vector that maximizes the sum of the squared inner products with rows ``[s, d]``."""
    direction = np.linalg.eigh(z.T @ z)[1][:, -1]
    return np.asarray(direction * np.sign(direction[np.abs(direction).argmax()]))


def _distances(z: Floats, lines: Floats) -> Floats:
    """``min |z_v -+ q_v|`` of every row ``[n]``."""
    near = np.where(np.einsum("nd,nd->n", z, lines) < 0, -1.0, 1.0)[:, None] * lines
    return np.asarray(np.linalg.norm(z - near, axis=1))
