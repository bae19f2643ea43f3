"""How whole rows stand beside the paper's: by two standard deviations, and by Welch's test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from concolor.experiments.comparison import Comparison, Lines, compared, is_traded, others, primary
from concolor.experiments.paper import figures
from concolor.experiments.rows import Row, place
from concolor.experiments.significance import LEVEL, adjusted
from concolor.experiments.tables import TABLES, table_rows

CONTROLS = ("null", "spectral")
WORST_FIRST = ("worse", "better", "same", "", "not run")  # what of several columns counts


@dataclass(frozen=True)
class Standing:
    """How a row stands by its primary columns: rho, else k at the threshold, else k.

    Attributes:
        table: The table.
        row: The row.
        method: ``learned``, or the compared method that the paper has a row of.
        made_by: What gives the row; the paper prints some rows in several tables.
        verdict: ``better``, ``same``, ``worse``, empty where the paper has nothing to compare
            with, or ``not run``: by two standard deviations of the paper's seeds.
        tested: The same by Welch's test, corrected for the number of rows; empty where a side has
            no deviation.
        elsewhere: Other columns in which the row is worse.
        beats: Control -> whether the row beats it; empty where it was not run.
    """

    table: str
    row: str
    method: str
    made_by: str
    verdict: str
    tested: str
    elsewhere: tuple[str, ...]
    beats: Mapping[str, bool]


def standings(lines: Lines, names: Sequence[str] = tuple(TABLES)) -> list[Standing]:
    """The rows of some tables, learned ones and neural baselines.

    The correction is for all primary cells of these tables together.
    """
    found = [row for name in names for row in _rows(name, lines)]
    tested = [cell for row in found for cell in row.chosen.values() if cell.p is not None]
    corrected = adjusted([cell.p or 0.0 for cell in tested])
    p = {id(cell): value for cell, value in zip(tested, corrected, strict=True)}
    return [_standing(row, p, lines) for row in found]


def distinct(found: Sequence[Standing]) -> list[Standing]:
    """One standing for what gives several rows: the worst of theirs, since the paper's differ."""
    worst: dict[str, Standing] = {}
    for one in found:
        had = worst.setdefault(one.made_by, one)
        worst[one.made_by] = replace(
            had,
            verdict=_worst([had.verdict, one.verdict]),
            tested=_worst([had.tested, one.tested]),
            elsewhere=had.elsewhere + one.elsewhere,
        )
    return list(worst.values())


@dataclass(frozen=True)
class _Compared:
    """A row of a table with its comparisons by column."""

    table: str
    name: str
    row: Row
    cells: Mapping[str, Comparison]

    @cached_property
    def chosen(self) -> dict[str, Comparison]:
        """The primary ones."""
        return {column: self.cells[column] for column in primary(list(self.cells))}


def _rows(table: str, lines: Lines) -> Iterator[_Compared]:
    """The rows that are no facts and have a primary column."""
    records = figures(table)
    for name, row in table_rows(table).items():
        if row.method == "facts":
            continue
        cells = {r.column: compared(r, row, lines) for r in records if r.row == name}
        if (found := _Compared(table, name, row, cells)).chosen:
            yield found


def _standing(found: _Compared, p: Mapping[int, float], lines: Lines) -> Standing:
    row, chosen = found.row, found.chosen.values()
    about = (found.table, found.name, row.method, made_by(row))
    if not all(cell.ours.is_run for cell in chosen):
        return Standing(*about, "not run", "not run", (), {})
    other = {column: cell for column, cell in found.cells.items() if column not in found.chosen}
    return Standing(
        *about,
        verdict=_worst([cell.verdict for cell in chosen]),
        tested=_worst([_tested(cell, p.get(id(cell))) for cell in chosen]),
        elsewhere=tuple(c for c, cell in other.items() if _is_worse(cell, found.cells)),
        beats={
            control: all(_beats(cell, control, row, lines) for cell in chosen)
            for control in CONTROLS
        },
    )


def _tested(cell: Comparison, p: float | None) -> str:
    """The verdict by a corrected p-value; seeds that miss what the paper reaches need no test."""
    if p is None:
        return cell.verdict if cell.ours.mean is None or cell.record.mean is None else ""
    return cell.direction if p <= LEVEL else "same"


def _is_worse(cell: Comparison, row: Mapping[str, Comparison]) -> bool:
    """Worse by two deviations; more conflicts count where they bought no fewer colors."""
    if cell.metric.startswith("mono"):
        more = cell.verdict == "other" and (cell.difference or 0.0) > 0
        return more and not is_traded(cell, row)
    return cell.verdict == "worse"


def _beats(cell: Comparison, control: str, row: Row, lines: Lines) -> bool:
    tag, metric = place(cell.record.column)
    theirs = others(row, tag, metric, lines)[control].mean
    mean = cell.ours.mean
    return mean is not None and (theirs is None or mean < theirs)


def made_by(row: Row) -> str:
    """The words of what gives a row: its first cells, and the graph that it is about."""
    return " ".join([*(row.cell(tag, 0).key for tag in row.suites), row.graph])


def _worst(verdicts: Sequence[str]) -> str:
    return min(verdicts, key=WORST_FIRST.index)
