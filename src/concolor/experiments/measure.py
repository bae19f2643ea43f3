"""From a cell to its figures: train, decode or solve, and average over the graphs of the suite."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concolor.colorer import Colorer
from concolor.coloring import Coloring
from concolor.errors import pick
from concolor.experiments.cells import Compared, Learned
from concolor.experiments.suites import (
    SUITES,
    THRESHOLD,
    Suite,
    graphs_of,
    greedy,
    loaded,
    references,
)
from concolor.graph.core import Graph
from concolor.models.spectral import spectral_sweep
from concolor.solvers import solve
from concolor.solvers.greedy import dsatur
from concolor.solvers.null import null
from concolor.sweeps import choose_k

Figures = dict[str, Any]

ALLOWED = (0.005, 0.01, 0.02, 0.05)  # max_mono reported of a whole graph


@dataclass(frozen=True)
class Outcome:
    """One graph: k*, its conflicts, whether the threshold was reached, the time it took.

    Attributes:
        curve: k -> conflicts for the k that were tried; a method without a sweep has one entry.
        completed: Whether the method ended by itself, not by the time limit.
    """

    k: int
    conflicts: int
    hit: bool
    seconds: float
    curve: Mapping[int, int]
    completed: bool = True


def train(cell: Learned, *, device: str = "cpu") -> Colorer:
    """The model of a cell, trained on all of the data set's training graphs."""
    return Colorer(cell.recipe).fit(loaded(cell.train).train, device=device)


def decode(cells: Sequence[Learned], colorer: Colorer) -> list[Figures]:
    """Figures of cells that share a model and a suite, and differ in the decoder."""
    name = cells[0].suite
    found: list[list[Outcome]] = [[] for _ in cells]
    for graph in graphs_of(name):
        start = time.perf_counter()
        z = colorer.embed(graph)
        embedding = time.perf_counter() - start
        for cell, outcomes in zip(cells, found, strict=True):
            outcomes.append(_decoded(graph, z, colorer, cell, embedding))
    history = colorer.model.history
    weights = list(colorer.model.network.parameters())
    about = {
        "params": sum(p.numel() for p in weights),
        "steps": history.steps,
        "loss": round(history.losses[-1], 6),
        "device": weights[0].device.type,
    }
    spent = {"train": history.seconds}
    return [figures(name, outcomes) | about | _spent(outcomes, spent) for outcomes in found]


def compare(cell: Compared) -> Figures:
    """Figures of a method that needs no training."""
    if cell.method == "facts":
        return facts(cell.suite) | machine()
    run, suite = pick(METHODS, cell.method, "method"), SUITES[cell.suite]
    both = zip(graphs_of(cell.suite), references(cell.suite), strict=True)
    outcomes = [run(graph, cell, suite, chi) for graph, chi in both]
    return figures(cell.suite, outcomes) | _spent(outcomes, {})


def facts(name: str) -> Figures:
    """What the graphs of a suite are like: means and ranges, and sizes graph by graph."""
    graphs = graphs_of(name)
    sizes = {
        "nodes": [g.n for g in graphs],
        "edges": [g.m for g in graphs],
        "chi_greedy": list(greedy(name)),
    }
    metrics: Figures = {"graphs": len(graphs)}
    for word, values in sizes.items():
        metrics |= {word: np.mean(values), f"{word}_min": min(values), f"{word}_max": max(values)}
    metrics["density"] = np.mean([2 * g.m / max(g.n * (g.n - 1), 1) for g in graphs])
    if graphs[0].x is not None:
        metrics["features"] = graphs[0].x.shape[1]
    names = {"name": [g.name for g in graphs], "chi": [g.chi for g in graphs]}
    return {
        "metrics": {key: _short(value) for key, value in metrics.items()},
        "graphs": names | sizes,
    }


