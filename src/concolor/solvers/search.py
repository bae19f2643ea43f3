"""``Search``: local searches side by side, slice by slice, and the best coloring so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.goal import Goal, Progress, Task
from concolor.graph.core import Graph, IntArray
from concolor.graph.structure import by_degree, twins
from concolor.rules import Rules, naming_seconds
from concolor.solvers.kernels.search import BEST, FORBIDDEN, MOVES, State, fill
from concolor.solvers.kernels.walk import Walk, begin

Chain: TypeAlias = tuple[IntArray, State | Walk]  # the palette, and the colors by place in it
Start: TypeAlias = tuple[IntArray, IntArray]  # the palette [k] and colors [n]
Found: TypeAlias = tuple[int, IntArray]  # the fewest conflicts, and their colors [n]
Slice: TypeAlias = Callable[[int], bool]  # a while towards a target; is there more to do?
Step: TypeAlias = Callable[["Search", State], Slice]  # how a search goes on from a state
Way: TypeAlias = Callable[["Search", Sequence[Start], int], Found]  # from starts to a target
ENTRIES = 50_000_000  # of a table, at most: 400 MB, since there are two of them
BEGIN = 1e-7  # seconds for every node and end of an edge that it takes to begin a search, about
ROWS = 4096  # of a matrix of the graph, at most: 16 MB
DENSE = 12  # times the ends of edges: numbers of a row that are added in the time of one neighbor
LANES = 8  # rows of the table are as long as a multiple of it, for a processor that takes so many
LINE = 16  # more numbers than a line of the cache holds, or threads would slow each other down


class Search:
    """A search under way: what is asked, and the best coloring so far.

    Colors have names, which matter where some are preset or forbidden. A palette is the ascending
    array of the names in use; inside a :class:`State` a color is its place in the palette.

    Args:
        task: What to do.
        threads: Starts of a descent, for searches side by side.
        at_once: How many searches run at the same time, which changes nothing but the time;
            default: as many as there are threads.
    """

    def __init__(self, task: Task, threads: int = 1, *, at_once: int | None = None) -> None:
        at_once = threads if at_once is None else at_once
        if min(threads, at_once) < 1:
            raise InputError(f"threads must be at least 1, got {min(threads, at_once)}")
        self.task, self.graph, self.goal, self.threads = task, task.graph, task.goal, threads
        self.at_once = at_once
        self.best: Coloring | None = None
        self.moves = self.generation = 0
        self.rng = np.random.default_rng(task.seed)
        self._kept = (-1, -1)  # colors and conflicts of what was offered last
        two = max(threads, 2)  # some ways search from two starts, whoever asks
        self.draws = [self.rng.integers(1, 2**64, LINE, np.uint64) for _ in range(two)]

    @property
    def best_k(self) -> int:
        """Colors of the best so far."""
        assert self.best is not None
        return self.best.k

    @property
    def lower(self) -> float:
        """A proved lower bound of what is minimized."""
        return self.goal.bound(self.task.chi_lower)

    @property
    def is_proved(self) -> bool:
        """The best so far cannot be beaten."""
        return self.best is not None and self.goal.key(self.best)[:2] <= (0, self.lower)

    @property
    def has_time(self) -> bool:
        """There is time to begin another search, or nothing yet that the goal allows."""
        if self.best is None or self.goal.key(self.best)[0] > 0:
            return True
        seconds, k = BEGIN * (self.graph.n + 2 * self.graph.m), self.best.k
        if not self.goal.rules.are_none:
            seconds += naming_seconds(self.graph.n, k, k)
        return self.task.clock.fits(seconds, 1.0)

    def offer(self, colors: IntArray) -> None:
        """Keep the coloring ``[n]`` if it is the best so far that keeps the rules.

        Its classes get the lowest names they may have, or keep their own where there is no time to
        look for these; where they are not in 0..k-1, it is not kept.
        """
        new, goal = Coloring(self.graph, colors), self.goal
        if self.best is None or goal.key(new) < goal.key(self.best):
            renamed = self._renamed(new)
            self.best = self.best if renamed is None else Coloring(self.graph, renamed)

    def _renamed(self, coloring: Coloring) -> IntArray | None:
        goal, colors = self.goal, coloring.colors
        seconds = naming_seconds(self.graph.n, coloring.k, goal.k or coloring.k)
        if goal.rules.are_none or self.task.clock.fits(seconds):
            return goal.rules.renumbered(colors, goal.k)
        return colors if goal.has_room(colors) and goal.rules.accept(colors).all() else None

    def on(self, part: Graph, k: int) -> Search:
        """The search for a proper coloring of a part of the graph with k colors; it reports the
        best of the whole."""
        tell = self.task.progress

        def told(progress: Progress) -> None:
            if tell is not None and self.best is not None:
                tell(replace(progress, best=self.best))

        goal = Goal(Rules.of(part))
        task = self.task.but(graph=part, goal=goal, start=None, progress=told, at_least=k)
        search = Search(task, self.threads, at_once=self.at_once)
        search.moves = self.moves
        return search

    def minimize(self, starts: Sequence[Start], target: int, step: Step) -> Found:
        """Search from several starts at once until one has at most ``target`` conflicts.

        Returns:
            The fewest conflicts and their colors.
        """
        return min(self.run(starts, target, [step] * len(starts)), key=conflicts_of)

    def run(self, starts: Sequence[Start], target: int, steps: Sequence[Step]) -> list[Found]:
        """Search from each start in its own way until one has at most ``target`` conflicts.

        All run one slice after the other, and wait for each other in between, so that the result
        does not depend on how fast they are.

        Args:
            starts: Palette ``[k]`` and colors ``[n]``, two or one for each thread. Nodes whose
                color is not in the palette, or not allowed, get the one that conflicts least.
            target: Conflicts to stop at.
            steps: The way to search from each start.

        Returns:
            For each start the fewest conflicts and their colors.
        """
        chains = [
            (palette, self._state(palette, colors, draws))
            for (palette, colors), draws in zip(starts, self.draws, strict=False)
        ]
        slices = [step(self, state) for step, (_, state) in zip(steps, chains, strict=False)]
        return self.follow(chains, slices, target)

    def follow(self, chains: Sequence[Chain], slices: list[Slice], target: int) -> list[Found]:
        """Let searches run, slice by slice, until one has at most ``target`` conflicts; the best of
        all is kept."""
        self._kept = (-1, -1)
        try:
            self._keep(chains)
            each = map if min(len(chains), self.at_once) == 1 else self._pool.map
            while (
                slices and _leader(chains)[1].counts[BEST] > target and not self.task.clock.is_over
            ):
                more = list(each(lambda slice_: slice_(target), slices))
                slices = [slice_ for slice_, goes_on in zip(slices, more, strict=True) if goes_on]
                self._keep(chains)
                self._report(chains)
        finally:  # on Ctrl-C too
            self._keep(chains)
            self.moves += sum(int(state.counts[MOVES]) for _, state in chains)
        return [(int(state.counts[BEST]), palette[state.best]) for palette, state in chains]

    @cached_property
    def csr(self) -> tuple[IntArray, NDArray[np.int32]]:
        """The graph as the loops want it: ``indptr`` and ``indices``."""
        return self.graph.indptr.copy(), self.graph.indices.astype(np.int32)

    @cached_property
    def order(self) -> IntArray:
        """The order in which nodes without a color get one."""
        return by_degree(self.graph)

    @cached_property
    def twin(self) -> NDArray[np.int32]:
        """See :func:`~concolor.graph.structure.twins`."""
        return twins(self.graph)

    @cached_property
    def matrix(self) -> NDArray[np.int8]:
        """The graph as a matrix ``[n, n]`` where it is dense enough that to add a row of it to one
        of numbers takes no longer than to look at every neighbor; else without rows."""
        n = self.graph.n
        if n > ROWS or DENSE * 2 * self.graph.m < n * n:
            return np.zeros((0, 0), np.int8)
        found: NDArray[np.int8] = self.graph.adjacency().astype(np.int8).toarray()
        return found

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.at_once)

    def _state(self, palette: IntArray, colors: IntArray, rng: NDArray[np.uint64]) -> State:
        n, k = self.graph.n, len(palette)
        wide = k if k < LANES else -(-k // LANES) * LANES
        table = np.zeros((n, wide), np.int32)
        table[:, k:] = FORBIDDEN
        if not self.goal.rules.are_none:
            table[:, :k][~self.goal.rules.allow(palette)] = FORBIDDEN
        state = State(
            indptr=self.csr[0],
            indices=self.csr[1],
            colors=self.places(palette, colors),
            table=table,
            free_at=np.zeros((n, wide), np.int32),
            listed=np.empty(n, np.int32),
            lowest=np.empty(n, np.int32),
            place=np.empty(n, np.int32),
            best=np.empty(n, np.int32),
            counts=np.zeros(LINE, np.int64),
            rng=rng,
        )
        fill(state, self.order)
        return state

    def is_wide(self, k: int) -> bool:
        """Whether a number for each node and each of k colors is more than we keep.

        Under rules it is kept however large, since every search then needs it.
        """
        return self.graph.n * k > ENTRIES and self.goal.rules.are_none

    def walk(self, palette: IntArray, colors: IntArray, rng: NDArray[np.uint64]) -> Walk:
        """A state without a table, in memory of the graph; it knows no rules."""
        n = self.graph.n
        state = Walk(
            k=len(palette),
            indptr=self.csr[0],
            indices=self.csr[1],
            colors=self.places(palette, colors),
            clashes=np.empty(n, np.int32),
            listed=np.empty(n, np.int32),
            place=np.empty(n, np.int32),
            best=np.empty(n, np.int32),
            touched=np.empty(n, np.int32),
            is_touched=np.zeros(n, bool),
            counts=np.zeros(LINE, np.int64),
            rng=rng,
        )
        begin(state, self.order)
        return state

    def places(self, palette: IntArray, colors: IntArray) -> NDArray[np.int32]:
        """The colors ``[n]`` by place in the palette, -1 where one is not there or not allowed."""
        place = np.searchsorted(palette, colors).clip(max=len(palette) - 1)
        usable = (palette[place] == colors) & self.goal.rules.accept(colors)
        return np.where(usable, place, -1).astype(np.int32)

    def _keep(self, chains: Sequence[Chain]) -> None:
        palette, state = _leader(chains)
        kept = (len(chains[0][0]), int(state.counts[BEST]))
        if self._kept != kept:
            self._kept = kept
            if self._may_be_better(kept[1]):
                self.offer(palette[state.best])

    def _may_be_better(self, conflicts: int) -> bool:
        """Where few colors are asked for, conflicts beyond the budget are not: no need to look."""
        goal, best = self.goal, self.best
        is_allowed = best is not None and goal.k is None and best.conflicts <= goal.budget
        return not is_allowed or conflicts <= goal.budget

    def _report(self, chains: Sequence[Chain]) -> None:
        if self.task.progress is None or self.best is None:
            return
        moves = self.moves + sum(int(state.counts[MOVES]) for _, state in chains)
        k, conflicts = len(chains[0][0]), int(_leader(chains)[1].counts[BEST])
        seconds = self.task.clock.seconds
        self.task.progress(Progress(k, conflicts, moves, seconds, self.best, self.generation))


def conflicts_of(found: Found) -> int:
    """What makes one better than another."""
    return found[0]


def _leader(chains: Sequence[Chain]) -> Chain:
    """The one with the fewest conflicts."""
    return min(chains, key=lambda chain: int(chain[1].counts[BEST]))
