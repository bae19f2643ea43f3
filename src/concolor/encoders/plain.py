"""No encoder at all: the features are the embedding."""

from __future__ import annotations

from torch import Tensor, nn

from concolor.encoders.sizes import Sizes
from concolor.encoders.stack import to_sphere


class Plain(nn.Module):
    """The features as they are, on the sphere; nothing to train."""

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        """``x [n, f]`` -> unit rows ``[n, f]``."""
        return to_sphere(x)


def plain(sizes: Sizes) -> nn.Module:
    """An encoder for features that are an embedding by themselves; it has no other sizes."""
    return Plain()
