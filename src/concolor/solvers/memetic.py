"""``memetic``: two colorings, their children, and tabu search in between.

HEAD (Moalic and Gondran 2018): a population of two. In every generation both are crossed in both
orders, and tabu search makes the children the next two. A population that small soon becomes twins,
so every ten generations one is replaced by the best of the ten before the last; where they
are twins all the same, or have had a thousand generations, two new ones begin, with twice the moves
for each child.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from concolor.goal import Solution, Task
from concolor.graph.core import IntArray
from concolor.solvers.descent import descend, ended
from concolor.solvers.kernels.crossover import greedy_partition
from concolor.solvers.local_search import discrete, plain
from concolor.solvers.search import Found, Search, Start, Way, conflicts_of
from concolor.threads import two_cores

Crossover: TypeAlias = Callable[[IntArray, IntArray, int], IntArray]  # two parents, k -> a child
MOVES = 16  # for each child and node, before twins make it more
CYCLE = 10  # generations that share an elite
GENERATIONS = 1000  # of a population; small ones can go on for ever without becoming twins
POPULATIONS = 1  # before k is given up, where no time limit says when


def memetic(task: Task, *, threads: int | None = None, populations: int | None = None) -> Solution:
    """Memetic search with a population of two.

    The best there is for random graphs, given minutes. The result is the same with one thread and
    with two.

    Args:
        task: What to do, as for :func:`~concolor.solvers.local_search.tabucol`.
        threads: 2 to let both children be searched at the same time; default: if there are two.
        populations: Give a number of colors up after so many. Default: ``POPULATIONS`` without a
            time limit, no end with one.

    >>> from concolor.graph.families import family
    >>> memetic(Task.of(family("queen:7x7")))
    Solution(Coloring('queen:7x7', k=7, conflicts=0), proved optimal)
    """
    if populations is None:
        populations = POPULATIONS if task.clock.limit is None else 2**31
    search = Search(task, at_once=threads or two_cores())
    return ended(search, lambda: descend(search, evolved(populations)))


def evolved(populations: int, crossover: Crossover = greedy_partition) -> Way:
    """The way by so many populations, the first with the start in it."""

    def way(search: Search, starts: Sequence[Start], target: int) -> Found:
        (palette, colors), *others = starts
        if len(palette) == 1:  # there is nothing to try
            return search.minimize(starts, target, discrete)
        evolution = Evolution(search, palette, [colors, *(other for _, other in others)], crossover)
        return evolution.go_on(target, populations=populations)

    return way


class Evolution:
    """Populations of two, one after the other; it can be left and taken up again.

    Args:
        search: What is asked, and what counts the moves.
        palette: Names of the colors ``[k]``.
        first: Colors ``[n]`` of the first one or two; the others are drawn, and so are all of later
            populations.
        crossover: Makes a child of two parents, whose colors are ``0..k-1``.
    """

    def __init__(
        self,
        search: Search,
        palette: IntArray,
        first: Sequence[IntArray] = (),
        crossover: Crossover = greedy_partition,
    ) -> None:
        self.search, self.palette, self.crossover = search, palette, crossover
        self.ended = 0  # populations that are over
        self.generation = 0
        self.best: Found = (search.graph.m + 1, np.full(search.graph.n, palette[0]))
        self._pair = self._before = [self.best] * 2
        self._next = [*first, *[self._nobody] * 2][:2]

    @property
    def _nobody(self) -> IntArray:
        return np.full(self.search.graph.n, -1)

    def go_on(self, target: int, *, populations: int = 2**31, most: float = math.inf) -> Found:
        """Generation after generation, until a coloring has at most ``target`` conflicts.

        Args:
            populations: End when so many are over.
            most: End after so many moves.

        Returns:
            The best so far.
        """
        search, end = self.search, self.search.moves + most
        while self.ended < populations and search.moves < end:
            search.generation = self.generation
            moves = MOVES * search.graph.n << min(self.ended, 20)
            starts = [(self.palette, colors) for colors in self._next]
            self._pair = search.run(starts, target, [plain(moves)] * 2)
            self.best = min(self.best, *self._pair, key=conflicts_of)
            if self.best[0] <= target or search.task.clock.is_over:
                break
            self._breed()
        search.generation = 0
        return self.best

    def _breed(self) -> None:
        """The children of the two, or two new ones where the population is over."""
        last, elite = self._before
        elite = min(elite, *self._pair, key=conflicts_of)
        self.generation += 1
        if self.generation % CYCLE == 0:
            self._pair[0], last, elite = last, elite, min(self._pair, key=conflicts_of)
        self._before = [last, elite]
        one, two = (np.searchsorted(self.palette, colors) for _, colors in self._pair)
        if are_twins(one, two) or self.generation == GENERATIONS:
            self.ended += 1
            self.generation = 0
            self._before = [(self.search.graph.m + 1, self._nobody)] * 2
            self._next = [self._nobody] * 2
        else:
            self._next = [self._child(one, two), self._child(two, one)]

    def _child(self, one: IntArray, two: IntArray) -> IntArray:
        """A child of parents by place in the palette, under names that suit it best: ``[n]``."""
        search, k = self.search, len(self.palette)
        one, two = (search.rng.permutation(k)[parent] for parent in (one, two))  # ties at random
        child, rules = self.crossover(one, two, k), search.goal.rules
        if rules.are_none:
            return np.where(child < 0, -1, self.palette[child])
        return rules.adapted(child, self.palette)


def are_twins(one: IntArray, two: IntArray) -> bool:
    """The classes of both colorings ``[n]`` are the same, whatever they are called.

    >>> are_twins(np.array([0, 1, 0]), np.array([5, 2, 5]))
    True
    """
    pairs = len(np.unique(np.stack([one, two]), axis=1).T)
    return pairs == len(np.unique(one)) == len(np.unique(two))
