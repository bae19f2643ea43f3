"""Why a marked cell differs from the paper's: what other results say of it, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from concolor.experiments.ablations import Change, changes_of
from concolor.experiments.comparison import Comparison, Lines, compared, decimals, is_traded
from concolor.experiments.paper import figures
from concolor.experiments.standings import made_by
from concolor.experiments.tables import TABLES, table_rows

SECONDS = ("train_s", "test_s", "runtime_s", "avg_all_s", "avg_completed_s", "max_s")
TRADED = "More conflicts below the threshold with fewer colors than the paper, or fewer with more"
MISSED = "Nobody reaches the threshold here, and k of a miss is where conflicts are fewest"
SINGLE = "A single run of the paper"
UNEXPLAINED = {
    "worse": "Unexplained",
    "other": "Conflicts left at or below the threshold, neither better nor worse, unexplained",
    "better": "Better, unexplained",
}


def explanation(table: str, cell: Comparison, row: Mapping[str, Comparison], lines: Lines) -> str:
    """What the results say of why a marked cell differs, among the columns of its row.

    In this order: settings of :mod:`ablations` that reach the paper's figure; the paper's own
    figure for the same in another table, if ours agrees with that; settings tried in vain.
    """
    if cell.metric in SECONDS:
        return "Seconds, of another machine"
    if cell.verdict == "other" and is_traded(cell, row):
        return TRADED
    if cell.verdict == "better":
        return UNEXPLAINED["better"]
    if _nobody_hits(cell, row):
        return MISSED
    tried = list(_tried(table, cell, lines))
    for change, found in tried:
        if found.verdict in ("same", "better"):
            return f"`{change.words}` reaches it ({len(found.ours.values)} seeds)"
    if elsewhere := _elsewhere(table, cell, lines):
        return elsewhere
    if tried:
        words = "; ".join(f"`{change.words}` gives {shown(found)}" for change, found in tried)
        return f"Unexplained ({words})"
    single = cell.record.std is None and cell.record.mean is not None
    return f"{UNEXPLAINED[cell.verdict]}; {SINGLE.lower()}" if single else UNEXPLAINED[cell.verdict]


def shown(found: Comparison) -> str:
    """Our mean and deviation, and of how many seeds."""
    digits, mean, std = decimals(found.record), found.ours.mean, found.ours.std
    if mean is None:
        return "NA"
    spread = "" if std is None else f" ± {std:.{digits}f}"
    return f"{mean:.{digits}f}{spread} with {len(found.ours.values)} seeds"


def _tried(table: str, cell: Comparison, lines: Lines) -> Iterator[tuple[Change, Comparison]]:
    """The settings that were run for the row of a cell with every seed, and what they give."""
    row = table_rows(table)[cell.record.row]
    for change in changes_of(table, cell.record.row):
        found = compared(cell.record, change.row(row), lines)
        if len(found.ours.values) == found.ours.asked:
            yield change, found


def _elsewhere(table: str, cell: Comparison, lines: Lines) -> str:
    """Another figure of the paper for the same, if ours agrees with that one."""
    mine = made_by(table_rows(table)[cell.record.row])
    for other in TABLES:
        for record in figures(other) if other != table else ():
            row = table_rows(other)[record.row]
            same = record.column == cell.record.column and made_by(row) == mine
            if same and compared(record, row, lines).verdict in ("same", "better"):
                return f"The paper has {record.raw.replace('±', ' ± ')} for it in `{other}`"
    return ""


def _nobody_hits(cell: Comparison, row: Mapping[str, Comparison]) -> bool:
    """Neither the paper's seeds nor ours reach the threshold on any graph."""
    tag = cell.record.column.rpartition("_")[2]
    hit = row.get("hit") or row.get(f"hit_{tag}")
    return hit is not None and hit.record.mean == 0 and hit.ours.mean == 0
