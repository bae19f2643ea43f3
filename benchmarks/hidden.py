"""Hidden colorings: who finds them, and how soon.

    python benchmarks/hidden.py [--seeds 3] [--limit 5]

Random graphs of mean degree d across k hidden classes (``hidden_graphs.py``; other seeds than those
of the training). k is given, and everything from the graph to a proper k-coloring counts. Ways:
tabu search from DSATUR's coloring; clusters of the k - 1 lowest eigenvectors, then tabu search; the
same from clusters of the shipped model ``hidden``, which reads eight eigenvectors; and of
``general``, which reads none. Rows are appended to ``hidden.jsonl`` as they are done, and not
measured again; ``hidden.md`` is written from them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import numpy as np

import concolor as cc
from concolor.decoding.cluster import line_means, sphere_means
from concolor.decoding.distance import unit
from concolor.features.spectral import lowest_vectors
from concolor.models import load
from hidden_graphs import hidden
from measure import keep

FILE = Path(__file__).with_suffix(".jsonl")
CASES = [  # nodes, classes, degree over (k - 1)^2
    *((5000, k, ratio) for ratio in (1.1, 1.25) for k in (3, 4, 5, 6)),
    *((20_000, k, 1.25) for k in (4, 5)),
]


def by_eigenvectors(graph: cc.Graph, k: int) -> np.ndarray:
    return sphere_means(unit(lowest_vectors(graph, k - 1)[1]), 0)(k).clusters


def by_model(name: str) -> Callable[[cc.Graph, int], np.ndarray]:
    return lambda graph, k: line_means(load(name).embed(graph, seed=0), 0)(k).clusters


WAYS: dict[str, Callable[[cc.Graph, int], np.ndarray] | None] = {
    "TabuCol": None,
    "spectral": by_eigenvectors,
    "hidden": by_model("hidden"),
    "general": by_model("general"),
}


def measured(graph: cc.Graph, k: int, way: str, limit: float) -> dict[str, float]:
    """The share of conflicts that clusters leave, those after the search, and all seconds."""
    begun = time.perf_counter()
    make, found = WAYS[way], {}
    start = None if make is None else cc.Coloring(graph, make(graph, k).astype(np.int64))
    if start is not None:
        found["raw"] = start.mono
    left = max(limit - (time.perf_counter() - begun), 0)
    solved = cc.solve(graph, "tabucol", k=k, start=start, time_limit=left)
    return found | {"left": solved.coloring.conflicts, "seconds": time.perf_counter() - begun}


def run(seeds: int, limit: float) -> None:
    done = {(r["n"], r["k"], r["ratio"], r["seed"], r["way"]) for r in rows()}
    warm, _ = hidden(600, 4, 12, 1)
    for way in WAYS:
        measured(warm, 4, way, 0.1)  # loads what there is to load
    for n, k, ratio in CASES:
        for seed in range(seeds):
            graph, _ = hidden(n, k, ratio * (k - 1) ** 2, 900 + seed)
            for way in WAYS:
                if (n, k, ratio, seed, way) not in done:
                    row = {"n": n, "k": k, "ratio": ratio, "seed": seed, "way": way}
                    row |= measured(graph, k, way, limit) | {"limit": limit}
                    with FILE.open("a") as lines:
                        lines.write(json.dumps(row) + "\n")


def rows() -> list[dict]:
    return [json.loads(line) for line in FILE.read_text().splitlines()] if FILE.exists() else []


def report() -> Iterator[str]:
    found = rows()
    yield "# Hidden colorings"
    yield ""
    limit = max(row["limit"] for row in found)
    yield (
        "Written by `benchmarks/hidden.py`: proper k-colorings found within "
        f"{limit:g} s, of how many graphs, and the median seconds of those found; in brackets the "
        "conflicts that the clusters leave before the search, in per cent of the edges. d is the "
        "mean degree. None of the graphs was trained on."
    )
    yield ""
    yield f"| n | k | d / (k-1)^2 | {' | '.join(WAYS)} |"
    yield "|---|---|---|" + "---|" * len(WAYS)
    for case in CASES:
        cells = []
        for way in WAYS:
            same = [r for r in found if (r["n"], r["k"], r["ratio"], r["way"]) == (*case, way)]
            cells.append(_cell(same))
        yield f"| {case[0]} | {case[1]} | {case[2]} | {' | '.join(cells)} |"
    both = [[row["left"] == 0 for row in found if row["way"] == way] for way in WAYS]
    yield f"| all | | | {' | '.join(f'{sum(way)} of {len(way)}' for way in both)} |"


def _cell(same: list[dict]) -> str:
    if not same:
        return "-"
    solved = [row["seconds"] for row in same if row["left"] == 0]
    text = f"{len(solved)} of {len(same)}" + (f", {median(solved):.1f} s" if solved else "")
    raw = [100 * row["raw"] for row in same if "raw" in row]
    return text + (f" ({median(raw):.1f})" if raw else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=5.0)
    args = parser.parse_args()
    run(args.seeds, args.limit)
    keep(report(), FILE.with_suffix(".md"))


if __name__ == "__main__":
    main()
