"""Rows of the main text with settings that were chosen on graphs which no table uses.

The paper's settings, and those of ours that fill its gaps, were chosen beside test figures. Here a
search starts from a row's recipe and is judged by validation graphs
(:mod:`concolor.graph.validation`); the settings it finds are then run as any other recipe. Rows
that differ only in how words are adapted share a search, as they would for whoever has one task;
rows on two targets are judged by graphs of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

from concolor.experiments.cells import Learned, Studied
from concolor.experiments.protocols import ADAPTATIONS
from concolor.experiments.rows import SEEDS, Row
from concolor.experiments.store import Line, is_current
from concolor.experiments.suites import SUITES, loaded
from concolor.graph.validation import validation_graphs
from concolor.learning.recipe import settle
from concolor.tuning import Space, Span

TRIALS = 6
JUDGES = 16  # graphs that judge, over all data sets
SEARCHED: Space = {
    "tau": Span(0.05, 1.0, log=True),
    "form": ("ratio", "log"),
    "layers": Span(2, 3),
    "dropout": Span(0.0, 0.4),
    "lr": Span(0.001, 0.02, log=True),
    "lambda_soft": Span(0.05, 1.0, log=True),
    "degree_power": Span(0.0, 4.0),
    "tau_soft": Span(0.5, 2.0),
}


def studies(rows: Iterable[Row]) -> dict[str, Studied]:
    """The searches behind some rows: the words of each row's training -> its search."""
    rows = [row for row in rows if row.method == "learned"]
    judges: dict[str, dict[str, None]] = {}
    for row in rows:
        here = judges.setdefault(_shared(row), {})
        here.update(dict.fromkeys(SUITES[suite].data for suite in row.suites.values()))
    return {
        _training(row): Studied(row.train, _base(row), tuple(judges[_shared(row)]), TRIALS)
        for row in rows
    }


def tuned_row(row: Row, found: Mapping[str, Studied], lines: Mapping[str, Line]) -> Row | None:
    """The row with the settings that its search found; None where that is not done."""
    cell = found.get(_training(row)) if row.method == "learned" else None
    line = None if cell is None else lines.get(cell.key)
    if cell is None or line is None or not is_current(cell, line):
        return None
    return replace(row, recipe=row.recipe.but(**line["settings"]), settings={}, seeds=SEEDS)


def study(cell: Studied, *, device: str = "cpu") -> dict[str, Any]:
    """The search of a cell: what it changed, its best trial, the first one, and all in short."""
    from concolor.experiments.measure import machine  # both import torch
    from concolor.tuning.study import tune

    each = JUDGES // len(cell.judges)
    graphs = [graph for name in cell.judges for graph in validation_graphs(name)[:each]]
    found = tune(
        loaded(cell.train).train,
        validation=graphs,
        base=cell.recipe,
        space=SEARCHED,
        trials=cell.trials,
        k_max=max(loaded(name).k_max for name in cell.judges),
        device=device,
    )
    was = settle(cell.recipe, loaded(cell.train).train)
    return {
        "settings": {n: v for n, v in found.best.settings.items() if v != getattr(was, n)},
        "best": asdict(found.best),
        "first": asdict(found.trials[0]),
        "trials": [
            {"settings": t.settings, "state": t.state, "value": t.value, "epochs": t.epochs}
            for t in found.trials
        ],
        "importance": found.importance,
        "validation": [graph.name for graph in graphs],
        "seconds": {"search": round(sum(t.seconds for t in found.trials), 1)},
        **machine(),
    }


def _training(row: Row) -> str:
    return Learned(row.train, row.recipe, "").training


def _base(row: Row) -> Any:
    """The row's recipe; of adapted words the first way, and the decoder of the tables."""
    first = next(iter(ADAPTATIONS.values()))
    adapted = row.recipe.features in ADAPTATIONS.values()
    return row.recipe.but(features=first) if adapted else row.recipe


def _shared(row: Row) -> str:
    return Learned(row.train, _base(row), "").training
