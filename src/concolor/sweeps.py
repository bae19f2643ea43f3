"""``Sweep``: the conflicts that every tried k left, and the k that it answers with.

``Control``: the same answer of a method that learned nothing, to stand beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from concolor.coloring import Coloring
from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.registry import resolve

K_MAX = 32  # colors tried where the caller names no limit


def choose_k(curve: Mapping[int, int], m: int, max_mono: float) -> tuple[int, bool]:
    """The ``k*`` of a sweep, and whether it is a hit.

    ``k*`` is the smallest k with ``mono <= max_mono``. Where no k gets there, it is the k of the
    lowest mono (the smallest such k) and the sweep missed.

    Args:
        curve: Conflicts for every k that was tried, at least one.
        m: Number of edges; mono is 0 where there are none.
        max_mono: The allowed fraction of monochromatic edges.

    >>> choose_k({1: 20, 2: 4, 3: 1}, m=20, max_mono=0.05)
    (3, True)
    >>> choose_k({1: 20, 2: 4, 3: 4}, m=20, max_mono=0.05)
    (2, False)
    """
    hits = [k for k, conflicts in curve.items() if conflicts == 0 or conflicts / m <= max_mono]
    return (min(hits), True) if hits else (min(curve, key=lambda k: (curve[k], k)), False)


@dataclass(frozen=True, eq=False)
class Control:
    """What chance or linear algebra reach: k, the coloring, and whether that meets the rule."""

    k: int
    coloring: Coloring
    hit: bool


@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
    """What every tried k gave.

    ``k`` is always the number of clusters asked for. Where points coincide fewer colors may be in
    use: ``coloring(k).k <= k``.

    Attributes:
        graph: The colored graph.
        colors: k -> colors ``[n]``, for every k that was tried, ascending.
        curve: k -> conflicts, for the same k.
        max_mono: The allowed mono that :attr:`best` answers.
        is_cut: It ended early, by its time limit or by Ctrl-C: a larger k was still to be tried.
    """

    graph: Graph
    colors: Mapping[int, NDArray[np.int32]]
    curve: Mapping[int, int]
    max_mono: float
    is_cut: bool = False

    def k_star(self, max_mono: float | None = None) -> int:
        """The smallest k with ``mono <= max_mono``, else the k of the lowest mono."""
        return self._chosen(max_mono)[0]

    def hit(self, max_mono: float | None = None) -> bool:
        """Some tried k has ``mono <= max_mono``."""
        return self._chosen(max_mono)[1]

    def k_within(self, max_mono: float) -> int | None:
        """The smallest k with ``mono <= max_mono``, None where no tried k has it."""
        k, hit = self._chosen(max_mono)
        return k if hit else None

    @property
    def k_zero(self) -> int | None:
        """The smallest k without conflicts, None where no tried k has it."""
        return self.k_within(0.0)

    def mono(self, k: int) -> float:
        """Fraction of monochromatic edges at k."""
        return self.curve[k] / self.graph.m if self.graph.m else 0.0

    def coloring(self, k: int) -> Coloring:
        """The coloring that was found with k clusters."""
        if k not in self.colors:
            raise InputError(f"k={k} was not tried, only {min(self.colors)}..{max(self.colors)}")
        return Coloring(self.graph, self.colors[k].astype(np.int64))

    @cached_property
    def best(self) -> Coloring:
        """The coloring of ``k_star()``."""
        return self.coloring(self.k_star())

    def _chosen(self, max_mono: float | None) -> tuple[int, bool]:
        wanted = self.max_mono if max_mono is None else max_mono
        return choose_k(self.curve, self.graph.m, wanted)

    def __repr__(self) -> str:
        k, hit = self._chosen(None)
        answer = f"k_star={k}, mono={self.mono(k):.4f}, hit={hit}"
        return f"Sweep({self.graph.name!r}, {answer}, tried={min(self.curve)}..{max(self.curve)})"

    def _repr_html_(self) -> str:
        return str(resolve("concolor.viz.cards:sweep_card")(self))
