"""``objective``: what a step of training minimizes, by the pipeline."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from concolor.learning import losses
from concolor.learning.batches import Batch
from concolor.learning.model import Network
from concolor.learning.recipe import Recipe


def objective(
    recipe: Recipe,
    network: Network,
    batch: Batch,
    *,
    soft: bool = True,
    new_labels: Callable[[Tensor], Tensor] | None = None,
    half: torch.dtype | None = None,
) -> dict[str, Tensor]:
    """What the loss of the recipe's pipeline adds up, weighted as it is in the sum.

    These are ``contrastive``, ``lines`` and ``soft``, as far as they are asked for.

    Args:
        soft: Whether the soft conflict term is there, if the pipeline has one.
        new_labels: ``z [n, d]`` -> the colors ``[n]`` to learn; None for those of the batch.
        half: The short numbers in which the network multiplies; None for those of its weights. What
            comes after the embedding has the long ones.
    """
    pipeline = recipe.objective
    with torch.autocast(batch.x.device.type, half, enabled=half is not None):
        z: Tensor = network(batch.x, batch.edge_index, batch.graph)
    z = z if half is None else z.float()
    found: dict[str, Tensor] = {}
    if pipeline.contrastive:
        colors = batch.colors if new_labels is None else new_labels(z.detach())
        found["contrastive"] = losses.contrastive(
            z,
            batch.edge_index,
            colors,
            recipe.tau,
            absolute=pipeline.absolute,
            form=recipe.form,
            batch=batch.graph,
        )
        if recipe.lambda_lines:
            lines = losses.line_conflict(z, batch.edge_index, colors, batch=batch.graph)
            found["lines"] = recipe.lambda_lines * lines
    if network.head is not None and (soft or not pipeline.contrastive):
        conflict = losses.weighted_conflict
        if pipeline.contrastive:
            conflict = partial(losses.soft_conflict, weights=recipe.soft_weights)
        weight = recipe.lambda_soft if pipeline.contrastive else 1.0
        found["soft"] = weight * conflict(
            network.head(z),
            batch.edge_index,
            degree_power=recipe.degree_power,
            tau_soft=recipe.tau_soft,
            batch=batch.graph,
        )
    return found
