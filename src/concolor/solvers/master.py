"""``Master``: the linear program of column generation, by HiGHS."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concolor.goal import Clock
from concolor.solvers.independent import Truth

FOREVER = 1e30  # HiGHS takes it for infinity
OPTIONS: dict[str, bool | int | str] = {
    "output_flag": False,
    "threads": 1,
    "solver": "simplex",
    "simplex_strategy": 4,  # primal: the solution before stays feasible when sets are added
    "presolve": "off",  # it would forget that solution
}


@cache
def highs() -> Any:
    """The module of HiGHS; None where it is not there, and what needs it is left out.

    OR-Tools brings along a HiGHS of its own, beside which another cannot be loaded.
    """
    try:
        return import_module("highspy")
    except ImportError as error:
        warnings.warn(
            f"no fractional bounds: highspy cannot be loaded ({error}); pip install "
            "'concolor[exact]', and do not import ortools before it",
            stacklevel=2,
        )
        return None


@dataclass(frozen=True, eq=False)
class Point:
    """An optimum of the program.

    Attributes:
        value: The sum of the shares.
        shares: ``[columns]``, how much of every set is taken.
        prices: ``[n]``, the dual: what covering a node costs.
    """

    value: float
    shares: NDArray[np.float64]
    prices: NDArray[np.float64]


class Master:
    r"""Cover every node by shares of sets, in all as few as possible.

    .. math:: \min \sum_S x_S, \quad \sum_{S \ni v} x_S \ge 1, \quad x \ge 0

    Every solution begins from the one before, so a few more sets cost little.

    Args:
        columns: Sets ``[c, n]`` that cover every node.
    """

    def __init__(self, columns: Truth) -> None:
        n = columns.shape[1]
        self.columns = np.zeros((0, n), bool)
        self._known: set[bytes] = set()
        self._highs = highs().Highs()
        for name, value in OPTIONS.items():
            self._highs.setOptionValue(name, value)
        none = np.zeros(0, np.int32)
        ones, free = np.ones(n), np.full(n, FOREVER)
        self._highs.addRows(n, ones, free, 0, np.zeros(n, np.int32), none, np.zeros(0))
        self.add(columns)

    def add(self, columns: Truth) -> bool:
        """Join sets ``[c, n]``; False where none of them is new."""
        new = []
        for row in columns:
            if (key := row.tobytes()) not in self._known:
                self._known.add(key)
                new.append(row)
        if not new:
            return False
        rows = np.array(new)
        which, nodes = np.nonzero(rows)
        starts = np.searchsorted(which, np.arange(len(rows))).astype(np.int32)
        self._highs.addCols(
            len(rows),
            np.ones(len(rows)),
            np.zeros(len(rows)),
            np.full(len(rows), FOREVER),
            len(nodes),
            starts,
            nodes.astype(np.int32),
            np.ones(len(nodes)),
        )
        self.columns = np.concatenate([self.columns, rows])
        return True

    def solve(self, clock: Clock) -> Point | None:
        """The optimum on the sets so far; None where the time ended before."""
        if clock.is_over:
            return None
        self._highs.setOptionValue(
            "time_limit", self._highs.getRunTime() + min(clock.left, FOREVER)
        )
        self._highs.run()
        if self._highs.getModelStatus() != highs().HighsModelStatus.kOptimal:
            return None
        found = self._highs.getSolution()
        prices = np.maximum(np.array(found.row_dual), 0.0)
        value = float(self._highs.getInfo().objective_function_value)
        return Point(value, np.array(found.col_value), prices)
