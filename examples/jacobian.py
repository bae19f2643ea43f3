"""Sparse Jacobians: columns that share no row are measured together, in one product.

Columns u and v share a row if some row stores an entry in both, also one that happens to be 0. With
colors c, the seed matrix is ``S[j, c_j] = 1``; the products ``B = J S`` hold every entry:
``J[i, j] = B[i, c_j]``.

python examples/jacobian.py [JACOBIAN.mtx]
"""

import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.io import mmread

import concolor as cc

DATA = Path(__file__).parent / "data"


def main(path: str = f"{DATA}/jacobian.mtx") -> None:
    jacobian = sp.csr_array(mmread(path))  # entries that are 0 here need not be so elsewhere
    coloring = cc.color(column_graph(jacobian))
    seeds = seed_matrix(coloring)
    compressed = jacobian @ seeds  # a column of it is one directional derivative
    again = recovered(jacobian, compressed, coloring.colors)

    (rows, columns), products = jacobian.shape, seeds.shape[1]
    bound = np.diff(jacobian.indptr).max(initial=0)
    print(f"Jacobian {rows} x {columns} with {jacobian.nnz} entries")
    print(f"{products} products instead of {columns}: {columns / products:.1f} times fewer")
    print(f"At least {bound} are needed: so many entries stand in one row")
    print(f"DSATUR alone would take {cc.dsatur(coloring.graph).k}")
    print(f"Recovered exactly: {'yes' if (again != jacobian).nnz == 0 else 'no'}")


def column_graph(jacobian: sp.csr_array) -> cc.Graph:
    """Columns as nodes, adjacent where some row has entries in both."""
    ones = np.ones(jacobian.nnz, np.int64)  # counts cannot cancel
    pattern = sp.csr_array((ones, jacobian.indices, jacobian.indptr), shape=jacobian.shape)
    return cc.from_scipy(pattern.T @ pattern, name="columns")


def seed_matrix(coloring: cc.Coloring) -> sp.csr_array:
    """``S [columns, k]`` with one 1 a row."""
    n, k = coloring.graph.n, coloring.k
    colors = np.unique(coloring.colors, return_inverse=True)[1]
    return sp.csr_array((np.ones(n), (np.arange(n), colors)), shape=(n, k))


def recovered(pattern: sp.csr_array, compressed: sp.csr_array, colors: np.ndarray) -> sp.csr_array:
    """``J`` from ``B = J S`` and the places of its entries."""
    i, j = pattern.tocoo().coords
    place = np.unique(colors, return_inverse=True)[1]
    values = np.asarray(compressed[i, place[j]]).ravel()
    return sp.csr_array((values, (i, j)), shape=pattern.shape)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (cc.ConcolorError, OSError, ValueError) as problem:
        raise SystemExit(f"{problem}") from None
