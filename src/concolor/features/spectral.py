r"""What the spectrum tells of hidden classes: the lowest eigenvectors of the Bethe Hessian.

.. math:: H = (c - 1) I + \sqrt{c}\, A + D, \qquad c = 2m / n

(Saade, Krzakala and Zdeborová 2014, with :math:`r = -\sqrt{c}`: the sign for classes that avoid
each other.) Where a k-coloring is hidden in a sparse random graph and can be seen at all, the k - 1
lowest eigenvectors point to it: nodes of one class lie near one of k directions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from concolor.aligned import aligned
from concolor.features.random import gaussian
from concolor.graph.core import Graph
from concolor.threads import worth

Floats = NDArray[np.float32]
DEGREES = (20, 20, 40)  # of the filter, round by round
SPARE = 4  # vectors beyond those asked for, at least
EXACT = 256  # nodes up to which the whole spectrum is computed
CONVERGED = 1e-4  # length of a residual over the largest eigenvalue
PACE = 8e-10  # seconds that a number of a product with H takes on one core, about


def bethe_hessian(graph: Graph) -> sp.csr_array:
    """``H`` as float32, ``[n, n]``."""
    c = 2 * graph.m / max(graph.n, 1)
    diagonal = sp.diags_array(graph.degrees + (c - 1), dtype=np.float32)
    return (diagonal + np.float32(np.sqrt(c)) * graph.adjacency().astype(np.float32)).tocsr()


def lowest_vectors(graph: Graph, count: int) -> tuple[Floats, Floats]:
    r"""The lowest eigenvalues ``[count]`` of the Bethe Hessian and their vectors ``[n, count]``.

    By subspace iteration: a block of random vectors is filtered by a Chebyshev polynomial that is
    small on :math:`[a, b]` and grows fast below a, where a is the highest Ritz value of the block
    and b bounds the spectrum, then turned onto Ritz vectors. At most 80 products with H,
    ``O((n + m) count)`` each, for any graph; near the bulk of the spectrum vectors may be mixed.
    Columns are orthonormal; beyond n they are 0, as are the values.
    """
    q = min(count, graph.n)
    values, found = np.zeros(count, np.float32), np.zeros((graph.n, count), np.float32)
    if graph.m == 0 or q == 0:
        return values, found
    width = _width(q)
    if graph.n <= max(EXACT, width):
        ritz, vectors = np.linalg.eigh(bethe_hessian(graph).toarray())
    else:
        ritz, vectors = _filtered(graph, q, width)
    values[:q], found[:, :q] = ritz[:q], vectors[:, :q]
    return values, found


def vector_seconds(graph: Graph, count: int) -> float:
    """What :func:`lowest_vectors` takes on one core, about."""
    return PACE * sum(DEGREES) * _width(min(count, graph.n)) * (graph.n + 2 * graph.m)


def _width(count: int) -> int:
    """Vectors of a block, in whole vectors of a processor."""
    return -(-(count + SPARE) // 8) * 8


def _filtered(graph: Graph, count: int, width: int) -> tuple[Floats, Floats]:
    """Ritz values ``[width]`` and vectors ``[n, width]``, of which ``count`` are wanted."""
    generator = np.random.default_rng(int(graph.digest, 16))
    block = generator.standard_normal((graph.n, width), dtype=np.float32)
    top = _highest(graph)
    with _stepper(graph, width) as step:
        ritz, block = _turned(step, np.linalg.qr(block)[0])[:2]
        for degree in DEGREES:
            low = min(float(ritz[-1]), 0.9 * top)
            block = np.linalg.qr(_chebyshev(step, block, low, top, degree))[0]
            ritz, block, residuals = _turned(step, block)
            if residuals[:count].max() < CONVERGED * top:
                break
    return ritz, block


Step: TypeAlias = Callable[[Floats, Floats, float, float], None]


@contextmanager
def _stepper(graph: Graph, width: int) -> Iterator[Step]:
    """``step(x, y, s, t)`` puts ``s (H - t) x - y`` in the place of ``y [n, q]``.

    Several threads, where that pays, take rows of about as many edges each; the result is the same.
    """
    from concolor.features.kernels import three_term  # imports numba

    c = 2 * graph.m / graph.n
    sides = graph.indptr.copy(), graph.indices.astype(np.int32)
    diagonal, root = (graph.degrees + (c - 1)).astype(np.float32), np.sqrt(c)
    workers = worth(2 * graph.m * width)
    cuts = np.searchsorted(graph.indptr, np.linspace(0, 2 * graph.m, 4 * workers + 1)[1:-1])
    blocks = list(pairwise([0, *cuts.tolist(), graph.n]))

    with ThreadPoolExecutor(workers) as pool:
        each: Callable[..., Any] = map if workers == 1 else pool.map

        def step(x: Floats, y: Floats, scale: float, shift: float) -> None:
            own = np.float32(scale) * (diagonal - np.float32(shift))
            weight = np.float32(scale * root)
            for _ in each(lambda rows: three_term(*sides, weight, own, x, y, *rows), blocks):
                pass

        yield step


def _highest(graph: Graph) -> float:
    """A bound of the spectrum: ``max (M x) / x`` for any ``x > 0`` and ``M = H + I >= 0``.

    The rows of M add up to it for x = 1; a few steps of the power method make it sharp.
    """
    c = 2 * graph.m / graph.n
    neighbors, x = graph.adjacency().astype(np.float64), np.ones(graph.n)
    for _ in range(10):
        y = np.sqrt(c) * (neighbors @ x) + (graph.degrees + c) * x
        bound = (y / x).max() - 1
        x = y / y.max()
    return float(bound) * (1 + 1e-6)


def _turned(step: Step, block: Floats) -> tuple[Floats, Floats, Floats]:
    """Ritz values, vectors and lengths of residuals of an orthonormal block, ascending."""
    block, image = _aligned(block), aligned(block.shape)
    step(block, image, 1.0, 0.0)
    ritz, turn = np.linalg.eigh(block.T @ image)
    block = block @ turn
    return ritz, block, np.linalg.norm(image @ turn - block * ritz, axis=0)


def _chebyshev(step: Step, block: Floats, low: float, top: float, degree: int) -> Floats:
    """``T(H) block`` with the Chebyshev polynomial of [low, top], scaled as it grows."""
    half, middle = (top - low) / 2, (top + low) / 2
    before, now = _aligned(block), aligned(block.shape)
    step(before, now, 1 / half, middle)
    for done in range(1, degree):
        step(now, before, 2 / half, middle)
        before, now = now, before
        if done % 4 == 0:  # H grows a vector by some tens at most
            size = 1 / np.abs(now).max()
            before *= size
            now *= size
    return now


def _aligned(block: Floats) -> Floats:
    """A copy that begins with a line of the cache: a row of 16 numbers is one line, not two."""
    copy = aligned(block.shape)
    copy[:] = block
    return copy


def spectral(graph: Graph, dim: int = 8, seed: int = 0) -> Floats:
    """The lowest eigenvectors with random signs, their entries of mean square 1: ``[n, dim]``.

    Eigenvectors have no sign of their own, so the seed draws one for each, and a network cannot
    rely on any. Rows keep their lengths: long ones are those that the spectrum is sure of.
    """
    signs = np.random.default_rng([seed, dim]).choice([-1.0, 1.0], dim)
    return np.asarray(eigenvectors(graph, dim) * signs, np.float32)


def eigenvectors(graph: Graph, dim: int = 8, seed: int = 0) -> Floats:
    """The same with the signs that the computation gave them: ``[n, dim]``."""
    return np.asarray(_kept(graph, dim) * np.sqrt(graph.n), np.float32)


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
