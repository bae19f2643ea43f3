"""The light recurrent encoder: neighbors push each other apart as far as they are alike."""

from __future__ import annotations

import torch
from torch import Tensor, nn

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
        source, target = edge_index
        told = self.message(h)  # [n, c]
        sent = told.index_select(0, source)  # [2m, c]
        weight = self.alike * (sent * told.index_select(0, target)).sum(1, keepdim=True)
        seen = mean_of_messages((weight + self.plain) * sent, target, len(h))
        out: Tensor = self.own(h) + seen
        return out


def light_rnn(sizes: Sizes) -> Recurrent:
    """One layer of messages weighted by likeness, applied again and again."""
    return recurrent(AlikeConv(sizes.hidden), sizes)
