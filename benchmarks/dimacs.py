"""Every search beside each other on hard graphs, and beside what others report.

    CONCOLOR_DATA=... python benchmarks/dimacs.py              # writes dimacs.jsonl and .md
    CONCOLOR_DATA=... python benchmarks/dimacs.py --seconds 60 --seeds 0 1 --graphs r250.5
    CONCOLOR_DATA=... python benchmarks/dimacs.py --trial      # starts from an embedding

Finished cells of dimacs.jsonl are kept; delete a line to measure it anew. All time is CPU time of
one thread, since others use the machine: a minute on two cores is two of these minutes.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import concolor as cc
from concolor.decoding.distance import unit
from concolor.goal import Clock, Goal, Progress, Task
from concolor.models import load
from concolor.solvers import SOLVERS
from concolor.solvers.greedy import dsatur, rlf
from concolor.solvers.kernels.crossover import greedy_partition
from concolor.solvers.local_search import warm_up
from concolor.solvers.memetic import Evolution
from concolor.solvers.search import Search

HERE = Path(__file__).parent
CELLS = HERE / "dimacs.jsonl"
DATA = Path(os.environ.get("CONCOLOR_DATA", "."))
GRAPHS = [
    *("DSJC250.5", "DSJC500.1", "DSJC500.5", "DSJC1000.1", "flat300_28_0", "le450_15c"),
    *("le450_25c", "r250.5", "wap05a", "wap06a", "qg.order30", "queen11_11"),
]
METHODS = ["tabucol", "weighted", "memetic", "portfolio"]
GOALS = {
    "DSJC250.5": "28 in 60 s",
    "DSJC500.5": "48 in 600 s, 49 in 60 s",
    "DSJC1000.1": "21 in 10 s, 20 once",
    "flat300_28_0": "30 in 60 s, 28 once",
    "le450_15c": "15",
    "le450_25c": "26 in 10 s, 25 once",
    "r250.5": "65 in 60 s",
    "wap05a": "50 in 60 s",
    "wap06a": "40 in 60 s",
    "queen11_11": "11 once",
}
TRIAL = {"DSJC250.5": 28, "le450_15c": 15}
TRIAL_SECONDS = 10.0  # CPU seconds for each cell of the trial


@dataclass(frozen=True)
class CpuClock(Clock):
    """The time of this process instead of that on the wall."""

    started: float = field(default_factory=time.process_time)

    @property
    def seconds(self) -> float:
        return time.process_time() - self.started

    def share(self, part: float) -> CpuClock:
        return CpuClock(None if self.limit is None else part * self.left)


def graph(name: str) -> cc.Graph:
    folder = "color" if name.startswith("queen") else "dimacs"
    return cc.read(DATA / folder / f"{name}.col").but(name=name)


def greedy(name: str) -> None:
    """Colors of the two starts, and the clique that proves what it proves."""
    if known(table="greedy", graph=name):
        return
    g = graph(name)
    task = Task(g, Goal.of(g))
    record(table="greedy", graph=name, dsatur=dsatur(g).k, rlf=rlf(g).k, lower=task.chi_lower)


def search(name: str, method: str, seed: int, seconds: float) -> None:
    """One method from the graph alone, until the limit or the best known k."""
    if known(table="search", graph=name, method=method, seed=seed, limit=seconds):
        return
    g = graph(name)
    reached: dict[int, float] = {}

    def note(now: Progress) -> None:
        if now.best.is_proper:
            reached.setdefault(now.best.k, round(now.seconds, 2))

    began, clock = time.perf_counter(), CpuClock(seconds)
    task = Task(g, Goal.of(g), seed, clock, None, note, at_least=int(_best_known(name)))
    found = SOLVERS[method].run(task, threads=1)
    assert found.coloring.is_proper
    k = found.coloring.k
    record(
        table="search",
        graph=name,
        method=method,
        seed=seed,
        limit=seconds,
        k=k,
        at=reached.get(k, round(clock.seconds, 2)),
        cpu=round(clock.seconds, 2),
        wall=round(time.perf_counter() - began, 2),
    )


def trial(name: str, k: int, kind: str, seed: int) -> None:
    """One evolution at k from populations of a kind, or with a crossover that sees lines."""
    if known(table="trial", graph=name, kind=kind, seed=seed):
        return
    g = graph(name)
    first, crossover = KINDS[kind](g, k, seed)
    clock = CpuClock(TRIAL_SECONDS)
    at_k = Search(Task(g, Goal.of(g, k=k), seed, clock))
    found = Evolution(at_k, np.arange(k), first, crossover).go_on(0)
    record(
        table="trial",
        graph=name,
        kind=kind,
        seed=seed,
        k=k,
        conflicts=found[0],
        cpu=round(clock.seconds, 2),
        moves=at_k.moves,
    )


def drawn(g: cc.Graph, k: int, seed: int):
    return [], greedy_partition


def from_greedy(g: cc.Graph, k: int, seed: int):
    """DSATUR's and RLF's colorings without their smallest classes."""
    return [_largest(make(g).colors, k) for make in (dsatur, rlf)], greedy_partition


def from_embedding(g: cc.Graph, k: int, seed: int):
    """Clusters into k of the shipped model's embedding, from two draws of its features."""
    return [_clusters(_embedding(g, seed + 100 * draw), k) for draw in range(2)], greedy_partition


