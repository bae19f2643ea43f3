"""Graphs as a user would have many of: what the shipped model is taught in ``finetune.py``.

Three distributions, each of one kind and of many seeds, of sizes from real work:

- *timetables*: the exams of one faculty, term after term: 120 to 250 of them, three or four
  students each, the family ``exam``.
- *planted*: six equal classes, 500 to 1000 nodes, a random graph of mean degree 1.6 to 2.2 times
  (k - 1)^2 across them, and 3 % of the edges inside classes, as mistakes in the data would put them
  there: the classes are no proper coloring, but within the 5 % that raw colorings may leave.
- *frequencies*: 150 to 300 transmitters around towns, adjacent where their circles overlap, as in
  ``examples/frequencies.py``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial import KDTree

import concolor as cc

CLASSES, NOISE = 6, 0.03
TOWNS, SPREAD = 12, 0.06  # of the unit square


def timetable(seed: int) -> cc.Graph:
    rng = np.random.default_rng([seed, 1])
    exams = int(rng.integers(120, 251))
    return cc.family(f"exam:{exams}x{int(exams * rng.uniform(3, 4))}", seed=seed)


def planted(seed: int) -> cc.Graph:
    rng = np.random.default_rng([seed, 2])
    n = int(rng.integers(500, 1001))
    m = round(n * rng.uniform(1.6, 2.2) * (CLASSES - 1) ** 2 / 2)
    classes = rng.permutation(np.arange(n) % CLASSES)
    pairs = rng.integers(0, n, (3 * m, 2))
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    pairs = rng.permutation(pairs)
    inside, noise = classes[pairs[:, 0]] == classes[pairs[:, 1]], round(NOISE * m)
    chosen = np.concatenate([pairs[inside][:noise], pairs[~inside][: m - noise]])
    return cc.Graph.from_edges(n, chosen, name=f"planted-{seed}")


def frequencies(seed: int) -> cc.Graph:
    rng = np.random.default_rng([seed, 3])
    n = int(rng.integers(150, 301))
    towns = rng.random((TOWNS, 2))
    near = towns[rng.integers(TOWNS, size=n)] + SPREAD * rng.standard_normal((n, 2))
    places = np.where(rng.random((n, 1)) < 0.5, near, rng.random((n, 2)))
    reach = rng.choice([0.03, 0.05, 0.08], size=n, p=[0.3, 0.5, 0.2])
    close = KDTree(places).query_pairs(2 * reach.max(), output_type="ndarray")
    u, v = close.T
    overlap = np.linalg.norm(places[u] - places[v], axis=1) < reach[u] + reach[v]
    return cc.Graph.from_edges(n, close[overlap], name=f"frequencies-{seed}")


DISTRIBUTIONS: dict[str, Callable[[int], cc.Graph]] = {
    "timetables": timetable,
    "planted": planted,
    "frequencies": frequencies,
}
