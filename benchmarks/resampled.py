"""Rows on other draws of test subgraphs than the fixed thirty: is a difference one of the graphs?

    CONCOLOR_DATA=... OMP_NUM_THREADS=1 python benchmarks/resampled.py

One model a row, seed 0, beside the eigenvectors of the same graphs. Rows are appended to
``resampled.jsonl`` as they are done, and not measured again; ``resampled.md`` is written from them.
Its last table says how many graphs message passing on structural features can bring to the
threshold at all.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, TypeAlias

import numpy as np
import torch

import concolor as cc
from concolor.experiments.cells import Learned
from concolor.experiments.measure import train
from concolor.experiments.paper import printed
from concolor.experiments.suites import SUITES, THRESHOLD, graphs_of, theirs
from concolor.experiments.tables import table_rows
from concolor.features.structural import statistics
from concolor.graph.sampling import sample_subgraphs, split_centers
from concolor.models.spectral import spectral_sweep
from concolor.sweeps import Sweep
from measure import keep
from value import table

FILE = Path(__file__).with_suffix(".jsonl")
Measured: TypeAlias = dict[str, Any]  # figures "fixed", and their "mean" and "std" over the draws

ROWS = (
    ("cora-transfer-subgraph", "cora->citeseer/gated_gcn/v1"),
    ("cora-transfer-subgraph", "cora->pubmed/gated_gcn/v1"),
    ("cora-transfer-abs-random-subgraph", "cora->pubmed/gated_gcn/v2abs"),
    ("pubmed-transfer-results", "gcn/v1"),
    ("pubmed-transfer-results", "gat/v1"),
    ("pubmed-transfer-results", "gin/v1"),
    ("pubmed-transfer-results", "exphormer/v1"),
    ("full-encoder-sweep", "gcn/v2"),
    ("full-encoder-sweep", "gin/v1"),
    ("full-encoder-sweep", "sage/v1"),
)
DRAWS = 6
DIGITS = {"k": 2, "rho": 2, "mono": 3, "hit": 2}


def figures(sweeps: Sequence[Sweep]) -> list[float]:
    """Mean k, rho, mono and hit by the paper's rules."""
    k = [s.k_star() for s in sweeps]
    rho = [at / theirs(s.graph) for at, s in zip(k, sweeps, strict=True)]
    mono = [s.curve[at] / s.graph.m for at, s in zip(k, sweeps, strict=True)]
    return [fmean(k), fmean(rho), fmean(mono), fmean(s.hit() for s in sweeps)]


def learned(name: str, row_name: str) -> Measured:
    """A row of the paper, by one model."""
    row = table_rows(name)[row_name]
    suite = row.suites[""]
    colorer, k_max = train(Learned(row.train, row.recipe, suite)), SUITES[suite].k_max

    def measure(graphs: Sequence[cc.Graph]) -> list[float]:
        asked = {"max_mono": THRESHOLD, "k_max": k_max, "seed": 0, "decoder": "kmedoids"}
        return figures([colorer.sweep(graph, **asked) for graph in graphs])

    return on_all_draws(suite, measure)


def linear(suite: str) -> Measured:
    """What eigenvectors reach on the same graphs without any training."""
    k_max = SUITES[suite].k_max

    def measure(graphs: Sequence[cc.Graph]) -> list[float]:
        return figures([spectral_sweep(g, max_mono=THRESHOLD, k_max=k_max) for g in graphs])

    return on_all_draws(suite, measure)


def on_all_draws(suite: str, measure: Callable[[Sequence[cc.Graph]], list[float]]) -> Measured:
    data = suite.removesuffix("-subgraphs")
    found = list(zip(*(measure(drawn(data, seed)) for seed in range(DRAWS)), strict=True))
    return {
        "fixed": measure(graphs_of(suite)),
        "mean": [fmean(values) for values in found],
        "std": [stdev(values) for values in found],
    }


def alike(graph: cc.Graph) -> float:
    """The share of edges whose ends no message passing on structural features can tell apart.

    Nodes with equal features are told apart by their neighbors, again and again, until that changes
    nothing; what is still alike has one embedding, and one color.
    """
    _, kind = np.unique(statistics(graph).round(9), axis=0, return_inverse=True)
    while True:
        seen = [(int(kind[v]), *sorted(kind[graph.neighbors(v)].tolist())) for v in range(graph.n)]
        numbers = {key: number for number, key in enumerate(dict.fromkeys(seen))}
        finer = np.array([numbers[key] for key in seen])
        if finer.max() == kind.max():
            return float((finer[graph.edges[:, 0]] == finer[graph.edges[:, 1]]).mean())
        kind = finer


def reachable(graphs: Sequence[cc.Graph]) -> float:
    return fmean(alike(graph) <= THRESHOLD for graph in graphs)


