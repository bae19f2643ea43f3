"""The graphs that the model ``sparse`` goes on with: ``python benchmarks/sparse_graphs.py FOLDER``.

Those of the data set ``general`` with a mean degree of at most 12, and larger regular graphs, which
``light`` is worst at. None is in ``value.py`` or ``light.py``, whose seeds begin at 8000.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import concolor as cc

MOST = 12  # mean degree
REGULAR, SEED = 40, 500  # how many, and the first seed


def training() -> list[cc.Graph]:
    known = [graph for graph in cc.dataset("general").train if 2 * graph.m <= MOST * graph.n]
    rng = np.random.default_rng(5)
    sizes = [(2 * int(rng.integers(80, 200)), int(rng.integers(5, 9))) for _ in range(REGULAR)]
    specs = [f"regular:{n}x{degree}" for n, degree in sizes]
    return known + [cc.family(spec, seed=SEED + place) for place, spec in enumerate(specs)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for place, graph in enumerate(training()):
        cc.write(graph, folder / f"{place:04}.npz")


if __name__ == "__main__":
    main()
