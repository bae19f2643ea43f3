r"""``d_{v,j}``: the neighbors of each color of each node. Collapsed losses see nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.core import Graph, IntArray
from concolor.theory.sphere import Floats


@dataclass(frozen=True, eq=False)
class Counts:
    r""":math:`d_{v,j} = |N(v) \cap V_j|`, the nonzero ones, for a proper coloring.

    Colors are numbered 0..k-1 here, in the order of the colors that are used.

    Attributes:
        group: The color of every node ``[n]``.
        sizes: :math:`|V_i|` of every color ``[k]``.
        node, color, count: v, j and :math:`d_{v,j}` wherever it is positive, each ``[p]``.
    """

    group: IntArray
    sizes: IntArray
    node: IntArray
    color: IntArray
    count: IntArray

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.group)

    @property
    def k(self) -> int:
        """Number of used colors."""
        return len(self.sizes)

    def by_pair(self, values: ArrayLike) -> Floats:
        """Sums ``[k, k]`` of ``values [p]``: those of nodes of color i for neighbors of color j."""
        flat = self.group[self.node] * self.k + self.color
        sums = np.bincount(flat, np.asarray(values, np.float64), self.k**2)
        return np.asarray(sums, np.float64).reshape(self.k, self.k)


def neighbor_counts(graph: Graph, colors: ArrayLike) -> Counts:
    """Count the neighbors of each color of every node; the coloring must be proper.

    >>> from concolor.graph.families import family
    >>> counts = neighbor_counts(family("path:3"), [0, 1, 0])
    >>> list(zip(counts.node.tolist(), counts.color.tolist(), counts.count.tolist()))
    [(0, 1, 1), (1, 0, 2), (2, 1, 1)]
    """
    group = proper_classes(graph, colors)
    source, target = graph.edge_index
    sizes = np.bincount(group)
    ones = np.ones(2 * graph.m, np.int64)
    table = sp.coo_array((ones, (source, group[target])), shape=(graph.n, len(sizes))).tocsr()
    table.sum_duplicates()
    node = np.repeat(np.arange(graph.n), np.diff(table.indptr))
    return Counts(group, sizes, node, table.indices.astype(np.int64), table.data)


def proper_classes(graph: Graph, colors: ArrayLike) -> IntArray:
    """The class 0..k-1 of every node ``[n]``; graphs without nodes and conflicts are refused."""
    coloring = Coloring(graph, np.asarray(colors))
    if graph.n == 0:
        raise InputError(f"{graph} has no nodes: the theory averages over nodes, give it some")
    if not coloring.is_proper:
        raise InputError(
            f"the coloring of {graph} has {coloring.conflicts} monochromatic edges, the theory "
            "is about proper ones; repair it first, e.g. with concolor.solvers.solve"
        )
    return np.unique(coloring.colors, return_inverse=True)[1]


def quotient(graph: Graph, colors: ArrayLike) -> Graph:
    """The color-quotient graph ``Q_c(G)``: colors i, j are adjacent iff an edge of G joins them.

    Its nodes carry the colors as names. Monochromatic edges become loops: removed and counted.

    >>> from concolor.graph.families import family
    >>> quotient(family("cycle:6"), [0, 1, 2, 0, 1, 2]).edges.tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    used, group = np.unique(Coloring(graph, np.asarray(colors)).colors, return_inverse=True)
    names = list(map(str, used.tolist()))
    return Graph.from_edges(len(used), group[graph.edges], name=f"{graph.name}/colors", names=names)
