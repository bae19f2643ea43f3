"""``Colorable``: whether k colors are enough, asked in several ways that take turns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from concolor.coloring import Coloring
from concolor.goal import Clock, Task
from concolor.graph.core import Graph, IntArray
from concolor.solvers.branch_and_price import BranchAndPrice
from concolor.solvers.clique import largest_cliques
from concolor.solvers.reduction import Reduction, induced
from concolor.solvers.sat import LIMIT, Allowed, Question, TooLarge, size
from concolor.solvers.tiling import tiling

Answer: TypeAlias = IntArray | bool | None  # colors [n], False for none, None for not settled yet
PATIENCE = 1000  # wrong turns of a SAT solver in the first round; twice as many in each further one
LISTING = 10.0  # seconds for independent sets to be listed, at most
PARTS = 1.5e-7  # seconds for every node and end of an edge to find the components, about
BRANCHES = 64  # visited by branch and price in the first round, some milliseconds each


class Way(NamedTuple):
    """A way to ask, with its patience in the first round.

    Attributes:
        ask: ``ask(clock, patience=)``, goes on where it stopped.
        patience: In its own measure.
        in_one_go: A SAT solver begins its search anew, so it is better asked once a round.
    """

    ask: Callable[..., Answer]
    patience: int
    in_one_go: bool = True


class Colorable:
    """Is there a coloring of the whole graph with k colors and as few conflicts as asked for?

    A proper one is looked for in the components of the core apart.
    """

    def __init__(self, task: Task, k: int) -> None:
        self.palette, self.budget = task.goal.rules.palette(k), task.goal.budget
        rules = task.goal.rules.on(self.palette)
        self.core = Reduction(task.graph, k, rules, dominated=not self.budget, clock=task.clock)
        self.colors = np.zeros(task.graph.n, np.int64)
        if not task.clock.fits(PARTS * self._size, 1.0):
            raise TooLarge  # for the time that is left
        parts = self.core.parts
        if self.budget and parts:
            parts = [np.concatenate(parts)]
        allowed = rules.allow(np.arange(k))  # [n, k]
        self.open = [
            Component(self._part(nodes), nodes, allowed[nodes], self.budget, task.clock)
            for nodes in parts
        ]

    def _part(self, nodes: IntArray) -> Graph:
        """The graph of some nodes, which ascend where they are those of one component."""
        graph = self.core.whole
        return graph.subgraph(nodes) if self.budget else induced(graph, nodes)

    @property
    def _size(self) -> float:
        """Nodes and ends of edges of the core, about."""
        graph, left = self.core.whole, len(self.core.nodes)
        return left * (1 + 2 * graph.m / max(graph.n, 1))

    def widen(self, best: Coloring, fraction: int, clock: Clock) -> None:
        """Ask in more ways from now on; more than once does nothing.

        Args:
            best: Its classes are sets to begin with, where it is proper.
            fraction: The fractional chromatic number of the graph, rounded up.
            clock: When to give up.
        """
        for part in self.open:
            part.widen(best, fraction, clock)

    def ask(self, clock: Clock, rounds: int, tell: Callable[[], None]) -> Answer:
        """Colors ``[n]``, False where there are none, None where it is not settled yet."""
        for part in self.open.copy():
            answer = part.ask(clock, rounds, tell)
            if answer is False:
                return False
            if answer is not None:
                self.colors[part.nodes] = answer
                self.open.remove(part)
                part.question.close()
        return None if self.open else self.palette[self.core.extended(self.colors)]

    def close(self) -> None:
        """Free the memory of all solvers."""
        for part in self.open:
            part.question.close()


class Component:
    """A component of the core, with the ways to ask whether it has a k-coloring.

    Args:
        graph: The component.
        nodes: Its nodes in the whole graph.
        allowed: ``[p, k]``.
        budget: Conflicts that are allowed.
        clock: When to give up.
    """

    def __init__(
        self, graph: Graph, nodes: IntArray, allowed: Allowed, budget: int, clock: Clock
    ) -> None:
        self.graph, self.nodes, self.k = graph, nodes, allowed.shape[1]
        self.is_plain = not budget and bool(allowed.all())
        if size(graph, self.k, allowed) > LIMIT:
            raise TooLarge  # before a search for cliques
        cliques = largest_cliques(graph, clock=clock)
        self.question = Question(graph, self.k, cliques, allowed=allowed, most=budget)
        self.ways = [Way(partial(self.question.ask, budget=budget), PATIENCE)]

    def widen(self, best: Coloring, fraction: int, clock: Clock) -> None:
        """See :meth:`Colorable.widen`."""
        if not self.is_plain:
            return
        self.is_plain = False
        tiles = tiling(self.graph, self.k, Clock(min(0.2 * clock.left, LISTING)))
        if tiles is not None:
            self.ways.append(Way(tiles.ask, 8 * PATIENCE))
        elif fraction == self.k:
            colors = best.colors[self.nodes]
            classes = [colors == c for c in np.unique(colors)] if best.is_proper else []
            prices = BranchAndPrice(self.graph, self.k, classes)
            self.ways.append(Way(prices.ask, BRANCHES, in_one_go=False))

    def ask(self, clock: Clock, rounds: int, tell: Callable[[], None]) -> Answer:
        """Each way in turn, with the patience of this round."""
        for way in self.ways:
            times, more = (1, rounds) if way.in_one_go else (1 << rounds, 0)
            for _ in range(times):
                answer = way.ask(clock, patience=way.patience << more)
                tell()
                if answer is not None or clock.is_over:
                    return answer
        return None
