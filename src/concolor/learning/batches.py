"""Training graphs as tensors, side by side in batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from concolor.features import FeatureMap
from concolor.graph.core import Graph, IntArray
from concolor.learning import losses
from concolor.learning.labels import follow
from concolor.learning.ranks import ALONE, Ranks
from concolor.learning.recipe import Recipe


@dataclass(frozen=True)
class Batch:
    """Several graphs side by side, as one graph without edges between them."""

    x: Tensor  # [n, f]
    edge_index: Tensor  # [2, 2m]
    colors: Tensor  # [n], the labels
    graph: Tensor  # [n], which graph a node is of
    graphs: int
    members: tuple[int, ...] = ()  # their places among the training graphs
    step_graphs: int = 1  # of all ranks
    step_nodes: int = 0
    start: int = 0  # nodes of the step before these
    share: float = 1.0  # of the graphs of the step; 0 where another rank counts these


class TrainingData:
    """The training graphs as tensors, and the batches of every epoch.

    Of the graphs of a step every rank has its part. One that is left without a graph takes the
    first one, which then counts for nothing there.

    Attributes:
        steps_per_epoch: Batches that make up an epoch.
        bound: What the loss cannot go below, as a mean over the graphs.
    """

    def __init__(
        self,
        recipe: Recipe,
        graphs: Sequence[Graph],
        colors: Sequence[IntArray],
        features: FeatureMap,
        device: torch.device,
        ranks: Ranks = ALONE,
    ) -> None:
        self.recipe, self.graphs, self.features, self.device = recipe, graphs, features, device
        self.ranks = ranks
        self.redraws = recipe.redraw and features.is_stochastic
        self.x = [] if self.redraws else [self._draw(g, recipe.seed) for g in graphs]
        self.edge_index = [torch.tensor(g.edge_index) for g in graphs]
        self.colors = [torch.tensor(c) for c in colors]
        self.steps_per_epoch = -(-len(graphs) // recipe.batch_size)
        self.bound = self._bound()

    def batch(self, epoch: int, place: int) -> Batch:
        """The batch at that place of an epoch; the order of the graphs is drawn for each epoch."""
        order = np.random.default_rng([self.recipe.seed, epoch]).permutation(len(self.graphs))
        size = self.recipe.batch_size
        step = order[place * size : (place + 1) * size].tolist()
        part = self.ranks.share(len(step))
        chosen, before = (step[part], step[: part.start]) if step[part] else (step[:1], [])
        if self.redraws:
            seed = seed_of(self.recipe.seed, "features", epoch)
            x = [self._draw(self.graphs[i], seed) for i in chosen]
        else:
            x = [self.x[i] for i in chosen]
        edges = [self.edge_index[i] for i in chosen]
        edge_index, graph = side_by_side(edges, [len(part) for part in x])
        return Batch(
            torch.cat(x).to(self.device),
            edge_index.to(self.device),
            torch.cat([self.colors[i] for i in chosen]).to(self.device),
            graph.to(self.device),
            len(x),
            tuple(chosen),
            step_graphs=len(step),
            step_nodes=self._nodes(step),
            start=self._nodes(before),
            share=len(step[part]) / len(step),
        )

    def followed(self, batch: Batch, seed: int, z: Tensor) -> Tensor:
        """Labels near the embedding ``z [n, d]`` of a batch: ``[n]``."""
        rows = z.float().cpu().split([self.graphs[i].n for i in batch.members])
        colors = [
            follow(
                self.graphs[i],
                self.colors[i].numpy(),
                part.numpy(),
                absolute=self.recipe.objective.absolute,
                seed=seed,
            )
            for i, part in zip(batch.members, rows, strict=True)
        ]
        return torch.tensor(np.concatenate(colors), device=self.device)

    def _nodes(self, places: Sequence[int]) -> int:
        return sum(self.graphs[i].n for i in places)

    def _draw(self, graph: Graph, seed: int) -> Tensor:
        return torch.tensor(self.features(graph, seed))

    def _bound(self) -> float:
        if not self.recipe.objective.contrastive:
            return 0.0  # conflicts are never negative
        bounds = [
            losses.lower_bound(
                edge_index,
                torch.zeros(graph.n, dtype=torch.long),
                self.recipe.tau,
                absolute=self.recipe.objective.absolute,
                form=self.recipe.form,
            )
            for graph, edge_index in zip(self.graphs, self.edge_index, strict=True)
        ]
        return float(np.mean(bounds))


def side_by_side(edges: Sequence[Tensor], sizes: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Several graphs as one without edges between them: ``edge_index [2, 2m]``, ``graph [n]``."""
    counts = torch.tensor(sizes)
    offsets = (counts.cumsum(0) - counts).tolist()
    moved = [edge_index + offset for edge_index, offset in zip(edges, offsets, strict=True)]
    return torch.cat(moved, dim=1), torch.repeat_interleave(torch.arange(len(sizes)), counts)


def seed_of(*keys: int | str) -> int:
    """A seed for torch from a few numbers and words, the same on every machine.

    >>> seed_of(0, "step", 1) == seed_of(0, "step", 1) != seed_of(0, "step", 2)
    True
    """
    numbers = [int.from_bytes(k.encode(), "big") if isinstance(k, str) else k for k in keys]
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0] >> np.uint64(1))
