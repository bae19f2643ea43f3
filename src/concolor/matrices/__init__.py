"""Colorings of matrices: few products with a sparse Jacobian or Hessian that hold all its entries.

:func:`color_matrix` is the one call. Everything works on the pattern, row by row and column by
column; no graph of columns is built where rows are dense.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

import numpy as np

from concolor.errors import InputError, interruptible, pick
from concolor.goal import Clock
from concolor.graph.core import IntArray
from concolor.matrices.kinds import KINDS, checked_method
from concolor.matrices.matrix_coloring import MatrixColoring
from concolor.matrices.orders import ORDERS, entry_seconds
from concolor.matrices.pattern import Pattern
from concolor.matrices.search import FIRST, Search

__all__ = ["KINDS", "ORDERS", "MatrixColoring", "Pattern", "color_matrix"]


def color_matrix(
    matrix: Any,
    kind: str = "column",
    *,
    method: str | None = None,
    order: str | None = None,
    time_limit: float | None = 1.0,
    seed: int = 0,
) -> MatrixColoring:
    """Color a matrix so that few products hold all its entries.

    Args:
        matrix: A sparse matrix (what is stored counts, whatever its value), a dense array (what is
            not 0 counts), or the path of a MatrixMarket file.
        kind: ``column``: columns of one color share no row; ``row``: the same of rows. For
            symmetric matrices ``star``, and ``acyclic`` with fewer colors. ``bidirectional``:
            columns and rows together, for matrices with dense rows and dense columns.
        method: How the entries are to be recovered: ``direct`` or ``substitution``. Each kind has
            one, only ``bidirectional`` either, direct by default.
        order: One of :data:`ORDERS`, to be greedy in this order and no more; by default all of them
            in turn, and then the search.
        time_limit: Seconds; then the best so far is returned. 0 is for the first order alone, None
            for a search that ends by itself. Loading compiled code does not count, nor does a look
            at whether the matrix is symmetric. Where not even one pass fits, every column has a
            color of its own, and ``order`` is ``one each``.
        seed: The same seed gives the same colors, unless time cuts the search.

    Returns:
        The coloring, with a proved lower bound of the number of products.

    Raises:
        Interrupted: On Ctrl-C, with the coloring so far in ``best``.

    >>> import numpy as np
    >>> arrow = np.eye(50)
    >>> arrow[0] = arrow[:, 0] = 1
    >>> color_matrix(arrow).k, color_matrix(arrow, "star").k, color_matrix(arrow, "bidirectional").k
    (50, 2, 3)
    """
    method = checked_method(kind, method)
    orders = ORDERS if order is None else {order: pick(ORDERS, order, "order")}
    if seed < 0:
        raise InputError(f"the seed must be a whole number >= 0, got {seed}")
    pattern = Pattern.of(matrix)
    if KINDS[kind].is_symmetric:
        _ = pattern.adjacency  # refuses a pattern that is not symmetric
    if time_limit is not None:
        Clock(time_limit)  # refuse what is no time before any work
        _warm_up(kind, method)
    return _colored(pattern, kind, method, orders, Clock(time_limit), seed)


def _colored(
    pattern: Pattern, kind: str, method: str, orders: Collection[str], clock: Clock, seed: int
) -> MatrixColoring:
    chosen, direct = KINDS[kind], method == "direct"
    work = entry_seconds(pattern)  # of what looks at every entry, about
    search = Search(chosen.bound(pattern, direct) if clock.fits(work) else 0, clock)

    def coloring(colors: IntArray, by: str) -> MatrixColoring:
        return MatrixColoring(
            pattern,
            kind,
            method,
            **_sides(pattern, kind, colors),
            lower=search.lower,
            order=by,
            seconds=clock.seconds,
        )

    def found() -> MatrixColoring | None:
        best = search.best
        return None if best is None else coloring(best.problem.whole(best.colors), best.by)

    with interruptible(found):
        if work <= max(clock.left, FIRST):
            search.greedy(chosen.problems(pattern, direct), orders)
        if len(orders) > 1:
            search.improve(seed)
    return found() or coloring(_one_each(pattern, kind), "one each")


def _one_each(pattern: Pattern, kind: str) -> IntArray:
    """The lines of one side with a color of their own each: always allowed, and no work."""
    if kind == "bidirectional":
        return np.concatenate([np.full(pattern.m, -1), np.arange(pattern.n)])
    return np.arange(pattern.m if kind == "row" else pattern.n)


def _sides(pattern: Pattern, kind: str, colors: Any) -> dict[str, Any]:
    """The colors of columns and rows, each from 0 on."""
    match kind:
        case "row":
            return {"row_colors": colors}
        case "bidirectional":
            rows, columns = colors[: pattern.m], colors[pattern.m :]
            shift = rows.max(initial=-1) + 1
            return {"row_colors": rows, "column_colors": np.where(columns < 0, -1, columns - shift)}
    return {"column_colors": colors}


@cache
def _warm_up(kind: str, method: str) -> None:
    """Compile, or load what was compiled, on a matrix that takes no time: before a clock starts."""
    from concolor.solvers.local_search import warm_up

    small = Pattern.of([[1, 1], [1, 1]])
    chosen, direct = KINDS[kind], method == "direct"
    for problem in chosen.problems(small, direct):
        for make in ORDERS.values():
            problem.fit(make(problem.ordered))
    chosen.bound(small, direct)
    if not chosen.is_symmetric:
        warm_up()  # of the search on the graph of columns
