"""``exact``: the chromatic number and optimal colorings of small graphs, by SAT.

Both ends of ``lower <= χ <= upper`` are worked on in turn with growing patience, so whatever ends
the search, the coloring and the lower bound are the best that were proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse.csgraph as csgraph

from concolor.coloring import Coloring, count_conflicts
from concolor.errors import InputError
from concolor.graph.core import Graph, IntArray
from concolor.solvers.clique import largest_cliques
from concolor.solvers.goal import Clock, Goal, Progress, Report, forced_conflicts
from concolor.solvers.greedy import dsatur
from concolor.solvers.sat import Question, require_sat

PATIENCE = 1000  # wrong turns that the solver may take before the other end gets its turn


@dataclass(frozen=True)
class Chromatic:
    """``lower <= χ <= coloring.k``, with witnesses for what the search could prove.

    Attributes:
        coloring: A proper coloring with the fewest colors found.
        lower: The proved lower bound; above ``len(clique)`` its proof is the solver's.
        clique: A largest clique found.
        seconds: What it took.
    """

    coloring: Coloring
    lower: int
    clique: tuple[int, ...]
    seconds: float

    @property
    def is_proved(self) -> bool:
        """The coloring is optimal: its colors are as few as the lower bound."""
        return self.lower == self.coloring.k


def chromatic(
    graph: Graph,
    *,
    time_limit: float | None = None,
    seed: int = 0,
    start: Coloring | None = None,
) -> Chromatic:
    """The chromatic number between two bounds, which meet unless time or Ctrl-C ends the search.

    Args:
        graph: What to color; some hundred nodes of it may be hard.
        time_limit: Seconds.
        seed: Every solver takes one; nothing is random here.
        start: A coloring to begin from, used where it is proper and better than DSATUR's.

    >>> from concolor.graph.families import family
    >>> found = chromatic(family("myciel:4"))
    >>> found.coloring.k, found.lower, found.is_proved
    (5, 5, True)
    """
    search = _Search(graph, Goal.of(graph), Clock(time_limit), start)
    search.run()
    return Chromatic(search.best, search.lower, search.clique, search.clock.seconds)


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
    """An optimal coloring; the best so far where time or Ctrl-C ends the search.

    Args:
        graph: What to color; some hundred nodes of it may be hard.
        k: At most this many colors, fewest conflicts.
        max_mono: Fewest colors with at most this fraction of monochromatic edges. Neither of the
            two: fewest colors without conflicts.
        seed: Every solver takes one; nothing is random here.
        time_limit: Seconds. Without one the search ends with a proof, which may take forever.
        start: A coloring to begin from.
        progress: Called after every better coloring and every time patience grows.

    >>> from concolor.graph.families import family
    >>> exact(family("queen:5x5"), k=4).conflicts
    11
    """
    goal, clock = Goal.of(graph, k, max_mono), Clock(time_limit)
    search = (_Search if goal.k is None else _Repair)(graph, goal, clock, start, progress)
    search.run()
    return search.best


@dataclass
class _Search:
    """Fewest colors within a budget of conflicts: ``lower <= optimum <= best.k``."""

    graph: Graph
    goal: Goal
    clock: Clock
    start: Coloring | None = None
    report: Report | None = None
    best: Coloring = field(init=False)
    clique: tuple[int, ...] = ()
    lower: int = 0
    rounds: int = 0

    def __post_init__(self) -> None:
        require_sat()
        self.best = dsatur(self.graph)
        if self.goal.k is not None:
            self.best = Coloring(self.graph, _squeezed(self.best, self.goal.k))
        if self.start is not None:
            if self.start.graph != self.graph:
                raise InputError(
                    f"start colors {self.start.graph}, not {self.graph}: give one of this graph"
                )
            self.best = self.goal.better(self.start, self.best)

    def run(self) -> None:
        """Search until both ends meet, the time is over, or Ctrl-C."""
        try:
            self.clique = next(iter(largest_cliques(self.graph, clock=self.clock, most=1)), ())
            self._run()
        except KeyboardInterrupt:
            pass

    def _run(self) -> None:
        ks = range(1, len(self.clique) + 1)
        reached = (k for k in ks if forced_conflicts(len(self.clique), k) <= self.goal.budget)
        self.lower = next(reached, 0)
        asked: dict[int, _Colorable] = {}
        while self.lower < self.best.k and not self.clock.is_over:
            for k in sorted({self.best.k - 1, self.lower}, reverse=True):
                if k not in asked:
                    asked[k] = _Colorable(self.graph, k, self.goal.budget, self.clock)
                colors = asked[k].ask(self.clock, PATIENCE << self.rounds)
                if colors is not None:
                    del asked[k]  # settled, and with it the memory of its solver
                    self._learn(k, colors)
                    break
            else:
                self.rounds += 1
                self._tell()

    def _learn(self, k: int, colors: IntArray | bool) -> None:
        if isinstance(colors, bool):
            self.lower = k + 1
        else:
            self._offer(colors)

    def _offer(self, colors: IntArray) -> None:
        self.best = self.goal.better(Coloring(self.graph, colors), self.best)
        self._tell()

    def _tell(self) -> None:
        if self.report is not None:
            best = self.best
            self.report(Progress(best.k, best.conflicts, self.rounds, self.clock.seconds, best))


class _Repair(_Search):
    """Fewest conflicts with k colors, each component of the k-core apart."""

    def _run(self) -> None:
        k = self.goal.k or 1
        if self.best.conflicts <= forced_conflicts(len(self.clique), k):
            return
        core = _Core(self.graph, k, self.clock)
        colors = core.extended(self.best.colors.copy())
        parts = [_Part(self.graph, nodes, k, colors) for nodes in core.parts]
        while any(part.is_open for part in parts) and not self.clock.is_over:
            for part in parts:
                if part.is_open and part.improve(self.clock, PATIENCE << self.rounds):
                    self._offer(core.extended(colors))
            self.rounds += 1
            self._tell()


class _Part:
    """One component of the core; its best colors stand in the colors of the whole graph."""

    def __init__(self, whole: Graph, nodes: IntArray, k: int, colors: IntArray) -> None:
        self.graph, self.nodes, self.colors = whole.subgraph(nodes), nodes, colors
        self.cliques = largest_cliques(self.graph)
        self.lower = forced_conflicts(len(self.cliques[0]), k)
        self.proper: Question | None = Question(self.graph, k, self.cliques)
        self.fewer = Question(self.graph, k, self.cliques, budget=max(self.conflicts - 1, 0))

    @property
    def conflicts(self) -> int:
        return count_conflicts(self.graph, self.colors[self.nodes])

    @property
    def is_open(self) -> bool:
        return self.lower < self.conflicts

    def improve(self, clock: Clock, patience: int) -> bool:
        """Ask for no conflicts, then for fewer and fewer; True where there are fewer now."""
        before = self.conflicts
        if self.proper is not None:
            self._learn(self.proper.ask(clock, conflicts=patience), 0)
        while self.is_open and not clock.is_over:
            self.fewer.tighten(self.conflicts - 1)
            if not self._learn(self.fewer.ask(clock, conflicts=patience), self.conflicts - 1):
                break
        return self.conflicts < before

    def _learn(self, answer: IntArray | bool | None, budget: int) -> bool:
        """Keep colors, or raise the bound above the budget; False where nothing was learned."""
        if answer is None:
            return False
        if budget == 0:
            self.proper = None
        if isinstance(answer, bool):
            self.lower = max(self.lower, budget + 1)
        else:
            self.colors[self.nodes] = answer
        return True


class _Colorable:
    """Is there a coloring of the whole graph with k colors and so many conflicts?

    A proper one is looked for in the components of the core apart.
    """

    def __init__(self, graph: Graph, k: int, budget: int, clock: Clock) -> None:
        self.core = _Core(graph, k, clock)
        self.colors = np.zeros(graph.n, np.int64)
        parts = self.core.parts
        if budget and parts:
            parts = [np.concatenate(parts)]
        self.open = [(nodes, _question(graph.subgraph(nodes), k, budget)) for nodes in parts]

    def ask(self, clock: Clock, patience: int) -> IntArray | bool | None:
        """Colors ``[n]``, False where there are none, None where it is not settled yet."""
        if not self.core.is_complete:
            return None
        for nodes, question in self.open.copy():
            answer = question.ask(clock, conflicts=patience)
            if answer is False:
                return False
            if answer is not None:
                self.colors[nodes] = answer
                self.open = [part for part in self.open if part[1] is not question]
        return None if self.open else self.core.extended(self.colors)


def _question(graph: Graph, k: int, budget: int) -> Question:
    return Question(graph, k, largest_cliques(graph), budget)


class _Core:
    """The k-core, in components, and the nodes outside, which any coloring of it extends to.

    A node with fewer than k neighbors always finds a free color, so it may be taken away first and
    colored last; those that are left, each with k neighbors or more, are the core.
    """

    def __init__(self, graph: Graph, k: int, clock: Clock) -> None:
        self.graph, self.k = graph, k
        degrees, inside = graph.degrees.copy(), np.ones(graph.n, bool)
        self.peeled: list[IntArray] = []
        leaving = np.flatnonzero(degrees < k)
        while len(leaving) and not clock.is_over:
            inside[leaving] = False
            self.peeled.append(leaving)
            touched = _neighbors(graph, leaving)
            np.subtract.at(degrees, touched, 1)
            leaving = np.unique(touched[inside[touched] & (degrees[touched] < k)])
        self.is_complete = not len(leaving)
        self.parts = list(_components(graph, np.flatnonzero(inside))) if self.is_complete else []

    def extended(self, colors: IntArray) -> IntArray:
        """The colors ``[n]``, those outside the core replaced: no conflict touches them."""
        colors = colors.copy()
        outside = np.concatenate([np.empty(0, np.int64), *reversed(self.peeled)])
        colors[outside] = self.k  # none yet
        for v in outside:
            taken = np.zeros(self.k + 1, bool)
            taken[colors[self.graph.neighbors(v)]] = True
            colors[v] = taken.argmin()
        return colors


def _neighbors(graph: Graph, nodes: IntArray) -> IntArray:
    """The neighbors of all nodes in one array, repeated where several share one."""
    counts = graph.degrees[nodes]
    starts = np.repeat(graph.indptr[nodes] - (np.cumsum(counts) - counts), counts)
    return graph.indices[starts + np.arange(counts.sum())]


def _components(graph: Graph, nodes: IntArray) -> Iterator[IntArray]:
    """The connected components of the graph that the nodes induce, small ones first."""
    if len(nodes) == 0:
        return
    induced = graph.subgraph(nodes).adjacency()
    count, member = csgraph.connected_components(induced, directed=False)
    parts = [nodes[member == part] for part in range(count)]
    yield from sorted(parts, key=len)


def _squeezed(coloring: Coloring, k: int) -> IntArray:
    """Keep the k largest classes; the other nodes take, in turn, the color of fewest neighbors."""
    classes = sorted(coloring.classes, key=len, reverse=True)
    colors = np.full(coloring.graph.n, k)
    for color, nodes in enumerate(classes[:k]):
        colors[nodes] = color
    for v in np.flatnonzero(colors == k):
        near = np.bincount(colors[coloring.graph.neighbors(v)], minlength=k + 1)
        colors[v] = near[:k].argmin()
    return colors
