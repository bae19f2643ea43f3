"""The loss of a step, of one process or of several by DistributedDataParallel.

A row of the embedding depends on its own graph alone, but for dropout, which is drawn for all rows
of the step, and batch norm, which looks at all of them. Here both see the whole step wherever a row
is computed, so that several processes compute what one would.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.parallel import DistributedDataParallel
from torch.overrides import TorchFunctionMode

from concolor.learning.batches import Batch
from concolor.learning.model import Network
from concolor.learning.objective import objective
from concolor.learning.ranks import Ranks
from concolor.learning.recipe import Recipe


def step_loss(
    recipe: Recipe, network: Network, ranks: Ranks, half: torch.dtype | None = None
) -> nn.Module:
    """:class:`StepLoss`, whose gradients are averaged over the ranks where there are several."""
    loss = StepLoss(recipe, network, ranks, half)
    if not ranks.are_many:
        return loss
    # without gradient: the color head before the end of its warmup, a projection before a run-in
    return DistributedDataParallel(loss, find_unused_parameters=True)


class StepLoss(nn.Module):
    r"""This rank's part of the loss of a step, times the number of ranks.

    With :math:`g_r` of the :math:`g` graphs of a step at rank r of R, and :math:`\ell_r` the mean
    loss of these,

    .. math:: \ell = \sum_r \frac{g_r}{g} \ell_r = \frac1R \sum_r R \frac{g_r}{g} \ell_r

    so the mean over ranks, which DistributedDataParallel takes, is that of one process.

    Args:
        half: As in :func:`~concolor.learning.objective.objective`.

    Attributes:
        parts: What the last loss was the sum of, without gradient.
    """

    def __init__(
        self, recipe: Recipe, network: Network, ranks: Ranks, half: torch.dtype | None = None
    ) -> None:
        super().__init__()
        self.recipe, self.network, self.ranks, self.short = recipe, network, ranks, half
        self.parts: dict[str, Tensor] = {}
        for module in network.modules() if ranks.are_many else ():
            if hasattr(module, "allow_single_element"):  # PyG's norm: a row alone here has company
                module.__dict__["allow_single_element"] = False

    def forward(
        self, batch: Batch, soft: bool, new_labels: Callable[[Tensor], Tensor] | None
    ) -> Tensor:
        """A scalar."""
        many, scale = self.ranks.are_many, self.ranks.world * batch.share
        with WholeStep(batch) if many else nullcontext():
            found = objective(
                self.recipe, self.network, batch, soft=soft, new_labels=new_labels, half=self.short
            )
        loss = sum(found.values(), batch.x.new_zeros(()))
        self.parts = {name: scale * part.detach() for name, part in found.items()}
        return loss * scale if many else loss


class WholeStep(TorchFunctionMode):
    """Inside, dropout and batch norm of rows ``[n, c]`` act as if the whole step were here.

    All ranks have the same seed and draw the dropout of all rows, of which each takes its own: what
    is drawn does not depend on the number of ranks. Dropout of anything but rows is not shared.
    """

    def __init__(self, batch: Batch) -> None:
        super().__init__()
        self.batch, self.n = batch, len(batch.x)

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func is F.dropout and len(args[0]) == self.n:
            return self._dropout(*args, **kwargs)
        if func is F.batch_norm:
            return self._batch_norm(*args, **kwargs)
        return func(*args, **kwargs)

    def _dropout(
        self, rows: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
    ) -> Tensor:
        if not training or p == 0:
            return rows
        start = self.batch.start
        drawn = F.dropout(rows.new_ones(self.batch.step_nodes, *rows.shape[1:]), p)
        return rows * drawn[start : start + self.n]

    def _batch_norm(
        self,
        rows: Tensor,
        running_mean: Tensor | None,
        running_var: Tensor | None,
        weight: Tensor | None = None,
        bias: Tensor | None = None,
        training: bool = False,
        momentum: float = 0.1,
        eps: float = 1e-5,
    ) -> Tensor:
        n = self.batch.step_nodes
        if n <= 1 or not training:  # a lone row has no variance
            return F.batch_norm(rows, running_mean, running_var, weight, bias, False, 0.0, eps)
        rows, counts = rows.float(), float(self.batch.share > 0)
        mean = _total(counts * rows.sum(0)) / n
        var = _total(counts * (rows - mean).square().sum(0)) / n
        if running_mean is not None and running_var is not None:
            with torch.no_grad():
                running_mean.lerp_(mean, momentum)
                running_var.lerp_(var * n / (n - 1), momentum)
        scaled = (rows - mean) * (var + eps).rsqrt()
        return scaled if weight is None or bias is None else scaled * weight + bias


def _total(x: Tensor) -> Tensor:
    """The sum over all ranks, with its gradient."""
    found: Tensor = _Total.apply(x)  # type: ignore[no-untyped-call]
    return found


class _Total(torch.autograd.Function):
    """All ranks see the sum, so all of them push on every summand."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        x = x.clone()
        dist.all_reduce(x)
        return x

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        grad = grad.clone()
        dist.all_reduce(grad)
        return grad
