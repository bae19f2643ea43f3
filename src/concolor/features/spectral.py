r"""What the spectrum tells of hidden classes: the lowest eigenvectors of the Bethe Hessian.

.. math:: H = (c - 1) I + \sqrt{c}\, A + D, \qquad c = 2m / n

(Saade, Krzakala and Zdeborová 2014, with :math:`r = -\sqrt{c}`: the sign for classes that avoid
each other.) Where a k-coloring is hidden in a sparse random graph and can be seen at all, the k - 1
lowest eigenvectors point to it: nodes of one class lie near one of k directions.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from concolor.features.random import gaussian
from concolor.graph.core import Graph

Floats = NDArray[np.float32]
DEGREE, ROUNDS, SPARE = 40, 3, 4  # of the filter; how often; vectors beyond those asked for


def bethe_hessian(graph: Graph) -> sp.csr_array:
    """``H`` as float32, ``[n, n]``."""
    c = 2 * graph.m / max(graph.n, 1)
    diagonal = sp.diags_array(graph.degrees + (c - 1), dtype=np.float32)
    return (diagonal + np.float32(np.sqrt(c)) * graph.adjacency().astype(np.float32)).tocsr()


def lowest_vectors(graph: Graph, count: int) -> tuple[Floats, Floats]:
    r"""The lowest eigenvalues ``[count]`` of the Bethe Hessian and their vectors ``[n, count]``.

    By subspace iteration: a block of random vectors is filtered by a Chebyshev polynomial that is
    small on :math:`[a, b]` and grows fast below a, where a is the highest Ritz value of the block
    and b bounds the spectrum, then turned onto Ritz vectors. A fixed number of products with H,
    ``O((n + m) count)`` each, for any graph; near the bulk of the spectrum vectors may be mixed.
    Columns are orthonormal; beyond n they are 0, as are the values.
    """
    q = min(count, graph.n)
    values, found = np.zeros(count, np.float32), np.zeros((graph.n, count), np.float32)
    if graph.m == 0:
        return values, found
    h = bethe_hessian(graph)
    generator = np.random.default_rng(int(graph.digest, 16))
    block = generator.standard_normal((graph.n, min(q + SPARE, graph.n)), dtype=np.float32)
    block = np.linalg.qr(block)[0]
    top = float(abs(h).sum(axis=1).max())  # Gershgorin
    for _ in range(ROUNDS if block.shape[1] < graph.n else 0):  # else it spans everything
        highest = float(np.linalg.eigvalsh(block.T @ (h @ block))[-1])
        block = np.linalg.qr(_filtered(h, block, min(highest, 0.9 * top), top))[0]
    ritz, turned = np.linalg.eigh(block.T @ (h @ block))
    values[:q], found[:, :q] = ritz[:q], (block @ turned)[:, :q]
    return values, found


def _filtered(h: sp.csr_array, block: Floats, low: float, top: float) -> Floats:
    """``T(h) block`` with the Chebyshev polynomial of [low, top], scaled as it grows."""
    half, middle = np.float32((top - low) / 2), np.float32((top + low) / 2)
    before, now = block, (h @ block - middle * block) / half
    for _ in range(DEGREE - 1):
        before, now = now, 2 * (h @ now - middle * now) / half - before
        size = np.abs(now).max()
        before, now = before / size, now / size
    return np.asarray(now)


def spectral(graph: Graph, dim: int = 8, seed: int = 0) -> Floats:
    """The lowest eigenvectors with random signs, their entries of mean square 1: ``[n, dim]``.

    Eigenvectors have no sign of their own, so the seed draws one for each, and a network cannot
    rely on any. Rows keep their lengths: long ones are those that the spectrum is sure of.
    """
    signs = np.random.default_rng([seed, dim]).choice([-1.0, 1.0], dim)
    return np.asarray(_kept(graph, dim) * signs * np.sqrt(graph.n), np.float32)


def spectral_random(graph: Graph, dim: int = 16, seed: int = 0) -> Floats:
    """Half of the columns spectral, half independent N(0, 1): ``[n, dim]``."""
    half = dim // 2
    return np.concatenate([spectral(graph, half, seed), gaussian(graph, dim - half, seed)], axis=1)


_known: WeakKeyDictionary[Graph, dict[int, Floats]] = WeakKeyDictionary()


def _kept(graph: Graph, dim: int) -> Floats:
    """:func:`lowest_vectors`, once for a graph: training asks in every epoch."""
    by_dim = _known.setdefault(graph, {})
    if dim not in by_dim:
        by_dim[dim] = lowest_vectors(graph, dim)[1]
    return by_dim[dim]
