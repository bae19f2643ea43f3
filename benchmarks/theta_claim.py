"""What trained embeddings certify: the paper's lemma and corollary, measured.

    CONCOLOR_DATA=... OMP_NUM_THREADS=1 python benchmarks/theta_claim.py    # runs what is missing
    python benchmarks/theta_claim.py --page                                 # only writes the page

For gated_gcn with the absolute loss, trained on each family with DSATUR's labels and with optimal
ones, and for every test graph of it: eps, alpha and delta of the embedding, the bounds of the lemma
and of the corollary, ours from the same vectors, and theta and chi beside. One line a graph in
theta_claim.jsonl; the page is theta_claim.md.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import concolor as cc
from concolor.certificates import best_handle, measure, prototypes, sharpen
from concolor.graph.datasets import dataset
from concolor.theory import collapse

FILE = Path(__file__).with_suffix(".jsonl")
PAGE = Path(__file__).with_suffix(".md")
BASE = cc.Recipe(encoder="gated_gcn", pipeline="v1abs")
RANDOM = BASE.but(features="random", feature_dim=64)
FAMILIES = {  # data set -> its recipe in the paper's tables, and the splits that are tested
    "cora-subgraphs": (BASE, ("test",)),
    "color-book": (RANDOM.but(tau=0.1, epochs=80), ("id", "ood")),
    "color-queen": (RANDOM.but(tau=0.1, epochs=80), ("id", "ood")),
    "cycles": (BASE.but(features="random", epochs=40), ("small",)),
}
LABELS = ("dsatur", "optimal")
GRAPHS = 12  # of a family
SECONDS = 20.0  # for an optimal coloring, and for both sides of theta


def rows(family: str, labels: str) -> Iterator[dict]:
    """One line for each test graph of a family."""
    recipe, splits = FAMILIES[family]
    data = dataset(family)
    training = labeled(data.train, labels)
    colors = [coloring for _, coloring in training]
    model = cc.Colorer(recipe).fit([g for g, _ in training], labels=colors, device="cpu")
    fewer = sum(coloring.k < cc.dsatur(graph).k for graph, coloring in training)
    graphs = [graph for split in splits for graph in data.splits[split]]
    for graph in graphs[:: max(len(graphs) // GRAPHS, 1)][:GRAPHS]:
        found = cc.solve(graph, "exact", time_limit=SECONDS)
        about = {"family": family, "labels": labels, "training": len(training), "fewer": fewer}
        yield {**about, **certified(graph, model, found)}


def labeled(graphs: Sequence[cc.Graph], labels: str) -> list[tuple[cc.Graph, cc.Coloring]]:
    """Training graphs with their labels; optimal ones where they are proved in time."""
    if labels == "dsatur":
        return [(graph, cc.dsatur(graph)) for graph in graphs]
    found = [(graph, cc.solve(graph, "exact", time_limit=SECONDS)) for graph in graphs]
    return [(graph, one.coloring) for graph, one in found if one.is_proved]


def certified(graph: cc.Graph, model: cc.Colorer, exact: cc.Solution) -> dict:
    """The geometry of an embedding, and all bounds of theta."""
    z = model.embed(graph).astype(float)
    own = cc.color(graph, model=model, time_limit=SECONDS / 4)
    seen = [collapse(graph, one.colors, z) for one in (exact.coloring, own)]
    near = min(zip(seen, (exact.coloring, own), strict=True), key=lambda pair: _delta(pair[0]))
    coloring = near[1]
    r = best_handle(z, graph, coloring=coloring)
    found = measure(z, r, graph, coloring)
    sides = sharpen(*prototypes(exact.coloring), graph, clock=cc.goal.Clock(SECONDS))
    return {
        "graph": graph.name,
        "n": graph.n,
        "degree": int(graph.degrees.max()),
        "k": coloring.k,
        "eps": found.eps,
        "eps_mean": float(near[0].edge_cosines.mean()),
        "alpha": found.alpha,
        "delta": found.delta,
        "spread": float(near[0].distances.mean()),
        "lemma": found.lemma,
        "sharper": found.sharper,
        "corollary": _finite(found.corollary),
        "theta": [sides.lower, sides.upper],
        "chi": exact.coloring.k if exact.is_proved else None,
    }


def _delta(seen) -> float:
    return math.inf if seen.orthonormal_delta is None else seen.orthonormal_delta


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def page(lines: list[dict]) -> Iterator[str]:
    """Medians over the graphs of each family."""
    yield "# What trained embeddings certify"
    yield ""
    yield (
        "Written by `benchmarks/theta_claim.py`: medians over test graphs; every line of "
        "theta_claim.jsonl is a graph. gated_gcn with the absolute loss, the settings of the "
        "paper's tables, one seed. eps is the largest absolute cosine on an edge, alpha the "
        "smallest with the best handle, delta the largest distance of a node from the orthonormal "
        "prototype of its color, spread the mean distance from the line of its color: by the "
        "better of the coloring that `exact` finds in 20 s and the one that the model finds. All "
        "bounds are upper bounds of theta. Optimal labels are those that are proved in 20 s; "
        "*with fewer colors* counts the training graphs on which they beat DSATUR's: where there "
        "is none, both trainings are the same."
    )
    yield ""
    heads = ["trained on", "labels", "graphs", "with fewer colors", "tested", "largest degree"]
    heads += [
        "colors",
        "eps",
        "mean cosine",
        "alpha",
        "delta",
        "spread",
        "lemma",
        "our handle bound",
        "corollary finite",
    ]
    heads += ["theta", "chi"]
    yield _row(heads)
    yield _row(["---"] * len(heads))
    for family, labels, mine in _groups(lines):
        finite = sum(line["corollary"] is not None for line in mine)
        theta = [statistics.fmean(line["theta"]) for line in mine]
        chi = [line["chi"] for line in mine if line["chi"] is not None]
        middle = [_median(mine, name, 0) for name in ("degree", "k")]
        middle += [
            _median(mine, name, 2) for name in ("eps", "eps_mean", "alpha", "delta", "spread")
        ]
        middle += [_median(mine, name, 1) for name in ("lemma", "sharper")]
        ends = [f"{finite} of {len(mine)}", f"{statistics.median(theta):.2f}"]
        ends.append(f"{statistics.median(chi):g}" if chi else "-")
        counts = [str(mine[0]["training"]), str(mine[0]["fewer"]), str(len(mine))]
        yield _row([family, labels, *counts, *middle, *ends])
    yield ""
    yield "## What training would have to reach"
    yield ""
    yield (
        "The corollary says something only where delta < k^(-1/2), and at most 2 k, twice what it "
        "says of perfect prototypes, where moreover (1 + degree eps) / (1 - delta k^(1/2))^2 <= 2: "
        "with delta = 0 that is eps <= 1 / degree, with eps = 0 it is delta <= 0.29 k^(-1/2)."
    )
    yield ""
    heads = ["trained on", "labels", "delta, median", "finite below", "2 k below", "eps, median"]
    heads += ["2 k below", "graphs with such a delta", "graphs with such an eps"]
    yield _row(heads)
    yield _row(["---"] * len(heads))
    for family, labels, mine in _groups(lines):
        half = 1 - 0.5**0.5
        limits = [line["k"] ** -0.5 for line in mine]
        steps = [1 / line["degree"] for line in mine]
        small = sum(_known(line) <= half * limit for line, limit in zip(mine, limits, strict=True))
        flat = sum(line["eps"] <= step for line, step in zip(mine, steps, strict=True))
        limit, step = statistics.median(limits), statistics.median(steps)
        deltas = [_median(mine, "delta", 2), f"{limit:.2f}", f"{half * limit:.2f}"]
        counts = [f"{found} of {len(mine)}" for found in (small, flat)]
        yield _row([family, labels, *deltas, _median(mine, "eps", 2), f"{step:.3f}", *counts])


def _groups(lines: list[dict]) -> Iterator[tuple[str, str, list[dict]]]:
    for family in FAMILIES:
        for labels in LABELS:
            mine = [x for x in lines if (x["family"], x["labels"]) == (family, labels)]
            if mine:
                yield family, labels, mine


def _known(line: dict) -> float:
    return math.inf if line["delta"] is None else line["delta"]


def _median(lines: list[dict], name: str, digits: int) -> str:
    known = [math.inf if line[name] is None else line[name] for line in lines]
    return f"{statistics.median(known):.{digits}f}"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    there = [json.loads(line) for line in FILE.read_text().splitlines()] if FILE.exists() else []
    done = {(line["family"], line["labels"]) for line in there}
    for family in FAMILIES if "--page" not in sys.argv else ():
        for labels in LABELS:
            if (family, labels) not in done:
                new = list(rows(family, labels))
                with FILE.open("a") as file:
                    file.writelines(json.dumps(line) + "\n" for line in new)
                there += new
                print(family, labels, len(new), flush=True)
    PAGE.write_text("\n".join(page(there)) + "\n")


if __name__ == "__main__":
    main()
