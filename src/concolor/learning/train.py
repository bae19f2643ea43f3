"""The training loop; there is no other."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from concolor.coloring import Coloring
from concolor.device import choose_device
from concolor.errors import InputError, ModelError
from concolor.features import FEATURES, FeatureMap
from concolor.graph.core import Graph, IntArray
from concolor.learning import losses
from concolor.learning.checkpoint import State, fingerprint, load_state, save_state
from concolor.learning.labels import Labeler, follow, label
from concolor.learning.model import (
    History,
    Model,
    Network,
    settle,
    side_by_side,
)
from concolor.learning.recipe import Recipe

CHECKPOINT_SECONDS = 20.0  # at most this much work is lost in a kill


@dataclass(frozen=True)
class Progress:
    """Where a training stands, after a step."""

    step: int
    steps: int
    epoch: int
    loss: float  # mean over the epoch so far
    bound: float  # what it cannot go below


def train(
    recipe: Recipe,
    graphs: Sequence[Graph],
    *,
    labels: str | Labeler | Sequence[ArrayLike | Coloring] | None = None,
    start: Model | None = None,
    device: str = "auto",
    time_limit: float | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Model:
    """Train the recipe's network on the graphs.

    Epoch e visits the graphs in an order drawn from (seed, e), step s draws all it needs from
    (seed, s): a run that goes on from a checkpoint is the run that was never stopped.

    Args:
        labels: As in :func:`concolor.learning.labels.label`; None takes the recipe's.
        start: Begin with the weights and features of this model, not with fresh ones.
        device: ``auto``, ``cpu``, ``cuda`` or ``mps``.
        time_limit: Seconds after which the network is returned as it is.
        checkpoint: File that keeps the state, written now and then and when stopped early.
        resume: Go on from ``checkpoint`` if it is there.
        progress: Called after every step.
    """
    if not graphs:
        raise InputError("no graphs to train on")
    if not any(graph.m for graph in graphs):
        raise InputError("none of the training graphs has an edge: there is nothing to learn")
    started, where = time.monotonic(), choose_device(device)
    recipe = settle(recipe, graphs)
    colors = label(graphs, recipe.labels if labels is None else labels)
    slots = max(int(c.max(initial=0)) + 1 for c in colors)
    if start is None:
        features = FeatureMap.fit(
            str(recipe.features), graphs, dim=recipe.feature_dim, unit_words=recipe.unit_words
        )
    else:
        features, slots = _taken_over(start, recipe, slots)
    data = _Data(recipe, graphs, colors, features, where)
    mark = fingerprint(recipe, graphs, colors, start)
    steps = recipe.epochs * data.steps_per_epoch

    with _own_randomness(where), _interrupts() as interrupted:
        torch.manual_seed(_seed(recipe.seed, "weights"))
        network = Network(recipe, features.channels, slots).to(where)
        if start is not None:
            _copy(start, network)
        optimizer = torch.optim.AdamW(
            network.parameters(), lr=learning_rate(recipe, 0), weight_decay=recipe.weight_decay
        )
        state = State(mark=mark)
        if resume and checkpoint is not None and checkpoint.exists():
            state = load_state(checkpoint, network, optimizer, mark)
        earlier, saved = state.seconds, started

        network.train()
        stopped = ""
        while state.step < steps and not stopped:
            state = _advance(state, recipe, network, optimizer, data, of=steps)
            now = time.monotonic()
            state = replace(state, seconds=earlier + now - started)
            if progress is not None:
                progress(Progress(state.step, steps, state.epoch, state.mean, data.bound))
            if interrupted():
                stopped = "interrupted"
            elif time_limit is not None and now - started >= time_limit:
                stopped = "time limit"
            if state.step == steps:
                stopped = ""
            due = bool(stopped) or now - saved >= CHECKPOINT_SECONDS
            if checkpoint is not None and due and state.step < steps:
                save_state(checkpoint, network, optimizer, state)
                saved = now
        network.eval()
    history = History(
        losses=state.all_losses,
        bound=data.bound,
        steps=state.step,
        seconds=state.seconds,
        stopped=stopped,
    )
    return Model(recipe, features, network, slots, history)


def _taken_over(start: Model, recipe: Recipe, slots: int) -> tuple[FeatureMap, int]:
    """Features and color slots of the model to begin with, if they do for this training."""
    read = (start.recipe.features, start.recipe.feature_dim, start.recipe.unit_words)
    wanted = (recipe.features, recipe.feature_dim, recipe.unit_words)
    if read != wanted:
        raise ModelError(
            "features, feature_dim and unit_words must be those of the model to start from, "
            f"{read}, got {wanted}"
        )
    if recipe.objective.soft and slots > start.slots:
        raise ModelError(
            f"the labels have {slots} colors, but the color head of the model to start from has "
            f"{start.slots}: train anew, or take a pipeline without soft conflicts"
        )
    return start.features, start.slots if recipe.objective.soft else slots


def _copy(start: Model, network: Network) -> None:
    """Fill a network with the weights of a model of the same shape."""
    try:
        network.load_state_dict(start.network.state_dict())
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1].strip()
        raise ModelError(
            f"the recipe is of another network than the model to start from ({reason}): "
            "change only how it is trained"
        ) from error


def _advance(
    state: State,
    recipe: Recipe,
    network: Network,
    optimizer: torch.optim.Optimizer,
    data: _Data,
    *,
    of: int,
) -> State:
    """One optimizer step ``of`` so many."""
    epoch, place = divmod(state.step, data.steps_per_epoch)
    batch = data.batch(epoch, place)
    torch.manual_seed(_seed(recipe.seed, "step", state.step))
    follows = recipe.relabel is not None and epoch >= recipe.relabel
    labels = partial(data.followed, batch, _seed(recipe.seed, "labels", state.step))
    loss = objective(
        recipe, network, batch, soft=epoch >= recipe.warmup, labels=labels if follows else None
    )
    optimizer.zero_grad()
    loss.backward()
    if recipe.clip is not None:
        torch.nn.utils.clip_grad_norm_(network.parameters(), recipe.clip)
    for group in optimizer.param_groups:
        group["lr"] = learning_rate(recipe, state.step / of)
    optimizer.step()
    if not all(bool(p.isfinite().all()) for p in network.parameters()):
        raise ModelError(
            f"training diverged at step {state.step + 1} of {of}, loss {loss.item():g}: lower lr "
            f"(now {learning_rate(recipe, 0):g}), or bound the gradient, for example with clip=1"
        )
    return state.after(loss.item(), batch.graphs, ends_epoch=place + 1 == data.steps_per_epoch)


def learning_rate(recipe: Recipe, done: float) -> float:
    r"""The rate of a step when a fraction ``done`` of all steps is behind it.

    Constant, or with ``decay`` half a cosine: :math:`(1 + \cos \pi\,\mathrm{done}) / 2` of lr.

    >>> [round(learning_rate(Recipe(lr=0.1, decay=True), t), 3) for t in (0, 0.5, 1)]
    [0.1, 0.05, 0.0]
    """
    peak = recipe.lr or 0.01
    return peak * (1 + math.cos(math.pi * done)) / 2 if recipe.decay else peak


@dataclass(frozen=True)
class Batch:
    """Several graphs side by side, as one graph without edges between them."""

    x: Tensor  # [n, f]
    edge_index: Tensor  # [2, 2m]
    colors: Tensor  # [n]
    graph: Tensor  # [n], which graph a node is of
    graphs: int
    members: tuple[int, ...] = ()  # their places among the training graphs


def objective(
    recipe: Recipe,
    network: Network,
    batch: Batch,
    *,
    soft: bool = True,
    labels: Callable[[Tensor], Tensor] | None = None,
) -> Tensor:
    """The loss of the recipe's pipeline.

    Args:
        soft: Whether the soft conflict term is there, if the pipeline has one.
        labels: ``z [n, d]`` -> the colors ``[n]`` to learn; None for those of the batch.
    """
    pipeline = recipe.objective
    z: Tensor = network(batch.x, batch.edge_index, batch.graph)
    loss = z.new_zeros(())
    if pipeline.contrastive:
        loss = losses.contrastive(
            z,
            batch.edge_index,
            batch.colors if labels is None else labels(z.detach()),
            recipe.tau,
            absolute=pipeline.absolute,
            form=recipe.form,
            batch=batch.graph,
        )
    if network.head is not None and (soft or not pipeline.contrastive):
        conflict = losses.weighted_conflict
        if pipeline.contrastive:
            conflict = partial(losses.soft_conflict, weights=recipe.soft_weights)
        weight = recipe.lambda_soft if pipeline.contrastive else 1.0
        loss = loss + weight * conflict(
            network.head(z),
            batch.edge_index,
            degree_power=recipe.degree_power,
            tau_soft=recipe.tau_soft,
            batch=batch.graph,
        )
    return loss


class _Data:
    """The training graphs as tensors, and the batches of every epoch."""

    def __init__(
        self,
        recipe: Recipe,
        graphs: Sequence[Graph],
        colors: Sequence[IntArray],
        features: FeatureMap,
        device: torch.device,
    ) -> None:
        self.recipe, self.graphs, self.features, self.device = recipe, graphs, features, device
        self.redraws = recipe.redraw and FEATURES[features.name].stochastic
        self.x = [] if self.redraws else [self._draw(g, recipe.seed) for g in graphs]
        self.edge_index = [torch.tensor(g.edge_index) for g in graphs]
        self.colors = [torch.tensor(c) for c in colors]
        self.steps_per_epoch = -(-len(graphs) // recipe.batch_size)
        self.bound = self._bound()

    def batch(self, epoch: int, place: int) -> Batch:
        order = np.random.default_rng([self.recipe.seed, epoch]).permutation(len(self.graphs))
        size = self.recipe.batch_size
        chosen = order[place * size : (place + 1) * size].tolist()
        if self.redraws:
            seed = _seed(self.recipe.seed, "features", epoch)
            x = [self._draw(self.graphs[i], seed) for i in chosen]
        else:
            x = [self.x[i] for i in chosen]
        return self._collate(chosen, x)

    def _draw(self, graph: Graph, seed: int) -> Tensor:
        return torch.tensor(self.features(graph, seed))

    def _collate(self, chosen: list[int], x: list[Tensor]) -> Batch:
        sizes = [len(part) for part in x]
        edge_index, graph = side_by_side([self.edge_index[i] for i in chosen], sizes)
        return Batch(
            torch.cat(x).to(self.device),
            edge_index.to(self.device),
            torch.cat([self.colors[i] for i in chosen]).to(self.device),
            graph.to(self.device),
            len(x),
            tuple(chosen),
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

    def _bound(self) -> float:
        """The mean over the graphs of what the contrastive loss cannot go below; 0 without it."""
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


def _seed(*keys: int | str) -> int:
    """A seed for torch from a few numbers and words, the same on every machine."""
    numbers = [int.from_bytes(k.encode(), "big") if isinstance(k, str) else k for k in keys]
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0] >> np.uint64(1))


@contextmanager
def _own_randomness(device: torch.device) -> Iterator[None]:
    """Seed torch inside without the caller noticing."""
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        yield


@contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Let the first Ctrl-C wait for the end of the step; the second one comes through."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return

    def note(number: int, frame: Any) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    before = signal.signal(signal.SIGINT, note)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)
