"""The trade between colors and conflicts: for each k the fewest conflicts found."""

from __future__ import annotations

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.goal import Clock, Goal, Report
from concolor.graph.core import Graph
from concolor.rules import Forbidden, Preset, Rules
from concolor.solvers.greedy import dsatur, saturated
from concolor.solvers.local_search import cut_down, descend, tabu, warm_up
from concolor.solvers.search import Search

PATIENCE = 200_000  # moves without improvement that end the search for one k


def pareto(
    graph: Graph,
    *,
    k_max: int | None = None,
    preset: Preset | None = None,
    forbidden: Forbidden | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    threads: int = 1,
    progress: Report | None = None,
) -> dict[int, Coloring]:
    """For k = 1, 2, ... the coloring with the fewest conflicts found, up to the first proper one.

    Each k begins with the better of two: the coloring of k - 1, or DSATUR's cut down to k colors.
    So conflicts never rise with k, and there is an end. To make the graph k-colorable, delete the
    edges in ``pareto(graph)[k].conflicting_edges``. Where colors are preset or forbidden, the
    colors of k are 0..k-1, and the first k is the smallest that leaves a color for every node.

    Args:
        graph: What to color.
        k_max: Do not go further than this k.
        preset: Colors that nodes must have, by node number or name, as in
            :func:`~concolor.solvers.solve`.
        forbidden: Colors that nodes must not have.
        seed: The same seed gives the same colorings, unless time cuts the search.
        time_limit: In seconds, for all k together; what is left is shared by those to come.
        threads: Searches side by side.
        progress: As in :func:`~concolor.solvers.local_search.tabucol`.

    Returns:
        Colorings by k, which is the most colors that each may use; on Ctrl-C those that are done.

    >>> from concolor.graph.families import family
    >>> {k: c.conflicts for k, c in pareto(family("petersen")).items()}
    {1: 15, 2: 3, 3: 0}
    >>> list(pareto(family("petersen"), preset={0: 1}, forbidden={5: [0, 1]}))
    [3]
    """
    if k_max is not None and k_max < 1:
        raise InputError(f"k_max must be at least 1, got {k_max}")
    warm_up()
    clock, found = Clock(time_limit), dict[int, Coloring]()
    rules = Rules.of(graph, preset, forbidden, k=k_max)
    proper = dsatur(graph) if rules.are_none else Coloring(graph, saturated(graph, rules))
    last = int(proper.colors.max(initial=0)) + 1
    last = last if k_max is None else min(last, k_max)
    try:
        for k in range(rules.fewest, last + 1):
            start = cut_down(proper, Goal(k), rules, seed=seed)
            if found:
                start = Goal(k).better(found[k - 1], start)
            share = None if time_limit is None else clock.left / (last - k + 1)
            found[k] = start
            search = Search(graph, Goal(k), rules, seed, Clock(share), threads, progress)
            try:
                descend(search, start, tabu(PATIENCE))
            finally:  # on Ctrl-C too
                found[k] = search.best or start
            if found[k].is_proper:
                break
    except KeyboardInterrupt:
        if not found:
            raise
    return found
