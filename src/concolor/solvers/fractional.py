r"""The fractional chromatic number by column generation: a lower bound of χ with a witness.

.. math::
    \chi_f(G) = \min \sum_S x_S, \quad \sum_{S \ni v} x_S \ge 1, \; x \ge 0
              = \max \sum_v w_v, \quad \sum_{v \in S} w_v \le 1, \; w \ge 0

over all independent sets S (Mehrotra and Trick 1996). The left side is a linear program on the
sets that are known; where another set costs more than 1 at its prices w, that set is added.
Whatever the prices are, the cost of the heaviest set makes a bound of them (Farley 1990):

.. math:: \chi \ge \chi_f \ge \frac{\sum_v w_v}{\max_S \sum_{v \in S} w_v}

and with whole numbers w it is exact, converged or not (Held, Cook and Sewell 2012).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from concolor.coloring import Coloring
from concolor.goal import Clock
from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import core_numbers
from concolor.solvers.independent import Sets, Truth
from concolor.solvers.master import Master, highs

SCALE = 10**6  # what a price of 1 is as a whole number; the program is solved to about 1e-7
LARGE = 600  # nodes; above, the program and the search for sets take too long
DENOMINATORS = 2000  # up to which prices are recognized as fractions


@dataclass(frozen=True, eq=False)
class FractionalBound:
    """Weights that prove ``χ >= χ_f >= sum(weights) / heaviest``.

    Attributes:
        weights: ``[n]``, whole numbers, not negative.
        heaviest: No independent set weighs more.
    """

    weights: IntArray
    heaviest: int

    @property
    def value(self) -> Fraction:
        """The bound of χ_f."""
        return Fraction(int(self.weights.sum()), self.heaviest)

    @property
    def lower(self) -> int:
        """The bound of χ, which is whole."""
        return -(-int(self.weights.sum()) // self.heaviest)


def fractional_bounds(
    graph: Graph,
    colorings: Iterable[Coloring] = (),
    *,
    above: int = 0,
    enough: int | None = None,
    rounded: bool = True,
    clock: Clock | None = None,
) -> Iterator[FractionalBound]:
    """Better and better bounds of χ_f; the last one is χ_f, unless something ended the search.

    Args:
        graph: Any graph; where more than ``LARGE`` nodes matter there are no bounds, nor
            where HiGHS is not installed.
        colorings: Proper ones, whose classes are the first sets.
        above: Bounds of χ that are no larger are of no use, so only the core matters in which
            every node has as many neighbors.
        enough: The search ends with a bound of χ that reaches this.
        rounded: It ends where only the fraction could become larger, not χ's bound.
        clock: Ends it early.

    >>> from concolor.graph.families import family
    >>> [*fractional_bounds(family("petersen"), rounded=False)][-1].value
    Fraction(5, 2)
    """
    nodes = np.flatnonzero(core_numbers(graph) >= above)
    if not 0 < len(nodes) <= LARGE or highs() is None:
        return
    best, most = Fraction(0), graph.n if enough is None else enough
    classes = [c.colors[nodes] == k for c in colorings for k in np.unique(c.colors[nodes])]
    sets = Sets.of(graph.subgraph(nodes))
    for prices, heaviest, value in _prices(sets, classes, above, clock or Clock()):
        weights = np.zeros(graph.n, np.int64)
        weights[nodes] = prices
        bound = FractionalBound(weights, heaviest)
        if bound.value > best:
            best = bound.value
            yield bound
        if bound.lower >= most or (rounded and -(-best // 1) >= np.ceil(value - 1e-6)):
            return


def _prices(
    sets: Sets, classes: list[Truth], above: int, clock: Clock
) -> Iterator[tuple[IntArray, int, float]]:
    """Whole prices ``[n]``, the cost of the heaviest set, and the value of the program so far."""
    master = Master(first_columns(sets, classes))
    while (point := master.solve(clock)) is not None and point.value > above + 1e-6:
        w = np.floor(point.prices * SCALE).astype(np.int64)
        new = heavy(sets, w, SCALE)
        if len(new) == 0:
            top = sets.heaviest(w, beat=SCALE, clock=clock)
            if not top.is_proved:
                return
            yield w, top.weight, point.value
            new = sets.maximal(top.nodes)[None] if top.nodes.any() else new
        if not master.add(new):
            break
    else:
        return
    if (plain := as_fractions(point.prices)) is not None:
        top = sets.heaviest(plain, clock=clock)
        if top.is_proved:
            yield plain, top.weight, point.value


def first_columns(sets: Sets, classes: list[Truth]) -> Truth:
    """The classes of colorings, made maximal, and a set grown from every node ``-> [c, n]``."""
    own = [sets.maximal(nodes) for nodes in classes]
    return np.concatenate(
        [np.array(own, bool).reshape(-1, sets.n), sets.greedy(np.ones(sets.n, np.int64))]
    )


def heavy(sets: Sets, weights: IntArray, beat: int) -> Truth:
    """Maximal sets that weigh more, found greedily ``-> [c, n]``; there may be others."""
    found = sets.greedy(weights)
    return found[found @ weights > beat]


def as_fractions(prices: NDArray[np.float64]) -> IntArray | None:
    """The prices as whole numbers, times their common denominator if that is small."""
    for denominator in range(1, DENOMINATORS):
        w = np.round(prices * denominator)
        if np.abs(prices * denominator - w).max() < 1e-6 * denominator**0.5:
            return w.astype(np.int64) if w.any() else None
    return None
