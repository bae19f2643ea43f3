"""Ours beside the paper: the values behind a printed cell, and how far they are from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from concolor.experiments.cells import Cell
from concolor.experiments.paper import Record
from concolor.experiments.rows import SEEDS, Row, place
from concolor.experiments.significance import welch
from concolor.experiments.store import Line, is_current
from concolor.experiments.tables import beside

Lines = Mapping[str, Line]

HIGHER_IS_BETTER = ("hit", "completed")
LOWER_IS_BETTER = (
    *("k", "rho", "k_zero", "k_0.005", "k_0.01", "k_0.02", "k_0.05", "rho_0.05"),
    *("conflicts_at_chi", "mono_at_chi", "timeouts"),
)  # mono is whatever is left below the threshold that k was chosen for; seconds are of a machine
OF_TIME = ("hit", "completed", "completed_of", "timeouts", "avg_all_s", "max_s", "runtime_s")
FAR = 2.0  # standard deviations
PRINTED_SEEDS = 10  # behind every deviation that the paper prints


@dataclass(frozen=True)
class Ours:
    """Values of the seeds that were run; None among them: a seed that missed the threshold."""

    values: tuple[float | None, ...]
    asked: int
    late: int = 0  # how many of them ran out of time on every graph

    @property
    def is_run(self) -> bool:
        """Some seed was run."""
        return bool(self.values)

    @property
    def mean(self) -> float | None:
        """None as soon as one seed missed: hits are never averaged with misses."""
        numbers = [value for value in self.values if value is not None]
        return fmean(numbers) if numbers and len(numbers) == len(self.values) else None

    @property
    def std(self) -> float | None:
        """Sample standard deviation; None for one seed, and where there is no mean."""
        numbers = [value for value in self.values if value is not None]
        return stdev(numbers) if self.mean is not None and len(numbers) > 1 else None


@dataclass(frozen=True)
class Comparison:
    """One printed cell beside ours."""

    record: Record
    ours: Ours
    metric: str

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's, 0 where they are equal as printed; None where one has none."""
        mean, theirs = self.ours.mean, self.record.mean
        if mean is None or theirs is None:
            return None
        equal = abs(mean - theirs) <= 0.5 * 10.0 ** -decimals(self.record)
        return 0.0 if equal else mean - theirs

    @property
    def distance(self) -> float | None:
        """The difference in standard deviations of the paper's seeds.

        Where the paper prints none, or 0, ours is the unit; None where there is no unit at all.
        """
        unit = self.record.std or self.ours.std
        if not self.difference:
            return self.difference
        return self.difference / unit if unit else None

    @property
    def verdict(self) -> str:
        """``same``, ``better``, ``worse`` or ``other`` (far apart, neither better nor worse).

        Empty where there is nothing to compare.
        """
        mean, theirs = self.ours.mean, self.record.mean
        judged = self.metric in HIGHER_IS_BETTER + LOWER_IS_BETTER
        missed = self.record.raw in ("NA", "timeout")
        if not self.ours.is_run or (theirs is None and not (missed and judged)):
            return ""
        if theirs is None:
            return "same" if mean is None else "better"
        if mean is None:
            return "worse" if judged else ""
        distance = self.distance
        if distance is None and self.record.std is None:
            return ""  # one seed beside one run: nothing tells how far is far
        if distance is not None and abs(distance) <= FAR:
            return "same"
        return self.direction if judged else "other"

    @property
    def direction(self) -> str:
        """``better`` or ``worse``, however little; where both sides have a mean."""
        higher = (self.difference or 0.0) > 0
        return "better" if higher == (self.metric in HIGHER_IS_BETTER) else "worse"

    @property
    def p(self) -> float | None:
        """The p-value of Welch's test beside the paper's seeds; None where a side has no deviation.

        Means that are equal as printed are equal.
        """
        mean, std, theirs = self.ours.mean, self.ours.std, self.record.mean
        if mean is None or std is None or theirs is None or self.record.std is None:
            return None
        printed = (theirs, self.record.std, PRINTED_SEEDS)
        return welch(mean, std, len(self.ours.values), printed) if self.difference else 1.0


def compared(record: Record, row: Row, lines: Lines) -> Comparison:
    """A printed cell beside what the row's cells gave."""
    tag, metric = place(record.column)
    return Comparison(record, ours(row, tag, metric, lines), metric)


