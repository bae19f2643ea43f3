"""The head of the soft conflict term."""

from __future__ import annotations

from torch import nn


def color_head(hidden: int, slots: int) -> nn.Linear:
    """Embeddings to color logits, ``W z + b``: ``[n, d] -> [n, C]`` for C color slots."""
    return nn.Linear(hidden, slots)
