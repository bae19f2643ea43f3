"""From a proper coloring to fewer colors: what every local search is led by.

All of them work with a fixed number of colors. Where the fewest colors are asked for the way goes
down: from a proper coloring the smallest class is dissolved, its nodes go where they make the
fewest conflicts, and the search goes on with one color less. It ends where a clique proves that
less is impossible.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from concolor.coloring import Coloring
from concolor.errors import interruptible
from concolor.goal import Solution, Task, forced_conflicts
from concolor.graph.core import IntArray
from concolor.graph.structure import by_degree
from concolor.solvers.greedy import fitted, saturated
from concolor.solvers.kernels.search import State
from concolor.solvers.search import Search, Step


def cut_down(task: Task) -> Solution:
    """The start of the task, which is proper, without its smallest classes; no search."""
    search = Search(task)
    return ended(search, lambda: descend(search, _stay))


def ended(search: Search, go: Callable[[], None]) -> Solution:
    """Run the search to its end, or raise :class:`Interrupted` with the best so far on Ctrl-C."""

    def solution() -> Solution | None:
        return None if search.best is None else search.task.solution(search.best)

    with interruptible(solution):
        go()
    found = solution()
    assert found is not None
    return found


def descend(search: Search, step: Step, brief: Step | None = None) -> None:
    """From a proper coloring to the k that is asked for, or as far down as it goes.

    It begins with the start of the task, or with DSATUR's coloring. The best is in ``search.best``,
    also after an interrupt. ``brief`` is the step for a start with too many conflicts, before it is
    made proper with more colors.
    """
    goal, start = search.goal, search.task.start
    given = None if start is None else accepted(search, start)
    proper = saturated(search.graph, goal.rules) if given is None else _repaired(search, given)
    if goal.k is not None:
        _cut(search, proper, proper if given is None else given, step)
        return
    search.offer(proper)
    if given is not None and given.min(initial=0) >= 0:
        _try(search, given, brief or step)
    lower = search.task.chi_lower
    while (k := search.best_k - 1) >= 1 and forced_conflicts(lower, k) <= goal.budget:
        starts = _one_less(search)
        if not starts or search.minimize(starts, goal.budget, step)[0] > goal.budget:
            return


def accepted(search: Search, start: Coloring) -> IntArray:
    """The colors of a start ``[n]``, -1 for nodes that must not have the one they have."""
    return np.where(search.goal.rules.accept(start.colors), start.colors, -1)


def _cut(search: Search, proper: IntArray, colors: IntArray, step: Step) -> None:
    """At most k colors: the proper coloring if it has no more, else the k largest classes of
    ``colors`` (other threads: any k) and a search."""
    k = search.goal.k
    assert k is not None
    if search.goal.has_room(proper):
        search.offer(proper)
        return
    palette = np.arange(k)
    starts = [(palette, colors)] * search.threads
    if search.goal.rules.are_none:
        classes, place, sizes = np.unique(colors, return_inverse=True, return_counts=True)
        ranks = [np.argsort(np.argsort(-sizes, kind="stable"))]
        ranks += [search.rng.permutation(len(classes)) for _ in range(search.threads - 1)]
        starts = [(palette, rank[place]) for rank in ranks]
    search.minimize(starts, forced_conflicts(search.task.chi_lower, k), step)


def _try(search: Search, given: IntArray, brief: Step) -> None:
    """Offer a start as it is; where it has too many conflicts, try to remove them, not for long."""
    search.offer(given)
    palette = np.unique(given)
    if len(palette) < search.best_k and search.goal.rules.allow(palette).any(axis=1).all():
        search.minimize([(palette, given)], search.goal.budget, brief)


def _one_less(search: Search) -> list[tuple[IntArray, IntArray]]:
    """The best coloring without its smallest class (other threads: without any), for a search.

    A color stays where it is the only one that some node may have; none may be left to go.
    """
    assert search.best is not None
    colors, rules = search.best.colors, search.goal.rules
    palette, sizes = np.unique(colors, return_counts=True)
    loose = np.ones(len(palette), bool)
    if not rules.are_none:
        allowed = rules.allow(palette)
        loose = ~allowed[allowed.sum(axis=1) == 1].any(axis=0)
    classes = np.argsort(sizes, kind="stable")
    classes = classes[loose[classes]]
    if not len(classes):
        return []
    others = search.rng.choice(classes, search.threads - 1)
    return [(np.delete(palette, drop), colors) for drop in (classes[0], *others)]


def _repaired(search: Search, colors: IntArray) -> IntArray:
    """A proper coloring near the given one: one end of every conflict gets the first free color.

    It is the end with more conflicts (of equal ones the later node), never a preset one.
    """
    graph, rules = search.graph, search.goal.rules
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
