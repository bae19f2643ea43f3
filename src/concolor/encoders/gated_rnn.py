"""The recurrent encoder: one gated layer, again and again."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from concolor.encoders.gated_gcn import GatedConv
from concolor.encoders.sizes import Sizes
from concolor.encoders.stack import Residual, projection, to_sphere


class Recurrent(nn.Module):
    r"""A projection, one layer applied T times with the same weights, and the sphere.

    .. math:: h^{(0)} = W x + b, \qquad h^{(t + 1)} = \mathrm{layer}(h^{(t)}), \qquad
        z = h^{(T)} / \|h^{(T)}\|

    In training every call draws T from ``layers / 2 .. layers``, so that the layer learns to
    improve what it is given instead of counting its calls. After training T is fixed, and may be
    far larger: color has to travel, and large graphs are wide. With ``run_in``, up to so many steps
    come before these in half of the calls, and no gradient goes through them: the layer learns to
    go on from where it would have come by itself, for the price of the last steps.

    Args:
        project: Features to channels, ``[n, f] -> [n, d]``.
        layer: ``(h [n, d], edge_index, batch) -> [n, d]``.
        most: The largest T of training, apart from the run-in.
        run_in: The most steps before, in training.
        steps: The T after training.
    """

    def __init__(
        self, project: nn.Module, layer: nn.Module, *, most: int, steps: int, run_in: int = 0
    ) -> None:
        super().__init__()
        self.project, self.layer = project, layer
        self.most, self.steps, self.run_in = most, steps, run_in

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        """``x [n, f]``, ``edge_index [2, 2m]``, ``batch [n]`` -> unit rows ``[n, d]``."""
        h = self.project(x)
        if self.training and self.run_in and torch.rand(()) < 0.5:
            with torch.no_grad():
                for _ in range(int(torch.randint(1, self.run_in + 1, ()))):
                    h = self.layer(h, edge_index, batch)
        for _ in range(self._drawn() if self.training else self.steps):
            h = self.layer(h, edge_index, batch)
        return to_sphere(h)

    def _drawn(self) -> int:
        return int(torch.randint((self.most + 1) // 2, self.most + 1, ()))


def gated_rnn(sizes: Sizes) -> Recurrent:
    """One layer of gated_gcn applied again and again, as often as needed."""
    return recurrent(GatedConv(sizes.hidden, gate=sizes.hidden), sizes)


def recurrent(conv: nn.Module, sizes: Sizes) -> Recurrent:
    """The encoder that applies a convolution ``(h [n, c], edge_index) -> [n, c]`` again and again,
    with residual and LayerNorm."""
    steps = sizes.layers if sizes.steps is None else sizes.steps
    layer = Residual(conv, sizes)
    return Recurrent(projection(sizes), layer, most=sizes.layers, steps=steps, run_in=sizes.run_in)
