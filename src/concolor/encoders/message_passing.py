"""Message-passing encoders from PyTorch Geometric's convolutions: gcn, res_gcn, gat, gin, sage.

No GCN convolution here adds self-loops: neighbors must get *different* colors, so a node should
not be averaged with them (the paper says so for gcn; res_gcn and gps use the same aggregation).
"""

from __future__ import annotations

from torch import Tensor, nn
from torch_geometric.nn import GATConv, GCNConv, GINConv, SAGEConv

from concolor.encoders.sizes import Sizes
from concolor.encoders.stack import Plain, Residual, Stack, projection


def gcn(sizes: Sizes) -> Stack:
    """GCN convolutions with ReLU between; no residual, no norm, no dropout."""
    *inner, last = [gcn_conv(width, sizes.hidden) for width in _widths(sizes)]
    return Stack(nn.Identity(), [*(Plain(conv, nn.ReLU()) for conv in inner), _last(last)])


def sage(sizes: Sizes) -> Stack:
    """GraphSAGE convolutions (mean) with ReLU and dropout between; no residual, no norm."""
    *inner, last = [SAGEConv(width, sizes.hidden) for width in _widths(sizes)]
    layers = [Plain(conv, nn.ReLU(), sizes.dropout) for conv in inner]
    return Stack(nn.Identity(), [*layers, _last(last)])


def gat(sizes: Sizes) -> Stack:
    """Graph attention, heads concatenated inside and one head at the end; ELU, dropout between."""
    *inner, last = _widths(sizes)
    layers = [
        Plain(gat_conv(width, sizes.head_channels, sizes.heads), nn.ELU(), sizes.dropout)
        for width in inner
    ]
    return Stack(nn.Identity(), [*layers, _last(gat_conv(last, sizes.hidden, 1))])


def gin(sizes: Sizes) -> Stack:
    """Projection, then GIN layers with residual and LayerNorm."""
    return Stack(projection(sizes), [GINLayer(sizes) for _ in range(sizes.layers)])


def res_gcn(sizes: Sizes) -> Stack:
    """Projection, then ``h' = LayerNorm(h + Dropout(ReLU(GCN(h))))``."""
    convs = [gcn_conv(sizes.hidden, sizes.hidden) for _ in range(sizes.layers)]
    return Stack(projection(sizes), [Residual(conv, sizes) for conv in convs])


def res_gcn_param_matched(sizes: Sizes) -> Stack:
    """res_gcn with a feed-forward block after each layer, as large as gated_gcn (within 0.2 %)."""
    convs = [gcn_conv(sizes.hidden, sizes.hidden) for _ in range(sizes.layers)]
    layers = [part for conv in convs for part in (Residual(conv, sizes), FeedForward(sizes))]
    return Stack(projection(sizes), layers)


class GINLayer(nn.Module):
    r"""``h' = Dropout(ReLU(LayerNorm(h + GIN(h))))``, in the order the paper lists.

    .. math:: \mathrm{GIN}(h)_v = \mathrm{MLP}\bigl((1 + \epsilon) h_v + \sum_{u \in N(v)} h_u\bigr)
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.conv = gin_conv(sizes.hidden)
        self.after = nn.Sequential(nn.LayerNorm(sizes.hidden), nn.ReLU(), nn.Dropout(sizes.dropout))

    def forward(self, h: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        """``h [n, c] -> [n, c]``."""
        out: Tensor = self.after(h + self.conv(h, edge_index))
        return out


class FeedForward(nn.Module):
    """``h' = LayerNorm(h + Dropout(W_2 ReLU(W_1 h)))`` of inner width 3/2 c, node by node."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        wide = 3 * sizes.hidden // 2  # two such matrices = three square ones: the gated extra
        self.block = nn.Sequential(
            nn.Linear(sizes.hidden, wide),
            nn.ReLU(),
            nn.Linear(wide, sizes.hidden),
            nn.Dropout(sizes.dropout),
        )
        self.norm = nn.LayerNorm(sizes.hidden)

    def forward(self, h: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        """``h [n, c] -> [n, c]``."""
        out: Tensor = self.norm(h + self.block(h))
        return out


def gcn_conv(in_channels: int, out_channels: int) -> GCNConv:
    """A GCN convolution without self-loops."""
    return GCNConv(in_channels, out_channels, add_self_loops=False)


def gat_conv(in_channels: int, channels: int, heads: int) -> GATConv:
    """Graph attention without self-loops, heads concatenated.

    A node that may attend to itself learns to tell itself from its neighbors far worse: the paper's
    figures come out without loops only (results/LOG.md).
    """
    return GATConv(in_channels, channels, heads=heads, add_self_loops=False)


def gin_conv(channels: int) -> GINConv:
    """A GIN convolution with a two-layer MLP and trainable epsilon."""
    mlp = nn.Sequential(nn.Linear(channels, channels), nn.ReLU(), nn.Linear(channels, channels))
    return GINConv(mlp, train_eps=True)


def _widths(sizes: Sizes) -> list[int]:
    """Input channels of each layer of a stack that has no projection."""
    return [sizes.in_channels] + [sizes.hidden] * (sizes.layers - 1)


def _last(conv: nn.Module) -> Plain:
    return Plain(conv, nn.Identity())
