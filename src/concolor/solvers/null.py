"""The null: random balanced colorings under the same sweep. What does not beat it shows nothing."""

from __future__ import annotations

from itertools import count

import numpy as np

from concolor.coloring import Coloring
from concolor.errors import InputError, interruptible
from concolor.goal import Progress, Solution, Task
from concolor.graph.core import Graph
from concolor.sweeps import K_MAX, Control, choose_k


def null(graph: Graph, k: int, *, seed: int = 0, tries: int = 10) -> Coloring:
    """The best of ``tries`` random colorings whose class sizes differ by at most one.

    About ``m / k`` edges stay monochromatic, whatever the graph.

    Args:
        graph: What to color.
        k: Number of colors, at least 1; all are used where k <= n.
        seed: Decides the colorings, a different draw for every k.
        tries: Colorings drawn.
    """
    if k < 1 or tries < 1:
        raise InputError(f"k and tries must be at least 1, got k={k} and tries={tries}")
    rng = np.random.default_rng([seed, k])
    balanced = np.arange(graph.n) % k
    drawn = (Coloring(graph, rng.permutation(balanced)) for _ in range(tries))
    return min(drawn, key=lambda coloring: coloring.conflicts)


def null_sweep(
    graph: Graph, *, k_max: int, max_mono: float = 0.05, seed: int = 0
) -> tuple[int, Coloring, bool]:
    """``k*``, its coloring and whether it is a hit, by the rule that every sweep follows.

    The smallest k up to the k_max (never above n) with ``mono <= max_mono``, else the k of the
    lowest mono: :func:`concolor.coloring.choose_k`.
    """
    if k_max < 1:
        raise InputError(f"k_max must be at least 1, got {k_max}")
    if graph.n == 0:
        return 0, null(graph, 1, seed=seed), True
    curve: dict[int, int] = {}
    for k in range(1, min(k_max, graph.n) + 1):
        curve[k] = null(graph, k, seed=seed).conflicts
        if choose_k(curve, graph.m, max_mono)[1]:
            break
    k, hit = choose_k(curve, graph.m, max_mono)
    return k, null(graph, k, seed=seed), hit


def null_of(graph: Graph, *, k: int | None, max_mono: float, seed: int) -> Control:
    """The null with k colors, or with the fewest by the rule of a sweep where k is None."""
    if k is not None:
        found = null(graph, k, seed=seed)
        return Control(k, found, found.is_proper)
    return Control(*null_sweep(graph, k_max=K_MAX, max_mono=max_mono, seed=seed))


def solve_null(task: Task) -> Solution:
    """:func:`null` with k colors, or with 1, 2, ... until it is in budget.

    Cut by time before, it gives the coloring that is least over the budget.
    """
    goal, seed = task.goal, task.seed
    best = null(task.graph, goal.k or 1, seed=seed)
    with interruptible(lambda: task.solution(best)):
        for k in count(2):
            if goal.k is not None or best.conflicts <= goal.budget or task.clock.is_over:
                break
            best = goal.better(best, null(task.graph, k, seed=seed))
            if task.progress is not None:
                task.progress(Progress(k, best.conflicts, k, task.clock.seconds, best))
    return task.solution(best)
