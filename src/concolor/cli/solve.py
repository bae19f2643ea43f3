"""``concolor solve``: the compared methods, without a trained model."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from concolor.cli.common import (
    Balanced,
    Cluster,
    Colors,
    ForbiddenFile,
    Json,
    MaxClass,
    MaxMono,
    OneGraph,
    PresetFile,
    Quiet,
    Seed,
    Workers,
    by_node,
    class_sizes,
    finished,
    judged,
    load_graph,
    print_json,
    print_table,
    progress_bar,
    say,
)
from concolor.coloring import Coloring
from concolor.goal import Progress


def solve(
    graph: OneGraph,
    method: Annotated[str, typer.Option(help="See `concolor list solvers`.")] = "portfolio",
    k: Colors = None,
    max_mono: MaxMono = None,
    time_limit: Annotated[
        float | None, typer.Option(min=0, help="Seconds; then the best so far.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option(help="Colors to begin from: .json, .csv or .sol.")
    ] = None,
    preset: PresetFile = None,
    forbidden: ForbiddenFile = None,
    max_class: MaxClass = None,
    balanced: Balanced = False,
    threads: Annotated[int | None, typer.Option(min=1, help="Searches side by side.")] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    variant: Annotated[str | None, typer.Option(help="pi-gnn: sage or gcn.")] = None,
    faithful: Annotated[
        bool, typer.Option("--faithful", help="Neural methods: stop by their published rules.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the colors: .json, .csv or .sol.")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Color GRAPH with a classical, exact or unsupervised neural method.

    Without -k and --max-mono the goal is no conflict at all, with the fewest colors found. Exit
    code 1 says that the goal was not reached; Ctrl-C gives the best so far. Beside the answer stand
    a proved lower bound of what was minimized, k or conflicts, and whether the two meet.

    \b
    Examples:
      concolor solve queen:11x11 -k 12 --time-limit 20 --json
      concolor solve er:250x0.5 --method memetic --threads 2 --time-limit 60
      concolor solve cycle:7001 --method pi-gnn -k 3
      concolor solve myciel:5 --method exact
      concolor solve big.csr --method speculative --workers 2 -o colors.csv
      concolor solve big.csr --method speculative --cluster tcp://127.0.0.1:8786
    """
    from concolor.solvers import solve as run
    from concolor.solvers.greedy import dsatur

    loaded = load_graph(graph, seed, quiet=quiet)
    began = time.monotonic()
    with progress_bar(method, quiet=quiet) as update:
        found, interrupted = finished(
            lambda: run(
                loaded,
                method,
                k=k,
                max_mono=max_mono,
                seed=seed,
                time_limit=time_limit,
                start=None if start is None else Coloring.load(loaded, start),
                preset=None if preset is None else by_node(loaded, preset, int),
                forbidden=None if forbidden is None else by_node(loaded, forbidden, list),
                threads=threads,
                variant=variant,
                faithful=faithful or None,
                max_class=max_class,
                balanced=balanced,
                workers=workers,
                cluster=cluster,
                progress=lambda p: update(p.steps, p.steps, _told(p)),
            )
        )
    seconds, coloring = time.monotonic() - began, found.coloring
    if output is not None:
        coloring.save(output)
    result: dict[str, Any] = {
        **coloring.to_dict(),
        "method": method,
        # a graph in a folder may be too large for another coloring
        **judged(found, None if method == "speculative" else dsatur(loaded).k),
        **class_sizes(found),
        **({"rounds": list(found.rounds)} if found.rounds else {}),
        "rules": found.goal.rules.counts,
        "seconds": {"solve": seconds},
        "seed": seed,
    }
    if as_json:
        print_json(result)
    else:
        shown = {**result, "rules": found.goal.rules.describe() or None}
        hidden = ("colors", "seconds", "rounds")
        print_table(["", ""], [item for item in shown.items() if item[0] not in hidden])
        if not result["hit"]:
            say(f"goal not reached: {coloring.conflicts} conflicts are left", quiet=quiet)
    raise typer.Exit(130 if interrupted else 0 if result["hit"] else 1)


def _told(now: Progress) -> str:
    """Where a search stands, in words."""
    generation = f", generation {now.generation}" if now.generation else ""
    trying = f"k {now.k}: {now.conflicts} conflicts{generation}, {now.seconds:.0f} s"
    proved = f", at least {now.lower}" if now.lower else ""
    return f"{trying}; best {now.best.k} with {now.best.conflicts} conflicts{proved}"
