"""Sizes of classes: none above a capacity, or all as equal as can be.

Rooms, machines and workers of a slot are limited, whatever the conflicts. A search for few colors
knows nothing of that; here its coloring is evened out, and gets more colors where it must.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial

import numpy as np

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.goal import Solution, Task
from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import core_order, csr

TRIES = 1000  # exchanges between two classes, where chains of moves end
CLAUSES = 200_000  # of a formula up to which sizes are asked of the exact solver
MANY = 2**62  # steps where there is no clock
AT_ONCE = 10_000_000  # nodes times colors, and edges, between two looks at it
PACE = 2e-9  # seconds for each of them, about
ALL = np.empty((0, 0), bool)  # every node may have every color


def balanced(graph: Graph, k: int, *, seed: int = 0) -> Coloring:
    """A proper coloring with k colors, none from a search, and classes as equal as was found.

    Every node takes the least full class that is free to it. Then nodes go from larger classes to
    smaller ones, one after the other along a chain of classes; where no chain is left, random pairs
    of classes exchange parts. With more colors than any node has neighbors, sizes that differ by at
    most one are always possible (Hajnal and Szemerédi 1970).

    Args:
        graph: What to color.
        k: Number of colors; more than any node has neighbors are always enough.
        seed: Decides the exchanges.

    >>> from concolor.graph.families import family
    >>> sorted(map(len, balanced(family("cycle:10"), 3).classes))
    [3, 3, 4]
    """
    from concolor.solvers.kernels import balance as kernels

    colors, sizes = np.full(graph.n, -1), np.zeros(max(k, 0), np.int64)
    if not kernels.least_full(*csr(graph), core_order(graph), colors, sizes):
        enough = graph.degrees.max(initial=0) + 1
        raise InputError(f"k={k} is too few for {graph.name} here; {enough} are certainly enough")
    if graph.n:
        kernels.level(*csr(graph), colors, sizes, ALL, _draws(seed), np.array([1, 0]), MANY)
    return Coloring(graph, colors)


def evened(task: Task, found: Solution) -> Solution:
    """The coloring of a solution with classes of the sizes that the task asks for.

    Its conflicts stay as many or fewer, unless at most k classes must hold all nodes and only
    more conflicts make room. Small graphs are asked for exactly where moves do not get there. The
    clock may cut that short; capacities are kept all the same where they can be, by one look at
    every node for each color that is added, and with twice as many new colors each time.
    """
    goal, graph = task.goal, task.graph
    if graph.n == 0:
        return task.solution(found.coloring, found.lower)
    classes = _Classes(task, found.coloring.colors)
    while goal.k is None and len(classes.palette) < goal.bound(0):
        classes.add()
    classes.level()
    while goal.max_class is not None and classes.largest > goal.max_class:
        if classes.ask(((0, goal.max_class),)):
            continue
        if goal.k is not None:
            classes.cut(goal.max_class)
            break
        if task.clock.is_over:
            classes.spill(goal.max_class)
            break
        classes.add()
        classes.level()
    if goal.balanced and classes.spread > 1:
        classes.ask(_less_spread(graph.n, len(classes.palette), classes.spread))
    colors = goal.rules.renumbered(classes.colors, goal.k)
    assert colors is not None
    lower = found.lower if goal.k is not None else goal.bound(int(found.lower))
    return task.solution(Coloring(graph, colors), lower)


def _less_spread(n: int, k: int, spread: int) -> Iterator[tuple[int, int]]:
    """Smallest and largest sizes of k classes of n nodes, by rising difference."""
    for less in range(n % k > 0, spread):
        for low in range(n // k, max(n // k - less, 0) - 1, -1):
            if low * k <= n <= (low + less) * k:
                yield low, low + less


class _Classes:
    """A coloring whose classes are made even.

    Attributes:
        palette: The names of the colors, ascending: those in use, or all that k allows.
        places: The color of a node as its place in the palette ``[n]``.
        sizes: Nodes of each color ``[k]``.
    """

    def __init__(self, task: Task, colors: IntArray) -> None:
        self.task, self.graph, self.rules = task, task.graph, task.goal.rules
        k = task.goal.k
        self.palette = np.unique(colors) if k is None else np.arange(max(k, colors.max() + 1))
        self.places = np.searchsorted(self.palette, colors).astype(np.int64)
        self._draws = _draws(task.seed)
        self._measure()

    def _measure(self) -> None:
        self.sizes = np.bincount(self.places, minlength=len(self.palette))
        self.allowed = ALL if self.rules.are_none else self.rules.allow(self.palette)

    @property
    def colors(self) -> IntArray:
        """The colors by name ``[n]``."""
        return self.palette[self.places]

    @property
    def largest(self) -> int:
        """The size of the largest class."""
        return int(self.sizes.max())

    @property
    def spread(self) -> int:
        """The largest size less the smallest."""
        return int(np.ptp(self.sizes))

    @cached_property
    def is_proper(self) -> bool:
        """Before conflicts are the price of a capacity; no other move adds one."""
        return Coloring(self.graph, self.places).is_proper

    def level(self) -> None:
        """Move nodes as long as that helps and there is time."""
        from concolor.solvers.kernels.balance import level

        draws, clock = self._draws if self.is_proper else self._draws[:0], self.task.clock
        size = self.graph.m + self.graph.n * len(self.palette)
        steps = MANY if clock.limit is None else AT_ONCE // (size + 1) + 1
        for part in [draws[:0], *np.array_split(draws, 20)]:
            classes, state = (self.places, self.sizes), np.array([1, 0])
            while level(*csr(self.graph), *classes, self.allowed, part, state, steps):
                if clock.is_over:
                    return
            if self.spread <= 1 or clock.is_over:
                return

    def add(self, colors: int = 1) -> None:
        """More colors, which no rule names."""
        top = max(self.palette.max(), self.rules.bans.max(initial=-1), self.rules.preset.max())
        self.palette = np.append(self.palette, top + 1 + np.arange(colors))
        self._measure()

    def cut(self, most: int) -> None:
        """Keep a capacity at the price of conflicts: as few as can be seen, if there is time."""
        from concolor.solvers.kernels.balance import cut, spill

        given = (*csr(self.graph), self.places, self.sizes, self.allowed, most)
        size = self.graph.m + self.graph.n * len(self.palette)
        surplus = (self.sizes - most).clip(min=0).sum()
        if self.task.clock.fits(PACE * surplus * size, 1.0):
            cut(*given)
        else:
            spill(*given, self.graph.n)

    def spill(self, most: int) -> None:
        """Keep a capacity at the price of colors, without conflicts and at once."""
        from concolor.solvers.kernels.balance import spill

        more = 1
        while self.largest > most:
            self.add(more)
            spill(*csr(self.graph), self.places, self.sizes, self.allowed, most, 0)
            more *= 2

    def ask(self, sizes: Iterator[tuple[int, int]] | tuple[tuple[int, int], ...]) -> bool:
        """A proper coloring with the first of these smallest and largest sizes that there is."""
        from concolor.solvers.sat import asked_once, sized

        graph, k = self.graph, len(self.palette)
        is_small = graph.m * k + graph.n * k * (k + graph.n) <= CLAUSES
        if not is_small or not self.is_proper:
            return False
        allowed = None if self.rules.are_none else self.allowed
        for low, high in sizes:
            within = partial(sized, graph.n, k, low, high)
            colors = asked_once(graph, k, within, self.task.clock, allowed=allowed)
            if isinstance(colors, np.ndarray):
                self.places = colors
                self._measure()
                return True
            if self.task.clock.is_over:
                break
        return False


def _draws(seed: int) -> IntArray:
    return np.random.default_rng(seed).integers(0, 2**62, (TRIES, 2))
