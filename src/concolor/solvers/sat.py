"""Colorability as clauses, and a SAT solver that listens to the clock and to Ctrl-C."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from importlib import import_module
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from concolor.errors import ConcolorError
from concolor.goal import Clock
from concolor.graph.core import Graph, IntArray

Clauses: TypeAlias = list[list[int]]
Cliques: TypeAlias = Sequence[tuple[int, ...]]
Allowed: TypeAlias = NDArray[np.bool_]  # [n, k]: a node may have a color
More: TypeAlias = Callable[[int], Iterator[Clauses]]  # clauses whose new literals begin there
TICK = 0.05  # seconds between two looks at the clock and at Ctrl-C
BLOCK = 50_000  # clauses between two looks at the clock
LIMIT = 5_000_000  # clauses for colors and conflicts, roughly


def require_sat(name: str = "Minisat22") -> Any:
    """A solver class of python-sat, or an error that names the extra to install.

    Only those that can be interrupted: Minisat22, Glucose4 and their kin, not CaDiCaL.
    """
    try:
        solvers = import_module("pysat.solvers")
    except ImportError:
        raise ConcolorError(
            "exact coloring needs python-sat, which is not installed: pip install 'concolor[exact]'"
        ) from None
    return getattr(solvers, name)


class TooLarge(Exception):
    """More clauses than we try to hold: only small graphs have small formulas."""


class Question:
    """Does the graph have a k-coloring with so few conflicts?

    Asked again, the solver goes on from what it has learned.

    Args:
        graph: What to color.
        k: Number of colors, at least 1.
        cliques: Some cliques of the graph, see :func:`clauses`.
        allowed: ``[n, k]``, the colors that a node may have; by default all.
        most: The largest number of allowed conflicts that will be asked for.
        more: Further clauses, of :func:`sized` or :func:`kept`.
        named: Colors are not interchangeable, though the same nodes may have them.
    """

    def __init__(
        self,
        graph: Graph,
        k: int,
        cliques: Cliques = (),
        *,
        allowed: Allowed | None = None,
        most: int = 0,
        more: More | None = None,
        named: bool = False,
    ) -> None:
        if size(graph, k, allowed) + graph.m * most > LIMIT:
            raise TooLarge
        allowed = np.ones((graph.n, k), bool) if allowed is None else allowed
        self.graph, self.k = graph, k
        self._solver = require_sat()()
        rows = clauses(graph, k, cliques, allowed=allowed, soft=most > 0, named=named)
        self._blocks = self._formula(rows, most, more)
        self._is_built = False
        self._more_than: list[int] = []  # [most + 1], literals: more conflicts than the index

    def ask(
        self, clock: Clock, *, patience: int | None = None, budget: int = 0
    ) -> IntArray | bool | None:
        """Colors ``[n]``; False where there are none; None where time or patience ran out.

        Ctrl-C stops the solver and comes through.

        Args:
            clock: When to give up.
            patience: Wrong turns that the solver may take, None for any number.
            budget: Conflicts that are allowed.
        """
        if not self._build(clock):
            return None
        self._solver.conf_budget(-1 if patience is None else patience)
        answer = limited(self._solver, [-literal for literal in self._more_than[budget:]], clock)
        if not answer:
            return answer
        chosen = np.array(self._solver.get_model()[: self.graph.n * self.k]) > 0
        colors: IntArray = chosen.reshape(self.graph.n, self.k).argmax(axis=1)
        return colors

    def close(self) -> None:
        """Free the memory of the solver now: in a destructor, Ctrl-C would go unnoticed."""
        self._solver.delete()

    def _formula(self, rows: Iterator[Clauses], most: int, more: More | None) -> Iterator[Clauses]:
        yield from rows
        first = 1 + 2 * self.graph.n * self.k
        if most and self.graph.m:
            self._more_than = yield from counter(np.arange(first, first + self.graph.m), most)
            first = self._more_than[-1] + 1
        if more is not None:
            yield from more(first)

    def _build(self, clock: Clock) -> bool:
        """Hand the clauses over, block by block; False where the time ends before them."""
        while not self._is_built and not clock.is_over:
            block = next(self._blocks, None)
            if block is None:
                self._is_built = True
            else:
                self._solver.append_formula(block)
        return self._is_built


def size(graph: Graph, k: int, allowed: Allowed | None = None) -> int:
    """Clauses for edges and for nodes, about."""
    if allowed is None or allowed.all():
        return graph.m * k + graph.n * k * k
    u, v = graph.edges.T
    shared = sum(int((column[u] & column[v]).sum()) for column in allowed.T)
    return shared + int((allowed.sum(axis=1) ** 2).sum())


def asked_once(
    graph: Graph, k: int, more: More, clock: Clock, *, allowed: Allowed | None, named: bool = False
) -> IntArray | bool | None:
    """The answer to one :class:`Question` with further clauses; None also without python-sat."""
    try:
        question = Question(graph, k, allowed=allowed, more=more, named=named)
    except ConcolorError:
        return None
    return question.ask(clock)


def clauses(
    graph: Graph,
    k: int,
    cliques: Cliques = (),
    *,
    allowed: Allowed | None = None,
    soft: bool = False,
    named: bool = False,
) -> Iterator[Clauses]:
    r"""Clauses, in blocks, that the k-colorings of the graph satisfy, and nothing else.

    Literals: ``x(v, c)``, node v has color c, is ``1 + v k + c``; then ``u(i, c)``, color c is used
    by the first i + 1 nodes of an order, ``n k`` of them; then where ``soft`` one ``b(e)`` for each
    edge, which is allowed to be monochromatic:

    .. math::
        \bigvee_c x_{vc}, \quad \neg x_{va} \vee \neg x_{vb}, \quad
        \neg x_{vc} \vee \neg x_{wc} \, (\vee\, b_{vw})

    and :math:`\neg x_{vc}` where ``allowed [n, k]`` says no. Colors that the same nodes may have
    are interchangeable, unless ``named``, so among them they are numbered as they come up along the
    order:
    :math:`x_{ic} \to u_{i-1,c'}` with c' the one before c. The order starts with a clique; without
    rules its colors are fixed by that. Where no edge may be monochromatic, a clique of k nodes
    shows every color c: :math:`\bigvee_{v \in Q} x_{vc}`; the solver would hardly find that
    (queen:8x8 at k = 8 is an example).
    """
    n = graph.n
    allowed = np.ones((n, k), bool) if allowed is None else allowed
    x = 1 + np.arange(n * k).reshape(n, k)
    yield from blocks(x)
    yield from blocks(-x[~allowed][:, None])
    for a, b in combinations(range(k), 2):
        yield from blocks(-x[allowed[:, a] & allowed[:, b]][:, [a, b]])

    bad = 1 + 2 * n * k + np.arange(graph.m)
    for c in range(k):
        both = allowed[graph.edges, c].all(axis=1)
        u, v = graph.edges[both].T
        ends = [-x[u, c], -x[v, c], *([bad[both]] if soft else [])]
        yield from blocks(np.stack(ends, axis=1))  # [m or fewer, 2 or 3]
    if not soft:
        full = [clique for clique in cliques if len(clique) == k]
        yield from blocks(
            x[np.array(full, np.int64)].swapaxes(1, 2).reshape(-1, k) if full else x[:0]
        )

    if named:
        return
    order = _order(graph, cliques)
    used = 1 + n * k + np.arange(n * k).reshape(n, k)
    for same in _interchangeable(allowed):
        yield from _as_they_come_up(x[order][:, same], used[:, same])


def _interchangeable(allowed: Allowed) -> list[IntArray]:
    """The colors that the same nodes may have, for each kind that has several of them."""
    kinds, kind = np.unique(allowed, axis=1, return_inverse=True)
    groups = [np.flatnonzero(kind == i) for i in range(kinds.shape[1])]
    return [group for group in groups if len(group) > 1]


def _as_they_come_up(x: IntArray, used: IntArray) -> Iterator[Clauses]:
    """Row i is the i-th node; it has a color only where the color before is used already."""
    yield from blocks(-x[:1, 1:].reshape(-1, 1))
    yield from blocks(np.stack([-used[0], x[0]], axis=1))
    yield from blocks(_rows(-used[1:], used[:-1], x[1:]))
    yield from blocks(_rows(-x[1:, 1:], used[:-1, :-1]))


def counter(literals: IntArray, most: int) -> Generator[Clauses, None, list[int]]:
    r"""Clauses that count true literals; returns new ones, number i of ``[most + 1]`` (or fewer,
    where there are fewer) is true where more than i are true.

    The totalizer (Bailleux and Boufkhad 2003), a tree of sums: with outputs a and b of two halves,

    .. math:: a_i \wedge b_j \to r_{i+j+1}, \quad a_i \to r_i, \quad b_j \to r_j

    About ``1.5 m most`` clauses for m literals, which are the variables ``..literals[-1]``.
    """
    top = int(literals[-1])
    sums = [literals[i : i + 1] for i in range(len(literals))]
    while len(sums) > 1:
        pairs = [sums[i : i + 2] for i in range(0, len(sums), 2)]
        sums = []
        for pair in pairs:
            size = min(sum(map(len, pair)), most + 1)
            if len(pair) == 1:
                sums.append(pair[0])
                continue
            result = np.arange(top + 1, top + 1 + size)
            top += size
            for half in pair:
                yield _rows(-half, result[: len(half)]).tolist()
            i, j = np.indices((len(pair[0]), len(pair[1]))).reshape(2, -1)
            i, j = i[i + j + 1 < size], j[i + j + 1 < size]
            yield from blocks(_rows(-pair[0][i], -pair[1][j], result[i + j + 1]))
            sums.append(result)
    return [int(literal) for literal in sums[0]]


def sized(n: int, k: int, low: int, high: int, first: int) -> Iterator[Clauses]:
    """Clauses by which each of k colors has ``low`` to ``high`` of the n nodes.

    The literals are those of :func:`clauses`; new ones begin with ``first``. No more than ``high``
    nodes have a color, and no more than ``n - low <= n`` have it not; each is counted on copies.
    """
    x = 1 + np.arange(n * k).reshape(n, k)
    for c in range(k):
        for literals, most in ((x[:, c], high), (-x[:, c], n - low)):
            if most >= n:
                continue
            copies = np.arange(first, first + n)
            yield from blocks(_rows(-literals, copies))
            more_than = yield from counter(copies, most)
            yield [[-more_than[most]]]
            first = max(more_than[-1], first + n - 1) + 1


def kept(old: IntArray, k: int, most: int, first: int) -> Iterator[Clauses]:
    """Clauses by which no more than ``most`` nodes have another color than their old one.

    Args:
        old: ``[n]``, in 0..k-1, or -1 for a node that had none and is not counted.
        first: The first of the new literals; the others are those of :func:`clauses`.
    """
    nodes = np.flatnonzero(old >= 0)
    if most >= len(nodes):
        return
    copies = np.arange(first, first + len(nodes))
    yield from blocks(_rows(1 + nodes * k + old[nodes], copies))
    more_than = yield from counter(copies, most)
    yield [[-more_than[most]]]


def _order(graph: Graph, cliques: Cliques) -> IntArray:
    """A largest clique first, then the others by falling degree."""
    first = np.zeros(graph.n, bool)
    if cliques:
        largest: tuple[int, ...] = max(cliques, key=len)
        first[list(largest)] = True
    return np.lexsort((-graph.degrees, ~first))


def _rows(*columns: IntArray) -> IntArray:
    return np.stack([column.ravel() for column in columns], axis=1)


def blocks(rows: IntArray) -> Iterator[Clauses]:
    """Clauses ``[c, literals]`` in pieces, for a look at the clock between two of them."""
    for start in range(0, len(rows), BLOCK):
        yield rows[start : start + BLOCK].tolist()


def limited(solver: Any, assumed: list[int], clock: Clock) -> bool | None:
    """Run the solver beside us, so that time and Ctrl-C are noticed while it works."""
    answers: list[bool | None] = []
    worker = threading.Thread(
        target=lambda: answers.append(solver.solve_limited(assumed, expect_interrupt=True)),
        daemon=True,
    )
    worker.start()
    try:
        while worker.is_alive() and not clock.is_over:
            worker.join(min(clock.left, TICK))
    finally:
        if worker.is_alive():
            solver.interrupt()
            worker.join()
        solver.clear_interrupt()
    return answers[0]
