"""``light`` beside ``general``: raw k by the number of steps, and seconds of an embedding.

    CONCOLOR_DATA=... OMP_NUM_THREADS=1 python benchmarks/light.py [--model FILE]

Graphs to choose by: twenty of each family of ``value.py`` with other seeds, and other neighborhoods
in Cora; the best of four draws, unless said. Steps cost no weights, so any number can be tried.
Seconds are of CPU, of four draws in a row, on these and on queens and Mycielski graphs. The tables
are written to ``light.md``; with another model they are only printed.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

import concolor as cc
from concolor.models import load
from value import ALLOWED, DRAWS, FAMILIES, K_MAX, MYCIEL, QUEENS, spectral, table

FIRST, COUNT = 8000, 20  # first seed, graphs of a family
STEPS = (24, 28, 32, 36, 40, 48, 64, 96)
MORE = 8  # draws, of one row

Way = Callable[[cc.Graph], int]


def graphs() -> dict[str, list[cc.Graph]]:
    """Graphs by family; none of them is in ``value.py``."""
    drawn = {
        name: [cc.family(spec, seed=FIRST + i) for spec in specs for i in range(COUNT // 2)]
        for name, specs in FAMILIES.items()
    }
    return drawn | {"cora": list(cc.dataset("cora-subgraphs").test[10 : 10 + COUNT])}


def stepped(colorer: cc.Colorer, steps: int) -> cc.Colorer:
    """The same weights with another number of steps."""
    recipe = type(colorer.model.recipe).from_dict(colorer.recipe.to_dict() | {"steps": steps})
    return cc.Colorer.of(replace(colorer.model, recipe=recipe))


def learned(colorer: cc.Colorer, draws: int, graph: cc.Graph) -> int:
    """Raw k at 5 percent conflicts, the best of so many draws."""
    drawn = (colorer.embed(graph, seed=draw) for draw in range(draws))
    return min(colorer.sweep(graph, z=z, k_max=K_MAX, seed=0).k_star() for z in drawn)


def by_chance(graph: cc.Graph) -> int:
    fits = (k for k in range(1, K_MAX + 1) if cc.null(graph, k).mono <= ALLOWED)
    return next(fits, K_MAX)


def means(way: Way, found: dict[str, list[cc.Graph]]) -> dict[str, float]:
    return {name: statistics.fmean(map(way, drawn)) for name, drawn in found.items()}


def spent(colorer: cc.Colorer, graph: cc.Graph) -> float:
    """CPU seconds of a draw, in the mean of some."""
    begun = time.process_time()
    for draw in range(DRAWS):
        colorer.embed(graph, seed=draw)
    return (time.process_time() - begun) / DRAWS


def speeds(general: cc.Colorer, light: cc.Colorer) -> list[list[str]]:
    """Seconds of an embedding by both, family by family, graph by graph."""
    named = {"queens": QUEENS, "myciel": MYCIEL}
    found = graphs() | {name: [*map(cc.family, specs)] for name, specs in named.items()}
    text, ratios = [], []
    for model in (general, light):
        model.embed(found["queens"][0])  # loads what there is to load
    for name, drawn in found.items():
        _ = [graph.digest for graph in drawn]  # known before, so that neither pays for it
        both = [(spent(general, graph), spent(light, graph)) for graph in drawn]
        slow, fast = (statistics.fmean(column) for column in zip(*both, strict=True))
        ratios.append(slow / fast)
        text.append([name, f"{slow:.5f}", f"{fast:.5f}", f"{slow / fast:.1f}"])
        print(*text[-1], flush=True)
    return [*text, ["mean", "", "", f"{statistics.fmean(ratios):.1f}"]]


def rows(general: cc.Colorer, light: cc.Colorer) -> list[list[str]]:
    """Ratios to general, which comes last with its own k."""
    found = graphs()
    measure = means(partial(learned, general, DRAWS), found)
    ways: dict[str, Way] = {
        f"{steps} steps": partial(learned, stepped(light, steps), DRAWS) for steps in STEPS
    }
    usual = light.recipe.steps
    ways[f"{usual} steps, {MORE} draws"] = partial(learned, light, MORE)
    ways["spectral, one clustering"] = lambda graph: spectral(graph, K_MAX).k_star()
    ways["null"] = by_chance
    text = []
    for name, way in ways.items():
        ratios = [k / measure[family] for family, k in means(way, found).items()]
        cells = [f"{ratio:.3f}" for ratio in (*ratios, statistics.fmean(ratios))]
        text.append([name, *cells])
        print(*text[-1], flush=True)
    return [*text, ["k of general", *(f"{k:.2f}" for k in measure.values()), ""]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="light")
    options = parser.parse_args()
    torch.set_num_threads(1)
    general, light = load("general"), load(options.model)
    fast = table(["family", "general", "light", "faster by"], speeds(general, light))
    lines = table(["light's k / general's", *graphs(), "mean"], rows(general, light))
    text = [
        "# light beside general",
        "",
        "## CPU seconds of an embedding",
        "",
        *fast,
        "",
        "## Steps and colors",
        "",
        "Written by `benchmarks/light.py`: raw k with at most 5 % conflicts, in the mean of",
        f"{COUNT} graphs a family, over that of `general`; the best of {DRAWS} draws, unless said.",
        f"The graphs are not those of value.md. `light` takes {light.recipe.steps} steps.",
        "These are its own weights everywhere; `color` takes `sparse` and `overlap` in their",
        "place, as value.md does.",
        "",
        *lines,
    ]
    if options.model == "light":
        Path(__file__).with_suffix(".md").write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
