"""The tables as one Markdown page: ours, the paper's, the distance, and what stands beside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from concolor.experiments.changed import (
    ablated,
    changed_records,
    changed_section,
    logarithmic,
    studies_section,
    study_records,
    tuned,
)
from concolor.experiments.comparison import (
    Comparison,
    Lines,
    Ours,
    compared,
    decimals,
    others,
    ours,
    primary,
)
from concolor.experiments.explanations import UNEXPLAINED, explanation
from concolor.experiments.paper import figures
from concolor.experiments.rows import SEEDS, Row, place
from concolor.experiments.standings import CONTROLS, Standing, distinct, standings
from concolor.experiments.studies import tuned_row
from concolor.experiments.tables import (
    OURS,
    TABLES,
    beside,
    limits,
    main_studies,
    table_rows,
)
from concolor.experiments.tables import cells as cells_of

TUNED = "tuned on validation draws"
BESIDE = (*CONTROLS, "DSATUR", "TabuCol", "exact")
VERDICTS = {  # as the summary calls them -> as standings do
    "better": "better",
    "indistinguishable": "same",
    "worse": "worse",
    "nothing to compare": "",
    "not run": "not run",
}
MARKS = {"worse": " ▲", "better": " ▽", "other": " ≠", "same": "", "": ""}


def page(lines: Lines) -> str:
    """The whole page; the same results give the same text."""
    found = standings(lines)
    sections = [section(name, lines, found) for name in (*TABLES, *OURS)]
    head = "\n".join([_HEAD, *summary(found), "", _LEGEND])
    return "\n\n".join([head, *sections]) + "\n"


def summary(found: Sequence[Standing]) -> Iterator[str]:
    """How many rows there are of each verdict, how many are worse in other columns, and how many
    do not beat a control."""
    heads = [
        "rows",
        "judged by",
        *VERDICTS,
        "worse elsewhere",
        *(f"not below {c}" for c in CONTROLS),
    ]
    yield _line(heads)
    yield _line(["---"] * len(heads))
    learned = [one for one in found if one.method == "learned"]
    for title, mine in {
        "main text": [one for one in learned if TABLES[one.table].main],
        "appendix": [one for one in learned if not TABLES[one.table].main],
        "all learned": learned,
        "different ones": distinct(learned),
        "neural baselines": [one for one in found if one.method != "learned"],
    }.items():
        yield _counted(f"{title}: {len(mine)}", "2 std", [one.verdict for one in mine], mine)
        yield _counted("", "Welch", [one.tested for one in mine], mine)


def _counted(title: str, way: str, verdicts: Sequence[str], mine: Sequence[Standing]) -> str:
    count = Counter(verdicts)
    cells = [count[verdict] for verdict in VERDICTS.values()]
    cells.append(
        sum(v != "worse" and bool(one.elsewhere) for v, one in zip(verdicts, mine, strict=True))
    )
    cells += [sum(one.beats.get(control) is False for one in mine) for control in CONTROLS]
    return _line([title, way, *map(str, cells)])


def section(name: str, lines: Lines, found: Sequence[Standing] | None = None) -> str:
    """One table, its rows marked by how they stand (``found``, of all tables)."""
    if name in OURS:
        return _OURS[name][0](lines)
    stand = {one.row: one for one in found or standings(lines) if one.table == name}
    table, rows, records = TABLES[name], table_rows(name), figures(name)
    columns = list(dict.fromkeys(record.column for record in records))
    chosen = primary(columns)
    text = [f"## {table.title}", "", f"`{name}`, {'main text' if table.main else 'appendix'}."]
    text += [table.note] if table.note else []
    text += _measured_by(name, lines)
    heads = ["row", *columns]
    words = ([TUNED] if table.main else []) + ["improved", *BESIDE]
    if chosen:
        heads += [f"{word}, {' / '.join(chosen)}" for word in words]
    text += ["", _line(heads), _line(["---"] * len(heads))]
    far: list[tuple[Comparison, str]] = []
    for row_name, row in rows.items():
        mine = {r.column: compared(r, row, lines) for r in records if r.row == row_name}
        cells = [_shown(mine[column]) if column in mine else "" for column in columns]
        far += [(c, explanation(name, c, mine, lines)) for c in mine.values() if MARKS[c.verdict]]
        if chosen:
            beside_it = _beside(row, [mine[column] for column in chosen if column in mine], lines)
            cells += [beside_it.get(word, "") for word in words]
        text.append(_line([row_name + _less(row) + _marked(stand.get(row_name)), *cells]))
    text += _explanations(far) + _why_one_seed(rows.values(), lines)
    return "\n".join(text)


def _measured_by(name: str, lines: Lines) -> list[str]:
    """Which commits measured the cells of a table."""
    there = [lines[cell.key] for cell in cells_of([name]) if cell.key in lines]
    count = Counter(line.get("commit") or "" for line in there)
    older = count.pop("", 0)
    words = [f"{commit}: {many}" for commit, many in sorted(count.items())]
    words += [f"before lines said so: {older}"] if older else []
    return [f"Cells by commit: {', '.join(words)}."] if words else []


def _less(row: Row) -> str:
    """The mark of a row that has fewer seeds or less time than the paper's."""
    if row.method == "facts" or row.seeds == SEEDS:
        return ""
    time = "" if row.seconds is None else f", {row.seconds:g} s a graph"
    return f" [{row.seeds} seed{'s'[: row.seeds != 1]}{time}]"


