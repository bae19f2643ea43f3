r"""Bidirectional colorings: some entries are read from columns, the others from rows.

Columns and rows have colors of their own, c and r, or none; products are :math:`B = A S` and
:math:`C = R^T A`. The entry :math:`A_{ij}` stands in two sums,

.. math:: B_{i c_j} = \sum_{j' : c_{j'} = c_j} A_{ij'}, \qquad
          C_{r_i j} = \sum_{i' : r_{i'} = r_i} A_{i'j}

where it has these colors. Direct recovery needs one in which it is alone: a star bicoloring
(Coleman and Verma 1998; Hossain and Steihaug 1998). By substitution it is enough that the sums are
solved one after the other: rows and columns of every two colors make trees. A diagonal matrix
with a dense row and a dense column besides needs three products instead of n.

First comes the choice of what gets no color: one side, all but the densest lines of one side, or
the lines that are left over when those with fewest entries are peeled off. Then first fit colors
the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from concolor.graph.core import IntArray
from concolor.graph.structure import core_order
from concolor.matrices.bicolored import Bicolored
from concolor.matrices.column import column_problem
from concolor.matrices.pattern import Pattern, incidence
from concolor.matrices.problem import Problem

CUTS = 6  # degrees of lines that are tried as the least of a dense one


def bidirectional_problems(pattern: Pattern, direct: bool) -> Iterator[Problem]:
    """One for each choice of lines without a color; colors are those of rows, then of columns."""
    yield replace(column_problem(pattern), before=pattern.m)
    yield replace(column_problem(pattern.transposed), after=pattern.n)
    graph, ordered = pattern.bipartite, incidence(pattern.bipartite)
    loop, none = "star" if direct else "acyclic", np.zeros(graph.n, bool)  # on the diagonal
    is_column = np.arange(graph.n) >= pattern.m
    for bare in bare_lines(pattern):
        passes = Bicolored(graph, loop, none, bare, is_column.astype(np.int64))
        yield Problem(ordered, passes.fit, passes.seconds, passes=passes)


def bare_lines(pattern: Pattern) -> Iterator[NDArray[np.bool_]]:
    """Choices of rows and columns that get no color ``[m + n]``; no entry has two such lines."""
    graph = pattern.bipartite
    is_column = np.arange(graph.n) >= pattern.m
    yield _peeled(pattern)
    for main in (is_column, ~is_column):
        for cut in _cuts(graph.degrees[~main]):
            sparse = ~main & (graph.degrees < cut)
            crossed = np.zeros(graph.n, bool)  # lines with an entry in a sparse one
            crossed[graph.indices[np.repeat(sparse, graph.degrees)]] = True
            yield sparse | (main & ~crossed)


def _cuts(degrees: IntArray) -> IntArray:
    """Degrees from which on a line may be called dense: where they leap most."""
    levels = np.unique(degrees)
    if len(levels) <= 1:
        return levels[:0]
    leaps = levels[1:] / np.maximum(levels[:-1], 1)
    return np.asarray(levels[1:][np.argsort(-leaps, kind="stable")[:CUTS]])


def _peeled(pattern: Pattern) -> NDArray[np.bool_]:
    """Lines are taken away, the one with fewest entries left first; these are read from the other
    lines, which need colors for it (Coleman and Verma's ordering)."""
    graph = pattern.bipartite
    place = np.empty(graph.n, np.int64)
    place[core_order(graph)] = np.arange(graph.n)  # the last is taken away first
    source, target = graph.edge_index
    bare = np.ones(graph.n, bool)
    bare[target[place[target] < place[source]]] = False
    return bare
