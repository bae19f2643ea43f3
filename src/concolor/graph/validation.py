"""Graphs to choose settings by: those of a data set that no training and no table sees.

They are no split of the data set, so that nothing that walks over splits comes upon them. Where a
data set is drawn, they are other draws of the same sampler; where it is a list of graphs, they are
others of the same kind, between and beyond those trained on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import networkx as nx
import numpy as np

from concolor.graph.core import Graph
from concolor.graph.datasets import dataset
from concolor.graph.families import family
from concolor.graph.formats import from_networkx
from concolor.graph.sampling import sample_subgraphs, split_centers

MOST = 30  # as many as a table tests
SEED = 7  # of the draws; those of the tables are 123 and 999


def validation_graphs(name: str) -> tuple[Graph, ...]:
    """The graphs to choose settings by of a data set by its name; none where it has none.

    >>> [graph.name for graph in validation_graphs("color-queen")]
    ['queen:12x13', 'queen:11x15', 'queen:17x17']
    """
    return VALIDATION[name]() if name in VALIDATION else ()


def unseen(drawn: Sequence[Graph], seen: Sequence[Graph]) -> tuple[Graph, ...]:
    """The different graphs among those drawn that are not among those seen, at most thirty."""
    known = {graph.digest for graph in seen}
    fresh = {graph.digest: graph for graph in drawn if graph.digest not in known}
    return tuple(fresh.values())[:MOST]


def _subgraphs(name: str) -> tuple[Graph, ...]:
    """Neighborhoods of test centers whose graph is neither trained on nor among the fifty drawn."""
    (whole,), data = dataset(name).train, dataset(f"{name}-subgraphs")
    drawn = sample_subgraphs(whole, split_centers(whole.n)[1], 200, seed=SEED)
    return unseen(drawn, [*data.train, *data.splits["heldout"]])


def _thinned() -> tuple[Graph, ...]:
    """Four fifths of the nodes of each book that is trained on, four times each."""
    rng = np.random.default_rng(SEED)
    found = []
    for book in dataset("color-book").train:
        for draw in range(4):
            nodes = np.sort(rng.permutation(book.n)[: 4 * book.n // 5])
            found.append(book.subgraph(nodes, name=f"{book.name}/{draw}"))
    return tuple(found)


def _mycielskians(*lengths: int) -> tuple[Graph, ...]:
    """Mycielski graphs over longer cycles than the five nodes of the family, four steps up."""
    grown = {n: nx.mycielskian(nx.cycle_graph(n), 4) for n in lengths}
    return tuple(from_networkx(graph).but(name=f"myciel of C_{n}") for n, graph in grown.items())


def _families(*specs: str) -> tuple[Graph, ...]:
    return tuple(map(family, specs))


VALIDATION: dict[str, Callable[[], tuple[Graph, ...]]] = {
    **{f"{name}-subgraphs": partial(_subgraphs, name) for name in ("cora", "citeseer", "pubmed")},
    "color-book": _thinned,
    "color-myciel": partial(_mycielskians, 7, 9, 11),
    "color-queen": partial(_families, "queen:12x13", "queen:11x15", "queen:17x17"),
    "cycles": partial(
        _families,
        *(f"cycle:{n}" for n in (*range(40, 50), 1000, 1001)),
        *("complete:6", "complete:9", "bipartite:6x6", "bipartite:3x7", "wheel:15", "wheel:16"),
        *("kneser:6x2", "kneser:8x3", "hypercube:4", "multipartite:3x4x5"),
    ),
}
