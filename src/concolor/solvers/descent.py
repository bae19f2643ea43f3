"""From a proper coloring to fewer colors: what every local search is led by.

All of them work with a fixed number of colors. Where the fewest colors are asked for the way goes
down: from a proper coloring the smallest class is dissolved, its nodes go where they make the
fewest conflicts, and the search goes on with one color less. It ends where a clique proves that
less is impossible. Where k colors are asked for and rules give them names, the way is the same:
names are given to the classes when there are few enough of them.

:func:`descend` is all of it; :func:`attempt` and :func:`go_down` are its parts, for those who have
several starts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from concolor.errors import interruptible
from concolor.goal import Progress, Solution, Task
from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import by_degree
from concolor.rules import Rules, naming_seconds
from concolor.solvers.greedy import begun, fitted, rlf, rlf_seconds
from concolor.solvers.reduction import Reduction, induced
from concolor.solvers.search import Found, Search, Start, Way


def cut_down(task: Task) -> Solution:
    """The start of the task, which is proper, without its smallest classes; no search."""
    search = Search(task)
    return ended(search, lambda: descend(search, stay))


def ended(search: Search, go: Callable[[], None]) -> Solution:
    """Run the search to its end, or raise :class:`Interrupted` with the best so far on Ctrl-C."""

    def solution() -> Solution | None:
        return None if search.best is None else search.task.solution(search.best)

    with interruptible(solution):
        go()
    found = solution()
    assert found is not None
    return found


def descend(search: Search, way: Way, brief: Way | None = None) -> None:
    """From a proper coloring to the k that is asked for, or as far down as it goes.

    It begins with the start of the task, or with a greedy coloring. The best is in ``search.best``,
    also after an interrupt. ``brief`` is the way for a start with too many conflicts, before it is
    made proper with more colors.
    """
    goal, start = search.goal, search.task.start
    given = None if start is None else accepted(search, start.colors)
    proper = _greedy(search) if given is None else repaired(search.graph, goal.rules, given)
    first = proper if given is None else given
    search.offer(proper)
    if not search.has_time:
        return
    if goal.k is None:
        attempt(search, first, brief or way)
        go_down(search, way)
    elif goal.rules.are_none:
        attempt(search, first, way)
    else:
        attempt(search, first, stay)
        _find_names(search, proper, way)
        _remove_conflicts(search, way)


def _greedy(search: Search) -> IntArray:
    """DSATUR's coloring, or RLF's where that has fewer colors and there is time for it."""
    graph, rules = search.graph, search.goal.rules
    colors = begun(search.task)
    k, enough = len(np.unique(colors)), search.goal.k or search.task.chi_lower
    clock = search.task.clock
    fits = clock.expected(rlf_seconds(graph, k)) <= min(0.2 * clock.left, 1.0)
    if k <= enough or not rules.are_none or not fits:
        return colors
    other = rlf(graph).colors
    return np.asarray(other, np.int64) if len(np.unique(other)) < k else colors


def attempt(search: Search, colors: IntArray, way: Way) -> None:
    """Offer a coloring ``[n]``; where it is not what is asked for, search from it.

    Any colors will do: classes are renamed to suit the rules, and a node that is left without a
    color (-1) gets the one that conflicts least. Where k is given, the search is for the fewest
    conflicts with the k largest classes (other threads: any k). Else it is for no more conflicts
    than allowed with the colors of the coloring, if they are fewer than those of the best so far.
    """
    goal, rules, colors = search.goal, search.goal.rules, accepted(search, colors)
    if colors.min(initial=0) >= 0:
        search.offer(colors)
    if search.is_proved:
        return
    if goal.k is not None:
        way(search, _cut(search, colors), int(search.lower))
        return
    palette = np.unique(colors[colors >= 0])
    is_less = search.best is None or len(palette) < search.best_k
    if is_less and rules.allow(palette).any(axis=1).all():
        way(search, [(palette, colors)], goal.budget)


def go_down(search: Search, way: Way) -> None:
    """From the best so far to fewer colors, one by one, or to fewer conflicts where k is given.

    It ends where a bound proves that less is impossible, where the time is over, or where the way
    gives up.
    """
    goal, rules = search.goal, search.goal.rules
    assert search.best is not None
    if goal.k is not None:
        if not rules.are_none:
            _find_names(search, repaired(search.graph, rules, search.best.colors), way)
        _remove_conflicts(search, way)
        return
    if search.best.conflicts > goal.budget:
        search.offer(repaired(search.graph, rules, search.best.colors))
    conflicts, colors = 0, search.best.colors
    while search.has_time and not search.is_proved and conflicts <= goal.budget:
        conflicts, colors = _one_less(search, colors, way)
        if search.task.clock.is_over:
            return


def accepted(search: Search, colors: IntArray) -> IntArray:
    """The classes of a start ``[n]`` under names that suit most nodes, -1 for the other nodes;
    under their own where there is no time to look for these."""
    k, rules = search.goal.k, search.goal.rules
    if rules.are_none:
        return colors
    q = len(np.unique(colors))
    palette = rules.palette(len(rules.preset_colors) + q) if k is None else np.arange(k)
    if search.task.clock.fits(naming_seconds(len(colors), q, len(palette))):
        return rules.adapted(colors, palette)
    fine = (colors >= 0) & rules.accept(colors) & ((colors < k) if k is not None else True)
    return np.where(fine, colors, -1)


def _find_names(search: Search, proper: IntArray, way: Way) -> None:
    """Down from a proper coloring, as if k were free, until there are k with names in 0..k-1.

    So what is found without k is found with it too. It takes half of the time at most; where it
    ends too early, the names go to the classes that they suit best.
    """
    if search.lower > 0:
        return  # no proper coloring has k colors
    free = _without_k(search)
    free.offer(proper)
    assert free.best is not None
    conflicts, colors = 0, free.best.colors
    clock = free.task.clock
    while free.has_time and not (search.is_proved or free.is_proved or conflicts or clock.is_over):
        conflicts, colors = _one_less(free, colors, way)
        search.offer(colors)
    search.moves = free.moves
    attempt(search, free.best.colors, stay)


def _without_k(search: Search) -> Search:
    """The same search for few colors, in half of the time; it reports the best of the one for k."""
    task, tell = search.task, search.task.progress

    def told(progress: Progress) -> None:
        if tell is not None and search.best is not None:
            tell(replace(progress, best=search.best))

    goal = replace(task.goal, k=None)
    free = Search(task.but(goal=goal, clock=task.clock.share(0.5), progress=told), search.threads)
    free.moves = search.moves
    return free


def _remove_conflicts(search: Search, way: Way) -> None:
    """From the best so far with at most k colors, by name 0..k-1, to fewer conflicts."""
    k, best = search.goal.k, search.best
    assert k is not None and best is not None
    if not search.is_proved:
        way(search, [(np.arange(k), best.colors)] * search.threads, int(search.lower))


def _cut(search: Search, colors: IntArray) -> list[Start]:
    """The coloring without all but its k largest classes (other threads: any k), for a search.

    Under rules the classes are those that have names in 0..k-1.
    """
    k = search.goal.k
    assert k is not None
    palette = np.arange(k)
    if not search.goal.rules.are_none:
        return [(palette, colors)] * search.threads
    classes, place, sizes = np.unique(colors, return_inverse=True, return_counts=True)
    ranks = [np.argsort(np.argsort(-sizes, kind="stable"))]
    ranks += [search.rng.permutation(len(classes)) for _ in range(search.threads - 1)]
    return [(palette, rank[place]) for rank in ranks]


def _one_less(search: Search, colors: IntArray, way: Way) -> Found:
    """Search with one color less than ``colors [n]``: the fewest conflicts and their colors.

    The smallest class is dissolved (other threads: any). Where colors are forbidden, classes go by
    names that no rule mentions: low names are for the reader, and only make the search harder.
    """
    rules = search.goal.rules
    if rules.are_none and not search.goal.budget:
        found = _in_parts(search, colors, way)
        if found is not None:
            return found
    if len(rules.bans):
        colors = rules.adapted(colors, rules.palette(len(np.unique(colors))))
    classes = _loose_classes(colors, rules)
    if not len(classes):
        return search.graph.m + 1, colors
    palette, others = np.unique(colors), search.rng.choice(classes, search.threads - 1)
    starts = [(np.delete(palette, drop), colors) for drop in (classes[0], *others)]
    return way(search, starts, search.goal.budget)


def _in_parts(search: Search, colors: IntArray, way: Way) -> Found | None:
    """The same where nodes can be taken away that one color less is certainly enough for.

    What is left is searched component by component, and all of them must be colored. None where
    next to nothing can be taken away: then it is the graph itself that is to be searched.
    """
    graph, k = search.graph, len(np.unique(colors)) - 1
    reduction = Reduction(graph, max(k, 1), search.goal.rules, clock=search.task.clock)
    if k < 1 or 10 * len(reduction.nodes) >= 9 * graph.n:
        return None
    whole = colors.copy()
    for nodes in reduction.parts:
        whole[nodes] = np.unique(colors[nodes], return_inverse=True)[1]
        if whole[nodes].max() < k:
            continue
        part = search.on(induced(graph, nodes), k)
        conflicts, found = _one_less(part, whole[nodes], way)
        search.moves = part.moves
        if conflicts:
            return conflicts, colors
        whole[nodes] = np.unique(found, return_inverse=True)[1]
    whole = reduction.extended(whole)
    search.offer(whole)
    return 0, whole


def _loose_classes(colors: IntArray, rules: Rules) -> IntArray:
    """Places of the colors that may be given up, smallest classes first.

    A color stays where it is the only one that some node may have.
    """
    palette, sizes = np.unique(colors, return_counts=True)
    classes = np.argsort(sizes, kind="stable")
    if rules.are_none:
        return classes
    allowed = rules.allow(palette)
    needed = np.flatnonzero(allowed[allowed.sum(axis=1) == 1].any(axis=0))
    return classes[~np.isin(classes, needed)]


def repaired(graph: Graph, rules: Rules, colors: IntArray) -> IntArray:
    """A proper coloring near the given one: one end of every conflict gets the first free color.

    It is the end with more conflicts (of equal ones the later node), never a preset one.
    """
    fixed = rules.preset >= 0
    colors = np.where(fixed, rules.preset, colors)
    u, v = graph.edges.T
    u, v = graph.edges[colors[u] == colors[v]].T
    conflicts = np.bincount(np.r_[u, v], minlength=graph.n)
    first = ~fixed[u] & (fixed[v] | (conflicts[u] > conflicts[v]))
    colors[np.where(first, u, v)] = -1
    return fitted(graph, by_degree(graph), rules, colors)


def stay(search: Search, starts: Sequence[Start], target: int) -> Found:
    """No search: the way that gives up at once, after nodes without a color got one."""
    (palette, colors), *_ = starts
    if search.is_wide(len(palette)):
        (found,) = search.follow(
            [(palette, search.walk(palette, colors, search.draws[0]))], [], target
        )
        return found
    return search.minimize(starts, target, lambda search, state: lambda target: False)
