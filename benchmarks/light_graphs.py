"""The graphs that ``sparse`` and ``overlap`` go on with: ``light_graphs.py MODEL FOLDER``.

For ``sparse`` those of the data set ``general`` with a mean degree of at most 12, and larger
regular graphs, which ``light`` is worst at; for ``overlap`` geometric and interval graphs of 60 to
319 nodes. None is in ``value.py`` or ``light.py``, whose seeds begin at 8000.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import concolor as cc

MOST = 12  # mean degree
REGULAR, SEED = 40, 500  # how many, and the first seed
OVERLAPPING, OVERLAP_SEED = 120, 900  # of each kind


def sparse() -> list[cc.Graph]:
    known = [graph for graph in cc.dataset("general").train if 2 * graph.m <= MOST * graph.n]
    rng = np.random.default_rng(5)
    sizes = [(2 * int(rng.integers(80, 200)), int(rng.integers(5, 9))) for _ in range(REGULAR)]
    specs = [f"regular:{n}x{degree}" for n, degree in sizes]
    return known + [cc.family(spec, seed=SEED + place) for place, spec in enumerate(specs)]


def overlap() -> list[cc.Graph]:
    rng = np.random.default_rng(6)
    specs = []
    for _ in range(OVERLAPPING):
        n, degree = int(rng.integers(60, 320)), rng.uniform(9, 24)
        specs.append(f"geometric:{n}x{np.sqrt(degree / (np.pi * n)):.5f}")
        n = int(rng.integers(60, 320))
        specs.append(f"interval:{n}x{rng.uniform(5, 13):.2f}")
    return [cc.family(spec, seed=OVERLAP_SEED + place) for place, spec in enumerate(specs)]


TRAINING = {"sparse": sparse, "overlap": overlap}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=TRAINING)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for place, graph in enumerate(TRAINING[options.model]()):
        cc.write(graph, options.folder / f"{place:04}.npz")


if __name__ == "__main__":
    main()