def figures(name: str, outcomes: Sequence[Outcome]) -> Figures:
    """Means over the graphs of a suite, and what is behind them, graph by graph.

    A graph on which time ran out counts as no hit and in no other mean.
    """
    graphs, chi, suite = graphs_of(name), references(name), SUITES[name]
    k, conflicts = np.array([o.k for o in outcomes]), np.array([o.conflicts for o in outcomes])
    mono, rho = conflicts / [max(g.m, 1) for g in graphs], k / np.array(chi)
    done = np.array([o.completed for o in outcomes])
    metrics: Figures = {
        "k": k[done].mean() if done.any() else None,
        "mono": mono[done].mean() if done.any() else None,
        "rho": rho[done].mean() if done.any() else None,
        "hit": np.mean([o.hit for o in outcomes]),
        "completed": int(done.sum()),
    }
    if suite.whole:
        reported = thresholds(outcomes[0].curve, graphs[0].m, chi[0])
        metrics |= reported if done.all() else dict.fromkeys(reported)
    by_graph: Figures = {
        "k": k.tolist(),
        "conflicts": conflicts.tolist(),
        "seconds": [round(o.seconds, 4) for o in outcomes],
    }
    if not done.all():
        by_graph["completed"] = done.tolist()
    if suite.whole:
        by_graph["curve"] = dict(outcomes[0].curve)
    return {
        "metrics": {key: _short(value) for key, value in metrics.items()},
        "graphs": by_graph,
    }


def thresholds(curve: Mapping[int, int], m: int, chi: int) -> Figures:
    """What is reported of a whole graph: k for each threshold (None: missed), and at k = chi."""
    found: Figures = {}
    for max_mono in (0.0, *ALLOWED):
        k, hit = choose_k(curve, m, max_mono)
        found["k_zero" if max_mono == 0 else f"k_{max_mono:g}"] = k if hit else None
    k = found["k_0.05"]
    found["rho_0.05"] = None if k is None else k / chi
    found["mono_at_0.05"] = None if k is None else curve[k] / m
    at = curve.get(chi, 0 if chi > max(curve) and curve[max(curve)] == 0 else None)
    found["conflicts_at_chi"] = at
    found["mono_at_chi"] = None if at is None else at / m
    return found


def _decoded(
    graph: Graph, z: NDArray[np.float32], colorer: Colorer, cell: Learned, embedding: float
) -> Outcome:
    suite, recipe = SUITES[cell.suite], cell.recipe
    start = time.perf_counter()
    found = colorer.sweep(
        graph,
        z=z,
        max_mono=THRESHOLD,
        k_max=suite.k_max,
        seed=recipe.seed,
        decoder=recipe.decoder,
        passes=recipe.passes,
        full=suite.whole,
    )
    seconds = embedding + time.perf_counter() - start
    k = found.k_star()
    return Outcome(k, found.curve[k], found.hit(), seconds, found.curve)


Method = Callable[[Graph, Compared, Suite, int], Outcome]


def _null(graph: Graph, cell: Compared, suite: Suite, chi: int) -> Outcome:
    return _swept(graph, suite, lambda k: null(graph, k, seed=cell.seed), to_k_max=suite.whole)


def _spectral(graph: Graph, cell: Compared, suite: Suite, chi: int) -> Outcome:
    start = time.perf_counter()
    found = spectral_sweep(
        graph, k_max=suite.k_max, max_mono=THRESHOLD, seed=cell.seed, full=suite.whole
    )
    seconds, k = time.perf_counter() - start, found.k_star()
    return Outcome(k, found.curve[k], found.hit(), seconds, found.curve)


def _swept(
    graph: Graph, suite: Suite, color: Callable[[int], Coloring], *, to_k_max: bool
) -> Outcome:
    """The sweep of a method that colors with a given k."""
    start = time.perf_counter()
    curve: dict[int, int] = {}
    for k in range(1, min(suite.k_max, graph.n) + 1):
        curve[k] = color(k).conflicts
        if choose_k(curve, graph.m, 0.0 if to_k_max else THRESHOLD)[1]:
            break
    k, hit = choose_k(curve, graph.m, THRESHOLD)
    return Outcome(k, curve[k], hit, time.perf_counter() - start, curve)


def _dsatur(graph: Graph, cell: Compared, suite: Suite, chi: int) -> Outcome:
    start = time.perf_counter()
    k = dsatur(graph).k
    return Outcome(k, 0, True, time.perf_counter() - start, {k: 0})


