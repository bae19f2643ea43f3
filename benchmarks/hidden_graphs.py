"""Graphs with a hidden coloring, and the coloring: what the recipe ``hidden`` is trained on.

    python benchmarks/hidden_graphs.py FOLDER [--graphs 320] [--seed 5]

n = 300..1000 nodes in k = 3..6 equal classes, a random graph of mean degree d across them, with d
from 1.0 to 1.6 times (k - 1)^2, below which no way is known to find the classes in time. Writes
``FOLDER/*.npz`` and ``FOLDER/labels.json``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

import concolor as cc


def hidden(n: int, k: int, degree: float, seed: int) -> tuple[cc.Graph, np.ndarray]:
    """A random graph of that mean degree across k equal classes, and the classes ``[n]``."""
    rng = np.random.default_rng(seed)
    classes, m = rng.permutation(np.arange(n) % k), round(n * degree / 2)
    pairs = np.empty((0, 2), np.int64)
    while len(pairs) < m:
        more = rng.integers(0, n, (2 * m, 2))
        more = np.sort(more[classes[more[:, 0]] != classes[more[:, 1]]], axis=1)
        pairs = np.concatenate([pairs, more])
        _, first = np.unique(pairs, axis=0, return_index=True)
        pairs = pairs[np.sort(first)]
    name = f"hidden-{n}-{k}-{degree:.4g}-{seed}"
    return cc.Graph.from_edges(n, pairs[:m], name=name), classes


def training(count: int, seed: int) -> list[tuple[cc.Graph, np.ndarray]]:
    rng = np.random.default_rng(seed)
    made = []
    for place in range(count):
        k, n = 3 + place % 4, int(rng.integers(300, 1001))
        made.append(hidden(n, k, (k - 1) ** 2 * rng.uniform(1.0, 1.6), 10_000 * seed + place))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--graphs", type=int, default=320)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    labels = []
    for place, (graph, classes) in enumerate(training(args.graphs, args.seed)):
        cc.write(graph, args.folder / f"{place:04}.npz")
        labels.append({"colors": classes.tolist()})
    (args.folder / "labels.json").write_text(json.dumps(labels))


if __name__ == "__main__":
    main()
