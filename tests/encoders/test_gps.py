import pytest
import torch
from torch import nn

from concolor.encoders import Sizes, build

EDGES = torch.tensor([[0, 1, 1, 2, 3, 4], [1, 0, 2, 1, 4, 3]])
BATCH = torch.tensor([0, 0, 0, 1, 1])


@pytest.mark.parametrize("name", ["gps", "gps_sage", "gps_gin", "gps_gat"])
def test_the_lean_attention_leaves_gpsconv_as_it_is(name):
    torch.manual_seed(0)
    layer = build(name, Sizes(in_channels=5, hidden=12, heads=3, dropout=0.0)).layers[0]
    h = torch.randn(5, 12)
    ours = layer(h, EDGES, BATCH)

    stock = nn.MultiheadAttention(12, 3, batch_first=True)
    stock.load_state_dict(layer.attn.state_dict())
    layer.attn = stock

    torch.testing.assert_close(ours, layer(h, EDGES, BATCH), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", ["gps_unitary_first_gcn", "gps_unitary_first_sage"])
def test_only_the_first_layer_is_unitary(name):
    made = build(name, Sizes(in_channels=5, hidden=12, layers=3))
    kinds = [any("mix" in key for key, _ in layer.named_parameters()) for layer in made.layers]
    assert kinds == [True, False, False]
