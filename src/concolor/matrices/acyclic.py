r"""Acyclic colorings of symmetric matrices, for recovery by substitution.

On the graph of the entries beside the diagonal: neighbors have different colors, and every cycle
has at least three. So the nodes of every two colors make trees, and their entries follow from
:math:`B = A S` from the leaves inwards (Coleman and Cai 1986): a leaf i of color a with its only
neighbor j of color b has :math:`A_{ij} = B_{ib}`, and what it was is taken from :math:`B_{ja}`.

Fewer colors than a star coloring needs, for a recovery that adds up rounding errors along paths.
Diagonal entries are treated as there.
"""

from __future__ import annotations

import numpy as np

from concolor.matrices.bicolored import Bicolored
from concolor.matrices.pattern import Pattern, incidence
from concolor.matrices.problem import Problem


def acyclic_problem(pattern: Pattern) -> Problem:
    """Nodes of every two colors make trees."""
    graph = pattern.adjacency
    none, one_palette = np.zeros(graph.n, bool), np.zeros(graph.n, np.int64)
    passes = Bicolored(graph, "acyclic", pattern.has_diagonal, none, one_palette)
    return Problem(incidence(graph), passes.fit, passes.seconds, passes=passes)
