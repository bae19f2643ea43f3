"""``portfolio``: plain, weighted, partial and memetic search take turns, and what wins goes first.

No search is the best on all graphs: random ones want the memetic, geometric graphs, frequencies and
registers the weighted, queens and Latin squares a long plain one; the partial ones are on trial. So
at every number of colors they take turns that grow, and what found the last coloring goes first
with the next and has four times the moves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from concolor.goal import Solution, Task
from concolor.solvers.descent import descend, ended, stay
from concolor.solvers.focused import is_vast, walking
from concolor.solvers.local_search import (
    PATIENCE,
    partial,
    partial_by_degree,
    patience_of,
    plain,
    tabu,
    weighted,
)
from concolor.solvers.memetic import Evolution
from concolor.solvers.search import Found, Search, Start, Step, conflicts_of
from concolor.threads import two_cores

Kind: TypeAlias = Callable[[int], Step]  # patience -> a search
Pair: TypeAlias = tuple[Kind, ...]
OPENING = 100  # moves without improvement for each node, of what begins
LARGE = 20_000_000  # entries of the table from which there is no time for turns
MEMETIC: Pair = ()  # both cores are for its children
PAIRS: tuple[Pair, ...] = ((plain, weighted), (partial, partial_by_degree), MEMETIC)


def portfolio(task: Task, *, threads: int | None = None) -> Solution:
    """Plain, weighted, partial and memetic search in turn.

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
    """The way by turns; it remembers what won last."""

    def __init__(self) -> None:
        self.leader: Kind = plain  # what begins
        self.favorite: Pair | None = None  # goes first, and longer

    def __call__(self, search: Search, starts: Sequence[Start], target: int) -> Found:
        """What begins alone for a while; then all in turn, longer each time.

        Without a time limit there is one turn, of the first pair, as long as TabuCol's patience.
        """
        start, n, clock = starts[0], search.graph.n, search.task.clock
        brief, is_large = OPENING * (n + 200), n * len(start[0]) > LARGE
        if len(start[0]) == 1:
            return stay(search, [start], target)  # there is nothing to try
        if is_vast(search):
            patience = patience_of(search.task) if is_large else brief
            best = walking(patience)(search, [start], target)
            if is_large or best[0] <= target:
                return best
            start = start[0], best[1]
        elif is_large:
            return tabu(patience_of(search.task))(search, [start], target)
        best = search.minimize([start], target, self.leader(brief))
        if best[0] > target and clock.limit is None:
            found = self._both(search, start, target, PAIRS[0], PATIENCE // 2)
            return min(best, found, key=conflicts_of)
        evolution, turn = Evolution(search, start[0], [best[1]]), 0
        pairs = sorted(PAIRS, key=lambda pair: pair is not self.favorite)
        while best[0] > target and not clock.is_over:
            longer, place = divmod(turn, len(pairs))
            pair = pairs[place]
            patience = brief << longer + 2 * (pair is self.favorite)
            if pair is MEMETIC:
                found = evolution.go_on(target, most=4 * patience)
            else:
                found = self._both(search, start, target, pair, patience)
            if found[0] <= target:
                self.favorite = pair
            best, turn = min(best, found, key=conflicts_of), turn + 1
        return best

    def _both(self, search: Search, start: Start, target: int, pair: Pair, patience: int) -> Found:
        """Two kinds at the same time; if one of them wins, it will begin next time."""
        both = search.run([start] * 2, target, [kind(patience) for kind in pair])
        winner = int(both[1][0] < both[0][0])
        if both[winner][0] <= target:
            self.leader = pair[winner]
        return both[winner]
