"""SignNet head: embeddings that do not know the sign of a line."""

from __future__ import annotations

from torch import Tensor, nn

from concolor.encoders.stack import to_sphere


class SignNet(nn.Module):
    r"""A head with the same value at ``z`` and ``-z``, in place of canonicalizing lines.

    .. math:: \mathrm{SignNet}(z) = \rho(\phi(z) + \phi(-z))

    :math:`\phi` and :math:`\rho` are two-layer MLPs of width ``d``; the result is on the sphere.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.phi = _mlp(channels)
        self.rho = _mlp(channels)

    def forward(self, z: Tensor) -> Tensor:
        """``z [n, d]`` -> unit rows ``[n, d]``."""
        return to_sphere(self.rho(self.phi(z) + self.phi(-z)))


def _mlp(channels: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(channels, channels), nn.ReLU(), nn.Linear(channels, channels))