def along_lines(g: cc.Graph, k: int, seed: int):
    """Drawn populations; a class counts by how well its nodes lie on one line, not by its size."""
    return [], _sees_lines(_embedding(g, seed))


def along_chance(g: cc.Graph, k: int, seed: int):
    """The control: the same with random vectors of the same shape."""
    z = np.random.default_rng(seed).normal(size=_embedding(g, seed).shape)
    return [], _sees_lines(unit(z))


KINDS = {
    "random": drawn,
    "DSATUR, RLF": from_greedy,
    "embedding": from_embedding,
    "crossover by lines": along_lines,
    "crossover by chance": along_chance,
}


def _largest(colors: np.ndarray, k: int) -> np.ndarray:
    """The k largest classes as 0..k-1, -1 for the nodes of the others."""
    sizes = np.bincount(colors)
    rank = np.argsort(np.argsort(-sizes, kind="stable"))[colors]
    return np.where(rank < k, rank, -1)


def _embedding(g: cc.Graph, seed: int) -> np.ndarray:
    return load().embed(g, seed=seed)


def _clusters(z: np.ndarray, k: int) -> np.ndarray:
    from concolor.decoding.cluster import line_means

    return line_means(z, 0)(k).clusters.astype(np.int64)


def _sees_lines(z: np.ndarray) -> Callable[[np.ndarray, np.ndarray, int], np.ndarray]:
    """Greedy partition crossover where a node counts by cos^2 to the line of its class."""

    def crossover(first: np.ndarray, second: np.ndarray, k: int) -> np.ndarray:
        worth = [_alignment(z, parent, k) for parent in (first, second)]
        child = np.full(len(first), -1)
        for turn in range(k):
            parent, counts = (first, second)[turn % 2], worth[turn % 2]
            left = np.bincount(parent, counts * (child < 0), minlength=k)
            child[(parent == left.argmax()) & (child < 0)] = turn
        return child

    return crossover


def _alignment(z: np.ndarray, colors: np.ndarray, k: int) -> np.ndarray:
    """cos^2 of every node to the principal line of its class ``[n]``."""
    found = np.zeros(len(z))
    for c in range(k):
        inside = z[colors == c]
        if len(inside):
            line = np.linalg.svd(inside, full_matrices=False)[2][0]
            found[colors == c] = (inside @ line) ** 2
    return found


def cells(**like: object) -> list[dict]:
    lines = CELLS.read_text().splitlines() if CELLS.exists() else []
    found = [json.loads(line) for line in lines]
    return [cell for cell in found if all(cell.get(key) == like[key] for key in like)]


def known(**like: object) -> bool:
    return bool(cells(**like))


def record(**cell: object) -> None:
    with open(CELLS, "a") as file:
        file.write(json.dumps({**cell, "version": cc.__version__}) + "\n")
    print(json.dumps(cell), flush=True)


