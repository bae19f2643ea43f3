"""Do results repeat? A few cheap cells, measured again and compared with their lines."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from concolor.experiments.cells import TIMED, Cell
from concolor.experiments.comparison import Lines
from concolor.experiments.runner import measured
from concolor.experiments.store import Line, is_current

CHEAP = 15.0  # seconds that a cell took


@dataclass(frozen=True)
class Repeated:
    """A cell that was measured again.

    Attributes:
        key: The words that name it.
        commit: Of the code that made the line, where it says so.
        before: Means in the line, and now.
        apart: Graphs whose k or conflicts differ, and how many there are.
    """

    key: str
    commit: str | None
    before: dict[str, Any]
    now: dict[str, Any]
    apart: int
    graphs: int

    @property
    def is_same(self) -> bool:
        """Every mean and every graph."""
        return self.apart == 0 and self.before == self.now


def sample(cells: Sequence[Cell], lines: Lines, count: int, *, seed: int = 0) -> list[Cell]:
    """Cells that have a line, are cheap and end by themselves, drawn without repetition."""
    known = {
        cell.key: cell
        for cell in cells
        if (line := lines.get(cell.key)) and is_current(cell, line) and _is_cheap(line)
    }
    found = sorted(known)
    return [known[key] for key in random.Random(seed).sample(found, min(count, len(found)))]


def repeated(cells: Sequence[Cell], lines: Lines) -> Iterator[Repeated]:
    """Measure cells again, one after the other, whatever they share."""
    for cell in cells:
        line = lines[cell.key]
        ((_, now),) = measured([cell])
        before, after = _colorings(line), _colorings(now)
        apart = sum(a != b for a, b in zip(before, after, strict=True))
        about = (cell.key, line.get("commit"), line["metrics"], now["metrics"])
        yield Repeated(*about, apart, len(before))


def _colorings(line: Line) -> list[tuple[int, int]]:
    """k and conflicts of every graph."""
    return list(zip(line["graphs"]["k"], line["graphs"]["conflicts"], strict=True))


def _is_cheap(line: Line) -> bool:
    seconds = line.get("seconds", {})
    spent = seconds.get("train", 0.0) + sum(line["graphs"].get("seconds", []))
    return line["method"] not in (*TIMED, "facts") and spent < CHEAP
