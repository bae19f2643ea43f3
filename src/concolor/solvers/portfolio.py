"""``portfolio``: plain, weighted and memetic search take turns, and the one that wins begins.

No search is the best on all graphs: random ones want the memetic, geometric graphs, frequencies and
registers the weighted, queens and Latin squares a long plain one. So at every number of colors
they take turns that grow, and what found the last coloring begins with the next.
"""

from __future__ import annotations

from collections.abc import Sequence

from concolor.goal import Solution, Task
from concolor.solvers.descent import descend, ended, stay
from concolor.solvers.focused import is_vast, walking
from concolor.solvers.local_search import PATIENCE, patience_of, plain, tabu, weighted
from concolor.solvers.memetic import Evolution
from concolor.solvers.search import Found, Search, Start, conflicts_of
from concolor.threads import two_cores

OPENING = 100  # moves without improvement for each node, of what begins
LARGE = 20_000_000  # entries of the table from which there is no time for turns
KINDS = (plain, weighted)


def portfolio(task: Task, *, threads: int | None = None) -> Solution:
    """Plain, weighted and memetic search in turn.

    Args:
        task: What to do, as for :func:`~concolor.solvers.local_search.tabucol`. Without a time
            limit it ends when the first turn of plain and weighted search is in vain.
        threads: 2 to let two searches run at the same time, which is the default if there are two
            cores; the result is the same with one.

    >>> from concolor.graph.families import family
    >>> portfolio(Task.of(family("queen:7x7")))
    Solution(Coloring('queen:7x7', k=7, conflicts=0), proved optimal)
    """
    search = Search(task, at_once=threads or two_cores())
    return ended(search, lambda: descend(search, InTurns()))


class InTurns:
    """The way by turns; it remembers which of plain and weighted search won last."""

    def __init__(self) -> None:
        self.leader = 0

    def __call__(self, search: Search, starts: Sequence[Start], target: int) -> Found:
        """What begins alone for a while; then both kinds and the memetic, longer each time.

        Without a time limit there is one turn of both, as long as the patience of TabuCol.
        """
        (palette, colors), *_ = starts
        n, clock = search.graph.n, search.task.clock
        is_limited = clock.limit is not None
        brief, is_large = OPENING * (n + 200), n * len(palette) > LARGE
        if len(palette) == 1:
            return stay(search, starts[:1], target)  # there is nothing to try
        if is_vast(search):
            best = walking(patience_of(search.task) if is_large else brief)(search, starts, target)
            if is_large or best[0] <= target:
                return best
            colors = best[1]
        elif is_large:
            return tabu(patience_of(search.task))(search, starts[:1], target)
        best = search.minimize([(palette, colors)], target, KINDS[self.leader](brief))
        evolution, turn = Evolution(search, palette, [best[1]]), 0
        while best[0] > target and not clock.is_over and (is_limited or turn == 0):
            patience = 4 * brief << turn if is_limited else PATIENCE // 2
            began = search.moves
            both = search.run([(palette, colors)] * 2, target, [kind(patience) for kind in KINDS])
            best = min(best, *both, key=conflicts_of)
            if best[0] <= target:
                self.leader = int(both[1][0] < both[0][0])
            elif is_limited and not clock.is_over:
                found = evolution.go_on(target, most=search.moves - began)
                best = min(best, found, key=conflicts_of)
            turn += 1
        return best
