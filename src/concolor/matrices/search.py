"""Few colors for a problem: greedy in every order, then a search while there is time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from concolor.goal import Clock
from concolor.graph.core import IntArray
from concolor.matrices.bicolored import Bicolored
from concolor.matrices.orders import ORDERS, entry_seconds
from concolor.matrices.pattern import Pattern, Places
from concolor.matrices.problem import Problem

ROUNDS = 200  # passes in vain after which a search without a time limit ends
FIRST, OTHERS = 0.4, 0.02  # seconds for which there is always time: of the first pass, and others


@dataclass(eq=False)
class Try:
    """The best colors of one problem so far, and what found them."""

    problem: Problem
    colors: IntArray
    by: str

    @property
    def k(self) -> int:
        """Colors used."""
        return int(self.colors.max(initial=-1)) + 1

    def offer(self, colors: IntArray, by: str) -> bool:
        """Keep the colors if they are fewer than before."""
        is_better = int(colors.max(initial=-1)) + 1 < self.k
        if is_better:
            self.colors, self.by = colors, by
        return is_better


@dataclass(eq=False)
class Search:
    """What is tried for one matrix: several problems if there is a choice what gets colors.

    Attributes:
        lower: So many colors are needed.
        clock: When to end.
        tries: One for each problem that was begun.
    """

    lower: int
    clock: Clock
    tries: list[Try] = field(default_factory=list)
    _order: tuple[Pattern | None, str, IntArray] = (None, "", np.arange(0))  # the last one

    @property
    def best(self) -> Try | None:
        """The try with the fewest colors, the first of several."""
        return min(self.tries, key=lambda found: found.k, default=None)

    @property
    def is_over(self) -> bool:
        """No fewer colors are possible, or the time is over."""
        return self._is_proved or self.clock.is_over

    @property
    def _is_proved(self) -> bool:
        return self.best is not None and self.best.k <= self.lower

    def greedy(self, problems: Iterable[Problem], orders: Iterable[str]) -> None:
        """First fit for every problem in every order, while there is time."""
        first, *others = orders
        for problem in problems:
            enough = max(self.clock.left, OTHERS if self.tries else FIRST)
            if problem.seconds <= enough and not self._is_proved:
                self.tries.append(Try(problem, self._pass(problem, first), first))
            if self.clock.left < entry_seconds(problem.ordered) > OTHERS:
                return  # nor is there any for another problem
        for name in others:
            for found in self.tries:
                if self.is_over or self.clock.left < found.problem.seconds:
                    return
                found.offer(self._pass(found.problem, name), name)

    def _pass(self, problem: Problem, name: str) -> IntArray:
        """First fit in the order of this name; problems that order the same share it."""
        if self._order[:2] != (problem.ordered, name):
            self._order = problem.ordered, name, ORDERS[name](problem.ordered)
        return problem.fit(self._order[2])

    def improve(self, seed: int) -> None:
        """From the tries to fewer colors: a search of the problem's own, or iterated greedy.

        Where one side alone had the fewest colors, both sides together have half of the time.
        """
        best = self.best
        if best is None:
            return
        both = [found for found in self.tries if not found.problem.is_part]
        other = min(both, key=lambda found: found.k) if best.problem.is_part and both else None
        self._improve(best, self.clock.share(0.5) if other else self.clock, seed)
        if other:
            self._improve(other, self.clock, seed)

    def _improve(self, found: Try, clock: Clock, seed: int) -> None:
        if self.is_over:
            return
        if found.problem.passes is not None:
            self._recolor(found, found.problem.passes, clock, seed)
            return
        if found.problem.deeper is None or found.problem.setup > clock.left / 2:
            self._iterate(found, clock, seed)
            return

        def keep(colors: IntArray) -> None:
            found.offer(np.unique(colors, return_inverse=True)[1], "search")

        lower = found.problem.deeper(found.colors, clock, seed, keep)
        if not found.problem.is_part:
            self.lower = max(self.lower, lower)

    def _recolor(self, found: Try, passes: Bicolored, clock: Clock, seed: int) -> None:
        """Passes that give up a class: one of its nodes comes first and takes some other color.

        The others follow by chance and keep their colors where these are still open. A pass is kept
        if no more nodes than before are without a color, which is one of the class given up.
        """
        rng, graph, side = np.random.default_rng(seed), passes.graph, passes.palette
        colors, limits = _without_class(passes.as_painted(found.colors), side)
        over, vain, takes = np.flatnonzero(colors >= limits[side]), 0, found.problem.seconds
        while limits.all() and not self.is_over and takes < clock.left:
            began = clock.seconds
            v = rng.choice(over)
            wish = colors.copy()
            wish[over] = -1
            wish[v] = rng.integers(limits[side[v]])
            order = rng.permutation(graph.n)
            new = passes.painted(np.append(v, order[order != v]), wish)
            still = np.flatnonzero(new >= limits[side])
            vain = 0 if len(still) < len(over) else vain + 1
            if len(still) <= len(over):
                colors, over = new, still
            if not len(over):
                found.offer(passes.finished(colors), "recoloring")
                colors, limits = _without_class(colors, side)
                over = np.flatnonzero(colors >= limits[side])
            if clock.limit is None and vain == ROUNDS:
                return
            takes = clock.seconds - began

    def _iterate(self, found: Try, clock: Clock, seed: int) -> None:
        """First fit again and again, class by class (Culberson 1992).

        For columns and rows no pass needs more colors than the one before. For stars and trees it
        may, then the pass is forgotten; where it needs as many it is taken, so that classes change.
        """
        colors, vain, rng = found.colors, 0, np.random.default_rng(seed)
        takes = found.problem.seconds
        for turn in count():
            if self.is_over or takes >= clock.left or (clock.limit is None and vain == ROUNDS):
                return
            began = clock.seconds
            new = found.problem.fit(_by_class(colors, turn, rng))
            vain = 0 if found.offer(new, "iterated greedy") else vain + 1
            if new.max(initial=-1) <= colors.max(initial=-1):
                colors = new
            takes = clock.seconds - began


def _without_class(colors: Places, side: IntArray) -> tuple[Places, IntArray]:
    """The smallest class gets the last number of its palette, and so many numbers are left.

    Palettes of one color stay as they are; where there is no other, a limit of 0 says so.

    Args:
        colors: ``[n]``, of each palette from 0 on; -1 for none.
        side: ``[n]``, the palette 0 or 1 of every node.
    """
    counts = [np.bincount(colors[(side == one) & (colors >= 0)]) for one in (0, 1)]
    limits = np.array([max(len(sizes), 1) for sizes in counts])
    able = [one for one in (0, 1) if len(counts[one]) > 1]
    if not able:
        return colors, np.zeros(2, np.int64)
    one = min(able, key=lambda place: counts[place].min())
    last, small = limits[one] - 1, int(counts[one].argmin())
    names = np.arange(last + 1)
    names[[small, last]] = last, small
    inside = (side == one) & (colors >= 0)
    limits[one] = last
    return np.where(inside, names[colors.clip(min=0, max=last)], colors).astype(np.int32), limits


def _by_class(colors: IntArray, turn: int, rng: np.random.Generator) -> IntArray:
    """The nodes class by class: in reverse, by falling size, by chance, in turn.

    Within a class their order is by chance; those that need no color come last.
    """
    k = int(colors.max(initial=-1)) + 1
    sizes = np.bincount(colors[colors >= 0], minlength=k)
    ranks = [np.arange(k)[::-1], np.argsort(np.argsort(-sizes, kind="stable")), rng.permutation(k)]
    mixed = rng.permutation(len(colors))
    place = np.append(ranks[turn % 3], k)[colors[mixed]]  # that of -1 is the last
    return mixed[np.argsort(place, kind="stable")]
