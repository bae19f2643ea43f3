"""Subgraphs of a large graph: a split of the centers, and induced 2-hop neighborhoods around them.

The paper gives the split (0.5/0.5, seed 0), the sizes 50..120 and the sampling seeds 123 and 999,
and leaves the rest open. What stands here repeats its samples: nodes, edges and density come out to
the last digit in all six rows of its statistics (Cora, CiteSeer, PubMed; train and test). That
takes Python's own ``random``, a cut at ``round(n / 2)``, and drawing with repetition.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

import numpy as np

from concolor.errors import InputError
from concolor.graph.core import Graph, IntArray


def split_centers(n: int, seed: int = 0) -> tuple[IntArray, IntArray]:
    """Shuffle the nodes ``0..n-1`` and cut in the middle: centers for training and for testing.

    An odd ``n`` is cut at ``round(n / 2)``, Python's half-to-even.

    >>> [half.tolist() for half in split_centers(7)]
    [[4, 2, 1, 0], [5, 3, 6]]
    """
    nodes = list(range(n))
    random.Random(seed).shuffle(nodes)
    half = round(n / 2)
    return np.array(nodes[:half], np.int64), np.array(nodes[half:], np.int64)


def two_hop(graph: Graph, center: int) -> IntArray:
    """The nodes at distance at most 2 from ``center``, itself included, ascending.

    >>> from concolor.graph.families import family
    >>> two_hop(family("cycle:9"), 0).tolist()
    [0, 1, 2, 7, 8]
    """
    if not 0 <= center < graph.n:
        raise InputError(
            f"center {center} is out of range: nodes of {graph.name} are 0..{graph.n - 1}"
        )
    near = graph.neighbors(center)
    counts = graph.degrees[near]
    shift = np.repeat(graph.indptr[near] - (np.cumsum(counts) - counts), counts)
    far = graph.indices[shift + np.arange(len(shift))]  # the neighbor lists of near, end to end
    return np.unique(np.concatenate([[center], near, far]))


def sample_subgraphs(
    graph: Graph,
    centers: Iterable[int],
    count: int,
    *,
    size: tuple[int, int] = (50, 120),
    seed: int,
) -> list[Graph]:
    """Draw centers until ``count`` of their 2-hop neighborhoods have ``size[0]..size[1]`` nodes.

    Centers are drawn with repetition, so a small pool gives some subgraphs more than once (200 of
    Cora have 117 different centers); a repeated one is the same object. Each is induced by the
    whole graph, may reach into the other half of a split, keeps its rows of ``x``, and is named
    ``graph/center``. Nodes are relabeled ``0..`` in the ascending order of the whole graph.
    """
    pool = [int(center) for center in centers]
    low, high = size
    if not pool:
        raise InputError(f"no centers to sample subgraphs of {graph.name} from; give at least one")
    draw, distinct = random.Random(seed), len(set(pool))
    found: dict[int, Graph | None] = {}
    accepted: list[Graph] = []
    while len(accepted) < count:
        center = draw.choice(pool)
        if center not in found:
            nodes = two_hop(graph, center)
            fits = low <= len(nodes) <= high
            found[center] = graph.subgraph(nodes, name=f"{graph.name}/{center}") if fits else None
        subgraph = found[center]
        if subgraph is not None:
            accepted.append(subgraph)
        elif not accepted and len(found) == distinct:
            raise InputError(
                f"none of the {distinct} centers of {graph.name} has a 2-hop neighborhood of "
                f"{low}..{high} nodes; ask for another size"
            )
    return accepted
