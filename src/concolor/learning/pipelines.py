"""The paper's pipelines: which losses are trained, on which features."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pipeline:
    """What a pipeline name of the paper stands for."""

    doc: str
    features: str  # where the recipe names none
    contrastive: bool = True
    absolute: bool = False  # |cos| instead of cos
    soft: bool = False  # adds the soft conflict term and the color head it needs


PIPELINES: dict[str, Pipeline] = {
    "v1": Pipeline("InfoNCE, signed", "bow"),
    "v1abs": Pipeline("InfoNCE, absolute", "bow", absolute=True),
    "v2": Pipeline("InfoNCE, signed, plus soft conflicts", "bow", soft=True),
    "v2abs": Pipeline("InfoNCE, absolute, plus soft conflicts", "bow", absolute=True, soft=True),
    "v3": Pipeline("InfoNCE, signed, on structural features", "structural"),
    "v4": Pipeline("InfoNCE, signed, on Gaussian features", "gaussian"),
    "v5": Pipeline("weighted soft conflicts only", "bow", contrastive=False, soft=True),
}
