"""The light recurrent encoder: neighbors push each other apart as far as they are alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from concolor.encoders.gated_rnn import Recurrent, recurrent
from concolor.encoders.sizes import Sizes
from concolor.encoders.stack import mean_of_messages


class AlikeConv(nn.Module):
    r"""Messages weighted by how alike their two ends are, and the node itself.

    .. math::
        s = W_m h, \qquad t_v = W_0 h_v
            + \frac{1}{\max(1, \deg v)} \sum_{u : uv \in E} (a \langle s_u, s_v \rangle + b)\, s_u

    With b = 0 the sum is the slope of :math:`\frac{a}{2} \sum_u \langle s_u, s_v \rangle^2`, which
    is 0 where all neighbors are on orthogonal lines: what a gate per channel has to learn is given
    here, so few channels are enough. Two maps act on nodes, an edge costs two numbers a channel.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.own = nn.Linear(channels, channels)  # W_0
        self.message = nn.Linear(channels, channels)  # W_m
        self.alike = nn.Parameter(torch.full((1,), 1 / channels))  # a
        self.plain = nn.Parameter(torch.zeros(1))  # b

    def forward(self, h: Tensor, edge_index: Tensor) -> Tensor:
        """``h [n, c]``, ``edge_index [2, 2m]`` -> ``t [n, c]``."""
        told = self.message(h)  # [n, c]
        learns = torch.is_grad_enabled() and told.requires_grad
        if learns and told.device.type == "cpu" and told.dtype == torch.float32:
            weights = torch.cat([self.alike, self.plain])
            seen: Tensor = _Seen.apply(told, weights, edge_index)  # type: ignore[no-untyped-call]
        else:
            seen = self.seen(told, edge_index)
        out: Tensor = self.own(h) + seen
        return out

    def seen(self, told: Tensor, edge_index: Tensor) -> Tensor:
        """The mean of the messages, as its formula reads: ``told [n, c]`` -> ``[n, c]``."""
        source, target = edge_index
        sent = told.index_select(0, source)  # [2m, c]
        weight = self.alike * (sent * told.index_select(0, target)).sum(1, keepdim=True)
        return mean_of_messages((weight + self.plain) * sent, target, len(told))


class _Seen(torch.autograd.Function):
    """The same with its slopes in compiled loops, which keep nothing for the edges."""

    @staticmethod
    def forward(ctx: Any, told: Tensor, weights: Tensor, edge_index: Tensor) -> Tensor:
        from concolor.encoders.kernels import alike_seen

        ctx.save_for_backward(told, weights)
        ctx.sides = indptr, indices = _sides(edge_index, len(told))
        seen = torch.empty_like(told)
        alike_seen(indptr, indices, told.numpy(), weights.numpy(), seen.numpy())
        return seen

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, Tensor, None]:
        from concolor.encoders.kernels import alike_slopes

        told, weights = ctx.saved_tensors
        of_told, of_weights = torch.empty_like(told), np.zeros(2)
        given, (indptr, indices) = (told.numpy(), weights.numpy()), ctx.sides
        back = slope.contiguous().numpy()
        alike_slopes(indptr, indices, *given, back, of_told.numpy(), of_weights)
        return of_told, torch.tensor(of_weights, dtype=weights.dtype), None


def _sides(edge_index: Tensor, n: int) -> tuple[np.ndarray, np.ndarray]:
    """``indptr [n + 1]`` and ``indices [2m]`` of edges in both directions, in any order."""
    source, target = edge_index
    if bool((source[1:] < source[:-1]).any()):
        order = source.argsort(stable=True)
        source, target = source[order], target[order]
    ends = torch.bincount(source, minlength=n).cumsum(0)
    return np.concatenate([[0], ends.numpy()]), target.contiguous().numpy()


def light_rnn(sizes: Sizes) -> Recurrent:
    """One layer of messages weighted by likeness, applied again and again."""
    return recurrent(AlikeConv(sizes.hidden), sizes)
