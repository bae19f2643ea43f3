r"""Column colorings: columns of one color share no row.

.. math:: c_j \ne c_{j'} \quad\text{if}\quad A_{ij} \ne 0 \ne A_{ij'} \text{ for some row } i

With the seeds :math:`S_{j c_j} = 1` the products :math:`B = A S` hold every entry:
:math:`A_{ij} = B_{i c_j}` (Curtis, Powell and Reid 1974). A row with d entries needs d colors. Row
colorings are those of the transposed matrix.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.sparse as sp

from concolor.coloring import Coloring
from concolor.goal import Clock, Progress
from concolor.graph.core import Graph, IntArray
from concolor.matrices.orders import dense_rows, pass_seconds
from concolor.matrices.pattern import Pattern
from concolor.matrices.problem import Keep, Problem

PAIRS = 5_000_000  # of columns in a row, up to which the graph of columns is built for a search
PACE = 1e-7  # seconds that a pair takes there


def column_problem(pattern: Pattern) -> Problem:
    """Columns that share no row."""
    pairs = int((pattern.degrees * (pattern.degrees - 1) // 2).sum())
    deeper = partial(_searched, pattern) if pairs <= PAIRS else None
    seconds = pass_seconds(pattern)
    return Problem(pattern, partial(first_fit, pattern), seconds, deeper, setup=PACE * pairs)


def column_bound(pattern: Pattern) -> int:
    """The densest row: its columns are all different."""
    return int(pattern.degrees.max(initial=min(pattern.n, 1)))


def first_fit(pattern: Pattern, order: IntArray) -> IntArray:
    """The first free color for the columns in an order, on the rows themselves: ``[n]``."""
    from concolor.matrices.kernels import columns as kernels

    by_column = pattern.transposed
    return kernels.first_fit(
        pattern.indptr,
        pattern.indices,
        by_column.indptr,
        by_column.indices,
        order,
        dense_rows(pattern),
        pattern.n // 64 + 1,
    ).astype(np.int64)


def column_graph(pattern: Pattern) -> Graph:
    """Columns as nodes, adjacent where they share a row."""
    ones = np.ones(pattern.nnz, np.int32)  # counts cannot cancel
    matrix = pattern.matrix(ones)
    together = sp.coo_array(matrix.T @ matrix)
    pairs = np.stack([together.row, together.col], axis=1)
    return Graph.from_edges(pattern.n, pairs, name=pattern.name, arcs=True)


def _searched(pattern: Pattern, colors: IntArray, clock: Clock, seed: int, keep: Keep) -> int:
    """Plain, weighted and memetic search on the graph of columns; returns its lower bound."""
    from concolor.solvers import solve

    graph = column_graph(pattern)

    def tell(now: Progress) -> None:
        if now.best.is_proper:
            keep(now.best.colors)

    found = solve(
        graph,
        start=Coloring(graph, colors),
        seed=seed,
        time_limit=None if clock.limit is None else clock.left,
        threads=1,
        progress=tell,
    )
    if found.coloring.is_proper:
        keep(found.coloring.colors)
    return int(found.lower)
