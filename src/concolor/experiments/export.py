"""Tables for other papers and programs: CSV of every cell, LaTeX as it is printed, and pictures."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from concolor.errors import InputError
from concolor.experiments.comparison import (
    Comparison,
    Lines,
    compared,
    decimals,
    others,
    ours,
    primary,
)
from concolor.experiments.paper import figures
from concolor.experiments.rows import place
from concolor.experiments.tables import TABLES, table_rows
from concolor.viz.picture import Picture
from concolor.viz.rows import marked_rows

DRAWN = ("ours", "paper", "null", "spectral", "DSATUR", "TabuCol")

_SPECIAL = {"&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "->": r"$\rightarrow$"}


def as_csv(records: Iterable[Mapping[str, Any]]) -> str:
    """Records of one shape as CSV, their keys first; None is an empty field."""
    found = list(records)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(found[0]) if found else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return text.getvalue()


def as_latex(names: Sequence[str], lines: Lines) -> str:
    """Tables of the paper with our figures, and the paper's in brackets: needs booktabs.

    Cells that are worse by two standard deviations are in italics, better ones in bold.
    """
    return "\n".join(_table(name, lines) for name in names)


def _table(name: str, lines: Lines) -> str:
    rows, records = table_rows(name), figures(name)
    columns = list(dict.fromkeys(record.column for record in records))
    cells = {(r.row, r.column): _cell(compared(r, rows[r.row], lines)) for r in records}
    body = [
        " & ".join([_plain(row), *(cells.get((row, column), "") for column in columns)]) + r" \\"
        for row in rows
    ]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_plain(TABLES[name].title)}; in brackets, the paper's.}}",
            rf"\label{{tab:{name}}}",
            rf"\begin{{tabular}}{{l{'r' * len(columns)}}}",
            r"\toprule",
            " & ".join(["row", *map(_plain, columns)]) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _cell(found: Comparison) -> str:
    digits, mean, std = decimals(found.record), found.ours.mean, found.ours.std
    if mean is None:
        ours = "NA" if found.ours.is_run else "--"
    else:
        ours = f"{mean:.{digits}f}" + ("" if std is None else rf" $\pm$ {std:.{digits}f}")
    style = {"better": r"\textbf", "worse": r"\textit"}.get(found.verdict, "")
    theirs = _plain(found.record.raw).replace("±", r" $\pm$ ")
    return f"{style}{{{ours}}} ({theirs})" if style else f"{ours} ({theirs})"


def _plain(text: str) -> str:
    """Text that LaTeX prints as it is."""
    for character, spelled in _SPECIAL.items():
        text = text.replace(character, spelled)
    return text


def as_plot(name: str, lines: Lines) -> Picture:
    """The primary columns of a table of the paper: ours, the paper's, and what stands beside."""
    rows, records = table_rows(name), figures(name)
    chosen = primary(list(dict.fromkeys(record.column for record in records)))
    if not chosen:
        raise InputError(f"{name} has no column of colors to draw")
    found = {}
    for record in records:
        if record.column not in chosen:
            continue
        row, (tag, metric) = rows[record.row], place(record.column)
        here = {"ours": ours(row, tag, metric, lines), **others(row, tag, metric, lines)}
        marks = {word: (one.mean, one.std) for word, one in here.items() if one.mean is not None}
        if record.mean is not None:
            marks["paper"] = (record.mean, record.std)
        label = record.row + (f", {record.column}" if len(chosen) > 1 else "")
        found[label] = {word: marks[word] for word in DRAWN if word in marks}
    return marked_rows(found, axis=" / ".join(chosen))
