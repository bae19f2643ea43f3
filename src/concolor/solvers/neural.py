"""What PI-GNN and full-GCN share: sparse products, soft conflicts, the descent, the sweep over k.

Both train a small network for one graph and one k, and read a coloring from its softmax. Products
with the neighbors go through ``embedding_bag``: it is several times as fast as gathering and adding
by edges, and never makes an array of m rows (benchmarks/neural.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from concolor.coloring import Coloring, count_conflicts
from concolor.device import choose_device
from concolor.errors import InputError, Interrupted, interruptible
from concolor.goal import Clock, Progress, Solution, Task, most_conflicts
from concolor.graph.core import Graph, IntArray
from concolor.solvers.greedy import dsatur
from concolor.sweeps import K_MAX, Sweep


@dataclass(frozen=True)
class Neighbors:
    """A symmetric matrix ``[n, n]`` on the edges of a graph, in CSR form.

    Attributes:
        offsets: ``[n]``, where the row of each node begins.
        indices: ``[2m]``, the neighbors.
        values: ``[2m]``, the weight of each edge, in both directions.
    """

    offsets: Tensor
    indices: Tensor
    values: Tensor

    @classmethod
    def of(cls, graph: Graph, device: torch.device, values: Tensor | None = None) -> Neighbors:
        """The adjacency matrix, or other weights ``[2m]`` on the same places."""
        indices = torch.tensor(graph.indices, device=device)
        ones = torch.ones(len(indices), device=device)
        weights = ones if values is None else values.to(device, torch.float32)
        return cls(torch.tensor(graph.indptr[:-1], device=device), indices, weights)

    @classmethod
    def normalized(cls, graph: Graph, device: torch.device) -> Neighbors:
        """``D^-1/2 A D^-1/2``, no loops."""
        scale = torch.tensor(graph.degrees).rsqrt()  # infinite where nothing uses it
        u, v = torch.tensor(graph.edge_index)
        return cls.of(graph, device, scale[u] * scale[v])

    def __matmul__(self, x: Tensor) -> Tensor:
        """``x [n, d]`` -> for each node the weighted sum of its neighbors' rows ``[n, d]``."""
        product: Tensor = _Product.apply(x, self)  # type: ignore[no-untyped-call]
        return product

    def convolve(self, x: Tensor, layer: nn.Linear) -> Tensor:
        """``A x W + b``: ``x [n, d]`` -> ``[n, e]``."""
        return self @ F.linear(x, layer.weight) + layer.bias

    def bag(self, x: Tensor) -> Tensor:
        return F.embedding_bag(
            self.indices, x.contiguous(), self.offsets, mode="sum", per_sample_weights=self.values
        )


class _Product(torch.autograd.Function):
    """``A x`` with the gradient ``A g``: A is symmetric."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, matrix: Neighbors) -> Tensor:
        ctx.matrix = matrix
        return matrix.bag(x)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        return ctx.matrix.bag(grads[0]), None


class _Conflicts(torch.autograd.Function):
    """``p . A p / 2`` with the gradient ``A p``, which the loss has computed anyway."""

    @staticmethod
    def forward(ctx: Any, p: Tensor, matrix: Neighbors) -> Tensor:
        product = matrix.bag(p)
        ctx.save_for_backward(product)
        return 0.5 * (p * product).sum()

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        return grads[0] * ctx.saved_tensors[0], None


def soft_conflicts(p: Tensor, matrix: Neighbors) -> Tensor:
    r"""Expected conflicts of colors drawn from the rows of ``p [n, k]``:

    .. math:: \sum_{uv \in E} w_{uv} \, p_u \cdot p_v
    """
    loss: Tensor = _Conflicts.apply(p, matrix)  # type: ignore[no-untyped-call]
    return loss


class Run:
    """One call of a neural solver: its task, where tensors live, and the best of all k so far."""

    def __init__(self, task: Task, device: str) -> None:
        self.task, self.graph, self.goal, self.clock = task, task.graph, task.goal, task.clock
        self.device = choose_device(device)
        self.best: Coloring | None = None
        self.steps = 0
        self.ends = torch.tensor(self.graph.edges.T.copy(), device=self.device)  # [2, m]

    def count(self, colors: Tensor) -> int:
        """Conflicts of the colors ``[n]``."""
        u, v = colors[self.ends]
        return int((u == v).sum())

    def tell(self, k: int, colors: IntArray) -> None:
        """Keep the colors ``[n]`` that were found at k, if they are the best, and report."""
        found = Coloring(self.graph, colors)
        self.best = found if self.best is None else self.goal.better(self.best, found)
        if self.task.progress is not None:
            seconds = self.clock.seconds
            self.task.progress(Progress(k, found.conflicts, self.steps, seconds, self.best))

    @contextmanager
    def randomness(self, k: int) -> Iterator[None]:
        """Torch draws from (seed, k) inside, and nobody notices outside."""
        state = np.random.SeedSequence([self.task.seed, k]).generate_state(1, np.uint64)
        devices = [self.device] if self.device.type == "cuda" else []
        with torch.random.fork_rng(devices=devices):
            torch.manual_seed(int(state[0] >> np.uint64(1)))
            yield


class StopRule(Protocol):
    """Told the loss of every step, says when to give up."""

    def __call__(self, loss: float) -> bool: ...


def descend(
    run: Run,
    clock: Clock,
    k: int,
    *,
    logits: Callable[[], Tensor],
    weights: Neighbors,
    optimizer: torch.optim.Optimizer,
    give_up: StopRule,
    most_steps: int,
    target: int,
) -> IntArray:
    """Descend on the soft conflicts, and return the best colors ``[n]`` that argmax ever showed.

    Args:
        run: The call this belongs to; it is told of every better coloring.
        clock: Ends the descent.
        logits: Makes ``[n, k]``; its softmax is what the conflicts are counted of.
        weights: What a conflict of each edge costs.
        optimizer: Of the parameters behind the logits.
        give_up: Ends the descent, by the losses so far.
        most_steps: Ends the descent.
        target: Conflicts that end the descent; -1 for none.
    """
    best, fewest = np.zeros(run.graph.n, np.int64), run.graph.m
    for _ in range(most_steps):
        scores = logits()
        value = soft_conflicts(scores.softmax(dim=1), weights)
        colors = scores.detach().argmax(dim=1)
        conflicts = run.count(colors)
        run.steps += 1
        if conflicts < fewest:
            best, fewest = colors.cpu().numpy(), conflicts
            run.tell(k, best)
        if fewest <= target or clock.is_over or give_up(float(value.detach())):
            break
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
    return best


def glorot(*layers: nn.Linear) -> None:
    """Weights anew by Glorot and Bengio (2010), biases 0."""
    for layer in layers:
        nn.init.xavier_uniform_(layer.weight)
        nn.init.zeros_(layer.bias)


def adamw(parameters: Iterable[nn.Parameter], *, lr: float = 1e-3) -> torch.optim.AdamW:
    """AdamW with torch's weight decay of 1e-2, fused: it is most of the cost of a step."""
    return torch.optim.AdamW(parameters, lr=lr, fused=True)


