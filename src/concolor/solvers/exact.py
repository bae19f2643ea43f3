"""``exact``: the chromatic number and optimal colorings of small graphs.

Both ends of ``lower <= χ <= upper`` are worked on in turn with growing patience, so whatever ends
the search, the coloring and the lower bound are the best that were proved. A SAT solver is asked
first; what it does not settle at once is bounded by cones and by the fractional chromatic number,
and where that is less than one color away, branch and price takes turns with the SAT solver.

Preset and forbidden colors are unit clauses. Where k is given, the colors are 0..k-1. Where it is
free, ``lower`` bounds the number of colors used, whatever their names: whether k are enough is
asked with the names of :meth:`Rules.palette <concolor.rules.Rules.palette>`.
"""

from __future__ import annotations

import numpy as np

from concolor.coloring import Coloring, count_conflicts
from concolor.errors import Interrupted, interruptible
from concolor.goal import Clock, Progress, Solution, Task
from concolor.graph.cliques import an_edge, quick_seconds
from concolor.graph.core import Graph, IntArray
from concolor.solvers.clique import largest_cliques, packed_conflicts
from concolor.solvers.colorable import PATIENCE, Colorable
from concolor.solvers.cones import cones
from concolor.solvers.descent import attempt, stay
from concolor.solvers.fractional import fractional_bounds
from concolor.solvers.greedy import begun
from concolor.solvers.local_search import tabucol
from concolor.solvers.reduction import Reduction
from concolor.solvers.sat import Allowed, Question, TooLarge, require_sat
from concolor.solvers.search import BEGIN, Search

LONGER = 2_000_000  # moves of the local search in vain, where clauses settle nothing at once
CLOSER = 30.0  # seconds for the fractional bound, at most


def exact(task: Task, *, begin: bool = True) -> Solution:
    """The optimum between two bounds, which meet unless time or Ctrl-C ends the search.

    Without a time limit the search ends with a proof, which may take forever; some hundred nodes
    may be hard. Its progress is reported after every better coloring and every time patience grows.

    Args:
        task: What to do, from its start, or from DSATUR's coloring.
        begin: Improve that by a brief local search first.

    >>> from concolor.graph.families import family
    >>> exact(Task.of(family("myciel:4")))
    Solution(Coloring('myciel:4', k=5, conflicts=0), proved optimal)
    >>> found = exact(Task.of(family("queen:5x5"), k=4))
    >>> found.coloring.conflicts, found.lower, found.is_proved
    (12, 12, True)
    >>> found = exact(Task.of(family("path:3"), preset={0: 4, 2: 1}))
    >>> found.coloring.colors.tolist(), found.lower, found.is_proved
    ([4, 0, 1], 3, True)
    """
    require_sat()
    ends = _Ends(task) if task.goal.k is None else _Repair(task)
    with interruptible(lambda: task.solution(ends.best, ends.lower)):
        ends.close(begin)
    return task.solution(ends.best, ends.lower)


class _Ends:
    """Fewest colors within a budget of conflicts: ``lower <= optimum <= best.k``."""

    def __init__(self, task: Task) -> None:
        self.task, self.graph, self.goal, self.clock = task, task.graph, task.goal, task.clock
        self.best = _first(task)
        self.lower = 0
        self.fraction = 0  # the bound of χ by its fractional kin
        self.rounds = 0

    def close(self, begin: bool) -> None:
        """Search until both ends meet, or the time is over."""
        try:
            if self.clock.fits(quick_seconds(self.graph)):
                self._bound()
            else:
                self.lower = int(self.goal.bound(len(an_edge(self.graph))))
            if self._goes_on and begin:
                self._begin()
            if self._goes_on:
                self._search()
        except TooLarge:
            pass  # what was found until then is the answer

    def _bound(self) -> None:
        """A clique shows its colors, or as few as the budget allows; preset ones are all used."""
        self.lower = len(next(iter(largest_cliques(self.graph, clock=self.clock, most=1)), ()))
        while self.goal.budget and self.lower > 1 and self._may_do(self.lower - 1):
            self.lower -= 1
        self.lower = max(self.lower, len(self.goal.rules.preset_colors))

    def _may_do(self, k: int) -> bool:
        return packed_conflicts(self.graph, k, clock=self.clock) <= self.goal.budget

    @property
    def _goes_on(self) -> bool:
        """Both ends are apart, and there is time to begin something."""
        size = self.graph.n + 2 * self.graph.m
        return self._is_open and self.clock.fits(BEGIN * size, 1.0) and not self.clock.is_over

    @property
    def _is_open(self) -> bool:
        return self.goal.key(self.best)[:2] > (0, self.lower)

    def _begin(self, patience: int = 100_000) -> None:
        """A better coloring by local search, in a tenth of the time at most."""
        brief = self.task.but(clock=self.clock.share(0.1), start=self.best, progress=None)
        try:
            self._offer(tabucol(brief, patience=patience).coloring.colors)
        except Interrupted as stop:
            self._offer(stop.best.coloring.colors)
            raise

    def _search(self) -> None:
        """What a SAT solver does not settle at once is looked at more closely."""
        asked: dict[int, Colorable] = {}
        while self._is_open and not self.clock.is_over:
            for k in sorted({self.best.k - 1, self.lower}, reverse=True):
                if k not in asked:
                    asked[k] = Colorable(self.task, k)
                if self.rounds and not self.goal.budget:
                    asked[k].widen(self.best, self.fraction, self.clock)
                answer = asked[k].ask(self.clock, self.rounds, self._tell)
                if answer is not None:
                    asked.pop(k).close()
                    self._learn(k, answer)
                    break
            else:
                self._wait()
                if self.rounds == 1 and not self.goal.budget:
                    self._begin(LONGER)
                    self._look_closer()

    def _look_closer(self) -> None:
        """Bounds by cones and by fractions; rules only make it harder to keep them."""
        brief = self.clock.within(min(0.5 * self.clock.left, CLOSER))
        self.lower = max(self.lower, len(cones(self.graph, clock=brief)) + 1)
        self._tell()
        if not self._is_open:
            return
        start = [self.best] if self.best.is_proper else []
        for bound in fractional_bounds(
            self.graph, start, above=self.lower - 1, enough=self.best.k, clock=brief
        ):
            self.fraction = bound.lower
            self.lower = max(self.lower, bound.lower)
            self._tell()

    def _learn(self, k: int, answer: IntArray | bool) -> None:
        if isinstance(answer, bool):
            self.lower = k + 1
        else:
            self._offer(answer)

    def _offer(self, colors: IntArray) -> None:
        renamed = self.goal.rules.renumbered(colors, self.goal.k)
        assert renamed is not None
        self.best = self.goal.better(self.best, Coloring(self.graph, renamed))
        self._tell()

    def _wait(self) -> None:
        self.rounds += 1
        self._tell()

    def _tell(self) -> None:
        if self.task.progress is not None:
            best, seconds = self.best, self.clock.seconds
            self.task.progress(
                Progress(best.k, best.conflicts, self.rounds, seconds, best, lower=self.lower)
            )


