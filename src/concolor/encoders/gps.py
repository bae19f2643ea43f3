"""GPS: a local convolution and global attention side by side (Rampasek et al., 2022).

Each layer is PyTorch Geometric's ``GPSConv`` (batch norm, feed-forward 2c), with ``SelfAttention``
in place of torch's for its memory; the parameters are the same.
"""

from __future__ import annotations

from collections.abc import Callable

from torch import nn
from torch_geometric.nn import GCNConv, GPSConv, SAGEConv

from concolor.encoders.attention import SelfAttention
from concolor.encoders.message_passing import gat_conv, gcn_conv, gin_conv
from concolor.encoders.sizes import Sizes
from concolor.encoders.stack import Stack, projection
from concolor.encoders.unitary import unitary_layer

Local = Callable[[Sizes], nn.Module]


def gps_gcn(sizes: Sizes) -> Stack:
    """GPS around GCN convolutions."""
    return _gps(sizes, _gcn)


def gps_sage(sizes: Sizes) -> Stack:
    """GPS around GraphSAGE convolutions."""
    return _gps(sizes, _sage)


def gps_gin(sizes: Sizes) -> Stack:
    """GPS around GIN convolutions."""
    return _gps(sizes, lambda s: gin_conv(s.hidden))


def gps_gat(sizes: Sizes) -> Stack:
    """GPS around graph attention, heads concatenated."""
    return _gps(sizes, lambda s: gat_conv(s.hidden, s.head_channels, s.heads))


def gps_unitary_first_gcn(sizes: Sizes) -> Stack:
    """gps_gcn whose first local convolution is a layer of unitary_mp."""
    return _gps(sizes, _gcn, first=unitary_layer)


def gps_unitary_first_sage(sizes: Sizes) -> Stack:
    """gps_sage whose first local convolution is a layer of unitary_mp."""
    return _gps(sizes, _sage, first=unitary_layer)


def _gps(sizes: Sizes, local: Local, first: Local | None = None) -> Stack:
    kinds = [first or local] + [local] * (sizes.layers - 1)
    return Stack(projection(sizes), [_layer(kind(sizes), sizes) for kind in kinds])


def _layer(conv: nn.Module, sizes: Sizes) -> GPSConv:
    attention = SelfAttention(sizes)
    layer = GPSConv(
        sizes.hidden,
        conv,
        heads=sizes.heads,
        dropout=sizes.dropout,
        norm_kwargs={"allow_single_element": True},  # a single node has no variance of its own
    )
    layer.attn = attention
    return layer


def _gcn(sizes: Sizes) -> GCNConv:
    return gcn_conv(sizes.hidden, sizes.hidden)


def _sage(sizes: Sizes) -> SAGEConv:
    return SAGEConv(sizes.hidden, sizes.hidden)
