"""What a learned coloring is worth: beside a reference chromatic number and beside the null."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from concolor.colorer import CAP, Colorer
from concolor.decoding import Sweep
from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.solvers.greedy import chi_ref
from concolor.solvers.null import null_sweep

MEANS = ("k", "mono", "rho", "hit", "null_k", "null_mono", "null_rho", "null_hit")


@dataclass(frozen=True)
class Score:
    """One graph: k* and mono of the method and of the null, over the same reference."""

    graph: str
    n: int
    m: int
    k: int  # k*, colors asked of the decoder
    conflicts: int
    mono: float
    hit: bool
    rho: float  # k / chi_ref
    chi_ref: int
    chi_source: str  # exact or dsatur
    null_k: int
    null_mono: float
    null_rho: float
    null_hit: bool


@dataclass(frozen=True)
class Evaluation:
    """The scores of a set of graphs."""

    scores: tuple[Score, ...]
    threshold: float
    cap: int

    def mean(self, name: str) -> float:
        """Mean over the graphs."""
        return float(np.mean([getattr(score, name) for score in self.scores]))

    def std(self, name: str) -> float:
        """Sample standard deviation over the graphs (ddof 1), 0 for a single one."""
        values = [float(getattr(score, name)) for score in self.scores]
        return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Means, standard deviations, then the graphs one by one."""
        means = {name: self.mean(name) for name in MEANS}
        stds = {f"{name}_std": self.std(name) for name in MEANS}
        about = {"threshold": self.threshold, "cap": self.cap}
        return {**means, **stds, **about, "graphs": [asdict(score) for score in self.scores]}


def score(found: Sweep, *, cap: int, seed: int = 0) -> Score:
    """Put one decoded graph beside its reference and the null under the same threshold and cap."""
    graph, best, threshold = found.graph, found.best, found.threshold
    reference, source = chi_ref(graph)
    null_k, null_coloring, null_hit = null_sweep(graph, threshold=threshold, cap=cap, seed=seed)
    k = found.k_star()
    over = max(reference, 1)
    return Score(
        graph=graph.name,
        n=graph.n,
        m=graph.m,
        k=k,
        conflicts=best.conflicts,
        mono=best.mono,
        hit=found.hit(),
        rho=k / over,
        chi_ref=reference,
        chi_source=source,
        null_k=null_k,
        null_mono=null_coloring.mono,
        null_rho=null_k / over,
        null_hit=null_hit,
    )


def evaluate(
    colorer: Colorer,
    graphs: Sequence[Graph],
    *,
    threshold: float = 0.05,
    cap: int = CAP,
    seed: int | None = None,
    decoder: str | None = None,
    passes: int | None = None,
    progress: Callable[[Score], None] | None = None,
) -> Evaluation:
    """Decode every graph until mono is at most ``threshold`` and score it beside the null."""
    if not graphs:
        raise InputError("no graphs to evaluate")
    scores = []
    for graph in graphs:
        found = colorer.sweep(
            graph,
            thresholds=(threshold,),
            cap=cap,
            seed=seed,
            decoder=decoder,
            passes=passes,
        )
        scores.append(score(found, cap=cap, seed=seed or 0))
        if progress is not None:
            progress(scores[-1])
    return Evaluation(tuple(scores), threshold, cap)
