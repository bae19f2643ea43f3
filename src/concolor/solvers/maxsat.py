"""The cheapest coloring of a small graph with a proof, by weighted MaxSAT (python-sat's RC2)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concolor.goal import Clock
from concolor.graph.cliques import quick_clique
from concolor.graph.core import IntArray
from concolor.solvers.interference import Interference
from concolor.solvers.sat import TICK, Clauses, blocks, clauses, limited, require_sat

CLAUSES = 200_000  # of a formula up to which a proof is tried


def is_small(noise: Interference, k: int) -> bool:
    """Whether a formula for k colors has few enough clauses."""
    return noise.graph.n * k * 4 + noise.graph.m * k <= CLAUSES


def apart(
    noise: Interference, allowed: NDArray[np.bool_], *, soft: bool = True
) -> Iterator[Clauses]:
    r"""Clauses, in blocks, of colors that are as far apart as each edge wants.

    Literals: ``x(v, c)``, node v has color c, is ``1 + v k + c``; then ``y(v, c)``, its color is at
    most c; then where ``soft`` one ``b(e)`` for each edge, which may be disturbed. With reach d,

    .. math::
        y_{vc} \to y_{v,c+1}, \quad y_{v,k-1}, \quad
        x_{vc} \leftrightarrow y_{vc} \wedge \neg y_{v,c-1}, \quad
        x_{uc} \to y_{v,c-d} \vee \neg y_{v,c+d-1} \, (\vee\, b_{uv})

    Args:
        allowed: ``[n, k]``; or one row where all nodes may have all colors: then the first node of
            highest degree has one of the lower half, as colors may be mirrored.
    """
    graph, k = noise.graph, allowed.shape[1]
    x = 1 + np.arange(graph.n * k).reshape(graph.n, k)
    y = x + graph.n * k
    yield from blocks(y[:, -1:])
    yield from blocks(np.stack([-y[:, :-1], y[:, 1:]], axis=2).reshape(-1, 2))
    yield from blocks(np.stack([-x, y], axis=2).reshape(-1, 2))
    yield from blocks(np.stack([-x[:, 1:], -y[:, :-1]], axis=2).reshape(-1, 2))
    yield from blocks(np.stack([x[:, 0], -y[:, 0]], axis=1))
    yield from blocks(np.stack([x[:, 1:], -y[:, 1:], y[:, :-1]], axis=2).reshape(-1, 3))
    yield from blocks(-x[np.broadcast_to(~allowed, x.shape)][:, None])
    if len(allowed) == 1 and graph.n:
        yield [[int(y[graph.degrees.argmax(), (k - 1) // 2])]]
    u, v = graph.edges.T
    bad = 1 + 2 * graph.n * k + np.arange(graph.m)
    for c in range(k):
        below, above = c - noise.reach, c + noise.reach - 1  # [m]
        for low in (False, True):
            for high in (False, True):
                some = ((below >= 0) == low) & ((above < k - 1) == high)
                rows = [-x[u[some], c]]
                rows += [y[v[some], below[some]]] if low else []
                rows += [-y[v[some], above[some]]] if high else []
                rows += [bad[some]] if soft else []
                yield from blocks(np.stack(rows, axis=1))


def cheapest(noise: Interference, allowed: NDArray[np.bool_], clock: Clock) -> IntArray | None:
    """Colors ``[n]`` of which it is proved that none cost less; None where the time was too short.

    Without any coloring that is allowed there is none, which rules exclude beforehand.
    """
    require_sat()
    formula = import_module("pysat.formula").WCNF()
    n, k = noise.graph.n, allowed.shape[1]
    if (noise.reach == 1).all():  # then colors are interchangeable
        cliques = [quick_clique(noise.graph)]
        each = np.broadcast_to(allowed, (n, k))
        rows = clauses(noise.graph, k, cliques, allowed=each, soft=True)
    else:
        rows = apart(noise, allowed)
    for block in rows:
        formula.extend(block)
        if clock.is_over:
            return None
    first = 1 + 2 * n * k
    for edge, units in enumerate(noise.units.tolist()):
        formula.append([-(first + edge)], weight=units)
    solver = import_module("pysat.examples.rc2").RC2Stratified(formula, solver="m22")
    try:
        model = _computed(solver, clock)
    finally:
        solver.delete()
    return None if model is None else _colors(model, noise, allowed)


def undisturbed(
    noise: Interference, allowed: NDArray[np.bool_], clock: Clock
) -> IntArray | bool | None:
    """Colors ``[n]`` that cost nothing, False where there are none, None where time ended first."""
    solver = require_sat()()
    try:
        for block in apart(noise, allowed, soft=False):
            solver.append_formula(block)
            if clock.is_over:
                return None
        if not limited(solver, [], clock):
            return None if clock.is_over else False
        return _colors(solver.get_model(), noise, allowed)
    finally:
        solver.delete()


def _colors(model: list[int], noise: Interference, allowed: NDArray[np.bool_]) -> IntArray:
    n, k = noise.graph.n, allowed.shape[1]
    chosen = np.array(model[: n * k]) > 0
    colors: IntArray = chosen.reshape(n, k).argmax(axis=1)
    return colors


def _computed(solver: Any, clock: Clock) -> list[int] | None:
    """Run the solver beside us, so that time and Ctrl-C are noticed while it works."""
    answers: list[list[int] | None] = []
    done = threading.Event()  # a join that Ctrl-C cuts takes the thread for ended

    def work() -> None:
        try:
            answers.append(solver.compute(expect_interrupt=True))
        finally:
            done.set()

    threading.Thread(target=work, daemon=True).start()
    cut = True
    try:
        while not done.is_set() and not clock.is_over:
            done.wait(min(clock.left, TICK))
        cut = not done.is_set()
    finally:
        while not done.is_set():  # a solver must not be freed under it, however often Ctrl-C comes
            with suppress(KeyboardInterrupt):
                solver.interrupt()
                done.wait(TICK)
    return None if cut or not answers else answers[0]