def _why_one_seed(rows: Iterable[Row], lines: Lines) -> list[str]:
    """What a training takes of the learned rows that are asked for a single seed."""
    alone = [row for row in rows if row.method == "learned" and row.seeds == 1]
    cells = [row.cell(tag, 0) for row in alone for tag in row.suites]
    minutes = [lines[cell.key]["seconds"]["train"] / 60 for cell in cells if cell.key in lines]
    if not minutes:
        return []
    took = " to ".join(dict.fromkeys(f"{end:.0f}" for end in (min(minutes), max(minutes))))
    why = "attention takes no memory for pairs of nodes, but time for all of them"
    return ["", f"One seed where a training takes {took} minutes on one core: {why}."]


def _marked(standing: Standing | None) -> str:
    """How a row stands by Welch's test, and whether it is worse in columns that do not decide."""
    if standing is None:
        return ""
    tested = {"worse": " ⊖", "better": " ⊕"}.get(standing.tested, "")
    return tested + (" †" if standing.elsewhere and standing.verdict != "worse" else "")


def _limits(lines: Lines) -> str:
    """The neural baselines with a minute and with the paper's fifteen, side by side."""
    heads = ["graphs", "method", "seconds a graph", "k", "mono", "reached", "seconds spent"]
    text = ["## The neural baselines with longer limits", "", "`limits`, ours.", ""]
    text += ["A run stops where it reaches the threshold; the k to try share its limit.", ""]
    text += [_line(heads), _line(["---"] * len(heads))]
    for record in _limits_records(lines):
        who = [record["suite"], record["method"], f"{record['limit']:g}"]
        found = ["not run"] + [""] * 3
        if record["k"] is not None:
            reached = "yes" if record["reached"] else "timeout" if record["late"] else "no"
            found = [str(record["k"]), f"{record['mono']:.4f}", reached, f"{record['seconds']:.1f}"]
        text.append(_line([*who, *found]))
    return "\n".join(text)


def _limits_records(lines: Lines) -> Iterator[dict[str, Any]]:
    """The same as plain values; None: not run."""
    for (suite, method), cells in limits().items():
        for limit, cell in cells.items():
            record = {"table": "limits", "suite": suite, "method": method, "limit": limit}
            line = lines.get(cell.key)
            if line is None:
                yield record | dict.fromkeys(("k", "mono", "reached", "late", "seconds"))
                continue
            edges = lines[beside(suite)["facts"][0].key]["graphs"]["edges"][0]
            yield record | {
                "k": line["graphs"]["k"][0],
                "mono": line["graphs"]["conflicts"][0] / edges,
                "reached": bool(line["metrics"]["hit"]),
                "late": line["metrics"]["completed"] == 0,
                "seconds": line["seconds"]["graph"],
            }


def as_records(name: str, lines: Lines) -> Iterator[dict[str, Any]]:
    """One table as plain values, cell by cell."""
    if name in OURS:
        yield from _OURS[name][1](lines)
        return
    rows = table_rows(name)
    for record in figures(name):
        found = compared(record, rows[record.row], lines)
        yield {
            "table": name,
            "row": record.row,
            "column": record.column,
            "ours": found.ours.mean,
            "std": found.ours.std,
            "seeds": len(found.ours.values),
            "paper": record.mean,
            "paper_std": record.std,
            "printed": record.raw,
            "distance": found.distance,
            "verdict": found.verdict,
        }


def _beside(row: Row, found: Sequence[Comparison], lines: Lines) -> dict[str, str]:
    """What stands beside a row in its primary columns: variants, controls, classical values."""
    if row.method == "facts":
        return {}
    variants = {TUNED: tuned_row(row, main_studies(), lines), "improved": row.improved}
    cells: dict[str, list[str]] = {word: [] for word in (*variants, *BESIDE)}
    for comparison in found:
        tag, metric = place(comparison.record.column)
        digits = decimals(comparison.record)
        for word, other in variants.items():
            text = "" if other is None else _number(ours(other, tag, metric, lines), digits)
            cells[word].append(text or ("not run" if word == TUNED else ""))
        for name, values in others(row, tag, metric, lines).items():
            cells[name].append(_number(values, digits))
    return {word: " / ".join(texts) for word, texts in cells.items()}