def drawn(data: str, seed: int) -> list[cc.Graph]:
    """Thirty test subgraphs of a citation graph."""
    whole = cc.dataset(data).test[0]
    _, centers = split_centers(whole.n)
    return sample_subgraphs(whole, centers, 30, seed=seed)


def suite_of(name: str, row_name: str) -> str:
    return table_rows(name)[row_name].suites[""]


def run() -> None:
    """Append what is not measured yet."""
    suites = dict.fromkeys(suite_of(*row) for row in ROWS)
    wanted = [(f"spectral, {suite}", partial(linear, suite)) for suite in suites]
    wanted += [(", ".join(row), partial(learned, *row)) for row in ROWS]
    for name, measure in wanted:
        if name in kept():
            continue
        begun = time.process_time()
        found = {"name": name, **measure(), "seconds": round(time.process_time() - begun, 1)}
        with FILE.open("a") as lines:
            lines.write(json.dumps(found) + "\n")
        print(found, flush=True)


def kept() -> dict[str, Measured]:
    lines = FILE.read_text().splitlines() if FILE.exists() else []
    return {row["name"]: row for row in map(json.loads, lines)}


def cells(found: Measured, place: int, digits: int) -> list[str]:
    """A figure on the fixed graphs, and its mean and deviation over the other draws."""
    fixed, mean, std = (f"{found[name][place]:.{digits}f}" for name in ("fixed", "mean", "std"))
    return [fixed, f"{mean} ± {std}"]


def learned_table(found: dict[str, Measured]) -> Iterator[str]:
    heads = ["row"]
    for metric in DIGITS:
        heads += [f"{metric}, fixed", f"{metric}, {DRAWS} draws", "paper"]
    heads += ["rho, spectral, fixed", f"rho, spectral, {DRAWS} draws"]
    lines = []
    for name, row_name in ROWS:
        own = found[f"{name}, {row_name}"]
        paper = {r.column: r.raw for r in printed(name) if r.row == row_name}
        line = [f"{name}, {row_name}"]
        for place, (metric, digits) in enumerate(DIGITS.items()):
            line += [*cells(own, place, digits), paper[metric].replace("±", " ± ")]
        control = found[f"spectral, {suite_of(name, row_name)}"]
        lines.append(line + cells(control, list(DIGITS).index("rho"), DIGITS["rho"]))
    return iter(table(heads, lines))


def beaten(found: dict[str, Measured]) -> str:
    """How many learned rows need fewer colors than the control, and where the figures are from."""
    learned_rows = [(found[", ".join(row)], suite_of(*row)) for row in ROWS]
    fewer = sum(
        own["mean"][0] < found[f"spectral, {suite}"]["mean"][0] for own, suite in learned_rows
    )
    older = sum("seconds" not in own for own, _ in learned_rows)
    return (
        f"On the other draws {fewer} of {len(learned_rows)} learned rows need fewer colors than "
        f"the control. {older} of them were measured by this script before it kept its figures "
        "in a file, and are rounded as it printed them."
    )


def control_table(found: dict[str, Measured]) -> Iterator[str]:
    heads = ["graphs"]
    for metric in DIGITS:
        heads += [f"{metric}, fixed", f"{metric}, {DRAWS} draws"]
    lines = []
    for name, own in found.items():
        if name.startswith("spectral, "):
            line = [name.removeprefix("spectral, ")]
            for place, digits in enumerate(DIGITS.values()):
                line += cells(own, place, digits)
            lines.append(line)
    return iter(table(heads, lines))


def reachable_table() -> Iterator[str]:
    lines = []
    for data in ("cora", "citeseer", "pubmed"):
        found = [reachable(drawn(data, seed)) for seed in range(DRAWS)]
        fixed = reachable(graphs_of(f"{data}-subgraphs"))
        lines.append([data, f"{fixed:.2f}", f"{fmean(found):.2f} ± {stdev(found):.2f}"])
    return iter(table(["graphs", "hit at most, fixed", f"hit at most, {DRAWS} draws"], lines))


def report() -> Iterator[str]:
    found = kept()
    yield "# Other draws of test subgraphs"
    yield ""
    yield (
        "Written by `benchmarks/resampled.py`: one model a row, on the thirty test subgraphs of "
        "the tables and on others, drawn from the same centers with other seeds. The last columns "
        "are those of the control, eigenvectors of the same graphs without any training."
    )
    yield ""
    yield from learned_table(found)
    yield ""
    yield beaten(found)
    yield ""
    yield "The control alone:"
    yield ""
    yield from control_table(found)
    yield ""
    yield (
        "What message passing on structural features can reach: graphs on which at most 5 % of "
        "the edges have ends that look alike to it, however many layers it has."
    )
    yield ""
    yield from reachable_table()


def main() -> None:
    torch.set_num_threads(1)
    run()
    keep(report(), FILE.with_suffix(".md"))


if __name__ == "__main__":
    main()
