"""What a learned coloring is worth: beside DSATUR, the null and the eigenvectors alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from concolor.colorer import Colorer
from concolor.decoding.cluster import DecoderChoice
from concolor.errors import InputError, Interrupted, interruptible
from concolor.fleet import Failed, in_order
from concolor.graph.core import Graph
from concolor.models.spectral import spectral_sweep
from concolor.solvers.greedy import dsatur
from concolor.solvers.null import null_sweep
from concolor.sweeps import K_MAX, Sweep

CONTROLS = ("null", "spectral")
MEANS = tuple(
    prefix + name
    for prefix in ("", *(f"{control}_" for control in CONTROLS))
    for name in ("k", "mono", "rho", "hit")
)


@dataclass(frozen=True)
class Score:
    """One graph: k* and mono of the method and of both controls, beside DSATUR's colors."""

    graph: str
    n: int
    m: int
    k: int  # k*, colors asked of the decoder
    conflicts: int
    mono: float
    hit: bool
    rho: float  # k / dsatur
    dsatur: int  # colors of DSATUR
    chi: int | None  # the chromatic number, where it is known
    null_k: int
    null_mono: float
    null_rho: float
    null_hit: bool
    spectral_k: int
    spectral_mono: float
    spectral_rho: float
    spectral_hit: bool


@dataclass(frozen=True)
class Evaluation:
    """The scores of a set of graphs.

    Attributes:
        scores: Of the graphs that could be scored, in their order.
        max_mono: The rule.
        k_max: The most colors that were tried.
        failed: The others, with their errors; they are in no mean.
    """

    scores: tuple[Score, ...]
    max_mono: float
    k_max: int
    failed: tuple[Failed, ...] = ()

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
        failed = [{"graph": one.graph, "error": str(one.error)} for one in self.failed]
        graphs = [asdict(score) for score in self.scores]
        return {**means, **stds, **about, "graphs": graphs, "failed": failed}


def score(found: Sweep, *, k_max: int, seed: int = 0) -> Score:
    """Put one decoded graph beside DSATUR, chance and eigenvectors, by the same rule and limit."""
    graph, best, max_mono = found.graph, found.best, found.max_mono
    null_k, null_coloring, null_hit = null_sweep(graph, max_mono=max_mono, k_max=k_max, seed=seed)
    spectral = spectral_sweep(graph, max_mono=max_mono, k_max=k_max, seed=seed)
    k, greedy = found.k_star(), dsatur(graph).k
    return Score(
        graph=graph.name,
        n=graph.n,
        m=graph.m,
        k=k,
        conflicts=best.conflicts,
        mono=best.mono,
        hit=found.hit(),
        rho=k / max(greedy, 1),
        dsatur=greedy,
        chi=graph.chi,
        null_k=null_k,
        null_mono=null_coloring.mono,
        null_rho=null_k / max(greedy, 1),
        null_hit=null_hit,
        spectral_k=spectral.k_star(),
        spectral_mono=spectral.best.mono,
        spectral_rho=spectral.k_star() / max(greedy, 1),
        spectral_hit=spectral.hit(),
    )


def evaluate(
    colorer: Colorer,
    graphs: Sequence[Graph],
    *,
    max_mono: float = 0.05,
    k_max: int = K_MAX,
    seed: int | None = None,
    decoder: DecoderChoice | None = None,
    passes: int | None = None,
    progress: Callable[[Score], None] | None = None,
    executor: Executor | None = None,
) -> Evaluation:
    """Decode every graph until mono is at most ``max_mono`` and score it beside the controls.

    A graph that fails is in ``failed`` of what is returned; where all do, the first error is
    raised. ``executor`` is where the graphs are scored, see :func:`concolor.many`.

    Raises:
        Interrupted: On Ctrl-C, with the evaluation of the graphs that are done: half a sweep is no
            result.
    """
    if not graphs:
        raise InputError("no graphs to evaluate")
    scores: list[Score] = []
    failed: list[Failed] = []

    def evaluation() -> Evaluation | None:
        found = Evaluation(tuple(scores), max_mono, k_max, tuple(failed))
        return found if scores else None

    def keep(found: Score | Failed) -> None:
        if isinstance(found, Failed):
            failed.append(found)
            return
        scores.append(found)
        if progress is not None:
            progress(found)

    how = {"max_mono": max_mono, "k_max": k_max, "seed": seed, "decoder": decoder, "passes": passes}
    with interruptible(evaluation):
        try:
            for _, found in in_order(partial(_scored, colorer, how), graphs, executor):
                keep(found)
        except Interrupted as stop:
            for _, found in stop.best if executor is not None else ():
                keep(found)
            raise
    result = evaluation()
    if result is None:
        raise failed[0].error
    return result


def _scored(colorer: Colorer, how: dict[str, Any], graph: Graph) -> Score:
    return score(colorer.sweep(graph, **how), k_max=how["k_max"], seed=how["seed"] or 0)
