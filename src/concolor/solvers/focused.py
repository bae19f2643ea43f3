"""``focused``: Metropolis search at the nodes in conflict, for graphs of any size.

Tabu search looks at every node in conflict before each move, and keeps a number for each node and
color. Here a move takes time of one degree, and memory that of the graph, so that a million nodes
with ten thousand conflicts are no obstacle. On large random graphs it finds colorings that tabu
search does not come near (results/LOG.md); on small ones tabu search is better.
"""

from __future__ import annotations

from collections.abc import Sequence

from concolor.goal import Solution, Task
from concolor.solvers.descent import descend, ended
from concolor.solvers.kernels.walk import Walk, walk
from concolor.solvers.search import Found, Search, Slice, Start, Way, conflicts_of
from concolor.threads import two_cores

NOISES = (0.15, 0.1)  # of two walks side by side: random graphs want more of it near the end
MANY, FEW = 3000, 100  # nodes, and neighbors of one in the mean
PATIENCE = 100  # steps without improvement for each node that end a walk where no clock does
SLICE = 20_000_000  # neighbors looked at between two looks at the clock: some 100 milliseconds


def focused(task: Task, *, threads: int | None = None) -> Solution:
    """Two walks from DSATUR's coloring, or from the start, down to fewer and fewer colors.

    Args:
        task: What to do, as for :func:`~concolor.solvers.local_search.tabucol`; it knows no rules.
        threads: 2 to let both walk at the same time, which is the default if there are two cores;
            the result is the same with one.

    >>> from concolor.graph.families import family
    >>> focused(Task.of(family("queen:5x5")))
    Solution(Coloring('queen:5x5', k=5, conflicts=0), proved optimal)
    """
    search = Search(task, at_once=threads or two_cores())
    patience = 2**62 if task.clock.limit is not None else PATIENCE * (task.graph.n + 10_000)
    return ended(search, lambda: descend(search, walking(patience)))


def is_vast(search: Search) -> bool:
    """Many nodes with few neighbors each, and no rules: walk before anything else is tried."""
    graph = search.graph
    return graph.n > MANY and 2 * graph.m <= FEW * graph.n and search.goal.rules.are_none


def walking(patience: int) -> Way:
    """The way by walks that differ in their noise, until each has been in vain for so many steps.

    It knows no rules, and one color leaves it nothing to try.
    """

    def way(search: Search, starts: Sequence[Start], target: int) -> Found:
        (palette, colors), *_ = starts
        noises = NOISES if len(palette) > 1 else ()
        walks = [search.walk(palette, colors, draws) for draws in search.draws[:2]]
        slices = [
            _slices(state, noise, patience) for state, noise in zip(walks, noises, strict=False)
        ]
        found = search.follow([(palette, state) for state in walks], slices, target)
        return min(found, key=conflicts_of)

    return way


def _slices(state: Walk, noise: float, patience: int) -> Slice:
    return lambda target: walk(state, target, patience, noise, SLICE)
