"""Rows with other settings beside what they are as they stand: ablations, and tuned ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from concolor.experiments.ablations import changes_of
from concolor.experiments.cells import Studied
from concolor.experiments.comparison import Lines, compared, primary
from concolor.experiments.paper import figures
from concolor.experiments.rows import Row
from concolor.experiments.store import Line, is_current
from concolor.experiments.tables import (
    LOG_OF,
    TABLES,
    log_rows,
    main_studies,
    table_rows,
    tuned_rows,
)


@dataclass(frozen=True)
class Changed:
    """A row of a table with other settings.

    Attributes:
        table: The table.
        name: The row.
        words: The settings, as a reader would set them.
        row: The row with them.
    """

    table: str
    name: str
    words: str
    row: Row


def ablated() -> Iterator[Changed]:
    """What may explain why rows differ from the paper's."""
    for table in TABLES:
        for name, row in table_rows(table).items():
            for change in changes_of(table, name):
                yield Changed(table, name, change.words, change.row(row))


def logarithmic() -> Iterator[Changed]:
    """Message passing on whole graphs with the logarithmic form of the loss."""
    for name, row in log_rows().items():
        yield Changed(LOG_OF, name, "form=log", row)


def tuned(lines: Lines) -> Iterator[Changed]:
    """Rows of the main text with the settings that searches found, where those are done."""
    for table, name, row in tuned_rows(lines):
        if row is not None:
            here = table_rows(table)[name].recipe
            words = _words({n: v for n, v in row.recipe.changes.items() if v != getattr(here, n)})
            yield Changed(table, name, words or "as it is", row)


def changed_records(found: Iterable[Changed], lines: Lines) -> Iterator[dict[str, Any]]:
    """Every cell of such rows, as plain values."""
    for one in found:
        row = table_rows(one.table)[one.name]
        for record in figures(one.table):
            if record.row != one.name:
                continue
            here = compared(record, one.row, lines)
            yield {
                "table": one.table,
                "row": one.name,
                "settings": one.words,
                "column": record.column,
                "ours": here.ours.mean,
                "std": here.ours.std,
                "seeds": len(here.ours.values),
                "as_it_is": compared(record, row, lines).ours.mean,
                "paper": record.mean,
                "verdict": here.verdict,
            }


def changed_section(
    found: Iterable[Changed], lines: Lines, head: str, *, every: bool = False
) -> str:
    """Their primary columns as a table, or ``every`` one."""
    heads = ["table", "row", "settings", "column", "with them", "seeds", "as it is", "paper", ""]
    text = [head, "", _line(heads), "|" + " --- |" * len(heads)]
    for record in changed_records(found, lines):
        columns = [r.column for r in figures(record["table"]) if r.row == record["row"]]
        if not every and record["column"] not in primary(columns):
            continue
        ours = "not run" if not record["seeds"] else _short(record["ours"])
        if record["std"] is not None:
            ours += f" ± {record['std']:.2f}"
        cells = [record["table"], record["row"], f"`{record['settings']}`", record["column"], ours]
        cells += [str(record["seeds"]), _short(record["as_it_is"]), _short(record["paper"])]
        text.append(_line([*cells, record["verdict"]]))
    return "\n".join(text)


def study_records(lines: Lines) -> Iterator[dict[str, Any]]:
    """The searches for settings of the main text as plain values; None: not run."""
    for cell in {cell.key: cell for cell in main_studies().values()}.values():
        line = lines.get(cell.key)
        done = line if line is not None and is_current(cell, line) else None
        yield {**_about(cell), **_found(done)}


def studies_section(lines: Lines) -> str:
    """The same as a table."""
    heads = ["recipe", "trained on", "judged by", "trials", "rho as it is", "rho found", "settings"]
    text = [_STUDIES, _line(heads), "|" + " --- |" * len(heads)]
    for record in study_records(lines):
        cells = [record["recipe"], record["train"], record["judges"]]
        if record["trials"] is None:
            cells += ["not run"] + [""] * 3
        else:
            first = "given up" if record["first"] is None else f"{record['first']:.3f}"
            cells += [str(record["trials"]), first, f"{record['best']:.3f}"]
            cells += [_words(record["settings"]) or "as it is"]
        text.append(_line(cells))
    return "\n".join(text)


_STUDIES = """## Searches for settings

`studies`, ours: settings of the main text's rows, chosen on graphs that neither training nor any
table uses. A search begins with the row as it is; rho is the mean over these graphs, and a graph
that misses the threshold counts as if it needed one color more than were tried. That the best of
several trials is no worse than the first is no finding: `tuned` has the tables' graphs, ten seeds.
"""


def _about(cell: Studied) -> dict[str, Any]:
    recipe = cell.recipe
    features = recipe.features or recipe.objective.features
    return {
        "table": "studies",
        "recipe": f"{recipe.encoder}/{recipe.pipeline}, {features} features",
        "train": cell.train,
        "judges": ", ".join(cell.judges),
    }


def _found(line: Line | None) -> dict[str, Any]:
    if line is None:
        return dict.fromkeys(("trials", "first", "best", "settings", "importance"))
    return {
        "trials": len(line["trials"]),
        "first": line["first"]["value"] if line["first"]["state"] == "complete" else None,
        "best": line["best"]["value"],
        "settings": line["settings"],
        "importance": line["importance"],
    }


def _words(settings: dict[str, Any]) -> str:
    numbers = {n: f"{v:.3g}" if isinstance(v, float) else str(v) for n, v in settings.items()}
    return " ".join(f"{name}={text}" for name, text in numbers.items())


def _short(value: float | None) -> str:
    return "NA" if value is None else f"{value:.2f}"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
