"""Edges with weights: at most k colors, and as little weight in conflict as can be.

Access points that disturb each other more or less, exams that more or fewer students take both:
where some conflicts must stay, they are to be the lightest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from concolor.coloring import Coloring
from concolor.errors import ConcolorError, interruptible
from concolor.goal import Clock, Progress, Solution, Task
from concolor.graph.core import Graph, IntArray
from concolor.graph.weights import plain
from concolor.solvers.greedy import begun
from concolor.solvers.interference import Interference, allowed_colors, quieten
from concolor.solvers.maxsat import cheapest, is_small
from concolor.solvers.sat import require_sat

PATIENCE = 300_000  # moves without improvement that end a search where no time limit does
BRIEF = 30_000  # the same where a proof follows


class Lightest:
    """A search under way for little weight with k colors, and what is proved about less.

    Args:
        task: What to do.
        noise: The weights of its graph, where they are known already.

    Attributes:
        best: The lightest coloring so far, None before the first.
        lower: Weight that no such coloring avoids.
    """

    def __init__(self, task: Task, noise: Interference | None = None) -> None:
        assert task.goal.k is not None and task.graph.weights is not None
        self.task, self.graph, self.goal, self.k = task, task.graph, task.goal, task.goal.k
        self.noise = conflicts_of(self.graph) if noise is None else noise
        self.allowed = allowed_colors(self.goal.rules, self.k)
        self.best: Coloring | None = None
        packed = plain(self.noise.value(self.noise.forced(self.k, task.clock)))
        self.lower: float = max(packed, self.goal.bound(task.chi_lower))
        self._moves = 0

    @property
    def is_proved(self) -> bool:
        """Nothing lighter is possible."""
        return self.best is not None and self.goal.key(self.best)[:2] <= (0, self.lower)

    def offer(self, colors: IntArray) -> None:
        """Keep colors ``[n]`` that are in 0..k-1 and allowed, if they are the lightest so far."""
        new = Coloring(self.graph, colors)
        if self.best is None or self.goal.key(new) < self.goal.key(self.best):
            renamed = self.goal.rules.renumbered(colors, self.k)
            self.best = new if renamed is None else Coloring(self.graph, renamed)

    def fitted(self, colors: IntArray) -> IntArray:
        """Colors ``[n]`` as a start: the largest classes under names of 0..k-1, -1 for the rest."""
        rules = self.goal.rules
        if not rules.are_none:
            return rules.adapted(colors, np.arange(self.k))
        _, member, sizes = np.unique(colors, return_inverse=True, return_counts=True)
        rank = np.empty(len(sizes), np.int64)
        rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
        return np.where(rank[member] < self.k, rank[member], -1)

    def begin(self, first: IntArray | None = None) -> None:
        """Without a search: from nothing, from DSATUR's coloring ``first [n]``, and from the start
        of the task; from DSATUR's alone where time is short."""
        given = [] if self.task.start is None else [self.task.start.colors]
        proper = [begun(self.task) if first is None else first, *given]
        clock, starts = self.task.clock, [np.full(self.graph.n, -1)]
        if not clock.fits(len(proper) * self.noise.seconds(self.k)):
            if self.goal.has_room(proper[0]):
                self.offer(proper[0])
                return
            starts, proper = [], proper[:1]
            if clock.is_over and self.goal.rules.are_none:  # no time for a look at what edges cost
                rest = self.fitted(proper[0])
                self.offer(np.where(rest < 0, np.arange(self.graph.n) % self.k, rest))
                return
        self.search([*starts, *map(self.fitted, proper)], clock, patience=0)

    def search(self, starts: Sequence[IntArray], clock: Clock, *, patience: int) -> None:
        """Search from each start ``[n]`` until nothing is gained for so many moves."""
        if self.is_proved or (self.best is not None and clock.is_over):
            return
        quieten(
            self.noise,
            starts,
            self.allowed,
            self.offer,
            seed=self.task.seed,
            clock=clock,
            patience=patience,
            tell=self._tell,
        )

    def prove(self, clock: Clock) -> None:
        """Ask for the lightest of all; the best is that, unless time ends before."""
        if self.is_proved or not is_small(self.noise, self.k):
            return
        colors = cheapest(self.noise, self.allowed, clock)
        if colors is not None:
            self.offer(colors)
            assert self.best is not None and self.best.weight is not None
            self.lower = self.best.weight

    def solution(self) -> Solution | None:
        """What there is now, None where there is nothing yet."""
        return None if self.best is None else self.task.solution(self.best, self.lower)

    def _tell(self, moves: int) -> None:
        if self.task.progress is not None and self.best is not None:
            best, seconds = self.best, self.task.clock.seconds
            self.task.progress(
                Progress(self.k, best.conflicts, moves, seconds, best, lower=self.lower)
            )


def conflicts_of(graph: Graph) -> Interference:
    """The weights of a graph as what its conflicts cost."""
    assert graph.weights is not None
    return Interference(graph, graph.weights, np.ones(graph.m, np.int64))


def lightest(task: Task, *, threads: int = 1, patience: int | None = None) -> Solution:
    """The least weight of conflicts with k colors that tabu search finds.

    Args:
        task: What to do, from the best of its start and greedy colorings.
        threads: Searches side by side, each with its own random numbers.
        patience: Moves without improvement that end it. Default: ``PATIENCE`` without a time limit,
            no end with one.

    >>> from concolor.graph.core import Graph
    >>> triangle = Graph.from_edges(3, [(0, 1), (1, 2), (0, 2)], weights=[5, 3, 4])
    >>> lightest(Task.of(triangle, k=2, weighted=True))
    Solution(Coloring('graph', k=2, conflicts=1, weight=3), proved optimal)
    """
    search = Lightest(task)
    if patience is None:
        patience = PATIENCE if task.clock.limit is None else 2**62
    with interruptible(search.solution):
        search.begin()
        assert search.best is not None
        search.search([search.best.colors] * threads, task.clock, patience=patience)
    found = search.solution()
    assert found is not None
    return found


def proved_lightest(task: Task) -> Solution:
    """The least weight of conflicts with k colors, by weighted MaxSAT after a brief search.

    Without a time limit it ends with a proof, which may take forever; a graph whose formula would
    be too large is only searched.
    """
    require_sat()
    search = Lightest(task)
    with interruptible(search.solution):
        search.begin()
        assert search.best is not None
        search.search([search.best.colors], task.clock.share(0.1), patience=BRIEF)
        search.prove(task.clock)
    found = search.solution()
    assert found is not None
    return found


def can_prove() -> bool:
    """Whether python-sat is there."""
    try:
        require_sat()
    except ConcolorError:
        return False
    return True
