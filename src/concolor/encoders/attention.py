"""Attention encoders: graph_vit looks at all nodes, exphormer along edges and an expander."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.utils import coalesce, softmax, to_dense_batch

from concolor.encoders.sizes import Sizes
from concolor.encoders.stack import Stack, projection, sum_of_messages


def graph_vit(sizes: Sizes) -> Stack:
    """Projection, transformer layers over the nodes of each graph, LayerNorm; blind to edges."""
    layers = [TransformerLayer(sizes) for _ in range(sizes.layers)]
    return Stack(projection(sizes), layers, nn.LayerNorm(sizes.hidden))


def exphormer(sizes: Sizes) -> nn.Module:
    """Projection, then sparse attention over edges, self-edges and a deterministic expander."""
    return Exphormer(sizes)


class SelfAttention(nn.MultiheadAttention):
    """Multi-head self-attention in memory linear in n, training or not.

    torch's own has the same parameters, but keeps an n x n matrix per head in inference (its "fast
    path") and under dropout of the weights. It is called as GPSConv calls it.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes.heads * sizes.head_channels, sizes.heads, batch_first=True)

    def forward(  # type: ignore[override]  # self-attention only: key and value are the query
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor,
        need_weights: bool = False,
    ) -> tuple[Tensor, None]:
        """``query [b, n, c]``, ``key_padding_mask [b, n]`` (True: no node) -> ``[b, n, c]``."""
        projected = F.linear(query, self.in_proj_weight, self.in_proj_bias)  # [b, n, 3c]
        q, k, v = projected.unflatten(-1, (3, self.num_heads, -1)).permute(2, 0, 3, 1, 4)
        visible = ~key_padding_mask[:, None, None, :] if key_padding_mask.any() else None
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)  # [b, heads, n, c/heads]
        return self.out_proj(mixed.transpose(1, 2).flatten(2)), None


class TransformerLayer(nn.Module):
    """``h <- LayerNorm(h + Dropout(attention(h)))``, ``h <- LayerNorm(h + Dropout(FFN(h)))``.

    torch's ``TransformerEncoderLayer`` with a feed-forward block of 4c, but for the dropout of
    attention weights, which would need n x n memory.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        wide = 4 * sizes.hidden
        self.attention = SelfAttention(sizes)
        self.norm1 = nn.LayerNorm(sizes.hidden)
        self.block = nn.Sequential(
            nn.Linear(sizes.hidden, wide),
            nn.ReLU(),
            nn.Dropout(sizes.dropout),
            nn.Linear(wide, sizes.hidden),
        )
        self.norm2 = nn.LayerNorm(sizes.hidden)
        self.dropout = nn.Dropout(sizes.dropout)

    def forward(self, h: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        """``h [n, c]``, ``batch [n]`` -> ``[n, c]``."""
        dense, mask = to_dense_batch(h, batch)  # [b, n_max, c], [b, n_max]
        seen, _ = self.attention(dense, dense, dense, key_padding_mask=~mask)
        h = self.norm1(h + self.dropout(seen[mask]))
        out: Tensor = self.norm2(h + self.dropout(self.block(h)))
        return out


class Exphormer(nn.Module):
    """Sparse attention over the union of edges, self-edges and expander edges.

    The expander joins nodes by their place in the graph, so the embedding follows a relabeling of
    the nodes only for ``expander_degree=0``.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.degree = sizes.expander_degree
        self.body = Stack(projection(sizes), [SparseAttention(sizes) for _ in range(sizes.layers)])

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        """``x [n, f]``, ``edge_index [2, 2m]``, ``batch [n]`` -> unit rows ``[n, d]``."""
        n = x.size(0)
        batch = edge_index.new_zeros(n) if batch is None else batch
        itself = torch.arange(n, device=x.device).expand(2, -1)
        edges = torch.cat([edge_index, itself, expander_edges(batch, self.degree)], dim=1)
        out: Tensor = self.body(x, coalesce(edges, num_nodes=n), batch)
        return out


class SparseAttention(nn.Module):
    r"""Multi-head attention of every node to its in-neighbors.

    .. math::
        a_{uv} = \mathrm{softmax}_{u : uv \in E} \langle q_v, k_u \rangle / \sqrt{c / heads}, \qquad
        h_v' = \mathrm{LayerNorm}\bigl(h_v + \mathrm{Dropout}(W_o \sum_u a_{uv} v_u)\bigr)
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.shape = (sizes.heads, sizes.head_channels)
        self.query = nn.Linear(sizes.hidden, sizes.hidden)
        self.key = nn.Linear(sizes.hidden, sizes.hidden)
        self.value = nn.Linear(sizes.hidden, sizes.hidden)
        self.out = nn.Linear(sizes.hidden, sizes.hidden)
        self.dropout = nn.Dropout(sizes.dropout)
        self.norm = nn.LayerNorm(sizes.hidden)

    def forward(self, h: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        """``h [n, c]``, ``edge_index [2, e]`` -> ``[n, c]``."""
        (source, target), n = edge_index, h.size(0)
        query = (self.query(h) * self.shape[1] ** -0.5).index_select(0, target)  # [e, c]
        scores = (query * self.key(h).index_select(0, source)).unflatten(1, self.shape).sum(dim=-1)
        weights = softmax(scores, target, num_nodes=n)  # [e, heads]
        values = self.value(h).index_select(0, source).unflatten(1, self.shape)
        seen = sum_of_messages((weights[..., None] * values).flatten(1), target, n)  # [n, c]
        out: Tensor = self.norm(h + self.dropout(self.out(seen)))
        return out


def expander_edges(batch: Tensor, degree: int) -> Tensor:
    """``degree / 2`` pseudo-random cycles through the nodes of each graph, both ways: ``[2, e]``.

    A union of random Hamiltonian cycles is an expander with high probability. The order of a cycle
    comes from a fixed integer hash of a node's place in its graph, so a graph has the same
    expander alone and in any batch. Graphs of one or two nodes give loops or double edges.

    Args:
        batch: The graph of each node ``[n]``, ascending.
        degree: Even.
    """
    sizes = torch.bincount(batch)
    ends = sizes.cumsum(0)
    start, last = (ends - sizes)[batch], ends[batch] - 1  # [n], constant within a graph
    place = torch.arange(len(batch), device=batch.device)
    follower = torch.where(place == last, start, place + 1)
    edges = [batch.new_empty(2, 0)]
    for cycle in range(degree // 2):
        order = ((batch << 31) + _scrambled(place - start, cycle)).argsort(stable=True)
        edges.append(torch.stack([order, order[follower]]))
    forth = torch.cat(edges, dim=1)
    return torch.cat([forth, forth.flip(0)], dim=1)


def _scrambled(place: Tensor, cycle: int) -> Tensor:
    """A fixed hash of ``(place, cycle)`` to 31 bits."""
    code = (place + 1) * 0x9E3779B1 + (cycle + 1) * 0x85EBCA77
    for shift, factor in ((15, 0x2C1B3C6D), (12, 0x297A2D39)):
        code = ((code ^ (code >> shift)) & 0x7FFFFFFF) * factor
    return (code ^ (code >> 15)) & 0x7FFFFFFF
