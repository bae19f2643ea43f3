"""Features from a data set's own bag of words, and ways to carry them to another data set.

Vocabularies differ, so a model that reads raw words stays at home. Hashing every word to a fixed
slot gives all data sets the same width; structural features, or a basis learned at the source, may
follow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from concolor.errors import InputError
from concolor.features.structural import structural
from concolor.graph.core import Features, Graph

Float32 = NDArray[np.float32]


def words(graph: Graph) -> Features:
    """The data set's own features ``[n, f]``, dense or CSR, or the way out where there are none."""
    if graph.x is None:
        raise InputError(
            f"{graph} has no node features of its own (words), which the model reads: take one, or "
            "train one, with features=random or structural"
        )
    return graph.x


def unit_words(graph: Graph) -> Graph:
    """The graph with its own features scaled to unit length, node by node; empty rows stay empty.

    Counts of one data set and weights of another differ in size by far: a model that goes from one
    to the other reads directions better.
    """
    x = words(graph)
    squares = x.power(2).sum(axis=1) if isinstance(x, sp.csr_array) else np.square(x).sum(axis=1)
    scale = 1 / np.sqrt(np.where(squares > 0, squares, 1))
    scaled = sp.diags_array(scale) @ x if isinstance(x, sp.csr_array) else scale[:, None] * x
    return graph.but(x=scaled)


def bow(graph: Graph) -> Float32:
    """The data set's own bag of words ``[n, f]``, as a dense copy."""
    x = words(graph)
    dense: Float32 = x.toarray() if isinstance(x, sp.csr_array) else np.array(x)
    return dense


def signed_hash(x: Features, dim: int) -> Float32:
    r"""Words hashed to ``dim`` slots: :math:`h = x H`, ``[n, f] -> [n, dim]``.

    :math:`H \in \{-1, 0, 1\}^{f \times dim}` has one nonzero per row; its place and sign are a
    fixed integer hash of the row's number, the same on every machine and for every data set.
    """
    code = _mixed(np.arange(x.shape[1], dtype=np.uint64))
    slot = (code >> np.uint64(32)) % np.uint64(dim)
    sign = np.where(code & np.uint64(1), np.float32(-1), np.float32(1))
    starts = np.arange(x.shape[1] + 1)
    projection = sp.csr_array((sign, slot.astype(np.int64), starts), shape=(x.shape[1], dim))
    hashed = x @ projection
    dense: Float32 = hashed.toarray() if sp.issparse(hashed) else hashed
    return dense


def hybrid(graph: Graph, dim: int = 288) -> Float32:
    """``[hash ; structural]``, the last 32 of ``dim`` columns being structural: ``[n, dim]``."""
    last = 32
    if dim <= last:
        raise InputError(f"hybrid features need dim > {last} (their structural part), got {dim}")
    text = signed_hash(words(graph), dim - last)
    return np.concatenate([text, structural(graph, last)], axis=1)


def layer_norm(x: Float32, eps: float = 1e-5) -> Float32:
    """Rows shifted to mean 0 and scaled to variance 1, without learned parameters: ``[n, f]``."""
    centered = x - x.mean(axis=1, keepdims=True)
    rows: Float32 = centered / np.sqrt(centered.var(axis=1, keepdims=True) + np.float32(eps))
    return rows


@dataclass(frozen=True, eq=False)
class Basis:
    """Directions learned at the source and reused at the target: ``h -> (h - mean) components``.

    Attributes:
        mean: ``[f]``; zero for svd.
        components: ``[f, dim]``; orthonormal columns, then zeros where the source has a lower rank.
    """

    mean: Float32
    components: Float32

    def __call__(self, h: Float32) -> Float32:
        """``h [n, f] -> [n, dim]``."""
        rows: Float32 = np.matmul(h - self.mean, self.components, dtype=np.float32)
        return rows


def fit_basis(blocks: Iterable[Float32], dim: int, *, center: bool) -> Basis:
    r"""The top right singular vectors of the stacked ``blocks [n_i, f]``, centered for pca.

    They are the leading eigenvectors of :math:`H^\top H - n \mu \mu^\top`, ``[f, f]`` whatever the
    number of rows, each with its largest entry made positive. Directions that the source does not
    span would be rounding noise: they are zero columns, so the width is ``dim`` for every source.
    """
    count, total, gram = 0, np.zeros(()), np.zeros(())
    for block in blocks:
        rows = block.astype(np.float64)
        count, total, gram = count + len(rows), total + rows.sum(axis=0), gram + rows.T @ rows
    mean = total / max(count, 1) if center else np.zeros_like(total)
    values, vectors = np.linalg.eigh(gram - count * np.outer(mean, mean))
    values, vectors = values[::-1][:dim], vectors[:, ::-1][:, :dim]  # largest first
    # relative to the uncentered size: what centering leaves of a constant source is noise as well
    noise = len(gram) * np.finfo(np.float64).eps * np.trace(gram)
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=0)[None], axis=0)
    components = np.zeros((len(gram), dim), np.float32)
    components[:, : len(values)] = np.where(values > noise, np.sign(largest) * vectors, 0)
    return Basis(mean.astype(np.float32), components)


def _mixed(code: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A bijection of 64-bit integers that spreads neighbors apart (the finalizer of splitmix64)."""
    code = (code + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    code = (code ^ (code >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    code = (code ^ (code >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return code ^ (code >> np.uint64(31))
