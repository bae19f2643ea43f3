"""Where the positives come from: a coloring of every training graph.

It is proper, or ``relaxed``: fewer colors and a few conflicts, for models that are read with a few
conflicts. It is fixed, or with ``relabel`` one that follows the embedding. A graph has many
colorings as good as its label, and nothing tells the network which one it was given; the one that
it nearly has already is a goal it can reach.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from concolor.coloring import Coloring, count_conflicts
from concolor.decoding.cluster import line_means, means
from concolor.decoding.distance import Floats
from concolor.errors import InputError, interruptible
from concolor.fleet import many
from concolor.goal import Clock, Task
from concolor.graph.core import Graph, IntArray
from concolor.registry import chosen
from concolor.solvers import solve
from concolor.solvers.greedy import dsatur

Labeler: TypeAlias = Callable[[Graph], Coloring | ArrayLike]
LabelChoice: TypeAlias = str | Labeler


def label(
    graphs: Sequence[Graph],
    how: LabelChoice | Sequence[ArrayLike | Coloring] = "dsatur",
    *,
    executor: Executor | None = None,
    clock: Clock | None = None,
) -> list[IntArray]:
    """Colors 0..k-1 ``[n]`` for each graph.

    Args:
        graphs: The training graphs.
        how: A name in ``LABELERS``, a function from a graph to its coloring, or one coloring per
            graph, as a ``Coloring`` or an array ``[n]``. An improper one of yours is refused with
            its first bad edge.
        executor: Where they are searched, see :func:`concolor.many`; by default here.
        clock: Where it has a limit, labels that are searched for take half of what is left.
    """
    if isinstance(how, str):
        labeler_of(how)  # refused at once
    if isinstance(how, str) or callable(how):
        limit = None
        if clock is not None and clock.limit is not None:
            limit = 0.5 * clock.left / len(graphs)
        with _all_or_nothing():
            labeled = partial(_labeled, how, limit)
            return list(many(labeled, graphs, executor=executor, errors="raise"))
    if len(how) != len(graphs):
        raise InputError(f"{len(how)} label colorings for {len(graphs)} graphs")
    return [_checked(given, graph) for graph, given in zip(graphs, how, strict=True)]


def _labeled(how: LabelChoice, limit: float | None, graph: Graph) -> IntArray:
    """The label of one graph; only those of the user's own are doubted."""
    if not isinstance(how, str):
        return _checked(how(graph), graph)
    labeler: Callable[..., Coloring | ArrayLike] = labeler_of(how)
    timed = {} if limit is None or labeler not in SEARCHED else {"time_limit": limit}
    return _numbered(_coloring(labeler(graph, **timed), graph))


def follow(
    graph: Graph,
    colors: IntArray,
    z: Floats,
    *,
    absolute: bool = True,
    seed: int = 0,
    patience: int = 1_000,
) -> IntArray:
    """Colors ``[n]`` near an embedding, no more of them and no more conflicts than the label has.

    They are what a brief tabu search makes of the clusters. For a proper label these are one less
    than it has colors: the last color goes only where it is needed, so that few nodes are lost by a
    decoder that does without it. The label stays where nothing is found.

    Args:
        colors: The label ``[n]``, in 0..k-1.
        z: Unit rows ``[n, d]``.
        absolute: Whether rows are lines.
        patience: Moves of tabu search without improvement; this runs in every step of training.
    """
    k, allowed = int(colors.max(initial=0)) + 1, count_conflicts(graph, colors)
    cluster = line_means(z, seed) if absolute else means(z, seed)
    start = Coloring(graph, cluster(k if allowed else max(k - 1, 1)).clusters.astype(np.int64))
    with _all_or_nothing():
        found = _tabucol(Task.of(graph, k=k, start=start, seed=seed), patience)
    return found.colors if found.conflicts <= allowed else colors


def optimal(graph: Graph, *, time_limit: float = 60.0) -> Coloring:
    """A coloring proved to use the fewest colors, or an error where that takes too long."""
    found = solve(graph, "exact", time_limit=time_limit)
    if not found.is_proved:
        raise InputError(
            f"no proof within {time_limit:.0f} s that {found.coloring.k} colors are optimal on "
            f"{graph.name} (lower bound {found.lower}): use labels='dsatur', or give your own"
        )
    return found.coloring


def tabu(graph: Graph, *, patience: int = 100_000, time_limit: float | None = None) -> Coloring:
    """The fewest colors that tabu search finds; bounded by moves, so the same on every machine
    unless there is a time limit."""
    return _tabucol(Task.of(graph, time_limit=time_limit), patience)


def relaxed(
    graph: Graph,
    *,
    max_mono: float = 0.05,
    patience: int = 100_000,
    time_limit: float | None = None,
) -> Coloring:
    """The fewest colors with at most 5 % conflicts that tabu search finds."""
    return _tabucol(Task.of(graph, max_mono=max_mono, time_limit=time_limit), patience)


def relaxed3(graph: Graph, *, patience: int = 100_000, time_limit: float | None = None) -> Coloring:
    """The fewest colors with at most 3 % conflicts that tabu search finds."""
    return relaxed(graph, max_mono=0.03, patience=patience, time_limit=time_limit)


def labeler_of(given: LabelChoice) -> Labeler:
    """A labeler by its name, or a function from a graph to its proper coloring as it is."""
    labeler: Labeler = chosen(given, LABELERS, "labels")
    return labeler


def _tabucol(task: Task, patience: int) -> Coloring:
    from concolor.solvers.local_search import tabucol  # imports numba

    return tabucol(task, patience=patience).coloring


def _all_or_nothing() -> AbstractContextManager[None]:
    """Pass Ctrl-C on without the coloring that a solver had found by then: it is not a label."""
    return interruptible(lambda: None)


def _checked(given: ArrayLike | Coloring, graph: Graph) -> IntArray:
    """Colors 0..k-1 of a proper coloring of the graph."""
    coloring = _coloring(given, graph)
    if graph != coloring.graph:
        raise InputError(f"the labels given for {graph.name} color {coloring.graph.name}")
    if not coloring.is_proper:
        u, v = coloring.conflicting_edges[0]
        names = coloring.graph.node_names
        raise InputError(
            f"labels of {coloring.graph.name} are not proper: edge ({names[u]}, {names[v]}) has "
            f"color {coloring.colors[u]} at both ends ({coloring.conflicts} such edges)"
        )
    return _numbered(coloring)


def _coloring(given: ArrayLike | Coloring, graph: Graph) -> Coloring:
    return given if isinstance(given, Coloring) else Coloring(graph, np.asarray(given))


def _numbered(coloring: Coloring) -> IntArray:
    """The colors as 0..k-1."""
    return np.unique(coloring.colors, return_inverse=True)[1].astype(np.int64)


LABELERS: dict[str, Labeler] = {
    "dsatur": dsatur,
    "tabucol": tabu,
    "optimal": optimal,
    "relaxed": relaxed,
    "relaxed3": relaxed3,
}
SEARCHED: tuple[Labeler, ...] = (tabu, optimal, relaxed, relaxed3)  # those that take a time limit