class Attempt(Protocol):
    """Colors ``[n]`` with at most k colors, from those of one color less."""

    def __call__(self, k: int, before: IntArray, clock: Clock, target: int) -> IntArray: ...


def climb(
    run: Run,
    attempt: Attempt,
    *,
    k_max: int,
    max_mono: float,
    first: int = 2,
    full: bool = False,
) -> Sweep:
    """Try k = 1, 2, ... until ``mono <= max_mono``: the sweep that our decoders are judged by.

    Each k gets a fair share of the time: what is left over the number of k to come, if DSATUR is
    right about it; but half of it at most as long as there is a next one.

    Args:
        run: The call of the solver.
        attempt: What to do at one k.
        k_max: The largest k tried, never above n.
        max_mono: Allowed fraction of monochromatic edges.
        first: The smallest k tried after 1, where all nodes have the same color.
        full: Go on to the k_max, or to no conflicts at all.
    """
    if k_max < 1 or not 0 <= max_mono <= 1:
        raise InputError(f"k_max >= 1 and max_mono in 0..1 expected, got {k_max} and {max_mono}")
    graph = run.graph
    top, expected = min(k_max, graph.n), dsatur(graph).k
    target = most_conflicts(graph.m, 0.0 if full else max_mono)
    last = np.zeros(graph.n, np.int64)
    colors, curve = {min(1, graph.n): last.astype(np.int32)}, {min(1, graph.n): graph.m}

    def swept() -> Sweep:
        done = {k: curve[k] for k in colors}
        return Sweep(graph, colors, done, max_mono, is_cut=run.clock.is_over and not is_done())

    def is_done() -> bool:
        return curve[max(curve)] <= target

    with interruptible(lambda: replace(swept(), is_cut=True)):
        for k in range(min(first, max(top, 2)), top + 1):
            if is_done() or run.clock.is_over:
                break
            shares = max(min(expected, top) - k + 1, 1 if k == top else 2)
            clock = run.clock.share(1 / shares)
            last = np.arange(graph.n) if k == graph.n else attempt(k, last, clock, target)
            curve[k] = count_conflicts(graph, last)
            colors[k] = last.astype(np.int32)
            run.tell(k, last)
    return swept()


def colored(run: Run, attempt: Attempt, *, first: int = 2) -> Solution:
    """The best of the sweep to the goal of the run, or the start where that is as good."""
    goal, start = run.goal, run.task.start

    def solution(found: Coloring) -> Solution:
        best = found if start is None else goal.better(start, found)
        return run.task.solution(best)

    try:
        found = climb(
            run, attempt, k_max=goal.k or K_MAX, max_mono=goal.max_mono or 0.0, first=first
        )
    except Interrupted as stop:
        raise Interrupted(solution(run.best or stop.best.best)) from stop
    return solution(found.best)
