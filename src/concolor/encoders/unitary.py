"""Message passing by orthogonal maps: unitary_mp."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from concolor.encoders.sizes import Sizes
from concolor.encoders.stack import Residual, Stack, mean_of_messages, projection


def cayley(a: Tensor) -> Tensor:
    r"""The Cayley map, any square matrix to an orthogonal one: ``[d, d] -> [d, d]``.

    .. math:: S = A - A^\top, \qquad Q(A) = (I - S)(I + S)^{-1}

    S is skew, so I + S has eigenvalues 1 + i t and is always invertible; the two factors commute.
    """
    skew = a - a.mT
    eye = torch.eye(a.size(-1), dtype=a.dtype, device=a.device)
    orthogonal: Tensor = torch.linalg.solve(eye + skew, eye - skew)
    return orthogonal


class UnitaryConv(nn.Module):
    r"""A learned mix of the rotated node and the mean of its rotated neighbors.

    .. math::
        t_v = \beta\, Q_{self} h_v
            + (1 - \beta) \frac{1}{\max(1, \deg v)} \sum_{u : uv \in E} Q_{msg} h_u

    with :math:`Q = Q(A)` of :func:`cayley` and :math:`\beta = \sigma(b) \in (0, 1)`, 1/2 at first.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        bound = channels**-0.5  # spectrum of S of order one: Q is far from both I and -I
        self.own = nn.Parameter(torch.empty(channels, channels).uniform_(-bound, bound))
        self.message = nn.Parameter(torch.empty(channels, channels).uniform_(-bound, bound))
        self.mix = nn.Parameter(torch.zeros(()))

    def forward(self, h: Tensor, edge_index: Tensor) -> Tensor:
        """``h [n, c]``, ``edge_index [2, 2m]`` -> ``t [n, c]``."""
        source, target = edge_index
        beta = torch.sigmoid(self.mix)
        around = mean_of_messages(h.index_select(0, source), target, h.size(0))
        # Q_msg is linear: rotate the mean, not every message
        return beta * (h @ cayley(self.own).mT) + (1 - beta) * (around @ cayley(self.message).mT)


def unitary_mp(sizes: Sizes) -> Stack:
    """Projection, then ``h' = LayerNorm(h + Dropout(ReLU(t)))``."""
    return Stack(projection(sizes), [unitary_layer(sizes) for _ in range(sizes.layers)])


def unitary_layer(sizes: Sizes) -> Residual:
    """One layer of unitary_mp, which gps_unitary_first_* start with."""
    return Residual(UnitaryConv(sizes.hidden), sizes)
