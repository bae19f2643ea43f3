"""The least absolute loss: the bound, when an embedding attains it, and sums over graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from concolor.errors import InputError, needing_torch
from concolor.graph.core import Graph, IntArray
from concolor.theory.counts import proper_classes
from concolor.theory.sphere import Floats, checked_unit_rows, positive

if TYPE_CHECKING:
    from torch import Tensor

BLOCK = 1 << 20  # pairs looked at together


def loss(graph: Graph, colors: ArrayLike, z: ArrayLike, tau: float) -> float:
    """The absolute InfoNCE loss of unit rows ``z [n, d]`` on a properly colored graph."""
    return _value(graph, colors, z, tau)[0].item()


def subgradient(graph: Graph, colors: ArrayLike, z: ArrayLike, tau: float) -> Floats:
    """A Clarke subgradient ``[n, d]`` of :func:`loss` in ``z``, with 0 for the kink of ``|x|``."""
    value, rows = _value(graph, colors, z, tau)
    value.backward()  # type: ignore[no-untyped-call]
    return np.asarray(rows.grad)


def _value(graph: Graph, colors: ArrayLike, z: ArrayLike, tau: float) -> tuple[Tensor, Tensor]:
    with needing_torch():
        import torch

        from concolor.learning.losses import contrastive

    group = torch.from_numpy(proper_classes(graph, colors))
    rows = torch.tensor(
        checked_unit_rows(z, graph.n, f"an embedding of {graph}"), requires_grad=True
    )
    edge_index = torch.tensor(graph.edge_index)
    return contrastive(rows, edge_index, group, positive(tau), absolute=True), rows


def lower_bound(graph: Graph, tau: float) -> float:
    r"""What the absolute loss of no embedding and no proper coloring of the graph goes below:

    .. math:: \frac1n \sum_v -\frac{e^{1/\tau}}{e^{1/\tau} + |N(v)|}
    """
    with needing_torch():
        import torch

        from concolor.learning import losses

    if graph.n == 0:
        raise InputError(f"{graph} has no nodes, and the loss is a mean over nodes")
    batch = torch.zeros(graph.n, dtype=torch.long)
    edge_index = torch.tensor(graph.edge_index)
    return losses.lower_bound(edge_index, batch, positive(tau), absolute=True)


@dataclass(frozen=True)
class Attainment:
    r"""The two conditions for equality in the lower bound, measured.

    Attributes:
        within: The smallest ``|cos|`` of two nodes of one color; equality needs 1.
        across: The largest ``|cos|`` of two neighbors; equality needs 0.
        within_pair: Two nodes that show ``within``, None where no pair counts.
        across_edge: Two nodes that show ``across``, None where there are no edges.
        tol: What ``1 - within`` and ``across`` may be.
    """

    within: float
    across: float
    within_pair: tuple[int, int] | None
    across_edge: tuple[int, int] | None
    tol: float

    @property
    def holds(self) -> bool:
        """Both conditions hold up to ``tol``."""
        return 1 - self.within <= self.tol and self.across <= self.tol

    def gap_at_most(self, tau: float) -> float:
        r"""A bound on loss minus lower bound, :math:`(1 - \text{within} + \text{across})/(4\tau)`.

        A term is :math:`-\sigma(s_{vw}/\tau - b_v)` with :math:`b_v \le \log|N(v)| +
        \text{across}/\tau`, and the slope of the logistic function is at most 1/4.
        """
        return (1 - self.within + self.across) / (4 * positive(tau))


def attains_bound(z: ArrayLike, graph: Graph, colors: ArrayLike, tol: float = 1e-6) -> Attainment:
    """Whether unit rows ``z [n, d]`` attain the lower bound of the absolute loss, at every tau.

    They do iff each color class lies on one line and each edge joins orthogonal lines. A class of
    isolated nodes only is free: their terms are -1 wherever they lie. (The paper's statement
    asks it of these classes too, which is sufficient but not necessary; an optimal coloring of a
    graph with edges has no such class.)

    Work: the sum of the squared class sizes times d; memory: a block of pairs.
    """
    z = checked_unit_rows(z, graph.n, f"an embedding of {graph}")
    within, within_pair = 1.0, None
    for nodes in _constrained_classes(graph, proper_classes(graph, colors)):
        blocks = min(len(nodes), -(-(len(nodes) ** 2) // BLOCK))
        for rows in np.array_split(nodes, blocks):
            cosines = np.abs(z[rows] @ z[nodes].T)
            place = int(cosines.argmin())
            if cosines.flat[place] < within:
                v, w = divmod(place, len(nodes))
                within, within_pair = float(cosines.flat[place]), (int(rows[v]), int(nodes[w]))
    across = np.abs(np.einsum("md,md->m", z[graph.edges[:, 0]], z[graph.edges[:, 1]]))
    if graph.m == 0:
        return Attainment(within, 0.0, within_pair, None, tol)
    worst = int(across.argmax())
    u, v = graph.edges[worst].tolist()
    return Attainment(within, float(across[worst]), within_pair, (u, v), tol)


def _constrained_classes(graph: Graph, group: IntArray) -> Iterator[IntArray]:
    """The classes that have a node with neighbors."""
    bound_by = np.bincount(group, graph.degrees)
    order = np.argsort(group, kind="stable")
    classes = np.split(order, np.cumsum(np.bincount(group))[:-1])
    return (nodes for nodes, edges in zip(classes, bound_by, strict=True) if edges)


@dataclass(frozen=True, eq=False)
class Population:
    r"""The population loss taken apart graph by graph:
    :math:`\mathcal L = \sum_r p_r\, \ell^{(G_r)}`.

    Each graph has its own embedding, so the infimum of the sum is the sum of the infima, and
    the gap to the bound is a mean of gaps that are all at least 0.

    Attributes:
        losses: The absolute loss of every graph ``[b]``.
        bounds: The lower bound of every graph ``[b]``; with d at least the number of colors, its
            least loss.
        weights: The probability of every graph ``[b]``.
    """

    losses: Floats
    bounds: Floats
    weights: Floats

    @property
    def loss(self) -> float:
        """The expected loss."""
        return float(self.weights @ self.losses)

    @property
    def bound(self) -> float:
        """What the expected loss cannot go below."""
        return float(self.weights @ self.bounds)

    @property
    def gaps(self) -> Floats:
        """Loss minus bound of every graph ``[b]``."""
        return self.losses - self.bounds


def population(
    parts: Sequence[tuple[Graph, ArrayLike, ArrayLike]],
    tau: float,
    *,
    weights: ArrayLike | None = None,
) -> Population:
    """The expected absolute loss over graphs with their colorings and embeddings.

    Args:
        parts: ``(graph, colors [n], z [n, d])``, at least one.
        weights: How often each is drawn, scaled to sum 1 here; equally often by default.
    """
    chance = np.ones(len(parts)) if weights is None else np.asarray(weights, np.float64)
    if len(parts) == 0 or chance.shape != (len(parts),) or not (chance > 0).all():
        raise InputError(
            f"a population needs graphs and a positive weight for each, got {len(parts)} graphs "
            f"and weights {chance.tolist()}"
        )
    losses = np.array([loss(graph, colors, z, tau) for graph, colors, z in parts])
    bounds = np.array([lower_bound(graph, tau) for graph, _, _ in parts])
    return Population(losses, bounds, chance / chance.sum())
