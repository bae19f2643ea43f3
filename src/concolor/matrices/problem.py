"""``Problem``: one kind of matrix coloring as greedy passes and searches see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from concolor.goal import Clock
from concolor.graph.core import IntArray
from concolor.matrices.bicolored import Bicolored
from concolor.matrices.pattern import Pattern

Fit: TypeAlias = Callable[[IntArray], IntArray]  # an order to colors [n], -1 for none
Keep: TypeAlias = Callable[[IntArray], None]  # offer colors that were found
Deeper: TypeAlias = Callable[[IntArray, Clock, int, Keep], int]  # start, clock, seed; a lower bound


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be colored.

    Attributes:
        ordered: The pattern whose columns are what gets colors.
        fit: First fit in an order of these columns. Classes have numbers from 0 on, without gaps,
            -1 where no color is needed.
        seconds: What an order and a pass in it take, about.
        deeper: A search of its own that goes on from colors, or None for greedy passes alone.
        setup: Seconds after which it begins, about.
        passes: Passes in which nodes may keep their colors, or None where there are only new ones.
        before, after: Lines beside these that get no color, where rows and columns are colored.
    """

    ordered: Pattern
    fit: Fit
    seconds: float
    deeper: Deeper | None = None
    setup: float = 0.0
    before: int = 0
    after: int = 0
    passes: Bicolored | None = None

    @property
    def is_part(self) -> bool:
        """There are other lines, so that a bound for these alone says nothing."""
        return self.before + self.after > 0

    def whole(self, colors: IntArray) -> IntArray:
        """The colors of all lines."""
        return np.concatenate([np.full(self.before, -1), colors, np.full(self.after, -1)])
