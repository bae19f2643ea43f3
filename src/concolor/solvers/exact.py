"""``exact``: the chromatic number and optimal colorings of small graphs, by SAT.

Both ends of ``lower <= χ <= upper`` are worked on in turn with growing patience, so whatever ends
the search, the coloring and the lower bound are the best that were proved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from concolor.coloring import Coloring, count_conflicts
from concolor.errors import InputError
from concolor.goal import Clock, Goal, Progress, Report
from concolor.graph.core import Graph, IntArray
from concolor.solvers.clique import largest_cliques, packed_conflicts
from concolor.solvers.greedy import dsatur
from concolor.solvers.kcore import KCore
from concolor.solvers.sat import Question, TooLarge, require_sat

PATIENCE = 1000  # wrong turns of the solver before the other end gets its turn; doubles each round
TABU_PATIENCE = 100_000  # moves of the first local search without improvement


@dataclass(frozen=True)
class Optimum:
    """The best coloring found for a goal, with what was proved about better ones.

    ``lower <= optimum <= upper``, the optimum being the fewest conflicts where the goal gives k,
    else the fewest colors within its budget: the chromatic number where that is 0.

    Attributes:
        coloring: The best found.
        goal: What it is best for.
        lower: The proved lower bound; its proof is the solver's where cliques do not show it.
        clique: A largest clique found.
        seconds: What it took.
    """

    coloring: Coloring
    goal: Goal
    lower: int
    clique: tuple[int, ...]
    seconds: float

    @property
    def upper(self) -> int:
        """What the coloring shows: its conflicts where the goal gives k, else its colors."""
        return self.goal.key(self.coloring)[1]

    @property
    def is_proved(self) -> bool:
        """The coloring is optimal: it is allowed, and as good as the lower bound."""
        return self.goal.key(self.coloring)[:2] == (0, self.lower)


def optimum(
    graph: Graph,
    *,
    k: int | None = None,
    max_mono: float | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    start: Coloring | None = None,
    progress: Report | None = None,
) -> Optimum:
    """The optimum between two bounds, which meet unless time or Ctrl-C ends the search.

    Args:
        graph: What to color; some hundred nodes of it may be hard.
        k: At most this many colors, fewest conflicts.
        max_mono: Fewest colors with at most this fraction of monochromatic edges. Neither of the
            two: fewest colors without conflicts.
        seed: Of the local search that gives the first coloring.
        time_limit: Seconds. Without one the search ends with a proof, which may take forever.
        start: A coloring to begin from.
        progress: Called after every better coloring and every time patience grows.

    >>> from concolor.graph.families import family
    >>> found = optimum(family("queen:5x5"), k=4)
    >>> found.coloring.conflicts, found.lower, found.is_proved
    (12, 12, True)
    """
    goal, clock = Goal.of(graph, k, max_mono), Clock(time_limit)
    kind = _Search if goal.k is None else _Repair
    search = kind(graph, goal, clock, seed, start, progress)
    search.run()
    return Optimum(search.best, goal, search.lower, search.clique, clock.seconds)


def chromatic(
    graph: Graph,
    *,
    time_limit: float | None = None,
    seed: int = 0,
    start: Coloring | None = None,
) -> Optimum:
    """:func:`optimum` without conflicts: ``lower <= χ <= coloring.k``.

    >>> from concolor.graph.families import family
    >>> found = chromatic(family("myciel:4"))
    >>> found.coloring.k, found.lower, found.is_proved
    (5, 5, True)
    """
    return optimum(graph, seed=seed, time_limit=time_limit, start=start)


def exact(
    graph: Graph,
    *,
    k: int | None = None,
    max_mono: float | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    start: Coloring | None = None,
    progress: Report | None = None,
) -> Coloring:
    """The coloring of :func:`optimum` alone, as every solver gives it.

    >>> from concolor.graph.families import family
    >>> exact(family("queen:5x5"), k=4).conflicts
    12
    """
    return optimum(
        graph,
        k=k,
        max_mono=max_mono,
        seed=seed,
        time_limit=time_limit,
        start=start,
        progress=progress,
    ).coloring


class _Search:
    """Fewest colors within a budget of conflicts: ``lower <= optimum <= best.k``."""

    def __init__(
        self,
        graph: Graph,
        goal: Goal,
        clock: Clock,
        seed: int,
        start: Coloring | None,
        report: Report | None = None,
    ) -> None:
        require_sat()
        if start is not None and start.graph != graph:
            raise InputError(f"the start colors {start.graph}, not {graph}; give one that does")
        self.graph, self.goal, self.clock, self.seed, self.report = graph, goal, clock, seed, report
        greedy = dsatur(graph)
        self.best = greedy if start is None else goal.better(start, greedy)
        self.clique: tuple[int, ...] = ()
        self.lower = 0
        self.rounds = 0

    def run(self) -> None:
        """Search until both ends meet, the time is over, or Ctrl-C."""
        try:
            self.clique = next(iter(largest_cliques(self.graph, clock=self.clock, most=1)), ())
            self._bound()
            if self._is_open:
                self._begin()
                self._search()
        except (KeyboardInterrupt, TooLarge):
            pass  # what was found until then is the answer

    def _bound(self) -> None:
        """The clique shows its colors, or as few as the budget allows."""
        self.lower = len(self.clique)
        while self.goal.budget and self.lower > 1 and self._may_do(self.lower - 1):
            self.lower -= 1

    def _may_do(self, k: int) -> bool:
        return packed_conflicts(self.graph, k, clock=self.clock) <= self.goal.budget

    @property
    def _is_open(self) -> bool:
        return self.goal.key(self.best)[:2] > (0, self.lower)

    def _begin(self) -> None:
        """A first coloring by local search, in a tenth of the time at most."""
        left = None if self.clock.limit is None else self.clock.left
        from concolor.solvers.local_search import tabucol, warm_up  # imports numba

        warm_up()
        self.clock = Clock(left)  # as everywhere, the loading of compiled code does not count
        found = tabucol(
            self.graph,
            k=self.goal.k,
            max_mono=self.goal.budget / self.graph.m if self.goal.budget else None,
            seed=self.seed,
            time_limit=None if left is None else left / 10,
            start=self.best,
            patience=TABU_PATIENCE,
        )
        self._offer(found.colors)

    def _search(self) -> None:
        asked: dict[int, _Colorable] = {}
        while self._is_open and not self.clock.is_over:
            for k in sorted({self.best.k - 1, self.lower}, reverse=True):
                if k not in asked:
                    asked[k] = _Colorable(self.graph, k, self.goal.budget, self.clock)
                answer = asked[k].ask(self.clock, PATIENCE << self.rounds)
                if answer is not None:
                    del asked[k]  # and with it the memory of its solver
                    self._learn(k, answer)
                    break
            else:
                self._wait()

    def _learn(self, k: int, answer: IntArray | bool) -> None:
        if isinstance(answer, bool):
            self.lower = k + 1
        else:
            self._offer(answer)

    def _offer(self, colors: IntArray) -> None:
        self.best = self.goal.better(self.best, Coloring(self.graph, colors))
        self._tell()

    def _wait(self) -> None:
        self.rounds += 1
        self._tell()

    def _tell(self) -> None:
        if self.report is not None:
            best = self.best
            self.report(Progress(best.k, best.conflicts, self.rounds, self.clock.seconds, best))


class _Repair(_Search):
    """Fewest conflicts with k colors: ``lower <= optimum <= best.conflicts``."""

    def _bound(self) -> None:
        assert self.goal.k is not None
        self.lower = packed_conflicts(self.graph, self.goal.k, clock=self.clock)

    def _search(self) -> None:
        """Each component of the core apart: an optimum of each is an optimum of all."""
        assert self.goal.k is not None
        core = KCore(self.graph, self.goal.k, self.clock)
        colors = np.unique(self.best.colors, return_inverse=True)[1]
        self._offer(core.extended(colors))
        parts = [
            _Part(self.graph.subgraph(nodes), self.goal.k, colors[nodes], self.clock)
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
    """One component of the core: its best colors, and the conflicts that are certainly left."""

    def __init__(self, graph: Graph, k: int, colors: IntArray, clock: Clock) -> None:
        self.graph, self.colors = graph, colors
        self.lower = packed_conflicts(graph, k, clock=clock)
        cliques = largest_cliques(graph, clock=clock)
        self.proper = Question(graph, k, cliques)
        self.fewer = Question(graph, k, cliques, most=max(self.conflicts - 1, 0))

    @property
    def conflicts(self) -> int:
        return count_conflicts(self.graph, self.colors)

    @property
    def is_open(self) -> bool:
        return self.lower < self.conflicts

    def improve(self, clock: Clock, patience: int) -> bool:
        """Ask for no conflicts, then for fewer and fewer; True where there are fewer now."""
        before = self.conflicts
        if self.lower == 0:
            self._learn(self.proper.ask(clock, patience=patience), 0)
        while self.is_open and self.conflicts > 1:
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


class _Colorable:
    """Is there a coloring of the whole graph with k colors and so many conflicts?

    A proper one is looked for in the components of the core apart.
    """

    def __init__(self, graph: Graph, k: int, budget: int, clock: Clock) -> None:
        self.core = KCore(graph, k, clock)
        self.colors = np.zeros(graph.n, np.int64)
        parts = self.core.parts
        if budget and parts:
            parts = [np.concatenate(parts)]
        self.budget = budget
        self.open = [(nodes, self._question(graph.subgraph(nodes), k, clock)) for nodes in parts]

    def ask(self, clock: Clock, patience: int) -> IntArray | bool | None:
        """Colors ``[n]``, False where there are none, None where it is not settled yet."""
        if not self.core.is_complete:
            return None
        for nodes, question in self.open.copy():
            answer = question.ask(clock, patience=patience, budget=self.budget)
            if answer is False:
                return False
            if answer is not None:
                self.colors[nodes] = answer
                self.open = [part for part in self.open if part[1] is not question]
        return None if self.open else self.core.extended(self.colors)

    def _question(self, graph: Graph, k: int, clock: Clock) -> Question:
        return Question(graph, k, largest_cliques(graph, clock=clock), most=self.budget)
