"""``Search``: local searches side by side, slice by slice, and the best coloring so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.goal import Progress, Task
from concolor.graph.core import IntArray
from concolor.graph.structure import by_degree, twins
from concolor.solvers.kernels.search import BEST, FORBIDDEN, MOVES, State, fill

Chain: TypeAlias = tuple[IntArray, State]  # the palette, and the colors by place in it
Start: TypeAlias = tuple[IntArray, IntArray]  # the palette [k] and colors [n]
Found: TypeAlias = tuple[int, IntArray]  # the fewest conflicts, and their colors [n]
Slice: TypeAlias = Callable[[int], bool]  # a while towards a target; is there more to do?
Step: TypeAlias = Callable[["Search", State], Slice]  # how a search goes on from a state
Way: TypeAlias = Callable[["Search", Sequence[Start], int], Found]  # from starts to a target
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
        self._draws = [self.rng.integers(1, 2**64, LINE, np.uint64) for _ in range(two)]
        self._indptr, self._indices = self.graph.indptr.copy(), self.graph.indices.astype(np.int32)
        self._order = by_degree(self.graph)

    @property
    def best_k(self) -> int:
        """Colors of the best so far."""
        assert self.best is not None
        return self.best.k

    @property
    def lower(self) -> int:
        """A proved lower bound of what is minimized."""
        return self.goal.bound(self.task.chi_lower)

    @property
    def is_proved(self) -> bool:
        """The best so far cannot be beaten."""
        return self.best is not None and self.goal.key(self.best)[:2] <= (0, self.lower)

    def offer(self, colors: IntArray) -> None:
        """Keep the coloring ``[n]`` if it is the best so far that keeps the rules.

        Its classes get the lowest names they may have; where those are not in 0..k-1, it is not
        kept.
        """
        new, goal = Coloring(self.graph, colors), self.goal
        if self.best is None or goal.key(new) < goal.key(self.best):
            renamed = goal.rules.renumbered(colors, goal.k)
            self.best = self.best if renamed is None else Coloring(self.graph, renamed)

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
        self._kept = (-1, -1)
        chains = [
            (palette, self._state(palette, colors, draws))
            for (palette, colors), draws in zip(starts, self._draws, strict=False)
        ]
        try:
            self._keep(chains)
            slices = [step(self, state) for step, (_, state) in zip(steps, chains, strict=False)]
            each = map if min(len(chains), self.at_once) == 1 else self._pool.map
            while slices and _fewest(chains)[0] > target and not self.task.clock.is_over:
                more = list(each(lambda slice_: slice_(target), slices))
                slices = [slice_ for slice_, goes_on in zip(slices, more, strict=True) if goes_on]
                self._keep(chains)
                self._report(chains)
        finally:  # on Ctrl-C too
            self._keep(chains)
            self.moves += sum(int(state.counts[MOVES]) for _, state in chains)
        return [(int(state.counts[BEST]), palette[state.best]) for palette, state in chains]

    @cached_property
    def twin(self) -> NDArray[np.int32]:
        """See :func:`~concolor.graph.structure.twins`."""
        return twins(self.graph)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.at_once)

    def _state(self, palette: IntArray, colors: IntArray, rng: NDArray[np.uint64]) -> State:
        n, k = self.graph.n, len(palette)
        place = np.searchsorted(palette, colors).clip(max=k - 1)
        usable = (palette[place] == colors) & self.goal.rules.accept(colors)
        wide = k if k < LANES else -(-k // LANES) * LANES
        table = np.zeros((n, wide), np.int32)
        table[:, k:] = FORBIDDEN
        if not self.goal.rules.are_none:
            table[:, :k][~self.goal.rules.allow(palette)] = FORBIDDEN
        state = State(
            indptr=self._indptr,
            indices=self._indices,
            colors=np.where(usable, place, -1).astype(np.int32),
            table=table,
            free_at=np.zeros((n, wide), np.int32),
            listed=np.empty(n, np.int32),
            lowest=np.empty(n, np.int32),
            place=np.empty(n, np.int32),
            best=np.empty(n, np.int32),
            counts=np.zeros(LINE, np.int64),
            rng=rng,
        )
        fill(state, self._order)
        return state

    def _keep(self, chains: Sequence[Chain]) -> None:
        conflicts, colors = _fewest(chains)
        if self._kept != (kept := (len(chains[0][0]), conflicts)):
            self.offer(colors)
            self._kept = kept

    def _report(self, chains: Sequence[Chain]) -> None:
        if self.task.progress is None or self.best is None:
            return
        moves = self.moves + sum(int(state.counts[MOVES]) for _, state in chains)
        k, conflicts = len(chains[0][0]), _fewest(chains)[0]
        seconds = self.task.clock.seconds
        self.task.progress(Progress(k, conflicts, moves, seconds, self.best, self.generation))


def conflicts_of(found: Found) -> int:
    """What makes one better than another."""
    return found[0]


def _fewest(chains: Sequence[Chain]) -> Found:
    """The fewest conflicts of all chains, and their colors by name."""
    palette, state = min(chains, key=lambda chain: int(chain[1].counts[BEST]))
    return int(state.counts[BEST]), palette[state.best]
