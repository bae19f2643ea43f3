"""``portfolio``: plain, weighted, partial and memetic search take turns, and what wins goes first.

No search is the best on all graphs: random ones want the memetic, geometric graphs, frequencies and
registers the weighted, queens and Latin squares a long plain one. So at every number of colors they
take turns that grow, and what found the last coloring goes first with the next and has four times
the moves.

One of two partial searches *dives*: it is asked for far fewer colors at once. Where a coloring is
hidden far below what others find, as in a flat graph, the way down over every k does not lead
there, and nobody knows how far below it is; so each dive is for as many colors as the last or more.

Where k classes must all be as large as can be, as on a
board of eleven by eleven queens, a SAT solver has a turn too (:mod:`concolor.solvers.tiling`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import ceil
from typing import TypeAlias

import numpy as np

from concolor.errors import ConcolorError
from concolor.goal import Solution, Task
from concolor.graph.core import IntArray
from concolor.solvers.descent import descend, ended, stay
from concolor.solvers.focused import is_vast, walking
from concolor.solvers.kernels.search import MOVES, State
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
from concolor.solvers.search import Found, Search, Slice, Start, Step, conflicts_of
from concolor.solvers.tiling import Tiling, tiling
from concolor.threads import two_cores

Kind: TypeAlias = Callable[[int], Step]  # patience -> a search
Pair: TypeAlias = tuple[Kind, ...]
OPENING = 100  # moves without improvement for each node, of what begins
LARGE = 20_000_000  # entries of the table from which there is no time for turns
MEMETIC: Pair = ()  # both cores are for its children
WRONG_TURNS = 2000  # of a SAT solver in its first turn
LISTING = 0.1  # of the time that is left, at most, to list what the SAT solver chooses from
WHOLE: Pair = (plain, weighted)  # these color all nodes
DIVE: Pair = (partial, partial)
LEVEL: Pair = (partial, partial_by_degree)  # where there is nothing to dive for
PAIRS: tuple[Pair, ...] = (WHOLE, DIVE, MEMETIC)
DEEPEST = 3  # the first two dives are for a third less colors, the next for a sixth, a ninth, ...
LIGHT = 16  # times the moves of the others: they take a third of the time, and dives want many


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
        self.dives = 0

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
            found = self._both(search, [start] * 2, target, WHOLE, PATIENCE // 2)
            return min(best, found, key=conflicts_of)
        evolution, tiles, turn = Evolution(search, start[0], [best[1]]), Tiles(search, start[0]), 0
        pairs = sorted(PAIRS, key=lambda pair: pair is not self.favorite)
        while best[0] > target and not clock.is_over:
            longer, place = divmod(turn, len(pairs))
            pair = pairs[place]
            patience = brief << longer + 2 * (pair is self.favorite)
            if pair is MEMETIC:
                found = evolution.go_on(target, most=4 * patience)
            elif pair is DIVE:
                deep, self.dives = dive(search, start, self.dives), self.dives + 1
                kinds = DIVE if deep else LEVEL
                found = self._both(search, [start, deep or start], target, kinds, LIGHT * patience)
            else:
                found = self._both(search, [start] * 2, target, pair, patience)
            if found[0] <= target:
                self.favorite = pair
            elif pair is pairs[-1]:
                found = min(found, tiles.go_on(target, WRONG_TURNS << longer), key=conflicts_of)
            best, turn = min(best, found, key=conflicts_of), turn + 1
        return best

    def _both(
        self, search: Search, starts: Sequence[Start], target: int, pair: Pair, patience: int
    ) -> Found:
        """Two kinds at the same time; if one of them wins, it will begin next time.

        Each makes so many moves in vain, partial search so many in all: it finds a little less and
        a little less for a long time.
        """
        steps = [kind(patience) for kind in pair]
        if pair is not WHOLE:
            steps = [_at_most(patience, step) for step in steps]
        both = search.run(starts, target, steps)
        winner = int(both[1][0] < both[0][0])
        if both[winner][0] <= target:
            self.leader = pair[winner]
        return both[winner]


def _at_most(moves: int, step: Step) -> Step:
    """The same search, ended after so many moves, or a slice later."""

    def begin(search: Search, state: State) -> Slice:
        go_on = step(search, state)
        return lambda target: go_on(target) and bool(state.counts[MOVES] < moves)

    return begin


def dive(search: Search, start: Start, before: int) -> Start | None:
    """Where a dive begins after so many others; None where fewer colors are proved too few, or
    where there are rules."""
    palette, colors = start
    k = len(palette) - ceil(len(palette) / (DEEPEST * max(before, 1)))
    k = max(k, search.task.chi_lower, 2)
    return (palette[:k], colors) if k < len(palette) and search.goal.rules.are_none else None


class Tiles:
    """The question whether largest independent sets cover the graph, asked again and again.

    It knows no rules, and nothing is asked where python-sat is not installed.
    """

    def __init__(self, search: Search, palette: IntArray) -> None:
        self.search, self.palette = search, palette
        self._is_open = search.goal.rules.are_none  # a coloring is not ruled out

    def go_on(self, target: int, patience: int) -> Found:
        """No conflicts and their colors; where they are not found, more conflicts than edges."""
        answer = self._ask(patience) if target == 0 and self._is_open else None
        if answer is None:
            return self.search.graph.m + 1, np.full(self.search.graph.n, self.palette[0])
        colors = self.palette[answer]
        self.search.offer(colors)
        return 0, colors

    def _ask(self, patience: int) -> IntArray | None:
        """Which set each node is in ``[n]``, or None."""
        if self._question is None:
            return None
        answer = self._question.ask(self.search.task.clock, patience=patience)
        if isinstance(answer, bool):  # there is none
            self._is_open = False
            return None
        return answer

    @cached_property
    def _question(self) -> Tiling | None:
        clock = self.search.task.clock.share(LISTING)
        try:
            return tiling(self.search.graph, len(self.palette), clock)
        except ConcolorError:  # no python-sat
            return None
