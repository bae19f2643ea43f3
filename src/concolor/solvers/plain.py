"""The greedy colorings and the null, asked like every other solver: for k, or for few colors.

A greedy coloring that has more colors than asked for loses its smallest classes: their nodes go,
one by one, to the color with the fewest conflicts. The null tries 1, 2, ... colors.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from concolor.coloring import Coloring
from concolor.goal import Clock, Goal, Progress, Report
from concolor.graph.core import Graph
from concolor.rules import Forbidden, Preset, Rules
from concolor.solvers import greedy
from concolor.solvers import null as balanced


def _asked(make: Callable[..., Coloring]) -> Callable[..., Coloring]:
    """The greedy coloring ``make(graph, ...)`` behind the call that all solvers share."""

    def run(
        graph: Graph,
        *,
        k: int | None = None,
        max_mono: float | None = None,
        seed: int = 0,
        time_limit: float | None = None,
        preset: Preset | None = None,
        forbidden: Forbidden | None = None,
        progress: Report | None = None,
    ) -> Coloring:
        goal, rules = Goal.of(graph, k, max_mono), Rules.of(graph, preset, forbidden, k=k)
        given = {} if rules.are_none else {"preset": preset, "forbidden": forbidden}
        made = make(graph, **given)
        highest = made.k if rules.are_none else made.colors.max(initial=-1) + 1
        if goal.budget == 0 and (k is None or highest <= k):
            return made
        from concolor.solvers.local_search import cut_down  # imports numba

        return cut_down(made, goal, rules, seed=seed, time_limit=time_limit, progress=progress)

    return run


dsatur = _asked(greedy.dsatur)
largest_first = _asked(greedy.largest_first)
smallest_last = _asked(greedy.smallest_last)
rlf = _asked(greedy.rlf)


def null(
    graph: Graph,
    *,
    k: int | None = None,
    max_mono: float | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    progress: Report | None = None,
) -> Coloring:
    """:func:`concolor.solvers.null.null` with k colors, or with 1, 2, ... until it is in budget.

    Cut by time before, it returns the coloring that is least over the budget.
    """
    goal, clock = Goal.of(graph, k, max_mono), Clock(time_limit)
    if k is not None:
        return balanced.null(graph, k, seed=seed)
    best = balanced.null(graph, 1, seed=seed)
    try:
        for colors in count(2):
            if best.conflicts <= goal.budget or clock.is_over:
                break
            best = goal.better(best, balanced.null(graph, colors, seed=seed))
            if progress is not None:
                progress(Progress(colors, best.conflicts, colors, clock.seconds, best))
    except KeyboardInterrupt:
        pass
    return best
