"""Sparse Jacobians from a file: how few products hold all entries, and the way back.

Columns that share no row are measured together: with colors c, the seed matrix is ``S[j, c_j] = 1``
and the products ``B = J S`` hold every entry, ``J[i, j] = B[i, c_j]``. Rows and columns together
may need fewer. Where there is a function instead of a file, see derivatives.py.

python examples/jacobian.py [JACOBIAN.mtx]
"""

import sys
from pathlib import Path

import scipy.sparse as sp
from scipy.io import mmread

import concolor as cc

DATA = Path(__file__).parent / "data"
KINDS = {"column": "by columns", "row": "by rows", "bidirectional": "by both"}


def main(path: str = f"{DATA}/jacobian.mtx") -> None:
    jacobian = sp.csr_array(mmread(path))  # entries that are 0 here need not be so elsewhere
    rows, columns = jacobian.shape
    print(f"Jacobian {rows} x {columns} with {jacobian.nnz} entries")
    for kind, words in KINDS.items():
        coloring = cc.color_matrix(jacobian, kind)
        again = coloring.decompress(coloring.compress(jacobian))
        bound = "no fewer would do" if coloring.is_proved else f"at least {coloring.lower}"
        exact = "yes" if (again != jacobian).nnz == 0 else "no"
        print(f"{coloring.k} products {words} ({bound}); recovered exactly: {exact}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (cc.ConcolorError, OSError, ValueError) as problem:
        raise SystemExit(f"{problem}") from None
