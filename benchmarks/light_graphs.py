"""Graphs on which ``light`` was weak after its first training: what it was trained on further.

    CONCOLOR_DATA=... python benchmarks/light_graphs.py FOLDER

Half are graphs of the data set ``general``, the first of every kind. The others are larger, and of
the families on which it needed more colors than ``general``: random regular, geometric, interval
and small-world graphs of 80 to 400 nodes, and neighborhoods in CiteSeer and PubMed. Cora is left
out, so that its graphs in ``value.py`` are of a network that was never seen. Writes
``FOLDER/*.npz``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np

import concolor as cc

Draw: TypeAlias = Callable[[np.random.Generator], str]
OLD, CITATIONS, SEED = 420, 50, 3  # graphs of general, of each citation network
WEAK: dict[str, tuple[int, Draw]] = {  # how many of each, and the family of one
    "regular": (140, lambda r: f"regular:{2 * r.integers(50, 161)}x{r.integers(4, 11)}"),
    "geometric": (
        70,
        lambda r: (
            f"geometric:{(n := r.integers(100, 401))}x{np.sqrt(r.uniform(6, 22) / (np.pi * n)):.5f}"
        ),
    ),
    "interval": (70, lambda r: f"interval:{r.integers(80, 321)}x{r.uniform(3, 12):.2f}"),
    "watts": (
        40,
        lambda r: f"watts:{r.integers(80, 301)}x{2 * r.integers(2, 6)}x{r.uniform(0.05, 0.5):.3f}",
    ),
}


def training() -> list[cc.Graph]:
    """The graphs, the same in every call."""
    rng = np.random.default_rng(SEED)
    specs = [draw(rng) for count, draw in WEAK.values() for _ in range(count)]
    weak = [cc.family(spec, seed=int(rng.integers(2**31))) for spec in specs]
    cited = [
        graph.but(x=None)
        for name in ("citeseer-subgraphs", "pubmed-subgraphs")
        for graph in cc.dataset(name).train[:CITATIONS]
    ]
    return [*cc.dataset("general").train[:OLD], *weak, *cited]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    for place, graph in enumerate(training()):
        cc.write(graph, args.folder / f"{place:04}.npz")


if __name__ == "__main__":
    main()
