"""What every solver is asked and how it reports: ``Goal``, ``Clock`` and ``Progress``."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import TypeAlias

import numpy as np

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.core import Graph


@dataclass(frozen=True)
class Goal:
    """At most ``k`` colors with the fewest conflicts; or, k free, the fewest colors in a budget.

    Attributes:
        k: The most colors that may be used, or None where they are to be few.
        budget: The conflicts that are allowed where k is free: 0 asks for a proper coloring.
    """

    k: int | None = None
    budget: int = 0

    @classmethod
    def of(cls, graph: Graph, k: int | None = None, max_mono: float | None = None) -> Goal:
        """Check ``k`` and ``max_mono``, at most one of them given, and count the allowed edges.

        >>> from concolor.graph.families import family
        >>> Goal.of(family("cycle:30"), max_mono=0.1)
        Goal(k=None, budget=3)
        """
        if k is not None and max_mono is not None:
            raise InputError(f"give k or max_mono, not both: got k={k} and max_mono={max_mono}")
        if k is not None and (not isinstance(k, (int, np.integer)) or k < 1):
            raise InputError(f"k must be a whole number of at least 1, got {k!r}")
        if max_mono is not None and not 0 <= max_mono <= 1:
            raise InputError(f"max_mono is a fraction of the edges in 0..1, got {max_mono}")
        return cls(None if k is None else int(k), _most_conflicts(graph.m, max_mono or 0.0))

    def key(self, coloring: Coloring) -> tuple[int, int, int]:
        """Smaller is better; the first number is 0 where the coloring is allowed at all."""
        if self.k is not None:
            return max(coloring.k - self.k, 0), coloring.conflicts, coloring.k
        return max(coloring.conflicts - self.budget, 0), coloring.k, coloring.conflicts

    def is_reached(self, coloring: Coloring) -> bool:
        """Few enough colors, and no more conflicts than allowed: none where k is given."""
        return (self.k is None or coloring.k <= self.k) and coloring.conflicts <= self.budget

    def better(self, one: Coloring, other: Coloring) -> Coloring:
        """The better of two, the first where they are equal."""
        return min(one, other, key=self.key)


def _most_conflicts(m: int, max_mono: float) -> int:
    """The largest ``b`` with ``b / m <= max_mono``, as the division of floats sees it."""
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


@dataclass(frozen=True)
class Clock:
    """Time since it was made, against a limit in seconds (None: no limit)."""

    limit: float | None = None
    started: float = field(default_factory=perf_counter)

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


@dataclass(frozen=True)
class Progress:
    """Where a search stands.

    Attributes:
        k: Colors being tried.
        conflicts: The fewest conflicts seen with k colors.
        steps: Moves, epochs or whatever the method counts, since the start.
        seconds: Since the start.
        best: What would be returned now.
    """

    k: int
    conflicts: int
    steps: int
    seconds: float
    best: Coloring


Report: TypeAlias = Callable[[Progress], None]
