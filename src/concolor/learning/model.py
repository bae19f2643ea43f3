"""``Model``: a trained network with all that it needs to embed a new graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from concolor.decoding import DECODERS
from concolor.encoders import ATTENTION, SignNet, Sizes, build, color_head
from concolor.errors import pick
from concolor.features import FeatureMap
from concolor.graph.core import Graph
from concolor.learning.recipe import Recipe

T = TypeVar("T")

BATCH_NODES = 4096  # embedded together: the gain of more is small


class Network(nn.Module):
    """The encoder, with the SignNet and color heads where the recipe asks for them."""

    def __init__(self, recipe: Recipe, in_channels: int, slots: int) -> None:
        super().__init__()
        self.encoder = build(
            recipe.encoder,
            Sizes(
                in_channels=in_channels,
                hidden=recipe.hidden,
                layers=recipe.layers,
                heads=recipe.heads,
                dropout=recipe.dropout,
                expander_degree=recipe.expander_degree,
                steps=recipe.steps,
            ),
        )
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
        stopped: Why it ended early: "time limit" or "interrupted"; empty if it did not.
    """

    losses: tuple[float, ...] = ()
    bound: float = 0.0
    steps: int = 0
    seconds: float = 0.0
    stopped: str = ""


@dataclass(frozen=True, eq=False)
class Model:
    """A network, the features it eats, and the recipe and history behind it.

    Attributes:
        recipe: Settled: no field that :func:`settle` decides is None.
        slots: Color slots C of the soft conflict head, the most colors in a label.
    """

    recipe: Recipe
    features: FeatureMap
    network: Network
    slots: int
    history: History

    def embed(self, graph: Graph, *, seed: int | None = None) -> NDArray[np.float32]:
        """Unit vectors ``[n, d]`` of the nodes; ``seed`` draws the random features, if any."""
        (z,) = self.embed_many([graph], seed=seed)
        return z

    def embed_many(
        self, graphs: Sequence[Graph], *, seed: int | None = None
    ) -> list[NDArray[np.float32]]:
        """The same of many graphs, as many in a batch as have ``BATCH_NODES`` nodes together."""
        device = next(self.network.parameters()).device
        seed = self.recipe.seed if seed is None else seed
        found: list[NDArray[np.float32]] = []
        self.network.eval()
        for part in batches(graphs, lambda graph: graph.n):
            sizes = [graph.n for graph in part]
            edge_index, home = side_by_side([torch.tensor(g.edge_index) for g in part], sizes)
            x = torch.tensor(np.concatenate([self.features(graph, seed) for graph in part]))
            batch = home.to(device) if len(part) > 1 else None
            with torch.inference_mode():
                z = self.network(x.to(device), edge_index.to(device), batch)
            found += [np.asarray(rows) for rows in z.float().cpu().split(sizes)]
        return found


def side_by_side(edges: Sequence[Tensor], sizes: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Several graphs as one without edges between them: ``edge_index [2, 2m]``, ``graph [n]``."""
    counts = torch.tensor(sizes)
    offsets = (counts.cumsum(0) - counts).tolist()
    moved = [edge_index + offset for edge_index, offset in zip(edges, offsets, strict=True)]
    return torch.cat(moved, dim=1), torch.repeat_interleave(torch.arange(len(sizes)), counts)


def batches(items: Iterable[T], nodes: Callable[[T], int]) -> Iterator[list[T]]:
    """Consecutive items of at most ``BATCH_NODES`` nodes together; a larger one is alone."""
    part: list[T] = []
    for item in items:
        if part and sum(map(nodes, part)) + nodes(item) > BATCH_NODES:
            yield part
            part = []
        part.append(item)
    if part:
        yield part


def settle(recipe: Recipe, graphs: Sequence[Graph]) -> Recipe:
    """The recipe with its open fields decided for these training graphs."""
    features = recipe.features or recipe.objective.features
    if recipe.features is None and features == "bow" and all(g.x is None for g in graphs):
        features = "random"  # graphs without attributes have no words to count
    if recipe.decoder is not None:
        pick(DECODERS, recipe.decoder, "decoder")
    return recipe.but(
        features=features,
        lr=recipe.lr or (0.003 if recipe.encoder in ATTENTION else 0.01),
        decoder=recipe.decoder or ("lines" if recipe.objective.absolute else "kmedoids"),
    )
