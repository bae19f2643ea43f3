"""``Validator``: held-out graphs that say during a training how the model does.

Where a training goes on from a model, a :class:`~concolor.learning.judge.Judge` chooses the state
to keep by conflicts at a given k. Here nothing is chosen: the figures are those of the tables, for
a training hook and for searches over recipes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.learning.embedder import sweep_of
from concolor.learning.judge import is_due
from concolor.learning.model import Model
from concolor.solvers.greedy import dsatur
from concolor.sweeps import K_MAX


@dataclass(frozen=True)
class Validation:
    """Means over the held-out graphs, by the rule of the tables.

    Attributes:
        k: The fewest colors with few enough conflicts; of a graph that misses, those that leave
            the fewest.
        rho: The same over DSATUR's colors.
        mono: The share of edges in conflict.
        hit: The share of graphs with few enough.
        reached_k: As ``k``, but a graph that misses counts as if it needed one more color than were
            tried: what a search may minimize without being led to miss.
        reached_rho: The same over DSATUR's.
    """

    k: float
    rho: float
    mono: float
    hit: float
    reached_k: float
    reached_rho: float


@dataclass(frozen=True)
class Validator:
    """Held-out graphs, the rule, and when they are asked.

    Attributes:
        graphs: At least one, none of which is trained on.
        every: Epochs between two validations; None: often at first, then ever more rarely. The last
            epoch always has one.
        max_mono: The fraction of conflicts that is few enough.
        k_max: The most colors that are tried.
    """

    graphs: Sequence[Graph]
    every: int | None = None
    max_mono: float = 0.05
    k_max: int = K_MAX

    def __post_init__(self) -> None:
        if not self.graphs:
            raise InputError("no graphs to validate on: hold some out, or leave validation out")
        if self.every is not None and self.every < 1:
            raise InputError(f"every must be at least 1 epoch, got {self.every}")

    def is_due(self, epoch: int, epochs: int) -> bool:
        """Whether to ask after so many of so many epochs."""
        due = is_due(epoch) if self.every is None else epoch % self.every == 0
        return due or epoch == epochs

    def of(self, model: Model) -> Validation:
        """How the model does."""
        recipe, seed = model.recipe, model.recipe.seed
        rows = []
        both = zip(self.graphs, model.embed_many(self.graphs, seed=seed), self.greedy, strict=True)
        for graph, z, greedy in both:
            found = sweep_of(recipe, graph, z, max_mono=self.max_mono, k_max=self.k_max)
            k, hit = found.k_star(), found.hit()
            reached = k if hit else min(self.k_max, graph.n) + 1
            rows.append((k, k / greedy, found.mono(k), hit, reached, reached / greedy))
        return Validation(*np.mean(rows, axis=0).tolist())

    @cached_property
    def greedy(self) -> list[int]:
        """Colors of DSATUR, graph by graph."""
        return [max(dsatur(graph).k, 1) for graph in self.graphs]
