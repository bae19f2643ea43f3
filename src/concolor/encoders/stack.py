"""What the encoders share: a stack of layers that ends on the sphere, and the two kinds of layer.

A layer maps ``(h [n, c], edge_index [2, 2m], batch [n] | None) -> h' [n, c']``.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from concolor.encoders.sizes import Sizes


def to_sphere(z: Tensor) -> Tensor:
    r"""Unit rows :math:`z_i / \|z_i\|`, ``[n, d]``.

    A row of length 0 (an isolated node behind a zero bias, say) has no direction; it goes to the
    pole :math:`e_1` with zero gradient, so that every node is on the sphere and can be decoded.
    """
    shortest = 1e-12  # rows shorter than this have no direction
    length = torch.linalg.vector_norm(z, dim=-1, keepdim=True)
    pole = torch.eye(1, z.size(-1), dtype=z.dtype, device=z.device)
    return torch.where(length < shortest, pole, z / length.clamp_min(shortest))


def mean_of_messages(messages: Tensor, target: Tensor, n: int) -> Tensor:
    r"""``messages [e, c]`` at their targets: :math:`\frac{1}{\max(1, \deg v)} \sum`, ``[n, c]``."""
    return sum_of_messages(messages, target, n) / received(target, n)


def sum_of_messages(messages: Tensor, target: Tensor, n: int) -> Tensor:
    """``messages [e, c]`` added up at their targets ``[e]``: ``[n, c]``."""
    return messages.new_zeros(n, messages.size(1)).index_add(0, target, messages)


def received(target: Tensor, n: int) -> Tensor:
    r"""Messages per node, :math:`\max(1, \deg v)`: ``[n, 1]``."""
    return torch.bincount(target, minlength=n).clamp_min(1).unsqueeze(1)


class Stack(nn.Module):
    """A projection, layers one after another, a norm, and the sphere.

    Called with ``x [n, f]``, ``edge_index [2, 2m]`` (both directions of every edge) and, where the
    rows belong to several graphs, ``batch [n]``: the graph of each row, ascending. Gives unit rows
    ``z [n, d]``; no row depends on another graph's, except through batch norm while training.
    """

    def __init__(
        self, project: nn.Module, layers: Iterable[nn.Module], norm: nn.Module | None = None
    ) -> None:
        super().__init__()
        self.project = project
        self.layers = nn.ModuleList(layers)
        self.norm = norm or nn.Identity()

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        """``x [n, f]``, ``edge_index [2, 2m]``, ``batch [n]`` -> unit rows ``[n, d]``."""
        h = self.project(x)
        for layer in self.layers:
            h = layer(h, edge_index, batch)
        return to_sphere(self.norm(h))


class Plain(nn.Module):
    """``h' = Dropout(activation(conv(h)))``; the last layer of a stack is the bare ``conv(h)``."""

    def __init__(self, conv: nn.Module, activation: nn.Module, dropout: float = 0.0) -> None:
        super().__init__()
        self.conv = conv
        self.after = nn.Sequential(activation, nn.Dropout(dropout))

    def forward(self, h: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        """``h [n, c] -> [n, c']``."""
        out: Tensor = self.after(self.conv(h, edge_index))
        return out


class Residual(nn.Module):
    """``h' = LayerNorm(h + Dropout(ReLU(conv(h))))``, the update of the stable encoders.

    Args:
        conv: Message passing ``(h [n, c], edge_index) -> [n, c]``.
        sizes: Gives ``c`` and the dropout.
        skip: Whether h is added.
        norm: Whether there is a LayerNorm.
    """

    def __init__(
        self, conv: nn.Module, sizes: Sizes, *, skip: bool = True, norm: bool = True
    ) -> None:
        super().__init__()
        self.conv = conv
        self.dropout = nn.Dropout(sizes.dropout)
        self.norm = nn.LayerNorm(sizes.hidden) if norm else nn.Identity()
        self.skip = skip

    def forward(self, h: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        """``h [n, c] -> [n, c]``."""
        update = self.dropout(self.conv(h, edge_index).relu())
        out: Tensor = self.norm(h + update if self.skip else update)
        return out


def projection(sizes: Sizes) -> nn.Linear:
    """The input projection ``[n, f] -> [n, d]``."""
    return nn.Linear(sizes.in_channels, sizes.hidden)
