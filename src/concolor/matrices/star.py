r"""Star colorings of symmetric matrices, for direct recovery.

On the graph of the entries beside the diagonal: neighbors have different colors, and every path on
four nodes has at least three. So the nodes of every two colors make stars, and of the two places

.. math:: B_{i c_j} = \sum_{j' : c_{j'} = c_j} A_{ij'}, \qquad
          B_{j c_i} = \sum_{i' : c_{i'} = c_i} A_{ji'}

of :math:`B = A S` one holds :math:`A_{ij} = A_{ji}` alone (Coleman and Moré 1984). A diagonal entry
stands alone in :math:`B_{i c_i}`. Where it is not in the pattern nothing is read there; a color
from which nothing at all is read is dropped.

A column coloring is a star coloring, too, and now and then the better start.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from concolor.graph.core import IntArray
from concolor.matrices.bicolored import Bicolored
from concolor.matrices.column import first_fit
from concolor.matrices.orders import pass_seconds
from concolor.matrices.pattern import Pattern, incidence
from concolor.matrices.problem import Problem


def star_problems(pattern: Pattern) -> Iterator[Problem]:
    """Nodes of every two colors make stars: in general, and where columns share no row at all."""
    graph = pattern.adjacency
    none, one_palette = np.zeros(graph.n, bool), np.zeros(graph.n, np.int64)
    passes = Bicolored(graph, "star", pattern.has_diagonal, none, one_palette)
    yield Problem(incidence(graph), passes.fit, passes.seconds, passes=passes)
    full = pattern.with_diagonal  # neighbors are in one row there

    def by_columns(order: IntArray) -> IntArray:
        return passes.finished(first_fit(full, order).astype(np.int32))

    yield Problem(full, by_columns, pass_seconds(full), passes=passes)
