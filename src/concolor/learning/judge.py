"""``Judge``: graphs that are kept back from a training, to tell which of its states is the best.

A model that is taught more may forget more than it learns. Where a training goes on from a model,
every fifth graph is held out, and what is kept is the state that leaves the fewest conflicts on
them; the model that it began with is one of the states.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from concolor.coloring import count_conflicts
from concolor.features import FeatureMap
from concolor.graph.core import Graph, IntArray
from concolor.learning.embedder import clusters_of
from concolor.learning.model import History, Model, Network
from concolor.learning.recipe import Settled

MOST = 20  # graphs held out: enough to tell, and few enough to be asked often
RARER = 1.5  # by this factor the epochs between two judgments grow


@dataclass(frozen=True)
class Judge:
    """Held-out graphs, and how many colors the label of each has."""

    recipe: Settled
    features: FeatureMap
    graphs: Sequence[Graph]
    ks: Sequence[int]

    @classmethod
    def of(
        cls,
        recipe: Settled,
        features: FeatureMap,
        graphs: Sequence[Graph],
        colors: Sequence[IntArray],
    ) -> Judge:
        """The judge that asks for as many colors as the labels have."""
        return cls(recipe, features, graphs, [int(c.max(initial=0)) + 1 for c in colors])

    def conflicts(self, network: Network) -> float:
        """The share of edges in conflict that one clustering of each graph leaves, in the mean."""
        model = Model(self.recipe, self.features, network, 1, History())
        seed = self.recipe.seed
        embedded = model.embed_many(self.graphs, seed=seed)
        shares = []
        for graph, z, k in zip(self.graphs, embedded, self.ks, strict=True):
            found = clusters_of(self.recipe, z, seed)(min(k, graph.n))
            shares.append(count_conflicts(graph, found.astype(np.int64)) / max(graph.m, 1))
        return float(np.mean(shares))


def held_out(graphs: Sequence[Graph], every: int) -> list[int]:
    """The places of those that judge: of the graphs with edges every so many-th, the last of each.

    None where there are fewer, or where ``every`` is 0.

    >>> held_out([Graph.from_edges(2, [(0, 1)])] * 11, 5)
    [4, 9]
    """
    if not every:
        return []
    return [place for place, graph in enumerate(graphs) if graph.m][every - 1 :: every][:MOST]


def is_due(epoch: int) -> bool:
    """Whether to judge after so many epochs: often at first, then ever more rarely.

    >>> [epoch for epoch in range(1, 30) if is_due(epoch)]
    [1, 2, 3, 4, 6, 8, 12, 18, 26]
    """
    return epoch == 1 or _grade(epoch) > _grade(epoch - 1)


def _grade(epoch: int) -> int:
    return int(math.log(epoch, RARER))
