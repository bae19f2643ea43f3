"""What star, acyclic and bidirectional colorings share: passes over nodes, and what is left out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import csr
from concolor.matrices.orders import ENTRY
from concolor.matrices.pattern import Places

STEPS = {"star": 2e-9, "acyclic": 1e-8}  # seconds of a step in these loops, about
COLORS = 8  # around a node, by mean degrees, at most, about


@dataclass(frozen=True, eq=False)
class Bicolored:
    """A graph whose nodes of every two colors must make stars, or trees.

    Attributes:
        graph: What gets colors.
        loop: ``star`` or ``acyclic``, a compiled loop.
        read: ``[n]``, nodes with an entry on the diagonal: they need a color.
        bare: ``[n]``, nodes that get none.
        palette: ``[n]``, 0 or 1: nodes of different palettes never have the same color. Rows and
            columns; where there is one palette only, neighbors have different colors.
    """

    graph: Graph
    loop: str
    read: NDArray[np.bool_]
    bare: NDArray[np.bool_]
    palette: IntArray

    @property
    def seconds(self) -> float:
        r"""Of an order of the nodes and a pass, about: for every neighbor the colors around it,
        which are taken for no more than :data:`COLORS` times the mean degree."""
        degrees = self.graph.degrees
        colors = np.minimum(degrees, COLORS * degrees.mean() if len(degrees) else 0)
        return STEPS[self.loop] * float(degrees @ colors) + ENTRY * len(self.graph.indices)

    def fit(self, order: IntArray) -> IntArray:
        """First fit for the nodes in an order; see :class:`~concolor.matrices.problem.Problem`."""
        return self.finished(self.painted(order, np.full(self.graph.n, -1, np.int32)))

    def painted(self, order: IntArray, wish: Places) -> Places:
        """A pass in which nodes get the colors that they wish, if these are open, else the first.

        Colors of each palette are numbered from 0.
        """
        from concolor.matrices.kernels import bicolored as kernels

        loop = getattr(kernels, self.loop)
        painted: Places = loop(
            *csr(self.graph), order[~self.bare[order]], self.bare, wish, not self._are_two
        )
        return painted

    def finished(self, painted: Places) -> IntArray:
        """One row of numbers for both palettes, without classes whose products nobody needs.

        A node needs no color where all its neighbors have different ones, and nothing on the
        diagonal is to be read. Small classes are tried first.
        """
        from concolor.matrices.kernels import bicolored as kernels

        colors = np.where(painted < 0, -1, painted + self._shift(painted) * self.palette)
        colors = colors.astype(np.int32)
        nodes = np.flatnonzero(colors >= 0)
        if not len(nodes):
            return compact(colors)
        sizes = np.bincount(colors[nodes])
        rank = np.argsort(np.argsort(sizes, kind="stable"))  # of each color, when it is tried
        members = nodes[np.argsort(rank[colors[nodes]], kind="stable")]
        ptr = np.concatenate([[0], np.cumsum(np.sort(sizes))])
        kernels.drop_needless(*csr(self.graph), colors, self.read, ptr, members)
        return compact(colors)

    def as_painted(self, colors: IntArray) -> Places:
        """Colors that :meth:`finished` gave, each palette numbered from 0 again."""
        low = [colors[(self.palette == side) & (colors >= 0)].min(initial=2**31) for side in (0, 1)]
        return np.where(colors < 0, -1, colors - np.array(low)[self.palette]).astype(np.int32)

    def _shift(self, painted: Places) -> int:
        return int(painted[self.palette == 0].max(initial=-1)) + 1

    @cached_property
    def _are_two(self) -> bool:
        return bool(self.palette.any())


def compact(colors: Places) -> IntArray:
    """The same classes with numbers 0, 1, ... without gaps; -1 stays.

    >>> compact(np.array([5, -1, 2, 5])).tolist()
    [1, -1, 0, 1]
    """
    used = np.unique(colors[colors >= 0])
    return np.where(colors >= 0, np.searchsorted(used, colors), -1).astype(np.int64)
