"""How many steps ``light`` needs: its raw k over that of ``general``, on graphs to choose by.

    CONCOLOR_DATA=... OMP_NUM_THREADS=1 python benchmarks/light.py [--model FILE]

Twenty graphs of each family of ``value.py`` with other seeds, and other neighborhoods in Cora; the
best of four draws, unless said. Steps cost no weights, so any number can be tried. The table is
written to ``light.md``; with another model it is only printed.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

import concolor as cc
from concolor.models import load
from value import ALLOWED, DRAWS, FAMILIES, K_MAX, spectral, table

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


def rows(light: cc.Colorer) -> list[list[str]]:
    """Ratios to general, which comes last with its own k."""
    found, general = graphs(), load("general")
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
    light = load(options.model)
    lines = table(["light's k / general's", *graphs(), "mean"], rows(light))
    text = [
        "# The steps of light",
        "",
        "Written by `benchmarks/light.py`: raw k with at most 5 % conflicts, in the mean of",
        f"{COUNT} graphs a family, over that of `general`; the best of {DRAWS} draws, unless said.",
        f"The graphs are not those of value.md. `light` takes {light.recipe.steps} steps.",
        "",
        *lines,
    ]
    if options.model == "light":
        Path(__file__).with_suffix(".md").write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
