"""The recipe of the shipped model with one setting changed, judged on graphs kept for choosing.

    CONCOLOR_DATA=... OMP_NUM_THREADS=1 python benchmarks/general.py [PART OF A VARIANT ...]

What is chosen here is judged by value.py, on graphs of the same families with other seeds; only
queen boards have none, and are the same in both. Trainings are short, 20 epochs, except that of the
shipped model; last comes the control, eigenvectors without training. Figures are kept in
``general.jsonl``, so a run that was stopped goes on; the table is written to ``general.md``.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path

import numpy as np
import torch

import concolor as cc
from concolor.decoding import guided, unguided
from concolor.models import load
from concolor.solvers.local_search import warm_up
from value import ALLOWED, DRAWS, K_MAX, TRIES, families, table

HERE = Path(__file__).parent
CELLS = HERE / "general.jsonl"
FIRST = 8000  # seeds of the graphs to choose by
SECONDS = 0.5  # of TabuCol
SHORT = {"epochs": 20, "hidden": 64, "steps": 48}
VARIANTS: dict[str, dict | str] = {  # changes of the recipe, or a shipped model
    "proper labels": {"labels": "tabucol"},
    "relaxed labels": {},
    "tau 0.15": {"tau": 0.15},
    "tau 0.3": {"tau": 0.3},
    "96 channels": {"hidden": 96},
    "as shipped": "general",
    "spectral, no training": "spectral",
}


def figures(colorer: cc.Colorer, graphs: list[cc.Graph]) -> dict[str, float]:
    """Mean raw k and guided k of a family, beside TabuCol at the same 5 % and the control."""
    rows = []
    for graph in graphs:
        z = np.stack([colorer.embed(graph, seed=draw) for draw in range(DRAWS)])
        raw = min(colorer.sweep(graph, z=part, k_max=K_MAX, seed=0).k_star() for part in z)
        tabu = cc.solve(graph, "tabucol", max_mono=ALLOWED, time_limit=SECONDS).coloring
        control = unguided(graph, tries=TRIES)
        rows.append((raw, tabu.k, guided(graph, z, tries=TRIES).k, control.k))
    means = map(statistics.fmean, zip(*rows, strict=True))
    return dict(zip(("raw", "tabu", "guided", "control"), means, strict=True))


def known() -> dict[str, dict]:
    """The lines that are there, by variant."""
    lines = CELLS.read_text().splitlines() if CELLS.exists() else []
    return {line["variant"]: line for line in map(json.loads, lines)}


def render(lines: dict[str, dict]) -> str:
    names = list(next(iter(lines.values()))["families"])
    rows = []
    for variant, line in lines.items():
        found = [line["families"][name] for name in names]
        ratios = [part["raw"] / part["tabu"] for part in found]
        gains = [part["control"] - part["guided"] for part in found]
        rows.append(
            [
                variant,
                "-" if line["loss"] is None else f"{line['loss']:.3f}",
                f"{line['steps']}",
                f"{line['seconds']:.0f}",
                *(f"{ratio:.2f}" for ratio in ratios),
                f"{statistics.fmean(ratios):.3f}",
                f"{statistics.fmean(gains):.2f}",
            ]
        )
    heads = ["variant", "loss", "steps", "seconds", *names, "mean", "guided's gain"]
    text = [
        "# Choosing the recipe of the shipped model",
        "",
        "Written by `benchmarks/general.py`, one run a row. Raw k at 5 % conflicts over TabuCol's",
        "at the same 5 %, family by family; last, how many colors fewer `guided` needs than its",
        "random-choice control. Losses at different tau or labels are not comparable.",
        "",
        *table(heads, rows),
    ]
    return "\n".join(text) + "\n"


def main() -> None:
    torch.set_num_threads(1)
    warm_up()
    graphs = families(6, FIRST) | {"cora": list(cc.dataset("cora-subgraphs").train[:6])}
    del graphs["myciel (never trained)"]
    data = cc.dataset("general").train
    for variant, changes in VARIANTS.items():
        asked = not sys.argv[1:] or any(word in variant for word in sys.argv[1:])
        if not asked or variant in known():
            continue
        if isinstance(changes, str):
            colorer = load(changes)
        else:
            recipe = cc.Recipe.named("general").but(**{**SHORT, **changes})
            colorer = cc.Colorer(recipe).fit(data)
        history = colorer.model.history
        line = {
            "variant": variant,
            "loss": history.losses[-1] if history.losses else None,
            "steps": history.steps,
            "seconds": history.seconds,
            "families": {name: figures(colorer, members) for name, members in graphs.items()},
        }
        with CELLS.open("a") as file:
            file.write(json.dumps(line) + "\n")
        print(variant, line["loss"], flush=True)
    (HERE / "general.md").write_text(render(known()))


if __name__ == "__main__":
    main()
