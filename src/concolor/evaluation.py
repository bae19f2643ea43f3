"""What a learned coloring is worth: beside a reference chromatic number and beside the null."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from concolor.colorer import Colorer
from concolor.errors import InputError
from concolor.graph.core import Graph
from concolor.solvers.greedy import chi_ref
from concolor.solvers.null import null_sweep
from concolor.sweep import K_MAX, Sweep

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
    max_mono: float
    k_max: int

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
        about = {"max_mono": self.max_mono, "k_max": self.k_max}
        return {**means, **stds, **about, "graphs": [asdict(score) for score in self.scores]}


def score(found: Sweep, *, k_max: int, seed: int = 0) -> Score:
    """Put one decoded graph beside its reference and the null under the same max_mono and k_max."""
    graph, best, max_mono = found.graph, found.best, found.max_mono
    reference, source = chi_ref(graph)
    null_k, null_coloring, null_hit = null_sweep(graph, max_mono=max_mono, k_max=k_max, seed=seed)
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
    max_mono: float = 0.05,
    k_max: int = K_MAX,
    seed: int | None = None,
    decoder: str | None = None,
    passes: int | None = None,
    progress: Callable[[Score], None] | None = None,
) -> Evaluation:
    """Decode every graph until mono is at most ``max_mono`` and score it beside the null."""
    if not graphs:
        raise InputError("no graphs to evaluate")
    scores = []
    for graph in graphs:
        found = colorer.sweep(
            graph,
            max_mono=max_mono,
            k_max=k_max,
            seed=seed,
            decoder=decoder,
            passes=passes,
        )
        scores.append(score(found, k_max=k_max, seed=seed or 0))
        if progress is not None:
            progress(scores[-1])
    return Evaluation(tuple(scores), max_mono, k_max)
