"""``Embedder``: what coloring needs of a model, and those that need no torch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from concolor.decoding.cluster import DecoderChoice, decoder_of
from concolor.decoding.distance import unit
from concolor.decoding.sweep import clusterer, sweep
from concolor.encoders.light import LightRecurrence
from concolor.encoders.recurrence import OnStep, Recurrence
from concolor.errors import ModelError, needing_torch
from concolor.features import FeatureMap
from concolor.features.spectral import vector_seconds
from concolor.goal import Clock
from concolor.graph.core import Graph
from concolor.learning.grouping import batches
from concolor.learning.model_file import fitting, stored_model, under
from concolor.learning.recipe import Settled
from concolor.sweeps import K_MAX, Sweep

Recurrent: TypeAlias = Recurrence | LightRecurrence
TORCH = 3.0  # seconds that it takes to load, and more on a busy machine


class Embedder(Protocol):
    """A model: how it was made, what it reads, and the embedding of a graph."""

    @property
    def recipe(self) -> Settled:
        """How it was made."""

    @property
    def features(self) -> FeatureMap:
        """What it reads."""

    def embed_within(
        self,
        graph: Graph,
        *,
        seed: int,
        clock: Clock,
        threads: int | None = None,
        progress: OnStep | None = None,
    ) -> NDArray[np.float32] | None:
        """Unit vectors ``[n, d]`` of the nodes, or None where the clock leaves no time for them."""


@dataclass(frozen=True, eq=False)
class CompiledModel:
    """A model whose encoder is compiled: a recurrence, or a light one."""

    recipe: Settled
    features: FeatureMap
    recurrence: Recurrent

    def __post_init__(self) -> None:
        reads, given = len(self.recurrence.project), self.features.channels
        if reads != given:
            raise ModelError(f"the encoder reads {reads} features a node, the recipe gives {given}")

    def embed(self, graph: Graph, *, seed: int) -> NDArray[np.float32]:
        """Unit vectors ``[n, d]`` of the nodes."""
        (z,) = self.embed_many([graph], seed=seed)
        return z

    def embed_many(self, graphs: Sequence[Graph], *, seed: int) -> list[NDArray[np.float32]]:
        """The same of many graphs, those of few nodes side by side."""
        found: list[NDArray[np.float32]] = []
        for part in batches(graphs, lambda graph: graph.n):
            xs = [self.features(graph, seed) for graph in part]
            with np.errstate(all="ignore"):  # what overflows is refused, and needs no warning
                found += self.recurrence.embed_many(part, xs)
        for z, graph in zip(found, graphs, strict=True):
            require_finite(z, graph)
        return found

    def embed_within(
        self,
        graph: Graph,
        *,
        seed: int,
        clock: Clock,
        threads: int | None = None,
        progress: OnStep | None = None,
    ) -> NDArray[np.float32] | None:
        """Unit vectors ``[n, d]``, after as many steps as the clock lets it take."""
        if not self.recurrence.fits(graph, clock):
            return None
        x = self.features(graph, seed)
        with np.errstate(all="ignore"):
            z = self.recurrence.embed(graph, x, clock=clock, threads=threads, progress=progress)
        if z is not None:
            require_finite(z, graph)
        return z


def require_finite(z: NDArray[np.float32], graph: Graph) -> None:
    """Refuse an embedding that overflowed: its weights are finite, but too large to be used."""
    if not np.isfinite(z).all():
        raise ModelError(f"the weights of this model are out of range: it cannot embed {graph}")


@dataclass(frozen=True, eq=False)
class Untrained:
    """Features that are an embedding by themselves: no network, nothing that was learned."""

    recipe: Settled
    features: FeatureMap

    def embed(self, graph: Graph, *, seed: int) -> NDArray[np.float32]:
        """Unit vectors ``[n, d]`` of the nodes; rows without length go to the pole."""
        z = unit(self.features(graph, seed))
        z[~z.any(axis=1), :1] = 1
        return z

    def embed_many(self, graphs: Sequence[Graph], *, seed: int) -> list[NDArray[np.float32]]:
        """The same of many graphs."""
        return [self.embed(graph, seed=seed) for graph in graphs]

    def embed_within(
        self,
        graph: Graph,
        *,
        seed: int,
        clock: Clock,
        threads: int | None = None,
        progress: OnStep | None = None,
    ) -> NDArray[np.float32] | None:
        """Unit vectors ``[n, d]``; None where the size of the graph says that time is short."""
        about = vector_seconds(graph, self.features.channels)
        return self.embed(graph, seed=seed) if clock.expected(about) <= clock.left else None


def load_embedder(
    path: str | Path, *, device: str = "auto", clock: Clock | None = None
) -> Embedder | None:
    """A model file ready to embed; torch is loaded only for encoders that are not compiled.

    None where the clock leaves no time for that.
    """
    stored = stored_model(Path(path))
    with fitting(Path(path)):
        found = recurrence_of(stored.recipe, stored.weights) if device in ("auto", "cpu") else None
        if found is not None:
            return CompiledModel(stored.recipe, stored.features, found)
    if clock is not None and "torch" not in sys.modules and clock.left < TORCH:
        return None
    with needing_torch():
        from concolor.learning.checkpoint import load_model

    return load_model(path, device=device)


def recurrence_of(recipe: Settled, weights: Mapping[str, NDArray[Any]]) -> Recurrent | None:
    """The compiled encoder of a network with these weights, None where there is none."""
    if recipe.signnet or recipe.objective.soft:
        return None
    steps = recipe.layers if recipe.steps is None else recipe.steps
    encoder = under(weights, "encoder.")
    if recipe.encoder == "gated_rnn":
        return Recurrence.of(encoder, layers=recipe.layers, steps=steps)
    if recipe.encoder == "light_rnn":
        return LightRecurrence.of(encoder, layers=recipe.layers, steps=steps)
    return None


def sweep_of(
    recipe: Settled,
    graph: Graph,
    z: NDArray[np.float32],
    *,
    max_mono: float = 0.05,
    k_max: int = K_MAX,
    seed: int | None = None,
    decoder: DecoderChoice | None = None,
    passes: int | None = None,
    full: bool = False,
    time_limit: float | None = None,
) -> Sweep:
    """Decode an embedding as its model wants it: :func:`concolor.decoding.sweep`."""
    return sweep(
        graph,
        z,
        decoder=decoder or recipe.decoder,
        max_mono=max_mono,
        k_max=k_max,
        seed=recipe.seed if seed is None else seed,
        absolute=recipe.makes_lines,
        passes=passes or recipe.passes,
        full=full,
        time_limit=time_limit,
    )


def clusters_of(
    recipe: Settled, z: NDArray[np.float32], seed: int
) -> Callable[[int], NDArray[np.int32]]:
    """The clusters ``[n]`` of an embedding for any k, by the decoder of its model."""
    how = decoder_of(recipe.decoder)
    cluster = clusterer(unit(z), how, absolute=recipe.makes_lines, passes=recipe.passes, seed=seed)
    return lambda k: cluster(k).clusters
