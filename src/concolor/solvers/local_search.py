"""Discrete-Color, Full-Color, TabuCol and PartialCol: a node changes its color, again and again.

TabuCol, its kin and Discrete-Color go down from a proper coloring
(:mod:`concolor.solvers.descent`), Full-Color goes up from one color.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from concolor.coloring import Coloring
from concolor.goal import Solution, Task
from concolor.graph.families.fixed import cycle
from concolor.graph.structure import arrange
from concolor.rules import Rules
from concolor.solvers import independent
from concolor.solvers.descent import accepted, descend, ended
from concolor.solvers.focused import walking
from concolor.solvers.kernels.crossover import greedy_partition
from concolor.solvers.kernels.partial import FORBIDDEN, Part, lay_bare, partial_search
from concolor.solvers.kernels.search import (
    CONFLICTS,
    IMPROVED,
    MOVES,
    WEIGHT,
    State,
    Weights,
    discrete_search,
    tabu_search,
    weighted_search,
)
from concolor.solvers.reduction import Reduction
from concolor.solvers.search import Found, Search, Slice, Start, Step, Way
from concolor.solvers.speculative import speculative

PATIENCE = 1_000_000  # moves without improvement that end a search where no time limit does
SLICE = 10_000_000  # entries of the table between two looks at the clock: some 20 milliseconds


def tabucol(
    task: Task, *, threads: int = 1, patience: int | None = None, brief: int = 100_000
) -> Solution:
    """TabuCol (Hertz and de Werra 1987), the best we have without training.

    Args:
        task: What to do; without a start it begins with DSATUR's coloring, which is made in any
            case. It ends at once where the goal is reached and no better coloring is possible.
        threads: Searches side by side, each with its own random numbers; the best goes on.
        patience: Moves without improvement after which a number of colors is given up. Default:
            ``PATIENCE`` without a time limit, no end with one.
        brief: The same where a start with too many conflicts is given its chance.

    >>> from concolor.graph.families import family
    >>> tabucol(Task.of(family("queen:7x7")))
    Solution(Coloring('queen:7x7', k=7, conflicts=0), proved optimal)
    """
    search, patience = Search(task, threads), patience or patience_of(task)
    return ended(search, lambda: descend(search, tabu(patience), tabu(brief)))


def weighted_tabu(task: Task, *, threads: int = 1, patience: int | None = None) -> Solution:
    """Tabu search where edges that stay in conflict weigh more and more.

    For graphs with a few hard places among many easy ones: geometric graphs, frequencies,
    registers. On random graphs :func:`tabucol` is better. The arguments are the same.

    >>> from concolor.graph.families import family
    >>> weighted_tabu(Task.of(family("queen:7x7")))
    Solution(Coloring('queen:7x7', k=7, conflicts=0), proved optimal)
    """
    search, patience = Search(task, threads), patience or patience_of(task)
    return ended(search, lambda: descend(search, by(weighted(patience), patience)))


def partialcol(task: Task, *, threads: int = 1, patience: int | None = None) -> Solution:
    """PartialCol (Blöchliger and Zufferey 2008): tabu search on colorings of a part of the nodes.

    Now and then it finds a hidden coloring that :func:`tabucol` misses; mostly that is better. The
    arguments are the same.

    >>> from concolor.graph.families import family
    >>> partialcol(Task.of(family("queen:7x7")))
    Solution(Coloring('queen:7x7', k=7, conflicts=0), proved optimal)
    """
    search, patience = Search(task, threads), patience or patience_of(task)
    return ended(search, lambda: descend(search, by(partial(patience), patience)))


def patience_of(task: Task) -> int:
    """Moves without improvement that end a search: ``PATIENCE``, or with a time limit no number."""
    return PATIENCE if task.clock.limit is None else 2**62


def discrete_color(task: Task) -> Solution:
    """Discrete-Color: the node that gains most goes to its best color, until none gains.

    Fast, and deep enough to polish a good start.
    """
    search = Search(task)
    return ended(search, lambda: descend(search, by(discrete, 0)))


def full_color(task: Task) -> Solution:
    """Full-Color: Discrete-Color with 1, 2, ... colors, each from the result of the one before.

    A start is where the rise begins. Cut by time before the budget of conflicts is reached, it
    returns a coloring that is over it.
    """
    search = Search(task)
    return ended(search, lambda: _rise(search))


def _rise(search: Search) -> None:
    """With one color more each time, until the goal is reached."""
    goal, start = search.goal, search.task.start
    top = goal.k or max(search.graph.n, 1)
    colors = np.zeros(search.graph.n, np.int64)
    if start is not None:
        colors = np.unique(accepted(search, start.colors), return_inverse=True)[1]
    for k in range(min(colors.max(initial=0) + 1, top), top + 1):
        conflicts, colors = search.minimize([(np.arange(k), colors)], goal.budget, discrete)
        if conflicts <= goal.budget or search.task.clock.is_over:
            return


def discrete(search: Search, state: State) -> Slice:
    """Discrete-Color, slice by slice."""

    def go_on(target: int) -> bool:
        own = np.take_along_axis(state.table, state.colors[:, None], axis=1)[:, 0]
        gain = (own - state.table.min(axis=1)).astype(np.int64)
        return discrete_search(state, target, SLICE, gain, *arrange(gain))

    return go_on


def plain(patience: int) -> Step:
    """Tabu search; the way to the first local minimum is left to Discrete-Color, which is fast."""

    def step(search: Search, state: State) -> Slice:
        go_down = discrete(search, state)

        def go_on(target: int) -> bool:
            still_down = state.counts[MOVES] == state.counts[IMPROVED]
            return (still_down and go_down(target)) or tabu_search(state, target, patience, SLICE)

        return go_on

    return step


def weighted(patience: int) -> Step:
    """Tabu search on edges with weights, which are 1 where it begins."""

    def step(search: Search, state: State) -> Slice:
        weights = Weights(np.ones(len(search.twin), np.int32), search.twin)
        state.counts[WEIGHT] = state.counts[CONFLICTS]
        return lambda target: weighted_search(state, weights, target, patience, SLICE)

    return step


def partial(patience: int) -> Step:
    """Tabu search on colorings of a part of the nodes, for the fewest without a color."""
    return lambda search, state: _of_parts(
        search, state, np.ones(search.graph.n, np.int32), patience
    )


def partial_by_degree(patience: int) -> Step:
    """The same for the fewest ends of edges at nodes without a color, as Morgenstern (1996) has it.

    So the nodes that are hard to place are colored first.
    """
    return lambda search, state: _of_parts(
        search, state, np.maximum(search.graph.degrees, 1).astype(np.int32), patience
    )


def begin_part(search: Search, state: State, worth: NDArray[np.int32]) -> Part:
    """What a partial search keeps beside a state whose nodes all have colors."""
    nobody, (n, k) = np.int32(-1), state.table.shape
    forbidden = np.ascontiguousarray(state.table.T >= FORBIDDEN)
    return Part(
        worth=worth,
        around=FORBIDDEN * forbidden.astype(np.int32),
        matrix=search.matrix,
        first=np.full(k, nobody),
        after=np.full(n, nobody),
        before=np.full(n, nobody),
    )


def _of_parts(search: Search, state: State, worth: NDArray[np.int32], patience: int) -> Slice:
    part = begin_part(search, state, worth)
    lay_bare(state, part)
    return lambda target: partial_search(state, part, target, patience, SLICE)


def by(step: Step, patience: int) -> Way:
    """The way that goes by one kind of steps from every start; one color leaves nothing to try.

    Where a graph is too large for a table, it walks instead, with as much patience.
    """
    walk = walking(patience)

    def way(search: Search, starts: Sequence[Start], target: int) -> Found:
        if search.is_wide(len(starts[0][0])):
            return walk(search, starts, target)
        return search.minimize(starts, target, step if len(starts[0][0]) > 1 else discrete)

    return way


def tabu(patience: int) -> Way:
    """Tabu search from every start, until it has been in vain for so many moves."""
    return by(plain(patience), patience)


@cache
def warm_up() -> None:
    """Compile, or load what was compiled, on a graph that takes no time: before a clock starts.

    The first call ever compiles for some seconds, the first of a process loads the machine code.
    """
    graph = cycle(5).but(chi=None)
    one_color = Coloring(graph, np.zeros(5, np.int64))
    for start in (one_color, None):
        for step in (discrete, plain(1), weighted(1), partial(1)):
            descend(Search(Task.of(graph, k=2, start=start)), by(step, 1))
    greedy_partition(np.zeros(5, np.int64), np.zeros(5, np.int64), 1)
    speculative(graph, np.arange(5))
    reduction = Reduction(graph, 3, Rules.of(graph))
    reduction.lifted(np.zeros(reduction.graph.n, np.int64))
    descend(Search(Task.of(graph, k=2)), walking(1))
    independent.warm_up()
