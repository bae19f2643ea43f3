r"""The losses of the paper as pure functions of embeddings.

Notation: unit rows ``z [n, d]`` (h in the paper), ``edge_index [2, 2m]`` with both directions of
every edge, a proper coloring ``colors [n]``, the graph of each node ``batch [n]`` (None: one).
Every loss is the mean over the graphs of a batch of the loss of each graph alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable


def contrastive(
    z: Tensor,
    edge_index: Tensor,
    colors: Tensor,
    tau: float,
    *,
    absolute: bool = False,
    form: str = "ratio",
    batch: Tensor | None = None,
) -> Tensor:
    r"""InfoNCE of the paper: same color together, neighbors apart.

    With :math:`s_{vw} = \langle z_v, z_w \rangle` (signed) or its absolute value, and
    :math:`V_c` the color class of v, v itself included,

    .. math::
        \ell = \frac1n \sum_v \frac{1}{|V_{c(v)}|} \sum_{w \in V_{c(v)}}
            - \frac{e^{s_{vw}/\tau}}{e^{s_{vw}/\tau} + \sum_{u \in N(v)} e^{s_{vu}/\tau}}

    ``form="log"`` takes :math:`-\log` of the ratio instead. With
    :math:`b_v = \log \sum_{u \in N(v)} e^{s_{vu}/\tau}` the ratio is
    :math:`\sigma(s_{vw}/\tau - b_v)`, which never overflows. The gradient is computed with the
    value, a block of pairs at a time: no ``n x n`` matrix is ever kept. The same in ten lines of
    plain autograd is :func:`contrastive_reference`.

    Returns:
        Scalar; its first derivative is exact, a second one is refused by autograd.
    """
    graph, sizes = _graphs(z, batch)
    _, group = torch.unique(graph * (colors.max() + 1) + colors, return_inverse=True)
    weight = (len(sizes) * sizes[graph] * torch.bincount(group)[group]).to(z.dtype).reciprocal()
    settings = (tau, absolute, form == "log")
    loss: Tensor = _Contrastive.apply(z, edge_index, group, weight, *settings)  # type: ignore[no-untyped-call]
    return loss


def contrastive_reference(
    z: Tensor,
    edge_index: Tensor,
    colors: Tensor,
    tau: float,
    *,
    absolute: bool = False,
    form: str = "ratio",
    batch: Tensor | None = None,
) -> Tensor:
    r"""What :func:`contrastive` computes, as its formula reads; tests compare the two.

    .. math::
        \ell = \frac1n \sum_v \frac{1}{|V_{c(v)}|} \sum_{w \in V_{c(v)}}
            -\sigma(s_{vw}/\tau - b_v), \qquad
        b_v = \log \sum_{u \in N(v)} e^{s_{vu}/\tau}

    It keeps ``n x n`` matrices and has derivatives of every order.
    """
    graph, sizes = _graphs(z, batch)
    same = (colors[:, None] == colors) & (graph[:, None] == graph)  # [n, n]: w in V_c(v)
    adjacent = torch.zeros_like(same)
    adjacent[edge_index[0], edge_index[1]] = True
    score = (z @ z.T).abs() if absolute else z @ z.T
    b = (score / tau).masked_fill(~adjacent, -math.inf).logsumexp(dim=1, keepdim=True)
    margin = score / tau - b  # +inf without neighbors
    each = -F.logsigmoid(margin) if form == "log" else -margin.sigmoid()
    of_node = (each * same).sum(dim=1) / same.sum(dim=1)
    return (of_node / sizes[graph]).sum() / len(sizes)


EDGES = 1 << 15  # edges looked at together: their vectors stay in the cache


class _Contrastive(torch.autograd.Function):
    """Value and gradient of :func:`contrastive` in one walk over the pairs."""

    @staticmethod
    def forward(
        ctx: Any,
        z: Tensor,
        edge_index: Tensor,
        group: Tensor,
        weight: Tensor,
        tau: float,
        absolute: bool,
        log: bool,
    ) -> Tensor:
        n, chunks = len(z), edge_index.split(EDGES, dim=1)
        y = F.pad(z / math.sqrt(tau), (0, 0, 0, 1))  # <y_v, y_w> = s_vw / tau; row n: no node
        edge_score = torch.cat([(y[u] * y[v]).sum(-1) for u, v in chunks])
        edge_logit = edge_score.abs() if absolute else edge_score
        negatives = _logsumexp(edge_logit, edge_index[0], n + 1)  # b_v, -inf without neighbors
        weight, there = F.pad(weight, (0, 1)), F.pad(torch.ones_like(weight), (0, 1))

        loss, y_grad, b_grad = z.new_zeros(()), torch.zeros_like(y), z.new_zeros(n + 1)

        def slope(logit: Tensor, anchors: Tensor, members: Tensor) -> Tensor:
            """Add the loss of ``logit [g, a, s]`` seen from its anchors; d loss / d logit."""
            nonlocal loss
            share, counts = weight[anchors].unsqueeze(-1), there[members].unsqueeze(-1)
            margin = logit - negatives[anchors].unsqueeze(-1)
            if log:
                each = F.softplus(-margin)
                change = margin.sigmoid_().sub_(1).mul_(share)
            else:
                each = margin.sigmoid_()
                change = torch.ops.aten.sigmoid_backward(-share, each)
            total = (share * (each @ counts)).sum()
            loss = loss + total if log else loss - total
            b_grad.index_add_(0, anchors.flatten(), -(change @ counts).flatten())
            return change

        for anchors, members in _pairs(group):
            h, p = y[anchors], y[members]  # [g, a, d], [g, s, d]
            score = h @ p.mT  # [g, a, s]
            logit = score.abs() if absolute else score
            pull = slope(logit, anchors, members)
            if anchors is not members:
                pull += slope(logit.mT, members, anchors).mT
            if ctx.needs_input_grad[0]:
                pull = pull.mul_(score.sign_()) if absolute else pull
                _add_pairs(y_grad, pull, (anchors, members), (h, p))

        if ctx.needs_input_grad[0]:
            push = b_grad[edge_index[0]] * (edge_logit - negatives[edge_index[0]]).exp()
            push = push * edge_score.sign() if absolute else push
            for (u, v), f in zip(chunks, push.unsqueeze(-1).split(EDGES), strict=True):
                y_grad.index_add_(0, u, f * y[v]).index_add_(0, v, f * y[u])
            ctx.save_for_backward(y_grad[:n] / math.sqrt(tau))
        return loss

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        (z_grad,) = ctx.saved_tensors
        return grad * z_grad, None, None, None, None, None, None


def _add_pairs(
    y_grad: Tensor, pull: Tensor, nodes: tuple[Tensor, Tensor], rows: tuple[Tensor, Tensor]
) -> None:
    """Add what ``pull [g, a, s]``, d loss / d score, does to the two ends of every pair."""
    (anchors, members), (h, p) = nodes, rows
    if anchors is members:
        moves = (pull + pull.mT) @ h
    else:
        moves = pull @ p
        y_grad.index_add_(0, members.flatten(), (pull.mT @ h).flatten(0, 1))
    y_grad.index_add_(0, anchors.flatten(), moves.flatten(0, 1))


BLOCK = 1 << 18  # pairs looked at together: small enough for the cache, large enough for BLAS


def _pairs(group: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """All pairs of nodes of one class, in blocks of at most about ``BLOCK`` pairs.

    Yields ``anchors [g, a]`` and ``members [g, s]``; n, which stands for no node, fills up where
    classes of unlike size share a block. A pair is ordered within a block where ``anchors is
    members``; where they are two parts of a large class, the block stands for both orders, and its
    scores are computed once.
    """
    sizes = torch.bincount(group)
    order = F.pad(group.argsort(stable=True), (0, 1), value=len(group))
    starts = sizes.cumsum(0) - sizes
    by_size = sizes.argsort(stable=True)
    ascending = sizes[by_size].tolist()
    first = 0
    while first < len(ascending):
        last = first  # a run of classes of like size, as long as it fits
        while (
            last + 1 < len(ascending)
            and ascending[last + 1] <= 2 * ascending[first] + 8
            and (last + 2 - first) * ascending[last + 1] ** 2 <= BLOCK
        ):
            last += 1
        run, size = by_size[first : last + 1], ascending[last]
        place = torch.arange(size, device=group.device)
        there = place < sizes[run].unsqueeze(-1)  # [g, s]
        nodes = order[torch.where(there, starts[run].unsqueeze(-1) + place, -1)]
        if len(run) == 1 and size * size > BLOCK:
            yield from combinations_with_replacement(nodes.split(math.isqrt(BLOCK), dim=1), 2)
        else:
            yield nodes, nodes
        first = last + 1


def _logsumexp(values: Tensor, index: Tensor, size: int) -> Tensor:
    """``log sum exp`` of the values of each index ``[size]``, -inf where there are none."""
    top = values.new_full((size,), -math.inf).scatter_reduce(0, index, values, "amax")
    total = values.new_zeros(size).index_add(0, index, (values - top[index]).exp())
    return total.log() + top


def soft_conflict(
    logits: Tensor,
    edge_index: Tensor,
    *,
    degree_power: float = 3.0,
    tau_soft: float = 1.0,
    weights: str = "raw",
    batch: Tensor | None = None,
) -> Tensor:
    r"""``L_soft``: how much neighbors share colors softly, dense regions first.

    .. math::
        \frac{1}{|E|} \sum_{uv \in E} w_{uv} \sum_c p_{uc} p_{vc}, \quad
        w_{uv} = \tfrac12 \bigl((\deg u + 1)^p + (\deg v + 1)^p\bigr), \quad
        p_u = \mathrm{softmax}(\ell_u / \tau_\mathrm{soft})

    Args:
        logits: Color logits of every node ``[n, C]``.
        weights: ``raw`` as above; ``mean`` divides them by their mean over the edges of each graph,
            so that :math:`L_\mathrm{soft} \le 1`. Raw ones reach millions at the hubs of a citation
            graph and leave nothing of the contrastive term.
    """
    graph, sizes = _graphs(logits, batch)
    overlap, power = _overlap(logits, edge_index, tau_soft, degree_power, shift=1)
    home = graph[edge_index[0]]
    # a sum over both directions of an edge takes (deg u + 1)^p and (deg v + 1)^p once each
    over = power if weights == "mean" else torch.ones_like(power)
    total = power.new_zeros(len(sizes)).index_add(0, home, over)
    return (overlap * power / total[home]).sum() / len(sizes)


def weighted_conflict(
    logits: Tensor,
    edge_index: Tensor,
    *,
    degree_power: float = 3.0,
    tau_soft: float = 1.0,
    batch: Tensor | None = None,
) -> Tensor:
    r"""The objective of v5, :math:`\tfrac12 \sum_{ij} (D^p A)_{ij} (P P^\top)_{ij}`."""
    _, sizes = _graphs(logits, batch)
    overlap, power = _overlap(logits, edge_index, tau_soft, degree_power, shift=0)
    return 0.5 * (overlap * power).sum() / len(sizes)


def _overlap(
    logits: Tensor, edge_index: Tensor, tau_soft: float, degree_power: float, *, shift: int
) -> tuple[Tensor, Tensor]:
    """``p_u . p_v`` and ``(deg u + shift)^p`` of every directed edge, each ``[2m]``."""
    p = (logits / tau_soft).softmax(dim=-1)
    source, target = edge_index
    degree = torch.bincount(source, minlength=len(logits)).to(logits.dtype)
    return (p[source] * p[target]).sum(-1), (degree[source] + shift) ** degree_power


SHARP = 0.15  # temperature of :func:`line_conflict`


def line_conflict(
    z: Tensor, edge_index: Tensor, colors: Tensor, *, batch: Tensor | None = None
) -> Tensor:
    r"""Conflicts that are left where every node leans to the line of a class that is nearest.

    With :math:`u_c` the leading direction of the rows of class c, which is held fixed, and the
    number k of classes, so that chance is 1,

    .. math::
        \frac{k}{|E|} \sum_{vw \in E} \sum_c p_{vc} p_{wc}, \qquad
        p_v = \mathrm{softmax}_c(\langle z_v, u_c \rangle^2 / 0.15)

    Rows off all k lines, which :func:`contrastive` hardly minds, come to where they fit best.
    """
    graph, sizes = _graphs(z, batch)
    k = torch.zeros_like(sizes).scatter_reduce(0, graph, colors + 1, "amax")
    slots = int(k.max())
    rows, place = z.detach(), graph * slots + colors
    spread = rows.new_zeros(len(sizes) * slots, z.shape[1], z.shape[1])
    spread.index_add_(0, place, rows.unsqueeze(2) * rows.unsqueeze(1))
    lines = torch.linalg.eigh(spread).eigenvectors[..., -1].view(len(sizes), slots, -1)
    alike = (lines[graph] @ z.unsqueeze(-1)).squeeze(-1).square()  # [n, slots]
    none = torch.arange(slots, device=z.device) >= k[graph].unsqueeze(-1)
    p = (alike / SHARP).masked_fill(none, -math.inf).softmax(dim=-1)
    source, target = edge_index
    home = graph[source]
    share = k[home] / torch.bincount(home, minlength=len(sizes))[home]
    loss: Tensor = ((p[source] * p[target]).sum(-1) * share).sum() / len(sizes)
    return loss


def lower_bound(
    edge_index: Tensor,
    batch: Tensor,
    tau: float,
    *,
    absolute: bool = False,
    form: str = "ratio",
) -> float:
    r"""What :func:`contrastive` cannot go below on these graphs, whatever the embedding.

    A positive pair scores at most 1 and a negative at least 0 (absolute; the paper's bound,
    attained by orthonormal prototypes) or -1 (signed; not attained in general):

    .. math:: \frac1n \sum_v -\frac{e^{1/\tau}}{e^{1/\tau} + |N(v)| e^{s_{\min}/\tau}}
    """
    graph, sizes = _graphs(batch, batch)
    degree = torch.bincount(edge_index[0], minlength=len(batch)).double()
    logit = (1.0 if absolute else 2.0) / tau - degree.log()  # +inf without neighbors
    each = F.softplus(-logit) if form == "log" else -logit.sigmoid()
    return float((each / sizes[graph]).sum() / len(sizes))


def _graphs(like: Tensor, batch: Tensor | None) -> tuple[Tensor, Tensor]:
    """The graph of every node ``[n]`` and the number of nodes of every graph ``[b]``."""
    if batch is None:
        batch = torch.zeros(len(like), dtype=torch.long, device=like.device)
    return batch, torch.bincount(batch)
