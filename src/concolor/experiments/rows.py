"""``Row``: what gives a printed row, and where a printed column is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from concolor.experiments.cells import Cell, Compared, Learned
from concolor.learning.recipe import Recipe

SEEDS = 10


@dataclass(frozen=True)
class Row:
    """What gives a printed row.

    Attributes:
        suites: What tells suites apart in a column's name ("", "id", "small", ...) -> suite.
        method: ``learned``, a method of ``measure.METHODS``, or ``facts`` for what graphs are like.
        train: The data set of a learned row.
        recipe: Its recipe, seed 0.
        seconds: The time that a compared method has for one graph.
        graph: The one graph of the suite that the row is about, by name.
        settings: Constants of the row that the paper prints beside the results.
        seeds: How many are asked at most.
    """

    suites: Mapping[str, str]
    method: str = "learned"
    train: str = ""
    recipe: Recipe = field(default_factory=Recipe)
    seconds: float | None = None
    graph: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    seeds: int = SEEDS

    def cells(self, tag: str, seeds: int) -> list[Cell]:
        """The cells behind a column with this tag, seed by seed."""
        return [self.cell(tag, seed) for seed in range(min(seeds, self.seeds))]

    def cell(self, tag: str, seed: int) -> Cell:
        """One of them."""
        suite = self.suites[tag]
        if self.method == "learned":
            return Learned(self.train, _seeded(self.recipe, seed), suite)
        return Compared(self.method, suite, self.seconds, seed)

    @property
    def improved(self) -> Row | None:
        """The same training with a decoder that beats the paper's in benchmarks/learning.md."""
        if self.method != "learned":
            return None
        decoder = "line_means" if self.recipe.makes_lines else "kmeans"
        recipe = self.recipe.but(decoder=decoder, passes=1)
        return replace(self, recipe=recipe, settings={})


@cache
def _seeded(recipe: Recipe, seed: int) -> Recipe:
    return recipe.but(seed=seed)


def place(column: str) -> tuple[str, str]:
    """The tag and the metric in a column's name.

    >>> place("rho_ood"), place("small_test_s"), place("k_0.05")
    (('ood', 'rho'), ('small', 'test_s'), ('', 'k_0.05'))
    """
    for tag in ("id", "ood"):
        if column.endswith(f"_{tag}"):
            return tag, column.removesuffix(f"_{tag}")
    for tag in ("small", "large", "train", "id", "ood"):
        if column.startswith(f"{tag}_") and column != "train_s":
            return tag, column.removeprefix(f"{tag}_")
    return "", column
