"""full-GCN, the "warm-start ColoringGNN" of Vanderbush and Weber (2026).

One graph convolution on trainable features, anew for each kappa = 2..k: imprint the coloring with
kappa - 1 colors, minimize conflicts weighted by degrees, polish with Discrete-Color.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import count

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from concolor.coloring import Coloring
from concolor.goal import Clock, Goal, OnProgress, Solution, Task
from concolor.graph.core import Graph, IntArray
from concolor.solvers.neural import (
    Attempt,
    Neighbors,
    Run,
    adamw,
    climb,
    colored,
    descend,
    glorot,
)
from concolor.sweeps import K_MAX, Sweep

FEATURES = 200  # trainable features of each node
OLD, KEPT = 0.55, 0.50  # imprinted probability of the old color, and what is enough of it
IMPRINT_STEPS = 1000  # at most, unless faithful: nodes with the same neighbors cannot be told apart
MAX_STEPS = 20_000  # of the descent at each kappa, unless faithful


def full_gcn(
    task: Task, *, faithful: bool = False, max_steps: int = MAX_STEPS, device: str = "auto"
) -> Solution:
    """Color by full-GCN; the best coloring seen.

    Where k is free, with up to ``K_MAX`` colors. A start is returned where nothing better is found;
    the method begins with one color.

    Args:
        task: What to do; progress is reported after every improvement.
        faithful: The published stop rules: imprint until it is done, and descend until the loss of
            5000 steps ago is within 1e-3 of the best, however large it is.
        max_steps: Of the descent at each kappa, where not faithful.
        device: ``auto``, ``cpu``, ``cuda`` or ``mps``.

    >>> from concolor.graph.families import family
    >>> full_gcn(Task.of(family("bipartite:4x8"), k=2)).coloring.is_proper
    True
    """
    run = Run(task, device)
    return colored(run, _attempt(run, faithful, max_steps))


def full_gcn_sweep(
    graph: Graph,
    *,
    k_max: int = K_MAX,
    max_mono: float = 0.05,
    full: bool = False,
    seed: int = 0,
    time_limit: float | None = 900,
    faithful: bool = False,
    max_steps: int = MAX_STEPS,
    device: str = "auto",
    progress: OnProgress | None = None,
) -> Sweep:
    """The paper's protocol: the conflicts at every k up to ``k*`` (``full``: up to ``k_max``).

    The other arguments are those of :func:`full_gcn`. On Ctrl-C, :class:`Interrupted` carries the
    sweep of the k that are done.
    """
    task = Task.of(graph, max_mono=max_mono, seed=seed, time_limit=time_limit, progress=progress)
    run = Run(task, device)
    attempt = _attempt(run, faithful, max_steps)
    return climb(run, attempt, k_max=k_max, max_mono=max_mono, full=full)


def _attempt(run: Run, faithful: bool, max_steps: int) -> Attempt:
    graph = run.graph
    weighted = degree_weighted(graph, run.device)

    def attempt(k: int, before: IntArray, clock: Clock, target: int) -> IntArray:
        with run.randomness(k):
            network = Convolution(graph, k, run.device).to(run.device)
            optimizer = adamw(network.parameters())
            imprint(run, clock, network, optimizer, before, None if faithful else IMPRINT_STEPS)
            colors = descend(
                run,
                clock,
                k,
                logits=network,
                weights=weighted,
                optimizer=optimizer,
                give_up=Window(5000, 1e-3) if faithful else Window(1000, 1e-3, is_relative=True),
                most_steps=2**62 if faithful else max_steps,
                target=target,
            )
        return _polished(graph, colors, k, run.task.seed, clock)

    return attempt


class Convolution(nn.Module):
    r""":math:`D^{-1/2} A D^{-1/2} X W + b`, ``X [n, 200]`` trainable, no loops: logits ``[n, k]``.

    The rows of X are orthonormal where n <= 200, else normal.
    """

    def __init__(self, graph: Graph, k: int, device: torch.device) -> None:
        super().__init__()
        self.matrix = Neighbors.normalized(graph, device)
        self.x = nn.Parameter(torch.randn(graph.n, FEATURES))
        if graph.n <= FEATURES:
            nn.init.orthogonal_(self.x)
        self.layer = nn.Linear(FEATURES, k)
        glorot(self.layer)

    def forward(self) -> Tensor:
        """Logits ``[n, k]``."""
        return self.matrix.convolve(self.x, self.layer)


def degree_weighted(graph: Graph, device: torch.device) -> Neighbors:
    """The weights ``(d_u^3 + d_v^3) / 2`` on the edges."""
    cubes = torch.tensor(graph.degrees.astype(np.float64)) ** 3
    u, v = torch.tensor(graph.edge_index)
    return Neighbors.of(graph, device, (cubes[u] + cubes[v]) / 2)


def imprint(
    run: Run,
    clock: Clock,
    network: Convolution,
    optimizer: torch.optim.Optimizer,
    before: IntArray,
    most_steps: int | None,
) -> None:
    r"""Teach the network a coloring with fewer colors, so that it begins there.

    Squared error to 0.55 on the old color and :math:`0.45 / (\kappa - 1)` on the others, until each
    node has more than 0.50 on its old one. Isolated nodes are left out: all of them see the same.
    """
    old = torch.tensor(before, device=run.device)[:, None]  # [n, 1]
    linked = torch.tensor(run.graph.degrees > 0, device=run.device)[:, None]
    kappa = network.layer.out_features
    target = torch.full((run.graph.n, kappa), (1 - OLD) / (kappa - 1), device=run.device)
    target.scatter_(1, old, OLD)
    for _ in count() if most_steps is None else range(most_steps):
        p = network().softmax(dim=1)
        run.steps += 1
        kept = (p.detach().gather(1, old) > KEPT) | ~linked
        if bool(kept.all()) or clock.is_over:
            break
        optimizer.zero_grad()
        F.mse_loss(p, target, reduction="sum").backward()
        optimizer.step()


@dataclass
class Window:
    """Gives up where the loss ``steps`` ago is within a tolerance of the best loss."""

    steps: int
    tolerance: float
    is_relative: bool = False
    lowest: float = float("inf")
    losses: deque[float] = field(default_factory=deque)

    def __call__(self, loss: float) -> bool:
        self.lowest = min(self.lowest, loss)
        self.losses.append(loss)
        if len(self.losses) <= self.steps:
            return False
        allowed = self.tolerance * self.lowest if self.is_relative else self.tolerance
        return self.losses.popleft() - self.lowest <= allowed


def _polished(graph: Graph, colors: IntArray, k: int, seed: int, clock: Clock) -> IntArray:
    from concolor.solvers.local_search import discrete_color  # imports numba

    task = Task(graph, Goal.of(graph, k=k), seed, clock, Coloring(graph, colors))
    return discrete_color(task).coloring.colors
