"""The page that ``league.py`` writes, from its lines alone."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from typing import Any

from measure import Cells

OURS = ("color", "memetic", "tabucol", "learned", "spectral", "chance", "greedy")
REPORTED = {  # of the sheets of others, by the name of the column there
    "HEAD, 1 h": "head_1h_best",
    "TabuCol, 2 h": "tabucol_2h_best",
    "TabuEdges, 2 h": "tabuedges_2h_best",
    "AHEAD": "ahead_nn_best",
}

ABOUT = (
    "`color`, `memetic`, `tabucol`, `learned` and `greedy` are concolor's. `color` is the whole "
    "tool, which tells its answer only when it ends: where nothing is proved, that is at the "
    "limit. `learned` is the shipped model without any search, decoded into a proper coloring; "
    "`spectral` is the same with the lowest eigenvectors of the graph, which nobody trained, and "
    "`chance` with a random free color for each node: what `learned` has to beat. "
    "`greedy`, networkx, rustworkx and igraph try their orders one after the other, and the best "
    "counts. gcol's searches take a number of steps, not a time: they run again with as many as "
    "fit. CP-SAT (OR-Tools, one worker) is given networkx's DSATUR as a hint, with `!=` between "
    "whole numbers or with a truth value for each node and color. A run ends where the chromatic "
    "number is known and reached."
)

EXAMPLE = """\
```python
def mine(graph: cc.Graph, limit: float, tell: Tell) -> None:
    tell(my_package.color(graph.n, graph.edges))  # colors [n], whenever there are better ones


PROPER["mine"] = mine
```"""

HOW = (
    "A row is one function in `benchmarks/league_methods.py`, which is given a graph, its seconds "
    "and `tell`, and a line in `PROPER` at the end of that file (in `RAW` where conflicts are "
    "allowed):",
    "",
    EXAMPLE,
    "",
    "Then `CONCOLOR_DATA=... OMP_NUM_THREADS=1 python benchmarks/league.py --methods mine` "
    "measures it and writes this page; what is there is not measured again. Every coloring that "
    "is told is checked, the process is ended at the limit, and what was told until then counts. "
    "A graph is a name in `GRAPHS` of `benchmarks/league.py`: a `.col` file of that name and a "
    "line in `known.csv` beside it. Send the lines of league.jsonl with the change: a test "
    "renders this page from them.",
)


def page(cells: Cells) -> str:
    """The whole page, as text."""
    proper, raw = cells.like(table="proper"), cells.like(table="raw")
    graphs = cells.like(table="graph")
    limit = max(cell["limit"] for cell in proper)
    lines = [
        "# League table",
        "",
        f"Written by `benchmarks/league.py`: {_versions([*proper, *raw])}. Each cell is a process "
        f"of its own with {limit:g} CPU seconds of one thread, and two more to end, seed 0; "
        "libraries are loaded and the graph is read before. Seconds are those after which the "
        "coloring was there. All colorings are checked, and all are proper but those of "
        "the last table.",
        "",
        ABOUT,
        "",
        "## Standings",
        "",
        "At the best known number of colors, on how many graphs; colors above it, over all graphs "
        "with an answer; the median of the seconds. Only graphs count on which every method was "
        "measured. The most graphs at the best known come first.",
        "",
        *_standings(graphs, proper),
        "",
        "## Colors",
        "",
        "Fat where nobody here has fewer, - where there was no answer in time, empty where it was "
        "not measured. *known* is the best in the literature, in brackets where it is not proved. "
        "The last columns are what others report (Grelier's result sheets, repository "
        "gcp_ahead: best of 20 runs; HEAD 1 h, tabu searches 2 h, AHEAD with a network).",
        "",
        *_colors(graphs, proper),
        "",
        "## Seconds",
        "",
        *_seconds(graphs, proper),
        "",
        "## Raw: at most 5 % of the edges in conflict",
        "",
        "Colors, and CPU seconds in brackets. The models alone, without search, beside what needs "
        "no training: *spectral*, the eigenvectors by the same decoder; *null*, the best of ten "
        "random colorings; and tabu search with the same allowance. Not to be compared with proper "
        "colorings. Where no number of colors was enough, the conflicts that are left follow.",
        "",
        *_raw(graphs, raw),
        "",
        *_beside(graphs, raw),
        "",
        "## How to add a row",
        "",
        *HOW,
    ]
    return "\n".join(lines) + "\n"


def _versions(cells: list[dict[str, Any]]) -> str:
    """Each name once; all versions where lines differ."""
    found: dict[str, set[str]] = {}
    for cell in cells:
        for name, value in cell["with"].items():
            found.setdefault(name, set()).add(value)
    return ", ".join(f"{name} {' and '.join(sorted(found[name]))}" for name in found)


def _methods(cells: list[dict[str, Any]]) -> list[str]:
    """Ours first, then as they were measured."""
    found = dict.fromkeys(cell["method"] for cell in cells)
    return [*(name for name in OURS if name in found), *(n for n in found if n not in OURS)]


def _table(heads: Iterable[object], rows: Iterable[Iterable[object]]) -> list[str]:
    heads = [str(head) for head in heads]
    lines = [heads, ["---"] * len(heads), *rows]
    return ["| " + " | ".join(map(str, line)) + " |" for line in lines]


def _by(cells: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(cell["graph"], cell["method"]): cell for cell in cells}


def _standings(graphs: list[dict[str, Any]], cells: list[dict[str, Any]]) -> list[str]:
    by, methods, rows = _by(cells), _methods(cells), []
    best = {
        g["graph"]: g["chi_upper"]
        for g in graphs
        if all((g["graph"], method) in by for method in methods)
    }
    for method in methods:
        mine = [by[name, method] for name in best]
        answers = [cell for cell in mine if cell["k"] is not None]
        above = [cell["k"] - best[cell["graph"]] for cell in answers]
        reached = sum(more <= 0 for more in above)
        middle = f"{statistics.median(cell['seconds'] for cell in answers):.2f}" if answers else ""
        rows.append([method, reached, len(mine), sum(above), len(mine) - len(answers), middle])
    rows.sort(key=lambda row: (-row[1], row[4], row[3]))
    return _table(["method", "at best known", "of", "colors above", "no answer", "seconds"], rows)


def _colors(graphs: list[dict[str, Any]], cells: list[dict[str, Any]]) -> list[str]:
    methods, by, rows = _methods(cells), _by(cells), []
    for g in graphs:
        found = [by.get((g["graph"], method)) for method in methods]
        best = min((cell["k"] for cell in found if cell and cell["k"] is not None), default=None)
        shown = [_k(cell, best) for cell in found]
        known = f"{g['chi_upper']}" if g["chi_lower"] == g["chi_upper"] else f"({g['chi_upper']})"
        reported = [g["reference"].get(key, "") for key in REPORTED.values()]
        rows.append([g["graph"], g["n"], g["m"], known, *shown, *reported])
    return _table(["graph", "n", "m", "known", *methods, *REPORTED], rows)


def _k(cell: dict[str, Any] | None, best: int | None) -> str:
    if cell is None:
        return ""
    if cell["k"] is None:
        return "-"
    return f"**{cell['k']}**" if cell["k"] == best else f"{cell['k']}"


def _seconds(graphs: list[dict[str, Any]], cells: list[dict[str, Any]]) -> list[str]:
    methods, by = _methods(cells), _by(cells)
    rows = [
        [g["graph"], *(_time(by.get((g["graph"], method))) for method in methods)] for g in graphs
    ]
    return _table(["graph", *methods], rows)


def _time(cell: dict[str, Any] | None) -> str:
    if cell is None:
        return ""
    return f"> {cell['limit']:g}" if cell["seconds"] is None else _rounded(cell["seconds"])


def _rounded(seconds: float) -> str:
    """Hundredths up to a second, tenths up to ten.

    >>> [_rounded(seconds) for seconds in (0.0012, 0.1, 1.26, 12.6)]
    ['< 0.01', '0.10', '1.3', '13']
    """
    if seconds < 0.01:
        return "< 0.01"
    digits = 2 if seconds < 1 else 1 if seconds < 10 else 0
    return f"{seconds:.{digits}f}"


def _raw(graphs: list[dict[str, Any]], cells: list[dict[str, Any]]) -> list[str]:
    methods, by, rows = _methods(cells), _by(cells), []
    for g in graphs:
        found = (by.get((g["graph"], method)) for method in methods)
        rows.append([g["graph"], *("" if cell is None else _raw_cell(cell, g) for cell in found)])
    return _table(["graph", *methods], rows)


def _raw_cell(cell: dict[str, Any], g: dict[str, Any]) -> str:
    if cell["k"] is None:
        return "-"
    left = cell["conflicts"] / g["m"]
    missed = f", {left:.1%}" if left > 0.05 else ""
    return f"{cell['k']}{missed} ({_rounded(cell['seconds'])})"


def _beside(graphs: list[dict[str, Any]], cells: list[dict[str, Any]]) -> list[str]:
    """In a sentence: where each model needs fewer colors than each of the others."""
    by, names = _by(cells), [name for name in _methods(cells) if name in ("general", "light")]
    lines = []
    for name in names:
        counts = []
        for other in (method for method in _methods(cells) if method not in names):
            pairs = [
                (by[g["graph"], name], by[g["graph"], other], 0.05 * g["m"])
                for g in graphs
                if (g["graph"], name) in by and (g["graph"], other) in by
            ]
            fewer = sum(_wins(one, two, most) for one, two, most in pairs)
            more = sum(_wins(two, one, most) for one, two, most in pairs)
            counts.append(f"{other} {fewer} and {more}")
        lines.append(f"- `{name}` needs fewer and more colors than {', '.join(counts)} times")
    return lines


def _wins(one: dict[str, Any], other: dict[str, Any], most: float) -> bool:
    """Fewer colors within the allowance; who is not within it has lost."""
    one_in, other_in = (c["k"] is not None and c["conflicts"] <= most for c in (one, other))
    return bool(one_in and (not other_in or one["k"] < other["k"]))
