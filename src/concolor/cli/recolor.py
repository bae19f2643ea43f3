"""``concolor recolor``: few changes where a graph changed a little."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from concolor.cli.common import (
    ForbiddenFile,
    Json,
    OneGraph,
    PresetFile,
    Quiet,
    Seed,
    by_node,
    finished,
    load_graph,
    notice_compiling,
    print_json,
    print_table,
    say,
)

SHOWN = 20  # changes that the table lists


def recolor(
    graph: OneGraph,
    near: Annotated[
        Path, typer.Option(help="The colors before: .csv (by name), .json or .sol (by place).")
    ],
    k: Annotated[int | None, typer.Option("-k", min=1, help="At most K colors.")] = None,
    max_changes: Annotated[
        int | None, typer.Option(min=0, help="Fewest colors with no more changes than this.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(min=0, help="Seconds; then the best so far.")
    ] = None,
    preset: PresetFile = None,
    forbidden: ForbiddenFile = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the colors: .json, .csv or .sol.")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Color GRAPH with as few changes as possible to the colors that it had before.

    Without -k there are as many colors as before, or more where that is impossible. Nodes that are
    new may have any color, and do not count as changes. Exit code 1 says that no proper coloring
    with K colors, or none with so few changes, was found; the best is printed all the same.

    \b
    Examples:
      concolor recolor exams.csv --near timetable.csv -o timetable.csv
      concolor recolor plan.col --near plan.sol -k 12 --json
      concolor recolor plan.col --near plan.sol --max-changes 10
    """
    from concolor.coloring import earlier_colors
    from concolor.solvers.recolor import recolor as run

    loaded = load_graph(graph, seed, quiet=quiet)
    old = earlier_colors(loaded, near)
    notice_compiling(quiet=quiet)
    began = time.monotonic()
    found, interrupted = finished(
        lambda: run(
            loaded,
            old,
            k=k,
            max_changes=max_changes,
            preset=None if preset is None else by_node(loaded, preset, int),
            forbidden=None if forbidden is None else by_node(loaded, forbidden, list),
            seed=seed,
            time_limit=time_limit,
        )
    )
    if output is not None:
        found.coloring.save(output)
    names = loaded.node_names
    few = max_changes is None or found.changes <= max_changes
    hit = found.coloring.is_proper and few
    result: dict[str, Any] = {
        **found.coloring.to_dict(),
        "hit": hit,
        "changes": found.changes,
        "changed": [names[v] for v in found.changed.tolist()],
        "new": int((old < 0).sum()),
        "fewest_changes_at_least": None if found.is_impossible else found.lower,
        "impossible": found.is_impossible,
        "proved": found.is_proved,
        "seconds": {"recolor": time.monotonic() - began},
        "seed": seed,
    }
    if as_json:
        print_json(result)
    else:
        _print(result)
        if not hit:
            missed = f"{found.coloring.conflicts} conflicts, {found.changes} changes"
            why = f"; proved: {k} colors are too few" if found.is_impossible else ""
            say(f"goal not reached: {missed}{why}", quiet=quiet)
    raise typer.Exit(130 if interrupted else 0 if hit else 1)


def _print(result: dict[str, Any]) -> None:
    changed = result["changed"]
    more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
    shown = {**result, "changed": ", ".join(changed[:SHOWN]) + more or None}
    hidden = ("colors", "seconds")
    print_table(["", ""], [item for item in shown.items() if item[0] not in hidden])
