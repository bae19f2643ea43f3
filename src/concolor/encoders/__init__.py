"""From a node to a point on the sphere: ``ENCODERS`` by name, and ``build``. No torch here.

Every encoder is called as ``encoder(x [n, f], edge_index [2, 2m], batch [n] | None)`` and gives
unit rows ``z [n, hidden]``. What it needs (torch, PyTorch Geometric) is imported when it is built.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from concolor.encoders.sizes import Sizes
from concolor.registry import chosen, first_line, resolve

if TYPE_CHECKING:
    from torch import nn

__all__ = ["ENCODERS", "PLAIN", "Encoder", "EncoderChoice", "Sizes", "build", "encoder_of"]

Make: TypeAlias = "Callable[[Sizes], nn.Module]"
EncoderChoice: TypeAlias = "str | Encoder | Make"


@dataclass(frozen=True)
class Encoder:
    """An entry of :data:`ENCODERS`.

    Attributes:
        doc: What it is.
        home: ``"module:function"`` in this package, imported on first use; or the function itself.
        heads: Whether it splits its channels among attention heads, which must divide ``hidden``.
        beyond_neighbors: Whether nodes see beyond their neighbors. Such encoders want a smaller
            learning rate.
    """

    doc: str
    home: str | Make
    heads: bool = False
    beyond_neighbors: bool = False

    @property
    def make(self) -> Make:
        """The function itself: ``Sizes -> nn.Module``."""
        if not isinstance(self.home, str):
            return self.home
        function: Make = resolve(f"{__name__}.{self.home}")
        return function


def encoder_of(given: EncoderChoice) -> Encoder:
    """An encoder by its name, as an entry of its own, or by the function that makes it.

    >>> encoder_of("gcn").doc
    'GCN convolutions with ReLU between; no residual, no norm'
    """
    found = chosen(given, ENCODERS, "encoder", Encoder)
    return found if isinstance(found, Encoder) else Encoder(first_line(found), found)


def build(given: EncoderChoice, sizes: Sizes) -> nn.Module:
    """The encoder with fresh parameters from torch's global seed.

    >>> build("gated_gcn", Sizes(in_channels=1433)).project
    Linear(in_features=1433, out_features=128, bias=True)
    """
    return encoder_of(given).make(sizes)


def _gated(doc: str, name: str) -> Encoder:
    return Encoder(doc, f"gated_gcn:{name}")


def _gps(doc: str, name: str) -> Encoder:
    return Encoder(doc, f"gps:{name}", heads=True, beyond_neighbors=True)


def _attention(doc: str, name: str) -> Encoder:
    return Encoder(doc, f"attention:{name}", heads=True, beyond_neighbors=True)


# not among the encoders: nothing can be trained with it
PLAIN = Encoder("the features as they are, on the sphere", "plain:plain")

ENCODERS: dict[str, Encoder | Make] = {
    "gcn": Encoder(
        "GCN convolutions with ReLU between; no residual, no norm", "message_passing:gcn"
    ),
    "res_gcn": Encoder("GCN convolutions with residual and LayerNorm", "message_passing:res_gcn"),
    "res_gcn_param_matched": Encoder(
        "res_gcn with feed-forward blocks, as large as gated_gcn",
        "message_passing:res_gcn_param_matched",
    ),
    "gat": Encoder(
        "graph attention among neighbors, heads concatenated", "message_passing:gat", heads=True
    ),
    "gin": Encoder("sums of neighbors with residual and LayerNorm", "message_passing:gin"),
    "sage": Encoder("GraphSAGE convolutions (mean) with ReLU between", "message_passing:sage"),
    "gated_gcn": _gated("messages with a gate per channel; the paper's best", "gated_gcn"),
    "gated_gcn_no_gate": _gated("gated_gcn with all gates open", "gated_gcn_no_gate"),
    "gated_gcn_no_layernorm": _gated("gated_gcn without LayerNorm", "gated_gcn_no_layernorm"),
    "gated_gcn_no_residual": _gated("gated_gcn without skip connection", "gated_gcn_no_residual"),
    "gated_gcn_scalar_gate": _gated("gated_gcn with one gate per edge", "gated_gcn_scalar_gate"),
    "gated_gcn_sum_agg": _gated("gated_gcn with messages added up", "gated_gcn_sum_agg"),
    "gated_rnn": Encoder("one layer of gated_gcn, applied again and again", "gated_rnn:gated_rnn"),
    "light_rnn": Encoder(
        "messages weighted by how alike the ends are, again and again", "light_rnn:light_rnn"
    ),
    "unitary_mp": Encoder("message passing by orthogonal maps", "unitary:unitary_mp"),
    "gps": _gps("GPS around GCN convolutions, the same as gps_gcn", "gps_gcn"),
    "gps_gcn": _gps("GPS around GCN convolutions", "gps_gcn"),
    "gps_sage": _gps("GPS around GraphSAGE convolutions", "gps_sage"),
    "gps_gin": _gps("GPS around GIN convolutions", "gps_gin"),
    "gps_gat": _gps("GPS around graph attention", "gps_gat"),
    "gps_unitary_first_gcn": _gps(
        "gps_gcn whose first convolution is one of unitary_mp", "gps_unitary_first_gcn"
    ),
    "gps_unitary_first_sage": _gps(
        "gps_sage whose first convolution is one of unitary_mp", "gps_unitary_first_sage"
    ),
    "graph_vit": _attention("attention among all nodes, blind to edges", "graph_vit"),
    "exphormer": _attention("attention along edges and an expander", "exphormer"),
}
