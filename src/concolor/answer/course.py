"""``Course``: one graph on its way to an answer, and ``Answer``, where it ended."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from concolor.coloring import Coloring
from concolor.goal import Clock, Progress, Solution, Task
from concolor.graph.core import IntArray
from concolor.registry import resolve
from concolor.sweeps import Control, Sweep

Tell: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Answer:
    """A coloring and how it came about.

    Where the graph was settled before the model was needed, or there was no time for it, ``raw``,
    ``sweep``, ``z``, ``null``, ``spectral`` and ``model`` are None.

    Attributes:
        solution: The coloring, and what is proved about better ones.
        start: What the coloring began as: ``first fit``, ``dsatur``, ``rlf``, ``hidden``,
            ``belief``, ``spectral``, ``exact``, ``clusters``, ``guided``, or ``cheapest`` where
            edges have weights; local search may have improved it.
            ``model`` where the model alone was asked for.
        seconds: By stage: bounds, search, hidden, exact, embed, decode, null, spectral, repair.
        left_out: What there was no time for, in words.
        dsatur: Colors that DSATUR needs under the same rules, None without time for it.
        raw: What the model alone gave for the same goal, before any search.
        sweep: The decoding of the embedding with 1, 2, ... colors.
        z: The embedding ``[n, d]`` behind it.
        null: What chance reaches by the rule of the sweep, None where there was no time for it.
        spectral: What eigenvectors without any training reach by that rule, likewise.
        model: The name or file of the model behind them, ``given`` where it was no name.
        removed: Nodes that reductions took away before the search, by rule, and those that are
            left; None where nothing was reduced.
        clique: The largest that was found, none where χ was known or there was no time.
    """

    solution: Solution
    start: str
    seconds: Mapping[str, float]
    left_out: tuple[str, ...] = ()
    dsatur: int | None = None
    raw: Coloring | None = None
    sweep: Sweep | None = None
    z: NDArray[np.float32] | None = None
    null: Control | None = None
    spectral: Control | None = None
    model: str | None = None
    removed: Mapping[str, int] | None = None
    clique: tuple[int, ...] = ()

    @property
    def coloring(self) -> Coloring:
        """The answer."""
        return self.solution.coloring

    @property
    def hit(self) -> bool:
        """Whether the goal was reached."""
        return self.solution.hit

    def _repr_html_(self) -> str:
        return str(resolve("concolor.viz.cards:answer_card")(self))


class Course:
    """What is known of one graph at any moment: enough for an answer, whenever it is asked for.

    Attributes:
        best: The best coloring so far, None before the first.
        start: What it began as.
        lower: A proved lower bound of what the goal minimizes.
        chi_lower: A proved lower bound of χ.
    """

    def __init__(self, task: Task, tell: Tell | None = None) -> None:
        self.task, self.graph, self.goal, self.clock = task, task.graph, task.goal, task.clock
        self.tell: Tell = tell or (lambda text: None)
        self.best: Coloring | None = None
        self.start = ""
        self.lower: float = 0
        self.chi_lower = 0
        self.seconds: dict[str, float] = {}
        self.left_out: list[str] = []
        self.dsatur: int | None = None
        self.removed: dict[str, int] | None = None
        self.clique: tuple[int, ...] = ()
        self.raw: Coloring | None = None
        self.sweep: Sweep | None = None
        self.z: NDArray[np.float32] | None = None
        self.null: Control | None = None
        self.spectral: Control | None = None
        self.model: str | None = None

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """What happens inside is timed under that name, and told."""
        self.tell(name)
        began = perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - began

    def offer(self, colors: IntArray | Coloring, start: str) -> None:
        """Keep a coloring that the goal allows, if it is the best so far."""
        found = colors if isinstance(colors, Coloring) else Coloring(self.graph, colors)
        if self.best is None or self.goal.key(found) < self.goal.key(self.best):
            self.best, self.start = found, start

    def bound(self, lower: float) -> None:
        """Nothing better than ``lower`` is possible."""
        self.lower = max(self.lower, lower)

    def bound_chi(self, lower: int) -> None:
        """The graph needs so many colors, which says something of every goal."""
        self.chi_lower = max(self.chi_lower, lower)
        self.bound(self.goal.bound(self.chi_lower))

    def bound_at_once(self) -> None:
        """By χ where it is known, else by a clique."""
        self.bound_chi(self.task.chi_lower)
        if self.graph.chi is None:
            self.clique = self.task.clique

    @property
    def is_settled(self) -> bool:
        """The best is proved to be the best possible."""
        return self.best is not None and self.goal.key(self.best)[:2] == (0, self.lower)

    def share(self, part: float, at_most: float) -> Clock:
        """A clock for a stage: so many seconds, or with a limit a part of the time that is left.

        A stage that is not the last (part 1) takes no more than ten times those seconds.
        """
        if self.clock.limit is None:
            return self.clock.within(at_most)
        seconds = part * self.clock.left
        return self.clock.within(seconds if part == 1 else min(seconds, 10 * at_most))

    def fits(self, seconds: float, what: str, part: float = 0.5, at_most: float = math.inf) -> bool:
        """Whether so many seconds are no more than that part of what is left, and than the most;
        else it is noted."""
        seconds = self.clock.expected(seconds)
        if seconds <= min(part * self.clock.left, at_most):
            return True
        self.left_out.append(f"{what} (about {seconds:.1g} s)")
        return False

    def progress(self, now: Progress) -> None:
        """Tell where a search stands."""
        weight = "" if now.best.weight is None else f" of weight {now.best.weight:.6g}"
        self.tell(f"k {now.k}, {now.conflicts} conflicts{weight}")

    def answer(self) -> Answer | None:
        """What there is now, None where there is nothing yet."""
        if self.best is None:
            return None
        return Answer(
            self.task.solution(self.best, self.lower),
            self.start,
            dict(self.seconds),
            tuple(self.left_out),
            self.dsatur,
            self.raw,
            self.sweep,
            self.z,
            self.null,
            self.spectral,
            self.model,
            self.removed,
            self.clique,
        )
