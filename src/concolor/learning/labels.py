"""Where the positives come from: a proper coloring of every training graph.

It is fixed, or with ``relabel`` one that follows the embedding. A graph has many colorings as good
as its label, and nothing tells the network which one it was given; the one that it nearly has
already is a goal it can reach.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from concolor.coloring import Coloring
from concolor.decoding.cluster import line_means, means
from concolor.decoding.distance import Floats
from concolor.errors import InputError, pick
from concolor.graph.core import Graph, IntArray
from concolor.solvers.greedy import dsatur

PROOF_SECONDS = 60.0  # for one graph
PATIENCE = 100_000  # moves of tabu search without improvement
BRIEF = 5_000  # the same where a coloring near an embedding is looked for, in every step

Labeler = Callable[[Graph], Coloring]


def optimal(graph: Graph) -> Coloring:
    """A coloring proved to use the fewest colors, or an error where that takes too long."""
    from concolor.solvers.exact import chromatic  # needs the extra `exact`

    found = chromatic(graph, time_limit=PROOF_SECONDS)
    if not found.is_proved:
        raise InputError(
            f"no proof within {PROOF_SECONDS:.0f} s that {found.coloring.k} colors are optimal on "
            f"{graph.name} (lower bound {found.lower}): use labels='dsatur', or give your own"
        )
    return found.coloring


def tabu(graph: Graph) -> Coloring:
    """The fewest colors that tabu search finds; bounded by moves, so the same on every machine."""
    from concolor.solvers.local_search import tabucol  # imports numba

    return tabucol(graph, patience=PATIENCE)


LABELERS: dict[str, Labeler] = {"dsatur": dsatur, "tabucol": tabu, "optimal": optimal}


def label(
    graphs: Sequence[Graph], how: str | Labeler | Sequence[ArrayLike | Coloring] = "dsatur"
) -> list[IntArray]:
    """Proper colors ``[n]`` for each graph.

    Args:
        graphs: The training graphs.
        how: A name in ``LABELERS``, a function from a graph to a ``Coloring``, or one coloring per
            graph. An improper one is refused with its first bad edge.
    """
    if isinstance(how, str):
        how = pick(LABELERS, how, "labels")
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
    """Proper colors ``[n]`` near an embedding, with at most as many colors as the label has.

    They are what a brief tabu search makes of the clusters, one less than the label has colors: the
    last color goes only where it is needed, so that few nodes are lost by a decoder that does
    without it. The label stays where nothing is found.

    Args:
        colors: The label ``[n]``, in 0..k-1.
        z: Unit rows ``[n, d]``.
        absolute: Whether rows are lines.
    """
    from concolor.solvers.local_search import tabucol  # imports numba

    k = int(colors.max(initial=0)) + 1
    cluster = line_means(z, seed) if absolute else means(z, seed)
    start = Coloring(graph, cluster(max(k - 1, 1)).labels.astype(np.int64))
    found = tabucol(graph, k=k, start=start, patience=BRIEF, seed=seed)
    return found.colors if found.is_proper else colors


def _checked(coloring: Coloring, graph: Graph | None = None) -> IntArray:
    """Colors 0..k-1 of a proper coloring."""
    if graph is not None and graph != coloring.graph:
        raise InputError(f"the labels given for {graph.name} color {coloring.graph.name}")
    if not coloring.is_proper:
        u, v = coloring.conflicting_edges[0]
        names = coloring.graph.labels
        raise InputError(
            f"labels of {coloring.graph.name} are not proper: edge ({names[u]}, {names[v]}) has "
            f"color {coloring.colors[u]} at both ends ({coloring.conflicts} such edges)"
        )
    return np.unique(coloring.colors, return_inverse=True)[1].astype(np.int64)
