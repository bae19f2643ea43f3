"""Discrete-Color, Full-Color and TabuCol: one node changes its color, again and again.

All of them work with a fixed number of colors. Where the fewest colors are asked for, TabuCol and
Discrete-Color go down: from a proper coloring the smallest class is dissolved, its nodes go where
they make the fewest conflicts, and the search goes on with one color less. It ends where a clique
proves that less is impossible. Full-Color goes up from one color.

PartialCol (Blöchliger and Zufferey 2008), which leaves nodes without a color instead of allowing
conflicts, was measured and is not here: in equal time it missed colorings of queen and random
graphs that TabuCol found, and found none that TabuCol missed.

The first call ever compiles for some seconds, and the first of a process loads what was compiled;
both happen before the clock of ``time_limit`` starts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.goal import Clock, Goal, Report, forced_conflicts
from concolor.graph.core import Graph, IntArray
from concolor.graph.families.fixed import cycle
from concolor.graph.structure import arrange, by_degree, greedy_clique
from concolor.rules import Forbidden, Preset, Rules
from concolor.solvers.greedy import fitted, saturated
from concolor.solvers.kernels.search import IMPROVED, MOVES, State, discrete_search, tabu_search
from concolor.solvers.search import Search, Step

PATIENCE = 1_000_000  # moves without improvement that end a search where no time limit does
BRIEF = 100_000  # the same where a start that is over the budget is given its chance
SLICE = 10_000_000  # entries of the table between two looks at the clock: some 20 milliseconds


def tabucol(
    graph: Graph,
    *,
    k: int | None = None,
    max_mono: float | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    start: Coloring | None = None,
    threads: int = 1,
    patience: int | None = None,
    preset: Preset | None = None,
    forbidden: Forbidden | None = None,
    progress: Report | None = None,
) -> Coloring:
    """TabuCol (Hertz and de Werra 1987), the best we have without training.

    Args:
        graph: What to color.
        k: At most this many colors, with the fewest conflicts found; ends at once where there are
            none, or no fewer are possible.
        max_mono: The fewest colors with at most this fraction of monochromatic edges. Neither of
            the two: the fewest colors without conflicts.
        seed: The same seed gives the same coloring, unless time cuts the search.
        time_limit: In seconds; the greedy coloring it begins with is made in any case.
        start: A coloring to begin from, DSATUR's if not given.
        threads: Searches side by side, each with its own random numbers; the best goes on.
        patience: Moves without improvement after which a number of colors is given up. Default:
            ``PATIENCE`` without a time limit, no end with one.
        preset: Colors that nodes must have, by node number or name.
        forbidden: Colors that nodes must not have.
        progress: Called some twenty times a second with a :class:`~concolor.goal.Progress`.

    Returns:
        The best so far, also on time-out and on Ctrl-C.

    >>> from concolor.graph.families import family
    >>> tabucol(family("queen:7x7")).k
    7
    """
    if patience is None:
        patience = PATIENCE if time_limit is None else 2**62
    goal, rules = Goal.of(graph, k, max_mono), Rules.of(graph, preset, forbidden, k=k)
    warm_up()
    search = Search(graph, goal, rules, seed, Clock(time_limit), threads, progress)
    return _best(search, lambda: descend(search, start, tabu(patience), tabu(BRIEF)))


def discrete_color(
    graph: Graph,
    *,
    k: int | None = None,
    max_mono: float | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    start: Coloring | None = None,
    preset: Preset | None = None,
    forbidden: Forbidden | None = None,
    progress: Report | None = None,
) -> Coloring:
    """Discrete-Color: the node that gains most goes to its best color, until none gains.

    Fast, and deep enough to polish a good start. The arguments are those of :func:`tabucol`.
    """
    goal, rules = Goal.of(graph, k, max_mono), Rules.of(graph, preset, forbidden, k=k)
    warm_up()
    search = Search(graph, goal, rules, seed, Clock(time_limit), progress=progress)
    return _best(search, lambda: descend(search, start, _discrete))


def full_color(
    graph: Graph,
    *,
    k: int | None = None,
    max_mono: float | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    start: Coloring | None = None,
    progress: Report | None = None,
) -> Coloring:
    """Full-Color: Discrete-Color with 1, 2, ... colors, each from the result of the one before.

    The arguments are those of :func:`tabucol`; a start is where the rise begins. Cut by time before
    the budget of conflicts is reached, it returns a coloring that is over it.
    """
    goal = Goal.of(graph, k, max_mono)
    warm_up()
    search = Search(graph, goal, Rules.of(graph), seed, Clock(time_limit), progress=progress)
    return _best(search, lambda: _up(search, start))


def cut_down(
    coloring: Coloring,
    goal: Goal,
    rules: Rules,
    *,
    seed: int = 0,
    time_limit: float | None = None,
    progress: Report | None = None,
) -> Coloring:
    """A proper coloring without its smallest classes, as the goal wants it; no search."""
    warm_up()
    search = Search(coloring.graph, goal, rules, seed, Clock(time_limit), progress=progress)
    return _best(search, lambda: descend(search, coloring, _stay))


def lower_bound(graph: Graph) -> int:
    """Colors that are certainly needed: χ where it is known, else a clique found greedily."""
    if graph.chi is not None:
        return graph.chi
    return len(greedy_clique(graph))


def _best(search: Search, go: Callable[[], None]) -> Coloring:
    """Run the search, and take what it has if it is interrupted."""
    try:
        go()
    except KeyboardInterrupt:
        if search.best is None:
            raise
    assert search.best is not None
    return search.best


def descend(search: Search, start: Coloring | None, step: Step, brief: Step | None = None) -> None:
    """From a proper coloring to the k that is asked for, or as far down as it goes.

    The best is in ``search.best``, also after an interrupt. ``brief`` is the step for a start with
    too many conflicts, before it is made proper with more colors.
    """
    graph, goal, rules = search.graph, search.goal, search.rules
    given = None if start is None else _accepted(search, start)
    proper = saturated(graph, rules) if given is None else _repaired(search, given)
    if goal.k is not None:
        _cut(search, proper, proper if given is None else given, step)
        return
    search.offer(proper)
    if given is not None and given.min(initial=0) >= 0:
        _try(search, given, brief or step)
    lower = lower_bound(graph)
    while (k := search.best_k - 1) >= 1 and forced_conflicts(lower, k) <= goal.budget:
        starts = _one_less(search)
        if not starts or search.minimize(starts, goal.budget, step)[0] > goal.budget:
            return


def _cut(search: Search, proper: IntArray, colors: IntArray, step: Step) -> None:
    """At most k colors: the proper coloring if it has no more, else the k largest classes of
    ``colors`` (other threads: any k) and a search."""
    k = search.goal.k
    assert k is not None
    named = not search.rules.are_none
    if (proper.max(initial=-1) + 1 if named else len(np.unique(proper))) <= k:
        search.offer(proper)
        return
    palette = np.arange(k)
    starts = [(palette, colors)] * search.threads
    if not named:
        classes, place, sizes = np.unique(colors, return_inverse=True, return_counts=True)
        ranks = [np.argsort(np.argsort(-sizes, kind="stable"))]
        ranks += [search.rng.permutation(len(classes)) for _ in range(search.threads - 1)]
        starts = [(palette, rank[place]) for rank in ranks]
    search.minimize(starts, forced_conflicts(lower_bound(search.graph), k), step)


def _try(search: Search, given: IntArray, brief: Step) -> None:
    """Offer a start as it is; where it has too many conflicts, try to remove them, not for long."""
    search.offer(given)
    palette = np.unique(given)
    if len(palette) < search.best_k and search.rules.allow(palette).any(axis=1).all():
        search.minimize([(palette, given)], search.goal.budget, brief)


def _one_less(search: Search) -> list[tuple[IntArray, IntArray]]:
    """The best coloring without its smallest class (other threads: without any), for a search.

    A color stays where it is the only one that some node may have; none may be left to go.
    """
    assert search.best is not None
    colors = search.best.colors
    palette, sizes = np.unique(colors, return_counts=True)
    loose = np.ones(len(palette), bool)
    if not search.rules.are_none:
        allowed = search.rules.allow(palette)
        loose = ~allowed[allowed.sum(axis=1) == 1].any(axis=0)
    classes = np.argsort(sizes, kind="stable")
    classes = classes[loose[classes]]
    if not len(classes):
        return []
    others = search.rng.choice(classes, search.threads - 1)
    return [(np.delete(palette, drop), colors) for drop in (classes[0], *others)]


def _up(search: Search, start: Coloring | None) -> None:
    """With one color more each time, until the goal is reached."""
    top = search.goal.k or max(search.graph.n, 1)
    colors = np.zeros(search.graph.n, np.int64)
    if start is not None:
        colors = np.unique(_accepted(search, start), return_inverse=True)[1]
    for k in range(min(colors.max(initial=0) + 1, top), top + 1):
        conflicts, colors = search.minimize([(np.arange(k), colors)], search.goal.budget, _discrete)
        if conflicts <= search.goal.budget or search.clock.is_over:
            return


def _accepted(search: Search, start: Coloring) -> IntArray:
    """The colors of a start ``[n]``, -1 for nodes that must not have the one they have."""
    if start.graph != search.graph:
        raise InputError(f"the start colors {start.graph}, not {search.graph}; give one that does")
    return np.where(search.rules.accept(start.colors), start.colors, -1)


def _repaired(search: Search, colors: IntArray) -> IntArray:
    """A proper coloring near the given one: one end of every conflict gets the first free color.

    It is the end with more conflicts (of equal ones the later node), never a preset one.
    """
    graph, rules = search.graph, search.rules
    fixed = rules.preset >= 0
    colors = np.where(fixed, rules.preset, colors)
    u, v = graph.edges.T
    u, v = graph.edges[colors[u] == colors[v]].T
    conflicts = np.bincount(np.r_[u, v], minlength=graph.n)
    first = ~fixed[u] & (fixed[v] | (conflicts[u] > conflicts[v]))
    colors[np.where(first, u, v)] = -1
    return fitted(graph, by_degree(graph), rules, colors)


def _stay(state: State, target: int) -> bool:
    return False


def _discrete(state: State, target: int) -> bool:
    own = np.take_along_axis(state.table, state.colors[:, None], axis=1)[:, 0]
    gain = (own - state.table.min(axis=1)).astype(np.int64)
    return discrete_search(state, target, SLICE, gain, *arrange(gain))


def tabu(patience: int) -> Step:
    """Tabu search; the way to the first local minimum is left to Discrete-Color, which is fast."""

    def step(state: State, target: int) -> bool:
        still_down = state.counts[MOVES] == state.counts[IMPROVED]
        return (still_down and _discrete(state, target)) or tabu_search(
            state, target, patience, SLICE
        )

    return step


@cache
def warm_up() -> None:
    """Compile, or load what was compiled, on a graph that takes no time."""
    graph = cycle(5).but(chi=None)
    search = Search(graph, Goal(k=2), Rules.of(graph))
    for step in (_discrete, tabu(1)):
        descend(search, Coloring(graph, np.zeros(5, np.int64)), step)
        descend(search, None, step)
