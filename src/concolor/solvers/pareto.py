"""The trade between colors and conflicts: for each k the fewest conflicts found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from concolor.coloring import Coloring
from concolor.errors import InputError, interruptible
from concolor.fleet import for_many
from concolor.goal import AT_ONCE, Clock, OnProgress, Task
from concolor.rules import Forbidden, Preset
from concolor.solvers.descent import cut_down, descend
from concolor.solvers.greedy import begun
from concolor.solvers.local_search import tabu, warm_up
from concolor.solvers.search import Search

if TYPE_CHECKING:
    from concolor.graph.formats.convert import GraphLike


PACE = 3e-8  # seconds for every node and end of an edge that one k takes at least, about
WEIGHED = 1e-7  # the same where edges have weights


def pareto(
    graph: GraphLike,
    *,
    k_max: int | None = None,
    preset: Preset | None = None,
    forbidden: Forbidden | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    threads: int = 1,
    patience: int = 200_000,
    progress: OnProgress | None = None,
) -> dict[int, Coloring]:
    """For k = 1, 2, ... the coloring with the fewest conflicts found, up to the first proper one;
    with the least weight of them where the graph has weights.

    Each k begins with the better of two: the coloring of k - 1, or DSATUR's cut down to k colors.
    So conflicts never rise with k, and there is an end. Where the time is too short for every k,
    some are left out, the more the larger they are, but never the last. To make the graph
    k-colorable, delete the edges in ``pareto(graph)[k].conflicting_edges``. Where colors are preset
    or forbidden, the colors of k are 0..k-1, and the first k is the smallest that leaves a color
    for every node.

    Args:
        graph: What to color.
        k_max: Do not go further than this k.
        preset: Colors that nodes must have, by node number or name, as in
            :func:`~concolor.solvers.solve`.
        forbidden: Colors that nodes must not have.
        seed: The same seed gives the same colorings, unless time cuts the search.
        time_limit: In seconds, for all k together; what is left is shared by those to come.
        threads: Searches side by side.
        patience: Moves without improvement that end the search for one k.
        progress: As in :func:`~concolor.solvers.solve`.

    Returns:
        Colorings by k, which is the most colors that each may use.

    Raises:
        Interrupted: On Ctrl-C, with the colorings that are done.

    >>> from concolor.graph.families import family
    >>> {k: c.conflicts for k, c in pareto(family("petersen")).items()}
    {1: 15, 2: 3, 3: 0}
    >>> list(pareto(family("petersen"), preset={0: 1}, forbidden={5: [0, 1]}))
    [3]
    """
    if k_max is not None and k_max < 1:
        raise InputError(f"k_max must be at least 1, got {k_max}")
    warm_up()
    task = Task.of(
        graph,
        k=k_max,
        preset=preset,
        forbidden=forbidden,
        seed=seed,
        time_limit=time_limit,
        progress=progress,
    )
    is_weighed = task.graph.weights is not None
    found: dict[int, Coloring] = {}
    with interruptible(lambda: found or None):
        (_weigh if is_weighed else _walk)(task, found, threads, patience)
    return found


pareto_many = for_many(pareto)


def _weigh(task: Task, found: dict[int, Coloring], threads: int, patience: int) -> None:
    """The same by weight: each k begins with the coloring of the one before, and greedily."""
    from concolor.solvers.weights import Lightest, conflicts_of

    graph, proper = task.graph, begun(task)
    assert graph.weights is not None
    noise, weights = conflicts_of(graph), np.sort(graph.weights)
    before: Coloring | None = None
    for k, clock, has_time in _in_time(task, int(proper.max(initial=0)) + 1, WEIGHED, 0.0):
        goal = replace(task.goal.with_k(k), weights=weights)
        search = Lightest(task.but(goal=goal, clock=clock), noise)
        if before is not None:
            search.offer(before.colors)
        if not has_time and goal.has_room(proper):
            search.offer(proper)
        try:
            search.begin(proper)
            assert search.best is not None
            search.search([search.best.colors] * threads, clock, patience=patience)
        finally:  # on Ctrl-C too
            if search.best is not None:
                found[k] = search.best
        before = found[k]
        if before.is_proper:
            return


def _in_time(task: Task, last: int, pace: float, spare: float) -> Iterator[tuple[int, Clock, bool]]:
    """Every k up to the last, or the one that is asked for, its share of the time, and whether
    there is any.

    Some are left out, but never the last, where so many seconds for every node and end of an edge
    are too much; ``spare`` seconds there always are.
    """
    each = pace * (task.graph.n + 2 * task.graph.m + 1)
    last = last if task.goal.k is None else min(last, task.goal.k)
    first = task.goal.rules.fewest
    ks: Sequence[int] = range(first, last + 1)
    task.chi_lower  # noqa: B018 (its clique is found once, and known at every k)
    if not task.clock.fits(each * len(ks), 1.0):
        each = task.clock.expected(each)
        ks = _spread(first, last, task.clock.left / each)
    left = task.clock.left
    for place, k in enumerate(ks):
        rest, left = len(ks) - place, left and task.clock.left  # once there is none, none comes
        if k == last or each * rest <= max(left, spare):
            yield k, task.clock.share(1 / rest) if left else task.clock, left > 0


def _walk(task: Task, found: dict[int, Coloring], threads: int, patience: int) -> None:
    """Fill ``found`` with k = 1, 2, ...; what stands in it is whole at any time."""
    graph = task.graph
    proper = Coloring(graph, begun(task))
    before: Coloring | None = None
    last = int(proper.colors.max(initial=0)) + 1
    for k, clock, has_time in _in_time(task, last, PACE, AT_ONCE):
        at_k = task.but(goal=task.goal.with_k(k), clock=clock)
        if at_k.goal.has_room(proper.colors):
            start = proper
        else:
            start = cut_down(at_k.but(start=proper, progress=None)).coloring
        found[k] = start if before is None else at_k.goal.better(before, start)
        if has_time:
            search = Search(at_k.but(start=found[k]), threads)
            try:
                descend(search, tabu(patience))
            finally:  # on Ctrl-C too
                found[k] = search.best or found[k]
        before = found[k]
        if before.is_proper:
            return


def _spread(first: int, last: int, most: float) -> list[int]:
    """So many of the numbers ``first..last`` as are at most ``most``, close together where they are
    small; the last is always there.

    >>> _spread(1, 100, 7), _spread(2, 9, 0.1)
    ([1, 2, 5, 10, 22, 46, 100], [9])
    """
    found = np.geomspace(last, first, max(int(most), 1)).round().astype(int)
    return [int(k) for k in np.unique(found)]
