"""Colorings whose classes are all as large as an independent set can be.

Where ``n = k α``, a k-coloring cuts the graph into k maximum independent sets. These may be few
enough to be listed, as the 2680 ways to put eleven queens on a board; which of them share no node
is a question for a SAT solver, and a far smaller one than which node has which color.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from concolor.goal import Clock
from concolor.graph.core import Graph, IntArray
from concolor.solvers.fractional import LARGE
from concolor.solvers.independent import Sets, Truth
from concolor.solvers.sat import Clauses, limited, require_sat

MOST = 20_000  # sets


class Tiling:
    """Which of the sets cover every node once? Asked again, the solver goes on.

    Args:
        sets: ``[s, n]``.
    """

    def __init__(self, sets: Truth) -> None:
        self.sets = sets
        self._solver = require_sat("Glucose4")()
        for block in exactly_once(sets):
            self._solver.append_formula(block)

    def ask(self, clock: Clock, *, patience: int) -> IntArray | bool | None:
        """Colors ``[n]``; False where there are none; None where time or patience ran out.

        Args:
            clock: When to give up.
            patience: Wrong turns that the solver may take.
        """
        self._solver.conf_budget(patience)
        answer = limited(self._solver, [], clock)
        if not answer:
            return answer
        chosen = np.array(self._solver.get_model()[: len(self.sets)]) > 0
        colors: IntArray = self.sets[chosen].argmax(axis=0)
        return colors


def tiling(graph: Graph, k: int, clock: Clock) -> Tiling | None:
    """The question for a graph with ``n = k α``; None for others, and where the sets are too many.

    >>> from concolor.graph.families import family
    >>> tiling(family("queen:5x5"), 5, Clock()).ask(Clock(), patience=100).tolist()[:5]
    [0, 1, 2, 3, 4]
    """
    size = graph.n // k
    if graph.n != k * size or graph.n > LARGE:
        return None
    sets = Sets.of(graph)
    top = sets.heaviest(np.ones(graph.n, np.int64), beat=size, clock=clock)
    if top.nodes.any() or not top.is_proved:
        return None
    listed = sets.all_of(size, most=MOST, clock=clock)
    return None if listed is None else Tiling(listed)


def exactly_once(sets: Truth) -> Iterator[Clauses]:
    r"""Clauses, a block for each node: one of the sets with it is chosen, and no two.

    Literal ``1 + s`` says that set s is chosen. Along the sets s_1, s_2, ... of a node a ladder of
    new literals, "one of the first i is chosen", keeps the others out:

    .. math:: s_1 \vee \dots \vee s_l, \quad s_i \to t_i, \quad t_i \to t_{i+1},
              \quad t_i \to \neg s_{i+1}
    """
    top = len(sets)
    for column in sets.T:
        s = 1 + np.flatnonzero(column)
        t = 1 + top + np.arange(len(s))
        top += len(s)
        steps = [(-s, t), (-t[:-1], t[1:]), (-t[:-1], -s[1:])]
        pairs = np.concatenate([np.stack(step, axis=1) for step in steps])
        yield [s.tolist(), *pairs.tolist()]
