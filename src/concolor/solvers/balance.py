"""Classes of nearly equal size: as many rooms, machines or slots are needed at once as at any time.

With more colors than any node has neighbors, sizes that differ by at most one are always possible
(Hajnal and Szemerédi 1970); with fewer they may not be.
"""

from __future__ import annotations

import numpy as np

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.graph.structure import core_order, csr

TRIES = 1000  # exchanges between two classes, where chains of moves end


def balanced(graph: Graph, k: int, *, seed: int = 0) -> Coloring:
    """A proper coloring with at most k colors and classes as equal as was found.

    Every node takes the least full class that is free to it. Then nodes go from larger classes to
    smaller ones, one after the other along a chain of classes; where no chain is left, random pairs
    of classes exchange parts.

    Args:
        graph: What to color.
        k: Number of colors; more than any node has neighbors are always enough.
        seed: Decides the exchanges.

    >>> from concolor.graph.families import family
    >>> sorted(map(len, balanced(family("cycle:10"), 3).classes))
    [3, 3, 4]
    """
    from concolor.solvers.kernels import balance as kernels

    colors, sizes = np.full(graph.n, -1), np.zeros(max(k, 0), np.int64)
    if not kernels.least_full(*csr(graph), core_order(graph), colors, sizes):
        enough = graph.degrees.max(initial=0) + 1
        raise InputError(f"k={k} is too few for {graph.name} here; {enough} are certainly enough")
    draws = np.random.default_rng(seed).integers(0, 2**62, (TRIES, 2))
    if graph.n:
        kernels.level(*csr(graph), colors, sizes, draws)
    return Coloring(graph, colors)
