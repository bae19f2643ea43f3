"""Eigenvectors as features: random signs, or random rotations of all of them?

    OMP_NUM_THREADS=1 python benchmarks/rotations.py [--seeds 2] [--epochs 20]

Eigenvectors have no signs of their own, and where eigenvalues are equal no directions either; a
network should rely on neither. Both ways are drawn anew in every epoch. Short trainings of the
recipe ``hidden`` (``hidden_graphs.py``) that differ in nothing else; then the share of conflicts
that the clusters of each model leave at the hidden k, on graphs that were not trained on, beside
clusters of the eigenvectors alone. Rows are appended to ``rotations.jsonl`` as they are done, and
not measured again; ``rotations.md`` is written from them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean

import numpy as np
import torch

import concolor as cc
from concolor.decoding.cluster import line_means
from concolor.features.random import gaussian
from concolor.features.spectral import spectral, spectral_random
from hidden import by_eigenvectors
from hidden_graphs import hidden, training
from measure import keep

FILE = Path(__file__).with_suffix(".jsonl")
GRAPHS = 160  # to train on
TEST = [(k, ratio, seed) for k in (3, 4, 5, 6) for ratio in (1.1, 1.25) for seed in (0, 1)]


def rotated(graph: cc.Graph, dim: int, seed: int) -> np.ndarray:
    """Eigenvectors turned by a random orthogonal map, and as many random columns."""
    half = dim // 2
    drawn = np.random.default_rng([seed, dim]).standard_normal((half, half))
    turned = spectral(graph, half, seed) @ np.linalg.qr(drawn)[0]
    return np.concatenate([turned, gaussian(graph, dim - half, seed)], axis=1, dtype=np.float32)


WAYS = {"signs": spectral_random, "rotations": rotated}


def judged(cluster: Callable[[cc.Graph, int], np.ndarray]) -> list[float]:
    """The share of conflicts that ``cluster(graph, k)`` leaves, over that of chance."""
    found = []
    for k, ratio, seed in TEST:
        graph, _ = hidden(2000, k, ratio * (k - 1) ** 2, 700 + seed)
        colors = np.asarray(cluster(graph, k), np.int64)
        found.append(k * cc.Coloring(graph, colors).mono)
    return found


def trained(way: str, seed: int, epochs: int) -> dict:
    graphs, classes = zip(*training(GRAPHS, 5), strict=True)
    recipe = cc.Recipe.named("hidden").but(features=WAYS[way], epochs=epochs, seed=seed)
    begun = time.process_time()
    colorer = cc.Colorer(recipe).fit(list(graphs), labels=list(classes))
    spent = time.process_time() - begun
    left = judged(lambda graph, k: line_means(colorer.embed(graph, seed=0), 0)(k).clusters)
    losses = colorer.model.history.losses
    return {"seconds": spent, "first": losses[0], "last": losses[-1], "left": left}


def rows() -> list[dict]:
    return [json.loads(line) for line in FILE.read_text().splitlines()] if FILE.exists() else []


def run(seeds: int, epochs: int) -> None:
    asked = [("eigenvectors alone", 0), *((way, s) for s in range(seeds) for way in WAYS)]
    for way, seed in asked:
        if (way, seed) not in {(row["way"], row["seed"]) for row in rows()}:
            made = trained(way, seed, epochs) if way in WAYS else {"left": judged(by_eigenvectors)}
            with FILE.open("a") as file:
                file.write(json.dumps({"way": way, "seed": seed} | made) + "\n")


def report() -> Iterator[str]:
    yield "# Signs or rotations"
    yield ""
    yield (
        f"Written by `benchmarks/rotations.py`: short trainings on {GRAPHS} graphs with a hidden "
        "coloring. Conflicts that clusters leave at the hidden k, over those of chance (1 is "
        f"chance, 0 proper): means over {len(TEST)} graphs of 2000 nodes that were not trained on, "
        "by mean degree over (k - 1)^2. Seconds of CPU."
    )
    yield ""
    yield "| features | seed | seconds | loss, first epoch | last | left at 1.1 | at 1.25 |"
    yield "|---|---|---|---|---|---|---|"
    for row in sorted(rows(), key=lambda row: row["way"]):
        spent = [f"{row['seconds']:.0f}"] if "seconds" in row else ["-"]
        losses = [f"{row[name]:.3f}" if name in row else "-" for name in ("first", "last")]
        both = [f"{fmean(_at(row['left'], ratio)):.3f}" for ratio in (1.1, 1.25)]
        yield f"| {' | '.join([row['way'], str(row['seed']), *spent, *losses, *both])} |"


def _at(left: list[float], ratio: float) -> list[float]:
    return [value for value, case in zip(left, TEST, strict=True) if case[1] == ratio]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=20)
    args = parser.parse_args()
    torch.set_num_threads(1)
    run(args.seeds, args.epochs)
    keep(report(), FILE.with_suffix(".md"))


if __name__ == "__main__":
    main()
