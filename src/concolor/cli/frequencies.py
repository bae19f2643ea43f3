"""``concolor frequencies``: channels that are so far apart as each pair needs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    progress_bar,
    say,
)

if TYPE_CHECKING:
    from concolor.goal import Progress


def frequencies(
    graph: OneGraph,
    channels: Annotated[
        int | None, typer.Option(min=1, help="At most so many, fewest violations.")
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option(help="A file of the same pairs: what the violation of each costs."),
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(min=0, help="Seconds; then the best so far.")
    ] = None,
    preset: PresetFile = None,
    forbidden: ForbiddenFile = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the frequencies: .json, .csv or .sol."),
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Assign frequencies 0, 1, ...: the ends of an edge are as far apart as its weight says.

    The weight of an edge, a whole number, is the third column of a CSV or edge list, the value of
    a matrix, or the distance of a DIMACS file; of copies the largest counts. Without --channels
    there are as few as were found. With it, exit code 1 says that some pairs are too near.

    \b
    Examples:
      concolor frequencies plan.csv -o plan.sol
      concolor frequencies plan.csv --channels 30 --json
      concolor frequencies plan.csv --channels 30 --weights listeners.csv
    """
    from concolor.graph.weights import matched
    from concolor.solvers.frequencies import frequencies as run

    loaded = load_graph(graph, seed, quiet=quiet, weights="max")
    costs = None
    if weights is not None:
        costs = matched(loaded, load_graph(str(weights), seed, quiet=quiet, weights=True))
    notice_compiling(quiet=quiet)
    began = time.monotonic()

    def told(now: Progress) -> str:
        return f"{now.k} channels: {now.conflicts} violations, at least {now.lower}"

    with progress_bar("frequencies", quiet=quiet) as update:
        found, interrupted = finished(
            lambda: run(
                loaded,
                channels=channels,
                weights=costs,
                preset=None if preset is None else by_node(loaded, preset, int),
                forbidden=None if forbidden is None else by_node(loaded, forbidden, list),
                seed=seed,
                time_limit=time_limit,
                progress=lambda now: update(now.steps, now.steps, told(now)),
            )
        )
    if output is not None:
        found.coloring.save(output)
    names, cost = loaded.node_names, "violations" if weights is None else "weight"
    result: dict[str, Any] = {
        "graph": loaded.name,
        "n": loaded.n,
        "m": loaded.m,
        "channels": found.used,
        "span": found.span,
        "violations": found.violations,
        **({} if weights is None else {"weight": found.weight}),
        "hit": found.hit,
        "minimized": "channels" if found.channels is None else cost,
        "lower": found.lower,
        "proved": found.is_proved,
        "violated": [[names[u], names[v]] for u, v in found.violated],
        "colors": found.coloring.colors.tolist(),
        "seconds": {"frequencies": time.monotonic() - began},
        "seed": seed,
    }
    if as_json:
        print_json(result)
    else:
        hidden = ("colors", "seconds", "violated")
        print_table(["", ""], [item for item in result.items() if item[0] not in hidden])
        for u, v in result["violated"]:
            print(f"too near: {u} -- {v}")
        if not found.hit:
            say(f"goal not reached: {found.violations} pairs are too near", quiet=quiet)
    raise typer.Exit(130 if interrupted else 0 if found.hit else 1)
