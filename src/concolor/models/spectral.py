"""``spectral``, the model without training: eigenvectors of the graph, through the same decoders.

It is the control of every learned table: what a model reads of a graph is worth something only
where it beats what linear algebra reads of it.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from concolor.coloring import Coloring
from concolor.encoders import PLAIN
from concolor.features import Feature, FeatureMap
from concolor.features.spectral import eigenvectors
from concolor.graph.core import Graph
from concolor.learning.embedder import Untrained, clusters_of, sweep_of
from concolor.learning.recipe import Recipe, settle
from concolor.sweeps import K_MAX, Control, Sweep

VECTORS = K_MAX - 1  # k classes show in k - 1 of them


@cache
def untrained() -> Untrained:
    """The model itself."""
    columns = Feature("lowest eigenvectors of the Bethe Hessian", eigenvectors, VECTORS)
    recipe = Recipe(encoder=PLAIN, features=columns, decoder="leading_means", epochs=0)
    return Untrained(settle(recipe, []), FeatureMap(columns, VECTORS))


def spectral_sweep(
    graph: Graph,
    *,
    k_max: int = K_MAX,
    max_mono: float = 0.05,
    seed: int = 0,
    full: bool = False,
    time_limit: float | None = None,
) -> Sweep:
    """What eigenvectors reach by the rule that every sweep follows; the seed draws the starts."""
    model = untrained()
    z = model.embed(graph, seed=seed)
    return sweep_of(
        model.recipe,
        graph,
        z,
        max_mono=max_mono,
        k_max=k_max,
        seed=seed,
        full=full,
        time_limit=time_limit,
    )


def spectral_of(
    graph: Graph, *, k: int | None, max_mono: float, seed: int, time_limit: float
) -> Control | None:
    """Eigenvectors with k colors, or with the fewest by the rule of a sweep where k is None.

    None where the sweep does not come to its end in time.
    """
    if k is None or graph.n == 0:
        found = spectral_sweep(graph, max_mono=max_mono, seed=seed, time_limit=time_limit)
        return None if found.is_cut else Control(found.k_star(), found.best, found.hit())
    model = untrained()
    clusters = clusters_of(model.recipe, model.embed(graph, seed=seed), seed)
    coloring = Coloring(graph, clusters(min(k, graph.n)).astype(np.int64))
    return Control(k, coloring, coloring.is_proper)
