"""Does it pay to teach the shipped model one kind of graphs? What a user with many alike would do.

    OMP_NUM_THREADS=1 python benchmarks/specialists.py [FAMILY ...]

For each family, training goes on from the shipped model on 200 graphs of the very specifications
that value.py judges by, with other seeds; both models then color graphs of a third range of seeds.
The table is written to ``specialists.md``; families that are not asked for stay as they are.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

import concolor as cc
from concolor.models import load
from concolor.solvers.local_search import warm_up
from general import figures
from value import FAMILIES, table

HERE = Path(__file__).parent
CELLS = HERE / "specialists.jsonl"
TAUGHT, JUDGED = 6000, 7000  # first seeds
GRAPHS, EPOCHS, RATE, COUNT = 200, 10, 0.001, 10


def drawn(name: str, first: int, count: int) -> list[cc.Graph]:
    """``count`` graphs of a family, half of them of each specification."""
    seeds = range(first, first + count // 2)
    return [cc.family(spec, seed=seed) for spec in FAMILIES[name] for seed in seeds]


def measured(name: str) -> dict:
    """Figures of the shipped model and of the one that was taught more."""
    shipped, judged = load(), drawn(name, JUDGED, COUNT)
    recipe = shipped.recipe.but(epochs=EPOCHS, lr=RATE, relabel=0, held_out=0)
    special = cc.Colorer(recipe).fit(drawn(name, TAUGHT, GRAPHS), start=shipped)
    return {
        "family": name,
        "seconds": special.model.history.seconds,
        "losses": special.model.history.losses,
        "shipped": figures(shipped, judged),
        "special": figures(special, judged),
    }


def controlled(name: str) -> dict:
    """Figures of the eigenvectors alone."""
    return {"family": f"{name}, spectral", **figures(load("spectral"), drawn(name, JUDGED, COUNT))}


def known() -> dict[str, dict]:
    """The lines that are there, by family."""
    lines = CELLS.read_text().splitlines() if CELLS.exists() else []
    return {line["family"]: line for line in map(json.loads, lines)}


def render(lines: dict[str, dict]) -> str:
    heads = ["family", "seconds", "loss, first epoch", "last"]
    heads += ["raw, shipped", "raw, special", "raw, spectral", "TabuCol"]
    heads += ["guided, shipped", "guided, special", "guided, spectral", "control"]
    rows = []
    for name in [name for name in lines if f"{name}, spectral" in lines]:
        line, alone = lines[name], lines[f"{name}, spectral"]
        shipped, special = line["shipped"], line["special"]
        losses = [f"{line['losses'][0]:.3f}", f"{line['losses'][-1]:.3f}"]
        means = [shipped["raw"], special["raw"], alone["raw"], special["tabu"]]
        means += [shipped["guided"], special["guided"], alone["guided"], special["control"]]
        rows.append([name, f"{line['seconds']:.0f}", *losses, *(f"{mean:.2f}" for mean in means)])
    text = [
        "# Specialists",
        "",
        f"Written by `benchmarks/specialists.py`: `general` taught {GRAPHS} graphs of one family",
        f"for {EPOCHS} epochs more, beside `general` itself, on {COUNT} others. Raw k at 5 %",
        "conflicts, and proper k of `guided` and of its random-choice control; spectral, without",
        "training, is the lowest eigenvectors of the graph.",
        "",
        *table(heads, rows),
    ]
    return "\n".join(text) + "\n"


def main() -> None:
    torch.set_num_threads(1)
    warm_up()
    for name in sys.argv[1:] or FAMILIES:
        for key, make in ((name, measured), (f"{name}, spectral", controlled)):
            if key not in known():
                line = make(name)
                with CELLS.open("a") as file:
                    file.write(json.dumps(line) + "\n")
                print(line, flush=True)
    (HERE / "specialists.md").write_text(render(known()))


if __name__ == "__main__":
    main()
