"""PI-GNN: a graph network without data, trained on one graph to show few conflicts.

Schuetz, Brubaker, Zhu and Katzgraber, "Graph coloring with physics-inspired graph neural networks"
(2022). Trainable node embeddings, two graph convolutions, softmax over k colors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn

from concolor.coloring import Coloring
from concolor.decoding.sweep import Sweep
from concolor.errors import InputError, pick
from concolor.graph.core import Graph, IntArray
from concolor.learning.model import choose_device
from concolor.solvers.goal import Clock, Goal, Report
from concolor.solvers.neural import CAP, Neighbors, Run, adamw, climb, descend, soft_conflicts

EPOCHS = 50_000  # at most, for each k
TOLERANCE, PATIENCE = 1e-3, 500  # stop where the loss gains no more than this in so many epochs
PLATEAU = 0.95  # of m / k, the loss before the colors part; patience counts from below it


def pi_gnn(
    graph: Graph,
    *,
    variant: str = "sage",
    k: int | None = None,
    max_mono: float | None = None,
    seed: int = 0,
    time_limit: float | None = 900,
    start: Coloring | None = None,
    faithful: bool = False,
    device: str = "auto",
    progress: Report | None = None,
) -> Coloring:
    """Color by PI-GNN; the best coloring seen, also on time-out and on Ctrl-C.

    Args:
        graph: What to color.
        variant: ``sage`` or ``gcn``.
        k: At most this many colors, fewest conflicts.
        max_mono: Fewest colors with at most this fraction of monochromatic edges, by the sweep
            k = 1, 2, ... up to ``CAP``. Neither of the two: no conflicts.
        seed: The same seed gives the same coloring, unless time cuts the training.
        time_limit: Seconds for all k together; the paper's 900.
        start: Returned where nothing better is found; the network cannot begin from it.
        faithful: The published stop rule: go on at zero conflicts, and lose patience even before
            the loss has left its first plateau.
        device: ``auto``, ``cpu``, ``cuda`` or ``mps``.
        progress: Called after every improvement.

    >>> from concolor.graph.families import family
    >>> pi_gnn(family("petersen"), k=3).is_proper
    True
    """
    goal = Goal.of(graph, k, max_mono)
    run = Run(graph, Clock(time_limit), seed, choose_device(device), progress)
    attempt = _attempt(run, variant, faithful)
    if goal.k is None:
        found = climb(run, attempt, cap=CAP, threshold=max_mono or 0.0).best
    else:
        at_once = min(goal.k, graph.n) <= 1
        zeros = climb(run, attempt, cap=1, threshold=0.0).best
        found = zeros if at_once else Coloring(graph, attempt(goal.k, zeros.colors, run.clock, 0))
    return found if start is None else goal.better(_checked(start, graph), found)