def _first(task: Task) -> Coloring:
    """The better of DSATUR's coloring and the start, made to keep the rules and k; no search."""
    search = Search(task.but(progress=None))
    attempt(search, begun(task), stay)
    if task.start is not None:
        attempt(search, task.start.colors, stay)
    assert search.best is not None
    return search.best


class _Repair(_Ends):
    """Fewest conflicts with k colors: ``lower <= optimum <= best.conflicts``."""

    def _bound(self) -> None:
        assert self.goal.k is not None
        self.lower = packed_conflicts(self.graph, self.goal.k, clock=self.clock)

    def _search(self) -> None:
        """Each component of the core apart: an optimum of each is an optimum of all."""
        assert self.goal.k is not None
        rules = self.goal.rules.on(np.arange(self.goal.k))
        core = Reduction(self.graph, self.goal.k, rules, dominated=False)
        allowed = self.goal.rules.allow(np.arange(self.goal.k))  # [n, k]
        colors = self.best.colors.copy()
        self._offer(core.extended(colors))
        parts = [
            _Part(self.graph.subgraph(nodes), allowed[nodes], colors[nodes], self.clock)
            for nodes in core.parts
        ]
        self._add_up(parts)
        while any(part.is_open for part in parts) and not self.clock.is_over:
            for nodes, part in zip(core.parts, parts, strict=True):
                if part.is_open and part.improve(self.clock, PATIENCE << self.rounds):
                    colors[nodes] = part.colors
                    self._offer(core.extended(colors))
                self._add_up(parts)
            self._wait()

    def _add_up(self, parts: list[_Part]) -> None:
        """The parts share no edge, so conflicts that each must have are conflicts of the whole."""
        self.lower = max(self.lower, sum(part.lower for part in parts))


class _Part:
    """One component of the core: its best colors, and the conflicts that are certainly left.

    A question whose formula is too large is left out, the other is asked all the same.
    """

    def __init__(self, graph: Graph, allowed: Allowed, colors: IntArray, clock: Clock) -> None:
        self.graph, self.colors, k = graph, colors, allowed.shape[1]
        self.lower = packed_conflicts(graph, k, clock=clock)
        cliques = largest_cliques(graph, clock=clock)

        def question(most: int) -> Question | None:
            try:
                return Question(graph, k, cliques, allowed=allowed, most=most)
            except TooLarge:
                return None

        self.proper, self.fewer = question(0), question(max(self.conflicts - 1, 0))

    @property
    def conflicts(self) -> int:
        return count_conflicts(self.graph, self.colors)

    @property
    def is_open(self) -> bool:
        """Fewer conflicts may be possible, and there is a question left that may show it."""
        asked = self.proper if self.lower == 0 else self.fewer
        return self.lower < self.conflicts and asked is not None

    def improve(self, clock: Clock, patience: int) -> bool:
        """Ask for no conflicts, then for fewer and fewer; True where there are fewer now."""
        before = self.conflicts
        if self.lower == 0 and self.proper is not None:
            self._learn(self.proper.ask(clock, patience=patience), 0)
        while self.is_open and self.conflicts > 1 and self.fewer is not None:
            budget = self.conflicts - 1
            if not self._learn(self.fewer.ask(clock, patience=patience, budget=budget), budget):
                break
        return self.conflicts < before

    def _learn(self, answer: IntArray | bool | None, budget: int) -> bool:
        """Keep the colors, or that none are within the budget; False where nothing is known."""
        if answer is None:
            return False
        if isinstance(answer, bool):
            self.lower = budget + 1
        else:
            self.colors = answer
        return True
