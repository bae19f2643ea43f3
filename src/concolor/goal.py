"""What is asked of a coloring, how long it may take, how far it came, and what was found.

:class:`Task` is the one door: it checks all of a user's words once, and every room below works on
what it holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.cliques import an_edge, quick_clique, quick_seconds
from concolor.graph.core import Graph, IntArray
from concolor.graph.weights import Numbers, plain
from concolor.registry import resolve
from concolor.rules import Forbidden, Preset, Rules, listed_k

if TYPE_CHECKING:
    from concolor.graph.formats.convert import GraphLike


@dataclass(frozen=True, eq=False)
class Goal:
    """At most ``k`` colors with the fewest conflicts, or the least weight of them; or, k free, the
    fewest colors in a budget.

    Attributes:
        rules: Preset and forbidden colors.
        k: The most colors that may be used, or None where they are to be few.
        max_mono: The fraction of monochromatic edges that is allowed, or None where k is given or
            nothing is said: then none is.
        budget: The same as a number of edges: 0 asks for a proper coloring.
        max_class: The most nodes that may have the same color, or None for any number.
        balanced: The classes are to be as equal as can be: k of them where k is given.
        weights: Those of all edges, ascending, where k is given and the weight of conflicts is to
            be small; None where conflicts are counted.
    """

    rules: Rules
    k: int | None = None
    max_mono: float | None = None
    budget: int = 0
    max_class: int | None = None
    balanced: bool = False
    weights: Numbers | None = None

    @classmethod
    def of(
        cls,
        graph: Graph,
        *,
        k: int | None = None,
        max_mono: float | None = None,
        preset: Preset | None = None,
        forbidden: Forbidden | None = None,
        max_class: int | None = None,
        balanced: bool = False,
        weighted: bool = False,
    ) -> Goal:
        """Check what a user asks for; at most one of ``k`` and ``max_mono`` is given.

        Where the graph has lists, k is by default the number of colors that they speak of. Where it
        has weights, they count if that is ``weighted``, and k is given.

        >>> from concolor.graph.families import family
        >>> Goal.of(family("cycle:30"), max_mono=0.1).budget
        3
        """
        if k is not None and max_mono is not None:
            raise InputError(f"give k or max_mono, not both: got k={k} and max_mono={max_mono}")
        whole = isinstance(k, (int, np.integer)) and not isinstance(k, bool)
        if k is not None and (not whole or k < 1):
            raise InputError(f"k must be a whole number of at least 1, got {k!r}")
        if max_mono is not None and not 0 <= max_mono <= 1:
            raise InputError(f"max_mono is a fraction of the edges in 0..1, got {max_mono}")
        if k is None and graph.lists is not None:
            if max_mono is not None:
                raise InputError(
                    f"{graph.name} has lists of colors, so it takes k (at most k colors, fewest "
                    f"conflicts), not max_mono={max_mono}; or drop them: graph.but(lists=None)"
                )
            k = listed_k(graph.lists)
        rules, budget = Rules.of(graph, preset, forbidden, k=k), most_conflicts(graph.m, max_mono)
        _check_capacity(graph, rules, k, max_class)
        weights = None
        if weighted and graph.weights is not None:
            _check_weights(graph, k, max_mono, max_class is not None or balanced)
            weights = None if k is None else np.sort(graph.weights)
        k = None if k is None else int(k)
        return cls(rules, k, max_mono, budget, max_class, balanced, weights)

    @property
    def has_sizes(self) -> bool:
        """Something is asked of the sizes of classes."""
        return self.max_class is not None or self.balanced

    @property
    def of_any_sizes(self) -> Goal:
        """The same goal, with nothing asked of the sizes of classes: what a search is given."""
        return replace(self, max_class=None, balanced=False)

    def overflow(self, coloring: Coloring) -> int:
        """Nodes that are too many for their classes."""
        if self.max_class is None:
            return 0
        return int((np.bincount(coloring.colors) - self.max_class).clip(min=0).sum())

    def has_room(self, colors: IntArray) -> bool:
        """The colors ``[n]`` are at most k, or by name in 0..k-1 where rules make names matter."""
        if self.k is None:
            return True
        used = len(np.unique(colors)) if self.rules.are_none else colors.max(initial=-1) + 1
        return bool(used <= self.k)

    def with_k(self, k: int) -> Goal:
        """At most ``k`` colors under the same rules."""
        return replace(self, k=k, max_mono=None, budget=0)

    @property
    def minimized(self) -> str:
        """The word for what is to be small: ``k``, ``conflicts`` or ``weight``."""
        return "k" if self.k is None else "conflicts" if self.weights is None else "weight"

    def key(self, coloring: Coloring) -> tuple[int, float, float]:
        """Smaller is better; the first number is 0 where the coloring is allowed at all."""
        over = self.overflow(coloring)
        if self.k is not None:
            cost = coloring.conflicts if self.weights is None else coloring.weight
            assert cost is not None
            return max(coloring.k - self.k, 0) + over, cost, coloring.k
        return max(coloring.conflicts - self.budget, 0) + over, coloring.k, coloring.conflicts

    def is_reached(self, coloring: Coloring) -> bool:
        """Few enough colors and nodes of each, and no more conflicts than allowed: none where k
        is given."""
        few = self.k is None or coloring.k <= self.k
        return few and coloring.conflicts <= self.budget and self.overflow(coloring) == 0

    def better(self, one: Coloring, other: Coloring) -> Coloring:
        """The better of two, the first where they are equal."""
        return min(one, other, key=self.key)

    def bound(self, lower: int) -> float:
        """What ``χ >= lower`` says of what is minimized: of conflicts where k is given, or of k.

        So many conflicts weigh at least as much as the lightest edges. Rules only make it harder,
        and a color that is preset is used.

        >>> from concolor.graph.families import family
        >>> g = family("complete:6")
        >>> Goal.of(g, k=4).bound(6), Goal.of(g).bound(6), Goal.of(g, max_mono=0.2).bound(6)
        (2, 6, 3)
        """
        if self.k is not None:
            forced = forced_conflicts(lower, self.k)
            return forced if self.weights is None else plain(math.fsum(self.weights[:forced]))
        fewest = lower
        while fewest > 1 and forced_conflicts(lower, fewest - 1) <= self.budget:
            fewest -= 1
        held = 0 if self.max_class is None else -(-len(self.rules.preset) // self.max_class)
        return max(fewest, held, len(self.rules.preset_colors))


def _check_weights(graph: Graph, k: int | None, max_mono: float | None, sizes: bool) -> None:
    if max_mono is not None:
        raise InputError(
            f"{graph.name} has weights, but max_mono={max_mono} counts edges: give k (at most k "
            "colors, least weight of conflicts), or drop them: graph.but(weights=None)"
        )
    if sizes and k is not None:
        raise InputError(
            f"{graph.name} has weights, which cannot be asked for together with max_class and "
            "balanced; leave out one of them"
        )


def _check_capacity(graph: Graph, rules: Rules, k: int | None, most: int | None) -> None:
    if most is None:
        return
    if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 1:
        raise InputError(f"max_class must be a whole number of at least 1, got {most!r}")
    if k is not None and k * most < graph.n:
        raise InputError(
            f"k={k} classes of at most {most} nodes hold {k * most} of the {graph.n} nodes of "
            f"{graph.name}: raise k or max_class"
        )
    often = np.bincount(rules.preset[rules.preset >= 0])
    if often.max(initial=0) > most:
        raise InputError(
            f"color {often.argmax()} is preset for {often.max()} nodes, more than max_class={most}"
        )


def most_conflicts(m: int, max_mono: float | None) -> int:
    """The largest ``b`` with ``b / m <= max_mono``, as the division of floats sees it."""
    if max_mono is None:
        return 0
    budget = math.floor(max_mono * m)
    return budget + (budget < m and (budget + 1) / m <= max_mono)


def forced_conflicts(lower: int, k: int) -> int:
    r"""Conflicts that no ``k``-coloring avoids where ``χ >= lower``.

    A class that induces a graph of chromatic number c has at least ``c (c - 1) / 2`` edges, and the
    numbers c of all classes sum to χ at least. The sum is smallest where they are equal up to one:

    .. math:: r \binom{q+1}{2} + (k - r) \binom{q}{2}, \qquad q = \lfloor lower / k \rfloor,
              \quad r = lower - qk

    >>> forced_conflicts(8, 3), forced_conflicts(8, 8)  # 1 + 3 + 3 edges inside parts 2, 3, 3
    (7, 0)
    """
    q, r = divmod(lower, k)
    return r * math.comb(q + 1, 2) + (k - r) * math.comb(q, 2)


AT_ONCE = 0.02  # seconds for which there is always time


@dataclass
class Pace:
    """What stages were estimated to take, on a quiet machine, and what they took here."""

    estimated: float = 0.0
    taken: float = 0.0

    @property
    def factor(self) -> float:
        """How many times longer than estimated a stage takes here; 1 as long as little is known."""
        return max((self.taken + AT_ONCE) / (self.estimated + AT_ONCE), 1.0)


@dataclass(frozen=True)
class Clock:
    """Time since it was made, against a limit in seconds (None: no limit).

    It learns how slow the machine is from the stages that it sees (:meth:`watching`), for all
    clocks that it shares its time with.
    """

    limit: float | None = None
    started: float = field(default_factory=lambda: perf_counter())
    pace: Pace = field(default_factory=Pace, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.limit is not None and not self.limit >= 0:
            raise InputError(f"time_limit must be seconds >= 0, or None, got {self.limit}")

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return perf_counter() - self.started

    @property
    def is_over(self) -> bool:
        """The limit has passed."""
        return self.limit is not None and self.seconds >= self.limit

    @property
    def left(self) -> float:
        """Seconds that remain, at least 0; infinity without a limit."""
        return math.inf if self.limit is None else max(self.limit - self.seconds, 0.0)

    def expected(self, seconds: float) -> float:
        """What a stage takes here that is estimated at so many seconds."""
        return seconds * self.pace.factor

    def fits(self, seconds: float, part: float = 0.5) -> bool:
        """Whether a stage that is estimated at so many seconds takes next to none, or no more than
        a part of those that remain."""
        return self.expected(seconds) <= max(part * self.left, AT_ONCE)

    @contextmanager
    def watching(self, seconds: float) -> Iterator[None]:
        """What happens inside is estimated at so many seconds: see how many it takes here; where
        there is no limit nothing is learned, and no clock within it knows better."""
        began = self.seconds
        yield
        if self.limit is not None:
            self.pace.taken += self.seconds - began
            self.pace.estimated += seconds

    def within(self, seconds: float | None) -> Clock:
        """A clock that starts now, for so many seconds, on the same machine."""
        return Clock(seconds, pace=self.pace)

    def share(self, part: float) -> Clock:
        """A clock of its own for a part of the time that remains."""
        return self.within(None if self.limit is None else part * self.left)


@dataclass(frozen=True)
class Progress:
    """Where a search stands.

    Attributes:
        k: Colors being tried.
        conflicts: The fewest conflicts seen with k colors.
        steps: Moves, epochs or whatever the method counts, since the start.
        seconds: Since the start.
        best: What would be returned now.
        generation: Of a memetic search with k colors; 0 elsewhere.
        lower: What is proved by now of what is minimized, by a method that works on that; else 0.
    """

    k: int
    conflicts: int
    steps: int
    seconds: float
    best: Coloring
    generation: int = 0
    lower: float = 0


OnProgress: TypeAlias = Callable[[Progress], None]


@dataclass(frozen=True, eq=False)
class Task:
    """One call of a solver: what to color, how, from where, and for how long.

    Attributes:
        graph: What to color.
        goal: What is asked of the coloring.
        seed: Decides all that is drawn.
        clock: When to end.
        start: A coloring to begin from, or None.
        progress: Called now and then, or None.
        at_least: A lower bound of χ that is known already, or None.
    """

    graph: Graph
    goal: Goal
    seed: int = 0
    clock: Clock = field(default_factory=Clock)
    start: Coloring | None = None
    progress: OnProgress | None = None
    at_least: int | None = None

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise InputError(f"the seed must be a whole number >= 0, got {self.seed}")
        if self.start is not None and self.start.graph != self.graph:
            raise InputError(
                f"the start colors {self.start.graph}, not {self.graph}; give one that does"
            )

    @classmethod
    def of(
        cls,
        graph: GraphLike,
        *,
        k: int | None = None,
        max_mono: float | None = None,
        preset: Preset | None = None,
        forbidden: Forbidden | None = None,
        seed: int = 0,
        time_limit: float | None = None,
        start: Coloring | None = None,
        progress: OnProgress | None = None,
        max_class: int | None = None,
        balanced: bool = False,
        weighted: bool = False,
    ) -> Task:
        """Check what a user asks for, as in :func:`concolor.solvers.solve`; the clock starts.

        Weights of the graph count where the caller knows what to do with them: ``weighted``.
        """
        if not isinstance(graph, Graph):
            from concolor.graph.formats.convert import as_graph

            graph = as_graph(graph)
        goal = Goal.of(
            graph,
            k=k,
            max_mono=max_mono,
            preset=preset,
            forbidden=forbidden,
            max_class=max_class,
            balanced=balanced,
            weighted=weighted,
        )
        return cls(graph, goal, seed, Clock(time_limit), start, progress)

    def but(self, **changes: Any) -> Task:
        """The same task with another goal, clock or start; a clique that was found stays known."""
        other = replace(self, **changes)
        if "clique" in self.__dict__ and other.graph is self.graph:
            other.__dict__["clique"] = self.clique
        return other

    @cached_property
    def clique(self) -> tuple[int, ...]:
        """A clique that is found at once: see :func:`~concolor.graph.cliques.quick_clique`.

        With a time limit it takes a tenth of what is left, and is an edge where that is too little.
        """
        if not self.clock.fits(quick_seconds(self.graph)):
            return an_edge(self.graph)
        return quick_clique(self.graph, clock=self.clock.share(0.1))

    @cached_property
    def chi_lower(self) -> int:
        """A lower bound of χ: one that is given, χ itself where it is known, or the clique."""
        known = self.graph.chi if self.at_least is None else self.at_least
        return len(self.clique) if known is None else known

    def solution(self, coloring: Coloring, lower: float | None = None) -> Solution:
        """What was found, with a proved lower bound of what the goal minimizes.

        Where a method proves none of its own, it is what :attr:`chi_lower` says.
        """
        proved = self.goal.bound(self.chi_lower) if lower is None else lower
        return Solution(coloring, self.goal, proved, self.clock.seconds)


@dataclass(frozen=True, eq=False)
class Solution:
    """The best coloring found for a goal, with what was proved about better ones.

    ``lower <= optimum <= upper``, the optimum being the fewest conflicts where the goal gives k (or
    the least weight of them), else the fewest colors within its budget: the chromatic number where
    that is 0.

    Attributes:
        coloring: The best found.
        goal: What it is best for.
        lower: The proved lower bound: by a clique, or by the exact solver.
        seconds: What it took.
        rounds: What each round of blocks took, where a graph was colored in blocks: nodes colored,
            conflicts, bytes sent.
    """

    coloring: Coloring
    goal: Goal
    lower: float
    seconds: float
    rounds: tuple[Mapping[str, int], ...] = ()

    @property
    def upper(self) -> float:
        """What the coloring shows: its conflicts, or their weight, where the goal gives k, else its
        colors."""
        return self.goal.key(self.coloring)[1]

    @property
    def is_proved(self) -> bool:
        """The coloring is optimal: it is allowed, and as good as the lower bound."""
        return self.goal.key(self.coloring)[:2] == (0, self.lower)

    @property
    def hit(self) -> bool:
        """The goal is reached."""
        return self.goal.is_reached(self.coloring)

    def __repr__(self) -> str:
        about = "proved optimal" if self.is_proved else f"lower={self.lower}"
        return f"Solution({self.coloring!r}, {about})"

    def _repr_html_(self) -> str:
        return str(resolve("concolor.viz.cards:solution_card")(self))
