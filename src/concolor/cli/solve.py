"""``concolor solve``: the compared methods, without a trained model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from concolor.cli.common import (
    Balanced,
    Colors,
    ForbiddenFile,
    Graphs,
    Json,
    MaxClass,
    MaxMono,
    PresetFile,
    Quiet,
    Seed,
    Weights,
    by_node,
    class_sizes,
    finished,
    judged,
    print_table,
)
from concolor.cli.fleets import (
    Cluster,
    Done,
    Printer,
    WorkerCount,
    executor_of,
    files,
    only_for_one,
    run,
)
from concolor.coloring import Coloring
from concolor.goal import Clock, Progress
from concolor.graph.core import Graph
from concolor.rules import described

COLUMNS = ("graph", "n", "m", "k", "conflicts", "proper", "lower", "proved", "dsatur")


def solve(
    graphs: Graphs,
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
    weights: Weights = False,
    threads: Annotated[int | None, typer.Option(min=1, help="Searches side by side.")] = None,
    variant: Annotated[str | None, typer.Option(help="pi-gnn: sage or gcn.")] = None,
    faithful: Annotated[
        bool, typer.Option("--faithful", help="Neural methods: stop by their published rules.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the colors: .json, .csv or .sol, or a folder."),
    ] = None,
    seed: Seed = 0,
    workers: WorkerCount = None,
    cluster: Cluster = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Color graphs with a classical, exact or unsupervised neural method.

    Without -k and --max-mono the goal is no conflict at all, with the fewest colors found. Exit
    code 1 says that the goal was not reached; Ctrl-C gives the best so far. Beside the answer stand
    a proved lower bound of what was minimized, k, conflicts or weight, and whether the two meet.

    \b
    Examples:
      concolor solve queen:11x11 -k 12 --time-limit 20 --json
      concolor solve er:250x0.5 --method memetic --threads 2 --time-limit 60
      concolor solve cycle:7001 --method pi-gnn -k 3
      concolor solve myciel:5 --method exact
      concolor solve wifi.csv -k 3 --weights --method exact --time-limit 60
      concolor solve jobs/*.col --time-limit 2 --workers 2 --json
      concolor solve big.csr --method speculative --workers 2 -o colors.csv
      concolor solve big.csr --method speculative --cluster tcp://127.0.0.1:8786
    """
    only_for_one(graphs, start=start, preset=preset, forbid=forbidden)
    shared = method == "speculative"  # its workers share one graph; those of others, graphs
    saved = [] if output is None else files(output, graphs, (".json", ".csv", ".sol"))
    asked = _Asked(
        method=method,
        k=k,
        max_mono=max_mono,
        seed=seed,
        time_limit=time_limit,
        start=start,
        preset=preset,
        forbidden=forbidden,
        threads=threads,
        variant=variant,
        faithful=faithful or None,
        max_class=max_class,
        balanced=balanced,
        workers=workers if shared else None,
        cluster=cluster if shared else None,
    )

    def keep(place: int, done: Done) -> None:
        if saved:
            done.kept.save(saved[place])

    printer = Printer(
        graphs,
        as_json=as_json,
        quiet=quiet,
        row=lambda result: {name: result[name] for name in COLUMNS},
        alone=_print,
        code=lambda result: 0 if result["hit"] else 1,
        notes=_notes,
    )
    with executor_of(*(None, None) if shared else (workers, cluster)) as executor:
        run(
            partial(_done, asked),
            printer,
            executor=executor,
            title=method,
            seed=seed,
            weights=weights,
            tells=True,
            keep=keep,
        )
        raise typer.Exit(printer.code)


class _Asked(NamedTuple):
    """The words of the command that are about every graph."""

    method: str
    k: int | None
    max_mono: float | None
    seed: int
    time_limit: float | None
    start: Path | None
    preset: Path | None
    forbidden: Path | None
    threads: int | None
    variant: str | None
    faithful: bool | None
    max_class: int | None
    balanced: bool
    workers: int | None
    cluster: str | None


def _done(asked: _Asked, graph: Graph, tell: Callable[[str], None] | None = None) -> Done:
    """One graph: what is printed of it, and its coloring."""
    from concolor.solvers import solve as run

    began = time.monotonic()
    given = {
        "start": None if asked.start is None else Coloring.load(graph, asked.start),
        "preset": None if asked.preset is None else by_node(graph, asked.preset, int),
        "forbidden": None if asked.forbidden is None else by_node(graph, asked.forbidden, list),
        "progress": None if tell is None else lambda p: tell(_told(p)),
    }
    found, interrupted = finished(lambda: run(graph, **{**asked._asdict(), **given}))
    seconds = time.monotonic() - began
    result = {
        **found.coloring.to_dict(),
        "method": asked.method,
        **judged(found, _greedy(asked, graph)),
        **class_sizes(found),
        **({"rounds": list(found.rounds)} if found.rounds else {}),
        "rules": found.goal.rules.counts,
        "seconds": {"solve": seconds},
        "seed": asked.seed,
    }
    return Done(result, found.coloring, interrupted)


def _greedy(asked: _Asked, graph: Graph) -> int | None:
    """The colors of DSATUR to compare with, where that takes next to none of the time asked for;
    a graph in a folder may be too large for another coloring."""
    from concolor.solvers.greedy import dsatur, saturated_seconds

    fits = Clock(asked.time_limit).fits(saturated_seconds(graph), 0.05)
    return dsatur(graph).k if fits and asked.method != "speculative" else None


def _print(result: dict[str, Any]) -> None:
    shown = {**result, "rules": described(result["rules"]) or None}
    hidden = ("colors", "seconds", "rounds")
    print_table(["", ""], [item for item in shown.items() if item[0] not in hidden])


def _notes(result: dict[str, Any]) -> Iterator[str]:
    if not result["hit"]:
        weight = f" of weight {result['weight']:.10g}" if "weight" in result else ""
        yield f"goal not reached: {result['conflicts']} conflicts{weight} are left"


def _told(now: Progress) -> str:
    """Where a search stands, in words."""
    generation = f", generation {now.generation}" if now.generation else ""
    trying = f"k {now.k}: {now.conflicts} conflicts{generation}, {now.seconds:.0f} s"
    proved = f", at least {now.lower}" if now.lower else ""
    weight = "" if now.best.weight is None else f" of weight {now.best.weight:.6g}"
    return f"{trying}; best {now.best.k} with {now.best.conflicts} conflicts{weight}{proved}"
