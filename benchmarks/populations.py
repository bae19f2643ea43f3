"""Does the learned embedding help the memetic search: as its population, or in its crossover?

    CONCOLOR_DATA=... python benchmarks/populations.py     # writes populations.jsonl and .md

Finished lines of populations.jsonl are kept; delete one to measure it anew. All time is CPU time of
one thread, since others use the machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

import concolor as cc
from concolor.decoding.distance import unit
from concolor.features.spectral import lowest_vectors
from concolor.goal import Goal, Task
from concolor.models import load
from concolor.solvers.greedy import dsatur, rlf
from concolor.solvers.kernels.crossover import greedy_partition
from concolor.solvers.local_search import warm_up
from concolor.solvers.memetic import Evolution
from concolor.solvers.search import Search
from dimacs import CpuClock, graph

CELLS = Path(__file__).parent / "populations.jsonl"
COLORS = {"DSJC250.5": 28, "DSJC500.5": 50, "DSJC1000.1": 21, "le450_15c": 15}
SEEDS = range(3)
LIMIT = 10.0  # CPU seconds for each cell, the embedding not counted


def evolve(name: str, k: int, kind: str, seed: int) -> None:
    """One evolution at k from populations of a kind, or with a crossover that sees lines."""
    if cells(graph=name, kind=kind, seed=seed):
        return
    g = graph(name)
    first, crossover = KINDS[kind](g, k, seed)
    clock = CpuClock(LIMIT)
    at_k = Search(Task(g, Goal.of(g, k=k), seed, clock))
    conflicts, _ = Evolution(at_k, np.arange(k), first, crossover).go_on(0)
    took = {"cpu": round(clock.seconds, 2), "moves": at_k.moves}
    cell = {"graph": name, "kind": kind, "seed": seed, "k": k, "conflicts": conflicts, **took}
    with open(CELLS, "a") as file:
        file.write(json.dumps({**cell, "version": cc.__version__}) + "\n")
    print(json.dumps(cell), flush=True)


def drawn(g: cc.Graph, k: int, seed: int):
    return [], greedy_partition


def from_greedy(g: cc.Graph, k: int, seed: int):
    """DSATUR's and RLF's colorings without their smallest classes."""
    return [_largest(make(g).colors, k) for make in (dsatur, rlf)], greedy_partition


def from_embedding(g: cc.Graph, k: int, seed: int):
    """Clusters into k of the shipped model's embedding, from two draws of its features."""
    return [_clusters(_embedding(g, seed + 100 * draw), k) for draw in range(2)], greedy_partition


def from_eigenvectors(g: cc.Graph, k: int, seed: int):
    """The control: clusters of the lowest eigenvectors, which nobody trained, from two starts."""
    from concolor.decoding.cluster import leading_means

    z = lowest_vectors(g, k - 1)[1]
    both = (leading_means(z, seed + 100 * draw)(k).clusters for draw in range(2))
    return [colors.astype(np.int64) for colors in both], greedy_partition


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
    "eigenvectors": from_eigenvectors,
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
    return [cell for cell in found if all(cell[key] == like[key] for key in like)]


def report() -> str:
    """The page, from what is in populations.jsonl."""
    head = ["graph", "k", *KINDS]
    lines = [
        "# Does the embedding help the memetic search?",
        "",
        f"Written by `benchmarks/populations.py`: concolor {cc.__version__}, one thread. One "
        f"evolution at k, {LIMIT:g} CPU seconds at most, the embedding not counted: runs that "
        "found a coloring of all, then the median CPU seconds (those that did not count as the "
        "limit), or the fewest conflicts. `embedding`: the first two are clusters of the shipped "
        "model from two draws; `eigenvectors`: of those of the graph, which nobody trained, the "
        "control. `crossover by lines`: a class counts by how well its nodes lie on "
        "one line of the embedding; `by chance`: the same with random vectors, the control.",
        "",
        _row(head),
        "|---" * len(head) + "|",
    ]
    for name, k in COLORS.items():
        lines.append(_row([name, k, *(_tried(cells(graph=name, kind=kind)) for kind in KINDS)]))
    lines.append(_row(["all", "", *(_tried(cells(kind=kind)) for kind in KINDS)]))
    return "\n".join(lines) + "\n"


def _tried(found: list[dict]) -> str:
    if not found:
        return ""
    done = [cell for cell in found if not cell["conflicts"]]
    if not done:
        return f"0 of {len(found)}, {min(cell['conflicts'] for cell in found)} conflicts"
    seconds = np.median([LIMIT if cell["conflicts"] else cell["cpu"] for cell in found])
    return f"{len(done)} of {len(found)}, {seconds:.1f} s"


def _row(items: list[object]) -> str:
    return "| " + " | ".join(map(str, items)) + " |"


def main() -> None:
    warm_up()
    for seed in SEEDS:
        for name, k in COLORS.items():
            for kind in KINDS:
                evolve(name, k, kind, seed)
    CELLS.with_suffix(".md").write_text(report())


if __name__ == "__main__":
    main()
