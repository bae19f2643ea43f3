"""Where the positives come from: a coloring of every training graph.

It is proper, or ``relaxed``: fewer colors and a few conflicts, for models that are read with a few
conflicts. It is fixed, or with ``relabel`` one that follows the embedding. A graph has many
colorings as good as its label, and nothing tells the network which one it was given; the one that
it nearly has already is a goal it can reach.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from concolor.coloring import Coloring, count_conflicts
from concolor.decoding.cluster import line_means, means
from concolor.decoding.distance import Floats
from concolor.errors import InputError, pick
from concolor.goal import Task
from concolor.graph.core import Graph, IntArray
from concolor.solvers import solve
from concolor.solvers.greedy import dsatur

PROOF_SECONDS = 60.0  # for one graph
PATIENCE = 100_000  # moves of tabu search without improvement
BRIEF = 1_000  # the same where a coloring near an embedding is looked for, in every step
RELAXED = 0.05  # monochromatic edges that a relaxed label may have, as a fraction

Labeler = Callable[[Graph], Coloring]


def optimal(graph: Graph) -> Coloring:
    """A coloring proved to use the fewest colors, or an error where that takes too long."""
    found = solve(graph, "exact", time_limit=PROOF_SECONDS)
    if not found.is_proved:
        raise InputError(
            f"no proof within {PROOF_SECONDS:.0f} s that {found.coloring.k} colors are optimal on "
            f"{graph.name} (lower bound {found.lower}): use labels='dsatur', or give your own"
        )
    return found.coloring


def tabu(graph: Graph) -> Coloring:
    """The fewest colors that tabu search finds; bounded by moves, so the same on every machine."""
    from concolor.solvers.local_search import tabucol  # imports numba

    return tabucol(Task.of(graph), patience=PATIENCE).coloring


def relaxed(graph: Graph) -> Coloring:
    """The fewest colors with at most 5 % conflicts that tabu search finds."""
    from concolor.solvers.local_search import tabucol  # imports numba

    return tabucol(Task.of(graph, max_mono=RELAXED), patience=PATIENCE).coloring


LABELERS: dict[str, Labeler] = {
    "dsatur": dsatur,
    "tabucol": tabu,
    "optimal": optimal,
    "relaxed": relaxed,
}


def label(
    graphs: Sequence[Graph], how: str | Labeler | Sequence[ArrayLike | Coloring] = "dsatur"
) -> list[IntArray]:
    """Colors 0..k-1 ``[n]`` for each graph.

    Args:
        graphs: The training graphs.
        how: A name in ``LABELERS``, a function from a graph to a ``Coloring``, or one coloring per
            graph. An improper one of yours is refused with its first bad edge.
    """
    if isinstance(how, str):
        named = pick(LABELERS, how, "labels")
        return [_numbered(named(graph)) for graph in graphs]
    if callable(how):
        return [_checked(how(graph)) for graph in graphs]
    if len(how) != len(graphs):
        raise InputError(f"{len(how)} label colorings for {len(graphs)} graphs")
    return [
        _checked(
            given if isinstance(given, Coloring) else Coloring(graph, np.asarray(given)), graph
        )
        for graph, given in zip(graphs, how, strict=True)
    ]


def follow(
    graph: Graph, colors: IntArray, z: Floats, *, absolute: bool = True, seed: int = 0
) -> IntArray:
    """Colors ``[n]`` near an embedding, no more of them and no more conflicts than the label has.

    They are what a brief tabu search makes of the clusters. For a proper label these are one less
    than it has colors: the last color goes only where it is needed, so that few nodes are lost by a
    decoder that does without it. The label stays where nothing is found.

    Args:
        colors: The label ``[n]``, in 0..k-1.
        z: Unit rows ``[n, d]``.
        absolute: Whether rows are lines.
    """
    from concolor.solvers.local_search import tabucol  # imports numba

    k, allowed = int(colors.max(initial=0)) + 1, count_conflicts(graph, colors)
    cluster = line_means(z, seed) if absolute else means(z, seed)
    start = Coloring(graph, cluster(k if allowed else max(k - 1, 1)).clusters.astype(np.int64))
    task = Task.of(graph, k=k, start=start, seed=seed)
    found = tabucol(task, patience=BRIEF).coloring
    return found.colors if found.conflicts <= allowed else colors


def _checked(coloring: Coloring, graph: Graph | None = None) -> IntArray:
    """Colors 0..k-1 of a proper coloring."""
    if graph is not None and graph != coloring.graph:
        raise InputError(f"the labels given for {graph.name} color {coloring.graph.name}")
    if not coloring.is_proper:
        u, v = coloring.conflicting_edges[0]
        names = coloring.graph.node_names
        raise InputError(
            f"labels of {coloring.graph.name} are not proper: edge ({names[u]}, {names[v]}) has "
            f"color {coloring.colors[u]} at both ends ({coloring.conflicts} such edges)"
        )
    return _numbered(coloring)


def _numbered(coloring: Coloring) -> IntArray:
    """The colors as 0..k-1."""
    return np.unique(coloring.colors, return_inverse=True)[1].astype(np.int64)