def _tabucol(graph: Graph, cell: Compared, suite: Suite, chi: int) -> Outcome:
    """The fewest colors within the threshold; of a whole graph, conflicts for every k."""
    limit, start = cell.seconds, time.perf_counter()
    if suite.whole:

        def at(k: int) -> Coloring:
            return solve(graph, "tabucol", k=k, seed=cell.seed, time_limit=limit).coloring

        return _swept(graph, suite, at, to_k_max=True)
    found = solve(graph, "tabucol", max_mono=THRESHOLD, seed=cell.seed, time_limit=limit).coloring
    seconds = time.perf_counter() - start
    hit = found.mono <= THRESHOLD
    return Outcome(found.k, found.conflicts, hit, seconds, {found.k: found.conflicts})


def _exact(graph: Graph, cell: Compared, suite: Suite, chi: int) -> Outcome:
    """The chromatic number: known, or proved within the time; ``completed`` says if so."""
    start = time.perf_counter()
    if graph.chi is not None:
        return Outcome(graph.chi, 0, True, 0.0, {graph.chi: 0})
    found = solve(graph, "exact", time_limit=cell.seconds, seed=cell.seed)
    seconds, k = time.perf_counter() - start, found.coloring.k
    return Outcome(k, 0, True, seconds, {k: 0}, completed=found.is_proved)


def _neural(name: str, at_chi: bool = False, faithful: bool = False) -> Method:
    """A network trained on the graph itself, by the sweep over k or with k = chi."""

    def run(graph: Graph, cell: Compared, suite: Suite, chi: int) -> Outcome:
        from concolor.solvers.full_gcn import full_gcn_sweep
        from concolor.solvers.pi_gnn import pi_gnn_sweep

        start = time.perf_counter()
        if at_chi:
            found = solve(graph, name, k=chi, seed=cell.seed, time_limit=cell.seconds).coloring
            seconds = time.perf_counter() - start
            curve = {chi: found.conflicts}
            return Outcome(chi, found.conflicts, found.is_proper, seconds, curve)
        climb = pi_gnn_sweep if name == "pi-gnn" else full_gcn_sweep
        ended = climb(
            graph,
            k_max=suite.k_max,
            max_mono=THRESHOLD,
            seed=cell.seed,
            time_limit=cell.seconds,
            faithful=faithful,
            device="cpu",
        )
        seconds = time.perf_counter() - start
        k = ended.k_star()
        done = ended.hit() or not ended.is_cut
        return Outcome(k, ended.curve[k], ended.hit(), seconds, ended.curve, completed=done)

    return run


METHODS: dict[str, Method] = {
    "null": _null,
    "spectral": _spectral,
    "dsatur": _dsatur,
    "tabucol": _tabucol,
    "exact": _exact,
    "pi-gnn": _neural("pi-gnn"),
    "pi-gnn at chi": _neural("pi-gnn", at_chi=True),
    "full-gcn": _neural("full-gcn"),
    "pi-gnn faithful": _neural("pi-gnn", faithful=True),
    "full-gcn faithful": _neural("full-gcn", faithful=True),
}


def _spent(outcomes: Sequence[Outcome], more: Mapping[str, float]) -> Figures:
    seconds = {**more, "graph": float(np.mean([o.seconds for o in outcomes]))}
    return {"seconds": {key: round(value, 4) for key, value in seconds.items()}, **machine()}


def machine() -> Figures:
    """Versions, the commit and cores, for the record."""
    names = ("concolor", "torch", "torch-geometric", "numpy", "kmedoids", "scikit-learn")
    versions = {"python": platform.python_version()} | {name: version(name) for name in names}
    return {"versions": versions, "commit": commit(), "cores": os.cpu_count()}


@cache
def commit() -> str | None:
    """The commit of the code, with ``+`` where it differs from that; None without a checkout.

    Other files may differ, results above all, which grow while they are measured.
    """
    root = Path(__file__).parents[3]
    if not (root / ".git").exists():  # installed: a repository around it is somebody else's
        return None
    try:
        head = _git(root, "describe", "--always", "--abbrev=10")
        return head + "+" * bool(_git(root, "status", "--porcelain", "--", "src"))
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(root: Path, *words: str) -> str:
    asked = ["git", "-C", str(root), *words]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def _short(value: Any) -> Any:
    return value if value is None or isinstance(value, int) else round(float(value), 6)