def report() -> str:
    """The page, from what is in dimacs.jsonl."""
    limits = sorted({cell["limit"] for cell in cells(table="search")})
    lines = [
        "# Hard graphs",
        "",
        f"Written by `benchmarks/dimacs.py`: concolor {cc.__version__}, one thread. All seconds "
        "are CPU seconds of that thread (a minute on two cores is 120 of them), since others "
        "used the machine. A search ends when it reaches the best known k. A cell is the best "
        "k and the mean over the seeds, then the median CPU "
        "seconds to the best. Best known and reference are reported by others "
        "(CONCOLOR_DATA/dimacs): HEAD in an hour, TabuCol in two, best of 20 runs.",
    ]
    for limit in limits:
        lines += ["", f"## {limit:g} CPU seconds", "", *_searches(limit)]
    if known(table="trial"):
        lines += ["", *_trial()]
    return "\n".join(lines) + "\n"


def _searches(limit: float) -> list[str]:
    at = {name: cells(table="search", graph=name, limit=limit) for name in GRAPHS}
    seeds = sorted({cell["seed"] for found in at.values() for cell in found})
    head = ["graph", "best known", "DSATUR", "RLF", *METHODS, "reference", "goal, two cores"]
    rows = [f"Seeds {', '.join(map(str, seeds))}.", "", _row(head), "|---" * len(head) + "|"]
    for name, found in at.items():
        if not found:
            continue
        (start,) = cells(table="greedy", graph=name)
        by = [_cell([c for c in found if c["method"] == method]) for method in METHODS]
        others = [_best_known(name), start["dsatur"], start["rlf"]]
        rows.append(_row([name, *others, *by, _reference(name), GOALS.get(name, "")]))
    return rows


def _cell(found: list[dict]) -> str:
    if not found:
        return ""
    ks = [cell["k"] for cell in found]
    best = [cell["at"] for cell in found if cell["k"] == min(ks)]
    mean = f" ({np.mean(ks):.1f})" if len(ks) > 1 else ""
    return f"{min(ks)}{mean}, {np.median(best):.1f} s"


def _trial() -> list[str]:
    found = cells(table="trial")
    head = ["graph", "k", *KINDS]
    rows = [
        "## Does the embedding help the memetic search?",
        "",
        f"One evolution at k, {TRIAL_SECONDS:g} CPU seconds at most, the embedding not "
        "counted: runs that found a coloring of all, then the median CPU seconds (those that did "
        "not count as the limit), or the fewest conflicts. `embedding`: the first two are clusters "
        "of the shipped model from two draws. `crossover by lines`: a class counts by how well its "
        "nodes lie on one line of the embedding; `by chance`: the same with random vectors, "
        "the control.",
        "",
        _row(head),
        "|---" * len(head) + "|",
    ]
    for name, k in TRIAL.items():
        by = [[c for c in found if (c["graph"], c["kind"]) == (name, kind)] for kind in KINDS]
        if any(by):
            rows.append(_row([name, k, *map(_tried, by)]))
    return rows


def _tried(found: list[dict]) -> str:
    if not found:
        return ""
    done = [cell for cell in found if not cell["conflicts"]]
    if not done:
        return f"0 of {len(found)}, {min(cell['conflicts'] for cell in found)} conflicts"
    seconds = np.median([TRIAL_SECONDS if cell["conflicts"] else cell["cpu"] for cell in found])
    return f"{len(done)} of {len(found)}, {seconds:.1f} s"


def _row(items: list[object]) -> str:
    return "| " + " | ".join(map(str, items)) + " |"


def _best_known(name: str) -> str:
    for folder in ("dimacs", "color"):
        for row in _table(DATA / folder / "known.csv"):
            if row["name"] == name:
                return row["chi_upper"]
    return ""


def _reference(name: str) -> str:
    for row in _table(DATA / "dimacs" / "reference.csv"):
        if row["graph"] == name:
            columns = ("head_1h_best", "tabucol_2h_best", "tabuedges_2h_best")
            return "HEAD {}, TabuCol {}, TabuEdges {}".format(*(row[name] for name in columns))
    return ""


def _table(path: Path) -> list[dict[str, str]]:
    with open(path) as file:
        return list(csv.DictReader(file))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--graphs", nargs="+", default=GRAPHS)
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--trial", action="store_true")
    asked = parser.parse_args()
    warm_up()
    if asked.trial:
        for seed in asked.seeds:
            for name, k in TRIAL.items():
                for kind in KINDS:
                    trial(name, k, kind, seed)
    else:
        for seed in asked.seeds:
            for name in asked.graphs:
                greedy(name)
                for method in asked.methods:
                    search(name, method, seed, asked.seconds)
    CELLS.with_suffix(".md").write_text(report())


if __name__ == "__main__":
    main()
