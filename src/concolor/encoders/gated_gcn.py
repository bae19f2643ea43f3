"""The gated encoder, the paper's best, and its ablations."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from concolor.encoders.sizes import Sizes
from concolor.encoders.stack import Residual, Stack, projection, received, sum_of_messages


class GatedConv(nn.Module):
    r"""Messages that their two ends may close, and the node itself.

    .. math::
        g_{uv} &= \sigma(W_s h_u + W_t h_v), \qquad m_{uv} = W_m h_u \odot g_{uv} \\
        t_v &= W_0 h_v + \frac{1}{\max(1, \deg v)} \sum_{u : uv \in E} m_{uv}

    All four maps act on nodes; edges only gather, multiply and add.

    Args:
        channels: Width ``c`` of nodes and messages.
        gate: Width of the gate: ``c`` (one per channel), 1 (one per edge) or 0 (none).
        mean: Divide by the degree, or take the plain sum.
    """

    def __init__(self, channels: int, *, gate: int, mean: bool = True) -> None:
        super().__init__()
        self.own = nn.Linear(channels, channels)  # W_0
        self.message = nn.Linear(channels, channels)  # W_m
        self.gate_source = nn.Linear(channels, gate) if gate else None  # W_s
        self.gate_target = nn.Linear(channels, gate) if gate else None  # W_t
        self.mean = mean

    def forward(self, h: Tensor, edge_index: Tensor) -> Tensor:
        """``h [n, c]``, ``edge_index [2, 2m]`` -> ``t [n, c]``."""
        source, target = edge_index
        sent = self.message(h)  # [n, c]
        if self.gate_source is None or self.gate_target is None:
            seen = sum_of_messages(sent[source], target, len(h))
        else:
            ends = self.gate_source(h), self.gate_target(h)
            seen = _Gated.apply(sent, *ends, edge_index)  # type: ignore[no-untyped-call]
        out: Tensor = self.own(h) + (seen / received(target, len(h)) if self.mean else seen)
        return out


EDGES = 8192  # looked at together: their vectors stay in the cache


class _Gated(torch.autograd.Function):
    r""":math:`\sum_{u : uv \in E} s_u \odot \sigma(a_u + b_v)` at every node v, ``[n, c]``.

    ``sent s [n, c]``, ``source a [n, g]`` and ``target b [n, g]`` with g = c or 1. Of the edges
    only the gates are kept for the way back; autograd would keep the messages too, and fill an
    ``[n, c]`` for every ``EDGES`` of them.
    """

    @staticmethod
    def forward(ctx: Any, sent: Tensor, source: Tensor, target: Tensor, edges: Tensor) -> Tensor:
        ctx.save_for_backward(sent, edges)
        ctx.gates = []
        seen = torch.zeros_like(sent)
        for u, v in edges.split(EDGES, dim=1):
            gate = source.index_select(0, u).add_(target.index_select(0, v)).sigmoid_()  # [e, g]
            seen.index_add_(0, v, gate * sent.index_select(0, u))
            if any(ctx.needs_input_grad):
                ctx.gates.append(gate)
        return seen

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        sent, edges = ctx.saved_tensors
        of_sent = torch.zeros_like(sent)
        of_source, of_target = (sent.new_zeros(len(sent), ctx.gates[0].size(1)) for _ in range(2))
        for (u, v), gate in zip(edges.split(EDGES, dim=1), ctx.gates, strict=True):
            pull = grad.index_select(0, v)  # [e, c]
            of_sent.index_add_(0, u, gate * pull)
            slope = pull.mul_(sent.index_select(0, u))
            slope = slope if gate.size(1) > 1 else slope.sum(1, keepdim=True)
            slope = torch.addcmul(slope, slope, gate, value=-1).mul_(gate)
            of_source.index_add_(0, u, slope)
            of_target.index_add_(0, v, slope)
        return of_sent, of_source, of_target, None


def gated_gcn(sizes: Sizes) -> Stack:
    """Projection, then ``h' = LayerNorm(h + Dropout(ReLU(t)))`` with a gate per channel."""
    return _gated(sizes, gate=sizes.hidden)


def gated_gcn_no_gate(sizes: Sizes) -> Stack:
    """gated_gcn with all gates open."""
    return _gated(sizes, gate=0)


def gated_gcn_scalar_gate(sizes: Sizes) -> Stack:
    """gated_gcn with one gate per edge."""
    return _gated(sizes, gate=1)


def gated_gcn_sum_agg(sizes: Sizes) -> Stack:
    """gated_gcn with messages added up, not averaged."""
    return _gated(sizes, gate=sizes.hidden, mean=False)


def gated_gcn_no_layernorm(sizes: Sizes) -> Stack:
    """gated_gcn without LayerNorm."""
    return _gated(sizes, gate=sizes.hidden, norm=False)


def gated_gcn_no_residual(sizes: Sizes) -> Stack:
    """gated_gcn without the skip connection."""
    return _gated(sizes, gate=sizes.hidden, skip=False)


def _gated(
    sizes: Sizes, *, gate: int, mean: bool = True, skip: bool = True, norm: bool = True
) -> Stack:
    convs = [GatedConv(sizes.hidden, gate=gate, mean=mean) for _ in range(sizes.layers)]
    layers = [Residual(conv, sizes, skip=skip, norm=norm) for conv in convs]
    return Stack(projection(sizes), layers)
