"""``Model``: a trained network with all that it needs to embed a new graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from concolor.encoders import PLAIN, build
from concolor.encoders.heads import color_head
from concolor.encoders.recurrence import OnStep
from concolor.encoders.signnet import SignNet
from concolor.features import FeatureMap
from concolor.goal import Clock
from concolor.graph.core import Graph
from concolor.learning.batches import side_by_side
from concolor.learning.embedder import (
    CompiledModel,
    Untrained,
    recurrence_of,
    require_finite,
)
from concolor.learning.grouping import BATCH_NODES, batches
from concolor.learning.recipe import Recipe, Settled
from concolor.threads import torch_threads, worth


class Network(nn.Module):
    """The encoder, with the SignNet and color heads where the recipe asks for them."""

    def __init__(self, recipe: Recipe, in_channels: int, slots: int) -> None:
        super().__init__()
        self.encoder = build(recipe.encoder, recipe.sizes(in_channels))
        self.signnet = SignNet(recipe.hidden) if recipe.signnet else nn.Identity()
        self.head = color_head(recipe.hidden, slots) if recipe.objective.soft else None

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        """``x [n, f]``, ``edge_index [2, 2m]`` -> points on the sphere ``z [n, d]``."""
        z: Tensor = self.signnet(self.encoder(x, edge_index, batch))
        return z


@dataclass(frozen=True)
class History:
    """How the training went.

    Attributes:
        losses: Mean loss of every epoch.
        bound: What the loss cannot go below on the training graphs.
        steps: Optimizer steps taken.
        seconds: Time spent in them.
        stopped: Why it ended early: "time limit", "hook" or "interrupted"; empty if it did not.
        judged: How many graphs were held out to choose an epoch by.
        kept: The number of epochs after which the weights are those of the model, a part of one
            counting as one; 0 for those it began with, None where none were chosen.
        before: The share of edges in conflict on the held-out graphs at the beginning.
        after: That of the weights that were kept.
    """

    losses: tuple[float, ...] = ()
    bound: float = 0.0
    steps: int = 0
    seconds: float = 0.0
    stopped: str = ""
    judged: int = 0
    kept: int | None = None
    before: float | None = None
    after: float | None = None


@dataclass(frozen=True, eq=False)
class Model:
    """A network, the features it reads, and the recipe and history behind it.

    Attributes:
        slots: Color slots C of the soft conflict head, the most colors in a label.
    """

    recipe: Settled
    features: FeatureMap
    network: Network
    slots: int
    history: History

    def embed(self, graph: Graph, *, seed: int | None = None) -> NDArray[np.float32]:
        """Unit vectors ``[n, d]`` of the nodes; ``seed`` draws the random features, if any."""
        (z,) = self.embed_many([graph], seed=seed)
        return z

    def embed_many(
        self, graphs: Sequence[Graph], *, seed: int | None = None, batch_nodes: int = BATCH_NODES
    ) -> list[NDArray[np.float32]]:
        """The same of many graphs, in batches of at most so many nodes; a larger graph is alone.

        On a CPU a recurrent encoder runs compiled, which is faster.
        """
        device = self._device
        seed = self.recipe.seed if seed is None else seed
        if self.compiled is not None:
            return self.compiled.embed_many(graphs, seed=seed)
        found: list[NDArray[np.float32]] = []
        self.network.eval()
        for part in batches(graphs, lambda graph: graph.n, batch_nodes):
            sizes = [graph.n for graph in part]
            edge_index, home = side_by_side([torch.tensor(g.edge_index) for g in part], sizes)
            x = torch.tensor(np.concatenate([self.features(graph, seed) for graph in part]))
            batch = home.to(device) if len(part) > 1 else None
            with torch.inference_mode():
                z = self.network(x.to(device), edge_index.to(device), batch)
            found += [np.asarray(rows) for rows in z.float().cpu().split(sizes)]
        for rows, graph in zip(found, graphs, strict=True):
            require_finite(rows, graph)
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
        """Unit vectors ``[n, d]`` of the nodes, or None where the clock leaves no time for them.

        On a CPU the recurrent encoder runs compiled, and ends after as many steps as it can take;
        any other is given up where the clock is over before it is done.
        """
        if self.compiled is not None:
            return self.compiled.embed_within(
                graph, seed=seed, clock=clock, threads=threads, progress=progress
            )
        work = (graph.n * self.recipe.hidden + 2 * graph.m) * self.recipe.hidden
        some = threads or worth(work)
        with torch_threads(some), _cut_by(clock, self.network), suppress(_TimeIsOver):
            return self.embed(graph, seed=seed)
        return None

    @property
    def _device(self) -> torch.device:
        return next((p.device for p in self.network.parameters()), torch.device("cpu"))

    @cached_property
    def compiled(self) -> CompiledModel | Untrained | None:
        """The same model without torch, None where the encoder has no such form, or on a GPU."""
        if self.recipe.encoder == PLAIN:
            return Untrained(self.recipe, self.features)
        if self._device.type != "cpu":
            return None
        weights = {k: v.detach().numpy() for k, v in self.network.state_dict().items()}
        found = recurrence_of(self.recipe, weights)
        return None if found is None else CompiledModel(self.recipe, self.features, found)


class _TimeIsOver(Exception):
    """Raised between two modules of a network, to get out of it."""


@contextmanager
def _cut_by(clock: Clock, network: nn.Module) -> Iterator[None]:
    """Inside, the network looks at the clock before each of its modules."""

    def look(*_: object) -> None:
        if clock.is_over:
            raise _TimeIsOver

    hooks = [module.register_forward_pre_hook(look) for module in network.modules()]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
