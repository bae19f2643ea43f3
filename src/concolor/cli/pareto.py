"""``concolor pareto``: the trade between colors and conflicts."""

from __future__ import annotations

import time
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
    print_json,
    print_table,
    progress_bar,
    say,
)


def pareto(
    graph: OneGraph,
    k: Annotated[
        int | None,
        typer.Option("-k", min=1, help="Also list the edges to delete so that K colors suffice."),
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(min=0, help="Seconds for all k together.")
    ] = None,
    preset: PresetFile = None,
    forbidden: ForbiddenFile = None,
    threads: Annotated[int, typer.Option(min=1, help="Searches side by side.")] = 1,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """For k = 1, 2, ... print the fewest conflicts found, up to the first proper coloring.

    With preset and forbidden colors k begins where every node has a color that it may have. Ctrl-C
    prints the curve so far. Exit code 1 says that K of -k was not reached.

    \b
    Examples:
      concolor pareto queen:8x8
      concolor pareto exams.csv -k 3 --json
      concolor pareto exams.csv --preset fixed.json --forbid closed.json
    """
    from concolor.rules import Rules
    from concolor.solvers.pareto import pareto as run

    loaded = load_graph(graph, seed, quiet=quiet)
    fixed = None if preset is None else by_node(loaded, preset, int)
    banned = None if forbidden is None else by_node(loaded, forbidden, list)
    Rules.of(loaded, fixed, banned, k=k)  # refuse what cannot be done before any work
    rules = Rules.of(loaded, fixed, banned)
    began = time.monotonic()
    with progress_bar("pareto", quiet=quiet) as update:
        found, interrupted = finished(
            lambda: run(
                loaded,
                preset=fixed,
                forbidden=banned,
                seed=seed,
                time_limit=time_limit,
                threads=threads,
                progress=lambda p: update(p.k, p.k, f"{p.conflicts} conflicts"),
            )
        )
    rows = [
        {"k": size, "conflicts": c.conflicts, "mono": c.mono, "proper": c.is_proper}
        for size, c in found.items()
    ]
    result: dict[str, Any] = {
        "graph": loaded.name,
        "n": loaded.n,
        "m": loaded.m,
        "curve": rows,
        "rules": rules.counts,
        "seconds": {"pareto": time.monotonic() - began},
        "seed": seed,
    }
    able = [some for some in found if k is None or some <= k]  # the last has the fewest conflicts
    missed = not able or (
        k is not None and k > able[-1] == max(found) and not found[able[-1]].is_proper
    )
    if k is not None:
        result["k"] = k
    if k is not None and not missed:
        chosen, names = found[able[-1]], loaded.node_names
        result["delete"] = [[names[u], names[v]] for u, v in chosen.conflicting_edges]
    if as_json:
        print_json(result)
    else:
        print_table(["k", "conflicts", "mono", "proper"], [list(row.values()) for row in rows])
        if not rules.are_none:
            print(f"rules: {rules.describe()}")
        for u, v in result.get("delete", []):
            print(f"delete {u} -- {v}")
    if missed:
        say(f"k={k} was not reached, only {min(found)}..{max(found)}: give more time", quiet=quiet)
    raise typer.Exit(130 if interrupted else 1 if missed else 0)
