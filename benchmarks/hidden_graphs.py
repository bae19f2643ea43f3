"""Graphs with a hidden coloring, and the coloring: what the model ``hidden`` is trained on.

    python benchmarks/hidden_graphs.py FOLDER [--graphs 480] [--nodes 300 1000] [--seed 5]

k classes are hidden in n nodes, and edges of mean degree d are drawn across them. For equal classes
and plain random edges no way is known to find them in time below d = (k - 1)^2. Kinds:

plain: equal classes, any two nodes across them alike.
unequal: the largest class is two and a half times the smallest.
degrees: nodes have weights, log-normal, and edges go to them in proportion.
noisy: one edge for every twenty nodes lies inside a class; what is hidden has so many conflicts.
near: nodes are points of a square, and edges go to near ones.
timetable: nodes are exams, classes their slots; a student takes three to five exams, most of them
    of one program, and those of different slots are adjacent.

Writes ``FOLDER/*.npz`` and ``FOLDER/labels.json``: half of the graphs plain, the others of each
kind alike; k = 3..8, d from 0.9 to 1.6 times (k - 1)^2.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

import numpy as np
from scipy.spatial import cKDTree

import concolor as cc

Draw: TypeAlias = Callable[[np.random.Generator, int, int], np.ndarray]  # pairs of nodes
KINDS = ("plain", "unequal", "degrees", "noisy", "near", "timetable")
NOISE = 0.05  # edges inside classes, for every node
PROGRAM = 60  # exams


def hidden(
    n: int, k: int, degree: float, seed: int, kind: str = "plain"
) -> tuple[cc.Graph, np.ndarray]:
    """A graph of about that mean degree with k hidden classes, and the classes ``[n]``."""
    rng, m = np.random.default_rng(seed), round(n * degree / 2)
    classes = rng.permutation(np.arange(n) % k)
    if kind == "unequal":
        share = np.linspace(1.0, 2.5, k)
        classes = rng.choice(k, n, p=share / share.sum())
    pairs = np.empty((0, 2), np.int64)
    if kind == "noisy":
        pairs = _some(rng, classes, round(NOISE * n), _anywhere, pairs, inside=True)
    pairs = _some(rng, classes, m, _DRAWS.get(kind, _anywhere), pairs)
    return cc.Graph.from_edges(n, pairs, name=f"{kind}-{n}-{k}-{degree:.4g}-{seed}"), classes


def _some(
    rng: np.random.Generator,
    classes: np.ndarray,
    m: int,
    draw: Draw,
    pairs: np.ndarray,
    inside: bool = False,
) -> np.ndarray:
    """The pairs, and more across classes, or inside of them, until there are m: ``[m, 2]``."""
    while len(pairs) < m:
        more = draw(rng, len(classes), m)
        more = more[(classes[more[:, 0]] == classes[more[:, 1]]) == inside]
        pairs = np.concatenate([pairs, np.sort(more[more[:, 0] != more[:, 1]], axis=1)])
        _, first = np.unique(pairs, axis=0, return_index=True)
        pairs = pairs[np.sort(first)]
    return pairs[:m]


def _anywhere(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    return rng.integers(0, n, (2 * m, 2))


def _weighted(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    weights = np.random.default_rng(n).lognormal(0, 0.6, n)  # the same at every draw
    return rng.choice(n, (2 * m, 2), p=weights / weights.sum())


def _near(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    points = np.random.default_rng(n + m).random((n, 2))
    reach = np.sqrt(3 * 2 * m / n / (np.pi * n))  # three times as many neighbors as edges
    return rng.permutation(cKDTree(points).query_pairs(reach, output_type="ndarray"))


def _together(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """All pairs of the exams of some students."""
    students, programs = m // 3 + 1, max(n // PROGRAM, 1)
    own = rng.integers(programs, size=(students, 1))
    taken = own + programs * rng.integers(0, (n - 1 - own) // programs + 1, size=(students, 5))
    anywhere = rng.random((students, 5)) < 0.2
    taken = np.where(anywhere, rng.integers(n, size=(students, 5)), taken)
    few = rng.integers(3, 6, size=students)
    return np.concatenate([taken[few > b][:, [a, b]] for a, b in combinations(range(5), 2)])


_DRAWS = {"degrees": _weighted, "near": _near, "timetable": _together}


def proper(graph: cc.Graph, classes: np.ndarray) -> np.ndarray:
    """The classes where they are proper; of two neighbors in one class, one gets a color beyond."""
    colors = classes.copy()
    u, v = graph.edges.T
    indptr, indices = graph.indptr, graph.indices
    for node in np.unique(np.maximum(u, v)[classes[u] == classes[v]]):
        taken = set(colors[indices[indptr[node] : indptr[node + 1]]].tolist())
        if colors[node] in taken:
            colors[node] = next(c for c in range(int(classes.max()) + 1, graph.n) if c not in taken)
    return colors


def training(count: int, nodes: tuple[int, int], seed: int) -> list[tuple[cc.Graph, np.ndarray]]:
    """Graphs to train on, and proper colorings of them."""
    rng = np.random.default_rng(seed)
    made = []
    for place in range(count):
        kind = "plain" if place % 2 else KINDS[1 + place // 2 % 5]
        k, n = int(rng.integers(3, 9)), int(rng.integers(nodes[0], nodes[1] + 1))
        degree = (k - 1) ** 2 * rng.uniform(0.9, 1.6)
        graph, classes = hidden(n, k, degree, 10_000 * seed + place, kind)
        made.append((graph, proper(graph, classes)))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--graphs", type=int, default=480)
    parser.add_argument("--nodes", type=int, nargs=2, default=(300, 1000))
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    labels = []
    for place, (graph, colors) in enumerate(training(args.graphs, tuple(args.nodes), args.seed)):
        cc.write(graph, args.folder / f"{place:04}.npz")
        labels.append({"colors": colors.tolist()})
    (args.folder / "labels.json").write_text(json.dumps(labels))


if __name__ == "__main__":
    main()
