"""The matrices of ``matrices.py``, made here: Jacobians, and Hessians with their diagonals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from scipy.spatial import cKDTree

Matrix = sp.csr_array


def banded(n: int, lower: int, upper: int) -> Matrix:
    """Entries from ``lower`` below to ``upper`` above the diagonal."""
    offsets = range(-lower, upper + 1)
    return sp.diags_array(
        [np.ones(n - abs(d)) for d in offsets], offsets=list(offsets), format="csr"
    )


def arrow(n: int) -> Matrix:
    """The diagonal, the first row and the first column."""
    return bordered(sp.eye_array(n, format="csr"), 1, 1)


def bordered(inner: Matrix, rows: int, columns: int) -> Matrix:
    """The matrix with its first rows and columns full."""
    m, n = inner.shape
    top = sp.csr_array(np.pad(np.ones((rows, n)), ((0, m - rows), (0, 0))))
    left = sp.csr_array(np.pad(np.ones((m, columns)), ((0, 0), (0, n - columns))))
    return sp.csr_array(inner + top + left)


def laplacian(side: int, dimension: int, *, corners: bool) -> Matrix:
    """On a grid: 5 or 9 points in two dimensions, 7 or 27 in three."""
    line, one = banded(side, 1, 1), sp.eye_array(side, format="csr")
    if corners:
        parts = [[line] * dimension]
    else:
        parts = [[line if a == b else one for a in range(dimension)] for b in range(dimension)]
    return sp.csr_array(sum(_product(factors) for factors in parts))


def _product(factors: list[Matrix]) -> Matrix:
    found = factors[0]
    for factor in factors[1:]:
        found = sp.kron(found, factor, format="csr")
    return found


def scattered(m: int, n: int, each: int, seed: int = 0) -> Matrix:
    """So many entries a row, by chance."""
    rng = np.random.default_rng(seed)
    columns = np.concatenate([rng.choice(n, each, replace=False) for _ in range(m)])
    return sp.csr_array((np.ones(m * each), (np.repeat(np.arange(m), each), columns)), (m, n))


def uneven(m: int, n: int, seed: int = 0) -> Matrix:
    """Rows of very different lengths: most have two entries, a few have hundreds."""
    rng = np.random.default_rng(seed)
    lengths = np.minimum(2 + rng.pareto(1.2, m).astype(int), n // 4)
    columns = np.concatenate([rng.choice(n, length, replace=False) for length in lengths])
    return sp.csr_array(
        (np.ones(len(columns)), (np.repeat(np.arange(m), lengths), columns)), (m, n)
    )


def blocks(count: int, size: int) -> Matrix:
    """Full blocks on the diagonal, each tied to the next by one entry in every row."""
    full = sp.kron(sp.eye_array(count), np.ones((size, size)), format="csr")
    return sp.csr_array(full + sp.eye_array(count * size, k=size))


def symmetric(matrix: Matrix) -> Matrix:
    """With its mirror image and the diagonal."""
    return sp.csr_array(matrix + matrix.T + sp.eye_array(matrix.shape[0]))


def atoms(count: int, reach: float, seed: int = 0) -> Matrix:
    """Hessian of pair potentials that end at a distance: three coordinates an atom."""
    points = np.random.default_rng(seed).random((count, 3)) * count ** (1 / 3)
    pairs = cKDTree(points).query_pairs(reach, output_type="ndarray")
    near = sp.csr_array((np.ones(len(pairs)), pairs.T), (count, count))
    return sp.csr_array(sp.kron(symmetric(near), np.ones((3, 3))))


def regression(samples: int, features: int, each: int, seed: int = 0) -> Matrix:
    """Hessian of a logistic regression on sparse samples, whose intercept meets every feature."""
    x = scattered(samples, features, each, seed)
    return symmetric(bordered(sp.csr_array(x.T @ x), 1, 1))


def control(steps: int, states: int, inputs: int) -> Matrix:
    """Hessian of an optimal control problem: states and inputs of a step meet, states the next."""
    size = states + inputs
    follows = np.zeros((size, size))
    follows[:, :states] = 1
    within = sp.kron(sp.eye_array(steps), np.ones((size, size)))
    return symmetric(sp.csr_array(within + sp.kron(sp.eye_array(steps, k=1), follows)))


MATRICES: dict[str, tuple[Callable[[], Matrix], bool]] = {  # made by, symmetric
    "band, 5 below, 3 above": (lambda: banded(20_000, 5, 3), False),
    "arrow": (lambda: arrow(3_000), True),
    "band with 4 full rows and 3 full columns": (
        lambda: bordered(banded(3_000, 2, 2), 4, 3),
        False,
    ),
    "2-D grid, 5 points": (lambda: laplacian(100, 2, corners=False), True),
    "2-D grid, 9 points": (lambda: laplacian(100, 2, corners=True), True),
    "3-D grid, 7 points": (lambda: laplacian(22, 3, corners=False), True),
    "3-D grid, 27 points": (lambda: laplacian(22, 3, corners=True), True),
    "random, 4 a row": (lambda: scattered(5_000, 5_000, 4), False),
    "random, tall, 8 a row": (lambda: scattered(6_000, 1_500, 8), False),
    "rows of uneven length": (lambda: uneven(5_000, 4_000), False),
    "tied blocks of 12": (lambda: blocks(500, 12), False),
    "random symmetric, 3 a row": (lambda: symmetric(scattered(3_000, 3_000, 3)), True),
    "Hessian: chained Rosenbrock": (lambda: banded(20_000, 1, 1), True),
    "Hessian: atoms in a box": (lambda: atoms(1_000, 1.4), True),
    "Hessian: logistic regression": (lambda: regression(900, 600, 4), True),
    "Hessian: optimal control": (lambda: control(400, 6, 2), True),
}
