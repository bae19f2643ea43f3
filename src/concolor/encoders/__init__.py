"""From a node to a point on the sphere: ``ENCODERS`` by name, and ``build``.

Every encoder is called as ``encoder(x [n, f], edge_index [2, 2m], batch [n] | None)`` and gives
unit rows ``z [n, hidden]``.
"""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from concolor.encoders.attention import exphormer, graph_vit
from concolor.encoders.gated_gcn import (
    gated_gcn,
    gated_gcn_no_gate,
    gated_gcn_no_layernorm,
    gated_gcn_no_residual,
    gated_gcn_scalar_gate,
    gated_gcn_sum_agg,
)
from concolor.encoders.gated_rnn import gated_rnn
from concolor.encoders.gps import (
    gps_gat,
    gps_gcn,
    gps_gin,
    gps_sage,
    gps_unitary_first_gcn,
    gps_unitary_first_sage,
)
from concolor.encoders.heads import color_head
from concolor.encoders.message_passing import gat, gcn, gin, res_gcn, res_gcn_param_matched, sage
from concolor.encoders.signnet import SignNet
from concolor.encoders.sizes import Sizes
from concolor.encoders.stack import to_sphere
from concolor.encoders.unitary import unitary_mp
from concolor.errors import pick

__all__ = ["ATTENTION", "ENCODERS", "SignNet", "Sizes", "build", "color_head", "to_sphere"]


def build(name: str, sizes: Sizes) -> nn.Module:
    """The encoder of that name, with fresh parameters from torch's global seed.

    >>> build("gated_gcn", Sizes(in_channels=1433)).project
    Linear(in_features=1433, out_features=128, bias=True)
    """
    return pick(ENCODERS, name, "encoder")(sizes)


ENCODERS: dict[str, Callable[[Sizes], nn.Module]] = {
    "gcn": gcn,
    "res_gcn": res_gcn,
    "res_gcn_param_matched": res_gcn_param_matched,
    "gat": gat,
    "gin": gin,
    "sage": sage,
    "gated_gcn": gated_gcn,
    "gated_gcn_no_gate": gated_gcn_no_gate,
    "gated_gcn_no_layernorm": gated_gcn_no_layernorm,
    "gated_gcn_no_residual": gated_gcn_no_residual,
    "gated_gcn_scalar_gate": gated_gcn_scalar_gate,
    "gated_gcn_sum_agg": gated_gcn_sum_agg,
    "gated_rnn": gated_rnn,
    "unitary_mp": unitary_mp,
    "gps": gps_gcn,
    "gps_gcn": gps_gcn,
    "gps_sage": gps_sage,
    "gps_gin": gps_gin,
    "gps_gat": gps_gat,
    "gps_unitary_first_gcn": gps_unitary_first_gcn,
    "gps_unitary_first_sage": gps_unitary_first_sage,
    "graph_vit": graph_vit,
    "exphormer": exphormer,
}

# beyond message passing: these want a smaller learning rate
ATTENTION = frozenset(
    name for name in ENCODERS if name.startswith("gps") or name in ("graph_vit", "exphormer")
)
