import networkx as nx
import pytest
import torch
from torch import nn

from concolor.encoders.attention import (
    SelfAttention,
    SparseAttention,
    TransformerLayer,
    expander_edges,
)
from concolor.encoders.sizes import Sizes

SIZES = Sizes(in_channels=5, hidden=12, heads=3, dropout=0.0)
NONE = torch.empty(2, 0, dtype=torch.long)


@pytest.mark.parametrize("padded", [True, False])
def test_self_attention_is_torchs(padded):
    torch.manual_seed(0)
    lean, stock = SelfAttention(SIZES), nn.MultiheadAttention(12, 3, batch_first=True)
    stock.load_state_dict(lean.state_dict())
    h, missing = torch.randn(2, 6, 12), torch.zeros(2, 6, dtype=torch.bool)
    missing[1, 4:] = padded

    ours, _ = lean(h, h, h, key_padding_mask=missing)
    theirs, _ = stock(h, h, h, key_padding_mask=missing)

    torch.testing.assert_close(ours[~missing], theirs[~missing], atol=1e-5, rtol=1e-4)


def test_the_transformer_layer_is_torchs():
    torch.manual_seed(0)
    ours = TransformerLayer(SIZES)
    theirs = nn.TransformerEncoderLayer(12, 3, 48, dropout=0.0, batch_first=True)
    theirs.self_attn.load_state_dict(ours.attention.state_dict())
    for name, part in (("linear1", ours.block[0]), ("linear2", ours.block[3])):
        getattr(theirs, name).load_state_dict(part.state_dict())
    h = torch.randn(7, 12)

    torch.testing.assert_close(ours(h, NONE), theirs(h[None])[0], atol=1e-5, rtol=1e-4)


def test_sparse_attention_over_all_pairs_is_dense_attention():
    torch.manual_seed(0)
    sparse, dense = SparseAttention(SIZES), nn.MultiheadAttention(12, 3, batch_first=True)
    parts = (sparse.query, sparse.key, sparse.value)
    with torch.no_grad():
        dense.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        dense.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
    dense.out_proj.load_state_dict(sparse.out.state_dict())
    h = torch.randn(5, 12)
    pairs = torch.cartesian_prod(torch.arange(5), torch.arange(5)).T

    seen, _ = dense(h[None], h[None], h[None])

    torch.testing.assert_close(sparse(h, pairs), sparse.norm(h + seen[0]), atol=1e-5, rtol=1e-4)


def as_networkx(n: int, edges: torch.Tensor) -> nx.Graph:
    twin = nx.empty_graph(n)
    twin.add_edges_from(edges.T.tolist())
    return twin


@pytest.mark.parametrize("degree", [0, 2, 4, 6])
def test_every_node_gets_the_degree_within_its_graph(degree):
    batch = torch.arange(3).repeat_interleave(torch.tensor([40, 1, 75]))
    edges = expander_edges(batch, degree)

    assert (batch[edges[0]] == batch[edges[1]]).all()
    assert (torch.bincount(edges[0], minlength=116) == degree).all()
    assert (torch.bincount(edges[1], minlength=116) == degree).all()


def test_the_expander_expands():
    twin = as_networkx(300, expander_edges(torch.zeros(300, dtype=torch.long), 4))
    spectrum = sorted(abs(nx.adjacency_spectrum(twin)), reverse=True)

    assert nx.is_connected(twin)
    assert spectrum[1] / 4 < 0.92  # 0.866 for the best 4-regular graphs, 0.9997 for a circle


def test_a_graph_has_the_same_expander_in_any_batch():
    alone = expander_edges(torch.zeros(50, dtype=torch.long), 4)
    batch = torch.arange(3).repeat_interleave(torch.tensor([9, 50, 4]))
    edges = expander_edges(batch, 4)

    inside = edges[:, batch[edges[0]] == 1] - 9

    assert set(map(tuple, inside.T.tolist())) == set(map(tuple, alone.T.tolist()))
