"""Rows of the paper's tables with one setting changed: the ablations that results/LOG.md tells of.

    CONCOLOR_DATA=... OMP_NUM_THREADS=1 python benchmarks/ablations.py [PART OF A ROW ...]

One line a run, printed as it ends: the row, what was changed, k, mono, rho and hit of each suite,
of whole graphs k at three thresholds (None: missed) and conflicts at chi, and k of the one graph
that a row is about. What is no setting (self-loops of gat, other scalings of words, weights or
statistics) was tried by changing the code for a moment, and has no line here.
"""

from __future__ import annotations

import sys

import torch

from concolor.experiments.cells import Learned
from concolor.experiments.measure import decode, train
from concolor.experiments.suites import graphs_of
from concolor.experiments.tables import table_rows


def seeded(seeds: tuple[int, ...], *runs: dict) -> tuple[dict, ...]:
    """Each run with each seed."""
    return tuple({"seed": seed} | changes for changes in runs for seed in seeds)


UNTUNED = {"layers": 2, "heads": 4, "dropout": 0.1, "lr": 0.003}  # GPS as in no tuned row
RUNS: dict[tuple[str, str], tuple[dict, ...]] = {
    ("full-encoder-sweep", "gated_gcn/v1"): ({}, {"unit_words": True}, {"tau": 0.1}, {"tau": 0.2}),
    ("full-encoder-sweep", "gated_gcn/v2"): ({}, {"soft_weights": "raw"}),
    ("full-encoder-sweep", "gcn/v1"): ({}, {"unit_words": True}, {"tau": 0.1}, {"tau": 0.2}),
    ("full-encoder-sweep", "gcn/v2"): (
        *({}, {"tau": 0.2}, {"epochs": 30}, {"lr": 0.003}, {"form": "log"}),
        *({"batch_size": 5}, {"lambda_soft": 0.2, "degree_power": 3.0, "tau_soft": 1.0}),
        *seeded((1, 2, 3), {"epochs": 10}, {"epochs": 30}),
    ),
    ("full-encoder-sweep", "gin/v1"): ({}, {"tau": 0.1}, {"tau": 0.2}),
    ("full-encoder-sweep", "sage/v1"): (
        *({}, {"tau": 0.1}, {"tau": 0.2}, {"epochs": 30}, {"epochs": 80}, {"form": "log"}),
        *({"epochs": 30, "lr": 0.003}, {"epochs": 30, "dropout": 0.0}),
    ),
    ("full-encoder-sweep", "gat/v1"): ({}, {"lr": 0.003}, {"epochs": 30}),
    ("cora-v1-v5", "v2"): ({}, {"soft_weights": "raw"}),
    ("cora-v1-v5", "v5"): (
        *({}, {"epochs": 10}, {"epochs": 30}, {"epochs": 60}),
        *({"epochs": 10, "degree_power": power} for power in (0.0, 1.0, 4.0)),
        *({"epochs": 10, "lr": lr} for lr in (0.003, 0.001)),
        *({"epochs": 10, "tau_soft": tau} for tau in (0.5, 0.2)),
    ),
    ("nonmp-unitary-sweep", "gps_gin/v2"): ({}, {"epochs": 30}),
    ("citeseer-transfer-results", "gin/v2"): ({}, {"epochs": 30}),
    ("pubmed-transfer-results", "gcn/v1"): (
        *({}, {"epochs": 30}, {"batch_size": 5}, {"layers": 3}, {"lr": 0.003}),
        *({"tau": 0.2}, {"unit_words": False}),
    ),
    ("pubmed-transfer-results", "gat/v1"): ({}, {"epochs": 30}, {"batch_size": 5}, {"lr": 0.003}),
    ("pubmed-transfer-results", "gated_gcn/v1"): ({}, {"epochs": 30}),
    ("pubmed-transfer-results", "gin/v1"): ({}, {"epochs": 30}, {"batch_size": 5}, {"tau": 0.2}),
    ("appendix-signnet", "gated_gcn/signnet"): ({}, {"tau": 0.1}, {"tau": 0.3}),
    ("citeseer-transfer-results", "gin/v1"): (
        *({}, {"unit_words": False}, {"unit_words": False, "tau": 0.1}),
        {"unit_words": False, "epochs": 30},
    ),
    ("citeseer-transfer-results", "gcn/v1"): ({}, {"unit_words": False}),
    ("pubmed-transfer-results", "gps_gcn/v2"): (
        *({}, {"unit_words": False}, {"unit_words": False, "tau": 0.1}),
        *({"tau": 0.2}, {"epochs": 30}),
    ),
    ("citeseer-transfer-results", "gps_gin/v2"): ({}, {"lr": 0.003}, {"tau": 0.2}, {"epochs": 30}),
    ("pubmed-transfer-results", "exphormer/v1"): (
        *({}, {"epochs": 30}, {"unit_words": False}, {"unit_words": False, "tau": 0.1}),
        *({"unit_words": False, "epochs": 30}, {"tau": 0.2}, {"form": "log"}, {"dropout": 0.0}),
        *({"batch_size": 5}, {"lr": 0.01}, {"layers": 3}, {"expander_degree": 4}),
    ),
    ("bow-adapt-subgraph-v2-main", "cora->pubmed/svd/gps_sage/v2"): ({}, {"unit_words": False}),
    ("bow-adapt-subgraph-v2-main", "cora->pubmed/hybrid/gps_sage/v2"): ({}, {"unit_words": False}),
    ("bow-adapt-subgraph-v2", "cora->citeseer/hybrid/gps_sage/v2"): ({}, UNTUNED, {"lr": 0.01}),
    ("bow-adapt-full-v1", "cora->citeseer/svd/gps_gcn/v1"): ({}, UNTUNED),
    ("bow-adapt-full-v1", "cora->citeseer/hybrid/gps_sage/v1"): seeded(
        (1, 2, 3), {}, {"layers": 3}, {"epochs": 30}, {"tau": 0.2}, {"dropout": 0.1}
    ),
    **{
        ("bow-adapt-full-v2", f"cora->pubmed/{words}/gps_gcn/v2"): seeded(
            (seed,), {}, {"layers": 3}, {"tau": 0.2}
        )
        for words, seed in (("hybrid", 6), ("hybrid+ln", 5), ("svd", 5))  # these missed
    },
    ("bow-adapt-subgraph-v1", "cora->pubmed/hybrid+ln/gps_sage/v1"): seeded(
        (1,), {}, {"layers": 3}, {"tau": 0.2}
    ),
    ("cora-transfer-abs-random-subgraph", "cora->pubmed/gated_gcn/v2abs"): (
        *({}, {"passes": 4}, {"tau": 0.2}, {"tau": 0.1}, {"epochs": 30}, {"layers": 3}),
        *({"layers": 3, "dropout": 0.2}, {"redraw": True}, {"lr": 0.003}, {"batch_size": 5}),
        *({"lambda_soft": 0.2, "degree_power": 3.0, "tau_soft": 1.0}, {"soft_weights": "raw"}),
    ),
    ("bow-adapt-full-v1", "cora->pubmed/hybrid/gps_sage/v1"): ({}, UNTUNED),
    ("cora-transfer-subgraph", "cora->citeseer/gps_gcn/v1"): ({}, UNTUNED),
    ("cora-transfer-subgraph", "cora->pubmed/gps_sage/v2"): ({}, UNTUNED, {"lr": 0.003}),
    ("cora-transfer-subgraph", "cora->citeseer/gated_gcn/v1"): (
        *({}, {"lr": 0.003}, {"dropout": 0.1}, {"layers": 4, "dropout": 0.1}),
        *(
            {"layers": 2, "dropout": 0.1} | more
            for more in (
                *({}, {"epochs": 30}, {"epochs": 80}, {"lr": 0.003}, {"batch_size": 1}),
                *({"lr": 0.003, "epochs": 40}, {"tau": 0.1}, {"tau": 0.2}),
            )
        ),
    ),
    ("bow-adapt-subgraph-v2", "cora->citeseer/hybrid/gated_gcn/v2"): (
        *({}, {"layers": 3, "dropout": 0.2}),
    ),
    ("fullgraph-contrastive-results", "cora/gps_sage/v1"): seeded(
        (1, 6),  # these never reached zero conflicts
        *({}, {"epochs": 30}, {"tau": 0.2}, {"dropout": 0.2}, {"form": "log"}),
    ),
    ("fullgraph-contrastive-results", "cora/gated_gcn/v1"): ({}, {"form": "log"}),
    ("fullgraph-contrastive-results", "citeseer/gated_gcn/v1"): ({}, {"form": "log"}),
    ("fullgraph-contrastive-results", "pubmed/gated_gcn/v1"): (
        *({}, {"unit_words": True}, {"lr": 0.01}),
        *seeded((0, 1, 2), {"form": "log"}),
    ),
    ("fullgraph-contrastive-results", "pubmed/unitary_mp/v1"): (
        {},
        *seeded((0, 1, 2), {"form": "log"}),
    ),
    ("fullgraph-contrastive-results", "pubmed/gps_gcn/v1"): ({"form": "log", "epochs": 40},),
    ("avg-v2", "small/gps_sage/v2abs"): ({}, {"epochs": 10}, {"redraw": True}, {"tau": 0.2}),
    ("small-cycles-per-graph", "C_34/gps_sage/v2abs"): seeded(
        (0, 1), {}, {"layers": 3, "dropout": 0.2}, {"passes": 2}
    ),
    ("avg-v1", "small/gated_gcn/v1abs"): ({}, {"epochs": 10}, {"redraw": True}, {"passes": 4}),
    ("avg-v1", "large/gated_gcn/v1abs"): ({}, {"passes": 4}),
    ("avg-v2", "large/gated_gcn/v2abs"): ({}, {"passes": 4}),
    ("color-queen-detail", "queen/random/gated_gcn/v1"): (
        *({}, {"tau": 0.3}, {"tau": 0.3, "redraw": True}),
    ),
    ("color-queen-detail", "queen/random/gps_sage/v2"): (
        *({}, {"layers": 3, "dropout": 0.2, "lr": 0.01}),
    ),
    ("color-queen-detail", "queen/struct/gated_gcn/v1"): (
        *({}, {"layers": 3, "dropout": 0.2}, {"tau": 0.05}, {"tau": 0.3}, {"form": "log"}),
        *({"epochs": 20}, {"lr": 0.003}, {"dropout": 0.0}, {"batch_size": 1}, {"feature_dim": 16}),
    ),
    ("full-encoder-sweep", "graph_vit/v1"): ({}, {"lr": 0.003}),
    ("color-book-detail", "book/random/gps_gcn/v1"): (
        *({}, {"tau": 0.3}, {"tau": 0.3, "batch_size": 1}),
    ),
    ("color-book-detail", "book/random/gps_sage/v1"): (
        *({}, {"tau": 0.3}, {"tau": 0.3, "redraw": True}),
    ),
    ("color-myciel-detail", "myciel/struct/gps_sage/v1"): ({}, {"tau": 0.2}, {"tau": 0.3}),
}


def main() -> None:
    torch.set_num_threads(1)
    for (table, row_name), runs in RUNS.items():
        if sys.argv[1:] and not any(word in f"{table}/{row_name}" for word in sys.argv[1:]):
            continue
        row = table_rows(table)[row_name]
        for changes in runs:
            cells = [
                Learned(row.train, row.recipe.but(**changes), suite)
                for suite in row.suites.values()
            ]
            colorer = train(cells[0])
            for cell in cells:
                line = decode([cell], colorer)[0]
                found = line["metrics"]
                shown = [f"{metric} {found[metric]:.3f}" for metric in ("k", "mono", "rho", "hit")]
                whole = ("k_0.05", "k_0.02", "k_zero", "conflicts_at_chi")
                shown += [f"{metric} {found[metric]}" for metric in whole if metric in found]
                if row.graph:
                    names = [graph.name for graph in graphs_of(cell.suite)]
                    shown.append(f"k of {row.graph} {line['graphs']['k'][names.index(row.graph)]}")
                what = f"{table}/{row_name} {changes or 'as it is'} on {cell.suite}:"
                print(what, *shown, flush=True)


if __name__ == "__main__":
    main()
