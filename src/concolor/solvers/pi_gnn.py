"""PI-GNN: a graph network without data, trained on one graph to show few conflicts.

Schuetz, Brubaker, Zhu and Katzgraber, "Graph coloring with physics-inspired graph neural networks"
(2022). Trainable node embeddings, two graph convolutions, softmax over k colors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from concolor.errors import pick
from concolor.goal import Clock, OnProgress, Solution, Task
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

EPOCHS = 50_000  # at most, for each k
TOLERANCE, PATIENCE = 1e-3, 500  # stop where the loss gains no more than this in so many epochs
PLATEAU = 0.95  # of m / k, the loss before the colors part; patience counts from below it


def pi_gnn(
    task: Task, *, variant: str = "sage", faithful: bool = False, device: str = "auto"
) -> Solution:
    """Color by PI-GNN; the best coloring seen.

    Where k is free, by the sweep k = 1, 2, ... up to ``K_MAX``. A start is returned where nothing
    better is found; the network cannot begin from it.

    Args:
        task: What to do; progress is reported after every improvement.
        variant: ``sage`` or ``gcn``.
        faithful: The published stop rule: go on at zero conflicts, and lose patience even before
            the loss has left its first plateau.
        device: ``auto``, ``cpu``, ``cuda`` or ``mps``.

    >>> from concolor.graph.families import family
    >>> pi_gnn(Task.of(family("petersen"), k=3)).coloring.is_proper
    True
    """
    run = Run(task, device)
    return colored(run, _attempt(run, variant, faithful), first=task.goal.k or 2)


def pi_gnn_sweep(
    graph: Graph,
    *,
    variant: str = "sage",
    k_max: int = K_MAX,
    max_mono: float = 0.05,
    full: bool = False,
    seed: int = 0,
    time_limit: float | None = 900,
    faithful: bool = False,
    device: str = "auto",
    progress: OnProgress | None = None,
) -> Sweep:
    """The paper's protocol: the conflicts at every k up to ``k*`` (``full``: up to ``k_max``).

    The other arguments are those of :func:`pi_gnn`. On Ctrl-C, :class:`Interrupted` carries the
    sweep of the k that are done.
    """
    task = Task.of(graph, max_mono=max_mono, seed=seed, time_limit=time_limit, progress=progress)
    run = Run(task, device)
    attempt = _attempt(run, variant, faithful)
    return climb(run, attempt, k_max=k_max, max_mono=max_mono, full=full)


def _attempt(run: Run, variant: str, faithful: bool) -> Attempt:
    make = pick(VARIANTS, variant, "variant of PI-GNN")
    adjacency = Neighbors.of(run.graph, run.device)

    def attempt(k: int, before: IntArray, clock: Clock, target: int) -> IntArray:
        with run.randomness(k):
            network = make(run.graph, k, run.device).to(run.device)
            plateau = math.inf if faithful else PLATEAU * run.graph.m / k
            return descend(
                run,
                clock,
                k,
                logits=network,
                weights=adjacency,
                optimizer=adamw(network.parameters(), lr=network.lr),
                give_up=Patience(plateau),
                most_steps=EPOCHS,
                target=-1 if faithful else target,
            )

    return attempt


@dataclass
class Patience:
    """Gives up where the loss has not gained ``tolerance`` for ``patience`` epochs, counted from
    the first one below ``plateau``."""

    plateau: float = math.inf
    tolerance: float = TOLERANCE
    patience: int = PATIENCE
    lowest: float = math.inf
    waited: int = 0

    def __call__(self, loss: float) -> bool:
        if loss < self.lowest - self.tolerance:
            self.lowest, self.waited = loss, 0
        elif self.lowest < self.plateau:
            self.waited += 1
        return self.waited >= self.patience


class GCN(nn.Module):
    r"""PI-GCN: ``X [n, 64]`` is trainable, :math:`\hat A = D^{-1/2} A D^{-1/2}` has no loops.

    .. math:: \hat A \, \mathrm{dropout}(\mathrm{ReLU}(\hat A X W_1 + b_1)) \, W_2 + b_2
    """

    lr = 1e-4

    def __init__(self, graph: Graph, k: int, device: torch.device) -> None:
        super().__init__()
        self.matrix = Neighbors.normalized(graph, device)
        self.x = nn.Parameter(torch.randn(graph.n, 64))
        self.first, self.second = nn.Linear(64, 64), nn.Linear(64, k)
        self.dropout = nn.Dropout(0.1)
        glorot(self.first, self.second)

    def forward(self) -> Tensor:
        """Logits ``[n, k]``."""
        hidden = self.dropout(self.matrix.convolve(self.x, self.first).relu())
        return self.matrix.convolve(hidden, self.second)


class SAGE(nn.Module):
    r"""PI-SAGE: ``X [n, 77]`` is trainable; two layers, ReLU and dropout between them, of

    .. math:: W_{self} h_v + W_{nb} \frac{1}{d_v} \sum_{u \in N(v)} h_u + b
    """

    lr = 0.03

    def __init__(self, graph: Graph, k: int, device: torch.device) -> None:
        super().__init__()
        self.matrix = Neighbors.of(graph, device)
        self.share = 1 / torch.tensor(graph.degrees, device=device).clamp(min=1)[:, None]  # [n, 1]
        self.x = nn.Parameter(torch.randn(graph.n, 77))
        self.own = nn.ModuleList([nn.Linear(77, 32), nn.Linear(32, k)])
        self.near = nn.ModuleList([nn.Linear(77, 32, bias=False), nn.Linear(32, k, bias=False)])
        self.dropout = nn.Dropout(0.378)
        for layer in (*self.own, *self.near):
            nn.init.xavier_uniform_(layer.weight, gain=math.sqrt(2))

    def forward(self) -> Tensor:
        """Logits ``[n, k]``."""
        return self._convolved(self.dropout(self._convolved(self.x, 0).relu()), 1)

    def _convolved(self, x: Tensor, layer: int) -> Tensor:
        own: Tensor = self.own[layer](x)
        near = self.matrix @ self.near[layer](x)
        return own.addcmul(self.share, near)


VARIANTS: dict[str, type[GCN] | type[SAGE]] = {"gcn": GCN, "sage": SAGE}
