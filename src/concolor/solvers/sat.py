"""Colorability as clauses, and a SAT solver that listens to the clock and to Ctrl-C."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from concolor.errors import ConcolorError
from concolor.graph.core import Graph, IntArray
from concolor.solvers.goal import Clock

Clauses: TypeAlias = list[list[int]]
BLOCK = 50_000  # clauses between two looks at the clock


def require_sat() -> Any:
    """The solver class of python-sat, or an error that names the extra to install."""
    try:
        from pysat.solvers import Minicard  # type: ignore[import-untyped]
    except ImportError:
        raise ConcolorError(
            "exact coloring needs python-sat, which is not installed: pip install 'concolor[exact]'"
        ) from None
    return Minicard


class Question:
    """Does the graph have a k-coloring with at most so many conflicts?

    Asked again, the solver goes on from what it has learned.

    Args:
        graph: What to color.
        k: Number of colors, at least 1.
        cliques: Some cliques of the graph, see :func:`clauses`.
        budget: Monochromatic edges that are allowed.
    """

    def __init__(
        self, graph: Graph, k: int, cliques: Sequence[Sequence[int]] = (), budget: int = 0
    ) -> None:
        self.graph, self.k, self.budget = graph, k, budget
        self._blocks = clauses(graph, k, cliques, soft=budget > 0)
        self._solver = require_sat()()
        self._built = False
        self._bad = range(1 + 2 * graph.n * k, 1 + 2 * graph.n * k + graph.m)

    def ask(self, clock: Clock, *, conflicts: int | None = None) -> IntArray | bool | None:
        """Colors ``[n]``; False where there are none; None where time or ``conflicts`` (wrong turns
        of the solver, not edges) ran out. Ctrl-C stops the solver and comes through."""
        if not self._build(clock):
            return None
        self._solver.conf_budget(-1 if conflicts is None else conflicts)
        answer = _limited(self._solver, clock)
        if not answer:
            return answer
        chosen = np.array(self._solver.get_model()[: self.graph.n * self.k]) > 0
        return chosen.reshape(self.graph.n, self.k).argmax(axis=1)

    def tighten(self, budget: int) -> None:
        """Ask for at most so many conflicts from now on; fewer than before."""
        self.budget = budget
        if self._built:
            self._solver.add_atmost(list(self._bad), budget)

    def _build(self, clock: Clock) -> bool:
        """Hand the clauses over, block by block; False where the time ends before them."""
        while not self._built and not clock.is_over:
            block = next(self._blocks, None)
            if block is not None:
                self._solver.append_formula(block)
                continue
            self._built = True
            if self.budget:
                self.tighten(self.budget)
        return self._built


def clauses(
    graph: Graph, k: int, cliques: Sequence[Sequence[int]] = (), *, soft: bool = False
) -> Iterator[Clauses]:
    r"""Clauses, in blocks, that the k-colorings of the graph satisfy, and nothing else.

    Literals: ``x(v, c)``, node v has color c, is ``1 + v k + c``; then ``u(i, c)``, color c is used
    by the first i + 1 nodes of an order, ``n k`` of them; then where ``soft`` one ``b(e)`` for each
    edge, which is allowed to be monochromatic:

    .. math::
        \bigvee_c x_{vc}, \quad \neg x_{va} \vee \neg x_{vb}, \quad
        \neg x_{vc} \vee \neg x_{wc} \, (\vee\, b_{vw})

    Colors are numbered as they come up along the order: :math:`x_{ic} \to u_{i-1,c-1}`. The order
    starts with a clique, so its colors are fixed by that. Where no edge may be monochromatic, a
    clique of k nodes shows every color c: :math:`\bigvee_{v \in Q} x_{vc}`; the solver would hardly
    find that (queen:8x8 at k = 8: milliseconds instead of minutes).
    """
    n = graph.n
    x = 1 + np.arange(n * k).reshape(n, k)
    yield from _blocks(x)
    for a, b in combinations(range(k), 2):
        yield from _blocks(-x[:, [a, b]])

    u, v = graph.edges.T
    bad = 1 + 2 * n * k + np.arange(graph.m)
    for c in range(k):
        ends = [-x[u, c], -x[v, c], *([bad] if soft else [])]
        yield from _blocks(np.stack(ends, axis=1))  # [m, 2 or 3]
    if not soft:
        full = [clique for clique in cliques if len(clique) == k]
        yield from _blocks(
            x[np.array(full, np.int64)].swapaxes(1, 2).reshape(-1, k) if full else x[:0]
        )

    x = x[_order(graph, cliques)]  # from here on row i is the i-th node of the order
    used = 1 + n * k + np.arange(n * k).reshape(n, k)
    yield from _blocks(-x[:1, 1:].reshape(-1, 1))
    yield from _blocks(np.stack([-used[0], x[0]], axis=1))
    yield from _blocks(_rows(-used[1:], used[:-1], x[1:]))
    yield from _blocks(_rows(-x[1:, 1:], used[:-1, :-1]))


def _order(graph: Graph, cliques: Sequence[Sequence[int]]) -> IntArray:
    """A largest clique first, then the others by falling degree."""
    first = np.zeros(graph.n, bool)
    first[list(max(cliques, key=len, default=()))] = True
    return np.lexsort((-graph.degrees, ~first))


def _rows(*columns: IntArray) -> IntArray:
    return np.stack([column.ravel() for column in columns], axis=1)


def _blocks(rows: IntArray) -> Iterator[Clauses]:
    for start in range(0, len(rows), BLOCK):
        yield rows[start : start + BLOCK].tolist()


def _limited(solver: Any, clock: Clock) -> bool | None:
    """Run the solver beside us, so that time and Ctrl-C are noticed while it works."""
    answers: list[bool | None] = []
    worker = threading.Thread(
        target=lambda: answers.append(solver.solve_limited(expect_interrupt=True)), daemon=True
    )
    worker.start()
    try:
        worker.join(min(clock.left, threading.TIMEOUT_MAX))
    finally:
        if worker.is_alive():
            solver.interrupt()
            worker.join()
        solver.clear_interrupt()
    return answers[0]