def ours(row: Row, tag: str, metric: str, lines: Lines) -> Ours:
    """The values of a row's metric, seed by seed."""
    if metric in row.settings:
        return Ours((row.settings[metric],), 1)
    return _seen(row.cells(tag, SEEDS), row.suites[tag], row.graph, metric, lines)


def others(row: Row, tag: str, metric: str, lines: Lines) -> dict[str, Ours]:
    """The same metric of what stands beside the row's suite."""
    suite = row.suites[tag]
    return {
        name: _seen(cells, suite, row.graph, metric, lines)
        for name, cells in beside(suite).items()
        if name != "facts"
    }


def _seen(cells: Sequence[Cell], suite: str, graph: str, metric: str, lines: Lines) -> Ours:
    facts = lines.get(beside(suite)["facts"][0].key)
    there = [line for cell in cells if (line := _line(cell, lines))]
    if facts is None:
        return Ours((), len(cells))
    values = tuple(value(line, facts, graph, metric) for line in there)
    late = sum(_is_late(line) for line in there) if metric not in OF_TIME else 0
    return Ours(values, len(cells), late)


def _is_late(line: Line) -> bool:
    return bool(line["metrics"].get("completed") == 0)


def value(line: Line, facts: Line, graph: str, metric: str) -> float | None:
    """One metric of one line; of one graph where it is named."""
    by_graph = line["graphs"]
    if graph:
        at = facts["graphs"]["name"].index(graph)
        return _of_graph(by_graph, facts["graphs"], at, metric)
    if metric in line["metrics"]:
        late = _is_late(line) and metric not in OF_TIME  # where it was cut is no result
        return None if late else _number(line["metrics"][metric])
    seconds, total = by_graph.get("seconds", []), facts["metrics"]["graphs"]
    done = by_graph.get("completed", [True] * len(seconds))
    completed = [second for second, is_done in zip(seconds, done, strict=True) if is_done]
    derived: dict[str, Any] = {
        "params": line.get("params"),
        "train_s": line.get("seconds", {}).get("train"),
        "test_s": line.get("seconds", {}).get("graph"),
        "runtime_s": line.get("seconds", {}).get("train", 0.0) + sum(seconds),
        "completed_of": total,
        "timeouts": total - len(completed),
        "avg_all_s": fmean(seconds) if seconds else None,
        "avg_completed_s": fmean(completed) if completed else None,
        "max_s": max(seconds, default=None),
        "q_reported": facts["metrics"]["chi_greedy"],
    }
    return _number(derived[metric])


def _of_graph(
    by_graph: Mapping[str, Any], facts: Mapping[str, Any], at: int, metric: str
) -> float | None:
    if metric in ("nodes", "chi"):
        return _number(facts[metric][at])
    if not by_graph.get("completed", [True] * (at + 1))[at]:
        return None
    if metric == "mono":
        return float(by_graph["conflicts"][at] / max(facts["edges"][at], 1))
    return _number(by_graph[metric][at])


def is_traded(mono: Comparison, row: Mapping[str, Comparison]) -> bool:
    """Whether more conflicts go with fewer colors in a row, or fewer with more."""
    tag = place(mono.record.column)[0]
    metrics = {place(column): comparison for column, comparison in row.items()}
    for metric in ("k", "k_0.05", "rho"):
        colors = metrics.get((tag, metric))
        if colors is not None and colors.difference is not None:
            return (mono.difference or 0.0) * colors.difference < 0
    return False


def primary(columns: Sequence[str]) -> list[str]:
    """The columns that decide whether a row is good: rho, else k at the threshold, else k."""
    for metric in ("rho", "k_0.05", "k"):
        here = [column for column in columns if place(column)[1] == metric]
        if here:
            return here
    return []


def decimals(record: Record) -> int:
    """Digits after the point in the printed mean.

    >>> decimals(Record("r", "rho", 1.4, 0.1, "1.40±0.14"))
    2
    """
    mean = record.raw.replace("%", "").split("±")[0].split(" ")[0]
    return len(mean.partition(".")[2]) if record.mean is not None else 2


def _line(cell: Cell, lines: Lines) -> Line | None:
    line = lines.get(cell.key)
    return line if line is not None and is_current(cell, line) else None


def _number(given: Any) -> float | None:
    return None if given is None else float(given)