def _explanations(far: Sequence[tuple[Comparison, str]]) -> list[str]:
    """The cells that differ under what explains it, the worse ones first."""
    if not far:
        return []
    worse = sum(comparison.verdict == "worse" for comparison, _ in far)
    reasons: dict[str, list[str]] = {}
    for comparison, why in sorted(far, key=lambda one: list(UNEXPLAINED).index(one[0].verdict)):
        record = comparison.record
        reasons.setdefault(why, []).append(f"{record.row} {record.column}")
    text = ["", f"Marked: {len(far)} cells, {worse} of them worse."]
    return text + [f"- {why}: {', '.join(names)}" for why, names in reasons.items()]


def _shown(comparison: Comparison) -> str:
    """``ours (paper's; distance)`` and a mark where they are far apart."""
    record, digits = comparison.record, decimals(comparison.record)
    if not comparison.ours.is_run:
        return f"not run ({record.raw})"
    away = comparison.distance
    distance = "" if away is None else f"; {away:+.1f}σ"
    mark = MARKS[comparison.verdict]
    return f"{_number(comparison.ours, digits)} ({record.raw.replace('±', ' ± ')}{distance}){mark}"


def _number(given: Ours, digits: int) -> str:
    if not given.is_run:
        return "not run"
    seeds = "" if len(given.values) == given.asked else f" [{len(given.values)} of {given.asked}]"
    if given.late == len(given.values):
        return f"timeout{seeds}"
    if given.mean is None:
        missed = sum(value is None for value in given.values) - given.late
        words = f"{given.late} timeout" * bool(given.late), f"{missed} missed" * bool(missed)
        told = f" ({', '.join(filter(None, words))})" if missed < len(given.values) else ""
        return f"NA{told}{seeds}"
    spread = "" if given.std is None else f" ± {given.std:.{digits}f}"
    return f"{given.mean:.{digits}f}{spread}{seeds}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _ablations(lines: Lines) -> str:
    return changed_section(ablated(), lines, _ABLATIONS)


def _log_form(lines: Lines) -> str:
    return changed_section(logarithmic(), lines, _LOG_FORM, every=True)


def _tuned(lines: Lines) -> str:
    return changed_section(tuned(lines), lines, _TUNED)


_ABLATIONS = """## Rows with other settings

`ablations`, ours: what may explain differences, three seeds each."""
_LOG_FORM = """## Message passing on whole graphs with the logarithmic form

`log-form`, ours: rows of `fullgraph-contrastive-results` with `form=log`, ten seeds asked."""
_TUNED = """## Rows of the main text with settings that were searched for

`tuned`, ours, ten seeds: rows whose search (`studies`) is done, with what it found."""

_OURS: dict[str, tuple[Callable[[Lines], str], Callable[[Lines], Iterator[dict[str, Any]]]]] = {
    "limits": (_limits, _limits_records),
    "ablations": (_ablations, lambda lines: changed_records(ablated(), lines)),
    "log-form": (_log_form, lambda lines: changed_records(logarithmic(), lines)),
    "studies": (studies_section, study_records),
    "tuned": (_tuned, lambda lines: changed_records(tuned(lines), lines)),
}

_HEAD = f"""# The paper's tables, ours beside them

Written by `concolor reproduce --render docs/results.md` from the lines in `results/`; no figure is
typed in. The choices behind the rows are in [results/README.md](../results/README.md), what was
tried beyond them in [results/LOG.md](../results/LOG.md). Up to {SEEDS} seeds a row.
"""

_LEGEND = """A cell reads *ours ± std (paper's ± std; distance)*. The distance is in standard
deviations of the paper's seeds (of ours where the paper prints none). ▲ marks cells that are worse
by more than two, ▽ better, ≠ merely different. NA: at least one seed did not reach the threshold.
`[3 of 10]`: so many seeds were run; `[1 seed]` beside a name: no more are asked.

A row is judged by its primary columns (rho, else k_0.05, else k), in two ways: *2 std*, by the
distance; *Welch*, by Welch's test of the two means, both of ten seeds, corrected for all rows of
the page after Benjamini and Hochberg (5 %), which sees differences of half a deviation: ⊖ beside a
name is worse, ⊕ better. † marks a row that is not worse there, but in another column (hit, other
thresholds, conflicts, more conflicts without fewer colors): *worse elsewhere*. *Different ones*
counts what the paper prints in several tables once, by the worst. Where the paper has no
figure, only an average over seeds that missed, or a single run beside a single run, there is
*nothing to compare*.

*Tuned on validation draws* is the row with settings that a search found on graphs which no table
uses (`studies`); the paper's were chosen beside test figures. *improved* is the same training with
a decoder of ours (`kmeans` for signed losses, `line_means` for absolute ones), never in place of
the paper's k-medoids. The null is the best of ten random balanced colorings under the same sweep,
*spectral* the lowest eigenvectors without any training, decoded by `leading_means` under the same
sweep; DSATUR is proper; TabuCol has one second a graph and the same threshold; *exact* is the
chromatic number."""
