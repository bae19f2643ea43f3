"""The numbers printed in the paper, one CSV file a table, and how to read them.

A record is one cell of a printed table: row, column, mean, sample standard deviation over seeds
where there is one, and the text as it was printed.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from concolor.errors import pick

MISSED = 2.9
WORDS = ("features", "objective", "inference", "search_space", "best_setting", "encoder_group")


@dataclass(frozen=True)
class Record:
    """One printed cell; ``mean`` is None where the paper prints no number (NA, timeout, words).

    It is None, too, where the number is not a mean of k: tables ``bow-adapt-full-*`` average seeds
    that missed the threshold as k = -1, which shows in a deviation of ``MISSED`` and more.
    """

    row: str
    column: str
    mean: float | None
    std: float | None
    raw: str


@cache
def printed(table: str) -> tuple[Record, ...]:
    """The cells of a table in the paper's order."""
    folder = files(__name__)
    names = {item.name.removesuffix(".csv"): item for item in folder.iterdir()}
    text = pick(names, table, "table").read_text(encoding="utf-8")
    records = [
        Record(
            line["row"], line["column"], _number(line["mean"]), _number(line["std"]), line["raw"]
        )
        for line in csv.DictReader(text.splitlines())
    ]
    if table.startswith("bow-adapt-full-"):
        records = [_without_misses(record) for record in records]
    return tuple(records)


def figures(table: str) -> list[Record]:
    """The cells of a table but for columns of words."""
    return [r for r in printed(table) if r.mean is not None or r.column not in WORDS]


def rows(table: str) -> tuple[str, ...]:
    """The rows of a table in the paper's order."""
    return tuple(dict.fromkeys(record.row for record in printed(table)))


def _without_misses(record: Record) -> Record:
    missed = record.column.startswith("k_") and (record.std or 0) >= MISSED
    return replace(record, mean=None, std=None) if missed else record


def _number(text: str) -> float | None:
    return float(text) if text else None
